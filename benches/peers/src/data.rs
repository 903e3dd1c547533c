//! The data that the engines run on.

use std::{env, fs, path::Path};

use linetape::Decoder;
use linetape_generate::{Shape, generate};
use serde_json::{Map, Value};

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
pub const NAMES: [&str; 9] = [
    "transcripts",
    "stream",
    "tiny",
    "events",
    "generated/transcript",
    "generated/stream",
    "generated/tool_heavy",
    "generated/unicode",
    "generated/pathological",
];

/// Returns the data sets with these names. By default, these are the real
/// logs, or similar generated ones if there are none, and short lines. Fails if
/// there is no data for a name.
pub fn sets(names: &[String]) -> Result<Vec<Data>, String> {
    if !names.is_empty() {
        let named = |name: &String| set(name).ok_or_else(|| name.clone());
        return names.iter().map(named).collect();
    }
    let logs = [
        ("transcripts", "generated/transcript"),
        ("stream", "generated/stream"),
        ("tiny", "tiny"),
        ("events", "events"),
    ];
    let found = |(name, other)| {
        set(name).or_else(|| {
            eprintln!("no real {name} (LINETAPE_CORPUS): they are generated");
            set(other)
        })
    };
    Ok(logs.into_iter().filter_map(found).collect())
}

/// Returns the data set with a name, if it exists.
pub fn set(name: &str) -> Option<Data> {
    let name = *NAMES.iter().find(|known| **known == name)?;
    let bytes = match name.strip_prefix("generated/") {
        Some(shape) => generate(shape.parse().ok()?, SEED, GENERATED),
        None if name == "tiny" => generate(Shape::Tiny, SEED, GENERATED),
        None if name == "events" => real(name).unwrap_or_else(events),
        None if name == "stream" => tiled(&real("stream-json")?, STREAM),
        None => real(name)?,
    };
    Some(Data::new(name, bytes))
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
    let (mut bytes, mut dropped) = (vec![], 0);
    for path in paths {
        let file = fs::read(path).ok()?;
        for line in file.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if is_object(line) {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            } else {
                dropped += usize::from(!line.trim_ascii().is_empty());
            }
        }
    }
    if dropped > 0 {
        let folder = folder.display();
        eprintln!("{folder}: left out {dropped} lines that are not an object");
    }
    (!bytes.is_empty()).then_some(bytes)
}

/// Returns whether serde_json and linetape accept a line. An engine would be
/// compared on how it fails on another line.
fn is_object(line: &[u8]) -> bool {
    let object = serde_json::from_slice::<Map<String, Value>>(line);
    object.is_ok() && Decoder::new().line(line).check().is_ok()
}

/// Returns events of an agent server, of about 296 bytes each.
fn events() -> Vec<u8> {
    const WORDS: &str = "the reader found no newline";
    let mut random = Random::new();
    let mut bytes = vec![];
    while bytes.len() < GENERATED {
        let mut n = |bound| random.below(bound);
        let (uuid, id) = (n(usize::MAX), n(usize::MAX));
        let (minute, text) = (n(60), &WORDS[..n(WORDS.len())]);
        let (input, output, sequence) = (n(100_000), n(1_000), n(10_000));
        let event = format!(
            r#"{{"event_type":"message_delta","sequence":{sequence},"uuid":"{uuid:032x}","session_id":"5f0c{minute:02}","timestamp":"2026-01-05T10:{minute:02}:07.123Z","data":{{"text":"{text}"}},"message":{{"id":"msg_{id:016x}","role":"assistant","usage":{{"input_tokens":{input},"output_tokens":{output}}}}}}}"#
        );
        bytes.extend_from_slice(event.as_bytes());
        bytes.push(b'\n');
    }
    bytes
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
