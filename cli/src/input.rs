//! Where lines come from: files, standard input, or the sample.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// A session that ships inside the command, to try it on.
const SAMPLE: &[u8] = include_bytes!("../sample/session.jsonl");

/// One place to read from.
pub enum Input<'a> {
    File(&'a Path),
    Standard,
    Sample,
}

impl<'a> Input<'a> {
    /// What the paths on the command line mean: the sample if there are none.
    pub fn all(paths: &'a [PathBuf]) -> Vec<Input<'a>> {
        if paths.is_empty() {
            return vec![Input::Sample];
        }
        let input = |path: &'a PathBuf| match path.to_str() {
            Some("-") => Input::Standard,
            _ => Input::File(path),
        };
        paths.iter().map(input).collect()
    }

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
