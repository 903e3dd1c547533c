//! What a run that was killed or has failed was about to do, so that the next
//! run can repair what it has written.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use linetape_flow::{Checkpoint, Format};
use serde_json::{Value, json};

use crate::{
    input::Input, outcome::print_message, plain::plain, rest::end_of_lines,
};

/// The output and the inputs of a run, as they were when the state was saved.
/// They are in the state until the run has ended.
pub struct Unfinished {
    /// What the file has after it was written by the run. `None` if the lines
    /// go to a folder.
    output: Option<Checkpoint>,
    /// The inputs of the run, up to where it wanted to read. `None` if they
    /// are not known.
    inputs: Option<Vec<Checkpoint>>,
}

impl Unfinished {
    /// Describes an output as it is now.
    pub fn new(
        output: Option<&Path>,
        inputs: Option<Vec<Checkpoint>>,
    ) -> io::Result<Unfinished> {
        let as_now = |path: &Path| {
            let size = std::fs::metadata(path)?.len();
            Checkpoint::of_file(path, size)
        };
        Ok(Unfinished { output: output.map(as_now).transpose()?, inputs })
    }

    pub fn to_json(&self) -> Option<Value> {
        let inputs = match &self.inputs {
            Some(inputs) => {
                let inputs = inputs.iter().map(|input| input.to_json().ok());
                Some(inputs.collect::<Option<Vec<String>>>()?)
            }
            None => None,
        };
        let output = match &self.output {
            Some(output) => Some(output.to_json().ok()?),
            None => None,
        };
        Some(json!({"output": output, "inputs": inputs}))
    }

    pub fn read(value: &Value) -> Option<Unfinished> {
        let read =
            |text: &Value| Checkpoint::parse(text.as_str()?.as_bytes()).ok();
        let inputs = match value["inputs"].as_array() {
            Some(inputs) => inputs.iter().map(read).collect(),
            None => None,
        };
        let output = read(&value["output"]);
        (output.is_some() || inputs.is_some())
            .then_some(Unfinished { output, inputs })
    }

    /// Removes what the run has written after the state was saved: all of it,
    /// if this run reads the same lines again, and otherwise a last line
    /// without a newline. Says how much it was. Does nothing if the file is
    /// another one.
    pub fn repair(
        &self,
        path: &Path,
        file: &mut File,
        inputs: &[Input],
    ) -> io::Result<()> {
        let Some(output) = &self.output else { return Ok(()) };
        let facts = file.metadata()?;
        if !output.has_identity(&facts) || !output.is_of(path)? {
            return Ok(());
        }
        let size = output.offset();
        let end = match self.inputs.is_some() && self.is_read_again(inputs) {
            true => size,
            false => end_of_lines(file, size, facts.len())?,
        };
        let removed = facts.len().saturating_sub(end);
        if removed > 0 {
            file.set_len(end)?;
            report_removed(path, removed);
        }
        Ok(())
    }

    /// Returns whether all lines that the run wanted to read are in the inputs
    /// of this run, under any name, or are not known. If not, that is reported.
    pub fn is_read_again(&self, inputs: &[Input]) -> bool {
        let wanted = self.inputs.iter().flatten();
        let lost = wanted.into_iter().find(|wanted| {
            let at_path = wanted.is_of(wanted.path());
            !at_path.unwrap_or(false)
                && !inputs.iter().any(|input| is_in(wanted, input))
        });
        if let Some(lost) = lost {
            print_message(&format!(
                "{}: not as the interrupted run has read it, so what that run \
                 has written is kept; lines of other inputs may be written \
                 twice",
                lost.path().display()
            ));
        }
        lost.is_none()
    }
}

/// Returns whether an input has the lines of a checkpoint.
fn is_in(wanted: &Checkpoint, input: &Input) -> bool {
    let Some(path) = input.path() else { return false };
    if !path.is_file() {
        return false;
    }
    wanted.is_of(path).unwrap_or(false)
        || is_in_compressed(wanted, path).unwrap_or(false)
}

fn is_in_compressed(wanted: &Checkpoint, path: &Path) -> io::Result<bool> {
    let mut first = [0; 4];
    let length = File::open(path)?.read(&mut first)?;
    let first = first.get(..length).unwrap_or_default();
    Ok(Format::of(first) != Format::Plain
        && wanted.is_of_text(plain(File::open(path)?))?)
}

/// Says that bytes of an output were removed.
pub fn report_removed(output: &Path, bytes: u64) {
    print_message(&format!(
        "{}: {bytes} bytes removed, which were written since an interrupted \
         run began, or were an incomplete line",
        output.display()
    ));
}
