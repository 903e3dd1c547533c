//! Parquet files.

use std::fs::File;

use arrow_array::RecordBatchReader;
use linetape_arrow::{
    Batches, Options, ParquetTable, ParquetWriter, SCHEMA_VERSION, Table,
    write_parquet,
};
use parquet::{
    arrow::ArrowWriter,
    file::{metadata::KeyValue, properties::WriterProperties},
};

use crate::logs::{self, Folder};

#[test]
fn a_file_has_the_rows_that_were_written() {
    let folder = Folder::new();
    for (name, log) in logs::all() {
        for table in Table::ALL {
            let expected = logs::read(&log, table, &Options::default());
            let path = folder.0.join(format!("{name}.parquet"));
            let options = Options::default();
            let reader = options.reader.build(&log[..]);
            let batches = Batches::new(reader, "log", table, &options);
            let file = File::create(&path).unwrap();
            let rows = write_parquet(batches, Some(table), file).unwrap();
            assert_eq!(rows as usize, expected.num_rows());
            let read = ParquetTable::open(File::open(&path).unwrap()).unwrap();
            assert_eq!(read.table(), table);
            assert_eq!(read.schema_version(), SCHEMA_VERSION);
            assert_eq!(logs::joined(read), expected, "{table} of {name}");
        }
    }
}

/// A file of an older version has fewer columns.
#[test]
fn columns_that_a_file_does_not_have_are_null() {
    let folder = Folder::new();
    let log = b"{\"type\":\"user\",\"uuid\":\"u1\"}\n";
    let options = Options::default();
    let columns = [0, 1, 2, 7];
    let batches = Batches::new(
        options.reader.build(&log[..]),
        "log",
        Table::Lines,
        &options,
    );
    let batches = batches.columns(&columns).unwrap();
    let path = folder.0.join("old.parquet");
    let file = File::create(&path).unwrap();
    write_parquet(batches, Some(Table::Lines), file).unwrap();
    let read = ParquetTable::open(File::open(&path).unwrap()).unwrap();
    assert_eq!(read.schema(), Table::Lines.schema());
    let batch = logs::joined(read);
    assert_eq!(crate::rows::text(&batch, "type", 0), Some("user"));
    assert_eq!(crate::rows::text(&batch, "uuid", 0), None);
}

#[test]
fn files_of_others_and_of_newer_versions_are_refused() {
    let folder = Folder::new();
    let path = folder.0.join("other.parquet");
    let schema = Table::Lines.schema();
    let file = File::create(&path).unwrap();
    ParquetWriter::new(schema, None, file).unwrap().finish().unwrap();
    let error = ParquetTable::open(File::open(&path).unwrap()).unwrap_err();
    assert!(error.to_string().contains("which table"), "{error}");
    let with_version = |version: &str| {
        let facts =
            [("linetape.table", "lines"), ("linetape.schema", version)];
        let facts = facts.map(|(key, value)| {
            KeyValue::new(key.to_string(), value.to_string())
        });
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(facts.to_vec()))
            .build();
        let file = File::create(&path).unwrap();
        let schema = Table::Lines.schema();
        let writer = ArrowWriter::try_new(file, schema, Some(properties));
        writer.unwrap().close().unwrap();
        ParquetTable::open(File::open(&path).unwrap())
    };
    // Text that is no version was taken for a known one.
    let next = (SCHEMA_VERSION + 1).to_string();
    for version in [&next, "abc", "0", ""] {
        let error = with_version(version).unwrap_err().to_string();
        let why = format!("version {version} of the schema");
        assert!(error.contains(&why), "{error}");
    }
    for version in 1..=SCHEMA_VERSION {
        let read = with_version(&version.to_string()).unwrap();
        assert_eq!(read.table(), Table::Lines);
        assert_eq!(read.schema_version(), version);
    }
    let path = folder.write("no.parquet", "PAR1 and nothing else");
    assert!(ParquetTable::open(File::open(path).unwrap()).is_err());
}
