//! The linetape command: inspects the logs of AI agents.

mod arguments;
mod blocks;
mod change;
mod check;
mod complaints;
mod convert;
mod displaced;
mod document;
mod fault;
mod files;
mod fit;
mod follow;
mod gathered;
mod generate;
mod head;
mod indented;
mod input;
mod known;
mod live;
mod manual;
mod misspelt;
mod normalize;
mod outcome;
mod output;
mod owner;
mod pace;
mod paint;
mod plain;
mod progress;
mod real_path;
mod records;
mod redact;
mod report;
mod rest;
mod schema;
mod select;
mod show;
mod signals;
mod size;
mod split;
mod spool;
mod sql;
mod state;
mod stats;
mod table;
mod time;
mod unfinished;
mod usage;
mod watch;

use std::{env, ffi::OsString, io, process::ExitCode};

use clap::Parser;

use arguments::{
    Arguments, Check, Command, Convert, Normalize, RedactLogs, Schema, Select,
    Show, Stats, Usage,
};
use files::Files;
use outcome::{Outcome, print_message};

fn main() -> ExitCode {
    let outcome = match Arguments::try_parse_from(words()) {
        Ok(arguments) => {
            arguments.color.write_global();
            match (arguments.command, arguments.stats) {
                (Some(command), _) => run(command),
                (None, stats) => {
                    match misspelt::message(stats.files.paths()) {
                        Some(message) => {
                            print_message(&message);
                            Ok(Outcome::CouldNotRun)
                        }
                        None => run(Command::Stats(stats)),
                    }
                }
            }
        }
        // Help is an error too. `parse` would ignore that it cannot be
        // printed.
        Err(error) => error.print().map(|()| match error.exit_code() {
            0 => Outcome::Fine,
            _ => Outcome::CouldNotRun,
        }),
    };
    progress::end();
    match outcome {
        Ok(outcome) => ExitCode::from(outcome as u8),
        // A closed pipe: the reader has seen enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            print_message(&format!("cannot write: {error}"));
            ExitCode::from(Outcome::CouldNotRun as u8)
        }
    }
}

/// Returns the words of the command line. After `help`, there are only names
/// of commands: clap would take `--help` for one, too.
fn words() -> Vec<OsString> {
    let mut words: Vec<OsString> = env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "help") {
        words.retain(|word| word != "--help" && word != "-h");
    }
    words
}

fn run(command: Command) -> io::Result<Outcome> {
    if let Some(most) = command.files().and_then(Files::max_plain) {
        plain::limit(most);
    }
    if let Some(files) = command.files() {
        rest::limit_line(files.limits().max_line);
    }
    if let Some((state, files)) = command.state().zip(command.files())
        && !state.is_apart_from(files.paths())
    {
        return Ok(Outcome::CouldNotRun);
    }
    match command {
        Command::Stats(stats) => {
            let Stats { peek, skim, json, threads, state, files } = stats;
            let level = match (peek.peek, skim) {
                (_, true) => stats::Level::Skim,
                (true, _) => stats::Level::Peek,
                _ => stats::Level::Decode,
            };
            stats::run(&files.on(threads), level, json, &state)
        }
        Command::Select(select) => {
            let Select { skim, count, output, followed, state, .. } = select;
            let (filter, files) = (select.filter.skimming(skim), select.files);
            match followed.follow {
                true => select::run_live(&files, &filter, &output, &state),
                false => select::run(&files, &filter, count, &output, &state),
            }
        }
        Command::Show(Show { look, followed, files }) => {
            show::run(&files, &look, followed.follow)
        }
        Command::Usage(usage) => {
            let Usage { grouped, peek, json, threads, state, files } = usage;
            let mut files = files.on(threads);
            usage::run(&grouped, &mut files, peek.peek, json, &state)
        }
        Command::Check(Check { notes, json, files }) => {
            check::run(&files, notes, json)
        }
        Command::Schema(Schema { known: true, json, .. }) => {
            schema::print_known(json)
        }
        Command::Schema(Schema { json, files, .. }) => {
            schema::run(&files, json)
        }
        Command::Normalize(Normalize { output, files }) => {
            normalize::run(&files, &output)
        }
        Command::Convert(Convert { to, output, files }) => {
            convert::run(&files, to, &output)
        }
        Command::Split(split) => split::run(&split),
        Command::Watch(watch) => watch::run(&watch),
        Command::Redact(RedactLogs { redact, files }) => {
            redact::run(&files, &redact)
        }
        Command::Report(report) => report::run(&report),
        Command::Generate(generate) => generate::run(&generate),
        Command::Sql(sql) => sql::run(&sql),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { command } => manual::page(command.as_deref()),
    }
}
