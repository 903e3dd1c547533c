//! Logs that grow, for `--follow`.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use clap::Args;
use linetape::{BytesLine, Decoder, Error, Line};
use linetape_flow::{Event, Follow, Format};

use crate::{
    complaints::Complaints,
    files::Files,
    input::Input,
    outcome::{Outcome, print_message},
    signals::Signals,
};

/// After how many lines it is the turn of the next path.
const TURN: usize = 10_000;

/// Whether logs are followed.
#[derive(Args, Clone, Copy)]
pub struct Followed {
    /// Wait for appended lines, and for new files in folders, until SIGINT or
    /// SIGTERM. A last line without a newline is read when its newline
    /// arrives. Compressed files in folders are not read
    #[arg(short, long, requires = "paths")]
    pub follow: bool,
}

/// Why a line was not processed.
pub enum Failure {
    /// The line is invalid.
    Line(Error),
    /// The output failed.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Line(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// Calls `each` with every line that is there, and then with those that are
/// appended, until a signal arrives. Calls `pause` when there is nothing new,
/// and before a message is printed.
pub fn for_each<S>(
    files: &Files,
    state: &mut S,
    mut each: impl FnMut(&mut S, &Input, &Line<'_>) -> Result<(), Failure>,
    mut pause: impl FnMut(&mut S) -> io::Result<()>,
) -> io::Result<Outcome> {
    let signals = Signals::catch()?;
    let mut outcome = Outcome::Fine;
    let Some(mut sources) = sources(files, &mut outcome) else {
        return Ok(outcome);
    };
    let mut decoder = Decoder::with_limits(files.limits());
    loop {
        let mut is_caught_up = true;
        for source in &mut sources {
            for turn in 0..=TURN {
                if let Some(outcome) = signals.received() {
                    pause(state)?;
                    return Ok(outcome);
                }
                let (input, news) = source.next();
                let line = match news {
                    News::Nothing => break,
                    News::Line(line) => line,
                    News::Message(message) => {
                        pause(state)?;
                        print_message(&format!("{input}: {message}"));
                        continue;
                    }
                    News::Error(error) => {
                        pause(state)?;
                        source.complain(&input, &error, &mut outcome);
                        continue;
                    }
                };
                match each(state, &input, &line.line(&mut decoder)) {
                    Ok(()) => {}
                    Err(Failure::Output(error)) => return Err(error),
                    Err(Failure::Line(error)) => {
                        pause(state)?;
                        source.complain(&input, &error, &mut outcome);
                    }
                }
                is_caught_up &= turn < TURN;
            }
        }
        if is_caught_up {
            pause(state)?;
            signals.wait();
        }
    }
}

/// A path that is followed.
struct Source {
    follow: Follow,
    is_folder: bool,
    complaints: BTreeMap<PathBuf, Complaints>,
    /// The error that was reported last.
    fault: Option<io::ErrorKind>,
}

/// What is new.
enum News {
    Line(BytesLine),
    Message(&'static str),
    Error(Error),
    Nothing,
}

impl Source {
    fn next(&mut self) -> (Input, News) {
        let event = self.follow.next_event();
        let fault = self.fault.take();
        let news = match event {
            Ok(Event::Line(line)) => News::Line(line),
            Ok(Event::Truncated) => News::Message("truncated; from its start"),
            Ok(Event::Replaced) => News::Message("replaced; from its start"),
            Ok(Event::Gone) => News::Message("removed"),
            Ok(Event::CaughtUp) => News::Nothing,
            Ok(_) => return self.next(),
            Err(error) => match error.io_error().map(io::Error::kind) {
                None => News::Error(error),
                Some(kind) if self.is_folder || fault != Some(kind) => {
                    self.fault = Some(kind);
                    News::Error(error)
                }
                // The same error, each time that the file is tried again.
                Some(kind) => {
                    self.fault = Some(kind);
                    News::Nothing
                }
            },
        };
        (Input::File(self.follow.path().to_path_buf()), news)
    }

    fn complain(
        &mut self,
        input: &Input,
        error: &Error,
        outcome: &mut Outcome,
    ) {
        let path = self.follow.path().to_path_buf();
        let complaints = self.complaints.entry(path).or_default();
        complaints.error(input, error, outcome);
    }
}

/// Returns what the paths name. If one cannot be followed, reports the error
/// and returns `None`.
fn sources(files: &Files, outcome: &mut Outcome) -> Option<Vec<Source>> {
    let mut sources = vec![];
    for path in files.paths() {
        if let Some(why) = refused(path) {
            outcome.report(&path.display(), &why, Outcome::CouldNotRun);
            return None;
        }
        if !path.exists() {
            let path = path.display();
            print_message(&format!("{path}: does not exist yet; waiting"));
        }
        let builder = files.reader().route(true);
        let is_folder = path.is_dir();
        let follow = match is_folder {
            true => Follow::folder_with_builder(path, builder),
            false => Follow::with_builder(path, builder),
        };
        let (complaints, fault) = (BTreeMap::new(), None);
        sources.push(Source { follow, is_folder, complaints, fault });
    }
    Some(sources)
}

/// Returns why a path cannot be followed.
fn refused(path: &Path) -> Option<&'static str> {
    if path.as_os_str() == "-" {
        return Some("standard input is read as it arrives, without --follow");
    }
    if !path.is_file() {
        return None;
    }
    let mut first = [0; 4];
    let mut file = std::fs::File::open(path).ok()?;
    let count = io::Read::read(&mut file, &mut first).ok()?;
    match Format::of(first.get(..count)?) {
        Format::Plain => None,
        _ => Some("compressed, so it cannot be followed"),
    }
}
