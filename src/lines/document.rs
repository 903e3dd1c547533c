use crate::scan::{
    MAX_DEPTH, Nest, is_whitespace, scalar_end, skip_whitespace, string_end,
};

/// Returns whether a line is the first of an indented JSON document.
#[inline]
pub(crate) fn opens_document(line: &[u8]) -> bool {
    matches!(line, b"{" | b"[")
}

/// A JSON document over several lines, as far as it has been read: the open
/// brackets, and the last byte that is not whitespace.
///
/// Of the grammar, this checks the tokens, the nesting, and what a line may
/// begin with after the line before. So a log that follows half of a document
/// does not belong to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    nest: Nest,
    last: u8,
}

impl Document {
    pub(crate) fn is_open(&self) -> bool {
        self.nest.depth() > 0
    }

    /// Returns whether a line belongs to the document. A line that does not
    /// ends it, and begins another one if it is an opening bracket.
    pub(crate) fn follow(&mut self, line: &[u8]) -> bool {
        let belongs = self.read(line).is_some();
        if !belongs {
            *self = Document::default();
            if opens_document(line) {
                self.add(line);
            }
        }
        belongs
    }

    fn read(&mut self, line: &[u8]) -> Option<()> {
        if !self.is_open() {
            return None;
        }
        let first = *line.get(skip_whitespace(line, 0))?;
        let may_begin = match self.last {
            b'{' => matches!(first, b'"' | b'}'),
            b',' if !self.nest.in_array() => first == b'"',
            b'[' | b',' | b':' => !matches!(first, b',' | b':' | b'}'),
            _ => matches!(first, b',' | b':' | b'}' | b']'),
        };
        if may_begin { self.add(line) } else { None }
    }

    /// Adds the tokens of a line. `None` if they are none of a document.
    fn add(&mut self, line: &[u8]) -> Option<()> {
        let mut at = 0;
        while let Some(&byte) = line.get(at) {
            at = match byte {
                b'"' => string_end(line, at) + 1,
                b'{' | b'[' => {
                    self.nest.open(byte, MAX_DEPTH)?;
                    at + 1
                }
                b'}' | b']' => {
                    self.nest.close(byte)?;
                    let rest = skip_whitespace(line, at + 1);
                    if !self.is_open() && rest < line.len() {
                        return None;
                    }
                    at + 1
                }
                byte if is_whitespace(byte) || b",:".contains(&byte) => at + 1,
                _ => scalar_end(line, at)?,
            };
            if !is_whitespace(byte) {
                self.last = *line.get(at - 1)?;
            }
        }
        Some(())
    }
}
