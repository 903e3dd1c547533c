//! Data that outlives its line: owned messages and lines, and written records.

use linetape::{Decoder, Reader, Writer, owned};
use serde_json::Value as Json;

use crate::{
    oracle::{input::Input, render::is_dangerous},
    support::{
        differences::{is_same, is_same_but_minus_zero, json},
        framing::InPieces,
        json::same_value,
    },
};

/// Asserts that a view, an owned message, the message of an owned line and a
/// message that serde_json deserializes are the same.
pub fn owned(line: &[u8]) {
    let mut decoder = Decoder::new();
    if decoder.decode(line).is_err() {
        // Only a checked line can be owned.
        assert!(decoder.line(line).to_owned_line().is_err());
        return;
    }
    let record = decoder.decode(line).unwrap();
    let shown = format!("{:?}", record.message());
    let from_view = record.message().into_owned().unwrap();
    let value = json(record.value());
    let from_record = record.into_owned();
    assert_eq!(from_view, from_record);
    let looked_at = decoder.line(line);
    assert_eq!(looked_at.peek().unwrap().into_owned().unwrap(), from_record);

    let line_kept = decoder.line(line).to_owned_line().unwrap();
    assert_eq!(format!("{:?}", line_kept.message()), shown);
    let mut other = Decoder::new();
    let record = other.decode(line).unwrap();
    same_value(line_kept.value(), record.value());
    assert_eq!(line_kept.kind(), record.kind());
    let from_kept = line_kept.clone().message().into_owned().unwrap();
    assert_eq!(from_kept, from_record);

    let copy = from_record.clone();
    drop(from_record);
    assert_eq!(copy, from_view);
    // The depth limit of serde_json is one level lower.
    let Ok(theirs) = serde_json::from_slice::<Json>(line) else { return };
    assert!(is_same_but_minus_zero(&value, &theirs), "{value}: {theirs}");
    if is_same(&value, &theirs) {
        let theirs: owned::Message = serde_json::from_slice(line).unwrap();
        assert_eq!(theirs, from_view);
    }
}

/// Asserts that records are the same after writing and reading, and that each
/// is one line, without terminal escape sequences and without characters that
/// other programs treat as line ends.
pub fn roundtrip(data: &[u8]) {
    let mut input = Input::of(data);
    let (plan, capacity) = input.plan();
    let mut reader = Reader::new(input.text);
    let mut writer = Writer::new(vec![]);
    let (mut messages, mut values) = (vec![], vec![]);
    while let Some(record) = reader.next_record() {
        let Ok(record) = record else { continue };
        let value = json(record.value());
        // A value can be written directly, or as an owned message.
        if input.byte() & 1 == 0 {
            writer.write_value(&record.value()).unwrap();
        } else {
            writer
                .write_value(&record.message().into_owned().unwrap())
                .unwrap();
        }
        values.push(value);
        messages.push(record.into_owned());
    }
    let position = writer.position();
    let written = writer.into_inner().unwrap();
    assert_eq!(position.line(), messages.len() as u64 + 1);
    assert_eq!(position.byte(), written.len() as u64);
    let newlines = written.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(newlines, messages.len(), "a line for each");
    assert!(matches!(written.last(), None | Some(b'\n')));
    let text = std::str::from_utf8(&written).unwrap();
    assert!(!text.contains(|c| c != '\n' && is_dangerous(c)), "{text:?}");

    let pieces = InPieces::new(&written, &plan);
    let mut again = Reader::builder().buffer_capacity(capacity).build(pieces);
    for (message, value) in messages.iter().zip(&values) {
        let record = again.next_record().unwrap().unwrap();
        let found = json(record.value());
        assert!(is_same(&found, value), "{found} was {value}");
        assert_eq!(record.into_owned(), *message);
        let theirs: Json = serde_json::to_value(message).unwrap();
        assert!(is_same(&theirs, value), "{theirs} was {value}");
    }
    assert!(again.next_record().is_none());
}
