//! Where lines are written to: standard output, or a file.

#[cfg(unix)]
use std::{collections::BTreeSet, os::fd::AsFd};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use linetape_flow::is_log;
#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{input::Input, outcome::print_message, real_path::future_path};

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
pub const IS_INPUT: &str = "input file is also the output file";

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

    /// Returns whether this is a file, or standard output that somebody reads.
    pub fn has_reader(&self) -> bool {
        self.is_file() || standard_output_has_reader()
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

    /// Returns whether this is the file at a path, even if neither exists yet.
    pub fn is_at(&self, path: &Path) -> bool {
        let Some(output) = self.path() else { return false };
        match (fs::canonicalize(output), fs::canonicalize(path)) {
            (Ok(output), Ok(path)) => output == path,
            _ => future_path(output)
                .is_some_and(|output| Some(output) == future_path(path)),
        }
    }

    /// Opens the file, or standard output. If it `appends`, the file keeps its
    /// content, and is also returned, unless it is a pipe or a device. An input
    /// is never opened for writing: it would lose its content, or never end. On
    /// an error, reports it and returns `None`.
    pub fn open(&self, inputs: &[Input], appends: bool) -> Option<Opened> {
        let Some(path) = self.path() else {
            if inputs.iter().any(is_standard_output) {
                print_message(&format!("standard output: {IS_INPUT}"));
                return None;
            }
            return Some((Box::new(io::stdout().lock()), None));
        };
        let opened = match inputs.iter().any(|input| reads(input, path)) {
            true => Err(io::Error::other(IS_INPUT)),
            false if appends => append(path),
            false => File::create(path).map(|file| (file, false)),
        };
        let opened = opened
            .and_then(|(out, is_kept)| Ok((out.try_clone()?, out, is_kept)));
        match opened {
            Ok((file, out, is_kept)) => {
                Some((Box::new(out), is_kept.then_some(file)))
            }
            Err(why) => {
                print_message(&format!("{}: {why}", path.display()));
                None
            }
        }
    }
}

/// An output, and its file if it is one that is appended to.
pub type Opened = (Box<dyn Write>, Option<File>);

/// Opens a file to append to it. Also returns whether it is a regular one: a
/// pipe or a device is only written to.
fn append(path: &Path) -> io::Result<(File, bool)> {
    let is_file = fs::metadata(path).map_or(true, |facts| facts.is_file());
    let mut options = OpenOptions::new();
    let options = options.append(true).create(true).read(is_file);
    let mut file = options.open(path)?;
    if is_file {
        end_line(&mut file)?;
    }
    Ok((file, is_file))
}

/// Ends the last line of a file. Nobody knows who has written it, so it stays.
fn end_line(file: &mut File) -> io::Result<()> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(())
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

/// Returns whether standard output is not a pipe without a reader.
#[cfg(unix)]
fn standard_output_has_reader() -> bool {
    let out = io::stdout();
    let mut polled = [PollFd::new(&out, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    // If it cannot be asked, the next write tells.
    _ = poll(&mut polled, Some(&now));
    let closed = PollFlags::ERR | PollFlags::HUP;
    !polled.iter().any(|out| out.revents().intersects(closed))
}

#[cfg(not(unix))]
fn standard_output_has_reader() -> bool {
    true
}

/// Returns whether standard output is a regular file.
pub fn is_redirected() -> bool {
    standard_output().is_some_and(|file| file.is_file())
}

/// Returns whether an input is the file that standard output is.
pub fn is_standard_output(input: &Input) -> bool {
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
    identity(input) == Some(identity_of(file))
}

/// Returns the numbers of the device and the file.
#[cfg(unix)]
fn identity_of(file: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(unix)]
fn identity(input: &Input) -> Option<(u64, u64)> {
    let read = match input {
        Input::File(name) => fs::metadata(name),
        Input::Rest(rest) => fs::metadata(rest.path()),
        Input::Standard => {
            let handle = io::stdin().as_fd().try_clone_to_owned();
            handle.and_then(|handle| File::from(handle).metadata())
        }
        Input::Sample | Input::Copy(..) => return None,
    };
    read.ok().map(|file| identity_of(&file))
}

/// Returns the first input that is a file in a folder, under any name. It
/// could be replaced while it is read.
#[cfg(unix)]
pub fn input_in<'i>(inputs: &'i [Input], folder: &Path) -> Option<&'i Input> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files: BTreeSet<(u64, u64)> = entries
        .filter_map(|entry| fs::metadata(entry.path()).ok())
        .filter(fs::Metadata::is_file)
        .map(|file| identity_of(&file))
        .collect();
    let is_in = |input: &&Input| {
        identity(input).is_some_and(|file| files.contains(&file))
    };
    inputs.iter().find(is_in)
}

#[cfg(not(unix))]
pub fn input_in<'i>(inputs: &'i [Input], folder: &Path) -> Option<&'i Input> {
    let folder = fs::canonicalize(folder).ok()?;
    let is_in = |input: &&Input| {
        let path = input.path().and_then(|path| fs::canonicalize(path).ok());
        path.is_some_and(|path| path.parent() == Some(&folder))
    };
    inputs.iter().find(is_in)
}

#[cfg(not(unix))]
fn is_same_file(input: &Input, path: &Path, _: &fs::Metadata) -> bool {
    let Input::File(name) = input else { return false };
    match (fs::canonicalize(name), fs::canonicalize(path)) {
        (Ok(name), Ok(path)) => name == path,
        _ => false,
    }
}
