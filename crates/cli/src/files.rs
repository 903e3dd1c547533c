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

/// What to read, and how.
#[derive(Args)]
pub struct Files {
    /// Files to read, folders to read all `*.jsonl` and `*.ndjson` files
    /// below, or `-` for standard input; without any, a sample session
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The longest line that is read: a number of bytes, or of KiB, MiB or
    /// GiB with K, M or G behind it
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64M",
        value_parser = size
    )]
    max_line: u64,
    /// Skip lines that do not begin with a brace
    #[arg(long)]
    skip_noise: bool,
    /// Read the whole records of damaged lines
    #[arg(long)]
    salvage: bool,
}

impl Files {
    /// What the paths on the command line mean: the sample if there are none.
    /// From here on, a person sees how far their reading has come.
    pub fn inputs(&self, prints: Prints, outcome: &mut Outcome) -> Vec<Input> {
        let mut inputs = vec![];
        for path in &self.paths {
            if path.as_os_str() == "-" {
                inputs.push(Input::Standard);
            } else if path.is_dir() {
                let logs = logs_below(path, outcome);
                if logs.is_empty() {
                    let why = "no *.jsonl or *.ndjson file in there";
                    let place = path.display();
                    outcome.report(&place, &why, Outcome::CouldNotRun);
                }
                inputs.extend(logs.into_iter().map(Input::File));
            } else {
                inputs.push(Input::File(path.clone()));
            }
        }
        if self.paths.is_empty() {
            inputs.push(Input::Sample);
            if io::stderr().is_terminal() && !io::stdin().is_terminal() {
                print_message("this is the sample session; `-` reads a pipe");
            }
        }
        if prints == Prints::AtTheEnd || output::is_redirected() {
            progress::begin(|| inputs.iter().map(Input::size).sum());
        }
        inputs
    }

    /// A reader with the settings of the command line.
    pub fn reader(&self) -> ReaderBuilder {
        Reader::builder()
            .skip_noise(self.skip_noise)
            .salvage(self.salvage)
            .max_line(usize::try_from(self.max_line).unwrap_or(usize::MAX))
    }
}

/// The logs in a folder and the folders in it, in the order of their paths.
/// Links to folders are not followed, as they may lead in circles.
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
