//! Finds out whether a text is indented JSON, which is not one JSON object on
//! each line.

use std::{
    cell::Cell,
    fmt,
    io::{self, BufRead, BufReader, Read},
    rc::Rc,
};

use serde::de::IgnoredAny;

/// JSON documents over several lines each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Indented {
    One,
    Several,
}

/// The first line of a JSON document over several lines is not longer.
const FIRST_LINE: u64 = 1 << 20;

/// The byte order mark in UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

impl Indented {
    /// Returns what a text has, if it has nothing else. With `is_head`, the
    /// beginning of a document is enough.
    pub fn of(text: impl Read, is_head: bool) -> Option<Indented> {
        let mut reader = BufReader::new(text);
        let mut first_line = vec![];
        while first_line.trim_ascii().is_empty() {
            first_line.clear();
            let mut line = reader.by_ref().take(FIRST_LINE);
            line.read_until(b'\n', &mut first_line)
                .ok()
                .filter(|length| *length > 0)?;
        }
        // A long line is not several lines.
        if !first_line.ends_with(b"\n") {
            return None;
        }
        let first_line = first_line.trim_ascii_start();
        let first_line = first_line.strip_prefix(BOM).unwrap_or(first_line);
        let begun = serde_json::from_slice::<IgnoredAny>(first_line);
        begun.err().filter(|error| error.is_eof())?;
        let newlines = Rc::new(Cell::new(0));
        let text = first_line.chain(reader);
        let text = Counted { text, newlines: Rc::clone(&newlines) };
        let documents = serde_json::Deserializer::from_reader(text);
        let (mut count, mut before) = (0_u64, 0);
        for document in documents.into_iter::<IgnoredAny>() {
            if let Err(error) = document {
                // A part of a compressed text ends with an I/O error.
                let is_begun = is_head && (error.is_eof() || error.is_io());
                count += 1;
                return is_begun.then_some(Indented::from(count));
            }
            // The newline between two documents, and one within.
            let lines = newlines.get() - before;
            if count > 0 && lines < 2 {
                return None;
            }
            before = newlines.get();
            count += 1;
        }
        (count > 0).then(|| Indented::from(count))
    }
}

impl From<u64> for Indented {
    fn from(documents: u64) -> Indented {
        match documents {
            0 | 1 => Indented::One,
            _ => Indented::Several,
        }
    }
}

impl fmt::Display for Indented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Indented::One => "one JSON document over several lines",
            Indented::Several => {
                "several JSON documents, each over several lines"
            }
        })?;
        f.write_str("; expected one JSON object on each line")
    }
}

/// Counts the newlines that are read, one byte at a time.
struct Counted<R> {
    text: R,
    newlines: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let length = self.text.read(to)?;
        let read = to.get(..length).unwrap_or_default();
        let newlines = read.iter().filter(|byte| **byte == b'\n').count();
        self.newlines.set(self.newlines.get() + newlines as u64);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with several indented documents was complained about line by
    /// line.
    #[test]
    fn several_documents_are_recognised() {
        let of = |text: &str| Indented::of(text.as_bytes(), false);
        let one = "{\n \"a\": 1\n}\n";
        assert_eq!(of(one), Some(Indented::One));
        assert_eq!(of(&one.repeat(3)), Some(Indented::Several));
        assert_eq!(of(&format!("\u{feff}{one}")), Some(Indented::One));
        // Lines of a log after a document.
        assert_eq!(of(&format!("{one}{{}}\n{{}}\n")), None);
        assert_eq!(of(&format!("{{}}\n{one}")), None);
        assert_eq!(of(&format!("{one}x")), None);
        assert_eq!(of("{\n"), None);
        assert_eq!(of(""), None);
        assert_eq!(
            Indented::of("{\n \"a\":".as_bytes(), true),
            Some(Indented::One)
        );
    }
}
