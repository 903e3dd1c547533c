//! Framing, compared with the reference implementation, for all kinds of
//! sources.

use std::io::{self, Read};

use linetape::Reader;

use crate::{
    oracle::input::Input,
    support::framing::{InPieces, Outcome, agree, error_outcome, naive},
};

/// Asserts that the lines of any stream, in any pieces, are those of `split`.
pub fn lines(data: &[u8]) {
    let mut input = Input::of(data);
    let (plan, capacity) = input.plan();
    agree(input.text, 1 << 20, capacity, &plan);
}

/// The same with a limit, and with a limit on the size of the buffer.
pub fn lines_limit(data: &[u8]) {
    let mut input = Input::of(data);
    let max_line = 1 + input.below(64);
    let (plan, capacity) = input.plan();
    agree(input.text, max_line, capacity, &plan);

    let source = Greedy { rest: input.text, most: 0 };
    let builder = Reader::builder().max_line(max_line);
    let mut reader = builder.buffer_capacity(capacity).build(source);
    while let Some(line) = reader.next_line() {
        if let Ok(line) = line {
            assert!(line.as_bytes().len() <= max_line);
        }
        let held = held_by(&reader);
        assert!(held <= max_line + capacity, "{held} bytes are held");
    }
    let most = reader.get_ref().most;
    assert!(most <= capacity, "room for {most} bytes at once");
}

/// Asserts that three ranges of any stream have the lines of the whole, each
/// line in the range of its first byte.
pub fn ranges(data: &[u8]) {
    let mut input = Input::of(data);
    let max_line = 1 + input.below(64);
    let (plan, capacity) = input.plan();
    let first = input.below(64) as u64;
    let second = first + input.below(64) as u64;
    let text = input.text;
    let mut found = vec![];
    let mut bytes = 0;
    for range in [0..first, first..second, second..u64::MAX] {
        let before = range.start.saturating_sub(1) as usize;
        let source = text.get(before..).unwrap_or_default();
        let builder = Reader::builder().range(range.clone());
        let builder = builder.max_line(max_line).buffer_capacity(capacity);
        let mut reader = builder.build(InPieces::new(source, &plan));
        while let Some(line) = reader.next_line() {
            let (offset, line) = match line {
                Ok(line) => (line.offset(), line.as_bytes().to_vec()),
                Err(error) => match error_outcome(&error) {
                    Outcome::Error { offset, .. } => (offset, vec![]),
                    Outcome::Line { .. } => unreachable!(),
                },
            };
            // A BOM is part of the first line.
            let is_first = offset == 3 && range.start == 0;
            assert!(range.contains(&offset) || is_first);
            found.push((offset, line));
        }
        bytes += reader.stats().bytes;
    }
    assert_eq!(bytes, text.len() as u64);
    let expected = naive(text, max_line).outcomes.into_iter();
    let expected: Vec<_> = expected
        .map(|outcome| match outcome {
            Outcome::Line { offset, bytes, .. } => (offset, bytes),
            Outcome::Error { offset, .. } => (offset, vec![]),
        })
        .collect();
    assert_eq!(found, expected);
}

/// Returns the size of the buffer, which only `Debug` shows.
fn held_by(reader: &Reader<Greedy<'_>>) -> usize {
    let shown = format!("{reader:?}");
    let (_, capacity) = shown.split_once("Buffer { capacity: ").unwrap();
    let (capacity, _) = capacity.split_once(',').unwrap();
    capacity.parse().unwrap()
}

/// Fills the whole buffer that it is given, and records the largest one.
#[derive(Debug)]
struct Greedy<'d> {
    rest: &'d [u8],
    most: usize,
}

impl Read for Greedy<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.most = self.most.max(room.len());
        self.rest.read(room)
    }
}

/// A source with random faults. Recoverable faults change nothing, and any
/// other fault is reported once, with its position, after all complete lines.
pub fn stream_faults(data: &[u8]) {
    let mut input = Input::of(data);
    let capacity = 1 + input.below(64);
    let text = input.text;
    let source = Faulty { input, given: 0, ended: false };
    let mut reader = Reader::builder().buffer_capacity(capacity).build(source);
    let (mut found, mut waits, mut fatal) = (vec![], 0usize, None);
    while let Some(line) = reader.next_line() {
        assert!(fatal.is_none(), "nothing comes after the end");
        match line {
            Ok(line) => found.push((line.offset(), line.as_bytes().to_vec())),
            Err(error) if error.io_error().is_none() => {
                found.push((error.position().byte(), vec![]));
            }
            Err(error) if error.is_recoverable() => waits += 1,
            Err(error) => fatal = Some(error.position().byte()),
        }
        assert!(waits <= data.len(), "no progress");
    }
    let source = reader.get_ref();
    let given = &text[..source.given];
    // An incomplete line before the failure is not returned.
    let whole = match fatal {
        Some(at) => {
            assert_eq!(at, given.len() as u64);
            let end = given.iter().rposition(|byte| *byte == b'\n');
            &given[..end.map_or(0, |end| end + 1)]
        }
        None => {
            assert_eq!(given, text, "all was read");
            given
        }
    };
    let expected = naive(whole, usize::MAX).outcomes.into_iter();
    let expected: Vec<(u64, Vec<u8>)> = expected
        .map(|outcome| match outcome {
            Outcome::Line { offset, bytes, .. } => (offset, bytes),
            Outcome::Error { offset, .. } => (offset, vec![]),
        })
        .collect();
    assert_eq!(found, expected);
}

/// Does one of these on each call, chosen by the parameters.
struct Faulty<'d> {
    input: Input<'d>,
    given: usize,
    ended: bool,
}

impl Read for Faulty<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::*;
        assert!(!self.ended, "asked after the end");
        let rest = &self.input.text[self.given..];
        let most = match self.input.byte() {
            0..=199 => usize::MAX,
            200..=219 => 1,
            byte @ 220..=227 => usize::from(byte - 218),
            228..=235 => return Err(Interrupted.into()),
            236..=240 => return Err(WouldBlock.into()),
            241..=245 => return Err(TimedOut.into()),
            246..=250 => {
                self.ended = true;
                return Err(ConnectionReset.into());
            }
            byte => {
                self.ended = true;
                return Ok(room.len() + usize::from(byte - 250));
            }
        };
        let count = most.min(room.len()).min(rest.len());
        room[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        self.ended = count == 0;
        Ok(count)
    }
}
