//! Damaged logs: truncated, filled with NULs, torn and spliced. A damaged line
//! is one error with its position, and every other record is read as if the
//! log were undamaged.
#![cfg(feature = "messages")]

use linetape::{ErrorKind, Reader};
use serde_json::Value as Json;

use crate::support::framing::InPieces;

const RECORDS: [&str; 10] = [
    r#"{"type":"system","subtype":"init","tools":["Bash","\\","\""]}"#,
    r#"{"type":"user","message":{"role":"user","content":"Hi {x} }{ é🍎"}}"#,
    r#"{"parentUuid":null,"message":{"content":[{"type":"tool_use","input":{"a":"{\"b\":[1]}"}}]},"type":"assistant"}"#,
    r#"{}"#,
    r#"{"n":[0,-1,2.5,-3e-7,18446744073709551615,true,false,null]}"#,
    r#"{"type":"result","usage":{"input_tokens":12},"is_error":false}"#,
    r#"{"TextChunk":{"text":"\u00e9\ud83c\udf4e\n","session_id":1}}"#,
    r#"{"type":"stream_event","event":{"type":"ping"}}"#,
    r#" { "type" : "user" , "message" : [ ] } "#,
    r#"{"type":"user","\u0061":"the last"}"#,
];

/// The expected result for a line.
#[derive(Clone)]
enum Fate {
    Record,
    /// One error, at this byte of the line, or anywhere in it.
    Bad(ErrorKind, Option<usize>),
}

use ErrorKind::{NotAnObject, Syntax, TrailingData, Truncated};
use Fate::{Bad, Record};

/// The line number, the offset, and the result.
type Read = (u64, u64, Result<Json, ErrorKind>);

fn read(log: &[u8], capacity: usize, plan: &[usize]) -> Vec<Read> {
    let source = InPieces::new(log, plan);
    let mut reader = Reader::builder().buffer_capacity(capacity).build(source);
    let mut read = vec![];
    while let Some(record) = reader.next_record() {
        let (at, what) = match record {
            Ok(record) => {
                let json = serde_json::to_value(record.value()).unwrap();
                (record.position(), Ok(json))
            }
            Err(error) => {
                assert!(error.is_recoverable(), "{error}");
                (error.position(), Err(error.kind()))
            }
        };
        read.push((at.line(), at.byte(), what));
    }
    let errors = read.iter().filter(|read| read.2.is_err()).count();
    assert_eq!(reader.stats().errors.total(), errors as u64);
    assert_eq!(reader.stats().bytes, log.len() as u64);
    read
}

/// Reads lines in pieces of several sizes, and asserts the expected results.
/// Each line is followed by `end`, except for the last one if `is_open`.
fn holds(lines: &[(Vec<u8>, Fate)], end: &str, is_open: bool) {
    let (mut log, mut expected) = (vec![], vec![]);
    for (number, (line, fate)) in (1u64..).zip(lines) {
        let start = log.len() as u64;
        expected.push(match fate {
            Record => {
                let json = serde_json::from_slice(line).unwrap();
                (number, start, start, Ok(json))
            }
            Bad(kind, at) => {
                let (from, to) = at.map_or((0, line.len()), |at| (at, at));
                (number, start + from as u64, start + to as u64, Err(*kind))
            }
        });
        log.extend_from_slice(line);
        log.extend_from_slice(end.as_bytes());
    }
    if is_open {
        log.truncate(log.len() - end.len());
    }
    for (capacity, plan) in
        [(1, &[1][..]), (16, &[7, 1, 64]), (64, &[usize::MAX]), (1 << 16, &[])]
    {
        let read = read(&log, capacity, plan);
        let shown = log.escape_ascii();
        assert_eq!(read.len(), expected.len(), "{read:?} of {shown}");
        for (found, expected) in read.iter().zip(&expected) {
            let (number, from, to, what) = expected;
            assert_eq!((found.0, &found.2), (*number, what), "{shown}");
            assert!((*from..=*to).contains(&found.1), "{found:?} of {shown}");
        }
    }
}

/// Returns the transcript with some lines replaced.
fn with(
    first: usize,
    count: usize,
    instead: &[(Vec<u8>, Fate)],
) -> Vec<(Vec<u8>, Fate)> {
    let good = |text: &&str| (text.as_bytes().to_vec(), Record);
    let before = RECORDS[..first].iter().map(good);
    let behind = RECORDS[first + count..].iter().map(good);
    before.chain(instead.iter().cloned()).chain(behind).collect()
}

#[test]
fn a_transcript_that_is_cut_at_any_byte_has_every_record_before_it() {
    for end in ["\n", "\r\n"] {
        for (index, text) in RECORDS.iter().enumerate() {
            let before = with(index, RECORDS.len() - index, &[]);
            for cut in 0..=text.len() + end.len() {
                let mut lines = before.clone();
                let is_whole = cut >= text.trim_end().len();
                let line = [text, end].concat().as_bytes()[..cut].to_vec();
                // An empty line or a line of whitespace is not returned.
                let is_blank = line.iter().all(|byte| *byte == b' ');
                let fate =
                    if is_whole { Record } else { Bad(Truncated, Some(0)) };
                if is_blank && !lines.is_empty() {
                    holds(&lines, end, false);
                } else if !is_blank {
                    lines.push((line, fate));
                    holds(&lines, end, true);
                }
            }
        }
    }
}

/// After a power failure, a file system may leave blocks of NULs that were
/// never written.
#[test]
fn a_run_of_nuls_is_one_error_at_any_offset() {
    for index in 0..RECORDS.len() {
        for length in [1, 63, 64, 65, 4096, 70_000] {
            let run = vec![0; length];
            let text = RECORDS[index].as_bytes();
            // On a separate line, which may be the last.
            let alone = (run.clone(), Bad(NotAnObject, Some(0)));
            let lines = with(index, 0, &[alone]);
            holds(&lines, "\n", false);
            holds(&lines[..=index], "\n", true);
            // Before a record, and after one.
            let before = [&run[..], text].concat();
            let before =
                with(index, 1, &[(before, Bad(NotAnObject, Some(0)))]);
            holds(&before, "\n", false);
            let behind = [text, &run[..]].concat();
            let fate = Bad(TrailingData, Some(text.len()));
            let lines = with(index, 1, &[(behind, fate)]);
            holds(&lines, "\n", false);
            holds(&lines[..=index], "\n", true);
        }
    }
}

#[test]
fn a_nul_at_any_place_of_a_record_is_one_error() {
    let text = format!(
        r#"{{"type":"user","n":[1,-2.5,true,null],"s":"a\nb\u00e9 é","o":{{}},"p":"{}"}}"#,
        "x".repeat(56)
    );
    let text = text.as_bytes();
    assert_eq!(text.len(), 128);
    for at in 0..text.len() {
        let kind = if at == 0 { NotAnObject } else { Syntax };
        let mut over = text.to_vec();
        over[at] = 0;
        let (head, tail) = text.split_at(at);
        let inside = [head, b"\0", tail].concat();
        for line in [over, inside] {
            // The first fault is reported: a torn character, or the NUL.
            let text = std::str::from_utf8(&line);
            let kind = match text.map_err(|error| error.valid_up_to()) {
                Err(torn) if torn < at => ErrorKind::Utf8,
                _ => kind,
            };
            holds(&with(5, 1, &[(line, Bad(kind, None))]), "\n", false);
        }
    }
}

#[test]
fn two_records_on_a_line_are_one_error_where_the_second_begins() {
    for index in 0..RECORDS.len() - 1 {
        let (first, second) = (RECORDS[index], RECORDS[index + 1]);
        for between in ["", " ", "\0"] {
            let line = [first, between, second].concat();
            let behind = &line[first.trim_end().len()..];
            let blanks = behind.len() - behind.trim_start().len();
            let at = line.len() - behind.len() + blanks;
            let line = (line.into_bytes(), Bad(TrailingData, Some(at)));
            let lines = with(index, 2, &[line]);
            holds(&lines, "\n", false);
            holds(&lines, "\r\n", true);
        }
    }
}

/// A writer stopped within a record, and another one continued.
#[test]
fn a_torn_record_loses_its_own_line_only() {
    for index in 0..RECORDS.len() - 1 {
        let (torn, next) = (RECORDS[index].trim(), RECORDS[index + 1]);
        for cut in 1..torn.len() {
            let torn = &torn.as_bytes()[..cut];
            let kind = match std::str::from_utf8(torn) {
                Ok(_) => Syntax,
                Err(_) => ErrorKind::Utf8,
            };
            // The next record on the same line.
            let fused = [torn, next.as_bytes()].concat();
            let lines = with(index, 2, &[(fused, Bad(kind, None))]);
            holds(&lines, "\n", false);
            // The next record on a separate line.
            let lines = with(index, 1, &[(torn.to_vec(), Bad(kind, None))]);
            holds(&lines, "\n", false);
        }
    }
}
