//! Promises about the public types that no other test would notice breaking.

use std::fs::File;

use linetape::{
    BytesLine, Chunks, Error, ErrorKind, Limits, Position, Reader,
    ReaderBuilder, Splitter, Stats, Step,
};

fn send_and_static<T: Send + 'static>() {}
fn sync<T: Sync>() {}

#[test]
fn what_may_cross_threads() {
    send_and_static::<BytesLine>();
    send_and_static::<Chunks>();
    send_and_static::<Error>();
    send_and_static::<Reader<File>>();
    send_and_static::<ReaderBuilder>();
    send_and_static::<Splitter>();
    send_and_static::<Stats>();
    sync::<BytesLine>();
    sync::<Error>();
}

#[test]
fn small_types_stay_small() {
    assert!(size_of::<Step>() <= 48);
    assert!(size_of::<Position>() <= 16);
    assert!(size_of::<Limits>() <= 24);
    assert!(size_of::<Error>() <= 80);
}

#[test]
fn a_missing_file_says_why() {
    let error = Reader::from_path("no/such/file").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(!error.is_recoverable());
    let source = error.io_error().map(std::io::Error::kind);
    assert_eq!(source, Some(std::io::ErrorKind::NotFound));
    let back = std::io::Error::from(error);
    assert_eq!(back.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn a_limit_over_the_cap_means_the_cap() {
    let limits = Limits { max_line: usize::MAX };
    let mut chunks = Chunks::with_limits(limits);
    chunks.push("{}\n");
    assert!(chunks.next_line().unwrap().is_ok());
    assert!(Limits::MAX_LINE_CAP < u32::MAX as usize - 64);
}

#[test]
fn reading_a_file_by_its_path() {
    let path = std::env::temp_dir()
        .join(format!("linetape-api-{}.jsonl", std::process::id()));
    std::fs::write(&path, "{}\n\n{\"a\":1}\n").unwrap();
    let mut reader = Reader::from_path(&path).unwrap();
    let mut numbers = vec![];
    while let Some(line) = reader.next_line() {
        numbers.push(line.unwrap().number());
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(numbers, [1, 3]);
}
