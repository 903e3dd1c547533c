//! Prints what linetape reads from each line of a log, as NDJSON, for a
//! comparison with another reader: kind, text, tool calls, tool results and
//! usage. The last line has the uuids of the current branch of the tree.
//!
//! ```text
//! cargo run --release -p linetape-session --example readings -- \
//!     session.jsonl
//! ```

use std::{
    env,
    error::Error,
    fs::File,
    io::{self, BufWriter, Read, Write},
};

use linetape::{
    Block, Message, Reader,
    message::{AnswerBlock, CallBlock},
};
use linetape_session::{Tokens, Tree};
use serde_json::{Value, json};

const SAMPLE: &[u8] = br#"{"type":"user","uuid":"a","message":{"content":"Read it."}}
{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m1","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.txt"}}],"usage":{"input_tokens":512,"output_tokens":46}}}
{"type":"user","uuid":"c","parentUuid":"b","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Hello."}]}}
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let source: Box<dyn Read> = match env::args_os().nth(1) {
        Some(path) => Box::new(File::open(path)?),
        None => Box::new(SAMPLE),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut tree = Tree::new();
    let mut reader = Reader::new(source);
    while let Some(line) = reader.next_line() {
        let read = line.and_then(|line| {
            let position = line.position();
            let message = line.checked()?;
            tree.add(message, position);
            Ok((position.line(), reading(message)))
        });
        match read {
            Ok((number, mut reading)) => {
                reading["line"] = number.into();
                writeln!(out, "{reading}")?;
            }
            Err(error) if error.is_recoverable() => eprintln!("{error}"),
            Err(error) => return Err(error.into()),
        }
    }
    let branch = tree.active_branch();
    let branch: Vec<&str> = branch.iter().map(|node| node.uuid()).collect();
    writeln!(out, "{}", json!({ "branch": branch }))?;
    out.flush()?;
    Ok(())
}

fn reading(message: Message<'_>) -> Value {
    let (mut texts, mut thinking) = (vec![], vec![]);
    let (mut calls, mut results) = (vec![], vec![]);
    for block in message.content_blocks() {
        match block {
            Block::Text(text) => texts.push(text.text()),
            Block::Thinking(block) => thinking.push(block.thinking()),
            Block::ToolUse(block) => calls.push(call(*block)),
            Block::ServerToolUse(block) => calls.push(call(*block)),
            Block::ToolResult(block) => results.push(result(*block)),
            Block::AdvisorToolResult(block) => results.push(result(block)),
            _ => {}
        }
    }
    let kind = message.kind();
    let model = match message {
        Message::Assistant(assistant) => assistant.message(),
        _ => None,
    };
    json!({
        "type": kind.name(),
        "subtype": kind.subtype(),
        "known": !matches!(message, Message::Unknown(_)),
        "uuid": message.uuid(),
        "model": model.and_then(|message| message.model()),
        "message_id": model.and_then(|message| message.id()),
        "texts": texts,
        "thinking": thinking,
        "calls": calls,
        "results": results,
        "usage": message.usage().map(Tokens::of).map(tokens),
    })
}

fn call(block: CallBlock<'_>) -> Value {
    json!({"id": block.id(), "name": block.name(), "input": block.input()})
}

fn result(block: AnswerBlock<'_>) -> Value {
    json!({
        "tool_use_id": block.tool_use_id(),
        "is_error": block.is_error(),
        "content": block.content().map(|content| content.value()),
    })
}

fn tokens(tokens: Tokens) -> Value {
    json!({
        "input_tokens": tokens.input_tokens,
        "output_tokens": tokens.output_tokens,
        "cache_creation_input_tokens": tokens.cache_creation_input_tokens,
        "cache_read_input_tokens": tokens.cache_read_input_tokens,
    })
}
