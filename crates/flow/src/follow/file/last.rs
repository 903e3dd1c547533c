use std::{io, time::Duration};

use linetape::{BytesLine, Decoder, Error, ReaderBuilder};

use crate::follow::file::{Opened, PIECE};

/// A last line without a newline that is returned all the same. It is read from
/// the file, since its bytes may not be in memory.
impl Opened {
    /// Returns the last line if it has no newline, is a complete JSON object
    /// and has not changed for a while. `done` stays before it: if more bytes
    /// than its newline follow, the longer line is returned.
    pub(crate) fn idle_line(
        &mut self,
        idle: Duration,
        builder: &ReaderBuilder,
    ) -> io::Result<Option<BytesLine>> {
        let Some(done) = self.done else { return Ok(None) };
        let (mut from, end) = (done.byte(), self.history.end());
        if from == end || !self.held.is_due(idle) {
            return Ok(None);
        }
        if !self.held.try_once() {
            return Ok(None);
        }
        let mut chunks = builder.clone().start(done).chunks();
        while from < end {
            let piece = self.bytes(from, (end - from).min(PIECE))?;
            if piece.is_empty() {
                return Ok(None);
            }
            from += piece.len() as u64;
            chunks.push(piece);
            // A line that is too long takes no memory.
            if let Some(Err(_)) = chunks.next_line() {
                return Ok(None);
            }
        }
        chunks.finish();
        let Some(Ok(line)) = chunks.next_line() else { return Ok(None) };
        if line.line(&mut Decoder::new()).check().is_err() {
            return Ok(None);
        }
        self.held.hand(&line);
        Ok(Some(line))
    }

    /// Returns the last line although it has no newline, unless that was done
    /// before: its file has no path any more. With salvage, these can be
    /// several records. `done` stays before the line: if more bytes than its
    /// newline follow, the longer line is returned.
    pub(crate) fn last_lines(
        &mut self,
        builder: &ReaderBuilder,
    ) -> io::Result<Vec<Result<BytesLine, Error>>> {
        let Some(done) = self.done else { return Ok(vec![]) };
        let (mut from, end) = (done.byte(), self.history.end());
        let mut chunks = builder.clone().start(done).chunks();
        let mut lines = vec![];
        while from < end {
            let piece = self.bytes(from, (end - from).min(PIECE))?;
            if piece.is_empty() {
                break;
            }
            from += piece.len() as u64;
            chunks.push(piece);
            lines.extend(chunks.next_line());
        }
        chunks.finish();
        while let Some(line) = chunks.next_line() {
            lines.push(line);
        }
        lines.retain(|line| {
            !line.as_ref().is_ok_and(|line| self.held.has_handed(line))
        });
        if let Some(Ok(line)) = lines.last() {
            self.held.hand(line);
        }
        Ok(lines)
    }
}
