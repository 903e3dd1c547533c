//! Decoding lines. The result is the number of lines, and the sum of all bytes
//! of all strings in them, so that all of each line must be read.

use criterion::Criterion;
use linetape::{Decoder, Reader, Value};

use crate::{Job, data::Data};

type Answer = (usize, u64);

const JOBS: &[Job<Answer>] = &[
    ("reader", |data| {
        let mut answer = (0, 0);
        let mut reader = Reader::new(&data.bytes[..]);
        while let Some(record) = reader.next_record() {
            add(&mut answer, record.unwrap().value());
        }
        answer
    }),
    ("lines", |data| {
        let mut answer = (0, 0);
        let mut lines = linetape::lines(&data.bytes);
        while let Some(record) = lines.next_record() {
            add(&mut answer, record.unwrap().value());
        }
        answer
    }),
    ("decoder", |data| {
        let mut answer = (0, 0);
        let mut decoder = Decoder::new();
        for line in data.lines() {
            add(&mut answer, decoder.decode(line).unwrap().value());
        }
        answer
    }),
];

fn add((lines, sum): &mut Answer, value: Value<'_>) {
    *lines += 1;
    *sum += strings(value);
}

/// All strings, including keys.
pub fn strings(value: Value<'_>) -> u64 {
    if let Some(text) = value.as_str() {
        return bytes_of(text);
    }
    if let Some(object) = value.as_object() {
        let members = object.iter();
        return members.map(|(k, v)| bytes_of(k) + strings(v)).sum();
    }
    value.as_array().map_or(0, |array| array.iter().map(strings).sum())
}

pub fn expected_strings(json: &serde_json::Value) -> u64 {
    match json {
        serde_json::Value::String(text) => bytes_of(text),
        serde_json::Value::Array(items) => {
            items.iter().map(expected_strings).sum()
        }
        serde_json::Value::Object(members) => {
            let member =
                |(k, v): (&String, _)| bytes_of(k) + expected_strings(v);
            members.iter().map(member).sum()
        }
        _ => 0,
    }
}

/// The length and all byte values, so that unescaping cannot be skipped.
fn bytes_of(text: &str) -> u64 {
    let sum: u64 = text.bytes().map(u64::from).sum();
    sum + text.len() as u64
}

pub fn step(c: &mut Criterion) {
    let expected = |data: &Data| {
        let values = data.values();
        (values.len(), values.iter().map(expected_strings).sum())
    };
    crate::step(c, "decode", expected, JOBS);
}
