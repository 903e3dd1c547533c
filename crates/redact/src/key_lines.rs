/*!
Private keys whose lines are items of an array, as in the patches of edits and in
notebooks, or values of the same key, as in lists of rows.
*/

use crate::strings::Written;

/// Follows the strings of a line, and knows which of them are lines of a
/// private key that began in a string before them.
#[derive(Debug, Default)]
pub(crate) struct KeyLines<'l> {
    /// The key of the string in which it began; `Some(None)` for an item.
    open: Option<Option<&'l str>>,
    /// Whether a row of data came after the first line.
    has_data: bool,
}

impl<'l> KeyLines<'l> {
    /// Returns whether the next string is such a line.
    pub(crate) fn has(&mut self, line: &'l str, written: &Written) -> bool {
        let key = written.key.clone().and_then(|key| line.get(key));
        let text = line.get(written.text.clone()).unwrap_or_default();
        if written.value.is_some() {
            // Items end with the array. Rows have keys.
            self.open.take_if(|open| open.is_none());
            return false;
        }
        match self.open {
            Some(open) if open != key && open.is_some() => return false,
            Some(open) if open != key => self.open = None,
            _ => {}
        }
        let line = line_of(text);
        let is_end = line.trim_start_matches('-').starts_with("END ")
            && line.contains("-----END");
        // Rows can be anything, so what is taken for data looks like it.
        let is_data = match key {
            None => is_base64(line) || has_run(line),
            Some(_) => has_run(line) || self.has_data && is_tail(line),
        };
        let is_line = is_end || is_data || is_header(line);
        let is_part = self.open.is_some() && is_line;
        // The start is found by the rule itself. A line without text is
        // between the headers of a key and the key.
        let goes_on = match (self.open, key) {
            (Some(_), _) => !is_end && (is_line || line.is_empty()),
            (None, None) => begins_key(text),
            (None, Some(_)) => begins_key(text) && is_first_line(line),
        };
        self.has_data = self.open.is_some() && is_data;
        self.open = goes_on.then_some(key);
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

/// Returns whether a text is the first line of a key and nothing else.
fn is_first_line(line: &str) -> bool {
    line.starts_with("-----BEGIN") && line.ends_with("-----")
}

/// Returns whether a text has as many characters of base64 as the lines of keys,
/// and little before or after them. The hash of a commit has fewer.
pub(crate) fn has_run(line: &str) -> bool {
    let is_other = |b: &u8| !b.is_ascii_alphanumeric() && !b"+/=".contains(b);
    let runs = line.trim().as_bytes().split(is_other);
    let longest = runs.map(<[u8]>::len).max().unwrap_or(0);
    longest >= 48 && line.trim().len() - longest <= 24
}

/// Returns whether a text can be the short last line of a key, and is no word.
fn is_tail(line: &str) -> bool {
    is_base64(line) && !line.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Returns whether a text is a header of a key, such as `DEK-Info: ...`.
fn is_header(line: &str) -> bool {
    let headers = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];
    headers.iter().any(|header| line.starts_with(header))
}
