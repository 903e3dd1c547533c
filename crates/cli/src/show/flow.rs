//! Text that arrives in chunks, which need not end at the end of a line.

use std::io;

/// Prints each line as soon as it is complete. Empty lines at the start and
/// the end of the text are dropped. The unfinished line is kept in memory.
#[derive(Default)]
pub struct Flow {
    line: String,
    has_begun: bool,
    /// Empty lines that are printed before the next line, if there is one.
    empty_lines: usize,
}

impl Flow {
    /// Adds a chunk.
    pub fn add(
        &mut self,
        chunk: &str,
        mut print: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        for part in chunk.split_inclusive('\n') {
            match part.strip_suffix('\n') {
                Some(rest) => {
                    self.line += rest;
                    self.end_line(&mut print)?;
                }
                None => self.line += part,
            }
        }
        Ok(())
    }

    /// Prints the unfinished line, and begins a new text.
    pub fn end(
        &mut self,
        mut print: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        self.end_line(&mut print)?;
        *self = Flow::default();
        Ok(())
    }

    fn end_line(
        &mut self,
        print: &mut impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_end();
        if line.is_empty() {
            self.empty_lines += usize::from(self.has_begun);
            return Ok(());
        }
        for _ in 0..std::mem::take(&mut self.empty_lines) {
            print("")?;
        }
        self.has_begun = true;
        print(line)
    }
}
