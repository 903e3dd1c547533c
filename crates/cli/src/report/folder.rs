//! The folder with the pages.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
};

use linetape_report::{
    Options, Overview, page_name, source_of, write_index, write_session,
};
use linetape_session::UsageTotals;

use crate::{
    report::{
        group::Group,
        source::{REDACTED, Reading},
    },
    table::counted,
    unused,
};

const INDEX: &str = "index.html";

/// So many pages are named in a message.
const NAMED: usize = 10;

/// A folder with an index and pages.
pub struct Folder {
    path: PathBuf,
    sessions: Vec<Overview>,
    /// That of all logs with a session in the index.
    usage: UsageTotals,
    written: usize,
    /// The names of the pages of this run.
    names: HashSet<String>,
    /// The pages of this run, by session id.
    pages: HashMap<String, String>,
}

impl Folder {
    /// Opens a folder, or creates it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is an index that linetape has not made.
    pub fn new(path: &Path) -> io::Result<Folder> {
        fs::create_dir_all(path)?;
        let index = path.join(INDEX);
        if fs::symlink_metadata(&index).is_ok() && made_from(&index).is_none()
        {
            let text = "there is an index.html that is not of linetape report";
            return Err(io::Error::other(text));
        }
        let path = path.to_path_buf();
        Ok(Folder {
            path,
            sessions: vec![],
            usage: UsageTotals::without_tools(),
            written: 0,
            names: HashSet::new(),
            pages: HashMap::new(),
        })
    }

    /// Gives each session of a group a page of its own.
    pub fn name(&mut self, group: &Group, sessions: &mut [Overview]) {
        for session in sessions {
            // An id can be any text, so it is never taken for a file.
            let key = match (&session.id, group.inputs.first()) {
                (Some(id), _) => format!("session {id}"),
                (None, Some(input)) => format!("file {input}"),
                (None, None) => String::new(),
            };
            let mut name = page_name(&key);
            // Two hashes of ids can be equal.
            let mut count = 1u64;
            while !self.names.insert(name.clone()) {
                count += 1;
                name = page_name(&format!("{count} {key}"));
            }
            if let Some(id) = &session.id {
                let page = self.pages.entry(id.clone());
                page.or_insert(name.clone());
            }
            session.page = Some(name);
        }
    }

    /// Adds the usage of a group to the totals of the index.
    pub fn spend(&mut self, usage: UsageTotals) {
        self.usage.append(usage);
    }

    /// Returns whether a session names another one that is in a file, but has
    /// no page yet.
    pub fn is_waiting(
        &self,
        sessions: &[Overview],
        in_files: &HashSet<String>,
    ) -> bool {
        let mut named = sessions.iter().flat_map(named);
        named.any(|id| in_files.contains(id) && !self.pages.contains_key(id))
    }

    /// Writes the pages of some sessions, except for those that are there and
    /// were made from the same log.
    pub fn add(
        &mut self,
        reading: &mut Reading,
        sessions: Vec<Overview>,
        full: bool,
    ) -> io::Result<()> {
        let mut options = Options::default();
        options.full = full;
        options.index = Some(INDEX.to_string());
        for session in sessions {
            let Some(name) = &session.page else { continue };
            let path = self.path.join(name);
            options.source = reading.mark(full);
            options.pages.clear();
            for id in named(&session) {
                if let Some(page) = self.pages.get(id) {
                    options.source += &format!(" to {page}");
                    options.pages.insert(id.clone(), page.clone());
                }
            }
            if made_from(&path).as_deref() != Some(&*options.source) {
                self.written += 1;
                replace(&path, |out| {
                    let Reading { log, recall, .. } = reading;
                    write_session(out, log, &session, recall, &options)
                })?;
            }
            self.sessions.push(session);
        }
        Ok(())
    }

    /// Returns a message that names the pages of earlier runs that are not
    /// redacted, if there are any. They are not removed, because their logs
    /// may be gone.
    pub fn unredacted(&self) -> io::Result<Option<String>> {
        let mut found = vec![];
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // A part is what a run left that was ended while it wrote.
            let is_named = name.starts_with("session-");
            let is_part = (is_named || name.starts_with(INDEX))
                && name.contains(".html.part-");
            let is_page = is_named
                && name.ends_with(".html")
                && !self.names.contains(&name)
                && made_from(&entry.path())
                    .is_some_and(|mark| !mark.contains(REDACTED));
            if is_part || is_page {
                found.push(name);
            }
        }
        found.sort_unstable();
        let count = found.len();
        let more = match count.saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        found.truncate(NAMED);
        let message = format!(
            "pages of earlier runs are not redacted: {}{more}; remove them, \
             or use another folder",
            found.join(", ")
        );
        Ok((count > 0).then_some(message))
    }

    /// Writes the index, with the latest session first. Returns its path.
    pub fn finish(&mut self) -> io::Result<PathBuf> {
        let by_time =
            |session: &Overview| std::cmp::Reverse(session.started_at);
        self.sessions.sort_by_key(by_time);
        let path = self.path.join(INDEX);
        replace(&path, |out| write_index(out, &self.sessions, &self.usage))?;
        Ok(path)
    }

    /// Returns whether there is no session.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Returns how many pages there are, and how many were written.
    pub fn counts(&self) -> String {
        let count = self.sessions.len();
        let unchanged = count.saturating_sub(self.written);
        format!(
            "{}, {} written, {unchanged} unchanged",
            counted(count, "session"),
            self.written
        )
    }
}

/// Returns the ids of the sessions before and after a session.
fn named(session: &Overview) -> impl Iterator<Item = &String> {
    let Overview { forked_from, continued_in, .. } = session;
    [forked_from, continued_in].into_iter().flatten()
}

/// Returns what a page was made from, if it is there.
fn made_from(page: &Path) -> Option<String> {
    source_of(File::open(page).ok()?).ok()?
}

/// Writes a file beside its place first, so that it is never half written. An
/// error names the file.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let replaced = part_of(path).and_then(|(part, file)| {
        let mut out = BufWriter::with_capacity(64 << 10, file);
        let written = write(&mut out).and_then(|()| out.flush());
        let moved = written.and_then(|()| fs::rename(&part, path));
        if moved.is_err() {
            _ = fs::remove_file(&part);
        }
        moved
    });
    replaced.map_err(|error| {
        let path = path.display();
        io::Error::new(error.kind(), format!("{path}: {error}"))
    })
}

/// Creates a new file beside a path. A run that was killed may have left one,
/// and in a container, all runs have the same process id.
fn part_of(path: &Path) -> io::Result<(PathBuf, File)> {
    let part = |number| {
        let mut part = path.as_os_str().to_os_string();
        part.push(format!(".part-{}-{number}", process::id()));
        PathBuf::from(part)
    };
    // It does not follow links.
    unused::create(part, |part| File::create_new(part))
}
