//! Where lines come from: files, standard input, or the sample.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use linetape::Error;

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

    pub fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Input::File(path) => Box::new(File::open(path)?),
            Input::Standard => Box::new(io::stdin().lock()),
            Input::Sample => Box::new(SAMPLE),
        })
    }
}

impl Input<'_> {
    /// Whether the error only means that there is nothing to read yet. If so,
    /// this waits a little.
    pub fn wait_if_not_ready(&self, error: &Error) -> bool {
        let not_ready = error.io_error().is_some() && error.is_recoverable();
        if not_ready {
            thread::sleep(Duration::from_millis(5));
        }
        not_ready
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
