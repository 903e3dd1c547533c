//! `linetape select`: copies the lines that match.

mod contains;
mod filter;
mod live;
mod matchers;
mod role;
mod shared;
mod tool;

use std::io::{self, IsTerminal, Write};

use linetape::{Level, Message};
use linetape_session::Foreign;
use serde_json::Value;

use crate::{
    complaints::Complaints,
    files::Files,
    live::Live,
    outcome::Outcome,
    output::{Output, Prints},
    recognised::report_foreign,
    state::{StateFile, is_final},
};

use shared::{open_state, write};

pub use filter::Filter;
pub use live::run_live;

/// Copies the lines that match, or with `count` prints their number. Reports
/// bad lines on standard error. With a state, only new lines are read.
pub fn run(
    files: &Files,
    filter: &Filter,
    count: bool,
    output: &Output,
    state: &StateFile,
) -> io::Result<Outcome> {
    let opened = open_state(files, filter, output, state);
    let Ok((mut state, mut calls)) = opened else {
        return Ok(Outcome::CouldNotRun);
    };
    let prints = if count { Prints::AtTheEnd } else { output.prints() };
    let mut outcome = Outcome::Fine;
    let mut complaints = Complaints::default();
    let appends = state.is_some();
    let opened = Live::open(files, output, prints, appends, &mut outcome);
    let Some((mut inputs, out)) = opened else {
        return Ok(Outcome::CouldNotRun);
    };
    if let Some(state) = &mut state {
        inputs = state.plan(inputs, &mut outcome);
        if let Value::Object(calls) = &mut calls {
            let renamed = state.renamed(|key| calls.remove(key));
            calls.extend(renamed);
        }
    }
    let mut failed = vec![];
    let is_escaped = !output.is_file() && io::stdout().is_terminal();
    let mut matches = 0u64;
    for input in &inputs {
        let Some(source) = input.open_or_report(&mut outcome) else {
            failed.push(input);
            continue;
        };
        let level = match filter.skims() {
            true => Level::Line,
            false => Level::Kind,
        };
        let reader = files.reader(level).start(input.start());
        let mut reader = reader.build(out.feed(source));
        let (name, mut is_read) = (input.key(), true);
        let mut matcher = filter.matcher(&calls[&name]);
        let mut is_known = false;
        while let Some(line) = reader.next_line() {
            let matched =
                line.and_then(|line| Ok((matcher.matches(&line)?, line)));
            if let Ok((_, line)) = &matched
                && !is_known
                && let Ok(message) = line.peek()
            {
                // The lines after the first message that is known are not
                // looked at, which would take time.
                is_known = !matches!(message, Message::Unknown(_));
                if let Some(program) = Foreign::of(message) {
                    report_foreign(input, program);
                    is_known = true;
                }
            }
            match matched {
                Ok((true, _)) if count => matches += 1,
                Ok((true, line)) => write(&out, &line, is_escaped)?,
                Ok((false, _)) => {}
                Err(error) => {
                    is_read &= is_final(&error);
                    out.check()?;
                    complaints.error(input, &error, &mut outcome);
                }
            }
        }
        complaints.end(input);
        if !is_read {
            failed.push(input);
        } else if state.is_some() && filter.needs_calls() {
            calls[&name] = matcher.calls();
        }
    }
    if count {
        writeln!(&out, "{matches}")?;
    }
    out.finish()?;
    // After the lines are written: a line can be written twice, but none is
    // lost.
    if let Some(state) = &mut state {
        failed.iter().for_each(|input| state.fail(input));
        if let Value::Object(calls) = &mut calls
            && !calls.is_empty()
        {
            // Those of files that are forgotten would stay for ever.
            let known = state.paths();
            calls.retain(|path, _| known.contains(path));
        }
        state.save(|| (calls, vec![]), &mut outcome);
    }
    Ok(outcome)
}
