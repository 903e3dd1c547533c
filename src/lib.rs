/*!
Reads newline-delimited JSON from AI agents: each line a typed, borrowed
message, without allocating.

An agent writes one JSON object a line: to a pipe while it works, to a
transcript that stays. This crate stands under whatever wants to read that. It
takes bytes from any source, finds every line, and gives a view of it that
knows what the fields of each message mean: of the line decoded by simd-json and
checked whole, or of the text as it stands, with nothing read but what is asked
for. What is bad is an error with its line, its byte and the reason; reading
goes on behind it.

Views borrow from the reader, and cannot be sent to another thread: a view may
have to unescape a string, into an arena that belongs to the reader. These cross
threads: a [`BytesLine`], a [`Record`] (to a scoped thread, because it borrows),
a filled [`Batch`], and an [`owned::Message`].

# Overview

- [`Reader`] pulls lines from anything that implements [`std::io::Read`]: a
  file, a pipe, a socket. Start here. [`lines()`] does the same for bytes in
  memory, and [`Chunks`] for bytes that somebody else reads and pushes.
- [`Record`] is a line that has been decoded, from [`Reader::next_record`],
  [`Line::decode`], or a [`Decoder`] of your own.
- [`Line`] is a line that has not been decoded. [`Line::kind`],
  [`Line::peek`] and [`Line::project`] look at its text, which takes less
  time the less is asked for.
- [`Message`] is what a line or record means: one variant for each type of message of
  five dialects, [`Message::Unknown`] for the rest. The views that it holds are
  in [`message`]. Under them all is [`Value`], the JSON itself.
- [`owned::Message`] is the same, owned: it can be kept, sent to another
  thread, changed, built, and written by a [`Writer`], without loss.
- [`Batch`] keeps many checked lines alive at once.
- The crate `linetape-session` says what the messages of a log mean together:
  tokens and cost, the tree of messages, turns and tool calls, what is wrong.
  `linetape-translate` turns one dialect into another.
- [`Error`] is the one error type.

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

The loop is a `while let` and not a `for`, because a record borrows the reader:
it has to be let go before the next one is read. That is what saves a copy of
every string. [`Reader::into_messages`] is for a `for` loop, with messages that
own what they hold.

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

On a real log, one message of the model spans several lines that share its
`id`, each with a copy of the usage. `UsageTotals` of the crate `linetape-session` counts each
once.

# Example: pull out the tool calls

```
use linetape::{Block, Reader};

let log = &br#"{"type":"assistant","message":{"content":[
{"type":"text","text":"Let me look."},
{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.rs"}}]}}"#[..];
# let log = &log.iter().filter(|b| **b != b'\n').copied().collect::<Vec<_>>()[..];
let mut reader = Reader::new(log);
let mut calls = vec![];
while let Some(record) = reader.next_record() {
    for block in record?.message().content_blocks() {
        if let Block::ToolUse(call) = block {
            let name = call.name().unwrap_or("?").to_string();
            let path = call.input().and_then(|input| input.get("file_path"));
            calls.push((name, path.unwrap().to_string()));
        }
    }
}
assert_eq!(calls, [("Read".to_string(), "\"a.rs\"".to_string())]);
# Ok::<(), linetape::Error>(())
```

# Example: look at every line, and decode few

Most of the time a pipeline wants few of the lines. [`Line::kind`] finds a
line's type in its text, wherever it stands, in a fraction of the time that
decoding takes. [`Line::peek`] gives the same [`Message`] as decoding,
and reads nothing but what it is asked for. The bytes stay as they are.

```
use linetape::Reader;

let log = &br#"{"type":"user","message":{"content":"Hi"}}
{"message":{"usage":{"output_tokens":5}},"type":"assistant"}
"#[..];
let mut reader = Reader::builder().route(true).build(log);
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

**Peek to route, decode to trust.** `kind`, `peek` and `project` always check
that a line is UTF-8, that its strings and brackets are closed and not too deep,
and the outermost object itself, with a `type` and `subtype` that occur once.
What they pass over they do not check further: a line that is bad deep inside
may have a kind, a value in it may read as `None`, and a list may end early
([`Value::check`] says why). What they do give stands in the text, at the place
that was asked for. [`Line::decode`] checks everything, and unescapes
every string. [`Line::check`] checks everything too, keeps nothing, and costs
less; [`Line::checked`] is both, check and peek. Whatever makes data of a
message (`into_owned`, `Serialize`, `deserialize`, [`Writer`]) checks the whole
line, unless that has been done, and returns the error that decoding would.

# Example: keep messages, and write them again

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

A bad line is an error of its own, never the end:

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

Only a source that fails ends the stream; [`Error::is_recoverable`] tells.
[`ReaderBuilder::skip_noise`] passes over notes like the one above, and
[`ReaderBuilder::salvage`] hands out the whole records of a damaged line.
[`ReaderBuilder::skip_bad_lines`] returns no error about a line at all, and
counts them. A [`ReaderBuilder`] sets this for [`Lines`] and [`Chunks`] too.

# A live agent

A line is handed out as soon as its newline has been read. So a conversation
with a running agent works over plain pipes:

```no_run
use linetape::Reader;
use std::process::{Command, Stdio};

let agent = Command::new("agent").stdout(Stdio::piped()).spawn()?;
let mut reader = Reader::new(agent.stdout.expect("it is piped"));
while let Some(record) = reader.next_record() {
    println!("{}", record?.message().text());
}
# Ok::<(), Box<dyn std::error::Error>>(())
```

# What a line is

- A line ends at the byte `0x0A`, and at no other. One carriage return before
  it is dropped with it. Other characters that some programs take for line
  ends, such as U+2028, are text.
- A line of nothing but spaces, tabs and carriage returns is counted and
  skipped.
- A UTF-8 byte order mark at the very beginning is dropped. A stream that
  begins with the mark of UTF-16 gives an error for its first line (for being
  too long, if it is that as well).
- A last line without a newline is read if it is whole, and is
  [truncated](ErrorKind::Truncated) if it is not.

What the lines are depends on the bytes alone, not on the pieces that they
arrive in or on the size of a buffer.

# What a record is

- A record is one JSON object. Its whole line is checked: grammar, escapes,
  numbers, UTF-8. A line that is only looked at is checked less, as said above.
- A `type` or `subtype` that occurs twice is an error, so that nobody can be
  sent the wrong way. Of any other key that is repeated, the last counts.
- A field whose value is of another type than the field reads as `None`, and is
  still there in [`Value`]. It is never an error.
- An integer beyond 64 bits reads as a float, and `-0` as the integer 0.
  Otherwise values are what serde_json makes of them.

# Untrusted input

Every byte may be hostile. No input makes this crate panic, loop or read
outside of a line, and none makes it take more than this:

| what | bound |
|---|---|
| length of a line | [`Limits::max_line`], 64 MiB by default; a longer one is dropped while it is read |
| nesting | [`Limits::max_depth`], 128 by default |
| values in a line | [`Limits::max_nodes`], 8,388,608 by default; decoding takes up to 28 bytes for each, and for each bracket, comma and colon |
| memory to decode a line | up to 34 times its length, given back after a giant line |
| memory of an owned message | up to 400 bytes for each value and key, and the text of its strings |
| memory to look at a line | up to 8 bytes for each string, 16 for each object and array, 40 for each member of the outermost object, twice; and the strings that were unescaped, as often as they were asked for |
| memory for lines | twice the longest allowed and a constant, back to a few hundred KiB after a giant line; none for [`lines()`] |
| work | each byte is searched for newlines once, and moved at most twice before it is decoded; with [`route`](ReaderBuilder::route), a line whose end is not in the buffer yet is searched once more |

To show a log to a person, wrap it in [`Escaped`]: it can hold control
characters that would drive a terminal.

# What things cost

Speeds, as multiples of that of decoding every line and asking nothing: on real
transcripts, and behind the slash on real stream-json, whose lines are shorter.
The README says how they were measured, and how others compare.

| to | use | speed |
|---|---|---|
| find lines | [`Reader::next_line`] | 9 / 7 |
| know the type | [`ReaderBuilder::route`], then [`Line::kind`] | 4 / 3 |
| | [`Line::kind`] alone | 3.3 / 2.3 |
| be sure that a line is good | [`Line::check`] | 2.6 / 1.9 |
| read some fields of some lines | [`Line::kind`], then [`Line::peek`] | 2.5 / 1.6 |
| add up usage | [`Line::peek`], then `linetape_session::UsageTotals` | 1.7 / 1.1 |
| read every string | [`Line::peek`] | 1.4 / 1 |
| have all of it checked | [`Reader::next_record`] | 1 |
| and read every string | [`Record::value`] | 0.8 / 0.7 |
| keep it | `into_owned`, after [`Line::peek`] | 0.7 / 0.4 |
| | `into_owned`, after [`Reader::next_record`] | 0.5 / 0.3 |

# When not to use it

- A JSON document that spans several lines is not newline-delimited JSON, and
  comes out as the lines that it is made of.
- For JSON of your own, with types of your own and one schema, `serde_json` is
  simpler. ([`Record::deserialize`] is there if only some lines are.)

# Crate features

- `owned`, on by default: [`owned`], [`Writer`], `Serialize` for views and
  values. Without it the crate reads, and needs neither serde nor serde_json.
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

mod append;
mod batch;
mod bytes_line;
mod chunks;
mod error;
mod escape;
mod framer;
mod idle;
mod json;
mod limits;
mod line;
mod lines;
pub mod message;
#[cfg(feature = "owned")]
pub mod owned;
mod peek;
mod reader;
mod record;
mod salvage;
mod scan;
mod slice;
pub mod timestamp;
#[cfg(feature = "owned")]
mod write;

pub use batch::{Batch, BatchIter};
pub use bytes_line::BytesLine;
pub use chunks::Chunks;
pub use error::{Error, ErrorKind, Position};
pub use escape::Escaped;
pub use json::{
    Array, Items, JsonType, Members, Object, Projected, Projection, Quoted,
    Value,
};
pub use limits::Limits;
pub use line::Line;
pub use lines::{ErrorCounts, ErrorCountsIter, Splitter, Stats, Step};
pub use message::{Block, Kind, Message, SessionId, Usage};
#[cfg(feature = "owned")]
pub use reader::Messages;
pub use reader::{Reader, ReaderBuilder};
pub use record::{Decoder, Record};
#[doc(hidden)]
pub use scan::Kernel;
pub use slice::{Lines, lines};
#[cfg(feature = "owned")]
pub use write::Writer;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
