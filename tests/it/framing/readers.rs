//! `Reader`, `Lines` and `Chunks` return the same lines, errors and stats with
//! all settings.

use std::{
    collections::HashSet,
    io::{self, Read},
};

use bytes::Bytes;
use linetape::{
    BytesLine, Decoder, Error, ErrorKind, Limits, Line, Lines, Position,
    Projection, Reader, ReaderBuilder, Record, Stats, reader::ErrorCounts,
};

use crate::support::json::LEVELS;

/// A stream with a blank line, noise, an error in a nested value, two records
/// on one line, a long line, a duplicate key, and a truncated last line.
const LOG: &[u8] = b"{\"type\":\"a\"}\n\
    \t\n\
    note\n\
    {\"b\":oops}\n\
    {\"n\":1}{\"n\":2} x\r\n\
    {\"long\":\"0123456789012345678901234567890123456789\"}\n\
    {\"type\":\"c\",\"type\":\"c\"}\n\
    {\"d\":[[[1]]]}\n\
    {\"last\":tr";

/// Returns a few bytes at a time.
struct Slowly<'d> {
    rest: &'d [u8],
    piece: usize,
}

impl Read for Slowly<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = self.piece.min(buf.len());
        (&mut self.rest).take(most as u64).read(buf)
    }
}

/// Returns a line as `number@byte text`, with `~` if it has no newline.
fn shown(at: Position, text: &[u8], terminated: bool) -> String {
    let end = if terminated { "" } else { "~" };
    let text = text.escape_ascii().to_string().replace('\\', "");
    format!("{}@{} {text}{end}", at.line(), at.byte())
}

fn shown_line(line: &Line<'_>) -> String {
    shown(line.position(), line.as_bytes(), line.is_terminated())
}

fn shown_bytes_line(line: &BytesLine) -> String {
    shown(line.position(), line.as_bytes(), line.is_terminated())
}

/// Returns an error as `!number@byte kind`, with the line if it was kept.
fn shown_error(error: &Error) -> String {
    let (at, kind) = (error.position(), error.kind());
    let raw = error.raw().map(|raw| format!(" {}", raw.escape_ascii()));
    let raw = raw.unwrap_or_default().replace('\\', "");
    format!("!{}@{} {kind}{raw}", at.line(), at.byte())
}

fn shown_record(record: &Record<'_>) -> String {
    let text = record.raw().unwrap().escape_ascii().to_string();
    let at = record.position();
    format!("{}@{} {}", at.line(), at.byte(), text.replace('\\', ""))
}

/// All results of reading a stream.
#[derive(Debug, PartialEq)]
struct Reading {
    found: Vec<String>,
    stats: Stats,
}

/// Reads to the end. `show` formats the results.
macro_rules! read_all {
    ($reader:expr, $next:ident, $show:expr) => {{
        let mut reader = $reader;
        let mut found = vec![];
        while let Some(next) = reader.$next() {
            found.push(match next {
                Ok(next) => $show(&next),
                Err(error) => shown_error(&error),
            });
        }
        assert!(reader.$next().is_none(), "the end is the end");
        Reading { found, stats: reader.stats() }
    }};
}

fn chunks(
    builder: &ReaderBuilder,
    log: &[u8],
    piece: usize,
) -> (Reading, Vec<BytesLine>) {
    let mut chunks = builder.chunks();
    let (mut found, mut lines) = (vec![], vec![]);
    let mut pieces = log.chunks(piece);
    loop {
        let piece = pieces.next();
        match piece {
            Some(piece) => chunks.push(piece.to_vec()),
            None => chunks.finish(),
        }
        while let Some(line) = chunks.next_line() {
            found.push(match &line {
                Ok(line) => shown_bytes_line(line),
                Err(error) => shown_error(error),
            });
            lines.extend(line);
        }
        if piece.is_none() {
            return (Reading { found, stats: chunks.stats() }, lines);
        }
    }
}

/// Returns the lines. Asserts that all readers agree.
#[track_caller]
fn lines_of(builder: &ReaderBuilder, log: &[u8]) -> Reading {
    let expected = read_all!(builder.lines(log), next_line, shown_line);
    for piece in [1, 7, 50, log.len()] {
        let source = Slowly { rest: log, piece };
        for capacity in [1, 64, 1 << 17] {
            let builder = builder.clone().buffer_capacity(capacity);
            let source = Slowly { ..source };
            let reader = builder.build(source);
            let reading = read_all!(reader, next_line, shown_line);
            assert_eq!(reading, expected, "reader, {piece} {capacity}");
        }
        let (reading, lines) = chunks(builder, log, piece);
        assert_eq!(reading, expected, "chunks of {piece}");
        // An owned copy of a borrowed line is equal to it.
        let mut owned = vec![];
        let mut all = builder.lines(log);
        while let Some(line) = all.next_line() {
            owned.extend(line.map(|line| line.to_bytes_line()));
        }
        assert_eq!(lines, owned, "chunks of {piece}");
    }
    expected
}

/// Returns the records. Asserts that all readers agree. Lines of `Chunks` are
/// decoded by a separate decoder, whose errors are not counted.
#[track_caller]
fn records_of(builder: &ReaderBuilder, log: &[u8]) -> Reading {
    let expected = read_all!(builder.lines(log), next_record, shown_record);
    let reader = builder.build(Slowly { rest: log, piece: 7 });
    let reading = read_all!(reader, next_record, shown_record);
    assert_eq!(reading, expected);
    expected
}

fn all() -> [&'static str; 8] {
    [
        "1@0 {\"type\":\"a\"}",
        "3@15 note",
        "4@20 {\"b\":oops}",
        "5@31 {\"n\":1}{\"n\":2} x",
        "6@49 {\"long\":\"0123456789012345678901234567890123456789\"}",
        "7@101 {\"type\":\"c\",\"type\":\"c\"}",
        "8@125 {\"d\":[[[1]]]}",
        "9@139 {\"last\":tr~",
    ]
}

fn without(lines: &[&str]) -> Vec<String> {
    let kept = all().into_iter().filter(|line| !lines.contains(line));
    kept.map(str::to_string).collect()
}

#[test]
fn by_default_every_line_is_handed_out_as_it_is() {
    let reading = lines_of(&Reader::builder(), LOG);
    assert_eq!(reading.found, all());
    assert_eq!((reading.stats.lines, reading.stats.blank), (9, 1));
    assert_eq!(reading.stats.bytes, LOG.len() as u64);
    assert_eq!(reading.stats.errors.total(), 0);
    assert_eq!(
        records_of(&Reader::builder(), LOG).found,
        [
            "1@0 {\"type\":\"a\"}",
            "!3@15 not_an_object",
            "!4@25 syntax",
            "!5@38 trailing_data",
            "6@49 {\"long\":\"0123456789012345678901234567890123456789\"}",
            "!7@113 duplicate_key",
            "8@125 {\"d\":[[[1]]]}",
            "!9@139 truncated",
        ]
    );
}

#[test]
fn limits_are_those_of_the_builder() {
    let limits = Limits { max_line: 40, max_depth: 3, max_nodes: 3 };
    let builder = Reader::builder().limits(limits);
    let reading = lines_of(&builder, LOG);
    let mut expected: Vec<_> = all().map(str::to_string).into();
    expected[4] = "!6@49 line_too_long".to_string();
    assert_eq!(reading.found, expected);
    assert_eq!(reading.stats.errors.get(ErrorKind::LineTooLong), 1);
    assert_eq!(reading.stats.longest_line, 51);

    let records = records_of(&builder, LOG).found;
    assert!(records.contains(&"!8@131 too_many_nodes".to_string()));
    let builder = builder.max_nodes(100);
    let records = records_of(&builder, LOG).found;
    assert!(records.contains(&"!8@132 depth".to_string()), "{records:?}");
}

#[test]
fn noise_is_skipped_by_all() {
    let reading = lines_of(&Reader::builder().skip_noise(true), LOG);
    assert_eq!(reading.found, without(&["3@15 note"]));
    assert_eq!(reading.stats.noise, 1);
}

#[test]
fn damaged_lines_are_searched_by_all() {
    let builder = Reader::builder().salvage(true);
    let expected = [
        "1@0 {\"type\":\"a\"}",
        "!3@15 not_an_object",
        "!4@20 syntax",
        "5@31 {\"n\":1}",
        "5@38 {\"n\":2}",
        "!5@46 not_an_object",
        "6@49 {\"long\":\"0123456789012345678901234567890123456789\"}",
        "!7@101 duplicate_key",
        "8@125 {\"d\":[[[1]]]}",
        "!9@139 truncated",
    ];
    let reading = lines_of(&builder, LOG);
    assert_eq!(reading.found, expected);
    assert_eq!((reading.stats.salvaged, reading.stats.lost), (2, 49));
    assert_eq!(reading.stats.errors.total(), 5);
    assert_eq!(records_of(&builder, LOG), reading);

    let reading = lines_of(&builder.skip_noise(true), LOG);
    assert_eq!((reading.stats.noise, reading.stats.errors.total()), (1, 4));
}

#[test]
fn the_bytes_of_a_bad_line_are_kept_by_all() {
    let log = b"\xFF\xFE{\n{}x{}\n{\"torn\n";
    let builder = Reader::builder().keep_raw(true).salvage(true);
    let reading = lines_of(&builder, log);
    let expected = [
        "!1@0 encoding xffxfe{",
        "2@4 {}",
        "!2@6 not_an_object {}x{}",
        "2@7 {}",
        "!3@10 syntax {\"torn",
    ];
    assert_eq!(reading.found, expected);
    let builder = Reader::builder().keep_raw(true);
    let records = records_of(&builder, log).found;
    assert_eq!(records[1], "!2@6 trailing_data {}x{}");
}

#[test]
fn positions_begin_where_the_builder_says() {
    let start = Position::new(11, 1000);
    let reading = lines_of(&Reader::builder().start(start), LOG);
    assert_eq!(reading.found[0], "11@1000 {\"type\":\"a\"}");
    assert_eq!(reading.found[7], "19@1139 {\"last\":tr~");
    assert_eq!(
        (reading.stats.lines, reading.stats.bytes),
        (9, LOG.len() as u64)
    );
}

#[test]
fn a_level_changes_no_line_of_any_reader() {
    for builder in [
        Reader::builder(),
        Reader::builder().salvage(true),
        Reader::builder().skip_noise(true).skip_bad_lines(true),
        Reader::builder().max_line(40).max_nodes(20),
    ] {
        let plain = lines_of(&builder, LOG);
        for level in LEVELS {
            let builder = builder.clone().level(level);
            assert_eq!(lines_of(&builder, LOG), plain, "{level:?}");
        }
    }
}

#[test]
fn bad_lines_are_skipped_by_all_and_counted() {
    let builder = Reader::builder().skip_bad_lines(true);
    assert_eq!(lines_of(&builder, LOG).found, all(), "nothing is checked");
    let records = records_of(&builder, LOG);
    let good = [
        "1@0 {\"type\":\"a\"}",
        "6@49 {\"long\":\"0123456789012345678901234567890123456789\"}",
        "8@125 {\"d\":[[[1]]]}",
    ];
    assert_eq!(records.found, good);
    let plain = records_of(&Reader::builder(), LOG);
    assert_eq!(records.stats, plain.stats);
    assert_eq!(records.stats.errors.total(), 5);

    // Lines for which framing returns an error.
    let log = [b"\xFF\xFE{\0\n", LOG].concat();
    let builder = builder.max_line(40);
    let reading = lines_of(&builder, &log);
    assert_eq!(reading.found.len(), 7);
    assert!(reading.found.iter().all(|line| !line.starts_with('!')));
    let plain = lines_of(&Reader::builder().max_line(40), &log);
    assert_eq!(reading.stats, plain.stats);
    let errors: Vec<_> = (&reading.stats.errors).into_iter().collect();
    let expected = [(ErrorKind::LineTooLong, 1), (ErrorKind::Encoding, 1)];
    assert_eq!(errors, expected);

    // Lost bytes of damaged lines.
    let builder = Reader::builder().skip_bad_lines(true).salvage(true);
    let reading = lines_of(&builder, LOG);
    assert_eq!(reading.found.len(), 5);
    assert_eq!(reading.stats.errors.total(), 5);
    assert_eq!(records_of(&builder, LOG), reading);
}

/// A source that first returns `WouldBlock`, then a bad and a good line, and
/// then fails.
struct Failing(u32);

impl Read for Failing {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0 += 1;
        match self.0 {
            1 | 3 => Err(io::ErrorKind::WouldBlock.into()),
            2 => (&b"oops\n{\"to"[..]).read(buf),
            4 => (&b"rn\":1}\noops\n{\"x"[..]).read(buf),
            _ => Err(io::ErrorKind::ConnectionReset.into()),
        }
    }
}

#[test]
fn a_source_that_fails_is_told_though_bad_lines_are_skipped() {
    let builder = Reader::builder().skip_bad_lines(true);
    let mut reader = builder.build(Failing(0));
    let mut found = vec![];
    while let Some(record) = reader.next_record() {
        found.push(match record {
            Ok(record) => shown_record(&record),
            Err(error) => format!("{:?}", error.io_error().unwrap().kind()),
        });
    }
    let good = "2@5 {\"torn\":1}";
    assert_eq!(found, ["WouldBlock", "WouldBlock", good, "ConnectionReset"]);
    let errors = reader.stats().errors;
    assert_eq!(errors.get(ErrorKind::NotAnObject), 2);
    assert_eq!((errors.get(ErrorKind::Io), errors.total()), (1, 3));
}

type Way = fn(Line<'_>) -> bool;

/// Methods that find out that a line is bad.
const WAYS: [(&str, Way); 7] = [
    ("kind", |line| line.kind().is_err()),
    ("peek", |line| line.peek().is_err()),
    ("check", |line| line.check().is_err()),
    ("decode", |line| line.decode().is_err()),
    ("projected", |line| line.projected(&Projection::new(["/type"])).is_err()),
    ("again and again", |line| {
        let answers = [line.kind().is_err(), line.kind().is_err()];
        let checks = [line.peek().is_err(), line.check().is_err()];
        assert_eq!(answers, checks);
        line.decode().is_err()
    }),
    ("not at all", |_| false),
];

/// Errors that are found even when only the type is read.
const BAD: &[u8] = b"{\"type\":\"a\"}\nnote\n{\"type\":\"b\"}\n{\"c\":oops}\n\
    {\"c\":1,}\n{\"type\":1,\"type\":2}\n{\"d\":1}\n{\"torn";

fn counts_of_bad(errors: ErrorCounts) {
    let counts: Vec<_> = errors.iter().collect();
    let expected = [
        (ErrorKind::Syntax, 2),
        (ErrorKind::NotAnObject, 1),
        (ErrorKind::DuplicateKey, 1),
        (ErrorKind::Truncated, 1),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn a_bad_line_counts_once_however_it_is_read() {
    for level in LEVELS {
        let builder = Reader::builder().level(level);
        for (name, is_bad) in WAYS {
            macro_rules! count {
                ($reader:expr) => {{
                    let mut reader = $reader;
                    let mut bad = 0;
                    while let Some(line) = reader.next_line() {
                        bad += u64::from(is_bad(line.unwrap()));
                    }
                    assert_eq!(reader.stats().errors.total(), bad, "{name}");
                    if bad > 0 {
                        counts_of_bad(reader.stats().errors);
                    }
                    bad
                }};
            }
            let expected = if name == "not at all" { 0 } else { 5 };
            assert_eq!(count!(builder.build(BAD)), expected, "{name}");
            assert_eq!(count!(builder.lines(BAD)), expected, "{name}");
        }
    }
}

#[test]
fn a_bad_line_that_a_closure_asks_counts_once() {
    macro_rules! count {
        ($reader:expr) => {{
            let mut reader = $reader;
            // A line that is returned is read again by `decode`, a skipped one
            // is not.
            let mut odd = false;
            while let Some(line) = reader.next_where(|line| {
                odd = !odd;
                line.kind().is_err() && odd
            }) {
                assert!(line.unwrap().decode().is_err());
            }
            counts_of_bad(reader.stats().errors);
        }};
    }
    count!(Reader::new(BAD));
    count!(linetape::lines(BAD));
}

#[test]
fn a_bad_line_counts_once_in_records_and_messages() {
    for skip in [false, true] {
        let builder = Reader::builder().skip_bad_lines(skip);
        let mut reader = builder.build(BAD);
        while reader.next_record().is_some() {}
        counts_of_bad(reader.stats().errors);

        let mut lines = builder.lines(BAD);
        let mut errors = 0;
        while let Some(record) = lines.next_record() {
            errors += u64::from(record.is_err());
        }
        counts_of_bad(lines.stats().errors);
        assert_eq!(errors, if skip { 0 } else { 5 });

        #[cfg(feature = "messages")]
        {
            let mut messages = builder.build(BAD).into_messages();
            let good = messages.by_ref().filter(Result::is_ok).count();
            counts_of_bad(messages.reader().stats().errors);
            assert_eq!(good, 3);
        }
    }
}

/// Includes the part of an unfinished line that has been searched.
#[test]
fn what_is_unread_can_be_had_back() {
    struct Stalled(Vec<&'static [u8]>);
    impl Read for Stalled {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.0.remove(0).read(buf)
        }
    }
    let mut reader =
        Reader::new(Stalled(vec![b"{\"a\":1}\n{\"b\":", b"2", b"}\n{\"c\""]));
    assert!(reader.next_line().unwrap().is_ok());
    assert_eq!(reader.buffer(), b"{\"b\":");
    assert!(reader.next_line().unwrap().is_ok());
    assert!(reader.next_line().unwrap().is_err());
    assert_eq!(reader.buffer(), b"{\"c\"");
    reader.get_mut().0.push(b":");
    assert!(reader.next_line().unwrap().is_err());
    assert_eq!(reader.position().byte(), 16);
    let (source, unread) = reader.into_parts();
    assert!(source.0.is_empty());
    assert_eq!(unread, b"{\"c\":");

    // The bytes of a line over the limit are not kept.
    let source = Stalled(vec![b"0123456789", b"abc"]);
    let mut reader = Reader::builder().max_line(4).build(source);
    assert!(reader.next_line().unwrap().is_err());
    assert_eq!(reader.into_parts().1, b"");
}

#[test]
fn a_builder_can_be_used_again_and_changed() {
    let plain = Reader::builder();
    let changed = plain.clone().max_line(3);
    let log = b"{\"a\":1}\n";
    for _ in 0..2 {
        assert!(plain.lines(log).next_line().unwrap().is_ok());
        assert!(changed.lines(log).next_line().unwrap().is_err());
        assert!(changed.build(&log[..]).next_line().unwrap().is_err());
    }
    let default = format!("{:?}", ReaderBuilder::default());
    assert_eq!(format!("{plain:?}"), default);
}

#[test]
fn an_owned_line_is_compared_by_all_that_it_is() {
    let lines = |log: &'static str| -> Vec<BytesLine> {
        let mut lines: Lines<'_> = linetape::lines(log.as_bytes());
        let mut owned = vec![];
        while let Some(line) = lines.next_line() {
            let line = line.unwrap();
            assert_eq!(AsRef::<[u8]>::as_ref(&line), line.as_bytes());
            owned.push(line.to_bytes_line());
        }
        owned
    };
    let both = lines("{}\n{}\n");
    assert_ne!(both[0], both[1], "their positions");
    assert_ne!(lines("{}\n"), lines("{}"), "their ends");
    assert_ne!(lines("{}\n"), lines("[]\n"), "their bytes");
    let set: HashSet<BytesLine> = HashSet::from_iter(
        [lines("{}\n"), both.clone(), lines("{}")].concat(),
    );
    assert_eq!(set.len(), 3);
    assert_eq!(AsRef::<[u8]>::as_ref(&both[0]), b"{}");
    assert_eq!(Bytes::from(both[1].clone()), "{}");
}

/// What was prepared with other limits is not used.
#[test]
fn limits_of_the_decoder_hold_for_a_line_that_was_prepared() {
    for level in LEVELS {
        let builder = Reader::builder().level(level);
        // The first line is not prepared.
        let (_, lines) =
            chunks(&builder, b"{}\n{\"type\":\"a\",\"b\":[[[]]]}\n", 1 << 10);
        let kind = |limits| {
            let mut decoder = Decoder::with_limits(limits);
            let line = lines[1].line(&mut decoder);
            line.check().map_err(|error| error.kind())?;
            line.kind().map(|kind| kind.to_string()).map_err(|e| e.kind())
        };
        let limits = Limits::default();
        assert_eq!(kind(limits), Ok("a".to_string()));
        let shallow = Limits { max_depth: 2, ..limits };
        assert_eq!(kind(shallow), Err(ErrorKind::Depth));
        let few = Limits { max_nodes: 3, ..limits };
        assert_eq!(kind(few), Err(ErrorKind::TooManyNodes));
        let short = Limits { max_line: 9, ..limits };
        assert_eq!(kind(short), Err(ErrorKind::LineTooLong));
    }
}

#[cfg(feature = "messages")]
#[test]
fn messages_end_for_good() {
    fn fused<I: std::iter::FusedIterator>(iterator: I) -> I {
        iterator
    }
    let mut messages = fused(Reader::new(&b"{}\n"[..]).into_messages());
    assert!(messages.next().is_some());
    assert!(messages.next().is_none());
    assert!(messages.next().is_none());
}
