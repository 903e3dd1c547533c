//! An output for several logs, or for a terminal.

use std::io::{self, Write};

use linetape::Escaped;

use crate::{live::Live, redact::source::BOM};

/// An output on which the last line of an input is always ended, and control
/// characters are escaped for a terminal.
pub struct Ended<'l> {
    out: &'l Live,
    is_escaped: bool,
    is_open: bool,
}

impl<'l> Ended<'l> {
    pub fn new(out: &'l Live, is_escaped: bool) -> Ended<'l> {
        Ended { out, is_escaped, is_open: false }
    }

    /// Ends the last line.
    pub fn end(&mut self) -> io::Result<()> {
        match self.is_open {
            true => self.write_all(b"\n"),
            false => Ok(()),
        }
    }

    /// Writes a part of a line to a terminal, but no byte order mark and no
    /// blank line.
    fn write_escaped(&mut self, part: &[u8]) -> io::Result<()> {
        let (mut text, is_end) = match part.strip_suffix(b"\n") {
            Some(text) => (text.strip_suffix(b"\r").unwrap_or(text), true),
            None => (part, false),
        };
        if !self.is_open {
            text = text.strip_prefix(BOM).unwrap_or(text);
            if text.trim_ascii().is_empty() {
                return Ok(());
            }
        }
        write!(self.out, "{}", Escaped::new(text))?;
        self.is_open = !is_end;
        match is_end {
            true => self.out.write_all(b"\n"),
            false => Ok(()),
        }
    }
}

impl Write for Ended<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_escaped {
            self.is_open = bytes.last().is_some_and(|byte| *byte != b'\n');
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.write_escaped(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
