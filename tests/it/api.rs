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
    assert!(size_of::<Error>() <= 96);
}

#[test]
fn a_missing_file_says_why() {
    let error = Reader::from_path("no/such/file").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(!error.is_recoverable());
    let source = error.io_error().map(std::io::Error::kind);
    assert_eq!(source, Some(std::io::ErrorKind::NotFound));
    let shown = error.to_string();
    assert!(shown.starts_with("cannot open no/such/file: "), "{shown}");
    let back = std::io::Error::from(error);
    assert_eq!(back.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn the_limits_are_those_of_the_documentation() {
    let limits = Limits::default();
    assert_eq!(limits.max_line, 64 << 20);
    assert_eq!(limits.max_depth, 128);
    assert_eq!(limits.max_nodes, 8 << 20);
    assert!(Limits::MAX_LINE_CAP < u32::MAX as usize - 64);
}

/// A buffer of this size could not be allocated, let alone with its padding.
#[test]
fn an_absurd_buffer_is_cut_to_size() {
    let mut reader = Reader::builder()
        .buffer_capacity(usize::MAX)
        .max_line(usize::MAX)
        .build(&b"{}\n"[..]);
    assert_eq!(reader.next_line().unwrap().unwrap().as_bytes(), b"{}");
}

#[test]
fn debug_output_does_not_print_the_log() {
    let log = b"{\"secret\":1}\n".repeat(1000);
    let mut reader = Reader::new(&b"{\"secret\":1}\n{}\n"[..]);
    reader.next_line();
    let mut chunks = Chunks::new();
    chunks.push(log.clone());
    let lines = linetape::lines(&log);
    // The source of a reader is the caller's to print.
    let reader = format!("{reader:?}").replace("[]", "");
    for shown in [reader, format!("{chunks:?}"), format!("{lines:?}")] {
        assert!(shown.len() < 1000 && !shown.contains("secret"), "{shown}");
    }
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
    assert_eq!(numbers, [1, 3]);

    let mut reader = Reader::builder().max_line(2).open(&path).unwrap();
    assert!(reader.next_line().unwrap().is_ok());
    let error = reader.next_line().unwrap().unwrap_err();
    assert_eq!(error.limit(), Some(2), "the builder's settings hold");
    std::fs::remove_file(&path).unwrap();
}
