//! Prints the longest line of a file: its position, and how it begins.
//!
//! ```text
//! cargo run --release --example longest -- session.jsonl
//! ```

use linetape::{Error, Escaped, Reader};

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");

fn main() -> Result<(), Error> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| SAMPLE.into());
    let mut reader = Reader::from_path(path)?;

    let (mut longest, mut at, mut head) = (0, None, vec![]);
    while let Some(line) = reader.next_line() {
        let line = line?;
        let bytes = line.as_bytes();
        if bytes.len() > longest {
            longest = bytes.len();
            at = Some(line.position());
            head.clear();
            head.extend_from_slice(&bytes[..longest.min(60)]);
        }
    }
    match at {
        Some(at) => println!("{at}: {longest} bytes\n{}", Escaped::new(&head)),
        None => println!("no lines"),
    }
    Ok(())
}
