//! Finding lines. The result is their number, and the sum of their lengths.

use std::hint::black_box;

use bytes::Bytes;
use criterion::Criterion;
use linetape::{Chunks, Reader};
use memchr::memchr_iter;

use crate::Job;

type Answer = (usize, usize);

const JOBS: &[Job<Answer>] = &[
    // The lower bound: a search, and nothing else.
    ("memchr", |data| {
        let mut answer = (0, 0);
        let mut start = 0;
        for at in memchr_iter(b'\n', &data.bytes) {
            count(&mut answer, &data.bytes[start..at]);
            start = at + 1;
        }
        answer
    }),
    ("lines", |data| {
        let mut answer = (0, 0);
        let mut lines = linetape::lines(&data.bytes);
        while let Some(line) = lines.next_line() {
            count(&mut answer, line.unwrap().as_bytes());
        }
        answer
    }),
    ("reader", |data| {
        let mut answer = (0, 0);
        let mut reader = Reader::new(&data.bytes[..]);
        while let Some(line) = reader.next_line() {
            count(&mut answer, line.unwrap().as_bytes());
        }
        answer
    }),
    ("chunks", |data| {
        let mut answer = (0, 0);
        let mut chunks = Chunks::new();
        for chunk in data.bytes.chunks(64 << 10) {
            chunks.push(Bytes::copy_from_slice(chunk));
            while let Some(line) = chunks.next_line() {
                count(&mut answer, line.unwrap().as_bytes());
            }
        }
        chunks.finish();
        while let Some(line) = chunks.next_line() {
            count(&mut answer, line.unwrap().as_bytes());
        }
        answer
    }),
];

fn count((lines, bytes): &mut Answer, line: &[u8]) {
    *lines += 1;
    *bytes += black_box(line).len();
}

pub fn step(c: &mut Criterion) {
    let expected = |data: &crate::data::Data| {
        let lengths = data.lines().map(<[u8]>::len);
        (data.lines().count(), lengths.sum())
    };
    crate::step(c, "split", expected, JOBS);
}
