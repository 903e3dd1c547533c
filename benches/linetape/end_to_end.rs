//! From a file to a result: the lines by type, as an ordered list.

use std::{collections::BTreeMap, env, fs, path::PathBuf, process};

use criterion::Criterion;
use linetape::{Kind, Level, Reader};

use crate::{Job, data::Data};

type Answer = Vec<(String, usize)>;

const JOBS: &[Job<Answer>] = &[
    ("decode", |data| {
        let mut kinds = Kinds::default();
        let mut reader = Reader::from_path(path(data)).unwrap();
        while let Some(record) = reader.next_record() {
            kinds.count(record.unwrap().kind());
        }
        kinds.answer()
    }),
    ("route", |data| {
        let mut kinds = Kinds::default();
        let builder = Reader::builder().level(Level::Kind);
        let mut reader = builder.open(path(data)).unwrap();
        while let Some(line) = reader.next_line() {
            kinds.count(line.unwrap().kind().unwrap());
        }
        kinds.answer()
    }),
];

#[derive(Default)]
struct Kinds(BTreeMap<String, usize>);

impl Kinds {
    fn count(&mut self, kind: Kind<'_>) {
        let name = kind.name().unwrap_or_default();
        match self.0.get_mut(name) {
            Some(count) => *count += 1,
            None => _ = self.0.insert(name.to_owned(), 1),
        }
    }

    fn answer(self) -> Answer {
        self.0.into_iter().collect()
    }
}

/// The path of the file of a data set.
fn path(data: &Data) -> PathBuf {
    let name = format!("linetape-bench-{}-{}", process::id(), data.name);
    env::temp_dir().join(name)
}

/// Removes the files at the end, even after a panic.
struct Files;

impl Drop for Files {
    fn drop(&mut self) {
        for data in crate::data::sets() {
            let _ = fs::remove_file(path(data));
        }
    }
}

pub fn step(c: &mut Criterion) {
    let _files = Files;
    for data in crate::data::sets() {
        fs::write(path(data), &data.bytes).unwrap();
    }
    crate::step(c, "end_to_end", expected, JOBS);
}

fn expected(data: &Data) -> Answer {
    let mut kinds = BTreeMap::new();
    for value in data.values() {
        let name = value["type"].as_str().unwrap_or_default();
        *kinds.entry(name.to_owned()).or_insert(0) += 1;
    }
    kinds.into_iter().collect()
}
