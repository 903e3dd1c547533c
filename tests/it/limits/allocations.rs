//! Memory, counted by the allocator. Each test counts the allocations of its
//! own thread, so that tests do not affect each other.

use std::{
    cell::Cell,
    io::{self, Read},
};

use linetape::{
    Chunks, Decoder, Error, ErrorKind, Level, Line, Reader, Value,
};

use crate::support::{
    counting::{CALLS, LIVE, PEAK, start},
    json::LEVELS,
};

/// Repeats a stream forever, or for a number of bytes, without allocating.
struct Repeat {
    stream: Vec<u8>,
    at: usize,
    left: u64,
}

impl Repeat {
    fn new(stream: &[u8], left: u64) -> Repeat {
        Repeat { stream: stream.to_vec(), at: 0, left }
    }
}

impl Read for Repeat {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let rest = &self.stream[self.at..];
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let count = rest.len().min(buf.len()).min(left);
        buf[..count].copy_from_slice(&rest[..count]);
        self.at = (self.at + count) % self.stream.len();
        self.left -= count as u64;
        Ok(count)
    }
}

/// Short, long, blank, CRLF and over-long lines, and a bad one.
fn mixture() -> Vec<u8> {
    let mut stream = Vec::new();
    for round in 0..50 {
        stream.extend(b"{\"type\":\"user\",\"message\":\"hello\"}\n");
        stream.extend(b"\n  \t\r\n{\"crlf\":true}\r\n\xFF\xFE bad\n");
        if round % 10 == 0 {
            stream.extend(vec![b'x'; 150_000]); // longer than the buffer
            stream.push(b'\n');
        }
        if round % 25 == 0 {
            stream.extend(vec![b'y'; 1_200_000]); // longer than the limit
            stream.push(b'\n');
        }
    }
    stream
}

const MAX_LINE: usize = 1_000_000;

#[test]
fn a_reader_allocates_nothing_per_line_but_its_error() {
    for skip in [false, true] {
        let source = Repeat::new(&mixture(), u64::MAX);
        let builder = Reader::builder().max_line(MAX_LINE);
        let mut reader = builder.skip_bad_lines(skip).build(source);
        let mut lines = 0;
        // Returns the number of errors.
        let mut run = |count| {
            let mut errors = 0;
            for _ in 0..count {
                match reader.next_line() {
                    Some(Ok(line)) => lines += line.as_bytes().len(),
                    Some(Err(_)) => errors += 1,
                    None => unreachable!("the source never ends"),
                }
            }
            errors
        };
        run(1_000);
        let before = CALLS.get();
        let errors = run(10_000);
        assert_eq!(CALLS.get() - before, errors);
        assert!(lines > 100 * 150_000, "{lines}");
        let bad = reader.stats().errors.total();
        assert!(bad > 100 && (errors == 0) == skip, "{errors} of {bad}");
    }
}

#[test]
fn lines_in_memory_allocate_nothing_but_errors() {
    let stream = mixture();
    let before = CALLS.get();
    let mut lines = Reader::builder().max_line(MAX_LINE).lines(&stream);
    let (mut count, mut errors) = (0, 0);
    while let Some(line) = lines.next_line() {
        count += 1;
        errors += u64::from(line.is_err());
    }
    assert_eq!(CALLS.get() - before, errors);
    assert_eq!((count, errors), (157, 2));
}

#[test]
fn chunks_allocate_per_chunk_and_not_per_line() {
    let chunk = b"{\"type\":\"keep_alive\"}\n".repeat(1000);
    let mut chunks = Chunks::new();
    chunks.push(&b"{}\n"[..]);
    while chunks.next_line().is_some() {}
    let chunk = bytes::Bytes::from(chunk);
    let before = CALLS.get();
    chunks.push(chunk);
    let mut count = 0;
    while let Some(line) = chunks.next_line() {
        count += u64::from(line.is_ok());
    }
    let calls = CALLS.get() - before;
    assert_eq!(count, 1000);
    assert!(calls <= 1, "{calls} for one chunk");
}

/// There is never a newline. The line is discarded, not kept.
#[test]
fn an_endless_line_stays_within_the_bound() {
    const CONSTANT: i64 = 320 << 10;
    for max_line in [1_000, 100_000, 1 << 20, (1 << 20) + 1, 5_000_000] {
        let bound = 2 * max_line as i64 + CONSTANT;
        let endless = 40_000_000;

        let source = Repeat::new(&[b'a'; 4096], endless);
        let before = start();
        let mut reader = Reader::builder().max_line(max_line).build(source);
        let error = reader.next_line().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LineTooLong);
        assert_eq!(error.found(), Some(endless));
        assert!(reader.next_line().is_none());
        let peak = PEAK.get() - before;
        assert!(peak <= bound, "reader: {peak} for {max_line}");
        drop(reader);
    }
}

/// The same for chunks, in sizes that would waste memory if blocks were kept
/// half empty, and with a joined line of just the maximum length.
#[test]
fn chunks_stay_within_the_bound() {
    const CONSTANT: i64 = 400 << 10;
    let plans: [&[usize]; 6] = [
        &[4096],
        &[1],
        &[65_536, 1],
        &[65_536, 100],
        &[1, 65_535],
        &[40_000, 70_000, 7],
    ];
    for plan in plans {
        for max_line in [1_000, 100_000, (1 << 20) + 1] {
            let builder = Reader::builder().max_line(max_line);
            for length in [max_line, 2 * max_line] {
                let before = start();
                let mut chunks = builder.chunks();
                let mut left = length;
                for size in plan.iter().cycle() {
                    let size = (*size).min(left);
                    left -= size;
                    chunks.push(vec![b'a'; size]);
                    assert!(chunks.next_line().is_none());
                    if left == 0 {
                        break;
                    }
                }
                chunks.push("\n");
                let line = chunks.next_line().unwrap();
                assert_eq!(line.is_ok(), length == max_line);
                let peak = PEAK.get() - before;
                let bound = 2 * max_line as i64 + CONSTANT;
                assert!(peak <= bound, "{peak} for {max_line}, {plan:?}");
            }
        }
    }
}

/// The counter in the code shows that bytes are moved at most twice. The
/// allocator must agree: it sees the moves of a growing vector.
#[test]
fn joining_allocates_a_few_times_per_line() {
    let mut chunks = Chunks::new();
    let one = bytes::Bytes::from_static(b"x");
    let before = CALLS.get();
    for _ in 0..1_000_000 {
        chunks.push(one.clone());
        assert!(chunks.next_line().is_none());
    }
    let calls = CALLS.get() - before;
    assert!(calls < 100, "{calls} allocations for 1,000,000 bytes");
}

/// Lines of exactly the maximum length, which must be kept, take no more
/// memory.
#[test]
fn the_longest_lines_stay_within_the_bound() {
    let max_line = 3_000_000;
    let mut stream = vec![b'a'; max_line];
    stream.push(b'\n');
    let bound = 2 * max_line as i64 + (320 << 10);
    let source = Repeat::new(&stream, 10 * stream.len() as u64);
    let before = start();
    let mut reader = Reader::builder().max_line(max_line).build(source);
    let mut count = 0;
    while let Some(line) = reader.next_line() {
        assert_eq!(line.unwrap().as_bytes().len(), max_line);
        count += 1;
    }
    assert_eq!(count, 10);
    let peak = PEAK.get() - before;
    assert!(peak <= bound, "{peak} > {bound}");
}

/// The memory of a giant line is released at once, that of a long line after a
/// while.
#[test]
fn memory_comes_back_after_a_giant_line() {
    for (giant, small) in [(16 << 20, 100), (2 << 20, 10_000)] {
        let mut stream = vec![b'a'; giant];
        stream.push(b'\n');
        for _ in 0..small {
            stream.extend(b"{\"type\":\"keep_alive\"}\n");
        }
        let before = LIVE.get();
        let mut reader = Reader::new(&stream[..]);
        while reader.next_line().is_some() {}
        let kept = LIVE.get() - before;
        assert_eq!(reader.stats().lines, small + 1);
        assert!(kept < 1 << 20, "{kept} bytes kept after {giant}");
    }
}

/// Lines of all kinds: short ones, escapes, a long one, and bad ones.
fn records() -> Vec<u8> {
    let mut stream =
        include_bytes!("../../../crates/cli/sample/session.jsonl").to_vec();
    stream.extend(b"{\"type\":\"user\",\"message\":{\"content\":\"");
    stream.extend(b"tab\\t quote\\\" \\u00e9 \\ud83c\\udf4e \\n".repeat(200));
    stream.extend(b"\"}}\n{\"type\":\"user\",\"big\":\"");
    stream.extend(vec![b'x'; 300_000]);
    stream.extend(b"\"}\n{\"type\":\"us");
    stream.extend(b"\n{\"type\":\"user\",\"type\":\"user\"}\nnoise\n[1]\n");
    stream.extend(b"{\"a\":\"\xFF\"}\n{\"a\":\"\\ud800\"}\n{\"a\":1}{}\n");
    stream.extend(b"{\"TextChunk\":{\"text\":\"a\\nb\",\"session_id\":1}}\n");
    stream
}

/// Reads everything in a value, as each type that a field can have.
fn read(value: Value<'_>) -> usize {
    let number = value.as_u64().is_some()
        | value.as_i64().is_some()
        | value.as_f64().is_some();
    let members = value.as_object().into_iter().flatten();
    let items = value.as_array().into_iter().flatten();
    value.as_str().map_or(0, str::len)
        + usize::from(number | value.as_bool().is_some())
        + members.map(|(key, value)| key.len() + read(value)).sum::<usize>()
        + items.map(read).sum::<usize>()
}

#[test]
fn decoding_and_reading_every_field_allocates_nothing() {
    for skip in [false, true] {
        let source = Repeat::new(&records(), u64::MAX);
        let mut reader = Reader::builder().skip_bad_lines(skip).build(source);
        let mut seen = 0;
        // Returns the number of errors.
        let mut run = |count| {
            let mut errors = 0;
            for _ in 0..count {
                let Some(record) = reader.next_record() else {
                    unreachable!("the source never ends");
                };
                let Ok(record) = record else {
                    errors += 1;
                    continue;
                };
                let message = record.message();
                seen += read(message.value());
                seen += message.kind().name().map_or(0, str::len);
                seen += usize::from(message.session_id().is_some());
                seen += usize::from(message.is_error());
                seen += usize::from(message.is_sidechain());
                seen += message.text().map(str::len).sum::<usize>();
                let tokens =
                    message.usage().and_then(|usage| usage.input_tokens());
                seen += usize::from(tokens.is_some());
                let blocks = message.content_blocks();
                seen += blocks.map(|block| read(block.value())).sum::<usize>();
                seen += record.value().pointer("/message/content/0").is_some()
                    as usize;
            }
            errors
        };
        run(100);
        let before = CALLS.get();
        let errors = run(1_000);
        assert_eq!(CALLS.get() - before, errors);
        let bad = reader.stats().errors.total();
        assert!(seen > 100_000 && bad > 100, "{seen} {bad}");
        assert_eq!(errors == 0, skip);
    }
}

/// Each way to get records, and each way to read one, in a steady state. An
/// error is one allocation.
#[test]
fn no_way_to_read_records_allocates_per_line() {
    type Read = fn(Line<'_>) -> Result<usize, Error>;
    let ways: [(&str, Read); 4] = [
        ("decode", |line| line.decode().map(|record| read(record.value()))),
        ("peek", |line| line.peek().map(|m| read(m.value()))),
        ("check", |line| line.check().map(|()| 1)),
        ("kind", |line| line.kind().map(|_| 1)),
    ];
    let stream = records().repeat(20);
    let chunk = bytes::Bytes::from(stream.clone());
    for (way, read) in ways {
        let (mut seen, errors) = (0, Cell::new(0));
        let mut add = |line: Result<Line<'_>, Error>| match line.and_then(read)
        {
            Ok(found) => seen += found,
            Err(_) => errors.set(errors.get() + 1),
        };
        // The allocations that are no errors.
        let others = || CALLS.get() - errors.get();
        let mut lines = linetape::lines(&stream);
        let mut on = |count| {
            (0..count).for_each(|_| add(lines.next_line().unwrap()));
        };
        on(100);
        let before = others();
        on(200);
        assert_eq!(others() - before, 0, "lines, {way}");

        for (level, salvage) in LEVELS
            .into_iter()
            .flat_map(|level| [(level, false), (level, true)])
        {
            let builder = Reader::builder().level(level).salvage(salvage);
            let mut reader = builder.build(Repeat::new(&records(), u64::MAX));
            let mut on = |count| {
                (0..count).for_each(|_| add(reader.next_line().unwrap()));
            };
            on(100);
            let before = others();
            on(200);
            let calls = others() - before;
            assert_eq!(calls, 0, "{level:?}, salvage {salvage}, {way}");
        }

        let mut decoder = Decoder::new();
        let mut chunks = Chunks::new();
        let mut calls = 0;
        for _ in 0..3 {
            let before = others();
            chunks.push(chunk.clone());
            while let Some(line) = chunks.next_line() {
                add(Ok(line.unwrap().line(&mut decoder)));
            }
            calls = others() - before;
        }
        assert!(calls <= 1, "{calls} for one chunk, {way}");
        assert!(seen > 1_000 && errors.get() > 100, "{seen}");
    }
}

/// A duplicate key made its object be read again, and with it all nested
/// objects, which did the same: a line of less than a megabyte took a minute.
#[cfg(feature = "messages")]
#[test]
fn duplicate_keys_cost_no_more_at_any_depth() {
    let calls_at = |depth: usize| {
        let mut line = r#"{"type":"user","message":{"content":["#.to_string();
        for _ in 0..depth {
            line += r#"{"type":"tool_result","q":1,"q":2,"tool_use_id":"a",
                "tool_use_id":"b","content":["#;
        }
        line += &vec![r#"{"k":1}"#; 2_000].join(",");
        line += &"]}".repeat(depth);
        line += "]}}";
        let mut decoder = linetape::Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let before = CALLS.get();
        let message = record.into_owned();
        let view = CALLS.get() - before;
        let json = serde_json::from_str::<serde_json::Value>(&line).unwrap();
        let before = CALLS.get();
        let again: linetape::owned::Message =
            serde_json::from_value(json).unwrap();
        assert_eq!(message, again);
        (view, CALLS.get() - before)
    };
    let (shallow, deep) = (calls_at(5), calls_at(50));
    assert!(deep.0 < shallow.0 * 3 / 2, "{shallow:?} {deep:?}");
    assert!(deep.1 < shallow.1 * 3 / 2, "{shallow:?} {deep:?}");
}

/// Everything that keeps memory releases it: buffers, blocks of chunks, the
/// tape, and the arena of peeked lines.
#[test]
fn every_way_of_reading_gives_memory_back() {
    const GIANT: usize = 6 << 20;
    let string = format!(r#""{}""#, r"\n".repeat(GIANT / 2));
    let array = format!("[{}0]", "10,".repeat(GIANT / 3));
    let small = "{\"type\":\"keep_alive\"}\n".repeat(5_000);
    let read = |line: Line<'_>| {
        let value = line.peek().unwrap().value();
        assert!(value.get("a").is_none_or(|a| !a.is_null()));
        assert!(line.check().is_ok() && line.decode().is_ok());
    };
    for giant in [string, array] {
        let stream = format!("{{\"a\":{giant}}}\n{small}");
        for salvage in [false, true] {
            let before = LIVE.get();
            let builder =
                Reader::builder().level(Level::Kind).salvage(salvage);
            let mut reader = builder.build(stream.as_bytes());
            while let Some(line) = reader.next_line() {
                read(line.unwrap());
            }
            let kept = LIVE.get() - before;
            assert_eq!(reader.stats().lines, 5_001);
            assert!(kept < 1 << 20, "reader: {kept} bytes kept");
        }
        let before = LIVE.get();
        let mut decoder = Decoder::new();
        let mut chunks = Chunks::new();
        for piece in stream.as_bytes().chunks(50_000) {
            chunks.push(piece.to_vec());
            while let Some(line) = chunks.next_line() {
                read(line.unwrap().line(&mut decoder));
            }
        }
        let kept = LIVE.get() - before;
        assert_eq!(chunks.stats().lines, 5_001);
        assert!(kept < 1 << 20, "chunks: {kept} bytes kept");
    }
}

/// A writer releases the memory of a giant record when it writes the next one.
#[cfg(feature = "messages")]
#[test]
fn writing_gives_memory_back() {
    let giant = format!("{{\"a\":\"{}\"}}", "x".repeat(20 << 20));
    let json: serde_json::Value = serde_json::from_str(&giant).unwrap();
    let before = LIVE.get();
    let mut writer = linetape::Writer::new(std::io::sink());
    writer.write_line(giant.as_bytes()).unwrap();
    writer.write_value(&json).unwrap();
    assert!(LIVE.get() - before > 20 << 20);
    writer.write_line(b"{}").unwrap();
    let kept = LIVE.get() - before;
    assert!(kept <= 4 << 20, "{kept} bytes kept");
}
