//! What both ways to select lines have in common.

use std::io::{self, Write};

use linetape::{Escaped, Line};
use serde_json::{Value, json};

use crate::{
    files::Files,
    outcome::Outcome,
    output::Output,
    select::filter::Filter,
    state::{Move, State, StateFile},
};

/// Opens the state, if one was given. Also returns the calls of earlier runs,
/// by the key of their input.
pub fn open_state(
    files: &Files,
    filter: &Filter,
    output: &Output,
    state: &StateFile,
) -> Result<(Option<State>, Value), Outcome> {
    if !state.is_apart_from_output(output) {
        return Err(Outcome::CouldNotRun);
    }
    let mut arguments = vec!["select".to_string()];
    arguments.extend(filter.arguments());
    arguments.extend(files.arguments());
    let mut state = state.open(arguments)?;
    let saved = state.as_mut().and_then(|state| state.take_saved());
    let saved = saved.map(|(calls, _)| calls);
    let calls = saved.filter(Value::is_object).unwrap_or(json!({}));
    Ok((state, calls))
}

/// Gives calls the new paths of their inputs. Removes those without one.
pub fn move_calls(calls: &mut Value, moved: &[Move]) {
    let Value::Object(calls) = calls else { return };
    // All old paths first: one of them can be the new path of another input.
    let moved: Vec<_> = moved
        .iter()
        .map(|(old, new)| (new, calls.remove(&old.display().to_string())))
        .collect();
    for (new, ids) in moved {
        let new = new.as_ref().map(|new| new.display().to_string());
        calls.extend(new.zip(ids));
    }
}

/// Writes a line. Programs get the bytes, but a terminal would interpret
/// control characters.
pub fn write(
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
