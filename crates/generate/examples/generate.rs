//! Writes a log to standard output.
//!
//! ```console
//! $ cargo run --release -p linetape-generate --example generate -- \
//!     transcript 1 1000000 > a.jsonl
//! ```

use std::{env, error::Error, io};

use linetape_generate::{Generator, Shape};

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: generate SHAPE SEED BYTES";
    let mut arguments = env::args().skip(1);
    let mut next = || arguments.next().ok_or(usage);
    let shape: Shape = next()?.parse()?;
    let seed = next()?.parse()?;
    let size = next()?.parse()?;
    let out = io::BufWriter::with_capacity(1 << 18, io::stdout().lock());
    Generator::new(shape, seed).write(size, out)?;
    Ok(())
}
