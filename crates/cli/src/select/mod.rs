//! `linetape select`: copies the lines that match.

mod contains;
mod filter;
mod role;
mod tool;

use std::{
    collections::BTreeMap,
    io::{self, BufWriter, IsTerminal, Write},
};

use linetape::{Escaped, Line};
use serde_json::{Value, json};

use crate::{
    complaints::Complaints,
    files::Files,
    follow,
    input::Input,
    live::Live,
    outcome::{Outcome, print_message},
    output::{Output, Prints},
    state::StateFile,
};

pub use filter::Filter;

/// Copies the lines that match, and waits for more until a signal arrives.
pub fn run_live(
    files: &Files,
    filter: &Filter,
    output: &Output,
) -> io::Result<Outcome> {
    let paths = files.paths().iter();
    if let Some(folder) = paths.clone().find(|path| output.is_log_in(path)) {
        let folder = folder.display();
        print_message(&format!("{folder}: the output file is in this folder"));
        return Ok(Outcome::CouldNotRun);
    }
    let inputs: Vec<Input> = paths.cloned().map(Input::File).collect();
    let Some(out) = output.open(&inputs) else {
        return Ok(Outcome::CouldNotRun);
    };
    let is_escaped = !output.is_file() && io::stdout().is_terminal();
    let mut matchers = BTreeMap::new();
    follow::for_each(
        files,
        &mut BufWriter::new(out),
        |out, input, line| {
            let matcher = matchers
                .entry(input.name())
                .or_insert_with(|| filter.matcher(&Value::Null));
            if matcher.matches(line)? {
                write(out, line, is_escaped)?;
            }
            Ok(())
        },
        |out| out.flush(),
    )
}

/// Writes a line. Programs get the bytes, but a terminal would interpret
/// control characters.
fn write(
    mut out: impl Write,
    line: &Line<'_>,
    is_escaped: bool,
) -> io::Result<()> {
    if is_escaped {
        return writeln!(out, "{}", Escaped::new(line));
    }
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")
}

/// Copies the lines that match, or with `count` prints their number. Reports
/// invalid lines on standard error. With a state, only new lines are read.
pub fn run(
    files: &Files,
    filter: &Filter,
    count: bool,
    output: &Output,
    state: &StateFile,
) -> io::Result<Outcome> {
    let mut arguments = vec!["select".to_string()];
    arguments.extend(filter.arguments());
    arguments.extend(files.arguments());
    let Ok(mut state) = state.open(arguments) else {
        return Ok(Outcome::CouldNotRun);
    };
    let saved = state.as_mut().and_then(|state| state.take_saved());
    let saved = saved.map(|(calls, _)| calls);
    let mut calls = saved.filter(Value::is_object).unwrap_or(json!({}));
    let prints = if count { Prints::AtTheEnd } else { output.prints() };
    let mut outcome = Outcome::Fine;
    let mut complaints = Complaints::default();
    let Some((mut inputs, out)) =
        Live::open(files, output, prints, &mut outcome)
    else {
        return Ok(Outcome::CouldNotRun);
    };
    if let Some(state) = &mut state {
        inputs = state.plan(inputs, &mut outcome);
        for (old, new) in state.moved() {
            let [old, new] = [old, new].map(|path| path.display().to_string());
            calls[new] = calls[old].take();
        }
    }
    let mut is_read = true;
    let is_escaped = !output.is_file() && io::stdout().is_terminal();
    let mut matches = 0u64;
    for input in &inputs {
        let Some(source) = input.open_or_report(&mut outcome) else {
            is_read = false;
            continue;
        };
        let reader = files.reader().route(!filter.skims());
        let reader = reader.start(input.start());
        let mut reader = reader.build(out.feed(source));
        let name = input.to_string();
        let mut matcher = filter.matcher(&calls[&name]);
        while let Some(line) = reader.next_line() {
            let matched =
                line.and_then(|line| Ok((matcher.matches(&line)?, line)));
            match matched {
                Ok((true, _)) if count => matches += 1,
                Ok((true, line)) => write(&out, &line, is_escaped)?,
                Ok((false, _)) => {}
                Err(error) => {
                    is_read &= error.is_recoverable();
                    complaints.error(input, &error, &mut outcome);
                }
            }
        }
        complaints.end(input);
        if state.is_some() && filter.needs_calls() {
            calls[&name] = matcher.calls();
        }
    }
    if count {
        writeln!(&out, "{matches}")?;
    }
    out.finish()?;
    // After the lines are written: a line can be written twice, but none is
    // lost.
    if let Some(state) = state.filter(|_| is_read) {
        state.save(|| (calls, vec![]), &mut outcome);
    }
    Ok(outcome)
}
