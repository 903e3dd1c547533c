//! Where lines go: standard output, or a file.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;

use crate::{input::Input, outcome::complain};

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

    /// Opens the file, or standard output. A file that is read from is left
    /// as it is. If it cannot be opened, a person is told why.
    pub fn open(&self, inputs: &[Input]) -> Option<Box<dyn Write>> {
        let Some(path) = self.path() else {
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
                complain(&format!("{}: {why}", path.display()));
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
        Err(_) => matches!(input, Input::File(name) if *name == path),
    }
}

#[cfg(unix)]
fn is_same_file(input: &Input, _: &Path, file: &fs::Metadata) -> bool {
    use std::os::{fd::AsFd, unix::fs::MetadataExt};

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
