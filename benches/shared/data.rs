//! The data that benches run on.

use std::{env, fs, path::PathBuf};

/// A named data set.
pub struct Data {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

/// Every data set: the real logs if they are there, and synthetic ones.
pub fn sets() -> Vec<Data> {
    let mut sets = vec![
        Data { name: "long", bytes: synthetic(8 << 20, 1_000, 8_000) },
        Data { name: "short", bytes: synthetic(8 << 20, 100, 400) },
        Data { name: "tiny", bytes: synthetic(2 << 20, 15, 40) },
    ];
    match real("transcripts") {
        Some(bytes) => sets.push(Data { name: "transcripts", bytes }),
        None => eprintln!("no real logs: LINETAPE_CORPUS is not there"),
    }
    if let Some(bytes) = real("stream-json") {
        let copies = (8 << 20) / bytes.len().max(1) + 1;
        let bytes = bytes.repeat(copies);
        sets.push(Data { name: "stream-json", bytes });
    }
    sets
}

/// Lines whose lengths are spread evenly between two bounds.
fn synthetic(size: usize, shortest: usize, longest: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + longest);
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    while bytes.len() < size {
        // xorshift64: any generator will do, if it is always the same.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let span = (longest - shortest) as u64;
        let length = shortest + (seed % span) as usize;
        bytes.extend(b"{\"text\":\"");
        bytes.resize(bytes.len() + length - 11, b'x');
        bytes.extend(b"\"}\n");
    }
    bytes
}

/// The files of one folder of the corpus, in order, as one stream.
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
    Some(stream)
}
