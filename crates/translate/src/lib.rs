/*!
Translates messages of AI agents from one dialect into another.

- [`ToUi`] translates stream-json and transcripts into events of an agent
  server.
- [`FromUi`] translates events of an agent server into stream-json.
- [`Wrapper`] translates stream-json and transcripts into [`Frame`]s: JSON
  messages for a chat client, such as an app.

Each translator takes the messages of a log one by one, and returns the
translation of each. Messages without a counterpart in the other dialect are
dropped; the tables below list the messages that are translated.

# Example: an agent server from a live agent

This shows how to translate each line as it arrives.

```
use linetape::{Reader, Writer};
use linetape_translate::ToUi;

let log = br#"{"type":"assistant","session_id":"s1","message":{"content":[{"type":"text","text":"Hello"}]}}
{"type":"result","subtype":"success","session_id":"s1","is_error":false}
"#;
let mut to_ui = ToUi::new();
let mut writer = Writer::new(vec![]);
let mut reader = Reader::new(&log[..]);
while let Some(record) = reader.next_record() {
    for event in to_ui.translate(record?.message())? {
        writer.write_value(&event)?;
    }
}
assert_eq!(String::from_utf8(writer.into_inner()?)?, r#"{"TextChunk":{"text":"Hello","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}
{"Complete":{"session_id":1,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"EndTurn"}}
"#);
# Ok::<(), Box<dyn std::error::Error>>(())
```

# Untrusted input

A message may be decoded, checked or only peeked. A message that was only peeked
is checked first. If its line is invalid, the translator returns the error of
decoding it, so an invalid line is never translated in part. The check is free
if the line is decoded or was checked before.

# Sessions

A message without a session id belongs to the session of the last message that
has one. `finish` ends a log. [`ToUi`] numbers sessions from 1, in order of
appearance; 0 is for messages without any session.

# ToUi

| message | event |
|---|---|
| text of `assistant`, `text_delta` of `stream_event` | `TextChunk`; text that was streamed is not repeated |
| `tool_use` | `ToolExecuting`; for `AskUserQuestion`, `UserInteractionRequired` as well |
| `assistant` with the subtype `tool_use` and `toolName` | the same, with the line's `uuid` as id |
| `tool_result` | `ToolCompleted`, with its texts joined by newlines |
| `system` with `tool_result` and a `parentUuid`, or with an error whose parent is such a call | the same, for the parent |
| `control_request` to use a tool | `PermissionRequired`; for `AskUserQuestion`, `UserInteractionRequired` unless there was one for the call |
| `usage` of a message | `TokenUpdate`, if it has changed; cached tokens count as input |
| `result` | `Complete`, or `Error` |
| `error`, an API error in place of an answer, `system` with `error` or `api_error` | `Error` |
| output of a slash command | `Display`; then `CommandComplete`, if the name of the command is known |
| any other `system` | `System`, with its text or else its subtype |

Texts and tokens of sub-agents are dropped. Their tool calls are translated. The
`Error` or `System` event of a message without a session id has no session. The
turns of a session are numbered from 1 and end with its results; a log without
results is one turn and has no `Complete`. `refusal`, `pause_turn` and unknown
stop reasons become `EndTurn`.

The target of a permission is the `command` in the tool's input (execute), the
host of its `url` (read), or its path (read for read-only tools, otherwise
write). If the input has none of these, the target is the tool itself (execute).

# FromUi

| event | message |
|---|---|
| `TextChunk`s | one `assistant`, before the next event of the session other than `TokenUpdate` |
| `Complete` | `result` with the subtype `success` |
| `ToolExecuting` | `assistant` with a `tool_use` |
| `ToolCompleted` | `user` with a `tool_result` |
| `Error` | `error` |
| `System` | `system`, `informational` |
| `Display` | `system`, `local_command` |
| input for a server | `user` |
| `PermissionRequired`, `BatchPermissionRequired`, `UserInteractionRequired`, `TokenUpdate`, `CommandComplete` | none |

A round trip through [`ToUi`] and [`FromUi`] keeps texts, tool calls and their
results, in order. Consecutive texts are joined.

# Wrapper

| message | frame |
|---|---|
| text of `assistant` | [`ClaudeResponse`](Frame::ClaudeResponse), with the session as `conversationId` |
| progress in that text | [`ProgressUpdate`](Frame::ProgressUpdate), one for each count |
| a sub-agent in that text | [`SubAgentProgress`](Frame::SubAgentProgress), `mentioned`, once for each name |
| `tool_use` of `Task` or `Agent` | the same, `started` |
| its `tool_result`, or `task_notification` if that is first | the same, `finished` or `failed` |
| any other `tool_use` | [`PermissionRequest`](Frame::PermissionRequest) |
| `control_request` to use a tool | the same, unless there was one for the call |

A line can itself be a call: `assistant` with the subtype `tool_use`, `toolName`
and `toolArguments`. The id of the call is the line's `uuid`. The result is the
`system` line with the subtype `tool_result` whose `parentUuid` is that id, or a
`system` line with the same parent that reports an error.

A sub-agent that runs in the background ends with its notification, and not with
the result of its call. A call has one permission request until its result
comes. Texts of sub-agents are dropped, since they are not for the user. Their
tool calls are translated.

Nothing else is translated: no thinking, no calls of tools that the API runs,
and no `stream_event`, since the complete message follows it.

## Texts

Progress is a phrase and a count, as in `Running test 5 of 20`, `running tests:
5/20` and `Step 3 of 5`. The phrases are `running test`, `running step`,
`processing file`, `processing item`, `step`, `phase`, `test`, `task` and `file`,
with or without a plural `s`, in any case; the name of the step is the phrase in
the plural. A count is `N of M` or `N/M`, with integers of at most nine digits,
and N is at most M. Every other text has no progress.

A text mentions an agent as `@agent-NAME`, or as `NAME agent`, `NAME sub-agent`
or `NAME subagent`, if the name is known: named by `init`, or called before, or
one of `general-purpose`, `Explore` and `Plan`. It may be in quotes.
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

mod ask;
mod call;
mod command;
mod events;
mod frame;
mod from_ui;
mod json;
mod sessions;
mod text;
mod to_ui;
mod wrapper;

pub use frame::{Frame, SubAgentStatus};
pub use from_ui::FromUi;
pub use sessions::Sessions;
pub use to_ui::ToUi;
pub use wrapper::Wrapper;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
