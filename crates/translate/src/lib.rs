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

## Progress in a text

Progress is found by a heuristic for English text, based on word lists. It
prefers false negatives to false positives, and has both: it misses other
languages and numbers in words, and it takes quoted progress for progress.

A count is `N of M`, `N out of M`, `N/M` or `N / M`; or `N%`, where M is 100. N
and M are integers of at most nine ASCII digits, without leading zeros, N is at
most M, and M is not 0. Words are separated by one space, and everything is on
one line. A count is progress if it matches one of these rows:

| pattern | example | `currentStep` |
|---|---|---|
| a verb, one to three nouns, the last in the singular; not with `%` | `Running test 5 of 20` | `Running tests` |
| the same with the last noun in the plural; a verb that opens a clause, and the clause ends; not with `N/M` | `Running tests 5 of 20` | `Running tests` |
| a verb, up to three nouns, then `:`, `...` or brackets around the numbers, and the clause ends | `Running unit tests: 5/20` | `Running unit tests` |
| | `Downloading (45%)` | `Downloading` |
| the same with the word `progress` instead of a verb | `Progress: 45%` | `Progress` |
| a verb that opens a clause; then the counted nouns, unless the count is a percentage, and the clause ends | `Running 5 of 20 tests` | `Running tests` |
| the same without counted nouns; not with `N/M`, which may be a date | `Running 5 of 20`, `Downloading 45%` | `Running`, `Downloading` |
| a counting word; not with `%` | `Step 3 of 5: build`, `Test #5/20` | `Step 3`, `Test 5` |
| an ambiguous counting word that opens a clause, and the clause ends | `Page 3 of 5`, `Pass 2/3: inline` | `Page 3`, `Pass 2` |
| a completion word before the count; then the counted nouns | `Completed 3 of 10 tasks`, `Processed: 3/10 big files` | `Tasks`, `Big files` |
| the same without counted nouns; not with `N/M`, and with `%` only if the clause ends | `Completed 3 of 10 so far`, `Done: 45%` | `Progress` |
| `ran` that opens a clause; then the counted nouns, and the clause ends | `Ran 5 of 20 tests` | `Tests` |
| one to three nouns that open a clause, the last in the plural, a completion word, a colon; and the clause ends | `Tests completed: 5/20` | `Tests` |
| a completion word after the count | `3 of 14 files processed` | `Files` |
| | `45% complete`, `3/14 done` | `Progress` |
| square brackets at the start of a line, around `N/M`, which may be padded | `[3/7] Linking the app`, `[ 3/10] Linking` | `Linking the app`, `Linking` |
| the same with parentheses, before a verb or a capital letter | `(3/7) linking it` | `linking it` |

A verb ends in `ing`. Counting words are `step`, `phase`, `stage`, `test`,
`task`, `file`, `item`, `batch`, `iteration`, `chunk`, `part`, `module` and
`epoch`. Ambiguous counting words are `pass`, `round`, `page`, `chapter`,
`commit`, `case` and `example`. `attempt` is not one of them: a retry is not
progress. Completion words are `done`, `completed`, `finished` and `processed`;
and after the count, `complete`. The counted nouns are up to three words, of
which only the last is in the plural.

A word opens a clause if it is the first of its line; if it follows punctuation
other than a comma; or if it follows `am`, `are`, `is`, `now`, `currently` or
`still`. A clause ends at the end of the line, or before punctuation, a bracket
or a dash. If a `:` precedes the count, the clause must end after the count. A
`#` may be between a counting word and N. The text before the count may be bold,
as in `**Progress:** 45%`, and so may both numbers, as in `**5** of **20**`.

These are not taken for progress:

| text | why |
|---|---|
| `it is faster on 3 of 4 tasks` | no verb or completion word |
| `Running 5 of 20 tests in CI`, `I suggest running 5 of 20 tests` | may be all that will be run |
| `Showing 5 of 20 tests`, `Saving 45%` | verbs that choose, show or measure |
| `Downloading 45% of it`, `Completed 45% sooner` | the clause continues |
| `Running 3/4`, `Completed 3/4` | may be dates |
| `Attempt 2 of 3`, `Retrying (2/3)`, `Completed 2 of 3 times` | retries |
| `they pass 3 of 4`, `in case 3 of 4 fail`, `see page 3 of 5` | a verb, a condition, a reference |
| `Complete 3 of 10 tasks`, `Done: 18 of 20 tests passed` | an instruction; a result |
| `Testing shows 3 of 4` | a finding |
| `(3/4) of them`, `(3/4)` | may be a parenthetical remark |
| `the tests completed: 5/20`, `I ran 5 of 20 tests` | may be all that will be run |
| `18 of 20 tests passed` | the other two may have failed |
| `Something like 3 of 4`, `Rating: 4/5` | ends in `ing`, but is not a verb for work |
| `1 of the 3`, `step one of five` | not of the form `N of M` |
| `Processing file 3/4/2025`, `src/1/2`, `step 1.2/3` | dates, paths, versions |
| `step 05/20`, `step 5 of 0`, `step 7 of 5` | not a count |
| `not 100% done`, `if 3/4 done` | a negation, a condition |
| `100% sure`, `~95% identical`, `45.5% done` | not done, approximate, not an integer |

## Sub-agents in a text

Mentions are also found by a heuristic:

| text | name |
|---|---|
| `@agent-NAME` | any: letters, digits, `-`, `_` and `:` |
| `NAME agent`, `NAME sub-agent`, `NAME subagent`, and NAME may be in quotes | known: named by `init`, or called before, or one of `general-purpose`, `Explore` and `Plan` |
| the same with NAME in backquotes | any that has a hyphen |
| `the NAME sub-agent`, `the NAME subagent` | any that has a hyphen |
| `using NAME agent`, `using the NAME agent`; also with `launching`, `starting`, `invoking`, `spawning`, `running` and `delegating to`, and with `sub-agent` | any that has a hyphen |
| `sub-agent NAME`, `subagent: NAME` | known, or any that has a hyphen; but without a colon or quotes, none that begins with `re-`, `pre-`, `auto-`, `self-`, `non-` or `agent-` |

So `the main agent`, `a per-session agent`, `the read-only agent`, `agents` and
`agent-based` are not names. Known mistakes: `the read-only sub-agent` and
`using the read-only agent` are taken for names.
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
mod mention;
mod progress;
mod sessions;
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
