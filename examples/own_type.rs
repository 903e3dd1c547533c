//! Reads lines into a type of one's own, and shows what the error says about
//! a line that does not fit.
//!
//! ```text
//! cargo run --release --example own_type
//! ```

use linetape::{Error, ErrorKind, lines};
use serde::Deserialize;

const LOG: &[u8] = br#"{"type":"user","message":{"content":"Hello"}}
{"type":"assistant","message":{"model":"opus","usage":{"output_tokens":5}}}
{"type":"assistant","message":{"model":"opus","usage":{"output_tokens":"many"}}}
"#;

/// What of a line is wanted. Strings are borrowed from the line.
#[derive(Debug, Deserialize)]
struct Assistant<'a> {
    #[serde(borrow)]
    message: Said<'a>,
}

#[derive(Debug, Deserialize)]
struct Said<'a> {
    model: &'a str,
    usage: Spent,
}

#[derive(Debug, Deserialize)]
struct Spent {
    output_tokens: u64,
}

fn main() -> Result<(), Error> {
    let mut lines = lines(LOG);
    while let Some(line) = lines.next_line() {
        let line = line?;
        if !line.kind()?.is("assistant") {
            continue;
        }
        match line.deserialize::<Assistant<'_>>() {
            Ok(Assistant { message: Said { model, usage } }) => {
                println!("{model}: {} tokens", usage.output_tokens);
            }
            Err(error) if error.kind() == ErrorKind::Data => {
                let position = error.position();
                let (line, byte) = (position.line(), position.byte());
                let path = error.path().unwrap_or_default();
                println!("does not fit: line {line}, byte {byte}, {path}");
                println!("{error}");
            }
            // The line is not JSON.
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
