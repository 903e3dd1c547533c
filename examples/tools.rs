//! Counts the tool calls of a session, and how many failed.
//!
//! ```text
//! cargo run --release --example tools -- session.jsonl
//! ```

use std::collections::BTreeMap;

use linetape::{Block, Error, Escaped, Reader};

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");

fn main() -> Result<(), Error> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| SAMPLE.into());
    let mut reader = Reader::from_path(path)?;

    let mut names = BTreeMap::new();
    let mut calls = BTreeMap::<String, (u64, u64)>::new();
    while let Some(record) = reader.next_record() {
        for block in record?.message().content_blocks() {
            match block {
                Block::ToolUse(call) => {
                    let name = call.name().unwrap_or("?").to_string();
                    calls.entry(name.clone()).or_default().0 += 1;
                    names.insert(call.id().map(str::to_string), name);
                }
                Block::ToolResult(result) if result.is_error() => {
                    let id = result.tool_use_id().map(str::to_string);
                    if let Some(name) = names.get(&id) {
                        calls.entry(name.clone()).or_default().1 += 1;
                    }
                }
                _ => {}
            }
        }
    }
    for (name, (count, failed)) in calls {
        let name = Escaped::new(&name);
        println!("{name}: {count} calls, {failed} failed");
    }
    Ok(())
}
