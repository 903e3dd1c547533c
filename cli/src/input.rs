//! Where lines come from: files, standard input, or the sample.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use clap::Args;
use linetape::{Reader, ReaderBuilder};

/// What to read, and how.
#[derive(Args)]
pub struct Files {
    /// The files to read, `-` for standard input; without any, a sample
    /// session
    files: Vec<PathBuf>,
    /// The longest line that is read, in bytes
    #[arg(long, value_name = "BYTES")]
    max_line: Option<usize>,
    /// Skip lines that do not begin with a brace
    #[arg(long)]
    skip_noise: bool,
    /// Read the whole records of damaged lines
    #[arg(long)]
    salvage: bool,
}

impl Files {
    /// What the paths on the command line mean: the sample if there are none.
    pub fn inputs(&self) -> Vec<Input<'_>> {
        if self.files.is_empty() {
            return vec![Input::Sample];
        }
        let paths = self.files.iter();
        paths
            .map(|path| match path.to_str() {
                Some("-") => Input::Standard,
                _ => Input::File(path),
            })
            .collect()
    }

    /// A reader with the settings of the command line.
    pub fn reader(&self) -> ReaderBuilder {
        let mut builder = Reader::builder();
        builder.skip_noise(self.skip_noise).salvage(self.salvage);
        if let Some(bytes) = self.max_line {
            builder.max_line(bytes);
        }
        builder
    }
}

/// A session that ships inside the command, to try it on.
const SAMPLE: &[u8] = include_bytes!("../sample/session.jsonl");

/// One place to read from.
pub enum Input<'a> {
    File(&'a Path),
    Standard,
    Sample,
}

impl Input<'_> {
    pub fn open(&self) -> io::Result<Source> {
        Ok(Source(match self {
            Input::File(path) => Box::new(File::open(path)?),
            Input::Standard => Box::new(io::stdin().lock()),
            Input::Sample => Box::new(SAMPLE),
        }))
    }
}

impl fmt::Display for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::File(path) => write!(f, "{}", path.display()),
            Input::Standard => f.write_str("standard input"),
            Input::Sample => f.write_str("the sample session"),
        }
    }
}

/// The bytes of an input. To read from it is to wait until there are some.
pub struct Source(Box<dyn Read>);

impl Read for Source {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{TimedOut, WouldBlock};
        loop {
            match self.0.read(buf) {
                // Standard input can be a pipe that someone has set not to
                // block.
                Err(e) if matches!(e.kind(), WouldBlock | TimedOut) => {
                    thread::sleep(Duration::from_millis(5));
                }
                read => return read,
            }
        }
    }
}
