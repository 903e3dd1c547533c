//! JSON documents, for programs.

use std::io;

use linetape::Writer;
use serde_json::Value;

use crate::progress;

/// Prints a document, on one line. What a terminal could take for an order is
/// escaped.
pub fn print(document: &Value) -> io::Result<()> {
    progress::end();
    let mut writer = Writer::new(io::stdout().lock());
    writer.write_value(document)?;
    Ok(writer.flush()?)
}
