/*!
Makes logs like those of AI agents, always the same for the same seed.

Real logs are private, and they are large. For tests and measurements there
is this crate: it makes newline-delimited JSON of any size whose lines have
the lengths, the keys, the order of keys and the escapes that real ones have.
Nothing in it is real.

# Overview

A [`Shape`] says what the log looks like. [`generate`] makes one in memory,
and a [`Generator`] makes one line by line, or writes it out. The crate has no
dependencies.

The same shape and seed give the same bytes on every platform. Every line is
one JSON object, ends with one LF, and stays within the limits that decoders
commonly have: no line is longer than 16 MB, none is nested deeper than 120
levels, no object has a key twice, no number is beyond 64 bits or a double.

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

# Example: a file that is larger than memory

```no_run
use std::{fs::File, io::BufWriter};

use linetape_generate::{Generator, Shape};

let file = BufWriter::new(File::create("wire.ndjson")?);
Generator::new(Shape::Stream, 1).write(2 << 30, file)?;
# Ok::<(), std::io::Error>(())
```
*/

mod generator;
mod ids;
mod pathological;
mod random;
mod shape;
mod stream;
mod text;
mod tiny;
mod tool;
mod tool_heavy;
mod transcript;
mod unicode;

pub use generator::{Generator, generate};
pub use shape::{Shape, UnknownShape};
