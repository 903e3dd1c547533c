//! Logs that are made up, for tests and measurements.

use std::io::{self, BufWriter, Write};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use linetape_generate::{Generator, Shape};

use crate::{outcome::Outcome, output::Output, size::size};

/// How much is written at a time.
const BUFFER: usize = 256 << 10;

/// What to make, and where it goes.
#[derive(Args)]
pub struct Generate {
    /// What the log looks like
    #[arg(long, default_value_t = Shape::Transcript, value_parser = shapes())]
    shape: Shape,
    /// Another number makes another log
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How large the log is at least, as its last line is whole: a number of
    /// bytes, or of KiB, MiB or GiB with K, M or G behind it
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

/// The names of all shapes, and what they are.
fn shapes() -> impl TypedValueParser<Value = Shape> {
    let names = Shape::ALL.map(|shape| {
        PossibleValue::new(shape.name()).help(shape.description())
    });
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Shape>())
}

/// Writes a log. Only one line of it is in memory at a time.
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
