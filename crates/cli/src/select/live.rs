//! `linetape select --follow`.

use std::{
    fs::File,
    io::{self, BufWriter, IsTerminal, Write},
};

use serde_json::Value;

use crate::{
    change::Change,
    files::Files,
    follow,
    input::Input,
    outcome::{Outcome, print_message},
    output::{IS_INPUT, Output},
    select::{
        filter::Filter,
        matchers::Matchers,
        shared::{open_state, write},
    },
    state::StateFile,
};

/// Copies the lines that match, and waits for more until a signal arrives. With
/// a state, continues where the last run ended.
pub fn run_live(
    files: &Files,
    filter: &Filter,
    output: &Output,
    state: &StateFile,
) -> io::Result<Outcome> {
    let paths = files.paths().iter();
    if let Some(path) = paths.clone().find(|path| output.is_log_in(path)) {
        let why = match path.is_dir() {
            true => "the output file is in this folder",
            false => IS_INPUT,
        };
        print_message(&format!("{}: {why}", path.display()));
        return Ok(Outcome::CouldNotRun);
    }
    let Ok((state, calls)) = open_state(files, filter, output, state) else {
        return Ok(Outcome::CouldNotRun);
    };
    let inputs: Vec<Input> = paths.cloned().map(Input::File).collect();
    let Some((out, file)) = output.open(&inputs, state.is_some()) else {
        return Ok(Outcome::CouldNotRun);
    };
    let is_escaped = !output.is_file() && io::stdout().is_terminal();
    let (out, matchers) = (BufWriter::new(out), Matchers::new(filter, &calls));
    follow::for_each_saved(
        files,
        output,
        &mut Following { out, file, matchers },
        |Following { out, matchers, .. }, input, line| {
            if matchers.get(input.name()).matches(line)? {
                write(out, line, is_escaped)?;
            }
            Ok(())
        },
        |Following { matchers, .. }, input, change| match change {
            Change::Moved(old) => matchers.moved(&old.name(), input.name()),
            Change::Gone => matchers.gone(&input.name()),
            Change::Truncated => matchers.truncated(&input.name()),
            Change::Replaced => matchers.replaced(&input.name()),
        },
        |following| following.out.flush(),
        state.map(|state| (state, Following::save)),
    )
}

/// What is written while logs are followed.
struct Following<'f> {
    out: BufWriter<Box<dyn Write>>,
    /// The file of the output, if there is a state.
    file: Option<File>,
    matchers: Matchers<'f>,
}

impl Following<'_> {
    /// Waits until all lines are on the disk, and returns what the next run
    /// needs.
    fn save(&mut self) -> io::Result<Value> {
        self.out.flush()?;
        if let Some(file) = &self.file {
            file.sync_data()?;
        }
        Ok(self.matchers.to_json())
    }
}
