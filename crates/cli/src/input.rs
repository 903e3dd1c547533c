//! One input: a file or a part of one, standard input or a copy of it, or the
//! sample session.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use linetape::Position;
use linetape_flow::Decompressed;

use crate::{
    outcome::Outcome,
    plain::plain,
    progress,
    rest::Rest,
    spool::{Part, Spool},
};

/// A session that is built into the command, to try it on.
const SAMPLE: &[u8] = include_bytes!("../sample/session.jsonl");

/// An input, not yet opened.
pub enum Input {
    File(PathBuf),
    /// The part of a file that was appended since the last run.
    Rest(Rest),
    Standard,
    Sample,
    /// The copy of a pipe, which can be read again, and the pipe's name.
    Copy(Part, String),
}

impl Input {
    pub fn open(&self) -> io::Result<Source> {
        Ok(match self {
            Input::File(path) => Source::new(File::open(path)?),
            Input::Rest(rest) => Source::plain(rest.open()?),
            Input::Standard => Source::new(io::stdin()),
            Input::Sample => Source::new(SAMPLE),
            Input::Copy(copy, _) => Source::new(copy.clone()),
        })
    }

    /// Opens the input. If that fails, reports the error and returns `None`.
    pub fn open_or_report(&self, outcome: &mut Outcome) -> Option<Source> {
        let source = self.open();
        source.map_err(|e| outcome.report(self, &e, Outcome::CouldNotRun)).ok()
    }

    /// Returns the sample session.
    pub fn sample(&self) -> &'static [u8] {
        SAMPLE
    }

    /// Returns the path, if the input is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Input::File(path) => Some(path),
            Input::Rest(rest) => Some(rest.path()),
            Input::Standard | Input::Sample | Input::Copy(..) => None,
        }
    }

    /// Returns whether nothing was read of the input by an earlier run.
    pub fn is_new(&self) -> bool {
        !matches!(self, Input::Rest(rest) if !rest.is_new())
    }

    /// Returns the position of the first line in the file.
    pub fn start(&self) -> Position {
        match self {
            Input::Rest(rest) => rest.start(),
            _ => Position::START,
        }
    }

    /// Copies a pipe to a temporary file, so that it can be read again. Returns
    /// every other input as it is.
    pub fn copied(self, spool: &mut Spool) -> io::Result<Input> {
        let mut pipe: Patient<Box<dyn Read>> = Patient(match &self {
            Input::Standard => Box::new(io::stdin()),
            Input::File(path) if self.size().is_none() => {
                Box::new(File::open(path)?)
            }
            _ => return Ok(self),
        });
        // As it is: if it is compressed, reading the copy finds its errors.
        let copy = spool.add(|out| io::copy(&mut pipe, out).map(drop))?;
        Ok(Input::Copy(copy, self.to_string()))
    }

    /// Returns the name of the input in a state.
    pub fn key(&self) -> String {
        match self {
            Input::Rest(rest) => rest.key().display().to_string(),
            _ => self.to_string(),
        }
    }

    /// Returns the name to print.
    pub fn name(&self) -> Arc<str> {
        self.to_string().into()
    }

    /// Returns the size in bytes, if it is known in advance.
    pub fn size(&self) -> Option<u64> {
        match self {
            Input::File(path) => {
                let facts = fs::metadata(path);
                facts.ok().filter(fs::Metadata::is_file).map(|f| f.len())
            }
            Input::Rest(rest) => Some(rest.size()),
            Input::Standard => None,
            Input::Sample => Some(SAMPLE.len() as u64),
            Input::Copy(copy, _) => Some(copy.len()),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::File(path) => write!(f, "{}", path.display()),
            Input::Rest(rest) => write!(f, "{}", rest.path().display()),
            Input::Standard => f.write_str("standard input"),
            Input::Sample => f.write_str("the sample session"),
            Input::Copy(_, name) => f.write_str(name),
        }
    }
}

/// Opens inputs for reading on several threads, which advance the progress bar
/// themselves.
impl linetape_flow::Input for Input {
    fn open(&self) -> io::Result<linetape_flow::Source> {
        use linetape_flow::Source;
        Ok(match self {
            Input::File(path) => Source::file(File::open(path)?),
            Input::Rest(rest) => Source::rest(rest.open()?, rest.start()),
            Input::Standard => Source::stream(Patient(io::stdin())),
            Input::Sample => Source::stream(SAMPLE),
            Input::Copy(copy, _) => Source::stream(copy.clone()),
        })
    }

    fn size(&self) -> Option<u64> {
        Input::size(self)
    }
}

/// The plain text of an input. Reading blocks until there is some, and
/// advances the progress bar.
pub enum Source {
    /// Perhaps compressed.
    Any(Decompressed<Watched>),
    /// The rest of a text, whose first bytes are not those of a file.
    Plain(Watched),
}

impl Source {
    fn new(source: impl Read + 'static) -> Source {
        Source::Any(plain(Watched(Patient(Box::new(source)))))
    }

    fn plain(source: impl Read + 'static) -> Source {
        Source::Plain(Watched(Patient(Box::new(source))))
    }
}

impl Read for Source {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Any(source) => source.read(buf),
            Source::Plain(source) => source.read(buf),
        }
    }
}

/// A source that advances the progress bar.
pub struct Watched(Patient<Box<dyn Read>>);

impl Read for Watched {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buf);
        progress::advance(*read.as_ref().unwrap_or(&0));
        read
    }
}

/// A source that waits until there are data.
struct Patient<R>(R);

impl<R: Read> Read for Patient<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{TimedOut, WouldBlock};
        loop {
            match self.0.read(buf) {
                // Another process can have set standard input to
                // non-blocking.
                Err(e) if matches!(e.kind(), WouldBlock | TimedOut) => {
                    thread::sleep(Duration::from_millis(5));
                }
                read => return read,
            }
        }
    }
}
