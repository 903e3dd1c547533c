/*!
Private keys whose lines are items of an array, as in the patches of edits and in
notebooks.
*/

use crate::strings::Written;

/// Follows the strings of a line, and knows which of them are lines of a
/// private key that began in an item before them.
#[derive(Debug, Default)]
pub(crate) struct KeyLines {
    is_open: bool,
}

impl KeyLines {
    /// Returns whether the next string is such a line. `text` is its text as
    /// it is written.
    pub(crate) fn has(&mut self, written: &Written, text: &str) -> bool {
        let is_item = written.key.is_none() && written.value.is_none();
        if !is_item {
            self.is_open = false;
            return false;
        }
        let line = line_of(text);
        let is_end = line.trim_start_matches('-').starts_with("END ")
            && line.contains("-----END");
        let is_line = is_end || is_base64(line) || is_header(line);
        let is_part = self.is_open && is_line;
        // The start is found by the rule itself. A line without text is
        // between the headers of a key and the key.
        self.is_open = match self.is_open {
            true => !is_end && (is_line || line.is_empty()),
            false => begins_key(text),
        };
        is_part
    }
}

/// Returns a line without the sign of a patch, and without newlines at its end.
fn line_of(text: &str) -> &str {
    let mut line = match text.starts_with("-----") {
        true => text,
        false => text.strip_prefix(['+', '-', ' ']).unwrap_or(text),
    };
    line = line.trim();
    while let Some(rest) =
        line.strip_suffix("\\n").or_else(|| line.strip_suffix("\\r"))
    {
        line = rest.trim_end();
    }
    line
}

fn begins_key(text: &str) -> bool {
    match text.split_once("-----BEGIN") {
        Some((_, key)) => {
            key.contains("PRIVATE KEY") && !key.contains("-----END")
        }
        None => false,
    }
}

/// Returns whether a text has only characters of base64. A slash can be
/// escaped.
fn is_base64(line: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b"+/=\\".contains(&b);
    !line.is_empty() && line.bytes().all(is_part)
}

/// Returns whether a text is a header of a key, such as `DEK-Info: ...`.
fn is_header(line: &str) -> bool {
    let headers = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];
    headers.iter().any(|header| line.starts_with(header))
}
