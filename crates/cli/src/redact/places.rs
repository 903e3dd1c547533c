//! The files that are redacted, and where their results go.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use linetape_redact::Redactor;

use crate::outcome::Outcome;

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
}

/// Returns the files that the paths name: for a folder, the logs in it and what
/// belongs to them.
pub fn places(paths: &[PathBuf], outcome: &mut Outcome) -> Vec<Place> {
    let mut places = vec![];
    for path in paths {
        if !path.is_dir() {
            let name = path.file_name().map(PathBuf::from);
            let name = name.unwrap_or_default();
            places.push(place(path.clone(), name));
            continue;
        }
        let logs = linetape_flow::logs(path);
        for (folder, error) in logs.errors {
            outcome.report(&folder.display(), &error, Outcome::CouldNotRun);
        }
        let mut files = logs.files;
        add_sidecars(path, &mut files, outcome);
        files.sort();
        if files.is_empty() {
            let why = "no logs in this folder";
            outcome.report(&path.display(), &why, Outcome::CouldNotRun);
        }
        for file in files {
            let name = file.strip_prefix(path).unwrap_or(&file).to_path_buf();
            places.push(place(file, name));
        }
    }
    places
}

fn place(path: PathBuf, name: PathBuf) -> Place {
    let kind = sidecar(&path).unwrap_or(Kind::Log);
    Place { path, name, kind }
}

/// Returns what a file beside a log is, by its name.
fn sidecar(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_str()?;
    let parent = path.parent().and_then(Path::file_name);
    if name.ends_with(".meta.json") {
        return Some(Kind::Document);
    }
    let is_result = parent.is_some_and(|parent| parent == "tool-results");
    (is_result && name.ends_with(".txt")).then_some(Kind::Text)
}

/// Adds the files in a folder that belong to logs. Links to folders are not
/// followed.
fn add_sidecars(
    folder: &Path,
    files: &mut Vec<PathBuf>,
    outcome: &mut Outcome,
) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let folder = folder.display();
            return outcome.report(&folder, &error, Outcome::CouldNotRun);
        }
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_sidecars(&path, files, outcome);
        } else if sidecar(&path).is_some() {
            files.push(path);
        }
    }
}

/// Returns where the result of a file goes: its name is redacted too.
/// Compressed logs are written as plain text.
pub fn target(
    folder: &Path,
    place: &Place,
    redactor: &mut Redactor,
) -> io::Result<PathBuf> {
    let Some(name) = place.name.to_str() else {
        return Err(io::Error::other("the name of the file is not UTF-8"));
    };
    let name = redactor.text(name).to_string();
    let name = match place.kind {
        Kind::Log => {
            let plain = name.strip_suffix(".gz");
            plain.or_else(|| name.strip_suffix(".zst")).unwrap_or(&name)
        }
        _ => &name,
    };
    let target = folder.join(name);
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    Ok(target)
}
