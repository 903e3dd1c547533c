//! Counts the lines of a mapped file by type in another thread, without
//! copying a line.
//!
//! ```text
//! cargo run --release --example mapped_file -- session.jsonl
//! ```

use std::{collections::BTreeMap, error::Error, fs::File, io, sync::mpsc};

use bytes::Bytes;
use linetape::{BytesLine, Chunks, Decoder, Escaped};
use memmap2::Mmap;

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| SAMPLE.into());
    // The mapping lives until the last of its slices is dropped.
    let mapped = Bytes::from_owner(map(&File::open(path)?)?);
    let memory = mapped.as_ptr_range();
    let mut chunks = Chunks::new();
    chunks.push(mapped);
    chunks.finish();

    let (sender, lines) = mpsc::sync_channel(64);
    let worker = std::thread::spawn(move || count(lines));
    while let Some(line) = chunks.next_line() {
        let line = line?;
        // A line is a slice of the mapping, and not a copy.
        assert!(memory.contains(&line.as_bytes().as_ptr()));
        sender.send(line)?;
    }
    drop(sender);
    for (kind, count) in worker.join().map_err(|_| "the worker panicked")? {
        println!("{}: {count}", Escaped::new(&kind));
    }
    Ok(())
}

/// Counts lines by type.
fn count(lines: mpsc::Receiver<BytesLine>) -> BTreeMap<String, u64> {
    let (mut decoder, mut counts) = (Decoder::new(), BTreeMap::new());
    for line in lines {
        match line.line(&mut decoder).kind() {
            Ok(kind) => *counts.entry(kind.to_string()).or_insert(0) += 1,
            Err(error) => eprintln!("{error}"),
        }
    }
    counts
}

/// Maps a file into memory.
#[allow(unsafe_code)] // there is no safe way to map a file
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the caller must name a file that is neither written to nor
    // truncated while it is mapped. The program cannot check that.
    unsafe { Mmap::map(file) }
}
