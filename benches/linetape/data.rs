//! The data sets: one of each generated shape, and real logs if there are any.

use std::{
    env, fs,
    path::PathBuf,
    sync::{LazyLock, OnceLock},
};

use linetape::{Reader, owned};
use linetape_generate::{Shape, generate};
use serde_json::Value;

pub struct Data {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    values: OnceLock<Vec<Value>>,
    messages: OnceLock<Vec<owned::Message>>,
}

impl Data {
    fn new(name: &'static str, bytes: Vec<u8>) -> Data {
        let (values, messages) = (OnceLock::new(), OnceLock::new());
        Data { name, bytes, values, messages }
    }

    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let ended = self.bytes.split_inclusive(|byte| *byte == b'\n');
        ended.map(|line| line.strip_suffix(b"\n").unwrap_or(line))
    }

    /// The lines as read by serde_json, for the expected results.
    pub fn values(&self) -> &[Value] {
        self.values.get_or_init(|| {
            let read = |line| serde_json::from_slice(line).unwrap();
            self.lines().map(read).collect()
        })
    }

    /// The lines as read by linetape.
    pub fn messages(&self) -> &[owned::Message] {
        self.messages.get_or_init(|| {
            let messages = Reader::new(&self.bytes[..]).into_messages();
            messages.map(Result::unwrap).collect()
        })
    }
}

static SETS: LazyLock<Vec<Data>> = LazyLock::new(|| {
    let made = Shape::ALL.map(|shape| {
        let size = match shape {
            // One of its lines has 8 MB.
            Shape::Pathological => 16 << 20,
            Shape::Tiny => 1 << 20,
            _ => 4 << 20,
        };
        Data::new(shape.name(), generate(shape, 1, size))
    });
    let mut sets = Vec::from(made);
    match (real("transcripts"), real("stream-json")) {
        (Some(transcripts), Some(stream)) => {
            sets.push(Data::new("real_transcripts", transcripts));
            sets.push(Data::new("real_stream", stream));
        }
        _ => eprintln!("no real logs: LINETAPE_CORPUS is not there"),
    }
    sets
});

pub fn sets() -> &'static [Data] {
    &SETS
}

/// Returns the files of one folder of the corpus, in order, as one stream.
fn real(folder: &str) -> Option<Vec<u8>> {
    let corpus = env::var_os("LINETAPE_CORPUS").map(PathBuf::from);
    let corpus = corpus.unwrap_or_else(|| PathBuf::from("../shared/corpus"));
    let entries = fs::read_dir(corpus.join(folder)).ok()?;
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut stream = vec![];
    for path in paths {
        stream.extend(fs::read(path).ok()?);
        if stream.last() != Some(&b'\n') {
            stream.push(b'\n');
        }
    }
    (!stream.is_empty()).then_some(stream)
}
