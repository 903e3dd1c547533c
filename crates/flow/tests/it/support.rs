//! Code that several test files share.

use std::{
    env, fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder that is removed when it is dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linetape-flow-{}-{number}", process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Writes a file, and creates its folder.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the bytes in pieces of a size. With `is_slow`, there are no data yet
/// before each piece.
pub struct InPieces<'b> {
    pub rest: &'b [u8],
    pub size: usize,
    pub is_slow: bool,
    is_waiting: bool,
}

impl<'b> InPieces<'b> {
    pub fn new(rest: &'b [u8], size: usize) -> InPieces<'b> {
        InPieces { rest, size, is_slow: false, is_waiting: false }
    }
}

impl Read for InPieces<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.is_waiting = self.is_slow && !self.is_waiting;
        if self.is_waiting {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let size = self.size.min(room.len());
        self.rest.read(&mut room[..size])
    }
}

/// The reference implementation: the offset and the bytes of each line.
pub fn split(stream: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut lines = vec![];
    let mut offset = 0;
    for line in stream.split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        lines.push((offset, text.to_vec()));
        offset += line.len() as u64;
    }
    lines
}

/// A log of lines with different lengths.
pub fn log(lines: usize) -> Vec<u8> {
    let mut log = vec![];
    for n in 0..lines {
        let text = "x".repeat(n * n % 97);
        let line =
            format!("{{\"type\":\"user\",\"n\":{n},\"t\":\"{text}\"}}\n");
        log.extend_from_slice(line.as_bytes());
    }
    log
}

/// Numbers for choices, by xorshift.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
