//! An output for several logs, or for a terminal.

use std::io::{self, Write};

use linetape::Escaped;

use crate::live::Live;

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
}

impl Write for Ended<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_open = bytes.last().is_some_and(|byte| *byte != b'\n');
        if !self.is_escaped {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n");
            let text =
                text.map(|text| text.strip_suffix(b"\r").unwrap_or(text));
            write!(self.out, "{}", Escaped::new(text.unwrap_or(line)))?;
            if text.is_some() {
                self.out.write_all(b"\n")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
