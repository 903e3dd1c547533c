//! The linetape command: looks into the logs of AI agents.

mod input;
mod normalize;
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
    /// Write each record again, in one canonical form
    Normalize(Files),
}

#[derive(Args)]
struct Stats {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    files: Files,
}

#[derive(Args)]
struct Files {
    /// The files to read, `-` for standard input; without any, a sample
    /// session
    files: Vec<PathBuf>,
}

/// How a run ended. The worst thing that happened counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Everything went well.
    Fine = 0,
    /// There were bad lines, for a command that wants none.
    Findings = 1,
    /// Something could not be read or written.
    CouldNotRun = 2,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let command = arguments.command.unwrap_or(Command::Stats(arguments.stats));
    let outcome = match command {
        Command::Stats(stats) => {
            stats::run(&Input::all(&stats.files.files), stats.json)
        }
        Command::Normalize(files) => normalize::run(&Input::all(&files.files)),
    };
    match outcome {
        Ok(outcome) => ExitCode::from(outcome as u8),
        // Whoever read our output has seen enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("cannot write: {error}"));
            ExitCode::from(Outcome::CouldNotRun as u8)
        }
    }
}

/// Tells a person what went wrong.
pub fn complain(what: &str) {
    // If even this cannot be written, there is nobody left to tell.
    let text = Escaped(what.as_bytes());
    let _ = writeln!(io::stderr(), "linetape: {text}");
}
