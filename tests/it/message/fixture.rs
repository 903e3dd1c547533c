//! Code that the tests of the fixtures share: tables of lines and fields.
#![cfg(feature = "owned")]

use linetape::{
    Message, Reader, Writer,
    message::{Reading, SessionId},
    owned,
};
use serde_json::Value as Json;

/// Reads the line of the fixture with the given number, counted from 1.
pub fn on_line(log: &str, number: usize, check: impl FnOnce(Message<'_>)) {
    let mut reader = Reader::new(log.as_bytes());
    for _ in 1..number {
        reader.next_record().unwrap().unwrap();
    }
    check(reader.next_record().unwrap().unwrap().message());
}

/// One case: a name, the line numbers, the pattern of the message, and then
/// each field with its value.
macro_rules! reads {
    ($($name:ident, $lines:expr, $view:pat => {
        $($found:expr => $expected:expr;)*
    })*) => {
        $(#[test]
        fn $name() {
            for number in $lines {
                $crate::message::fixture::on_line(LOG, number, |message| {
                    let $view = message else {
                        panic!("line {number} is not that: {message:?}");
                    };
                    $(assert_eq!($found, $expected, "line {number}");)*
                });
            }
        })*

        #[test]
        fn every_line_has_a_case() {
            let lines: std::collections::BTreeSet<usize> =
                [$(&$lines[..]),*].concat().into_iter().collect();
            let all = (1..=LOG.lines().count()).collect();
            assert_eq!(
                lines,
                all,
                "each line of the fixture has a case in `reads!`, in {}",
                file!()
            );
        }
    };
}

pub(crate) use reads;

/// The results of the common accessors.
#[derive(Debug, Default, PartialEq)]
pub struct Common<'a> {
    pub kind: String,
    pub session_id: Option<SessionId<'a>>,
    pub uuid: Option<&'a str>,
    pub parent_uuid: Option<&'a str>,
    pub timestamp: Option<&'a str>,
    pub is_sidechain: bool,
    pub is_final: bool,
    pub is_error: bool,
    pub user_uuid: Option<&'a str>,
    pub blocks: usize,
    pub text: Vec<&'a str>,
    /// Input and output tokens.
    pub usage: Option<(u64, u64)>,
}

impl<'a> Common<'a> {
    fn of(message: Message<'a>) -> Common<'a> {
        let usage = message.usage();
        Common {
            kind: message.kind().to_string(),
            session_id: message.session_id(),
            uuid: message.uuid(),
            parent_uuid: message.parent_uuid(),
            timestamp: message.timestamp(),
            is_sidechain: message.is_sidechain(),
            is_final: message.is_final(),
            is_error: message.is_error(),
            user_uuid: message.user_uuid(),
            blocks: message.content_blocks().count(),
            text: message.text().collect(),
            usage: usage.map(|usage| {
                (usage.input_tokens().unwrap(), usage.output_tokens().unwrap())
            }),
        }
    }
}

/// The results for a message that has only a kind.
pub fn of_kind(kind: &str) -> Common<'_> {
    Common { kind: kind.to_string(), ..Common::default() }
}

/// Compares the common accessors. The table has a row for each line of the
/// fixture.
#[track_caller]
pub fn check_common(log: &str, table: &[Common<'_>]) {
    let lines = log.lines().count();
    assert_eq!(
        table.len(),
        lines,
        "`common_accessors` has a row for each line of the fixture"
    );
    for (index, expected) in table.iter().enumerate() {
        on_line(log, index + 1, |message| {
            assert_eq!(Common::of(message), *expected, "line {}", index + 1);
            let text = message.text().to_string();
            assert_eq!(text, expected.text.concat(), "line {}", index + 1);
        });
    }
}

/// Nothing is lost in a round trip through owned messages.
pub fn check_round_trip(log: &str) {
    let mut reader = Reader::new(log.as_bytes());
    for line in log.lines() {
        let owned = reader.next_record().unwrap().unwrap().into_owned();
        let read: owned::Message = serde_json::from_str(line).unwrap();
        assert_eq!(owned, read, "{line}");

        let mut writer = Writer::new(vec![]);
        writer.write_value(&owned).unwrap();
        let written = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let (record, rest) = written.split_once('\n').unwrap();
        assert_eq!(rest, "", "one newline for a record");
        let before: Json = serde_json::from_str(line).unwrap();
        let after: Json = serde_json::from_str(record).unwrap();
        assert_eq!(after, before);
    }
    assert!(reader.next_record().is_none());
}

/// The schema has a field for each member, of the right type.
pub fn check_all_read(log: &str) {
    for number in 1..=log.lines().count() {
        on_line(log, number, |message| {
            message.visit(|visited| {
                assert!(
                    matches!(visited.reading, Reading::Read | Reading::Json),
                    "line {number}, {:?}: {:?}",
                    visited.path,
                    visited.reading
                );
            });
        });
    }
}
