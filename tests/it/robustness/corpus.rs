//! Real logs, if there are any: every line decodes, has a known type, and
//! survives a round trip through owned messages.
#![cfg(feature = "messages")]

use std::{collections::BTreeMap, fs, path::PathBuf};

use linetape::{Decoder, ErrorKind, Message, Reader, Writer, owned};
use serde_json::Value as Json;

use crate::support::{
    json::show,
    logs::{corpus, corpus_of},
};

/// Types in real logs that linetape reads as `Unknown`.
const UNKNOWN: &[&str] = &[];

/// Returns the files of a folder of the corpus.
fn files(folder: &str) -> Vec<PathBuf> {
    let Some(corpus) = corpus() else { return vec![] };
    let entries = fs::read_dir(corpus.join(folder)).unwrap();
    let mut files: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn every_line_decodes_and_is_known() {
    let mut unknown = BTreeMap::<String, u64>::new();
    for file in files("transcripts").into_iter().chain(files("stream-json")) {
        let mut reader = Reader::from_path(&file).unwrap();
        while let Some(record) = reader.next_record() {
            let record = record.unwrap_or_else(|e| panic!("{file:?} {e}"));
            if let Message::Unknown(_) = record.message() {
                *unknown.entry(record.kind().to_string()).or_default() += 1;
            }
        }
        assert_eq!(reader.stats().errors.total(), 0);
    }
    println!("unknown: {unknown:?}");
    for kind in unknown.keys() {
        assert!(UNKNOWN.contains(&kind.as_str()), "{kind} is not known");
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
        let mut count = 0;
        for (line, json) in written.split(|&b| b == b'\n').zip(&lines) {
            let again: Json = serde_json::from_slice(line).unwrap();
            assert_eq!(&again, json, "{}", show(line));
            count += 1;
        }
        assert_eq!(count, lines.len());
        assert_eq!(written.iter().filter(|&&b| b == b'\n').count(), count);
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
