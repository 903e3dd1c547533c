//! `linetape watch`: the sessions that are running.

mod session;
mod view;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use clap::Args;
use linetape::{BytesLine, Decoder, Line, ReaderBuilder};
use linetape_flow::{Event, Follow};

use crate::{
    outcome::{Outcome, print_message},
    output::Output,
    signals::Signals,
    watch::{session::Session, view::View},
};

/// The arguments of `linetape watch`.
#[derive(Args)]
pub struct Watch {
    /// Folders, which are searched for `*.jsonl` and `*.ndjson` files
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Print a line of JSON for each session that has changed
    #[arg(long)]
    json: bool,
    /// Print the running sessions once, and exit
    #[arg(long)]
    once: bool,
    /// How long a session counts as running after its last line
    #[arg(
        long,
        value_name = "MINUTES",
        default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000)
    )]
    within: u64,
}

/// Prints the running sessions, until a signal arrives.
pub fn run(watch: &Watch) -> io::Result<Outcome> {
    let signals = Signals::catch()?;
    let mut outcome = Outcome::Fine;
    let within = Duration::from_secs(60 * watch.within);
    let mut follow = follow(watch, within);
    let mut sessions = Sessions::default();
    let mut view = View::new(watch.json);
    for path in watch.folders.iter().filter(|folder| !folder.is_dir()) {
        let folder = path.display();
        if path.exists() {
            outcome.report(&folder, &"not a folder", Outcome::CouldNotRun);
            return Ok(outcome);
        } else if watch.once {
            outcome.report(&folder, &"not a folder", Outcome::CouldNotRun);
        } else {
            print_message(&format!("{folder}: does not exist yet; waiting"));
        }
    }
    loop {
        if let Some(outcome) = signals.received() {
            view.end()?;
            return Ok(outcome);
        }
        for fault in sessions.faults.drain(..) {
            view.end()?;
            print_message(&fault);
        }
        match follow.next_event() {
            Ok(Event::Line(line)) => sessions.add(&line, follow.path()),
            Ok(Event::Moved(old)) => sessions.move_file(&old, follow.path()),
            Ok(Event::Truncated | Event::Replaced) => {
                sessions.restart(follow.path());
            }
            Ok(Event::CaughtUp) => {
                sessions.times.clear();
                // The others are kept: if they go on, their totals are whole.
                let is_running = |session: &&mut Session| {
                    session.changed.elapsed().is_ok_and(|age| age < within)
                        || session.changed > SystemTime::now()
                };
                let sessions = sessions.by_name.values_mut();
                view.show(sessions.filter(is_running))?;
                if watch.once {
                    return Ok(outcome);
                }
                signals.wait(&Output::standard())?;
            }
            Ok(_) => {}
            // What is invalid is a matter of `linetape check`.
            Err(error) if error.is_recoverable() => {}
            Err(error) => {
                view.end()?;
                let path = follow.path().display();
                outcome.report(&path, &error.reason(), Outcome::CouldNotRun);
            }
        }
    }
}

fn follow(watch: &Watch, within: Duration) -> Follow {
    let mut folders = watch.folders.iter();
    let first = folders.next().cloned().unwrap_or_default();
    let follow = folders.fold(Follow::folder(first), |follow, folder| {
        follow.and_folder(folder)
    });
    match SystemTime::now().checked_sub(within) {
        Some(time) => follow.skip_before(time),
        None => follow,
    }
}

/// All sessions that have had new lines.
#[derive(Default)]
struct Sessions {
    by_name: BTreeMap<String, Session>,
    /// Files whose earlier lines have been read.
    whole: BTreeSet<PathBuf>,
    /// When files that are being read were changed.
    times: BTreeMap<PathBuf, SystemTime>,
    /// Messages about files that could not be read, to be printed.
    faults: Vec<String>,
    decoder: Decoder,
}

impl Sessions {
    fn add(&mut self, line: &BytesLine, path: &Path) {
        // A file that was not read from its start, since it was old.
        if line.number() == 0 && self.whole.insert(path.to_path_buf()) {
            self.add_before(line, path);
        }
        let time = self.time(path);
        let line = line.line(&mut self.decoder);
        add(&mut self.by_name, &line, path, time, None);
    }

    /// Notes that a file was moved.
    fn move_file(&mut self, old: &Path, path: &Path) {
        if self.whole.remove(old) {
            self.whole.insert(path.to_path_buf());
        }
        self.times.remove(old);
        for session in self.by_name.values_mut() {
            session.move_file(old, path);
        }
    }

    /// Forgets the lines of a file, which is read from its start again. The
    /// other files of its sessions are read again up to where they were: what
    /// a total has of one file cannot be subtracted.
    fn restart(&mut self, path: &Path) {
        let names = self.by_name.iter();
        let names = names.filter(|(_, session)| session.is_in(path));
        let names: Vec<String> = names.map(|(n, _)| n.clone()).collect();
        for name in names {
            let Some(session) = self.by_name.remove(&name) else { continue };
            let changed = session.changed;
            for (file, end) in session.into_files() {
                if file != path {
                    self.add_range(&file, 0..end, changed, Some(&name));
                }
            }
        }
        self.times.remove(path);
    }

    /// Returns when a file was changed.
    fn time(&mut self, path: &Path) -> SystemTime {
        if let Some(time) = self.times.get(path) {
            return *time;
        }
        let facts = fs::metadata(path).and_then(|facts| facts.modified());
        let time = facts.unwrap_or_else(|_| SystemTime::now());
        self.times.insert(path.to_path_buf(), time);
        time
    }

    /// Adds the lines before one that has been appended to an old file.
    fn add_before(&mut self, line: &BytesLine, path: &Path) {
        let time = self.time(path);
        self.add_range(path, 0..line.offset(), time, None);
    }

    /// Adds the lines in a range of a file, all or those of one session. If
    /// they cannot be read, that is a fault.
    fn add_range(
        &mut self,
        path: &Path,
        range: Range<u64>,
        time: SystemTime,
        only: Option<&str>,
    ) {
        let builder = ReaderBuilder::new();
        let by_name = &mut self.by_name;
        let read = linetape_flow::open_range(path, range, &builder);
        let read = read.and_then(|mut reader| {
            while let Some(line) = reader.next_line() {
                match line {
                    Ok(line) => add(by_name, &line, path, time, only),
                    Err(error) if error.is_recoverable() => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        });
        if let Err(error) = read {
            let (path, why) = (path.display(), error.reason());
            self.faults.push(format!(
                "{path}: {why}; the figures are without its lines up to now"
            ));
        }
    }
}

/// Adds a line to its session, unless only another one is wanted. A line
/// without a session says nothing about any.
fn add(
    sessions: &mut BTreeMap<String, Session>,
    line: &Line<'_>,
    path: &Path,
    time: SystemTime,
    only: Option<&str>,
) {
    let length = line.as_bytes().len() + line.terminator().len();
    let end = line.offset() + length as u64;
    let Ok(message) = line.peek() else { return };
    let facts = linetape_session::Facts::of(message);
    let Some(name) = facts.session_name() else { return };
    if only.is_some_and(|only| *only != *name) {
        return;
    }
    let session = match sessions.get_mut(&*name) {
        Some(session) => session,
        None => sessions
            .entry(name.to_string())
            .or_insert_with(|| Session::new(&name, path, time)),
    };
    session.add(&facts);
    session.note_line(path, end);
    session.changed = time.max(session.changed);
}
