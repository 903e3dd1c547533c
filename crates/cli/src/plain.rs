//! The decompressed text of inputs, all of which may be compressed.

use std::{
    fs::File,
    io::{self, Read},
    sync::atomic::{AtomicU64, Ordering},
};

use linetape_flow::{Decompressed, Format};

/// The maximum decompressed size. It is the same for all inputs of a run.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);

/// Limits the decompressed size of each compressed input.
pub fn limit(bytes: u64) {
    MOST.store(bytes, Ordering::Relaxed);
}

/// Returns the limit.
pub fn most() -> u64 {
    MOST.load(Ordering::Relaxed)
}

/// Returns the decompressed text of a source, up to the limit.
pub fn plain<R>(source: R) -> Decompressed<R> {
    Decompressed::new(source).max_plain(most())
}

/// Returns the format of a file, by its first bytes, which are read.
pub fn format(file: &File) -> io::Result<Format> {
    let mut first = vec![];
    file.take(Format::DECIDING as u64).read_to_end(&mut first)?;
    Ok(Format::of(&first))
}
