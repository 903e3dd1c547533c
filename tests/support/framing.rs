//! Code that several test files share: the reference implementation of
//! framing, and sources that return the same bytes in different pieces.

use std::io::{self, Read};

use linetape::{Error, ErrorKind, Reader, Stats};

/// The result of a reader for one line, in a comparable form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Line {
        number: u64,
        offset: u64,
        bytes: Vec<u8>,
        terminated: bool,
    },
    Error {
        kind: ErrorKind,
        number: u64,
        offset: u64,
        /// The limit, and the value that exceeds it.
        broke: Option<(u64, u64)>,
    },
}

/// All results of reading a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub outcomes: Vec<Outcome>,
    pub lines: u64,
    pub bytes: u64,
    pub blank: u64,
    pub longest_line: u64,
    pub errors: u64,
}

impl Reading {
    fn new(outcomes: Vec<Outcome>, stats: Stats) -> Reading {
        Reading {
            outcomes,
            lines: stats.lines,
            bytes: stats.bytes,
            blank: stats.blank,
            longest_line: stats.longest_line,
            errors: stats.errors.total(),
        }
    }
}

/// The reference implementation: `split` on LF, with every rule spelled out.
pub fn naive(stream: &[u8], max_line: usize) -> Reading {
    let bom = b"\xEF\xBB\xBF";
    let text = stream.strip_prefix(bom).unwrap_or(stream);
    let mut offset = (stream.len() - text.len()) as u64;

    let mut pieces: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let count = pieces.len();
    if pieces.last().is_some_and(|tail| tail.is_empty()) {
        pieces.pop();
    }

    let mut reading = Reading {
        outcomes: vec![],
        lines: pieces.len() as u64,
        bytes: stream.len() as u64,
        blank: 0,
        longest_line: 0,
        errors: 0,
    };
    for (index, piece) in pieces.into_iter().enumerate() {
        let number = index as u64 + 1;
        let terminated = index + 1 < count;
        let mut line = piece;
        if terminated && line.last() == Some(&b'\r') {
            line = &line[..line.len() - 1];
        }
        let utf16 = [b"\xFF\xFE", b"\xFE\xFF"];
        let error = if piece.len() > max_line {
            line = piece;
            let broke = (max_line as u64, piece.len() as u64);
            Some((ErrorKind::LineTooLong, Some(broke)))
        } else if offset == 0 && utf16.iter().any(|m| line.starts_with(*m)) {
            Some((ErrorKind::Encoding, None))
        } else {
            None
        };
        let length = line.len() as u64;
        reading.longest_line = reading.longest_line.max(length);
        if let Some((kind, broke)) = error {
            reading.errors += 1;
            let outcome = Outcome::Error { kind, number, offset, broke };
            reading.outcomes.push(outcome);
        } else if line.iter().all(|b| b" \t\r".contains(b)) {
            reading.blank += 1;
        } else {
            let bytes = line.to_vec();
            let outcome = Outcome::Line { number, offset, bytes, terminated };
            reading.outcomes.push(outcome);
        }
        offset += piece.len() as u64 + 1;
    }
    reading
}

macro_rules! outcome {
    ($line:expr) => {
        match $line {
            Ok(line) => Outcome::Line {
                number: line.number(),
                offset: line.offset(),
                bytes: line.as_bytes().to_vec(),
                terminated: line.is_terminated(),
            },
            Err(error) => error_outcome(&error),
        }
    };
}

pub fn error_outcome(error: &Error) -> Outcome {
    Outcome::Error {
        kind: error.kind(),
        number: error.position().line(),
        offset: error.position().byte(),
        broke: error.limit().zip(error.found()),
    }
}

/// Asserts that every way of reading agrees with the reference implementation.
pub fn agree(stream: &[u8], max_line: usize, capacity: usize, plan: &[usize]) {
    let expected = naive(stream, max_line);
    let shown = stream.escape_ascii();
    assert_eq!(through_lines(stream, max_line), expected, "lines of {shown}");
    assert_eq!(
        through_reader(stream, max_line, capacity, plan),
        expected,
        "reader of {shown}, {plan:?}, {capacity}"
    );
    assert_eq!(
        through_chunks(stream, max_line, plan),
        expected,
        "chunks of {shown}, {plan:?}"
    );
}

pub fn through_lines(stream: &[u8], max_line: usize) -> Reading {
    let mut lines = Reader::builder().max_line(max_line).lines(stream);
    let mut outcomes = vec![];
    while let Some(line) = lines.next_line() {
        outcomes.push(outcome!(line));
    }
    assert!(lines.next_line().is_none(), "the end is the end");
    Reading::new(outcomes, lines.stats())
}

pub fn through_reader(
    stream: &[u8],
    max_line: usize,
    capacity: usize,
    plan: &[usize],
) -> Reading {
    let mut reader = Reader::builder()
        .max_line(max_line)
        .buffer_capacity(capacity)
        .build(InPieces::new(stream, plan));
    let mut outcomes = vec![];
    while let Some(line) = reader.next_line() {
        outcomes.push(outcome!(line));
    }
    assert!(reader.next_line().is_none(), "the end is the end");
    assert!(!reader.get_ref().asked_after_end, "the end is sticky");
    Reading::new(outcomes, reader.stats())
}

pub fn through_chunks(
    stream: &[u8],
    max_line: usize,
    plan: &[usize],
) -> Reading {
    let mut chunks = Reader::builder().max_line(max_line).chunks();
    let mut pieces = InPieces::new(stream, plan);
    let mut outcomes = vec![];
    loop {
        let piece = pieces.next_piece(usize::MAX).to_vec();
        let over = piece.is_empty();
        if over {
            chunks.finish();
        }
        chunks.push(piece);
        while let Some(line) = chunks.next_line() {
            outcomes.push(outcome!(line));
        }
        if over {
            assert!(chunks.next_line().is_none(), "the end is the end");
            return Reading::new(outcomes, chunks.stats());
        }
    }
}

/// Returns a stream in pieces of the planned sizes, cyclically.
pub struct InPieces<'a> {
    rest: &'a [u8],
    plan: std::iter::Cycle<std::slice::Iter<'a, usize>>,
    ended: bool,
    pub asked_after_end: bool,
}

impl<'a> InPieces<'a> {
    pub fn new(stream: &'a [u8], plan: &'a [usize]) -> InPieces<'a> {
        assert!(plan.iter().all(|&size| size > 0), "a piece has bytes");
        let plan = plan.iter().cycle();
        InPieces { rest: stream, plan, ended: false, asked_after_end: false }
    }

    fn next_piece(&mut self, room: usize) -> &'a [u8] {
        let size = *self.plan.next().unwrap_or(&usize::MAX);
        let size = size.min(room).min(self.rest.len());
        let (piece, rest) = self.rest.split_at(size);
        self.rest = rest;
        piece
    }
}

impl Read for InPieces<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.asked_after_end |= self.ended;
        let piece = self.next_piece(buf.len());
        buf[..piece.len()].copy_from_slice(piece);
        self.ended = piece.is_empty();
        Ok(piece.len())
    }
}
