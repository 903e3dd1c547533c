/*!
Typed hook inputs, hook answers, tool inputs and tool results.

The messages of [`linetape`] hold the input of a tool use, the result of a tool
and the input of a hook as arbitrary JSON, because each tool and each event has
fields of its own. This crate knows them:

- [`HookInput`] is the input of a hook, with one variant for each of 33 events.
  [`HookInput::of`] finds it in a message: in a log of hook inputs, or in a
  `hook_callback` control request.
- [`ToolInput`] is the input of a tool. [`ToolInput::of`] reads it from a tool
  use.
- [`ToolResult`] is the result of a tool. [`ToolResult::of`] reads it from a
  user message, given the tool's name.
- [`HookAnswer`] is what a hook returns.

All are views, like those of [`linetape::message`]: a field is read when it is
asked for, and is `None` if it is absent or has another type. Unknown events
and tools are variants `Other`, and all fields stay accessible by `value()`.
[`owned`] has the same types without a lifetime.

The tools are the variants of [`ToolInput`]. A variant can stand for several
tools with a common purpose, such as `CronCreate` and `CronDelete`. The
names are those of the Claude Agent SDK 0.3.327; [`schema()`] lists them.

# Example

This adds up the lines that edits have added. A result does not name its tool,
so the program remembers the calls. The messages of sub-agents can be inside of
`progress` lines: [`Message::tool_calls`](linetape::Message::tool_calls) returns
their calls too, and [`Message::nested`](linetape::Message::nested) the messages.

```
use linetape::{Block, Message, Reader};
use linetape_tools::ToolResult;
use std::collections::HashMap;

let log = &br#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Edit","input":{}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]},"toolUseResult":{"structuredPatch":[{"lines":[" a","-b","+c","+d"]}]}}
{"type":"progress","data":{"type":"agent_progress","message":{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Edit","input":{}}]}}}}
{"type":"progress","data":{"type":"agent_progress","message":{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2"}]},"toolUseResult":{"structuredPatch":[{"lines":["+e"]}]}}}}
"#[..];

fn edited(message: Message<'_>, names: &HashMap<String, String>) -> usize {
    let mut added = 0;
    for block in message.content_blocks() {
        let (Block::ToolResult(answer), Message::User(user)) = (block, message)
        else {
            continue;
        };
        let name = names.get(answer.tool_use_id().unwrap_or(""));
        if let Some(name) = name
            && let Some(ToolResult::Edit(edit)) = ToolResult::of(&user, name)
        {
            for hunk in edit.structured_patch().into_iter().flatten() {
                let lines = hunk.lines().into_iter().flatten();
                added += lines.filter(|l| l.starts_with('+')).count();
            }
        }
    }
    let nested = message.nested().map(|nested| edited(*nested, names));
    added + nested.sum::<usize>()
}

let (mut names, mut sum) = (HashMap::new(), 0);
let mut reader = Reader::new(log);
while let Some(record) = reader.next_record() {
    let record = record?;
    for call in record.message().tool_calls() {
        if let (Some(id), Some(name)) = (call.id(), call.name()) {
            names.insert(id.to_string(), name.to_string());
        }
    }
    sum += edited(record.message(), &names);
}
assert_eq!(sum, 3);
# Ok::<(), linetape::Error>(())
```

# Crate features

- `owned` (default): [`owned`]. Without it, the crate depends on neither serde
  nor serde_json.
*/
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

pub mod answers;
mod find;
pub mod hooks;
pub mod inputs;

#[cfg(feature = "owned")]
pub mod owned;
pub mod results;
mod schema;
mod tools;

pub use answers::HookAnswer;
pub use hooks::HookInput;
pub use schema::schema;
pub use tools::{ToolInput, ToolResult};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
