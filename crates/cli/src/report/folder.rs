//! The folder with the pages.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
};

use linetape_report::{
    Options, Overview, page_name, source_of, write_index, write_session,
};

use crate::report::source::Reading;

const INDEX: &str = "index.html";

/// A folder with an index and pages.
pub struct Folder {
    path: PathBuf,
    sessions: Vec<Overview>,
    written: usize,
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
        Ok(Folder { path, sessions: vec![], written: 0 })
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
        options.source = reading.mark(full);
        for mut session in sessions {
            let input = reading.group.inputs.first();
            let file = || input.map(|input| format!("file {input}"));
            let key = session.id.clone().or_else(file).unwrap_or_default();
            let name = page_name(&key);
            let path = self.path.join(&name);
            session.page = Some(name);
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

    /// Writes the index, with the latest session first. Returns its path.
    pub fn finish(&mut self) -> io::Result<PathBuf> {
        let by_time =
            |session: &Overview| std::cmp::Reverse(session.started_at);
        self.sessions.sort_by_key(by_time);
        let path = self.path.join(INDEX);
        replace(&path, |out| write_index(out, &self.sessions))?;
        Ok(path)
    }

    /// Returns how many pages there are, and how many were written.
    pub fn counts(&self) -> String {
        let count = self.sessions.len();
        let sessions = if count == 1 { "session" } else { "sessions" };
        let unchanged = count.saturating_sub(self.written);
        format!(
            "{count} {sessions}, {} written, {unchanged} unchanged",
            self.written
        )
    }
}

/// Returns what a page was made from, if it is there.
fn made_from(page: &Path) -> Option<String> {
    source_of(File::open(page).ok()?).ok()?
}

/// Writes a file beside its place first, so that it is never half written.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut beside = path.as_os_str().to_os_string();
    beside.push(format!(".part-{}", process::id()));
    let beside = PathBuf::from(beside);
    // Fails if it is there, and does not follow links.
    let file = File::create_new(&beside)?;
    let mut out = BufWriter::with_capacity(64 << 10, file);
    let written = write(&mut out).and_then(|()| out.flush());
    if let Err(error) = written {
        _ = fs::remove_file(&beside);
        return Err(error);
    }
    fs::rename(&beside, path)
}
