//! Counts the tool calls of a session and its sub-agents, and how many failed.
//!
//! ```text
//! cargo run --release --example tools -- session.jsonl
//! ```

use std::collections::{BTreeMap, HashMap};

use linetape::{Block, Error, Escaped, Message, Reader};

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");

fn main() -> Result<(), Error> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| SAMPLE.into());
    let mut reader = Reader::from_path(path)?;

    let mut calls = Calls::default();
    while let Some(record) = reader.next_record() {
        calls.add(record?.message());
    }
    for (name, (count, failed)) in calls.counts {
        let name = Escaped::new(&name);
        println!("{name}: {count} calls, {failed} failed");
    }
    Ok(())
}

#[derive(Default)]
struct Calls {
    /// The tool of each call, by the id of the call.
    names: HashMap<String, String>,
    /// How many calls each tool has, and how many failed.
    counts: BTreeMap<String, (u64, u64)>,
}

impl Calls {
    fn add(&mut self, message: Message<'_>) {
        // With those of sub-agents, whose messages can be inside of
        // `progress` lines.
        for call in message.tool_calls() {
            let name = call.name().unwrap_or("?").to_string();
            self.counts.entry(name.clone()).or_default().0 += 1;
            if let Some(id) = call.id() {
                self.names.insert(id.to_string(), name);
            }
        }
        self.add_failures(message);
    }

    fn add_failures(&mut self, message: Message<'_>) {
        for block in message.content_blocks() {
            if let Block::ToolResult(result) = block
                && result.is_error()
            {
                let id = result.tool_use_id().unwrap_or_default();
                let name = self.names.get(id);
                let counts = name.and_then(|name| self.counts.get_mut(name));
                if let Some((_, failed)) = counts {
                    *failed += 1;
                }
            }
        }
        message.nested().for_each(|nested| self.add_failures(*nested));
    }
}
