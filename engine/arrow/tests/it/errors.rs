//! Lines that cannot be read.

use arrow_array::RecordBatch;
use linetape::{Error, ReaderBuilder};
use linetape_arrow::{Batches, OnError, Options, Table};

use crate::{
    logs::{self, Folder, MIXED},
    rows::text,
};

#[test]
fn bad_lines_are_rows_or_skipped_or_fatal() {
    for (on_error, rows) in [(OnError::Row, 10), (OnError::Skip, 7)] {
        let options = Options { on_error, ..Options::default() };
        let reader = options.reader.build(MIXED.as_bytes());
        let mut batches = Batches::new(reader, "log", Table::Lines, &options);
        let found: usize =
            batches.by_ref().map(|batch| batch.unwrap().num_rows()).sum();
        assert_eq!(found, rows, "{on_error:?}");
        assert_eq!(batches.bad_lines(), 3);
    }
    let options = Options { on_error: OnError::Fail, ..Options::default() };
    for table in Table::ALL {
        let reader = options.reader.build(MIXED.as_bytes());
        let mut batches = Batches::new(reader, "log", table, &options);
        let error = batches.next().unwrap().unwrap_err();
        assert!(error.to_string().contains("line 3"), "{error}");
        assert!(batches.next().is_none());
    }
}

/// Also if no column needs the line to be read.
#[test]
fn bad_lines_are_fatal_with_every_projection() {
    let options = Options { on_error: OnError::Fail, ..Options::default() };
    let log = "{\"type\":\"user\",\"message\":{\"content\":[1,,2]}}\n";
    for columns in [&[][..], &[0], &[7], &[13]] {
        let reader = options.reader.build(log.as_bytes());
        let batches = Batches::new(reader, "log", Table::Lines, &options);
        let mut batches = batches.columns(columns).unwrap();
        assert!(batches.next().unwrap().is_err(), "{columns:?}");
    }
}

#[test]
fn a_line_that_is_too_long_is_a_row_and_reading_goes_on() {
    let log = format!("{{}}\n{{\"a\":\"{}\"}}\n{{}}\n", "x".repeat(100));
    let reader = ReaderBuilder::new().max_line(50);
    let options = Options { reader, ..Options::default() };
    let batch = logs::read(log.as_bytes(), Table::Lines, &options);
    assert_eq!(batch.num_rows(), 3);
    assert_eq!(text(&batch, "error", 1), Some("line_too_long"));
    assert_eq!(crate::rows::int(&batch, "offset", 1), Some(3));
    assert_eq!(crate::rows::int(&batch, "length", 1), Some(108));
}

#[test]
fn a_truncated_archive_is_a_row_after_its_lines() {
    let folder = Folder::new();
    let log = "{\"type\":\"user\"}\n".repeat(20_000);
    let mut packed = zstd::encode_all(log.as_bytes(), 0).unwrap();
    packed.pop();
    let path = folder.write("a.jsonl.zst", packed);
    let batches =
        Batches::open(&path, Table::Lines, &Options::default()).unwrap();
    let batch = logs::joined(batches);
    let last = batch.num_rows() - 1;
    assert_eq!(text(&batch, "error", last), Some("decompress"));
}

#[test]
fn an_error_of_the_source_is_never_a_row() {
    struct Broken;

    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is on fire"))
        }
    }

    for on_error in [OnError::Row, OnError::Skip, OnError::Fail] {
        let options = Options { on_error, ..Options::default() };
        let reader = options.reader.build(Broken);
        let mut batches = Batches::new(reader, "log", Table::Lines, &options);
        let error = batches.next().unwrap().unwrap_err();
        assert!(error.to_string().contains("on fire"), "{error}");
        assert!(batches.next().is_none());
    }
}

/// A long id in a line with many blocks would otherwise take terabytes.
#[test]
fn a_line_whose_rows_would_fill_the_memory_is_an_error() {
    let id = "x".repeat(100_000);
    let blocks = vec![r#"{"type":"text"}"#; 10_000].join(",");
    let log = format!(
        "{{\"type\":\"user\",\"session_id\":\"{id}\",\"message\":{{\
         \"content\":[{blocks}]}}}}\n"
    );
    let options = Options::default();
    let reader = options.reader.build(log.as_bytes());
    let batches = Batches::new(reader, "log", Table::Blocks, &options);
    let results: Vec<Result<RecordBatch, _>> = batches.collect();
    let error = results.last().unwrap().as_ref().unwrap_err();
    assert!(error.to_string().contains("256 MiB"), "{error}");
}

/// 2^53 - 1 is the largest count; a larger one could make a sum overflow.
#[test]
fn counts_out_of_range_are_null() {
    let counts =
        ["9007199254740991", "9007199254740992", "18446744073709551615", "-1"];
    let mut found = vec![];
    for count in counts {
        let log = format!(
            "{{\"type\":\"assistant\",\"message\":{{\"usage\":{{\
             \"output_tokens\":{count}}}}}}}\n"
        );
        let batch =
            logs::read(log.as_bytes(), Table::Lines, &Options::default());
        found.push(crate::rows::int(&batch, "output_tokens", 0));
    }
    assert_eq!(found, [Some(9_007_199_254_740_991), None, None, None]);
}

#[test]
fn unknown_names_are_refused() {
    let error: Error = "message".parse::<Table>().unwrap_err();
    assert!(error.to_string().contains("no table `message`"), "{error}");
    let options = Options::default();
    let reader = options.reader.build(&b""[..]);
    let batches = Batches::new(reader, "log", Table::Lines, &options);
    assert!(batches.columns(&[1000]).is_err());
}
