//! The beginning of standard input, which cannot be read twice.

use std::{
    io::{self, Read},
    sync::{Mutex, PoisonError},
};

/// How much is kept.
const KEPT: usize = 1 << 16;

static HEAD: Mutex<Vec<u8>> = Mutex::new(vec![]);

/// Standard input. What is read first is kept.
pub struct Standard(io::Stdin);

impl Standard {
    pub fn new() -> Standard {
        Standard(io::stdin())
    }
}

impl Read for Standard {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buf)?;
        let mut head = HEAD.lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEPT.saturating_sub(head.len()).min(read);
        head.extend_from_slice(buf.get(..room).unwrap_or_default());
        Ok(read)
    }
}

/// Returns what has been read of standard input, at most its first 64 KiB.
pub fn head() -> Vec<u8> {
    HEAD.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
