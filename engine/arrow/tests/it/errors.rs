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
        // It is no line that could not be read.
        assert_eq!(batches.bad_lines(), 0);
    }
}

/// A long id in a line with many blocks would otherwise take terabytes. It was
/// the end of the query, whatever `on_error` said, with up to 256 MiB of rows.
#[test]
fn a_line_whose_rows_would_fill_the_memory_is_a_bad_line() {
    let id = "x".repeat(100_000);
    let blocks = vec![r#"{"type":"text"}"#; 10_000].join(",");
    let good = r#"{"type":"user","message":{"content":"a"}}"#;
    let hostile = format!(
        "{{\"type\":\"user\",\"session_id\":\"{id}\",\"message\":{{\
         \"content\":[{blocks}]}}}}"
    );
    let log = format!("{good}\n{hostile}\n{good}\n");
    for on_error in [OnError::Row, OnError::Skip] {
        let options = Options { on_error, ..Options::default() };
        let reader = options.reader.build(log.as_bytes());
        let mut batches = Batches::new(reader, "log", Table::Blocks, &options);
        let rows: Vec<RecordBatch> =
            batches.by_ref().map(Result::unwrap).collect();
        let offsets: Vec<_> = rows
            .iter()
            .flat_map(|batch| {
                let rows = 0..batch.num_rows();
                rows.map(|row| crate::rows::int(batch, "offset", row))
            })
            .collect();
        let last = good.len() + hostile.len() + 2;
        assert_eq!(offsets, [Some(0), Some(last as i64)]);
        assert_eq!(batches.bad_lines(), 1);
    }
    let options = Options { on_error: OnError::Fail, ..Options::default() };
    let reader = options.reader.build(log.as_bytes());
    let batches = Batches::new(reader, "log", Table::Blocks, &options);
    let results: Vec<Result<RecordBatch, _>> = batches.collect();
    let error = results.last().unwrap().as_ref().unwrap_err().to_string();
    let why = "line 2 (byte 42): the rows of this line have too much text";
    assert!(error.contains(why), "{error}");
}

/// The text of one line may be in its rows several times, however long it is.
#[test]
fn a_long_line_with_several_long_blocks_is_read() {
    let text = "x".repeat(20 << 20);
    let block = format!(r#"{{"type":"text","text":"{text}"}}"#);
    let log = format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":[{block},{block},\
         {block}]}}}}\n"
    );
    let options = Options::default();
    let reader = options.reader.build(log.as_bytes());
    let batches = Batches::new(reader, "log", Table::Blocks, &options);
    let rows: usize = batches.map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(rows, 3);
}

/// 2^53 - 1 is the largest count. A larger one was NULL, and nothing said that
/// the sum lacks it.
#[test]
fn counts_out_of_range_are_null_and_counted() {
    let counts =
        ["9007199254740991", "9007199254740992", "18446744073709551615", "-1"];
    let line = |count: &str| {
        format!(
            "{{\"type\":\"assistant\",\"message\":{{\"usage\":{{\
             \"output_tokens\":{count}}}}}}}\n"
        )
    };
    let log: String = counts.into_iter().map(line).collect();
    for table in [Table::Lines, Table::UsageLines] {
        let read = |on_error| {
            let options = Options { on_error, ..Options::default() };
            let reader = options.reader.build(log.as_bytes());
            let mut batches = Batches::new(reader, "log", table, &options);
            let rows: Result<Vec<RecordBatch>, _> = batches.by_ref().collect();
            (rows, batches.bad_lines())
        };
        let (rows, bad_lines) = read(OnError::Row);
        let batch = &rows.unwrap()[0];
        let found: Vec<_> = (0..4)
            .map(|row| crate::rows::int(batch, "output_tokens", row))
            .collect();
        let largest = Some(9_007_199_254_740_991);
        assert_eq!(found, [largest, None, None, None]);
        assert_eq!(bad_lines, 2, "{table}");
        let (rows, bad_lines) = read(OnError::Skip);
        let rows: usize = rows.unwrap().iter().map(|b| b.num_rows()).sum();
        assert_eq!((rows, bad_lines), (2, 2), "{table}");
        let why = read(OnError::Fail).0.unwrap_err().to_string();
        assert!(why.contains("line 2 (byte 76): a count is"), "{why}");
    }
}

/// The sum of the parts stood for a sum that is too large.
#[test]
fn a_count_that_is_too_large_is_not_replaced_by_its_parts() {
    let log = r#"{"type":"assistant","message":{"usage":{"cache_creation_input_tokens":9007199254740992,"cache_creation":{"ephemeral_5m_input_tokens":1}}}}"#;
    let batch =
        logs::read(log.as_bytes(), Table::UsageLines, &Options::default());
    let column = "cache_creation_input_tokens";
    assert_eq!(crate::rows::int(&batch, column, 0), None);
    let column = "ephemeral_5m_input_tokens";
    assert_eq!(crate::rows::int(&batch, column, 0), Some(1));
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
