//! What a run that was killed or has failed was about to do, so that the next
//! run can repair what it has written.

use std::{collections::BTreeSet, fs::File, io, path::Path};

use linetape_flow::Checkpoint;
use serde_json::{Value, json};

use crate::{
    input::Input,
    known::{self, Candidate, Known},
    outcome::print_message,
    real_path::stored_path,
    rest::end_of_lines,
};

/// The output and the inputs of a run, as they were when the state was saved.
/// They are in the state until the run has ended.
pub struct Unfinished {
    /// The output file when the run began. Everything after this offset was
    /// appended later. `None` if the output is a folder.
    output: Option<Checkpoint>,
    /// The inputs of the run, up to where it wanted to read. `None` if they
    /// are not known.
    inputs: Option<Vec<Checkpoint>>,
}

impl Unfinished {
    /// Describes a run that begins now: its output, and its inputs.
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

    /// Forgets the inputs, so that no complete line of the output is removed:
    /// logs that are followed are not listed before they are read.
    pub fn without_inputs(self) -> Unfinished {
        Unfinished { inputs: None, ..self }
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
            print_message(&format!(
                "{}: not the output file of the interrupted run; nothing is \
                 removed from it",
                path.display()
            ));
            return Ok(());
        }
        let size = output.offset();
        let end = match self.again(inputs) {
            Again::All => size,
            Again::Unknown | Again::Some => {
                end_of_lines(file, size, facts.len())?
            }
        };
        let removed = facts.len().saturating_sub(end);
        if removed > 0 {
            file.set_len(end)?;
            report_removed(path, removed);
        }
        Ok(())
    }

    /// Returns which of the lines that the run wanted to read are in the inputs
    /// of this run, under any name. If some are not, that is reported.
    pub fn again(&self, inputs: &[Input]) -> Again {
        let Some(wanted) = &self.inputs else { return Again::Unknown };
        let paths = inputs.iter().filter_map(Input::path);
        let files = paths.filter_map(|path| Candidate::new(path).ok());
        let mut files: Vec<Candidate> = files.collect();
        let missing = known::find(wanted.iter(), &mut files);
        let unreadable = missing.files.iter().map(|(path, _)| path);
        let unreadable: BTreeSet<_> =
            unreadable.map(|path| stored_path(path)).collect();
        let mut unreadable =
            wanted.iter().filter(|known| unreadable.contains(known.path()));
        let doubtful = files.iter().find_map(|file| match &file.known {
            Known::Until(known) | Known::Moved(known)
                if known.has_end() && !file.is_surely(known) =>
            {
                Some(known)
            }
            _ => None,
        });
        let lost = missing.checkpoints.first().copied();
        let lost = lost.or(doubtful).or_else(|| unreadable.next());
        let Some(lost) = lost else { return Again::All };
        print_message(&format!(
            "{}: missing, unreadable or changed since an interrupted run; the \
             output of that run is kept, and may get some lines twice",
            lost.path().display()
        ));
        Again::Some
    }
}

/// Which lines are read again.
pub enum Again {
    All,
    Some,
    Unknown,
}

/// Says that bytes of an output were removed.
pub fn report_removed(output: &Path, bytes: u64) {
    print_message(&format!(
        "{}: {bytes} bytes removed from its end: written since an interrupted \
         run began, or an incomplete line",
        output.display()
    ));
}
