/*!
Reads newline-delimited JSON from AI agents, line by line, without copying.

An agent writes one JSON object a line: to a pipe while it works, to a
transcript that stays. This crate stands under whatever wants to read that.
It takes bytes from any source and hands out every physical line, with its
number and its offset, in bounded memory, whatever the bytes are.

# Overview

Three types hand out lines. They differ in where the bytes come from, and
follow the same rules:

- [`Reader`] pulls from anything that implements [`std::io::Read`]: a file, a
  pipe, a socket. Start here.
- [`lines()`] goes through bytes that are in memory already, a mapped file for
  example, and never writes to them.
- [`Chunks`] is for bytes that somebody else reads and pushes, such as an
  asynchronous runtime. Its lines are owned, and can go to another thread.

Each gives a [`Line`] (or a [`BytesLine`]) or an [`Error`], and goes on behind
the error. Under them all is [`Splitter`], which does no I/O and keeps no
bytes: build on it if none of the three fits.

# Example: read a file

```no_run
use linetape::Reader;

let mut reader = Reader::from_path("session.jsonl")?;
while let Some(line) = reader.next_line() {
    let line = line?;
    println!("line {} has {} bytes", line.number(), line.as_bytes().len());
}
# Ok::<(), linetape::Error>(())
```

The loop is a `while let` and not a `for`, because a line borrows the reader's
buffer: it has to be let go before the next one is read. That is what saves a
copy of every line.

# Example: go on after a bad line

A bad line is an error of its own, never the end. Here one line is longer than
allowed, and the lines around it are read all the same.

```
use linetape::Reader;

let log = &b"{\"n\":1}\n{\"text\":\"far too long\"}\n{\"n\":2}\n"[..];
let mut reader = Reader::builder().max_line(10).build(log);
let (mut good, mut bad) = (0, vec![]);
while let Some(line) = reader.next_line() {
    match line {
        Ok(_) => good += 1,
        Err(error) => bad.push(error.to_string()),
    }
}
assert_eq!(good, 2);
assert_eq!(bad, ["line 2 (byte 8): the line has 23 bytes, 10 are allowed"]);
```

# Example: follow a live agent

A line is handed out as soon as its newline has been read. So a conversation
with a running agent works over plain pipes.

```no_run
use linetape::Reader;
use std::process::{Command, Stdio};

let agent = Command::new("agent").stdout(Stdio::piped()).spawn()?;
let mut reader = Reader::new(agent.stdout.expect("it is piped"));
while let Some(line) = reader.next_line() {
    println!("{:?}", line?);
}
# Ok::<(), Box<dyn std::error::Error>>(())
```

# Example: lines for another thread

```
use linetape::Chunks;

let mut chunks = Chunks::new();
let mut lines = vec![];
for chunk in ["{\"n\":1}\n{\"n", "\":2}\n"] {
    chunks.push(chunk);
    while let Some(line) = chunks.next_line() {
        lines.push(line?);
    }
}
let there = std::thread::spawn(move || lines.len());
assert_eq!(there.join().unwrap(), 2);
# Ok::<(), linetape::Error>(())
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
- A last line without a newline is handed out, and
  [says so](Line::is_terminated).

What the lines are depends on the bytes alone, not on the pieces that they
arrive in or on the size of a buffer.

# Untrusted input

Every byte may be hostile. No input makes this crate panic, loop or read
outside of a line, and none makes it take more memory than this:

| what | bound |
|---|---|
| line | [`Limits::max_line`], 64 MiB by default; a longer one is dropped while it is read |
| memory | twice that and a constant for a [`Reader`] or [`Chunks`], back to a few hundred KiB after a giant line; none for [`lines()`] |
| work | each byte is searched once, and moved at most twice |

To show a line to a person, wrap it in [`Escaped`]: a log can hold control
characters that would drive a terminal.

# When not to use it

A JSON document that spans several lines is not newline-delimited JSON, and
comes out as the lines that it is made of. This version frames lines and does
not look into them: it neither checks nor decodes their JSON.
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

mod batch;
mod chunks;
mod error;
mod escape;
mod json;
mod limits;
mod line;
mod lines;
pub mod message;
#[cfg(feature = "owned")]
pub mod owned;
mod reader;
mod record;
mod slice;
#[cfg(feature = "owned")]
mod write;

pub use batch::Batch;
pub use chunks::{BytesLine, Chunks};
pub use error::{Error, ErrorKind, Position};
pub use escape::Escaped;
pub use json::{Array, Items, Members, Object, Value};
pub use limits::Limits;
pub use line::Line;
pub use lines::{ErrorCounts, Splitter, Stats, Step};
pub use message::{Kind, Message};
#[cfg(feature = "owned")]
pub use reader::Messages;
pub use reader::{Reader, ReaderBuilder};
pub use record::{Decoder, Record};
pub use slice::{Lines, lines};
#[cfg(feature = "owned")]
pub use write::Writer;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
