//! The names of the files that are written.

use std::{
    collections::HashMap,
    io,
    path::{Component, Path, PathBuf, is_separator},
};

use linetape_redact::Redactor;

use crate::redact::places::{Kind, Place};

/// The ends of names that stay, since they say what a file is, and what is
/// written instead: compressed logs are written as plain text.
const ENDS: [(&str, &str); 8] = [
    (".jsonl", ".jsonl"),
    (".ndjson", ".ndjson"),
    (".jsonl.gz", ".jsonl"),
    (".jsonl.zst", ".jsonl"),
    (".ndjson.gz", ".ndjson"),
    (".ndjson.zst", ".ndjson"),
    (".meta.json", ".meta.json"),
    (".txt", ".txt"),
];

/// The name of something that cannot keep its own.
const NAMELESS: &str = "_";

/// A path of which each part is a plain name.
pub struct Name {
    /// Folders and the file, without its end.
    parts: Vec<String>,
    end: String,
}

impl Name {
    /// Redacts the name of a file. What is found is added to the findings of
    /// the redactor.
    ///
    /// # Errors
    ///
    /// If a part is not a plain name, or not UTF-8.
    pub fn of(place: &Place, redactor: &mut Redactor) -> io::Result<Name> {
        let mut parts = vec![];
        for part in place.name.components() {
            let Component::Normal(part) = part else {
                return Err(io::Error::other("not the name of a file"));
            };
            let Some(part) = part.to_str() else {
                let why = "the name of the file is not UTF-8";
                return Err(io::Error::other(why));
            };
            parts.push(part.to_string());
        }
        let Some(last) = parts.last_mut() else {
            return Err(io::Error::other("not the name of a file"));
        };
        let (length, end) = end_of(last, place.kind);
        last.truncate(length);
        let mut clean: Vec<String> = parts
            .iter()
            .map(|part| plain(part, redactor.text(part)))
            .collect();
        // A folder such as `home` is what makes a user of the next one.
        let joined = clean.join("/");
        let whole = redactor.text(&joined);
        if whole != joined {
            let whole: Vec<&str> = whole.split('/').collect();
            clean = match whole.len() == clean.len() {
                true => clean
                    .iter()
                    .zip(whole)
                    .map(|(part, new)| plain(part, new))
                    .collect(),
                false => vec![NAMELESS.to_string()],
            };
        }
        Ok(Name { parts: clean, end: end.to_string() })
    }
}

/// Returns the length of a name without its end, and the end to write.
fn end_of(name: &str, kind: Kind) -> (usize, &'static str) {
    let ends = |end: &str| {
        let length = name.len().checked_sub(end.len()).filter(|n| *n > 0)?;
        let is_it = name.get(length..)?.eq_ignore_ascii_case(end);
        is_it.then_some(length)
    };
    for (end, written) in ENDS {
        if let Some(length) = ends(end) {
            return (length, written);
        }
    }
    let compressed = ends(".gz").or_else(|| ends(".zst"));
    match compressed.filter(|_| kind == Kind::Log) {
        Some(length) => (length, ""),
        None => (name.len(), ""),
    }
}

/// Returns the redacted part of a path, if it is still a plain name.
fn plain(part: &str, redacted: &str) -> String {
    let is_bad = matches!(redacted, "" | "." | "..")
        || redacted.contains(is_separator)
        || redacted.contains('\0');
    match is_bad && part != redacted {
        true => NAMELESS.to_string(),
        false => redacted.to_string(),
    }
}

/// The names that are taken, and by what.
#[derive(Default)]
pub struct Names(HashMap<PathBuf, PathBuf>);

impl Names {
    /// Returns the path for a file, which no other file has. Two names can be
    /// the same after redaction: then the second one ends with `-2`.
    pub fn take(&mut self, place: &Place, name: &Name) -> PathBuf {
        let mut path = PathBuf::new();
        let mut from = PathBuf::new();
        let mut folders = place.name.components();
        let last = name.parts.len().saturating_sub(1);
        for (n, part) in name.parts.iter().enumerate() {
            if n == last {
                return self.free(&path, part, &name.end, &place.path);
            }
            from.extend(folders.next());
            path = self.free(&path, part, "", &from);
        }
        path
    }

    fn free(
        &mut self,
        folder: &Path,
        part: &str,
        end: &str,
        from: &Path,
    ) -> PathBuf {
        let mut path = folder.join(format!("{part}{end}"));
        let mut number = 2_u64;
        while let Some(other) = self.0.get(&path) {
            if other == from {
                return path;
            }
            path = folder.join(format!("{part}-{number}{end}"));
            number += 1;
        }
        self.0.insert(path.clone(), from.to_path_buf());
        path
    }
}
