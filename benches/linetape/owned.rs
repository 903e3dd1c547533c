//! Making owned messages of lines. The result is their number.

use std::hint::black_box;

use criterion::Criterion;
use linetape::{Decoder, Reader, owned};

use crate::{Job, data::Data};

const JOBS: &[Job<usize>] = &[
    ("into_owned", |data| {
        let mut count = 0;
        let mut reader = Reader::new(&data.bytes[..]);
        while let Some(record) = reader.next_record() {
            black_box(record.unwrap().into_owned());
            count += 1;
        }
        count
    }),
    ("into_messages", |data| {
        let mut count = 0;
        for message in Reader::new(&data.bytes[..]).into_messages() {
            black_box(message.unwrap());
            count += 1;
        }
        count
    }),
    ("checked_into_owned", |data| {
        let mut count = 0;
        let mut lines = linetape::lines(&data.bytes);
        while let Some(line) = lines.next_line() {
            let message = line.unwrap().checked().unwrap();
            black_box(message.into_owned().unwrap());
            count += 1;
        }
        count
    }),
    ("serde_json_same_types", |data| {
        let mut count = 0;
        for line in data.lines() {
            let message: owned::Message =
                serde_json::from_slice(line).unwrap();
            black_box(message);
            count += 1;
        }
        count
    }),
];

pub fn step(c: &mut Criterion) {
    crate::step(c, "owned", expected, JOBS);
}

/// Owned messages contain everything in the lines, however they are made.
fn expected(data: &Data) -> usize {
    for (message, value) in data.messages().iter().zip(data.values()) {
        let message = serde_json::to_value(message).unwrap();
        assert!(message == *value, "{message} is not {value}");
    }
    let mut decoder = Decoder::new();
    for (line, message) in data.lines().zip(data.messages()) {
        let decoded = decoder.decode(line).unwrap().into_owned();
        assert!(decoded == *message, "{decoded:?} is not {message:?}");
        let peeked = decoder.line(line).peek().unwrap().into_owned().unwrap();
        assert!(peeked == *message, "{peeked:?} is not {message:?}");
        let read: owned::Message = serde_json::from_slice(line).unwrap();
        assert!(read == *message, "{read:?} is not {message:?}");
    }
    data.messages().len()
}
