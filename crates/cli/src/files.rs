//! The paths of the command line, and the settings to read them with.

use std::{
    fs,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use clap::Args;
use linetape::{Reader, ReaderBuilder};

use crate::{
    input::Input,
    outcome::{Outcome, print_message},
    output::{self, Prints},
    progress,
    size::size,
};

/// The paths to read, and the settings of the reader.
#[derive(Args)]
pub struct Files {
    /// Files to read; folders, which are searched for `*.jsonl` and `*.ndjson`
    /// files; or `-` for standard input [default: a sample session]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The maximum length of a line in bytes; K, M and G are KiB, MiB and GiB
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64M",
        value_parser = size
    )]
    max_line: u64,
    /// Skip lines that do not begin with `{`, such as the output of a shell
    #[arg(long)]
    skip_noise: bool,
    /// Recover the complete records of damaged lines
    #[arg(long)]
    salvage: bool,
}

impl Files {
    /// Replaces the paths of the command line.
    pub fn set_paths(&mut self, paths: Vec<PathBuf>) {
        self.paths = paths;
    }

    /// Returns the inputs that the paths name, or the sample session if there
    /// are none, and starts the progress bar.
    pub fn inputs(&self, prints: Prints, outcome: &mut Outcome) -> Vec<Input> {
        let mut inputs = vec![];
        for path in &self.paths {
            if path.as_os_str() == "-" {
                inputs.push(Input::Standard);
            } else if path.is_dir() {
                let logs = logs_below(path, outcome);
                if logs.is_empty() {
                    let why = "no *.jsonl or *.ndjson files in this folder";
                    let folder = path.display();
                    outcome.report(&folder, &why, Outcome::CouldNotRun);
                }
                inputs.extend(logs.into_iter().map(Input::File));
            } else {
                inputs.push(Input::File(path.clone()));
            }
        }
        if self.paths.is_empty() {
            inputs.push(Input::Sample);
            if io::stderr().is_terminal() && !io::stdin().is_terminal() {
                print_message(
                    "reading the sample session; use `-` for standard input",
                );
            }
        }
        if prints == Prints::AtTheEnd || output::is_redirected() {
            progress::begin(|| inputs.iter().map(Input::size).sum());
        }
        inputs
    }

    /// Returns a reader builder with the settings of the command line.
    pub fn reader(&self) -> ReaderBuilder {
        Reader::builder()
            .skip_noise(self.skip_noise)
            .salvage(self.salvage)
            .max_line(usize::try_from(self.max_line).unwrap_or(usize::MAX))
    }
}

/// Returns the logs in a folder and its subfolders, sorted by path. Symbolic
/// links to folders are not followed, since they can form a cycle.
fn logs_below(folder: &Path, outcome: &mut Outcome) -> Vec<PathBuf> {
    let mut logs = vec![];
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).and_then(|entries| {
            entries
                .map(|entry| entry.and_then(|e| Ok((e.file_type()?, e))))
                .collect::<io::Result<Vec<_>>>()
        });
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                outcome.report(
                    &folder.display(),
                    &error,
                    Outcome::CouldNotRun,
                );
                continue;
            }
        };
        for (kind, entry) in entries {
            let path = entry.path();
            if kind.is_dir() {
                folders.push(path);
            } else if is_log(&path) && !path.is_dir() {
                logs.push(path);
            }
        }
    }
    logs.sort();
    logs
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|end| {
        end.eq_ignore_ascii_case("jsonl") || end.eq_ignore_ascii_case("ndjson")
    })
}
