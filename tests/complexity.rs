//! Time and memory are linear in the input. The allocator counts memory.
//! valgrind counts instructions: `ci/complexity.sh` runs the ignored test for
//! that.
#![cfg(feature = "messages")]

#[path = "support/adversaries.rs"]
mod adversaries;
#[allow(dead_code)] // this binary uses a part of it
#[path = "support/counting.rs"]
mod counting;

use std::{
    hint::black_box,
    io::{self, Read},
};

use adversaries::ADVERSARIES;
use counting::{CALLS, peak_of};
use linetape::{
    Chunks, Decoder, Level, Line, Projection, Reader, ReaderBuilder, Value,
    Writer,
};
use linetape_session::{Deltas, Tree, Turns, UsageTotals, check::Checker};

/// A way of reading a stream.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    /// Returns a part of the result.
    read: fn(&[u8]) -> usize,
    /// The maximum memory in bytes per byte of the stream.
    most: usize,
}

const fn way(
    name: &'static str,
    most: usize,
    read: fn(&[u8]) -> usize,
) -> Way {
    Way { name, read, most }
}

/// The first of [`WAYS`] that decodes.
const DECODE: usize = 7;

const WAYS: [Way; 12] = [
    way("Reader, 1 byte", 3, |stream| {
        let mut reader = reader().build(OneByte(stream));
        lines(&mut reader, |line| line.as_bytes().len())
    }),
    way("Chunks, 1 byte", 34, |stream| {
        let (mut chunks, mut decoder) = (Chunks::new(), Decoder::new());
        let mut found = 0;
        for byte in stream {
            chunks.push(vec![*byte]);
            while let Some(line) = chunks.next_line() {
                let line = line.unwrap();
                found += usize::from(line.line(&mut decoder).kind().is_ok());
            }
        }
        found
    }),
    way("route, 1 byte", 34, |stream| {
        let mut reader = reader().level(Level::Kind).build(OneByte(stream));
        lines(&mut reader, |line| usize::from(line.kind().is_ok()))
    }),
    way("peek", 35, |stream| lines(&mut reader().build(stream), look_at)),
    way("skim", 35, |stream| lines(&mut reader().build(stream), skim)),
    way("strings", 35, |stream| {
        let mut reader = reader().build(stream);
        lines(&mut reader, |line| line.strings().map_or(0, Iterator::count))
    }),
    way("check", 3, |stream| {
        let mut reader = reader().build(stream);
        lines(&mut reader, |line| usize::from(line.check().is_ok()))
    }),
    way("decode", 37, |stream| {
        let (mut reader, mut found) = (reader().build(stream), 0);
        while let Some(record) = reader.next_record() {
            found += record.map_or(1, |record| everything(record.value()));
        }
        found
    }),
    way("salvage", 37, |stream| {
        let mut reader = reader().salvage(true).build(stream);
        let mut found = 0;
        while let Some(record) = reader.next_record() {
            found += 1 + usize::from(record.is_ok());
        }
        found
    }),
    way("owned", 160, |stream| {
        let mut reader = reader().build(stream);
        let mut writer = Writer::new(vec![]);
        while let Some(record) = reader.next_record() {
            let Ok(record) = record else { continue };
            let message = record.into_owned();
            writer.write_value(&message.clone()).unwrap();
        }
        writer.into_inner().unwrap().len()
    }),
    way("session", 37, sessions),
    way("unique keys", 160, |stream| {
        let builder = reader().reject_duplicate_keys(true);
        lines(&mut builder.build(stream), |line| {
            usize::from(line.check().is_ok())
        })
    }),
];

/// A small buffer, so that its initial size does not affect the ratios.
fn reader() -> ReaderBuilder {
    Reader::builder().buffer_capacity(4 << 10)
}

/// A source that returns one byte at a time.
struct OneByte<'a>(&'a [u8]);

impl Read for OneByte<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = buf.len().min(1);
        self.0.read(&mut buf[..count])
    }
}

fn lines<R: Read>(
    reader: &mut Reader<R>,
    look: impl Fn(Line<'_>) -> usize,
) -> usize {
    let mut found = 0;
    while let Some(line) = reader.next_line() {
        found += line.map_or(1, &look);
    }
    found
}

/// Calls every method of a line that is not decoded.
fn look_at(line: Line<'_>) -> usize {
    let paths = Projection::new(["/type", "/message/content/0/text", "/a"]);
    let mut found = usize::from(line.projected(&paths).is_ok());
    if let Ok(message) = line.peek() {
        found += everything(message.value());
        found += message.text().map(str::len).sum::<usize>();
        found += message.content_blocks().count();
        message.visit(|_| found += 1);
    }
    found
}

/// Reads a line up to some answers.
fn skim(line: Line<'_>) -> usize {
    let paths = Projection::new(["/type", "/message/content/0/text", "/a"]);
    let found = line.skim().projected(&paths);
    usize::from(found.is_ok()) + usize::from(line.skim().kind().is_ok())
}

/// Reads every key and every string.
fn everything(value: Value<'_>) -> usize {
    let mut found = value.as_str().map_or(1, str::len);
    for (key, value) in value.as_object().into_iter().flatten() {
        found += key.len() + everything(value);
    }
    for item in value.as_array().into_iter().flatten() {
        found += everything(item);
    }
    found
}

/// Runs the analyses of linetape-session.
fn sessions(stream: &[u8]) -> usize {
    let (mut tree, mut turns) = (Tree::new(), Turns::new());
    let (mut totals, mut checker) = (UsageTotals::new(), Checker::new());
    let (mut deltas, mut found) = (Deltas::new(), 0);
    let mut reader = reader().build(stream);
    while let Some(record) = reader.next_record() {
        let Ok(record) = record else { continue };
        let (message, position) = (record.message(), record.position());
        tree.add(message, position);
        turns.add(message, position);
        totals.add(message);
        checker.add(message, position);
        found += usize::from(deltas.add(message).unwrap().is_some());
    }
    found += tree.depth_first().count() + tree.active_branch().len();
    found += totals.by_model().len() + totals.by_tool().len();
    found + turns.turns().count() + checker.finish().len()
}

/// Twice the input makes twice the allocations, and a few more because hash
/// tables grow in steps. The peak is limited per byte.
fn memory_is_linear(ways: &[Way]) {
    const SIZE: usize = 64 << 10;
    // The initial size of buffers and arenas.
    const CONSTANT: usize = 200 << 10;
    for (adversary, stream) in ADVERSARIES {
        let streams = [stream(SIZE), stream(2 * SIZE)];
        for Way { name, read, most } in ways {
            let [once, twice] = streams.each_ref().map(|stream| {
                let before = CALLS.get();
                let peak = peak_of(|| {
                    black_box(read(stream));
                });
                let bound = most * stream.len() + CONSTANT;
                let told = format!("{adversary}, {name}: {peak} of {bound}");
                assert!(peak <= bound as i64, "{told}");
                CALLS.get() - before
            });
            let told = format!("{adversary}, {name}: {once}, {twice}");
            assert!(twice <= once * 23 / 10 + 50, "{told}");
        }
    }
}

// Two tests, so that they run side by side.

#[test]
fn memory_of_reading_grows_no_faster_than_the_input() {
    memory_is_linear(&WAYS[..DECODE]);
}

#[test]
fn memory_of_decoding_grows_no_faster_than_the_input() {
    memory_is_linear(&WAYS[DECODE..]);
}

/// valgrind writes its counters to a file whenever this is called.
#[inline(never)]
fn complexity_mark() {
    black_box(());
}

/// Prints one line for each pair of marks, with the name of the measured case.
#[test]
#[ignore = "counts nothing without valgrind: see ci/complexity.sh"]
fn every_adversary_every_way() {
    // Both sizes are well between the steps in which buffers grow.
    const SIZE: usize = 200_000;
    for (adversary, stream) in ADVERSARIES {
        for Way { name: way, read, .. } in WAYS {
            for times in [1, 2] {
                let stream = stream(times * SIZE);
                complexity_mark();
                let found = black_box(read(black_box(&stream)));
                complexity_mark();
                let size = stream.len();
                println!("case\t{adversary}\t{way}\t{size}\t{found}");
            }
        }
    }
}
