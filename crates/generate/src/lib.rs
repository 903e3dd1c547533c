/*!
Generates reproducible logs like those of AI agents, for tests and benchmarks.

Real logs are private and large. This crate generates newline-delimited JSON of
any size whose lines have the lengths, the keys, the order of keys and the
escapes of real logs. The contents are invented.

# Overview

A [`Shape`] is a kind of log. [`generate`] returns a log in memory, and a
[`Generator`] returns one line by line, or writes it to a file. The crate has no
dependencies.

The same shape and seed give the same bytes on every platform. Every line is one
JSON object, ends with one LF, and is within the usual limits of decoders: at
most 16 MB long, nested at most 120 levels deep, without duplicate keys, and
without numbers that exceed 64 bits or the range of a double.

# Example: a log in memory

```
use linetape_generate::{Shape, generate};

let log = generate(Shape::Transcript, 1, 1 << 20);

let mut lines = linetape::lines(&log);
let mut assistant = 0;
while let Some(record) = lines.next_record() {
    let record = record?;
    if record.kind().is("assistant") {
        assistant += 1;
    }
}
assert!(assistant > 100);
# Ok::<(), linetape::Error>(())
```

# Example: a file larger than memory

```no_run
use std::{fs::File, io::BufWriter};

use linetape_generate::{Generator, Shape};

let file = BufWriter::new(File::create("wire.ndjson")?);
Generator::new(Shape::Stream, 1).write(2 << 30, file)?;
# Ok::<(), std::io::Error>(())
```
*/

mod fill;
mod generator;
mod log;
mod pathological;
mod random;
mod shape;
mod stream;
mod text;
mod transcript;

pub use generator::{Generator, generate};
pub use shape::{Shape, UnknownShape};
