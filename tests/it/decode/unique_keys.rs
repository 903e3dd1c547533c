//! Readers that refuse all duplicate keys, compared with a reference on
//! serde_json, which counts them.

use std::{collections::BTreeSet, fmt};

use linetape::{Decoder, ErrorKind, Level, Line, Reader};
use proptest::{collection::vec, prelude::*, sample::select};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::support::{
    json::{corpus, show},
    texts::{any_object, cases},
};

/// JSON with all members of its objects.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Json {
    Object(Members),
    Array(Vec<Json>),
    Other(IgnoredAny),
}

struct Members(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct All;

        impl<'de> Visitor<'de> for All {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Members, A::Error> {
                let members =
                    std::iter::from_fn(|| map.next_entry().transpose());
                Ok(Members(members.collect::<Result<_, _>>()?))
            }
        }

        from.deserialize_map(All)
    }
}

impl Members {
    /// Returns the number of members whose key an earlier one has.
    fn duplicates(&self) -> usize {
        let keys = self.0.iter().map(|(key, _)| key);
        self.0.len() - keys.collect::<BTreeSet<_>>().len()
    }
}

impl Json {
    /// Returns the number of duplicates in all objects.
    fn duplicates(&self) -> usize {
        match self {
            Json::Object(members) => {
                let nested = members.0.iter().map(|(_, v)| v.duplicates());
                members.duplicates() + nested.sum::<usize>()
            }
            Json::Array(items) => items.iter().map(Json::duplicates).sum(),
            Json::Other(_) => 0,
        }
    }
}

/// Reads a line with a method, and returns the offset of the duplicate key that
/// it refuses.
fn refused(
    line: &[u8],
    read: impl Fn(Line<'_>) -> Result<(), linetape::Error>,
) -> Option<usize> {
    let mut lines = Reader::builder().reject_duplicate_keys(true).lines(line);
    let error = read(lines.next_line().unwrap().unwrap()).err()?;
    assert_eq!(error.kind(), ErrorKind::DuplicateKey, "{}", show(line));
    Some(error.position().byte() as usize)
}

/// Counts the duplicates that a method refuses, by renaming one after the
/// other. Each is after the one before it.
fn count(
    line: &[u8],
    read: impl Fn(Line<'_>) -> Result<(), linetape::Error> + Copy,
) -> usize {
    let (mut line, mut least, mut count) = (line.to_vec(), 0, 0);
    while let Some(at) = refused(&line, read) {
        assert!(at >= least, "{at} before {least}: {}", show(&line));
        assert_eq!(line[at], b'"', "{at}: {}", show(&line));
        let new = format!("\"renamed {count}");
        let mut rest = line[at + 1..].iter().enumerate();
        let end = loop {
            match rest.next().unwrap() {
                (_, b'\\') => drop(rest.next()),
                (end, b'"') => break at + 1 + end,
                _ => {}
            }
        };
        line.splice(at..end, new.bytes());
        (least, count) = (at + 1, count + 1);
    }
    count
}

/// Compares all methods with the reference.
fn agree(line: &[u8]) {
    let Ok(json) = serde_json::from_slice::<Json>(line) else { return };
    let Json::Object(members) = &json else { return };
    let (own, all) = (members.duplicates(), json.duplicates());
    let mut decoder = Decoder::new();
    if decoder.line(line).peek().is_err() {
        // A duplicate type, or one that cannot be read, is always refused.
        return;
    }
    let shown = show(line);
    assert_eq!(count(line, |line| line.kind().map(drop)), own, "{shown}");
    assert_eq!(count(line, |line| line.peek().map(drop)), own, "{shown}");
    assert_eq!(count(line, |line| line.check()), all, "{shown}");
    assert_eq!(count(line, |line| line.checked().map(drop)), all, "{shown}");
    assert_eq!(count(line, |line| line.decode().map(drop)), all, "{shown}");
}

/// Objects with few keys, in several spellings.
fn few_keys() -> impl Strategy<Value = String> {
    let scalar = select(vec!["1", "true", "\"a\"", "\"a\\n\"", "{}", "[]"]);
    let value = scalar.prop_map(String::from);
    let key = || select(vec!["a", "b", "\\u0061", "a ", "\\n", "\\u000a", ""]);
    let value = value.prop_recursive(4, 40, 5, move |inner| {
        let members = vec((key(), inner.clone()), 0..5);
        prop_oneof![
            vec(inner, 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            members.prop_map(object),
        ]
    });
    vec((key(), value), 0..5).prop_map(object)
}

fn object(members: Vec<(&str, String)>) -> String {
    let members: Vec<String> = members
        .into_iter()
        .map(|(key, value)| format!("\"{key}\":{value}"))
        .collect();
    format!("{{{}}}", members.join(", "))
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn every_duplicate_key_is_refused_where_it_is(line in few_keys()) {
        agree(line.as_bytes());
    }

    #[test]
    fn duplicates_in_any_object_are_refused(line in any_object()) {
        agree(line.as_bytes());
    }
}

#[test]
fn real_lines_have_the_duplicates_that_are_counted() {
    for log in corpus() {
        for line in log.split(|byte| *byte == b'\n').take(200) {
            agree(line);
        }
    }
}

/// The setting travels with a line to another decoder, and no further.
#[test]
fn a_bytes_line_is_read_as_its_reader_would() {
    let bad = b"{\"type\":\"a\",\"b\":{\"c\":1,\"c\":2}}\n";
    let mut decoder = Decoder::new();
    let builder = Reader::builder().reject_duplicate_keys(true);
    let mut chunks = builder.level(Level::Check).chunks();
    chunks.push(&bad[..]);
    let line = chunks.next_line().unwrap().unwrap();
    assert!(line.line(&mut decoder).kind().unwrap().is("a"));
    let again = line.line(&mut decoder).to_bytes_line();
    for line in [line, again] {
        let error = line.line(&mut decoder).check().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DuplicateKey);
        let error = line.line(&mut decoder).decode().map(drop).unwrap_err();
        assert_eq!(error.position().byte(), 23);
    }
    assert!(decoder.decode(bad.trim_ascii_end()).is_ok());
    let mut chunks = Reader::builder().chunks();
    chunks.push(&bad[..]);
    let line = chunks.next_line().unwrap().unwrap();
    assert!(line.line(&mut decoder).check().is_ok());
}

/// What owns or writes a line that was only peeked at refuses it, too.
#[test]
#[cfg(feature = "messages")]
fn a_peeked_line_with_a_duplicate_key_is_not_owned() {
    let bad = b"{\"type\":\"user\",\"b\":{\"c\":1,\"c\":2}}\n{\"n\":1}\n";
    let builder = Reader::builder().reject_duplicate_keys(true);
    let mut lines = builder.clone().level(Level::Checked).lines(bad);
    let line = lines.next_line().unwrap().unwrap();
    let error = line.peek().unwrap().into_owned().unwrap_err();
    assert_eq!(error.position().byte(), 26);
    assert!(serde_json::to_string(&line.peek().unwrap().value()).is_err());
    assert!(line.deserialize::<serde_json::Value>().is_err());
    assert!(line.to_owned_line().is_err());
    assert_eq!(lines.stats().errors.get(ErrorKind::DuplicateKey), 1);

    let skipping = builder.skip_bad_lines(true);
    let mut reader = skipping.build(&bad[..]);
    let record = reader.next_record().unwrap().unwrap();
    assert_eq!(record.position().line(), 2);
    drop(record);
    assert!(reader.next_record().is_none());
    assert_eq!(reader.stats().errors.get(ErrorKind::DuplicateKey), 1);
}
