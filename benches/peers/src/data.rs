//! The data that the engines run on.

use std::{env, fs, path::Path};

use linetape_generate::{Shape, generate};

/// The seed. Its value does not matter, but must not change.
const SEED: u64 = 1;

/// The number of bytes after its input that simdjson may read.
pub const PADDING: usize = 64;

/// The real stream-json is small: its lines are repeated up to this size.
const STREAM: usize = 64 << 20;

const GENERATED: usize = 16 << 20;

/// Lines that each end in LF, followed by padding.
pub struct Data {
    pub name: &'static str,
    padded: Vec<u8>,
    longest_line: usize,
}

impl Data {
    fn new(name: &'static str, mut bytes: Vec<u8>) -> Data {
        let lines = bytes.split(|byte| *byte == b'\n');
        let longest_line = lines.map(<[u8]>::len).max().unwrap_or(0);
        bytes.resize(bytes.len() + PADDING, 0);
        Data { name, padded: bytes, longest_line }
    }

    /// Returns the lines. 64 readable bytes of padding follow them in memory.
    pub fn bytes(&self) -> &[u8] {
        &self.padded[..self.padded.len() - PADDING]
    }

    /// Returns the lines and the padding.
    #[cfg_attr(not(simdjson), allow(dead_code))]
    pub fn padded(&self) -> &[u8] {
        &self.padded
    }

    #[cfg_attr(not(simdjson), allow(dead_code))]
    pub fn longest_line(&self) -> usize {
        self.longest_line
    }

    pub fn lines(&self) -> usize {
        memchr::memchr_iter(b'\n', self.bytes()).count()
    }
}

/// The names of the data sets, real ones first.
pub const NAMES: [&str; 8] = [
    "transcripts",
    "stream",
    "generated/transcript",
    "generated/stream",
    "generated/tool_heavy",
    "generated/tiny",
    "generated/unicode",
    "generated/pathological",
];

/// Returns the data sets with these names. By default, these are the real
/// logs, or similar generated ones if there are none. Fails if there is no
/// data for a name.
pub fn sets(names: &[String]) -> Result<Vec<Data>, String> {
    if !names.is_empty() {
        let named = |name: &String| set(name).ok_or_else(|| name.clone());
        return names.iter().map(named).collect();
    }
    Ok(match [set("transcripts"), set("stream")] {
        [Some(transcripts), Some(stream)] => vec![transcripts, stream],
        _ => {
            eprintln!("no real logs (LINETAPE_CORPUS): these are generated");
            generated().into()
        }
    })
}

/// Returns the data set with a name, if it exists.
pub fn set(name: &str) -> Option<Data> {
    let name = *NAMES.iter().find(|known| **known == name)?;
    let bytes = match name.strip_prefix("generated/") {
        Some(shape) => generate(shape.parse().ok()?, SEED, GENERATED),
        None if name == "stream" => tiled(&real("stream-json")?, STREAM),
        None => real(name)?,
    };
    Some(Data::new(name, bytes))
}

/// Generated transcripts and stream-json, the same on every machine.
fn generated() -> [Data; 2] {
    [
        ("generated/transcript", Shape::Transcript),
        ("generated/stream", Shape::Stream),
    ]
    .map(|(name, shape)| Data::new(name, generate(shape, SEED, GENERATED)))
}

/// Returns the real logs of one kind.
fn real(folder: &str) -> Option<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = match env::var_os("LINETAPE_CORPUS") {
        Some(corpus) => corpus.into(),
        None => root.join("../shared/corpus"),
    };
    files(&corpus.join(folder))
}

/// Returns the files of a folder, sorted by name, as one stream.
fn files(folder: &Path) -> Option<Vec<u8>> {
    let entries = fs::read_dir(folder).ok()?;
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut bytes = vec![];
    for path in paths {
        bytes.extend(fs::read(path).ok()?);
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// Returns the lines repeated in a random order, which no branch predictor can
/// learn.
fn tiled(bytes: &[u8], size: usize) -> Vec<u8> {
    let copies = size.div_ceil(bytes.len());
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let mut lines: Vec<&[u8]> = lines.collect::<Vec<_>>().repeat(copies);
    let mut random = Random::new();
    for last in (1..lines.len()).rev() {
        lines.swap(last, random.below(last + 1));
    }
    lines.concat()
}

/// xorshift64. The choice of the generator does not matter.
struct Random(u64);

impl Random {
    fn new() -> Random {
        Random(0x9E37_79B9_7F4A_7C15)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}
