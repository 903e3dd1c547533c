//! What both ways to select lines have in common.

use std::io::{self, Write};

use linetape::{Escaped, Line};
use serde_json::{Value, json};

use crate::{
    files::Files,
    outcome::Outcome,
    output::Output,
    select::filter::Filter,
    state::{State, StateFile},
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
