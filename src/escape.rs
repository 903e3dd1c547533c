use std::fmt::{self, Write};

/// Displays untrusted text safely on a terminal.
///
/// Printed unchanged, text from a log can move the cursor, set the title of a
/// terminal, or reorder the text around it. This wrapper escapes all control
/// characters (C0, DEL and C1), the line and paragraph separators, and the
/// bidirectional controls. A byte that is not UTF-8 becomes `\xNN`. All other
/// characters, also a backslash, are unchanged.
///
/// # Example
///
/// This shows how to print a line that would clear the screen.
///
/// ```
/// use linetape::Escaped;
///
/// let line = b"caf\xc3\xa9 \x1b[2J \xff";
/// assert_eq!(Escaped::new(line).to_string(), r"café \u{1b}[2J \xff");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(&'a [u8]);

impl<'a> Escaped<'a> {
    /// Wraps a string or bytes.
    pub fn new<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Escaped<'a> {
        Escaped(text.as_ref())
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                if is_dangerous(c) {
                    write!(f, "{}", c.escape_default())?;
                } else {
                    f.write_char(c)?;
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Returns whether printing `c` could change the state of a terminal, or the
/// order or line breaks of the text around it.
pub(crate) fn is_dangerous(c: char) -> bool {
    c.is_control() // C0, DEL and C1
        || matches!(c,
            '\u{2028}' | '\u{2029}' // separators that some readers split on
            | '\u{061c}' | '\u{200e}' | '\u{200f}' // bidirectional marks,
            | '\u{202a}'..='\u{202e}' // embeddings and overrides,
            | '\u{2066}'..='\u{2069}' // and isolates
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dangerous_character_is_escaped_and_no_other() {
        for c in '\0'..=char::MAX {
            let shown = Escaped::new(&c.to_string()).to_string();
            let plain = shown == c.to_string();
            let bidi = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\
                        \u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
            let dangerous = (c as u32) < 0x20
                || (0x7f..0xa0).contains(&(c as u32))
                || (0x2028..=0x2029).contains(&(c as u32))
                || bidi.contains(c);
            assert_eq!(plain, !dangerous, "{:?} shown as {shown}", c as u32);
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown_as_hex() {
        let torn = b"ok \xe2\x82 \xc3";
        assert_eq!(Escaped::new(torn).to_string(), r"ok \xe2\x82 \xc3");
    }
}
