//! Ways to decode lines and look at what they say.
//!
//! Three jobs: `kind` counts records by type and subtype, `text` visits every
//! string, `own` turns every line into an owned message. Every engine of a
//! job gives the same answer.

use std::hint::black_box;

use linetape::{Reader, Value, owned};
use memchr::memchr;
use simd_json::{Buffers, Node, Tape, fill_tape_padded};

/// The answer: a sum over all records that depends on all of the work.
pub type Answer = u64;

pub type Engine = (&'static str, fn(&[u8]) -> Answer);

pub const KIND: &[Engine] = &[
    ("bare tape", |bytes| bare_tape(bytes, tape_kind)),
    ("linetape", |bytes| {
        let mut sum = 0;
        let mut reader = Reader::new(bytes);
        while let Some(record) = reader.next_record() {
            let record = record.unwrap();
            let kind = record.kind();
            sum += weigh(kind.name(), kind.subtype());
        }
        sum
    }),
    ("serde_json Value", |bytes| {
        each_line(bytes, |line| {
            let json: serde_json::Value =
                serde_json::from_slice(line).unwrap();
            weigh(json["type"].as_str(), json["subtype"].as_str())
        })
    }),
    ("simd-json BorrowedValue", |bytes| {
        let mut buffers = Buffers::new(1 << 20);
        let mut copy = vec![];
        each_line(bytes, |line| {
            use simd_json::prelude::*;
            copy.clear();
            copy.extend_from_slice(line);
            let json = simd_json::to_borrowed_value_with_buffers(
                &mut copy,
                &mut buffers,
            );
            let json = json.unwrap();
            let get = |key: &str| json.get(key).and_then(|v| v.as_str());
            weigh(get("type"), get("subtype"))
        })
    }),
];

pub const TEXT: &[Engine] = &[
    ("bare tape", |bytes| bare_tape(bytes, tape_text)),
    ("linetape", |bytes| {
        let mut sum = 0;
        let mut reader = Reader::new(bytes);
        while let Some(record) = reader.next_record() {
            sum += strings(record.unwrap().value());
        }
        sum
    }),
    ("serde_json Value", |bytes| {
        each_line(bytes, |line| {
            serde_strings(&serde_json::from_slice(line).unwrap())
        })
    }),
    ("simd-json BorrowedValue", |bytes| {
        let mut buffers = Buffers::new(1 << 20);
        let mut copy = vec![];
        each_line(bytes, |line| {
            copy.clear();
            copy.extend_from_slice(line);
            let json = simd_json::to_borrowed_value_with_buffers(
                &mut copy,
                &mut buffers,
            );
            simd_strings(&json.unwrap())
        })
    }),
];

pub const OWN: &[Engine] = &[
    ("linetape", |bytes| {
        let reader = Reader::new(bytes);
        reader.into_messages().map(|m| own(&m.unwrap())).sum()
    }),
    ("serde_json, same types", |bytes| {
        each_line(bytes, |line| own(&serde_json::from_slice(line).unwrap()))
    }),
    ("serde_json Value", |bytes| {
        each_line(bytes, |line| {
            let json: serde_json::Value =
                serde_json::from_slice(line).unwrap();
            black_box(&json);
            1
        })
    }),
];

fn own(message: &owned::Message) -> u64 {
    black_box(message);
    1
}

fn each_line(bytes: &[u8], mut job: impl FnMut(&[u8]) -> u64) -> u64 {
    let (mut sum, mut rest) = (0, bytes);
    while let Some(at) = memchr(b'\n', rest) {
        sum += job(&rest[..at]);
        rest = &rest[at + 1..];
    }
    sum
}

/// simd-json with nothing around it: each line is parsed where it stands. The
/// copy of the whole input stands for the reading that others do.
fn bare_tape(bytes: &[u8], job: fn(&[Node<'_>]) -> u64) -> u64 {
    let mut copy = Vec::with_capacity(bytes.len() + 64);
    copy.extend_from_slice(bytes);
    copy.resize(bytes.len() + 64, 0);
    let mut buffers = Buffers::new(1 << 20);
    let mut tape = Tape(Vec::new());
    let (mut sum, mut at) = (0, 0);
    while let Some(length) = memchr(b'\n', &copy[at..bytes.len()]) {
        let mut filled = tape.reset();
        fill_tape_padded(&mut copy[at..], length, &mut buffers, &mut filled)
            .unwrap();
        sum += job(&filled.0);
        tape = filled.reset();
        at += length + 1;
    }
    sum
}

fn tape_kind(nodes: &[Node<'_>]) -> u64 {
    let (mut name, mut subtype) = (None, None);
    let mut at = 1;
    while let (Some(Node::String(key)), Some(value)) =
        (nodes.get(at), nodes.get(at + 1))
    {
        let text =
            if let Node::String(text) = value { Some(*text) } else { None };
        match *key {
            "type" => name = text,
            "subtype" => subtype = text,
            _ => {}
        }
        at += match value {
            Node::Object { count, .. } | Node::Array { count, .. } => {
                2 + count
            }
            _ => 2,
        };
    }
    weigh(name, subtype)
}

/// Keys and values alike.
fn tape_text(nodes: &[Node<'_>]) -> u64 {
    let mut sum = 0;
    for node in nodes {
        if let Node::String(text) = node {
            sum += bytes_of(text);
        }
    }
    sum
}

fn strings(value: Value<'_>) -> u64 {
    if let Some(text) = value.as_str() {
        return bytes_of(text);
    }
    if let Some(object) = value.as_object() {
        let members = object.iter();
        return members.map(|(k, v)| bytes_of(k) + strings(v)).sum();
    }
    value.as_array().map_or(0, |array| array.iter().map(strings).sum())
}

fn serde_strings(json: &serde_json::Value) -> u64 {
    match json {
        serde_json::Value::String(text) => bytes_of(text),
        serde_json::Value::Array(items) => {
            items.iter().map(serde_strings).sum()
        }
        serde_json::Value::Object(members) => {
            members.iter().map(|(k, v)| bytes_of(k) + serde_strings(v)).sum()
        }
        _ => 0,
    }
}

fn simd_strings(json: &simd_json::BorrowedValue<'_>) -> u64 {
    match json {
        simd_json::BorrowedValue::String(text) => bytes_of(text),
        simd_json::BorrowedValue::Array(items) => {
            items.iter().map(simd_strings).sum()
        }
        simd_json::BorrowedValue::Object(members) => {
            members.iter().map(|(k, v)| bytes_of(k) + simd_strings(v)).sum()
        }
        _ => 0,
    }
}

/// The length and all byte values, so that nobody can skip the unescaping.
fn bytes_of(text: &str) -> u64 {
    let sum: u64 = text.bytes().map(u64::from).sum();
    sum + text.len() as u64
}

fn weigh(name: Option<&str>, subtype: Option<&str>) -> u64 {
    let weigh = |text: Option<&str>| text.map_or(1, bytes_of);
    weigh(name) * 3 + weigh(subtype)
}
