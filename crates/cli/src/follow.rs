//! Logs that grow, for `--follow`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use linetape::{BytesLine, Decoder, Error, Level, Line};
use linetape_flow::{Event, Follow, Format};
use serde_json::Value;

use crate::{
    change::Change,
    complaints::Complaints,
    files::Files,
    input::Input,
    outcome::{Outcome, print_message},
    output::{self, Output},
    pace::Pace,
    plain,
    real_path::stored_path,
    signals::Signals,
    state::State,
    subagents::{agents_of, is_agent},
};

/// After how many lines it is the turn of the next path.
const TURN: usize = 10_000;

/// Whether logs are followed.
#[derive(Args, Clone, Copy)]
pub struct Followed {
    /// Wait for appended lines, and for new files in folders, until SIGINT or
    /// SIGTERM. A last line without a newline is read when its newline
    /// arrives. Compressed files in folders are not read
    #[arg(short, long, requires = "paths", conflicts_with = "sample")]
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
/// appended, until a signal arrives, or nobody reads standard output any more.
/// Calls `pause` when there is nothing new, and before a message is printed.
pub fn for_each<S>(
    files: &Files,
    state: &mut S,
    each: impl FnMut(&mut S, &Input, &Line<'_>) -> Result<(), Failure>,
    pause: impl FnMut(&mut S) -> io::Result<()>,
) -> io::Result<Outcome> {
    type Unsaved<S> = (State, fn(&mut S) -> io::Result<Value>);
    let change = |_: &mut S, _: &Input, _: Change| {};
    let (output, saved) = (Output::standard(), None::<Unsaved<S>>);
    for_each_saved(files, &output, state, each, change, pause, saved)
}

/// Like [`for_each`], but also calls `change` if something happens to a file,
/// and continues where the last run with the same file of a state ended. Now
/// and then, when there is nothing new, and at the end, saves how far the logs
/// were read, and the document that the function returns.
pub fn for_each_saved<S>(
    files: &Files,
    output: &Output,
    state: &mut S,
    mut each: impl FnMut(&mut S, &Input, &Line<'_>) -> Result<(), Failure>,
    mut change: impl FnMut(&mut S, &Input, Change),
    mut pause: impl FnMut(&mut S) -> io::Result<()>,
    mut saved: Option<(State, impl FnMut(&mut S) -> io::Result<Value>)>,
) -> io::Result<Outcome> {
    let signals = Signals::catch()?;
    let mut outcome = Outcome::Fine;
    let resumed = saved.as_ref().map(|(saved, _)| saved);
    let Some(mut sources) = sources(files, resumed, &mut outcome) else {
        return Ok(outcome);
    };
    let mut decoder = Decoder::with_limits(files.limits());
    let (mut has_news, mut is_saved) = (true, true);
    let mut pace = Pace::new(Instant::now());
    loop {
        let mut is_caught_up = true;
        let mut signal = None;
        'sources: for source in &mut sources {
            for turn in 0..=TURN {
                signal = signals.received();
                if signal.is_some() {
                    break 'sources;
                }
                let (input, news) = source.next();
                has_news |= !matches!(news, News::Nothing);
                let line = match news {
                    News::Nothing => break,
                    News::More => {
                        // It can take long, and what is written is wanted.
                        pause(state)?;
                        is_caught_up = false;
                        break;
                    }
                    News::Line(line) => line,
                    News::Message(message) => {
                        pause(state)?;
                        print_message(&format!("{input}: {message}"));
                        continue;
                    }
                    News::Change(what) => {
                        if let Some(message) = what.message() {
                            pause(state)?;
                            print_message(&format!("{input}: {message}"));
                        }
                        change(state, &input, what);
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
        let now = Instant::now();
        let is_due = has_news && pace.is_due(now, !is_caught_up);
        if is_caught_up || signal.is_some() {
            pause(state)?;
        }
        if let Some((saved, document)) = &mut saved
            // What could not be saved is tried again, at the end too.
            && (is_due || signal.is_some() && (has_news || !is_saved))
        {
            has_news = false;
            let document = document(state)?;
            sources.iter_mut().for_each(|s| saved.update(&mut s.follow));
            is_saved = saved.save(|| (document, vec![]), &mut outcome);
            pace.saved(now, Instant::now());
        }
        if let Some(outcome) = signal {
            return Ok(outcome);
        }
        if is_caught_up {
            signals.wait(output)?;
        }
    }
}

/// A path that is followed.
struct Source {
    /// The path, until it is known whether it is a file or a folder.
    undecided: Option<PathBuf>,
    follow: Follow,
    /// Follows the path if it is a folder.
    folder: Option<Follow>,
    complaints: BTreeMap<PathBuf, Complaints>,
    /// The file of the last line, and whether it is skipped.
    last: Option<(PathBuf, bool)>,
    /// Files that are skipped.
    skipped: BTreeSet<PathBuf>,
    /// Folders of which sub-agents are left out.
    alone: Vec<PathBuf>,
}

/// What is new.
enum News {
    Line(BytesLine),
    Change(Change),
    Message(&'static str),
    Error(Error),
    /// There is more to read.
    More,
    Nothing,
}

impl Source {
    fn next(&mut self) -> (Input, News) {
        self.decide();
        let news = self.next_news();
        (Input::File(self.follow.path().to_path_buf()), news)
    }

    fn next_news(&mut self) -> News {
        loop {
            let event = self.follow.next_event();
            match event {
                Ok(Event::Line(line)) => match self.skip() {
                    Some(Some(why)) => return News::Message(why),
                    Some(None) => {}
                    None => return News::Line(line),
                },
                Ok(Event::Truncated) => {
                    return News::Change(Change::Truncated);
                }
                Ok(Event::Replaced) => return News::Change(Change::Replaced),
                Ok(Event::Moved(old)) => {
                    self.last = None;
                    let path = self.follow.path().to_path_buf();
                    if let Some(complaints) = self.complaints.remove(&old) {
                        self.complaints.insert(path.clone(), complaints);
                    }
                    if self.skipped.remove(&old) {
                        self.skipped.insert(path);
                    }
                    return News::Change(Change::Moved(Input::File(old)));
                }
                Ok(Event::Gone) => {
                    // Paths may never be used again.
                    self.complaints.remove(self.follow.path());
                    self.skipped.remove(self.follow.path());
                    return News::Change(Change::Gone);
                }
                Ok(Event::CaughtUp) => {
                    self.last = None;
                    return News::Nothing;
                }
                Ok(Event::Pending) => return News::More,
                Ok(_) => {}
                Err(error) if error.io_error().is_some() => {
                    return News::Error(error);
                }
                Err(error) => match self.skip() {
                    Some(Some(why)) => return News::Message(why),
                    Some(None) => {}
                    None => return News::Error(error),
                },
            }
        }
    }

    /// Follows folders, or a path of which it is not known yet whether it is
    /// a file or the folder that is given, too.
    fn new(undecided: Option<(PathBuf, Follow)>, follow: Follow) -> Source {
        let (undecided, folder) = undecided.unzip();
        Source {
            undecided,
            follow,
            folder,
            complaints: BTreeMap::new(),
            last: None,
            skipped: BTreeSet::new(),
            alone: vec![],
        }
    }

    /// Follows a folder, if the path has turned out to be one.
    fn decide(&mut self) {
        if let Some(path) = self.undecided.take_if(|path| path.exists())
            && path.is_dir()
            && let Some(folder) = self.folder.take()
        {
            self.follow = folder;
        }
    }

    /// Returns whether the lines of the current file are skipped, and if that
    /// is new, why.
    fn skip(&mut self) -> Option<Option<&'static str>> {
        let path = self.follow.path();
        if let Some((last, is_skipped)) = &self.last
            && last == path
        {
            return is_skipped.then_some(None);
        }
        let path = path.to_path_buf();
        if self.alone.iter().any(|folder| is_agent(&path, folder)) {
            self.last = Some((path, true));
            return Some(None);
        }
        let why = match output::is_standard_output(&Input::File(path.clone()))
        {
            true => Some("this is the output; skipped"),
            false => other(&path),
        };
        self.last = Some((path.clone(), why.is_some()));
        why.map(|why| self.skipped.insert(path).then_some(why))
    }

    fn complain(
        &mut self,
        input: &Input,
        error: &Error,
        outcome: &mut Outcome,
    ) {
        if error.io_error().is_some() {
            // It is about the file, and has no position.
            let why = error.reason();
            return outcome.report(input, &why, Outcome::CouldNotRun);
        }
        let path = self.follow.path().to_path_buf();
        let complaints = self.complaints.entry(path).or_default();
        complaints.error(input, error, outcome);
    }
}

/// Returns what the paths name. If one cannot be followed, reports the error
/// and returns `None`.
fn sources(
    files: &Files,
    state: Option<&State>,
    outcome: &mut Outcome,
) -> Option<Vec<Source>> {
    let mut sources = vec![];
    // One for all folders, so that a log that is moved from one to another is
    // not read again.
    let mut folders: Option<Follow> = None;
    let resume = |follow: Follow| match state {
        Some(state) => state.resume(follow),
        None => follow,
    };
    for path in files.paths() {
        if let Some(why) = refused(path) {
            outcome.report(&path.display(), &why, Outcome::CouldNotRun);
            return None;
        }
        if !path.exists() {
            let path = path.display();
            print_message(&format!("{path}: does not exist yet; waiting"));
        }
        let builder = files.reader(Level::Kind);
        let mut path = path.clone();
        if state.is_some() {
            path = stored_path(&path);
        }
        if path.is_dir() {
            folders = Some(match folders.take() {
                Some(folders) => folders.and_folder(path),
                None => Follow::folder_with_builder(path, builder),
            });
            continue;
        }
        let file = resume(Follow::with_builder(&path, builder.clone()));
        let folder = Follow::folder_with_builder(&path, builder.clone());
        let agents = agents_of(&path).filter(|_| files.has_subagents());
        sources.push(Source::new(Some((path, resume(folder))), file));
        // Its sub-agents may not have begun.
        let agents = agents.map(|folder| {
            resume(Follow::folder_with_builder(folder, builder))
        });
        sources.extend(agents.map(|follow| Source::new(None, follow)));
    }
    if let Some(folders) = folders {
        sources.push(Source::new(None, resume(folders)));
    }
    if files.leaves_out_subagents() {
        for source in &mut sources {
            source.alone = files.paths().to_vec();
        }
    }
    Some(sources)
}

/// Returns why a path cannot be followed.
fn refused(path: &Path) -> Option<&'static str> {
    if path.as_os_str() == "-" {
        return Some("standard input is read as it arrives, without --follow");
    }
    other(path)
}

/// Returns why a file is not followed, if it is not plain lines.
fn other(path: &Path) -> Option<&'static str> {
    if !path.is_file() {
        return None;
    }
    match plain::format(&File::open(path).ok()?).ok()? {
        Format::Plain => None,
        Format::Array => Some("a JSON array, so it cannot be followed"),
        _ => Some("compressed, so it cannot be followed"),
    }
}
