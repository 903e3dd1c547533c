//! Ways to split bytes into lines.
//!
//! `memchr` and `read+memchr` are the bare loops that linetape is built on:
//! the least that any splitter can cost. Every engine counts the same lines.

use std::{
    hint::black_box,
    io::{BufRead, BufReader, Read},
};

use bstr::io::BufReadExt;
use linetape::Reader;
use memchr::memchr;

const CAPACITY: usize = 128 << 10;

/// What an engine answers: the number of lines, and of bytes in them.
pub type Answer = (u64, u64);

fn bare_memchr(bytes: &[u8]) -> Answer {
    let (mut lines, mut size, mut rest) = (0, 0, bytes);
    while let Some(at) = memchr(b'\n', rest) {
        lines += 1;
        size += black_box(&rest[..at]).len() as u64;
        rest = &rest[at + 1..];
    }
    (lines, size)
}

fn lines(bytes: &[u8]) -> Answer {
    let (mut count, mut size) = (0, 0);
    let mut lines = linetape::lines(bytes);
    while let Some(Ok(line)) = lines.next_line() {
        count += 1;
        size += black_box(line.as_bytes()).len() as u64;
    }
    (count, size)
}

/// The loop that people write by hand: one buffer, the partial line moved to
/// the front, each byte searched once.
fn bare_read(mut source: impl Read) -> Answer {
    let (mut lines, mut size) = (0, 0);
    let mut buffer = vec![0; CAPACITY];
    let (mut start, mut end) = (0, 0);
    loop {
        if start > 0 {
            buffer.copy_within(start..end, 0);
            end -= start;
            start = 0;
        }
        if end == buffer.len() {
            buffer.resize(2 * end, 0);
        }
        let read = source.read(&mut buffer[end..]).unwrap();
        if read == 0 {
            return (lines, size);
        }
        let mut scanned = end;
        end += read;
        while let Some(at) = memchr(b'\n', &buffer[scanned..end]) {
            let line = &buffer[start..scanned + at];
            lines += 1;
            size += black_box(line).len() as u64;
            start = scanned + at + 1;
            scanned = start;
        }
    }
}

fn reader(source: impl Read) -> Answer {
    let (mut count, mut size) = (0, 0);
    let mut reader = Reader::builder().buffer_capacity(CAPACITY).build(source);
    while let Some(Ok(line)) = reader.next_line() {
        count += 1;
        size += black_box(line.as_bytes()).len() as u64;
    }
    (count, size)
}

fn read_until(source: impl Read) -> Answer {
    let (mut lines, mut size, mut line) = (0, 0, vec![]);
    let mut source = BufReader::with_capacity(CAPACITY, source);
    while source.read_until(b'\n', &mut line).unwrap() > 0 {
        lines += 1;
        size += black_box(&line[..line.len() - 1]).len() as u64;
        line.clear();
    }
    (lines, size)
}

fn bstr_lines(source: impl Read) -> Answer {
    let (mut lines, mut size) = (0, 0);
    let source = BufReader::with_capacity(CAPACITY, source);
    let each = |line: &[u8]| {
        lines += 1;
        size += black_box(line).len() as u64;
        Ok(true)
    };
    { source }.for_byte_line(each).unwrap();
    (lines, size)
}

/// Engines take the bytes as a slice, and read from it as from a source.
pub type Engine = (&'static str, fn(&[u8]) -> Answer);

pub const ENGINES: &[Engine] = &[
    ("memchr", bare_memchr),
    ("lines", lines),
    ("read+memchr", |bytes| bare_read(bytes)),
    ("Reader", |bytes| reader(bytes)),
    ("read_until", |bytes| read_until(bytes)),
    ("bstr", |bytes| bstr_lines(bytes)),
];
