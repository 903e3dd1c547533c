/*!
The one way to write to a page. Text is escaped; markup is a constant.
*/

use std::io::{self, Write};

use linetape_session::conversation::is_hidden;

/// Writes HTML. Everything that is not a constant of this crate is escaped.
///
/// There is no way to write a string of a log as markup: [`markup`] takes
/// `&'static str` only. Values of attributes are escaped as texts are, and the
/// names of elements, attributes, classes and ids are constants and counters.
///
/// Characters that could change the order of the text around them, or that
/// cannot be seen, are written as `\u{202e}`. Line feeds and tabs are kept, and
/// the carriage return before a line feed is left out.
///
/// [`markup`]: Html::markup
///
/// # Example
///
/// This shows that a text stays a text.
///
/// ```
/// use linetape_report::Html;
///
/// let mut page = vec![];
/// let mut html = Html::new(&mut page);
/// html.markup("<p>")?;
/// html.text("<script>\u{202e}")?;
/// html.markup("</p>")?;
/// assert_eq!(page, br"<p>&lt;script&gt;\u{202e}</p>");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Html<'w> {
    out: &'w mut dyn Write,
}

impl<'w> Html<'w> {
    /// Creates a writer of HTML. `out` should be buffered.
    pub fn new(out: &'w mut dyn Write) -> Html<'w> {
        Html { out }
    }

    /// Writes markup that is a constant of the program.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub fn markup(&mut self, markup: &'static str) -> io::Result<()> {
        self.out.write_all(markup.as_bytes())
    }

    /// Writes a text, escaped. Its result is also safe as the value of an
    /// attribute in quotes.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        let bytes = text.as_bytes();
        let (mut written, mut at) = (0, 0);
        while let Some(plain) = plain(bytes.get(at..).unwrap_or_default()) {
            at += plain;
            // The first byte of a character, which may be harmless.
            let Some(c) = text.get(at..).and_then(|t| t.chars().next()) else {
                break;
            };
            let end = at + c.len_utf8();
            if is_special(c) {
                let before = bytes.get(written..at).unwrap_or_default();
                self.out.write_all(before)?;
                // A line may end as in Windows.
                if c != '\r' || bytes.get(end) != Some(&b'\n') {
                    self.special(c)?;
                }
                written = end;
            }
            at = end;
        }
        self.out.write_all(bytes.get(written..).unwrap_or_default())
    }

    /// Writes a character that is not written as it is.
    fn special(&mut self, c: char) -> io::Result<()> {
        match c {
            '&' => self.markup("&amp;"),
            '<' => self.markup("&lt;"),
            '>' => self.markup("&gt;"),
            '"' => self.markup("&quot;"),
            '\'' => self.markup("&#39;"),
            '\0' => self.markup("\u{fffd}"),
            c => write!(self.out, "{}", c.escape_unicode()),
        }
    }

    /// Writes ` name="value"`, with the value escaped.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub fn attribute(
        &mut self,
        name: &'static str,
        value: &str,
    ) -> io::Result<()> {
        self.markup(" ")?;
        self.markup(name)?;
        self.markup("=\"")?;
        self.text(value)?;
        self.markup("\"")
    }

    /// Writes a whole number.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub fn number(&mut self, number: u64) -> io::Result<()> {
        write!(self.out, "{number}")
    }

    /// Writes a text between two pieces of markup.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub fn within(
        &mut self,
        begin: &'static str,
        text: &str,
        end: &'static str,
    ) -> io::Result<()> {
        self.markup(begin)?;
        self.text(text)?;
        self.markup(end)
    }
}

impl std::fmt::Debug for Html<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Html").finish_non_exhaustive()
    }
}

/// Returns the length of the text before the first byte with which a special
/// character can begin.
fn plain(bytes: &[u8]) -> Option<usize> {
    let begins = |byte: &u8| BEGINS.get(usize::from(*byte)) == Some(&true);
    bytes.iter().position(begins)
}

/// For each byte, whether a character that is special can begin with it.
// At compile time, where an index out of bounds is an error.
#[allow(clippy::indexing_slicing)]
const BEGINS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = byte != 0x09 && byte != 0x0a;
        byte += 1;
    }
    // ASCII, and the first bytes of hidden characters in UTF-8.
    let others = b"&<>\"'\x7f\xc2\xcd\xd8\xe1\xe2\xe3\xef\xf0\xf3";
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
    table
};

/// Returns whether a character is not written as it is.
fn is_special(c: char) -> bool {
    match c {
        '&' | '<' | '>' | '"' | '\'' => true,
        '\n' | '\t' => false,
        '\0'..='\x7f' => c.is_ascii_control(),
        _ => c.is_control() || is_hidden(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut page = vec![];
        Html::new(&mut page).text(text).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn no_character_is_written_as_markup_or_hidden() {
        for c in '\0'..=char::MAX {
            let shown = written(&c.to_string());
            assert!(!shown.contains(['<', '>', '"', '\'']), "{c:?}: {shown}");
            assert!(
                shown == "&#39;" || shown.is_empty() || c == '\0' || {
                    !shown.contains(|c: char| {
                        is_hidden(c)
                            || (c.is_control() && c != '\n' && c != '\t')
                    })
                }
            );
        }
        assert_eq!(written("a&b<c>\"d'"), "a&amp;b&lt;c&gt;&quot;d&#39;");
        assert_eq!(written("\x1b]0;x\x07\r\n\t"), "\\u{1b}]0;x\\u{7}\n\t");
        assert_eq!(written("a\rb\r\r\nc\r"), "a\\u{d}b\\u{d}\nc\\u{d}");
        assert_eq!(written("\0é\u{202e}ü"), "\u{fffd}é\\u{202e}ü");
    }

    #[test]
    fn a_value_cannot_leave_its_attribute() {
        let mut page = vec![];
        let mut html = Html::new(&mut page);
        html.attribute("title", "\" onload='x' a=\"").unwrap();
        assert_eq!(
            String::from_utf8(page).unwrap(),
            " title=\"&quot; onload=&#39;x&#39; a=&quot;\""
        );
    }
}
