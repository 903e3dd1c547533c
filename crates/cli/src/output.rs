//! Where lines go: standard output, or a file.

#[cfg(unix)]
use std::os::fd::AsFd;
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;

use crate::{input::Input, outcome::print_message};

/// When a command writes to standard output.
#[derive(Clone, Copy, PartialEq)]
pub enum Prints {
    /// Once all is read, or with the progress bar out of the way.
    AtTheEnd,
    /// While it reads. There is a place for a bar only if that goes to a file:
    /// behind a pipe, there may be a pager on the same terminal.
    AsItGoes,
}

/// Where to write.
#[derive(Args)]
pub struct Output {
    /// Write to this file, over what is in it, and not to standard output
    /// (`-`)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Output {
    /// Whether it is a file, and not standard output.
    pub fn is_file(&self) -> bool {
        self.path().is_some()
    }

    fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// Returns when a person sees something of a command that writes as it
    /// reads.
    pub fn prints(&self) -> Prints {
        if self.is_file() { Prints::AtTheEnd } else { Prints::AsItGoes }
    }

    /// Opens the file, or standard output. A file that is read from is not
    /// written to: it would lose what is in it, or never end. If there is
    /// nothing to write to, a person is told why.
    pub fn open(&self, inputs: &[Input]) -> Option<Box<dyn Write>> {
        let Some(path) = self.path() else {
            if inputs.iter().any(is_standard_output) {
                print_message("standard output: it is read from, too");
                return None;
            }
            return Some(Box::new(io::stdout().lock()));
        };
        let file = match inputs.iter().find(|input| reads(input, path)) {
            Some(_) => {
                Err("it is read from, so it cannot be written to".into())
            }
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

/// Whether an input is the file with this path, whatever it is called there.
fn reads(input: &Input, path: &Path) -> bool {
    match fs::metadata(path) {
        // Nothing else loses what is in it.
        Ok(file) => file.is_file() && is_same_file(input, path, &file),
        // It would be made first, and then read.
        Err(_) => matches!(input, Input::File(name)
            if place(name).is_some() && place(name) == place(path)),
    }
}

/// Where a file would be that is not there.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = match path.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

/// Whether standard output goes to a file.
pub fn is_redirected() -> bool {
    standard_output().is_some_and(|file| file.is_file())
}

/// Whether an input is a file that standard output goes to.
fn is_standard_output(input: &Input) -> bool {
    standard_output().is_some_and(|file| {
        file.is_file() && is_same_file(input, Path::new(""), &file)
    })
}

/// What standard output is, where that can be known.
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
        Input::Standard => {
            let handle = io::stdin().as_fd().try_clone_to_owned();
            handle.and_then(|handle| File::from(handle).metadata())
        }
        Input::Sample => return false,
    };
    let number = |file: &fs::Metadata| (file.dev(), file.ino());
    read.is_ok_and(|read| number(&read) == number(file))
}

#[cfg(not(unix))]
fn is_same_file(input: &Input, path: &Path, _: &fs::Metadata) -> bool {
    let Input::File(name) = input else { return false };
    match (fs::canonicalize(name), fs::canonicalize(path)) {
        (Ok(name), Ok(path)) => name == path,
        _ => false,
    }
}
