//! JSON documents over several lines: one error, and no record less.

use linetape::{ErrorKind, Reader, ReaderBuilder};

use crate::support::json::LEVELS;

/// Texts, with `!` before each line that is returned besides the first one,
/// and is an error, and `+` before each that is a record.
const TEXTS: &[&str] = &[
    "{\n  \"a\": 1,\n\n  \"b\": [\n    1,\n    -2.5\n  ]\n}",
    "[\n{\"a\":1},\n+{\"a\":[2,true]}\n]\n+{\"b\":1}",
    // The last item of a list was a record.
    "{\n  \"a\": [\n    {\"b\":1},\n    {\"b\":2}\n  ]\n}\n+{}",
    "[\n  {\n    \"a\" :\n    null\n  }\n]\r\n+{}\n!x",
    "[\n{\n\"a\":\n+{}\n},\n[{\n\"b\":\"]\\\"\"}]]\n!]",
    "{\n}\n!{\n}\n![\n]\n!\"a\": 1",
    "[\n[],\n\"]\"\n]\n!]",
    // A log after half of a document.
    "{\n+{\"a\":1}\n!}",
    "{\n\"a\": 1,\n+{\"a\":1}\n!}",
    "{\n\"a\":\n+{\"a\":1}\n+{\"a\":1}\n!\"a\"",
    "[\n+{\"a\":1}\n+{\"a\":1}\n!]",
    "[\n!warning: 1\n!]",
    "[\n!\"a\n!]",
    "[\n!1}\n!]",
    "[\n!] 1\n!1",
    "{\n!\"a\": 1.\n!}",
    "{\n!: 1\n!}",
    "[\n!, 1\n!]",
    "[\n1\n!2\n!]",
    "[\n!{\"a\":\"-----------------------------------------------\"}\n!]",
];

/// The errors and the records of a text, by their lines.
type Found = Vec<(u64, Option<ErrorKind>)>;

fn read(builder: &ReaderBuilder, log: &[u8], records: bool) -> Found {
    let mut reader = builder.build(log);
    let mut found = vec![];
    while let Some(next) = match records {
        true => reader.next_record().map(|r| r.map(|r| r.position())),
        false => reader
            .next_line()
            .map(|l| l.and_then(|l| l.check().map(|()| l.position()))),
    } {
        found.push(match next {
            Ok(at) => (at.line(), None),
            Err(error) => (error.position().line(), Some(error.kind())),
        });
    }
    found
}

#[test]
fn a_document_is_one_error_and_hides_no_record() {
    for text in TEXTS {
        let numbered = (1..).zip(text.lines());
        let expected: Vec<(u64, bool)> = numbered
            .filter(|(n, line)| *n == 1 || line.starts_with(['!', '+']))
            .map(|(n, line)| (n, line.starts_with('+')))
            .collect();
        let log = text.replace("\n!", "\n").replace("\n+", "\n");
        let log = log.as_bytes();
        let builder = Reader::builder().max_line(50);
        let all = read(&builder, log, false);
        let agree = |builder: &ReaderBuilder, records| {
            let found = read(builder, log, records);
            let told = found.iter().map(|(n, kind)| (*n, kind.is_none()));
            assert_eq!(told.collect::<Vec<_>>(), expected, "{text}");
            // Nothing but lines of the document is left out.
            assert!(found.iter().all(|line| all.contains(line)), "{text}");
        };
        agree(&builder, true);
        for level in LEVELS {
            for capacity in [1, 16, 1000] {
                let builder = builder.clone().buffer_capacity(capacity);
                let builder = builder.level(level).skip_documents(true);
                agree(&builder, true);
                agree(&builder, false);
                // In a range that begins with the document, and ends in it.
                let found =
                    read(&builder.range(1..2), &[b"\n", log].concat(), false);
                assert_eq!(found.len(), 1, "{text}");
            }
        }
        let salvage = builder.salvage(true);
        let expected = read(&salvage, log, false);
        let found = read(&salvage.skip_documents(true), log, false);
        assert_eq!(found, expected);
    }
}

/// Bare noise is no error, as without the setting.
#[test]
fn the_lines_of_a_document_are_no_noise() {
    let builder = Reader::builder().skip_documents(true).skip_noise(true);
    let log = b"x\n{\n\"a\":\n1\n}\n[\n{\n}\n]\ny\n{}";
    let found = read(&builder, log, false);
    assert_eq!(found, [(2, Some(ErrorKind::Syntax)), (11, None)]);
}
