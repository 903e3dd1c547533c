//! With a misbehaving source, no complete line is lost, and the reader does
//! not panic, loop or lose buffered bytes.

use std::{
    collections::VecDeque,
    io::{self, ErrorKind::*, Read},
};

use linetape::{ErrorKind, Reader};
use proptest::prelude::*;

use crate::support::{
    framing::{self, naive},
    texts,
};

/// The behaviour of the source on one call.
#[derive(Clone, Debug)]
enum Act {
    Give(&'static [u8]),
    Fail(io::ErrorKind),
    /// Reports this many bytes more than the size of the buffer.
    Lie(usize),
}

use Act::{Fail, Give, Lie};

struct Script {
    acts: VecDeque<Act>,
    /// The bytes that did not fit into the last read.
    rest: &'static [u8],
    calls: usize,
}

impl Script {
    fn new(acts: &[Act]) -> Script {
        Script { acts: acts.to_vec().into(), rest: b"", calls: 0 }
    }

    fn give(&mut self, bytes: &'static [u8], room: &mut [u8]) -> usize {
        let (now, rest) = bytes.split_at(bytes.len().min(room.len()));
        room[..now.len()].copy_from_slice(now);
        self.rest = rest;
        now.len()
    }
}

fn reader(acts: &[Act]) -> Reader<Script> {
    Reader::builder().buffer_capacity(16).build(Script::new(acts))
}

impl Read for Script {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if !self.rest.is_empty() {
            return Ok(self.give(self.rest, buf));
        }
        match self.acts.pop_front() {
            None => Ok(0),
            Some(Fail(kind)) => Err(kind.into()),
            Some(Lie(more)) => Ok(buf.len() + more),
            Some(Give(bytes)) => Ok(self.give(bytes, buf)),
        }
    }
}

fn next(reader: &mut Reader<Script>) -> Option<Result<String, ErrorKind>> {
    Some(match reader.next_line()? {
        Ok(line) => Ok(String::from_utf8_lossy(line.as_bytes()).into_owned()),
        Err(error) => Err(error.kind()),
    })
}

fn text(line: &str) -> Option<Result<String, ErrorKind>> {
    Some(Ok(line.to_string()))
}

#[test]
fn interrupted_is_retried() {
    let mut reader = reader(&[
        Fail(Interrupted),
        Give(b"one\ntw"),
        Fail(Interrupted),
        Fail(Interrupted),
        Give(b"o\n"),
    ]);
    assert_eq!(next(&mut reader), text("one"));
    assert_eq!(next(&mut reader), text("two"));
    assert_eq!(next(&mut reader), None);
    assert_eq!(reader.stats().errors.total(), 0);
}

#[test]
fn a_source_that_is_not_ready_keeps_the_partial_line() {
    for kind in [WouldBlock, TimedOut] {
        let mut reader = reader(&[
            Fail(kind),
            Give(b"one\ntw"),
            Fail(kind),
            Fail(kind),
            Give(b"o"),
            Fail(kind),
            Give(b"\n"),
        ]);
        let io = Some(Err(ErrorKind::Io));
        assert_eq!(next(&mut reader), io);
        assert_eq!(next(&mut reader), text("one"));
        let error = reader.next_line().unwrap().unwrap_err();
        assert!(error.is_recoverable());
        assert_eq!(error.position().line(), 2);
        assert_eq!(error.position().byte(), 6);
        assert_eq!(next(&mut reader), io);
        assert_eq!(next(&mut reader), io);
        assert_eq!(next(&mut reader), text("two"));
        assert_eq!(next(&mut reader), None);
        let errors = reader.stats().errors.total();
        assert_eq!(errors, 0, "{kind} is not counted as an error");
        assert_eq!(reader.stats().lines, 2);
    }
}

#[test]
fn waiting_between_cr_and_lf_changes_nothing() {
    let mut reader = reader(&[Give(b"one\r"), Fail(WouldBlock), Give(b"\n")]);
    assert_eq!(next(&mut reader), Some(Err(ErrorKind::Io)));
    assert_eq!(next(&mut reader), text("one"));
}

#[test]
fn control_characters_in_an_io_error_are_escaped() {
    struct Rude;
    impl Read for Rude {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("\x1b[2J gone"))
        }
    }
    let error = Reader::new(Rude).next_line().unwrap().unwrap_err();
    assert!(error.to_string().ends_with(r"failed: \u{1b}[2J gone"));
}

#[test]
fn any_other_error_is_reported_once_and_ends_the_stream() {
    let acts = [Give(b"one\ntwo\nthr"), Fail(BrokenPipe), Give(b"ee\n")];
    let mut reader = reader(&acts);
    assert_eq!(next(&mut reader), text("one"));
    assert_eq!(next(&mut reader), text("two"));
    let error = reader.next_line().unwrap().unwrap_err();
    assert!(!error.is_recoverable());
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.io_error().map(io::Error::kind), Some(BrokenPipe));
    assert_eq!(
        error.to_string(),
        "line 3 (byte 11): reading failed: broken pipe"
    );
    let calls = reader.get_ref().calls;
    for _ in 0..3 {
        assert_eq!(next(&mut reader), None);
    }
    assert_eq!(reader.get_ref().calls, calls, "the source is left alone");
    let stats = reader.stats();
    assert_eq!(stats.errors.get(ErrorKind::Io), 1);
    assert_eq!((stats.lines, stats.bytes), (2, 8));
}

#[test]
fn a_failure_while_an_over_long_line_is_discarded() {
    let acts =
        [Give(b"xxxxxxxxxxxxxxxx"), Give(b"xxxxxxxx"), Fail(NotConnected)];
    let mut reader = Reader::builder()
        .buffer_capacity(16)
        .max_line(10)
        .build(Script::new(&acts));
    let error = reader.next_line().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.position().byte(), 24);
    assert!(reader.next_line().is_none());
}

#[test]
fn a_source_that_lies_about_the_length_is_refused() {
    for more in [1, 1000, usize::MAX - 100] {
        let mut reader = reader(&[Give(b"one\ntw"), Lie(more), Give(b"o\n")]);
        assert_eq!(next(&mut reader), text("one"));
        let error = reader.next_line().unwrap().unwrap_err();
        assert_eq!(error.io_error().map(io::Error::kind), Some(InvalidData));
        assert!(error.to_string().contains("claims"), "{error}");
        assert_eq!(next(&mut reader), None);
    }
}

/// At every byte, the source fails, returns one byte, and fails again.
#[test]
fn a_fault_at_any_byte_costs_no_record_before_it() {
    const LOG: &[u8] =
        b"{\"a\":\"\xC3\xA9\\n\"}\r\n\n{\"b\":[1,{}]}\n{}{}\n{\"c\":2.5}";
    let records = |acts: &[Act]| {
        let mut reader = reader(acts);
        let (mut records, mut ends) = (vec![], vec![]);
        while let Some(record) = reader.next_record() {
            match record {
                Ok(record) => records.push(format!("{record:?}")),
                Err(error) if error.kind() == ErrorKind::Io => {
                    ends.push(error.position().byte());
                }
                Err(error) => records.push(error.to_string()),
            }
        }
        (records, ends)
    };
    let (whole, none) = records(&[Give(LOG)]);
    assert_eq!((whole.len(), none.len()), (4, 0));
    for at in 0..LOG.len() {
        let (head, tail) = LOG.split_at(at);
        let acts = |fault: io::ErrorKind| {
            let (one, tail) = tail.split_at(1);
            [Give(head), Fail(fault), Give(one), Fail(fault), Give(tail)]
        };
        // A read of 0 bytes is the end.
        let acts = |fault| {
            let is_there = |act: &Act| !matches!(act, Give(b""));
            let acts = acts(fault).into_iter().filter(is_there);
            acts.collect::<Vec<_>>()
        };
        assert_eq!(records(&acts(Interrupted)), (whole.clone(), vec![]));
        for fault in [WouldBlock, TimedOut] {
            let (found, waits) = records(&acts(fault));
            assert_eq!((&found, waits.len()), (&whole, 2), "{at}");
        }
        let (found, ends) = records(&acts(ConnectionReset));
        assert_eq!(ends, [at as u64], "it is told once, with the place");
        assert!(whole.starts_with(&found), "{at}: {found:?}");
        let ended = LOG[..at].iter().filter(|byte| **byte == b'\n').count();
        // One of the lines is blank.
        let ended = if ended > 1 { ended - 1 } else { ended };
        assert_eq!(found.len(), ended, "{at}: {found:?}");
    }
}

#[test]
fn the_end_is_asked_for_once() {
    let mut reader = reader(&[Give(b"one"), Give(b""), Give(b"\ntwo\n")]);
    assert_eq!(next(&mut reader), text("one"));
    assert_eq!(next(&mut reader), None);
    assert_eq!(next(&mut reader), None);
    assert_eq!(reader.get_ref().calls, 2);
}

#[test]
fn what_was_read_too_far_can_be_had_back() {
    let mut reader = reader(&[Give(b"head\nbody")]);
    assert_eq!(next(&mut reader), text("head"));
    assert_eq!(reader.buffer(), b"body");
    assert_eq!(reader.into_inner().calls, 1);
}

proptest! {
    #![proptest_config(texts::cases(64))]

    /// Property: recoverable faults change nothing, and before any other fault
    /// all complete lines are returned.
    #[test]
    fn every_complete_line_comes_before_the_failure(
        acts in prop::collection::vec(
            prop_oneof![
                3 => prop::sample::select(vec![
                    Give(b"{}"), Give(b"\n"), Give(b"abc\r\nd"),
                    Give(b"\n\n"), Give(b"\xEF\xBB\xBF"),
                ]),
                1 => prop::sample::select(vec![
                    Fail(Interrupted), Fail(WouldBlock), Fail(TimedOut),
                ]),
            ],
            0..40,
        ),
        end in prop::sample::select(vec![
            Fail(ConnectionReset), Fail(Other), Lie(7),
        ]),
    ) {
        let given: Vec<u8> = acts
            .iter()
            .flat_map(|act| match act { Give(bytes) => bytes, _ => &[][..] })
            .copied()
            .collect();
        let whole = given.iter().rposition(|&b| b == b'\n');
        let whole = &given[..whole.map_or(0, |at| at + 1)];

        let acts: Vec<Act> = acts.into_iter().chain([end]).collect();
        let mut reader = reader(&acts);
        let (mut outcomes, mut fatal) = (vec![], 0);
        while let Some(line) = reader.next_line() {
            match line {
                Ok(line) => outcomes.push(line.as_bytes().to_vec()),
                Err(error) if error.is_recoverable() => {}
                Err(error) => {
                    fatal += 1;
                    let read = given.len() as u64;
                    prop_assert_eq!(error.position().byte(), read);
                }
            }
        }
        prop_assert_eq!(fatal, 1);
        let expected: Vec<Vec<u8>> = naive(whole, usize::MAX)
            .outcomes
            .into_iter()
            .filter_map(|outcome| match outcome {
                framing::Outcome::Line { bytes, .. } => Some(bytes),
                framing::Outcome::Error { .. } => None,
            })
            .collect();
        prop_assert_eq!(outcomes, expected);
    }
}
