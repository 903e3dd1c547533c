//! Any cut of a log into ranges gives the same rows.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use linetape_arrow::{Batches, LogReader, Options, Table};

use crate::logs::{self, Folder, MIXED};

/// All columns but `line`, which is not known in a range.
fn columns(table: Table) -> Vec<usize> {
    let schema = table.schema();
    let all = 0..schema.fields().len();
    all.filter(|index| schema.field(*index).name() != "line").collect()
}

fn whole(path: &std::path::Path, table: Table) -> RecordBatch {
    let batches = Batches::open(path, table, &Options::default()).unwrap();
    logs::joined(batches.columns(&columns(table)).unwrap())
}

fn in_ranges(
    path: &std::path::Path,
    table: Table,
    ends: &[u64],
) -> RecordBatch {
    let mut parts = vec![];
    let mut start = 0;
    for end in ends {
        let range = start..*end;
        let options = Options::default();
        let batches = Batches::open_range(path, range, table, &options);
        let batches = batches.unwrap().columns(&columns(table)).unwrap();
        parts.push(logs::joined(batches));
        start = *end;
    }
    let schema = parts[0].schema();
    concat_batches(&schema, &parts).unwrap()
}

#[test]
fn every_cut_in_two_gives_the_same_rows() {
    let folder = Folder::new();
    let path = folder.write("mixed.jsonl", MIXED);
    for table in Table::ALL {
        let expected = whole(&path, table);
        assert!(expected.num_rows() >= 4);
        for cut in 0..=MIXED.len() as u64 {
            let found = in_ranges(&path, table, &[cut, u64::MAX]);
            assert_eq!(found, expected, "{table} at {cut}");
        }
    }
}

#[test]
fn many_ranges_give_the_same_rows() {
    let folder = Folder::new();
    for (name, log) in logs::all() {
        let path = folder.write(&name, &log);
        for table in Table::ALL {
            let expected = whole(&path, table);
            let size = log.len() as u64;
            let step = (size / 50).max(1);
            let mut ends: Vec<u64> = (1..50).map(|n| n * step).collect();
            ends.push(u64::MAX);
            let found = in_ranges(&path, table, &ends);
            assert_eq!(found, expected, "{table} of {name}");
        }
    }
}

#[test]
fn a_compressed_file_is_in_the_range_of_its_first_byte() {
    let folder = Folder::new();
    let plain = folder.write("a.jsonl", MIXED);
    let mut gzip =
        flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    gzip.write_all(MIXED.as_bytes()).unwrap();
    let zstd = zstd::encode_all(MIXED.as_bytes(), 0).unwrap();
    let packed = [
        folder.write("b.jsonl.gz", gzip.finish().unwrap()),
        folder.write("c.jsonl.zst", zstd),
    ];
    let expected = whole(&plain, Table::Lines);
    for path in packed {
        let found = in_ranges(&path, Table::Lines, &[1, 50, u64::MAX]);
        assert_eq!(found.num_rows(), expected.num_rows());
        // All columns but the name of the file.
        assert_eq!(found.columns()[1..], expected.columns()[1..]);
    }
}

#[test]
fn batches_are_bounded_in_rows_and_bytes() {
    let log = "{\"type\":\"user\",\"message\":{\"content\":\"0123456789\"}}\n"
        .repeat(100);
    for (rows, bytes) in [(1, 1 << 20), (7, 1 << 20), (8192, 500), (0, 0)] {
        let options = Options {
            batch_rows: rows,
            batch_bytes: bytes,
            ..Options::default()
        };
        let reader = options.reader.build(log.as_bytes());
        let batches = Batches::new(reader, "log", Table::Lines, &options);
        let sizes: Vec<usize> =
            batches.map(|batch| batch.unwrap().num_rows()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 100);
        assert!(sizes.iter().all(|size| *size <= rows.max(1)), "{sizes:?}");
        if bytes == 500 {
            assert!(sizes.iter().all(|size| *size < 10), "{sizes:?}");
        }
    }
}

#[test]
fn one_line_with_many_blocks_is_several_batches() {
    let block = r#"{"type":"text","text":"x"}"#;
    let blocks = vec![block; 1000].join(",");
    let log = format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":[{blocks}]}}}}\n"
    );
    let options = Options { batch_rows: 300, ..Options::default() };
    let reader = options.reader.build(log.as_bytes());
    let batches = Batches::new(reader, "log", Table::Blocks, &options);
    let sizes: Vec<usize> =
        batches.map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(sizes, [300, 300, 300, 100]);
}

#[test]
fn a_folder_is_read_in_the_order_of_its_files() {
    let folder = Folder::new();
    folder.write("a-b/x.jsonl", "{\"type\":\"user\"}\n");
    folder.write("a/x.jsonl", MIXED);
    folder.write("a/x.txt", "no log\n");
    let logs =
        LogReader::open(&[&folder.0], Table::Lines, &Options::default());
    let batch = logs::joined(logs.unwrap().columns(&[0]).unwrap());
    assert_eq!(batch.num_rows(), 11);
    let first = crate::rows::text(&batch, "file", 0).unwrap();
    assert!(first.ends_with("a/x.jsonl"), "{first}");
    let empty = Folder::new();
    let error =
        LogReader::open(&[&empty.0], Table::Lines, &Options::default());
    let why = error.unwrap_err().to_string();
    assert!(why.contains("no *.jsonl or *.ndjson files"), "{why}");
}
