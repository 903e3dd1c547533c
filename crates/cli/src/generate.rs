//! `linetape generate`: synthetic logs, for tests and benchmarks.

use std::io::{self, BufWriter, Write};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use linetape_generate::{Generator, Shape};

use crate::{outcome::Outcome, output::Output, size::size};

/// The size of the write buffer, in bytes.
const BUFFER: usize = 256 << 10;

/// The log to generate, and the file to write it to.
#[derive(Args)]
pub struct Generate {
    /// The kind of log
    #[arg(long, default_value_t = Shape::Transcript, value_parser = shapes())]
    shape: Shape,
    /// The seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The minimum size of the log in bytes; K, M and G are KiB, MiB and GiB
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "1M",
        value_parser = size
    )]
    bytes: u64,
    #[command(flatten)]
    output: Output,
}

/// Parses the name of a shape, and describes all of them in the help.
fn shapes() -> impl TypedValueParser<Value = Shape> {
    let names = Shape::ALL.map(|shape| {
        PossibleValue::new(shape.name()).help(shape.description())
    });
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Shape>())
}

/// Writes a log, with one line in memory at a time.
pub fn run(generate: &Generate) -> io::Result<Outcome> {
    let Some(out) = generate.output.open(&[]) else {
        return Ok(Outcome::CouldNotRun);
    };
    let mut out = BufWriter::with_capacity(BUFFER, out);
    let mut log = Generator::new(generate.shape, generate.seed);
    log.write(generate.bytes, &mut out)?;
    out.flush()?;
    Ok(Outcome::Fine)
}
