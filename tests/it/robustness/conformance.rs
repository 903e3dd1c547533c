//! The JSON conformance suite, if it is present: files that must be accepted
//! or rejected, and the results for those that the suite leaves open.
//!
//! Each file is the value of a member, because a record is an object. A
//! newline outside of strings is replaced by a space, because it would end the
//! line.

use std::{collections::BTreeSet, ops::Range};

use linetape::{Chunks, Decoder, Error, ErrorKind, Line, Reader};

use crate::support::json::suite_files;

/// The files that the suite leaves open and that are accepted, with the
/// reasons.
const ACCEPTED: &[(&str, &[&str])] = &[
    (
        "a number too small for a float is zero, as IEEE 754 rounds it",
        &["i_number_double_huge_neg_exp.json", "i_number_real_underflow.json"],
    ),
    (
        "an integer beyond 64 bits is read as a float, as others do",
        &[
            "i_number_too_big_neg_int.json",
            "i_number_too_big_pos_int.json",
            "i_number_very_big_negative_int.json",
        ],
    ),
];

/// The files that the suite leaves open and that are rejected, with the
/// reasons.
const REJECTED: &[(&str, &[&str])] = &[
    (
        "no float is that large, and infinity is not what was written",
        &[
            "i_number_huge_exp.json",
            "i_number_neg_int_huge_exp.json",
            "i_number_pos_double_huge_exp.json",
            "i_number_real_neg_overflow.json",
            "i_number_real_pos_overflow.json",
        ],
    ),
    (
        "half of a surrogate pair is no character, and `str` cannot hold it",
        &[
            "i_object_key_lone_2nd_surrogate.json",
            "i_string_1st_surrogate_but_2nd_missing.json",
            "i_string_1st_valid_surrogate_2nd_invalid.json",
            "i_string_incomplete_surrogate_and_escape_valid.json",
            "i_string_incomplete_surrogate_pair.json",
            "i_string_incomplete_surrogates_escape_valid.json",
            "i_string_invalid_lonely_surrogate.json",
            "i_string_invalid_surrogate.json",
            "i_string_inverted_surrogates_U+1D11E.json",
            "i_string_lone_second_surrogate.json",
        ],
    ),
    (
        "a line is UTF-8, and nothing is replaced",
        &[
            "i_string_UTF-16LE_with_BOM.json",
            "i_string_UTF-8_invalid_sequence.json",
            "i_string_UTF8_surrogate_U+D800.json",
            "i_string_invalid_utf-8.json",
            "i_string_iso_latin_1.json",
            "i_string_lone_utf8_continuation_byte.json",
            "i_string_not_in_unicode_range.json",
            "i_string_overlong_sequence_2_bytes.json",
            "i_string_overlong_sequence_6_bytes.json",
            "i_string_overlong_sequence_6_bytes_null.json",
            "i_string_truncated-utf-8.json",
            "i_string_utf16BE_no_BOM.json",
            "i_string_utf16LE_no_BOM.json",
        ],
    ),
    (
        "500 levels are more than `max_depth`",
        &["i_structure_500_nested_arrays.json"],
    ),
    (
        "a byte order mark stands at the beginning of a stream alone",
        &["i_structure_UTF-8_BOM_empty_object.json"],
    ),
];

fn listed(list: &[(&str, &[&'static str])]) -> BTreeSet<&'static str> {
    list.iter().flat_map(|(_, names)| names.iter().copied()).collect()
}

/// Returns whether a file must be accepted. A file that is left open must be
/// in a list.
fn must_be_accepted(name: &str) -> bool {
    let open =
        (listed(ACCEPTED).contains(name), listed(REJECTED).contains(name));
    match (name.get(..2), open) {
        (Some("y_"), (false, false)) => true,
        (Some("n_"), (false, false)) => false,
        (Some("i_"), (true, false)) => true,
        (Some("i_"), (false, true)) => false,
        _ => panic!("{name} is on no list, or on too many"),
    }
}

/// Returns the file with its newlines replaced by spaces, except for those in
/// strings: they are invalid there, and end the line.
fn in_a_line(file: &[u8]) -> Vec<u8> {
    let (mut in_string, mut escaped) = (false, false);
    let map = |&byte: &u8| {
        if byte == b'"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && byte == b'\\' && !escaped;
        if byte == b'\n' && !in_string { b' ' } else { byte }
    };
    file.iter().map(map).collect()
}

const NEIGHBOUR: &[u8] = b"{\"a\":\"b\\n\"}";

/// A stream that contains a text.
struct Framing {
    name: &'static str,
    stream: Vec<u8>,
    /// The range of the text in the stream.
    text: Range<usize>,
    first_line: u64,
    in_bytes: bool,
}

fn framings(text: &[u8]) -> Vec<Framing> {
    let neighbours = [NEIGHBOUR, b"\n"].concat();
    let behind = [b"\n", &neighbours[..]].concat();
    let frame = |name, before: &[u8], after: &[u8]| Framing {
        name,
        stream: [before, text, after].concat(),
        text: before.len()..before.len() + text.len(),
        first_line: if before == neighbours { 2 } else { 1 },
        in_bytes: name == "one byte at a time",
    };
    vec![
        frame("LF", b"", b"\n"),
        frame("CRLF", b"", b"\r\n"),
        frame("no LF", b"", b""),
        frame("BOM", b"\xEF\xBB\xBF", b"\n"),
        frame("packed", &neighbours, &behind),
        frame("one byte at a time", &neighbours, &behind),
    ]
}

/// The result for each line of a stream: its position, and whether it is a
/// record.
type Told = Vec<(u64, u64, Result<String, ErrorKind>)>;

/// Decodes a line. Asserts that peeking and checking agree.
fn judged(line: Line<'_>) -> Result<String, Error> {
    let looked_at = line.peek().map(|m| {
        let good = m.value().check().is_ok();
        good.then(|| format!("{:?}", m.value()))
    });
    let checked = line.check().map_err(|error| error.to_string());
    let decoded = line.decode().map(|record| format!("{:?}", record.value()));
    let said = decoded.as_ref().map_err(|error| error.to_string());
    assert_eq!(checked, said.clone().map(drop), "check is decode");
    match &decoded {
        Ok(value) => assert_eq!(looked_at.unwrap().as_ref(), Some(value)),
        // `Value::check` finds faults in nested values.
        Err(_) => assert!(!matches!(looked_at, Ok(Some(_))), "{said:?}"),
    }
    decoded
}

fn told_by(framing: &Framing) -> Told {
    let mut told = vec![];
    let mut tell = |line: Line<'_>| {
        let (number, offset) = (line.number(), line.offset());
        let end = offset + line.as_bytes().len() as u64;
        let judged = judged(line).map_err(|error| {
            assert_eq!(error.position().line(), number, "{error}");
            let byte = error.position().byte();
            assert!((offset..=end).contains(&byte), "{error}");
            error.kind()
        });
        told.push((number, offset, judged));
    };
    if framing.in_bytes {
        let (mut chunks, mut decoder) = (Chunks::new(), Decoder::new());
        for byte in &framing.stream {
            chunks.push(vec![*byte]);
            while let Some(line) = chunks.next_line() {
                tell(line.unwrap().line(&mut decoder));
            }
        }
        return told;
    }
    let mut reader = Reader::new(&framing.stream[..]);
    while let Some(line) = reader.next_line() {
        tell(line.unwrap());
    }
    told
}

/// Returns whether a text is a record in a framing. Asserts that its
/// neighbours are records, and that all positions are right.
fn is_record(framing: &Framing) -> bool {
    let Framing { stream, text, first_line, .. } = framing;
    let neighbour = || Ok(String::from_utf8_lossy(NEIGHBOUR).into_owned());
    let mut told = told_by(framing);
    if *first_line == 2 {
        assert_eq!(told.remove(0), (1, 0, neighbour()));
        let newlines = stream.iter().filter(|b| **b == b'\n').count() as u64;
        let offset = stream.len() - NEIGHBOUR.len() - 1;
        let last = (newlines, offset as u64, neighbour());
        assert_eq!(told.pop().unwrap(), last);
    }
    let mut lines = vec![];
    let mut offset = text.start as u64;
    for (at, line) in stream[text.clone()].split(|b| *b == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() {
            lines.push((first_line + at as u64, offset));
        }
        offset += line.len() as u64 + 1;
    }
    let places: Vec<_> = told.iter().map(|told| (told.0, told.1)).collect();
    assert_eq!(places, lines);
    let records = told.iter().filter(|(.., record)| record.is_ok()).count();
    assert!(records == 0 || told.len() == 1, "a part of it is a record");
    records == 1
}

#[test]
fn every_file_is_judged_as_the_suite_says_in_every_framing() {
    let (mut files, mut judged, mut accepted) = (0, 0, 0);
    for (name, file) in suite_files() {
        let line = [b"{\"v\":", &in_a_line(&file)[..], b"}"].concat();
        let expected = must_be_accepted(&name);
        for framing in framings(&line) {
            let found = is_record(&framing);
            assert_eq!(found, expected, "{name}, {}", framing.name);
            judged += 1;
        }
        files += 1;
        accepted += usize::from(expected);
    }
    println!("{files} files, {accepted} accepted, {judged} judged");
    if files > 0 {
        assert_eq!((files, judged), (316, 316 * 6));
    }
}

/// Alone, a file is a record only if it is an object.
#[test]
fn a_bare_value_is_no_object() {
    let (mut objects, mut others) = (0, 0);
    for (name, file) in suite_files() {
        let first = file.iter().find(|b| !b" \t\r\n".contains(b));
        let is_object = first == Some(&b'{');
        let kind = |error: Error| error.kind();
        let mut decoder = Decoder::new();
        let alone = judged(decoder.line(&file)).map(drop).map_err(kind);
        // A BOM at the beginning of a stream is not part of the text, so this
        // text is between others.
        let packed = framings(&in_a_line(&file)).swap_remove(4);
        let in_stream = told_by(&packed).into_iter().map(|told| told.2);
        let mut in_stream: Vec<_> = in_stream.map(|r| r.map(drop)).collect();
        assert_eq!(in_stream.pop(), Some(Ok(())), "{name}: neighbour");
        assert_eq!(in_stream.remove(0), Ok(()), "{name}: neighbour");
        if is_object {
            objects += 1;
            let expected = must_be_accepted(&name);
            assert_eq!(alone.is_ok(), expected, "{name}");
            assert_ne!(alone, Err(ErrorKind::NotAnObject), "{name}");
            assert_eq!(in_stream, [alone], "{name}");
        } else {
            others += 1;
            let refused = Err(ErrorKind::NotAnObject);
            assert_eq!(alone, refused, "{name}");
            // A blank line is not returned.
            let lines = in_a_line(&file);
            let lines = lines.split(|byte| *byte == b'\n');
            let lines = lines.filter(|line| !line.trim_ascii().is_empty());
            let lines = lines.count();
            assert_eq!(in_stream.len(), lines, "{name}");
            assert!(in_stream.iter().all(|r| *r == refused), "{name}");
        }
    }
    println!("bare: {objects} objects, {others} others");
}

/// Asserts that all files of both lists exist, that no file is in both, and
/// that every file that the suite leaves open is in one.
#[test]
fn what_is_left_open_is_decided_and_listed() {
    let (accepted, rejected) = (listed(ACCEPTED), listed(REJECTED));
    assert!(accepted.is_disjoint(&rejected));
    let files = suite_files();
    if files.is_empty() {
        return;
    }
    let names = files.iter().map(|(name, _)| name.as_str());
    let open: BTreeSet<&str> =
        names.filter(|name| name.starts_with("i_")).collect();
    let all: BTreeSet<&str> = accepted.union(&rejected).copied().collect();
    assert_eq!(all, open);
}
