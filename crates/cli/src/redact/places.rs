//! The files that are redacted.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use linetape_flow::is_log;

use crate::subagents::{folder_of, is_agent, stem_of};

/// A file to redact.
pub struct Place {
    pub path: PathBuf,
    /// Its path below the output folder, before it is redacted.
    pub name: PathBuf,
    pub kind: Kind,
    /// Whether it is a file of the command line.
    is_named: bool,
}

/// The folders of a session with files that are redacted.
const PARTS: [&str; 2] = ["subagents", "tool-results"];

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
    /// what belongs to them; for a log, also what belongs to it if
    /// `has_subagents`. Without a path, the sample session.
    pub fn of(paths: &[PathBuf], has_subagents: bool) -> Places {
        let mut places = Places::default();
        for path in paths {
            if !path.is_dir() {
                let kind = kind(path).unwrap_or(Kind::Log);
                let name = places.free_name(path);
                let (path, is_named) = (path.clone(), true);
                let log = Place { path, name, kind, is_named };
                places.files.push(log);
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
            let (kind, is_named) = (Kind::Sample, false);
            places.files.push(Place { path, name, kind, is_named });
        }
        if has_subagents {
            places.add_subagents();
        }
        places
    }

    /// Returns the name of a log, which no other place has: what belongs to it
    /// is in a folder with this name.
    fn free_name(&self, log: &Path) -> PathBuf {
        let name = log.file_name().unwrap_or_default();
        let Some((stem, end)) = name.to_str().and_then(|n| n.split_once('.'))
        else {
            return name.into();
        };
        let mut free = PathBuf::from(name);
        let mut number = 2_u64;
        while self.files.iter().any(|place| place.name == free) {
            free = format!("{stem}-{number}.{end}").into();
            number += 1;
        }
        free
    }

    /// Adds what belongs to the logs that were named, unless it is there: the
    /// transcripts of their sub-agents, and results of tools.
    fn add_subagents(&mut self) {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let known = self.files.iter().filter_map(|place| real(&place.path));
        let mut known: HashSet<PathBuf> = known.collect();
        let logs = self.files.iter().filter(|place| place.is_named);
        let folders = logs.filter_map(|log| {
            let name = log.name.with_file_name(stem_of(&log.name)?);
            Some((folder_of(&log.path)?, name))
        });
        let folders: Vec<(PathBuf, PathBuf)> = folders.collect();
        for (folder, name) in folders {
            let parts = PARTS.map(|part| folder.join(part));
            for part in parts.iter().filter(|part| part.is_dir()) {
                let mut found = Places::default();
                found.add(part, &folder);
                for mut place in found.files {
                    let path = real(&place.path);
                    if path.is_some_and(|path| known.insert(path)) {
                        place.name = name.join(&place.name);
                        self.files.push(place);
                    }
                }
                self.errors.append(&mut found.errors);
                self.links.append(&mut found.links);
            }
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
                let is_named = false;
                self.files.push(Place { path, name, kind, is_named });
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
