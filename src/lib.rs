/*!
Reads newline-delimited JSON from AI agents such as Claude Code, and returns
each line as a typed message that borrows from the reader.

Claude Code writes one JSON object per line: transcripts under
`~/.claude/projects`, and a live stream from
`claude -p --output-format stream-json`. linetape is the parsing layer for tools
that read such logs. It knows the fields of each message in five dialects:

| dialect | written by |
|---|---|
| stream-json | `claude -p --output-format stream-json` |
| Agent SDK messages | programs built on the Claude Agent SDK |
| transcripts | Claude Code, under `~/.claude/projects` |
| specification transcripts | agents that follow an early specification of transcripts |
| agent-server events | agent servers, as events for a user interface |

Unknown message types and fields are kept: read them as a [`Value`].

# Overview

- [`Reader`] reads lines from any [`std::io::Read`]: a file, a pipe, a socket.
  Start here. [`lines()`] reads lines from a byte slice. [`Chunks`] splits
  chunks of bytes that the caller pushes, for example in asynchronous code.
- [`Line`] is a line that has not been decoded. [`Line::kind`], [`Line::peek`]
  and [`Line::projected`] read parts of it on demand. [`Line::strings`] iterates
  over its strings. [`Line::skim`] stops at the requested type or value.
- [`Record`] is a decoded line: simd-json has checked all of it and unescaped
  every string. [`Reader::next_record`], [`Line::decode`] and [`Decoder`] return
  records.
- [`Message`] is the typed reading of a line or record: an enum with one variant
  per message type, and [`Message::Unknown`] for other types. Each variant holds
  a view, with one method per field; the views are in [`message`]. Every view
  gives access to its JSON as a [`Value`].
- [`owned::Message`] is the same schema without a lifetime. It can be kept,
  changed, built, and written by a [`Writer`] without loss.
- [`OwnedLine`] is a checked line that can be kept, sent to another thread and
  read there.
- [`Error`] is the one error type. It has a line number, a byte offset and a
  reason.

Other crates build on this one. `linetape-session` analyses whole
sessions: tokens and cost, the tree of messages, turns and tool calls, and
violations of the format. `linetape-tools` has types for the inputs and results
of tools and for hooks. `linetape-translate` converts between dialects.
`linetape-flow` finds the logs in a folder, decompresses gzip and zstd, splits
asynchronous streams into lines, follows files that grow, and reads files on
several threads. `linetape-redact` removes secrets. `linetape-report` writes
sessions as HTML pages.

# Example: count records by type

```no_run
use linetape::Reader;
use std::collections::BTreeMap;

let mut counts = BTreeMap::new();
let mut reader = Reader::from_path("session.jsonl")?;
while let Some(record) = reader.next_record() {
    let record = record?;
    *counts.entry(record.kind().to_string()).or_insert(0) += 1;
}
println!("{counts:?}"); // {"assistant": 7, "system/init": 1, ...}
# Ok::<(), linetape::Error>(())
```

The loop is a `while let` and not a `for`, because a record borrows from the
reader and must be dropped before the next one is read. This saves a copy of
every string. [`Reader::into_messages`] returns an iterator over owned messages,
for `for` loops.

# Example: add up the tokens

```
use linetape::{Message, Reader};

let log = &br#"{"type":"assistant","message":{"id":"m1","usage":{"output_tokens":5}}}
{"type":"user","message":{"content":"Thanks"}}
{"type":"assistant","message":{"id":"m2","usage":{"output_tokens":7}}}
"#[..];
let mut tokens = 0;
let mut reader = Reader::new(log);
while let Some(record) = reader.next_record() {
    if let Message::Assistant(assistant) = record?.message() {
        let usage = assistant.message().and_then(|message| message.usage());
        tokens += usage.and_then(|usage| usage.output_tokens()).unwrap_or(0);
    }
}
assert_eq!(tokens, 12);
# Ok::<(), linetape::Error>(())
```

In real logs, one message of the model can span several lines. They share its
`id`, and each has a copy of the usage. `linetape_session::UsageTotals` counts
each message once.

# Example: extract the tool calls

The messages of sub-agents can be inside of `progress` lines.
[`Message::tool_calls`] returns their calls too, each with its agent.

```
use linetape::Reader;

let log = &br#"{"type":"assistant","message":{"content":[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.rs"}}]}}
{"type":"progress","data":{"type":"agent_progress","agentId":"x","message":{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"b.rs"}}]}}}}
"#[..];
let mut reader = Reader::new(log);
let mut found = vec![];
while let Some(record) = reader.next_record() {
    for call in record?.message().tool_calls() {
        let path = call.input().and_then(|input| input.get("file_path"));
        let path = path.and_then(|path| path.as_str()).unwrap_or("?");
        found.push((call.name() == Some("Read"), path.to_string(), call.agent_id().is_some()));
    }
}
let expected = [(true, "a.rs", false), (true, "b.rs", true)];
assert_eq!(found, expected.map(|(read, path, agent)| (read, path.to_string(), agent)));
# Ok::<(), linetape::Error>(())
```

# Example: read some fields of some lines

Most programs need few of the lines. [`Line::kind`] finds a line's type in its
text, wherever in the outermost object it is, in a fraction of the time that
decoding takes. [`Line::peek`] returns the same [`Message`] as decoding, but
reads each field only when it is asked for.

```
use linetape::{Level, Reader};

let log = &br#"{"type":"user","message":{"content":"Hi"}}
{"message":{"usage":{"output_tokens":5}},"type":"assistant"}
"#[..];
let mut reader = Reader::builder().level(Level::Kind).build(log);
let (mut tokens, mut verbatim) = (0, vec![]);
while let Some(line) = reader.next_line() {
    let line = line?;
    if line.kind()?.is("assistant") {
        let usage = line.peek()?.usage();
        tokens += usage.and_then(|usage| usage.output_tokens()).unwrap_or(0);
        verbatim.push(line.as_bytes().to_vec());
    }
}
assert_eq!((tokens, verbatim.len()), (5, 1));
# Ok::<(), linetape::Error>(())
```

# How much is checked

There are four levels of checking, from the fastest to the slowest:

| level | checks | returns | can be owned, written or serialised |
|---|---|---|---|
| [`skim`](Line::skim) | where strings and brackets end, up to the requested type or value, and the strings and numbers that are read; a second `type` after that is not seen | [`Skim`]: the kind, and values at paths | after the full check |
| [`peek`](Line::peek), [`kind`](Line::kind), [`projected`](Line::projected) | UTF-8; all strings and brackets are closed, within the depth limit; the grammar of the outermost object; `type` and `subtype` occur at most once | [`Message`], read on demand | after the full check |
| [`checked`](Line::checked) | everything | [`Message`], read on demand | yes |
| [`decode`](Line::decode) | everything | [`Record`], unescaped | yes |

On a valid line, all levels return the same values, with one exception for
`subtype`, which [`Skim`] describes.

- Skimming is right for logs that your own agent wrote, and for logs that
  [`Line::check`] has passed. Do not use it for untrusted logs: if a line has
  two `type` keys, another parser may use the other one.
- Peeking is right to select lines of any log. Nested values are not checked
  until they are read. An invalid one reads as `None` or ends a list early;
  [`Value::check`] returns the error.
- Use `checked` or `decode` where the whole line must be valid.
  [`Line::check`] checks the whole line and returns nothing.
- `into_owned`, `Serialize`, `deserialize` and [`Writer`] run the full check,
  unless the line has already passed it, and return the same error as `decode`.
- [`Line::strings`] checks UTF-8, and each string that it returns.
- A lone surrogate, such as `\ud83d` without its other half, is no character.
  The full check refuses it at its offset. What only reads a line goes on: the
  string reads as `None`, [`Value::as_str_lossy`], `strings` and the keys of an
  [`Object`] have U+FFFD in its place, and all other values can
  be read. Only in a `type` or `subtype` it is an error for `kind` and `peek`.

# Example: keep, change and write messages

```
# #[cfg(feature = "owned")] {
use linetape::{Reader, Writer, owned::Message};

let log = &b"{\"type\":\"user\",\"uuid\":\"u1\",\"novel\":null}\n"[..];
let mut kept = Reader::new(log).into_messages().collect::<Result<Vec<_>, _>>()?;

if let Message::User(user) = &mut kept[0] {
    user.uuid = Some("u2".to_string());
}
let mut writer = Writer::new(vec![]);
for message in &kept {
    writer.write_value(message)?;
}
assert_eq!(
    writer.into_inner()?,
    b"{\"type\":\"user\",\"uuid\":\"u2\",\"novel\":null}\n"
);
# }
# Ok::<(), linetape::Error>(())
```

# Bad lines

A bad line is returned as an error. The next call continues with the next line:

```
use linetape::Reader;

let log = &b"{\"n\":1}\n{\"n\":oops}\nSome note\n{\"n\":2}\n"[..];
let mut reader = Reader::new(log);
let (mut good, mut bad) = (0, vec![]);
while let Some(record) = reader.next_record() {
    match record {
        Ok(_) => good += 1,
        Err(error) => bad.push(error.to_string()),
    }
}
assert_eq!(good, 2);
assert_eq!(bad, [
    "line 2 (byte 13): invalid JSON: expected a value, at `oops}`",
    "line 3 (byte 19): not a JSON object, at `Some note`",
]);
```

Only a failure of the source ends the stream, and then
[`Error::is_recoverable`] returns false. `WouldBlock` and `TimedOut` are
recoverable. Four settings change how bad lines are handled. They apply to
[`Reader`], [`Lines`] and [`Chunks`] alike:

- [`ReaderBuilder::skip_bad_lines`] skips and counts bad lines, so that `?` in a
  loop does not stop at the first one.
- [`ReaderBuilder::skip_noise`] skips lines whose first character after
  whitespace is not `{`, such as `Some note` above. A line that begins with `{`
  and is invalid is still an error.
- [`ReaderBuilder::skip_documents`] skips the rest of a JSON document over
  several lines, as `next_record` does by itself.
- [`ReaderBuilder::salvage`] recovers the whole records of a damaged line.

# Live streams

A reader returns a line as soon as its newline has been read, so it can follow
a running agent over a pipe:

```no_run
use linetape::Reader;
use std::process::{Command, Stdio};

let agent = Command::new("claude")
    .args(["-p", "--output-format", "stream-json", "--verbose"])
    .arg("What does this crate do?")
    .stdout(Stdio::piped())
    .spawn()?;
let mut reader = Reader::new(agent.stdout.expect("it is piped"));
while let Some(record) = reader.next_record() {
    println!("{}", record?.message().text());
}
# Ok::<(), Box<dyn std::error::Error>>(())
```

# When not to use it

- A JSON document that spans several lines is not newline-delimited JSON. This
  crate reports it as [an error](Reader#json-over-several-lines).
- If all lines are of your own types, `serde_json` is simpler. If only some are,
  [`Line::deserialize`] and [`Record::deserialize`] read them.

# Threads

Views cannot be sent to another thread: a view may have to unescape a string
into an arena that belongs to the reader. These types can be sent:

- [`BytesLine`], a line that owns its bytes,
- [`OwnedLine`], a checked line that owns its text and index, with the same views,
- [`Record`], which borrows from the reader, so only to a scoped thread,
- [`owned::Message`].

# What a line is

- A line ends at a line feed (`0x0A`), or at the end of the stream. One
  carriage return before the line feed is dropped too. Characters that some
  programs treat as line ends, such as U+2028, are ordinary text.
- A line of only spaces, tabs and carriage returns is blank. Blank lines are
  counted and skipped.
- A UTF-8 byte order mark (BOM) at the start of the stream is dropped. If the
  stream starts with the BOM of UTF-16, the first line is an
  [`Encoding`](ErrorKind::Encoding) error, or a
  [`LineTooLong`](ErrorKind::LineTooLong) error if it is too long as well.
- A last line without a newline is read if it is complete. If not, it is a
  [`Truncated`](ErrorKind::Truncated) error.

Where lines begin and end depends only on the bytes, not on how they are split
into chunks or on the size of a buffer.

# What a record is

- A record is one JSON object. Its whole line is checked: grammar, escapes,
  numbers, UTF-8.
- A duplicate `type` or `subtype` key is an error, because two parsers could
  disagree about the type of the line. For any other duplicate key, the last
  value counts, unless the reader
  [refuses them](ReaderBuilder::reject_duplicate_keys).
- A field whose value has the wrong type reads as `None`. It is not an error,
  and the value is still available as a [`Value`].
- An integer that does not fit into 64 bits reads as a float, and `-0` reads as
  the integer 0. All other numbers read as `serde_json` reads them.

# Untrusted input

Every byte of the input may be hostile. No input makes this crate panic, loop
forever, or read outside of a line. Memory and work have these limits:

| resource | limit |
|---|---|
| length of a line | [`Limits::max_line`], 64 MiB by default; a longer line is discarded while it is read |
| depth of nesting | [`Limits::max_depth`], 128 by default |
| values and keys in a line | [`Limits::max_nodes`], 8,388,608 by default |
| memory to find lines | twice the maximum length of a line, plus a constant; shrinks to a few hundred KiB after a line of several MiB; none for [`lines()`] |
| memory to peek at a line | up to 16 bytes per string, 32 per object or array and 80 per member of the outermost object; up to 3 times as much if `to_owned_line` needs a second index of the line; each call of a method of [`Skim`] that needs the checks of `peek` makes another index; each access to a string with escapes adds one unescaped copy |
| memory to decode a line | up to 28 bytes per value, key, closing bracket, comma and colon, so up to 34 times the line's length; released after a line that needed more than 8 MiB |
| memory of an [`OwnedLine`] | the text of the line, 8 bytes per string and key, 16 per object and array, and about a hundred bytes |
| memory of an owned message | up to 400 bytes per value and key, plus the text of its strings |
| work | each byte is searched for newlines once, and moved at most twice before it is decoded; if lines are prepared for a [`Level`], a line with a fault, an escaped key or an incomplete end may be searched a second time |

A log can contain control characters that change the state of a terminal. To
print untrusted text, wrap it in [`Escaped`].

# What things cost

A speed of 1 is that of decoding every line and reading no field, and 2 is
twice as fast. The first number is for real transcripts, the second for real
stream-json, whose lines are shorter. `cargo bench` measures most of these
tasks.
[BENCHMARKS](https://github.com/linetape/linetape/blob/main/docs/BENCHMARKS.md)
describes the machine, and compares linetape with other libraries.

| task | method | speed |
|---|---|---|
| find lines | [`Reader::next_line`] | 10 / 7 |
| find the type | [`Level::Kind`], then [`Line::kind`] | 4.3 / 3.5 |
| | [`Line::kind`] at another level | 3.8 / 2.7 |
| | [`Line::skim`], for trusted lines | 9 / 6 |
| check the whole line | [`Level::Check`], then [`Line::check`] | 3.2 / 2.5 |
| check the whole line, and index it | [`Level::Checked`], then [`Line::checked`] | 2.5 / 1.9 |
| read some fields of some lines | [`Line::kind`], then [`Line::peek`] | 3.7 / 2.2 |
| add up usage | [`Line::peek`], then `linetape_session::UsageTotals` | 1.7 / 0.9 |
| read every string, checking each | [`Line::peek`] | 1.6 / 1.2 |
| | [`Line::strings`] | 2 / 1.9 |
| decode | [`Reader::next_record`] | 1 |
| decode and read every string | [`Record::value`] | 0.9 / 0.8 |
| make an owned line, and read every string | [`Line::to_owned_line`] | 1.1 / 0.6 |
| make an owned message | `into_owned`, after [`Line::peek`] | 0.7 / 0.3 |
| | `into_owned`, after [`Reader::next_record`] | 0.5 / 0.3 |

All rows were measured with the AVX-512 kernel.

Decode if you read strings with escapes more than once: a peeked line unescapes
a string at each access.

# Crate features

- `owned` (default): [`owned`], [`Writer`], `deserialize`, and `Serialize` for
  views and values. Without it, the crate depends on neither serde nor
  serde_json.
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

mod bytes_line;
mod chunks;
pub mod edit;
mod error;
mod escape;
mod framer;
mod idle;
mod json;
mod level;
mod limits;
mod line;
mod lines;
pub mod message;
#[cfg(feature = "owned")]
pub mod owned;
mod owned_line;
pub mod reader;
mod record;
mod salvage;
mod scan;
mod skim;
mod slice;
pub mod timestamp;
#[cfg(feature = "serde")]
mod write;

/// What the methods of [`Value`], [`Object`], [`Array`], [`Projection`] and
/// [`Line`] return and take.
pub mod value {
    pub use crate::json::{
        Items, JsonType, Members, Projected, Quoted, StringValues,
    };
}

pub use bytes_line::BytesLine;
pub use chunks::Chunks;
#[doc(inline)]
pub use edit::Edit;
pub use error::{Error, ErrorKind, Position};
pub use escape::Escaped;
pub use json::{Array, Object, Projection, Value};
pub use level::Level;
pub use limits::Limits;
pub use line::Line;
pub use lines::Stats;
#[doc(inline)]
pub use message::{Block, Kind, Message, Usage};
pub use owned_line::OwnedLine;
#[doc(inline)]
pub use reader::{Reader, ReaderBuilder};
pub use record::{Decoder, Record};
#[doc(hidden)]
pub use scan::{Kernel, Prefilter};
pub use skim::Skim;
pub use slice::{Lines, lines};
#[cfg(feature = "serde")]
pub use write::Writer;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
