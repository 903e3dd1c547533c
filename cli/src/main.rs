//! The linetape command: looks into the logs of AI agents.

mod input;
mod normalize;
mod outcome;
mod select;
mod stats;

use std::{io, path::PathBuf, process::ExitCode};

use clap::{Args, Parser, Subcommand};

use input::Input;
use outcome::{Outcome, complain};

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
    /// Write the lines that match, as they stand
    ///
    /// Without a filter every line is written, but for blank ones. A line is
    /// written byte for byte, but always ends in one LF, even if it ended in
    /// CRLF or was the last and had no newline. A line that cannot be read is
    /// never written, with --invert neither: it is named on standard error,
    /// and the exit code is 1. Lines are not decoded, so one that is bad deep
    /// inside can match.
    Select(Select),
    /// Write each record again, in one canonical form
    Normalize(Files),
}

#[derive(Args)]
struct Stats {
    /// Look at nothing but the types, which is faster: a line with bad JSON
    /// deeper inside counts as a record then
    #[arg(long)]
    peek: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    files: Files,
}

#[derive(Args)]
struct Select {
    #[command(flatten)]
    filter: select::Filter,
    #[command(flatten)]
    files: Files,
}

#[derive(Args)]
struct Files {
    /// The files to read, `-` for standard input; without any, a sample
    /// session
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let command = arguments.command.unwrap_or(Command::Stats(arguments.stats));
    let outcome = match command {
        Command::Stats(stats) => {
            let inputs = Input::all(&stats.files.files);
            stats::run(&inputs, stats.peek, stats.json)
        }
        Command::Select(Select { filter, files }) => {
            select::run(&Input::all(&files.files), &filter)
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
