//! Text that comes in pieces, which need not end where lines do.

use std::io;

/// Text of which whole lines are printed as soon as they are there. Empty
/// lines at its ends are left out. What has come of a line is kept, however
/// long it is.
#[derive(Default)]
pub struct Flow {
    line: String,
    has_begun: bool,
    /// Empty lines that are printed if more comes.
    blanks: usize,
}

impl Flow {
    pub fn add(
        &mut self,
        piece: &str,
        mut print: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        for part in piece.split_inclusive('\n') {
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

    /// Prints what is left. What is added then is another text.
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
            self.blanks += usize::from(self.has_begun);
            return Ok(());
        }
        for _ in 0..std::mem::take(&mut self.blanks) {
            print("")?;
        }
        self.has_begun = true;
        print(line)
    }
}
