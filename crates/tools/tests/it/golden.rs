//! What the hooks and tools of the fixtures read as, compared with
//! `tests/golden`: every field of every event and tool.

use std::path::{Path, PathBuf};

use linetape::{Decoder, Message, Value};
use linetape_tools::{HookAnswer, HookInput, ToolInput, ToolResult, owned};
use serde_json::{Value as Json, json};

use crate::{
    golden_files::Golden,
    logs,
    shown::{Members, Shown},
};

/// Writes the golden files. Read the difference before you commit it.
const BLESS: &str =
    "LINETAPE_BLESS=1 cargo test -p linetape-tools --test it golden";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

#[test]
fn fixtures_read_as_their_golden_files() {
    let mut golden = Golden::new(folder("golden"), BLESS);
    for (name, log) in logs::files(folder("data"), ".jsonl") {
        let log = String::from_utf8(log).unwrap();
        // The tool of the last call: the next line has its result.
        let mut tool = String::new();
        let lines = (1..).zip(log.lines()).map(|(number, line)| {
            let text = line.as_bytes();
            let mut decoder = Decoder::new();
            let peeked = decoder.line(text);
            let peeked = shown(peeked.peek().unwrap(), &mut tool.clone());
            let mut decoder = Decoder::new();
            let record = decoder.decode(text).unwrap();
            let decoded = shown(record.message(), &mut tool);
            assert_eq!(peeked, decoded, "{line}");
            assert!(!decoded.is_empty(), "neither a hook nor a tool: {line}");
            let mut record = Members::default();
            record.put("line", Shown::of(number));
            record.append(decoded);
            record.shown()
        });
        golden.compare(&name, lines.collect());
    }
    golden.finish();
}

/// The owned type of a view, which is the same as the one that is read from
/// JSON, and is written as it was read.
macro_rules! kept {
    ($type:ident, $view:expr, $value:expr, $read:expr) => {{
        let (view, value): (_, Value<'_>) = ($view, $value);
        let kept = owned::$type::try_from(view).unwrap();
        let json: Json = serde_json::to_value(value).unwrap();
        assert_eq!(json!(kept), json);
        assert_eq!(kept, $read(json));
        Shown::of(kept)
    }};
}

/// The hooks and tools of a message. `tool` becomes the tool that it calls.
fn shown(message: Message<'_>, tool: &mut String) -> Members {
    let mut found = Members::default();
    if let Some(hook) = HookInput::of(message) {
        let read = |json| serde_json::from_value(json).unwrap();
        let hook = kept!(HookInput, hook, hook.value(), read);
        found.put("hook_input", hook);
    }
    if let Message::ControlResponse(_) = message {
        let answer = message.value().pointer("/response/response").unwrap();
        let view = HookAnswer::new(answer);
        let read = |json| serde_json::from_value(json).unwrap();
        found.put("hook_answer", kept!(HookAnswer, view, answer, read));
    }
    for call in message.tool_calls() {
        *tool = call.name().unwrap().to_string();
        let input = ToolInput::of(call).unwrap();
        let read = |json| owned::ToolInput::new(tool, json);
        let shown = kept!(ToolInput, input, input.value(), read);
        found.put("tool_input", shown);
    }
    if let Message::User(user) = message {
        let result = ToolResult::of(&user, tool).unwrap();
        let read = |json| owned::ToolResult::new(tool, json);
        let shown = kept!(ToolResult, result, result.value(), read);
        found.put("tool_result", shown);
    }
    found
}
