//! Real logs, if there are any: every line decodes, has a known type, and
//! survives a round trip through owned messages.
#![cfg(feature = "messages")]

use std::fs;

use linetape::{Decoder, ErrorKind, Message, Reader, Writer, owned};
use serde_json::Value as Json;

use crate::support::{
    json::show,
    logs::{corpus, corpus_of, files},
};

#[test]
fn every_line_decodes_and_is_known() {
    let Some(corpus) = corpus() else { return };
    let logs = ["transcripts", "stream-json"].map(|name| corpus.join(name));
    for (file, log) in logs.into_iter().flat_map(|at| files(at, "json")) {
        let mut reader = Reader::new(&log[..]);
        while let Some(record) = reader.next_record() {
            let record = record.unwrap_or_else(|e| panic!("{file:?} {e}"));
            let is_known = !matches!(record.message(), Message::Unknown(_));
            assert!(is_known, "{}", record.kind());
        }
    }
}

#[test]
fn every_line_survives_the_way_through_owned() {
    let logs = ["transcripts", "stream-json"].map(corpus_of);
    for (_, log) in logs.into_iter().flatten() {
        let mut reader = Reader::new(&log[..]);
        let mut writer = Writer::new(vec![]);
        let mut lines: Vec<Json> = vec![];
        while let Some(record) = reader.next_record() {
            let record = record.unwrap();
            let line = record.raw().unwrap();
            let json: Json = serde_json::from_slice(line).unwrap();
            assert_eq!(serde_json::to_value(record.value()).unwrap(), json);
            let parsed: owned::Message = serde_json::from_slice(line).unwrap();
            let position = record.position();
            let message = record.into_owned();
            assert_eq!(message, parsed, "{position}: {}", show(line));
            writer.write_value(&message).unwrap();
            lines.push(json);
        }
        let written = writer.into_inner().unwrap();
        let again = serde_json::Deserializer::from_slice(&written);
        let again: Result<Vec<Json>, _> = again.into_iter().collect();
        assert!(again.unwrap() == lines);
        let count = written.iter().filter(|&&b| b == b'\n').count();
        assert_eq!(count, lines.len());
    }
}

/// Six real lines that each contain two records.
#[test]
fn spliced_lines_are_trailing_data() {
    let Some(corpus) = corpus() else { return };
    let bytes = fs::read(corpus.join("spliced-lines.jsonl")).unwrap();
    let mut lines = linetape::lines(&bytes);
    let mut decoder = Decoder::new();
    let mut count = 0;
    while let Some(line) = lines.next_line() {
        let line = line.unwrap();
        let (start, text) = (line.offset(), line.as_bytes().to_vec());
        let error = line.decode().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TrailingData);
        // Both halves are records: the error is at the start of the second
        // one.
        let at = (error.position().byte() - start) as usize;
        let (first, second) = text.split_at(at);
        decoder.decode(first).unwrap();
        decoder.decode(second).unwrap();
        count += 1;
    }
    assert_eq!(count, 6);
}
