//! Splits files into blocks of whole lines.

use std::{
    fs::File,
    io::{self, Read},
    mem,
    sync::Arc,
};

use memchr::memchr;

use crate::input::{Input, Source};

/// The size of a block, in bytes, up to the end of its last line.
const BLOCK: u64 = 2 << 20;

/// How many bytes are read at a time to find the end of a line.
const PIECE: usize = 16 << 10;

/// Consecutive lines of an input.
pub struct Block {
    pub source: Source,
    /// The offset of its first byte in the input.
    pub byte: u64,
}

/// The blocks of an input. All but the last end with a newline. An input that
/// is not a regular file is one block.
pub enum Blocks {
    File { file: Arc<File>, byte: u64 },
    Whole(Source),
    Done,
}

impl Blocks {
    pub fn of(input: &Input) -> io::Result<Blocks> {
        if let Input::File(path) = input {
            let file = File::open(path)?;
            return Ok(match file.metadata()?.is_file() {
                true => Blocks::File { file: Arc::new(file), byte: 0 },
                false => Blocks::Whole(Source::new(file)),
            });
        }
        Ok(Blocks::Whole(input.open()?))
    }
}

impl Iterator for Blocks {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        match mem::replace(self, Blocks::Done) {
            Blocks::Done => None,
            Blocks::Whole(source) => Some(Block { source, byte: 0 }),
            Blocks::File { file, byte } => {
                let end = end_of_block(&file, byte);
                let source = Source::new(Range {
                    file: file.clone(),
                    byte,
                    end: end.unwrap_or(u64::MAX),
                });
                if let Some(end) = end {
                    *self = Blocks::File { file, byte: end };
                }
                Some(Block { source, byte })
            }
        }
    }
}

/// Returns the offset after the block that begins at `byte`, or `None` if the
/// file ends first or cannot be read. Reading the block reports the error.
fn end_of_block(file: &File, byte: u64) -> Option<u64> {
    let mut piece = [0; PIECE];
    let mut at = byte + BLOCK;
    loop {
        match read_at(file, &mut piece, at).ok()? {
            0 => return None,
            length => match memchr(b'\n', &piece[..length]) {
                Some(newline) => return Some(at + newline as u64 + 1),
                None => at += length as u64,
            },
        }
    }
}

/// A part of a file.
struct Range {
    file: Arc<File>,
    /// The offset to read next.
    byte: u64,
    end: u64,
}

impl Read for Range {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.end - self.byte;
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let length = read_at(&self.file, &mut buf[..room], self.byte)?;
        self.byte += length as u64;
        Ok(length)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buf: &mut [u8], byte: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, byte)
}

#[cfg(windows)]
fn read_at(file: &File, buf: &mut [u8], byte: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, byte)
}
