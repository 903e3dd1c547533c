//! JSON output, for programs.

use std::io::{self, Write};

use linetape::Writer;
use serde_json::Value;

use crate::progress;

/// Prints a document on one line.
pub fn print(document: &Value) -> io::Result<()> {
    progress::end();
    let mut out = io::stdout().lock();
    out.write_all(&written(document)?)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Serializes a document. Control characters are escaped, so that they do not
/// reach a terminal.
pub fn written(document: &Value) -> io::Result<Vec<u8>> {
    let mut writer = Writer::new(vec![]);
    writer.write_value(document)?;
    let mut text = writer.into_inner()?;
    // The newline.
    text.pop();
    Ok(text)
}
