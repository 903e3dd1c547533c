/*!
The `linetape` command: inspects the logs of AI agents.

The command is a library, so that its manual pages and shell completions can be
made from its [command line](command).
*/

mod arguments;
mod blocks;
mod change;
mod check;
mod complaints;
#[cfg(feature = "convert")]
mod convert;
mod document;
mod fault;
mod files;
mod fit;
mod follow;
mod gathered;
mod input;
mod live;
mod misspelt;
#[cfg(feature = "convert")]
mod normalize;
mod outcome;
mod output;
mod owner;
mod pace;
mod paint;
mod plain;
mod progress;
mod real_path;
mod recognised;
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
mod standard;
mod state;
mod stats;
mod subagents;
mod table;
mod time;
mod unused;
mod usage;
mod watch;

use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use clap::{CommandFactory, FromArgMatches};

use arguments::{
    Arguments, Check, Command, RedactLogs, Schema, Select, Show, Stats, Usage,
};
use outcome::{Outcome, print_message};

/// Returns the command line, as clap describes it.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command with the arguments of the process. Returns its exit code.
pub fn run() -> ExitCode {
    let outcome = match parse() {
        Ok((arguments, name)) => {
            arguments.color.write_global();
            match (arguments.command, name) {
                (Some(command), Some(name)) => run_named(command, &name),
                (_, _) => run_bare(arguments.stats),
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

/// Returns the command line, and the name of its command.
fn parse() -> Result<(Arguments, Option<String>), clap::Error> {
    let mut command = Arguments::command();
    let matches = command.try_get_matches_from_mut(words())?;
    let name = matches.subcommand_name().map(str::to_string);
    let arguments = Arguments::from_arg_matches(&matches);
    Ok((arguments.map_err(|error| error.format(&mut command))?, name))
}

/// Runs a command that was named. If it has nothing to read, prints how it is
/// used.
fn run_named(mut command: Command, name: &str) -> io::Result<Outcome> {
    if command.needs_input()
        && let Some(files) = command.files()
        && !files.find()
    {
        print_message("nothing to read");
        // There is nowhere to report an error of this write.
        _ = io::stderr().write_all(usage_of(name).as_bytes());
        return Ok(Outcome::CouldNotRun);
    }
    run_command(command)
}

/// Runs `linetape` without a command: a summary of the inputs, or of the sample
/// session if there are none.
fn run_bare(mut stats: Stats) -> io::Result<Outcome> {
    if let Some(message) = misspelt::message(stats.files.paths()) {
        print_message(&message);
        return Ok(Outcome::CouldNotRun);
    }
    if !stats.files.find() {
        stats.files.use_sample();
        // The text says so itself.
        if stats.json {
            print_message("nothing to read; this is the sample session");
        }
    }
    run_command(Command::Stats(stats))
}

/// Returns how a command is used, in a few lines.
fn usage_of(name: &str) -> String {
    let mut command = Arguments::command();
    command.build();
    let usage = command.find_subcommand_mut(name).map(|c| c.render_usage());
    format!(
        "{}\nName files or folders, pipe a log into the command, or use --sample \
         for a built-in\nsession. `linetape help {name}` prints all options.\n",
        usage.unwrap_or_default()
    )
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

fn run_command(mut command: Command) -> io::Result<Outcome> {
    let mut paths = vec![];
    if let Some(files) = command.files() {
        if let Some(most) = files.max_plain() {
            plain::limit(most);
        }
        paths = files.paths().to_vec();
    }
    if let Some(state) = command.state()
        && !state.is_apart_from(&paths)
    {
        return Ok(Outcome::CouldNotRun);
    }
    match command {
        Command::Stats(stats) => {
            let Stats { peek, skim, json, threads, subagents, .. } = stats;
            let (state, files) = (stats.state, stats.files.with(subagents));
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
        Command::Show(Show { look, followed, subagents, files }) => {
            show::run(&files.with(subagents), &look, followed.follow)
        }
        Command::Usage(usage) => {
            let Usage { grouped, peek, json, threads, state, .. } = usage;
            let mut files = usage.files.on(threads).with(usage.subagents);
            usage::run(&grouped, &mut files, peek.peek, json, &state)
        }
        Command::Check(Check { notes, json, subagents, files }) => {
            check::run(&files.with(subagents), notes, json)
        }
        Command::Schema(Schema { known: true, json, .. }) => {
            schema::print_known(json)
        }
        Command::Schema(Schema { json, files, .. }) => {
            schema::run(&files, json)
        }
        #[cfg(feature = "convert")]
        Command::Normalize(arguments::Normalize { output, files }) => {
            normalize::run(&files, &output)
        }
        #[cfg(feature = "convert")]
        Command::Convert(arguments::Convert { to, output, files }) => {
            convert::run(&files, to, &output)
        }
        Command::Split(split) => split::run(&split),
        Command::Watch(watch) => watch::run(&watch),
        Command::Redact(RedactLogs { redact, subagents, files }) => {
            redact::run(&files.with(subagents), &redact)
        }
        Command::Report(report) => report::run(report),
        Command::Sql(sql) => sql::run(&sql),
    }
}
