//! Passes the assistant lines on to standard output, byte for byte, and
//! decodes none of them.
//!
//! ```text
//! cargo run --release --example select -- session.jsonl > assistant.jsonl
//! ```

use std::{env, io, process::ExitCode};

use linetape::{Error, Level, Reader, Writer};

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");

fn main() -> ExitCode {
    match select() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        // The next program in the pipe, such as `head`, has enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Returns how many lines were bad.
fn select() -> Result<usize, Error> {
    let path = env::args_os().nth(1).unwrap_or_else(|| SAMPLE.into());
    // `route` finds the type of a line in the pass that finds its end.
    let mut reader = Reader::builder().level(Level::Kind).open(path)?;
    let mut writer = Writer::new(io::BufWriter::new(io::stdout().lock()));
    let mut bad = 0;
    while let Some(line) = reader.next_line() {
        match line.and_then(|line| Ok((line.kind()?, line.as_bytes()))) {
            Ok((kind, bytes)) if kind.is("assistant") => {
                writer.write_line(bytes)?;
            }
            Ok(_) => {}
            // A bad line is reported, and the next one is read.
            Err(error) if error.is_recoverable() => {
                eprintln!("{error}");
                bad += 1;
            }
            Err(error) => return Err(error),
        }
    }
    writer.flush()?;
    Ok(bad)
}

fn is_closed_pipe(error: &Error) -> bool {
    let kind = error.io_error().map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}
