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
        escape(self.0, is_dangerous, f)
    }
}

/// Writes text, with the characters escaped that `is_escaped` names, and the
/// bytes that are not UTF-8.
pub(crate) fn escape(
    text: &[u8],
    is_escaped: fn(char) -> bool,
    to: &mut impl Write,
) -> fmt::Result {
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_escaped(c) {
                write!(to, "{}", c.escape_default())?;
            } else {
                to.write_char(c)?;
            }
        }
        for byte in chunk.invalid() {
            write!(to, "\\x{byte:02x}")?;
        }
    }
    Ok(())
}

/// Returns whether `c` cannot be seen, or looks like a space but is none: it
/// would hide the reason of an error. All dangerous characters are hidden too.
pub(crate) fn is_hidden(c: char) -> bool {
    is_dangerous(c)
        || (c.is_whitespace() && c != ' ')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}'
            | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
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

    /// A BOM or a no-break space could not be seen in the excerpt of an error.
    #[test]
    fn characters_that_cannot_be_seen_are_hidden() {
        for c in "\u{feff}\u{a0}\u{ad}\u{200b}\u{2003}\u{3000}\t\u{1b}".chars()
        {
            assert!(is_hidden(c), "{:?}", c as u32);
        }
        for c in "a é日\u{301}🍎\\\u{fffd}".chars() {
            assert!(!is_hidden(c), "{c:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown_as_hex() {
        let torn = b"ok \xe2\x82 \xc3";
        assert_eq!(Escaped::new(torn).to_string(), r"ok \xe2\x82 \xc3");
    }
}
