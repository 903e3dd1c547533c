//! The data that the engines run on.

use std::{env, fs, path::Path};

/// The bytes that simdjson wants to read behind its input.
const PADDING: usize = 64;

/// The given stream-json is small: its lines are repeated up to this size.
const STREAM: usize = 64 << 20;

const SYNTHETIC: usize = 16 << 20;

/// Lines that each end in LF, with padding behind them.
pub struct Data {
    pub name: &'static str,
    padded: Vec<u8>,
}

impl Data {
    fn new(name: &'static str, mut bytes: Vec<u8>) -> Data {
        bytes.resize(bytes.len() + PADDING, 0);
        Data { name, padded: bytes }
    }

    /// The lines. 64 readable bytes of no meaning follow them in memory.
    pub fn bytes(&self) -> &[u8] {
        &self.padded[..self.padded.len() - PADDING]
    }

    /// The lines and the padding.
    #[cfg_attr(not(simdjson), allow(dead_code))]
    pub fn padded(&self) -> &[u8] {
        &self.padded
    }

    pub fn lines(&self) -> usize {
        memchr::memchr_iter(b'\n', self.bytes()).count()
    }
}

/// The data sets that are wanted: the real logs, or a synthetic set if they
/// are not there.
pub fn sets(wanted: impl Fn(&str) -> bool) -> Vec<Data> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = match env::var_os("LINETAPE_CORPUS") {
        Some(corpus) => corpus.into(),
        None => root.join("../shared/corpus"),
    };
    let folder = |name: &str| files(&corpus.join(name));
    let (Some(transcripts), Some(stream)) =
        (folder("transcripts"), folder("stream-json"))
    else {
        eprintln!("no real logs (LINETAPE_CORPUS): the data is synthetic");
        return vec![Data::new("synthetic", synthetic(SYNTHETIC))];
    };
    let mut sets = vec![];
    if wanted("transcripts") {
        sets.push(Data::new("transcripts", transcripts));
    }
    if wanted("stream") {
        sets.push(Data::new("stream", tiled(&stream, STREAM)));
    }
    sets
}

/// The files of a folder in the order of their names, as one stream.
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

/// The lines again and again, in an order that no predictor can learn.
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

/// Lines that are like those of agents, for a machine that has no real ones.
fn synthetic(size: usize) -> Vec<u8> {
    let mut random = Random::new();
    let mut bytes = Vec::with_capacity(size + (64 << 10));
    while bytes.len() < size {
        let line = match random.below(10) {
            0 => r#"{"type":"system","subtype":"init","tools":[]}"#.to_owned(),
            1..4 => format!(
                concat!(
                    r#"{{"type":"user","message":{{"role":"user","#,
                    r#""content":"{}"}}}}"#
                ),
                text(&mut random, 6_000),
            ),
            4..7 => format!(
                concat!(
                    r#"{{"message":{{"role":"assistant","content":"#,
                    r#"[{{"type":"text","text":"{}"}}],"usage":"#,
                    r#"{{"input_tokens":{},"output_tokens":{}}}}},"#,
                    r#""type":"assistant"}}"#
                ),
                text(&mut random, 2_000),
                random.below(1_000),
                random.below(1_000),
            ),
            _ => format!(
                concat!(
                    r#"{{"type":"stream_event","event":"#,
                    r#"{{"type":"content_block_delta","index":0,"#,
                    r#""delta":{{"type":"text_delta","text":"{}"}}}}}}"#
                ),
                text(&mut random, 60),
            ),
        };
        bytes.extend(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// The inside of a string, with about as many escapes as real ones have.
fn text(random: &mut Random, longest: usize) -> String {
    const PIECES: &[&str] = &[
        "function ",
        "value ",
        "the ",
        "a ",
        "of the ",
        "return ",
        "0123456 ",
        "reads ",
        "lines ",
        "src/main.rs ",
        "\\n",
        "\\n    ",
        "\\\"",
        "\\t",
        "\\\\",
        "ä",
        "\\u00e9",
        "→ ",
    ];
    let length = random.below(longest);
    let mut text = String::with_capacity(length + 16);
    while text.len() < length {
        // Two thirds are plain words.
        let among = if random.below(3) > 0 { 10 } else { PIECES.len() };
        text += PIECES[random.below(among)];
    }
    text
}

/// xorshift64: any generator will do, if it is always the same.
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
