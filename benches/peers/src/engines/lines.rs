//! Finding lines, in memory and in a source.
//!
//! The two loops over memchr are the basis of linetape, and its lower bound.

use std::io::Read;

use linetape::Reader;
use memchr::memchr;

use super::{Engine, split::lines};
use crate::jobs::{Job, Tally};

/// The buffer size of all engines that read from a source.
const CAPACITY: usize = 128 << 10;

pub const ENGINES: &[Engine] = &[
    Engine::peer("memchr loop", Job::Lines, |data, tally| {
        lines(data).for_each(|line| tally.found(line));
    }),
    Engine::peer("read and memchr loop", Job::Lines, |data, tally| {
        read_and_search(data.bytes(), tally);
    }),
    Engine::ours("linetape lines", Job::Lines, |data, tally| {
        let mut lines = linetape::lines(data.bytes());
        while let Some(line) = lines.next_line() {
            match line {
                Ok(line) => tally.found(line.as_bytes()),
                Err(_) => tally.fail(1),
            }
        }
    }),
    Engine::ours("linetape Reader", Job::Lines, |data, tally| {
        let builder = Reader::builder().buffer_capacity(CAPACITY);
        let mut reader = builder.build(data.bytes());
        while let Some(line) = reader.next_line() {
            match line {
                Ok(line) => tally.found(line.as_bytes()),
                Err(_) => tally.fail(1),
            }
        }
    }),
];

/// A typical handwritten loop: one buffer, whose rest is moved to the front,
/// and each byte is searched once.
fn read_and_search(mut source: impl Read, tally: &mut Tally) {
    let mut buffer = vec![0; CAPACITY];
    let (mut start, mut end) = (0, 0);
    loop {
        buffer.copy_within(start..end, 0);
        (start, end) = (0, end - start);
        if end == buffer.len() {
            buffer.resize(2 * end, 0);
        }
        let mut searched = end;
        match source.read(&mut buffer[end..]) {
            Ok(0) | Err(_) => return,
            Ok(read) => end += read,
        }
        while let Some(at) = memchr(b'\n', &buffer[searched..end]) {
            tally.found(&buffer[start..searched + at]);
            start = searched + at + 1;
            searched = start;
        }
    }
}
