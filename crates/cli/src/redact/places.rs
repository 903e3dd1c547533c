//! The files that are redacted.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use linetape_flow::is_log;

use crate::subagents::{agents_of, is_agent};

/// A file to redact.
pub struct Place {
    pub path: PathBuf,
    /// Its path below the output folder, before it is redacted.
    pub name: PathBuf,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Lines.
    Log,
    /// A JSON document beside a log.
    Document,
    /// The result of a tool, beside a log.
    Text,
    /// The sample session, which is no file.
    Sample,
}

/// The files, the folders that could not be listed, and the links to folders.
#[derive(Default)]
pub struct Places {
    pub files: Vec<Place>,
    pub errors: Vec<(PathBuf, io::Error)>,
    pub links: Vec<PathBuf>,
}

impl Places {
    /// Returns the files that the paths name: for a folder, the logs in it and
    /// what belongs to them; for a log, also its sub-agents if
    /// `has_subagents`. Without a path, the sample session.
    pub fn of(paths: &[PathBuf], has_subagents: bool) -> Places {
        let mut places = Places::default();
        for path in paths {
            if !path.is_dir() {
                let name = path.file_name().map(PathBuf::from);
                let kind = kind(path).unwrap_or(Kind::Log);
                let name = name.unwrap_or_default();
                places.files.push(Place { path: path.clone(), name, kind });
                continue;
            }
            let (before, failed) = (places.files.len(), places.errors.len());
            places.add(path, path);
            if !has_subagents {
                places.files.retain(|place| !is_agent(&place.path, path));
            }
            if (places.files.len(), places.errors.len()) == (before, failed) {
                let why = io::Error::other("no logs in this folder");
                places.errors.push((path.clone(), why));
            }
        }
        if paths.is_empty() {
            let (path, name) = ("the sample session", "session.jsonl");
            let (path, name) = (PathBuf::from(path), PathBuf::from(name));
            places.files.push(Place { path, name, kind: Kind::Sample });
        }
        if has_subagents {
            places.add_subagents(paths);
        }
        places
    }

    /// Adds the files of the sub-agents of each log in `paths`, unless they are
    /// there.
    fn add_subagents(&mut self, paths: &[PathBuf]) {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let known = self.files.iter().filter_map(|place| real(&place.path));
        let mut known: HashSet<PathBuf> = known.collect();
        for log in paths.iter().filter(|path| !path.is_dir()) {
            let Some(folder) = agents_of(log).filter(|path| path.is_dir())
            else {
                continue;
            };
            let mut agents = Places::default();
            agents.add(&folder, log.parent().unwrap_or(Path::new("")));
            agents.files.retain(|place| {
                real(&place.path).is_some_and(|path| known.insert(path))
            });
            self.files.append(&mut agents.files);
            self.errors.append(&mut agents.errors);
            self.links.append(&mut agents.links);
        }
    }

    /// Adds the files of a folder below `root`, sorted by name. Every copy of
    /// a log is one of them: each can hold a secret. Links to folders are not
    /// followed.
    fn add(&mut self, folder: &Path, root: &Path) {
        let entry = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.path(), entry.file_type()?.is_dir()))
        };
        let entries = fs::read_dir(folder).and_then(|entries| {
            entries.map(entry).collect::<io::Result<Vec<_>>>()
        });
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                return self.errors.push((folder.to_path_buf(), error));
            }
        };
        entries.sort();
        for (path, is_folder) in entries {
            if is_folder {
                self.add(&path, root);
            } else if path.is_dir() {
                self.links.push(path);
            } else if let Some(kind) = kind(&path) {
                let name = path.strip_prefix(root).unwrap_or(&path);
                let name = name.to_path_buf();
                self.files.push(Place { path, name, kind });
            }
        }
    }
}

/// Returns what a file in a folder is, by its name.
fn kind(path: &Path) -> Option<Kind> {
    if is_log(path) {
        return Some(Kind::Log);
    }
    let name = path.file_name()?.as_encoded_bytes();
    if name.ends_with(b".meta.json") {
        return Some(Kind::Document);
    }
    let mut folders = path.ancestors().skip(1).filter_map(Path::file_name);
    folders.any(|folder| folder == "tool-results").then_some(Kind::Text)
}
