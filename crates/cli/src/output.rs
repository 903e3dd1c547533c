//! Where lines are written to: standard output, or a file.

#[cfg(unix)]
use std::os::fd::AsFd;
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use linetape_flow::is_log;

use crate::{input::Input, outcome::print_message};

/// When a command writes to standard output, which decides whether there is a
/// progress bar.
#[derive(Clone, Copy, PartialEq)]
pub enum Prints {
    /// After all input is read, or with the progress bar suspended.
    AtTheEnd,
    /// While it reads. Then there is a bar only if the output is a file: at
    /// the end of a pipe, a pager may use the same terminal.
    AsItGoes,
}

/// Why an output is refused.
const IS_INPUT: &str = "input file is also the output file";

/// Where to write.
#[derive(Args)]
pub struct Output {
    /// Write to this file, replacing its content; `-` is standard output
    /// [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Output {
    /// Returns standard output.
    pub fn standard() -> Output {
        Output { output: None }
    }

    /// Returns this file, or standard output if it is `-`.
    pub fn to(path: PathBuf) -> Output {
        Output { output: Some(path) }
    }

    /// Returns whether this is a file, not standard output.
    pub fn is_file(&self) -> bool {
        self.path().is_some()
    }

    fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// Returns when a command that writes as it reads prints to standard
    /// output.
    pub fn prints(&self) -> Prints {
        if self.is_file() { Prints::AtTheEnd } else { Prints::AsItGoes }
    }

    /// Returns whether this is a file that is or would be a log in a folder.
    pub fn is_log_in(&self, folder: &Path) -> bool {
        let Some(path) = self.path().filter(|path| is_log(path)) else {
            return false;
        };
        match (future_path(path), fs::canonicalize(folder)) {
            (Some(path), Ok(folder)) => path.starts_with(folder),
            _ => false,
        }
    }

    /// Opens the file, or standard output. An input is never opened for
    /// writing: it would lose its content, or never end. On an error, reports
    /// it and returns `None`.
    pub fn open(&self, inputs: &[Input]) -> Option<Box<dyn Write>> {
        let Some(path) = self.path() else {
            if inputs.iter().any(is_standard_output) {
                print_message(&format!("standard output: {IS_INPUT}"));
                return None;
            }
            return Some(Box::new(io::stdout().lock()));
        };
        let file = match inputs.iter().find(|input| reads(input, path)) {
            Some(_) => Err(IS_INPUT.to_string()),
            None => File::create(path).map_err(|error| error.to_string()),
        };
        match file {
            Ok(file) => Some(Box::new(file)),
            Err(why) => {
                print_message(&format!("{}: {why}", path.display()));
                None
            }
        }
    }
}

/// Returns whether an input is the file at this path, under any name.
fn reads(input: &Input, path: &Path) -> bool {
    match fs::metadata(path) {
        // Only regular files have content to lose.
        Ok(file) => file.is_file() && is_same_file(input, path, &file),
        // The file would be created first, and then read.
        Err(_) => matches!(input, Input::File(name)
            if future_path(name).is_some()
                && future_path(name) == future_path(path)),
    }
}

/// Returns the canonical path of a file that does not exist yet.
fn future_path(path: &Path) -> Option<PathBuf> {
    let folder = match path.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

/// Returns whether standard output is a regular file.
pub fn is_redirected() -> bool {
    standard_output().is_some_and(|file| file.is_file())
}

/// Returns whether an input is the file that standard output is.
fn is_standard_output(input: &Input) -> bool {
    standard_output().is_some_and(|file| {
        file.is_file() && is_same_file(input, Path::new(""), &file)
    })
}

/// Returns the metadata of standard output, where the platform has it.
#[cfg(unix)]
fn standard_output() -> Option<fs::Metadata> {
    let handle = io::stdout().as_fd().try_clone_to_owned().ok()?;
    File::from(handle).metadata().ok()
}

#[cfg(not(unix))]
fn standard_output() -> Option<fs::Metadata> {
    None
}

#[cfg(unix)]
fn is_same_file(input: &Input, _: &Path, file: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    let read = match input {
        Input::File(name) => fs::metadata(name),
        Input::Rest(rest) => fs::metadata(rest.path()),
        Input::Standard => {
            let handle = io::stdin().as_fd().try_clone_to_owned();
            handle.and_then(|handle| File::from(handle).metadata())
        }
        Input::Sample => return false,
    };
    let id = |file: &fs::Metadata| (file.dev(), file.ino());
    read.is_ok_and(|read| id(&read) == id(file))
}

#[cfg(not(unix))]
fn is_same_file(input: &Input, path: &Path, _: &fs::Metadata) -> bool {
    let Input::File(name) = input else { return false };
    match (fs::canonicalize(name), fs::canonicalize(path)) {
        (Ok(name), Ok(path)) => name == path,
        _ => false,
    }
}
