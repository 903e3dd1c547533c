//! An output that a run has not finished, so that the next run can repair it.

use std::{fs::File, io, path::Path};

use linetape_flow::Checkpoint;
use serde_json::{Value, json};

use crate::rest::end_of_lines;

/// The output of a run, as it was when the state was saved. It is in the state
/// until the run has ended. What the file has after it was written by this run,
/// which was killed or failed.
pub struct Unfinished {
    output: Checkpoint,
    /// The inputs of the run, up to where it wanted to read. `None` if they
    /// are not known.
    inputs: Option<Vec<Checkpoint>>,
}

impl Unfinished {
    /// Describes an output as it is now.
    pub fn new(
        output: &Path,
        inputs: Option<Vec<Checkpoint>>,
    ) -> io::Result<Unfinished> {
        let size = std::fs::metadata(output)?.len();
        Ok(Unfinished { output: Checkpoint::of_file(output, size)?, inputs })
    }

    pub fn to_json(&self) -> Option<Value> {
        let inputs = match &self.inputs {
            Some(inputs) => {
                let inputs = inputs.iter().map(|input| input.to_json().ok());
                Some(inputs.collect::<Option<Vec<String>>>()?)
            }
            None => None,
        };
        let output = self.output.to_json().ok()?;
        Some(json!({"output": output, "inputs": inputs}))
    }

    pub fn read(value: &Value) -> Option<Unfinished> {
        let read =
            |text: &Value| Checkpoint::parse(text.as_str()?.as_bytes()).ok();
        let inputs = match value["inputs"].as_array() {
            Some(inputs) => inputs.iter().map(read).collect(),
            None => None,
        };
        Some(Unfinished { output: read(&value["output"])?, inputs })
    }

    /// Removes what the run has written after the state was saved: all of it,
    /// if this run reads the same lines again, and otherwise a last line
    /// without a newline. Returns false if the file is another one.
    pub fn repair(&self, path: &Path, file: &mut File) -> io::Result<bool> {
        let facts = file.metadata()?;
        if !self.output.has_identity(&facts) || !self.output.is_of(path)? {
            return Ok(false);
        }
        let size = self.output.offset();
        let is_there =
            |input: &Checkpoint| input.is_of(input.path()).unwrap_or(false);
        let are_there = |inputs: &Vec<_>| inputs.iter().all(is_there);
        let end = match self.inputs.as_ref().is_some_and(are_there) {
            true => size,
            false => end_of_lines(file, size, facts.len())?,
        };
        if end < facts.len() {
            file.set_len(end)?;
        }
        Ok(true)
    }
}
