//! Writing lines into memory.

use criterion::Criterion;
use linetape::{Reader, Writer, owned};

use crate::{Job, data::Data};

/// The result is the written text.
const VERBATIM: &[Job<Vec<u8>>] = &[("verbatim", |data| {
    let mut writer = writer(data);
    for line in data.lines() {
        writer.write_line(line).unwrap();
    }
    writer.into_inner().unwrap()
})];

/// The result is the number of written lines.
const WRITTEN: &[Job<usize>] = &[
    ("owned", |data| {
        let mut writer = writer(data);
        for message in data.messages() {
            writer.write_value(message).unwrap();
        }
        lines(writer)
    }),
    ("decoded", |data| lines(decoded(data))),
];

fn decoded(data: &Data) -> Writer<Vec<u8>> {
    let mut writer = writer(data);
    let mut reader = Reader::new(&data.bytes[..]);
    while let Some(record) = reader.next_record() {
        writer.write_value(&record.unwrap().value()).unwrap();
    }
    writer
}

fn writer(data: &Data) -> Writer<Vec<u8>> {
    Writer::new(Vec::with_capacity(data.bytes.len() * 5 / 4))
}

fn lines(writer: Writer<Vec<u8>>) -> usize {
    let written = writer.into_inner().unwrap();
    memchr::memchr_iter(b'\n', &written).count()
}

pub fn step(c: &mut Criterion) {
    crate::step(c, "write", |data| data.bytes.clone(), VERBATIM);
    crate::step(c, "write", expected, WRITTEN);
}

/// The written records equal those that were read.
fn expected(data: &Data) -> usize {
    let mut writer = writer(data);
    for message in data.messages() {
        writer.write_value(message).unwrap();
    }
    check(data, &writer.into_inner().unwrap());
    check(data, &decoded(data).into_inner().unwrap());
    data.messages().len()
}

fn check(data: &Data, written: &[u8]) {
    let again = Reader::new(written).into_messages();
    let again: Vec<owned::Message> = again.map(Result::unwrap).collect();
    assert!(again == data.messages(), "{}", data.name);
}
