//! Counts the lines of a mapped file by type, in worker threads, without
//! copying a line.
//!
//! ```text
//! cargo run --release --example mapped_file -- session.jsonl
//! ```

use std::{
    collections::BTreeMap,
    error::Error,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, sync_channel},
    thread,
};

use bytes::Bytes;
use linetape::{BytesLine, Chunks, Decoder, Escaped};
use memmap2::Mmap;

const WORKERS: usize = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map(PathBuf::from);
    let path = path.unwrap_or("crates/cli/sample/session.jsonl".into());

    // The mapping lives until the last of its slices is dropped.
    let mapped = Bytes::from_owner(map(&path)?);
    let memory = mapped.as_ptr_range();
    let mut chunks = Chunks::new();
    chunks.push(mapped);
    chunks.finish();

    let counts = thread::scope(|scope| {
        let (senders, workers): (Vec<_>, Vec<_>) = (0..WORKERS)
            .map(|_| {
                let (sender, lines) = sync_channel(64);
                (sender, scope.spawn(move || count(lines)))
            })
            .unzip();
        let mut next = senders.iter().cycle();
        while let Some(line) = chunks.next_line() {
            let line = line?;
            // A line is a slice of the mapping, and not a copy.
            assert!(memory.contains(&line.as_bytes().as_ptr()));
            if let Some(sender) = next.next() {
                sender.send(line)?;
            }
        }
        drop(senders);
        let mut counts = BTreeMap::new();
        for worker in workers {
            let part = worker.join().map_err(|_| "a worker panicked")?;
            for (kind, count) in part {
                *counts.entry(kind).or_insert(0) += count;
            }
        }
        Ok::<BTreeMap<String, u64>, Box<dyn Error>>(counts)
    })?;
    for (kind, count) in counts {
        println!("{}: {count}", Escaped::new(&kind));
    }
    Ok(())
}

/// Counts lines by type.
fn count(lines: Receiver<BytesLine>) -> BTreeMap<String, u64> {
    let mut decoder = Decoder::new();
    let mut counts = BTreeMap::new();
    for line in lines {
        match line.line(&mut decoder).kind() {
            Ok(kind) => *counts.entry(kind.to_string()).or_insert(0) += 1,
            Err(error) => eprintln!("{error}"),
        }
    }
    counts
}

/// Maps a file into memory.
///
/// Nobody may write to the file, or cut it, while it is mapped. Read a log that
/// is still being written with a `Reader`.
#[allow(unsafe_code)] // there is no safe way to map a file
fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the file is one that nobody writes to. The program cannot check
    // that: it is for the person who names the file to see to it.
    unsafe { Mmap::map(&file) }
}
