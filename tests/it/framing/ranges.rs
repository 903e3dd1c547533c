//! Ranges: each line is in the range that contains its first byte.

use std::{
    env, fs,
    io::{self, Cursor, Read, Seek, SeekFrom, Write},
    ops::Range,
};

use linetape::{ErrorKind, Position, Reader, ReaderBuilder, Stats};

use crate::support::{
    framing::{InPieces, Outcome, error_outcome, naive},
    logs::exhaustive,
};

const NO_LIMIT: usize = usize::MAX;

/// The reference implementation: the lines of the whole stream, without those
/// that begin elsewhere.
fn expected(
    stream: &[u8],
    max_line: usize,
    range: &Range<u64>,
) -> Vec<Outcome> {
    let mut outcomes = naive(stream, max_line).outcomes;
    outcomes.retain(|outcome| {
        let (Outcome::Line { number, offset, .. }
        | Outcome::Error { number, offset, .. }) = outcome;
        // A BOM is part of the first line.
        let first = if *number == 1 { 0 } else { *offset };
        range.contains(&first)
    });
    for outcome in &mut outcomes {
        let (Outcome::Line { number, .. } | Outcome::Error { number, .. }) =
            outcome;
        if range.start > 0 {
            *number = 0;
        }
    }
    outcomes
}

macro_rules! outcomes {
    ($reader:expr) => {{
        let mut outcomes = vec![];
        while let Some(line) = $reader.next_line() {
            outcomes.push(match line {
                Ok(line) => Outcome::Line {
                    number: line.number(),
                    offset: line.offset(),
                    bytes: line.as_bytes().to_vec(),
                    terminated: line.is_terminated(),
                },
                Err(error) => error_outcome(&error),
            });
        }
        outcomes
    }};
}

type Read1 = (Vec<Outcome>, Stats);

fn through_lines(stream: &[u8], builder: &ReaderBuilder) -> Read1 {
    let mut lines = builder.lines(stream);
    (outcomes!(lines), lines.stats())
}

fn through_seek(stream: &[u8], builder: &ReaderBuilder) -> Read1 {
    let mut source = Cursor::new(stream);
    // The position of the source does not matter.
    source.set_position(1);
    let mut reader = builder.build_range(source).unwrap();
    (outcomes!(reader), reader.stats())
}

/// The bytes from one byte before the range on.
fn from_before<'s>(stream: &'s [u8], range: &Range<u64>) -> &'s [u8] {
    let first = range.start.saturating_sub(1) as usize;
    stream.get(first..).unwrap_or_default()
}

fn through_read(
    stream: &[u8],
    range: &Range<u64>,
    builder: &ReaderBuilder,
    plan: &[usize],
) -> Read1 {
    let source = InPieces::new(from_before(stream, range), plan);
    let mut reader = builder.build(source);
    let outcomes = outcomes!(reader);
    assert!(!reader.get_ref().asked_after_end, "the end is sticky");
    (outcomes, reader.stats())
}

fn through_chunks(
    stream: &[u8],
    range: &Range<u64>,
    builder: &ReaderBuilder,
    size: usize,
) -> Read1 {
    let mut chunks = builder.chunks();
    let mut outcomes = vec![];
    let mut pieces = from_before(stream, range).chunks(size);
    while !chunks.is_done() {
        match pieces.next() {
            Some(piece) => chunks.push(piece.to_vec()),
            None => chunks.finish(),
        }
        outcomes.extend(outcomes!(chunks));
    }
    chunks.push("{}\n{}\n");
    assert!(chunks.next_line().is_none(), "the end is the end");
    (outcomes, chunks.stats())
}

/// All strings of up to five bytes that matter for framing, and all ranges: so
/// all ways to divide them. With `LINETAPE_EXHAUSTIVE`, up to six bytes, and
/// every reader reads all of them.
#[test]
fn every_line_is_in_one_range() {
    const ALPHABET: &[u8; 6] = b"\n\ra\xEF\xBB\xBF";
    let all = exhaustive();
    for length in 0..=if all { 6 } else { 5 } {
        for index in 0..6usize.pow(length) {
            let stream: Vec<u8> = (0..length)
                .map(|place| ALPHABET[index / 6usize.pow(place) % 6])
                .collect();
            let max_line = if index % 2 == 1 { 1 } else { NO_LIMIT };
            let all_readers = all || length < 5 || index % 16 < 2;
            every_range(&stream, max_line, all_readers);
        }
    }
}

fn every_range(stream: &[u8], max_line: usize, all_readers: bool) {
    let whole = Reader::builder().max_line(max_line).buffer_capacity(2);
    // Ranges can end after the stream: it may have been longer before.
    let end = stream.len() as u64 + 2;
    for start in 0..=end {
        for end in start..=end {
            let range = start..end;
            let builder = whole.clone().range(range.clone());
            let expected = expected(stream, max_line, &range);
            let shown = stream.escape_ascii();
            let (found, stats) = through_lines(stream, &builder);
            assert_eq!(found, expected, "{shown} {range:?}");
            if !all_readers {
                continue;
            }
            let piece = stream.len() % 3 + 1;
            for (way, reading) in [
                ("seek", through_seek(stream, &builder)),
                ("read", through_read(stream, &range, &builder, &[piece])),
                ("chunks", through_chunks(stream, &range, &builder, piece)),
            ] {
                assert_eq!(reading.0, expected, "{way} {shown} {range:?}");
                assert_eq!(reading.1, stats, "{way} {shown} {range:?}");
            }
        }
        // The counts of two ranges add up to those of the whole.
        let part =
            |range| through_lines(stream, &whole.clone().range(range)).1;
        let sum = part(0..start) + part(start..u64::MAX);
        assert_eq!(sum, through_lines(stream, &whole).1, "{stream:?} {start}");
    }
}

#[test]
fn a_reversed_range_is_empty() {
    #[expect(clippy::reversed_empty_ranges)]
    let builder = Reader::builder().range(5..2);
    let stream = b"\n\n{}\n{}\n{}\n";
    assert_eq!(through_lines(stream, &builder).0, []);
    assert_eq!(through_seek(stream, &builder).0, []);
    assert!(builder.chunks().next_line().is_none());
}

#[test]
fn the_last_of_range_and_start_counts() {
    let stream = b"{}\n{}\n{}\n";
    let start = Position::new(7, 90);
    let builder = Reader::builder().range(1..4);
    let mut lines = builder.start(start).lines(stream);
    assert_eq!(lines.next_line().unwrap().unwrap().position(), start);
    let mut lines = Reader::builder().start(start).range(1..4).lines(stream);
    let first = lines.next_line().unwrap().unwrap().position();
    assert_eq!(first, Position::new(0, 3));
    assert!(lines.next_line().is_none());
}

/// Lines are numbered from the start of the range, and can be moved.
#[test]
fn the_first_number_is_a_setting() {
    let stream = b"{}\n{}\n\noops\n{}\n";
    let builder = Reader::builder().range(2..u64::MAX).first_number(1);
    let mut lines = builder.lines(stream);
    assert_eq!(lines.next_line().unwrap().unwrap().number(), 1);
    let error = lines.next_record().unwrap().unwrap_err();
    assert_eq!(error.position(), Position::new(3, 7));
    assert_eq!(error.moved_by(1, 0).position(), Position::new(4, 7));
    // It is not that of the first line of the stream.
    let mut lines = builder.range(0..9).lines(stream);
    assert_eq!(lines.next_line().unwrap().unwrap().number(), 1);
}

/// With a first number, the byte before the range was taken for the start of
/// the stream, where a BOM is searched.
#[test]
fn a_range_from_byte_1_on_has_no_bom() {
    let builder = Reader::builder().range(1..90).first_number(1);
    for (stream, expected) in [
        (&b"\n{}\n"[..], Position::new(1, 1)),
        (b"\xEF\xBB\xBF{}\n{}\n", Position::new(1, 6)),
    ] {
        let mut lines = builder.lines(stream);
        let first = lines.next_line().unwrap().unwrap();
        assert_eq!(
            (first.position(), first.as_bytes()),
            (expected, &b"{}"[..])
        );
        assert!(lines.next_line().is_none());
    }
}

#[test]
fn an_error_in_a_range_has_its_offset() {
    let mut lines = Reader::builder().range(1..8).lines(b"{}\n{\"n\":x}\n");
    let error = lines.next_record().unwrap().unwrap_err();
    assert_eq!(error.position(), Position::new(0, 8));
    let text = "byte 8: invalid JSON: expected a value, at `x}`";
    assert_eq!(error.to_string(), text);
    assert_eq!(lines.stats().errors.get(ErrorKind::Syntax), 1);
}

/// The records of a damaged line are in the range of the line.
#[test]
fn salvaged_records_are_in_the_range_of_their_line() {
    let stream = b"{\"type\":\"a\"}{\"type\":\"b\"}\n{\"type\":\"c\"}\n";
    let builder = Reader::builder().salvage(true);
    for cut in 1..25 {
        let mut lines = builder.clone().range(cut..u64::MAX).lines(stream);
        assert_eq!(lines.next_line().unwrap().unwrap().offset(), 25, "{cut}");
        assert!(lines.next_line().is_none(), "{cut}");

        let mut chunks = builder.clone().range(0..cut).chunks();
        chunks.push(&stream[..]);
        for offset in [0, 12] {
            assert!(!chunks.is_done(), "{cut}");
            assert_eq!(chunks.next_line().unwrap().unwrap().offset(), offset);
        }
        assert!(chunks.next_line().is_none(), "{cut}");
        assert!(chunks.is_done(), "{cut}");
    }
}

/// Counts the bytes that are read from it.
struct Counted<R> {
    source: R,
    read: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(room)?;
        self.read += length as u64;
        Ok(length)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}

/// A range in the middle of a giant line does not read the whole line, and a
/// range does not read much more than its lines.
#[test]
fn little_is_read_outside_of_a_range() {
    let mut stream = vec![b'x'; 3 << 20];
    stream.extend_from_slice(b"\n{}\n");
    stream.extend_from_slice("{}\n".repeat(1 << 20).as_bytes());
    let read = |range: Range<u64>| {
        let source = Counted { source: Cursor::new(&stream), read: 0 };
        let builder = Reader::builder().range(range);
        let mut reader = builder.build_range(source).unwrap();
        let found = outcomes!(reader).len() as u64;
        (found, reader.get_ref().read)
    };
    let mib = 1 << 20;
    assert_eq!(read(mib..2 * mib), (0, mib));
    let (found, bytes) = read(2 * mib..4 * mib);
    assert_eq!(found, mib / 3);
    assert!((2 * mib..2 * mib + (16 << 10) + 2).contains(&bytes), "{bytes}");
    // The range is short, but not its line.
    let (found, bytes) = read(0..10);
    assert_eq!(found, 1);
    assert!((3 * mib..3 * mib + (16 << 10) + 10).contains(&bytes), "{bytes}");
}

/// A source that has no data yet after every byte.
struct Slow<'s>(&'s [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.0.read(&mut room[..1])
    }
}

#[test]
fn the_search_for_the_first_line_can_be_interrupted() {
    let stream = b"{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
    let builder = Reader::builder().range(2..10);
    let mut reader = builder.build(Slow(&stream[1..], false));
    let mut found = vec![];
    while let Some(line) = reader.next_line() {
        match line {
            Ok(line) => found.push(line.position()),
            Err(error) => assert!(error.is_recoverable()),
        }
    }
    assert_eq!(found, [Position::new(0, 8)]);
    assert_eq!(reader.position(), Position::new(0, 16));
    assert_eq!((reader.stats().lines, reader.stats().bytes), (1, 8));
}

/// A source that fails while the first line is searched has failed once.
#[test]
fn a_failure_before_the_first_line_ends_the_range() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let builder = Reader::builder().range(5..9);
    let mut reader = builder.build((&b"xy"[..]).chain(Broken));
    let error = reader.next_line().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.position(), Position::new(0, 6));
    assert!(reader.next_line().is_none());
}

/// A file that changes after it was divided.
#[test]
fn a_file_that_grew_or_shrank() {
    let path = env::temp_dir()
        .join(format!("linetape-ranges-{}.jsonl", std::process::id()));
    fs::write(&path, "{\"n\":1}\n{\"n\":2}\n{\"n\":").unwrap();
    let ranges = [0..9, 9..18, 18..21];
    let read = |ranges: &[Range<u64>]| {
        let mut found = vec![];
        for range in ranges {
            let builder = Reader::builder().range(range.clone());
            let mut reader = builder.open(&path).unwrap();
            while let Some(line) = reader.next_line() {
                let line = line.unwrap();
                found.push((line.offset(), line.as_bytes().len()));
            }
        }
        found
    };
    assert_eq!(read(&ranges), [(0, 7), (8, 7), (16, 5)]);
    // The last line is complete now. The line after it is in no range, unless
    // the last one is open.
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"3}\n{\"n\":4}\n").unwrap();
    assert_eq!(read(&ranges), [(0, 7), (8, 7), (16, 7)]);
    let open = [0..9, 9..18, 18..u64::MAX];
    assert_eq!(read(&open), [(0, 7), (8, 7), (16, 7), (24, 7)]);
    file.set_len(11).unwrap();
    assert_eq!(read(&ranges), [(0, 7), (8, 3)]);
    file.set_len(0).unwrap();
    assert_eq!(read(&ranges), []);
    fs::remove_file(&path).unwrap();
}
