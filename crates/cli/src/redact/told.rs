//! Error messages about bad lines, which are not written. They never quote
//! the line, because it could contain a secret.

use linetape::Error;

/// Returns the message of an error without the quoted part of the line.
pub fn told(error: &Error) -> String {
    let text = error.to_string();
    let Some(snippet) = error.snippet() else { return text };
    match text.strip_suffix(&format!(", at `{snippet}`")) {
        Some(text) => text.to_string(),
        None => format!("{}: {}", error.position(), error.kind()),
    }
}
