//! An incomplete line whose bytes were released: it is read again when its
//! newline arrives.

use std::io;

use linetape::{Position, ReaderBuilder};

use crate::follow::{
    file::{News, Opened, PIECE},
    settings::Settings,
};

/// A line without a newline whose bytes are not in memory.
///
/// ```text
///     done ≤ start      fed                  end
///      ├───── line ──────┼── to be read again ─┤ new data
/// ```
///
/// Until its newline arrives, new data are only searched for it. Then the line
/// is read again from its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unheld {
    /// The offset up to which the line has been read again.
    fed: u64,
    /// Whether its newline has arrived.
    is_complete: bool,
}

impl Opened {
    /// Returns how many bytes of an incomplete line are in memory.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.chunks.held() as u64
    }

    /// Releases the memory of an incomplete line if it is more than a single
    /// file may hold.
    pub(crate) fn release_above(&mut self, settings: &Settings) {
        if self.held_bytes() > settings.held_bytes && !self.is_reading_again()
        {
            self.release(&settings.builder);
        }
    }

    /// Releases the memory of an incomplete line. All complete lines must have
    /// been returned.
    pub(crate) fn release(&mut self, builder: &ReaderBuilder) {
        if self.ahead.is_some() || self.chunks.held() == 0 {
            return;
        }
        let start = self.chunks.position();
        let is_complete = self.is_reading_again();
        self.chunks = builder.clone().start(start).chunks();
        self.unheld = Some(Unheld { fed: start.byte(), is_complete });
    }

    /// Returns whether a complete line is being read again. Meanwhile, it is in
    /// memory, so only one file should do this at a time.
    pub(crate) fn is_reading_again(&self) -> bool {
        self.unheld.is_some_and(|unheld| unheld.is_complete)
    }

    /// Adds new data to what has been read.
    pub(super) fn push(&mut self, bytes: Vec<u8>) {
        let done = self.done.map_or(0, Position::byte);
        self.history.push(&bytes, done);
        self.held.read_to(self.history.end());
        match &mut self.unheld {
            Some(unheld) => unheld.is_complete |= bytes.contains(&b'\n'),
            None => self.chunks.push(bytes),
        }
    }

    /// Reads a piece of a line again.
    pub(super) fn read_again(&mut self) -> io::Result<News> {
        let Some(unheld) = self.unheld else { return Ok(News::Nothing) };
        let end = self.history.end();
        let length = end.saturating_sub(unheld.fed).min(PIECE);
        let bytes = self.bytes(unheld.fed, length)?;
        let count = bytes.len() as u64;
        let fed = unheld.fed + count;
        self.unheld = (fed < end).then_some(Unheld { fed, ..unheld });
        self.chunks.push(bytes);
        match count {
            // It has just become shorter.
            0 => Ok(News::Nothing),
            count => Ok(News::Bytes(count)),
        }
    }
}
