//! Reading lines without decoding them.

use criterion::Criterion;
use linetape::{Level, Line, Lines, Projection, Reader};

use crate::{
    Job,
    data::Data,
    decode::{expected_strings, strings},
};

/// The result is the sum of the lengths of all types and subtypes.
const KINDS: &[Job<(usize, usize)>] = &[
    ("kind", |data| kinds(linetape::lines(&data.bytes))),
    ("route", |data| {
        kinds(Reader::builder().level(Level::Kind).lines(&data.bytes))
    }),
    ("reader_route", |data| {
        let mut answer = (0, 0);
        let builder = Reader::builder().level(Level::Kind);
        let mut reader = builder.build(&data.bytes[..]);
        while let Some(line) = reader.next_line() {
            add(&mut answer, &line.unwrap());
        }
        answer
    }),
];

fn kinds(mut lines: Lines<'_>) -> (usize, usize) {
    let mut answer = (0, 0);
    while let Some(line) = lines.next_line() {
        add(&mut answer, &line.unwrap());
    }
    answer
}

fn add((names, subtypes): &mut (usize, usize), line: &Line<'_>) {
    let kind = line.kind().unwrap();
    *names += kind.name().map_or(0, str::len);
    *subtypes += kind.subtype().map_or(0, str::len);
}

/// The result is the sum of the output tokens of assistant messages.
const TOKENS: &[Job<u64>] = &[
    ("projected", |data| {
        let paths = Projection::new(["/message/usage/output_tokens"]);
        let mut lines = linetape::lines(&data.bytes);
        let mut sum = 0;
        while let Some(line) = lines.next_line() {
            let found = line.unwrap().projected(&paths).unwrap().at(0);
            sum += found.and_then(|n| n.as_u64()).unwrap_or(0);
        }
        sum
    }),
    ("pointer", |data| {
        let mut lines =
            Reader::builder().level(Level::Peek).lines(&data.bytes);
        let mut sum = 0;
        while let Some(line) = lines.next_line() {
            let line = line.unwrap();
            let value = line.peek().unwrap().value();
            let tokens = value.pointer("/message/usage/output_tokens");
            sum += tokens.and_then(|n| n.as_u64()).unwrap_or(0);
        }
        sum
    }),
];

/// The result is the sum of all bytes of all strings.
const STRINGS: &[Job<u64>] = &[("strings", |data| {
    let mut lines = Reader::builder().level(Level::Peek).lines(&data.bytes);
    let mut sum = 0;
    while let Some(line) = lines.next_line() {
        sum += strings(line.unwrap().peek().unwrap().value());
    }
    sum
})];

/// The result is the number of valid lines.
const CHECKS: &[Job<usize>] = &[("check", |data| {
    let mut lines = Reader::builder().level(Level::Check).lines(&data.bytes);
    let mut good = 0;
    while let Some(line) = lines.next_line() {
        good += usize::from(line.unwrap().check().is_ok());
    }
    good
})];

pub fn step(c: &mut Criterion) {
    crate::step(c, "peek", expected_kinds, KINDS);
    crate::step(c, "peek", expected_tokens, TOKENS);
    crate::step(c, "peek", all_strings, STRINGS);
    crate::step(c, "peek", |data| data.values().len(), CHECKS);
}

fn expected_kinds(data: &Data) -> (usize, usize) {
    let sum = |key: &str| {
        let values = data.values().iter();
        values.map(|value| value[key].as_str().map_or(0, str::len)).sum()
    };
    (sum("type"), sum("subtype"))
}

fn expected_tokens(data: &Data) -> u64 {
    let values = data.values().iter();
    let tokens = |value: &serde_json::Value| {
        let tokens = &value["message"]["usage"]["output_tokens"];
        tokens.as_u64().unwrap_or(0)
    };
    values.map(tokens).sum()
}

fn all_strings(data: &Data) -> u64 {
    data.values().iter().map(expected_strings).sum()
}
