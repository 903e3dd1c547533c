//! The linetape command: looks into the logs of AI agents.

mod check;
mod input;
mod normalize;
mod outcome;
mod records;
mod select;
mod show;
mod stats;
mod table;
mod usage;

use std::{io, process::ExitCode};

use clap::{Args, Parser, Subcommand};

use input::Files;
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
    /// Print what the messages of the model used: tokens, calls of tools, and
    /// what the agent says that it cost
    ///
    /// A message that is on several lines counts once. Costs are the agent's
    /// own estimates, so they are there only where it gives some: for
    /// sessions, and for models.
    Usage(Usage),
    /// Print every bad line and every broken rule, as `file:line:byte rule
    /// message`
    ///
    /// The rules are about fields, identifiers, sub-agents, and calls of
    /// tools with their results. The exit code is 1 if something is wrong.
    Check(Check),
    /// Print sessions as a person reads them
    Show(Show),
}

#[derive(Args)]
struct Stats {
    /// Do not decode lines, which is faster if they are long: a line with bad
    /// JSON deep inside counts as a record then
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
struct Usage {
    /// What to add up by
    #[arg(long, value_enum, default_value_t)]
    by: usage::By,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    files: Files,
}

#[derive(Args)]
struct Check {
    /// Print what is odd but not wrong as well: agents do so on purpose, or
    /// the log is only a part of a session
    #[arg(long)]
    notes: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    files: Files,
}

#[derive(Args)]
struct Show {
    /// Print all of what tools give back
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    files: Files,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let command = arguments.command.unwrap_or(Command::Stats(arguments.stats));
    let outcome = match command {
        Command::Stats(Stats { peek, json, files }) => {
            stats::run(&files, peek, json)
        }
        Command::Select(Select { filter, files }) => {
            select::run(&files, &filter)
        }
        Command::Normalize(files) => normalize::run(&files),
        Command::Usage(Usage { by, json, files }) => {
            usage::run(&files, by, json)
        }
        Command::Check(Check { notes, json, files }) => {
            check::run(&files, notes, json)
        }
        Command::Show(Show { full, files }) => show::run(&files, full),
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
