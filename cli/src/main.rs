//! The linetape command: looks into the logs of AI agents.

mod input;
mod stats;

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};
use linetape::Escaped;

use input::Input;

/// Looks into the logs of AI agents: newline-delimited JSON, from files or a
/// pipe.
#[derive(Parser)]
#[command(
    name = "linetape",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_precedence_over_arg = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    stats: Stats,
}

#[derive(Subcommand)]
enum Command {
    /// Report what the files hold (this is also what happens without a
    /// command)
    Stats(Stats),
}

#[derive(Args)]
struct Stats {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// The files to read, `-` for standard input; without any, a sample
    /// session
    files: Vec<PathBuf>,
}

/// Everything went well.
const FINE: u8 = 0;
/// Something could not be read or written.
const COULD_NOT_RUN: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let stats = match arguments.command {
        Some(Command::Stats(stats)) => stats,
        None => arguments.stats,
    };
    match run(&stats) {
        Ok(code) => ExitCode::from(code),
        // Whoever read our output has seen enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("cannot write: {error}"));
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

fn run(arguments: &Stats) -> io::Result<u8> {
    let mut report = stats::Report::default();
    let mut code = FINE;
    for input in Input::all(&arguments.files) {
        if let Err(error) = report.read(&input) {
            complain(&format!("{input}: {error}"));
            code = COULD_NOT_RUN;
        }
    }
    let mut out = io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", report.to_json())?;
    } else {
        write!(out, "{report}")?;
    }
    out.flush()?;
    Ok(code)
}

/// Tells a person what went wrong.
fn complain(what: &str) {
    // If even this cannot be written, there is nobody left to tell.
    let text = Escaped(what.as_bytes());
    let _ = writeln!(io::stderr(), "linetape: {text}");
}
