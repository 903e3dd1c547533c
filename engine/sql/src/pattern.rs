//! Patterns of paths on this machine.
//!
//! The crate `glob` matches names, and the folders are read here: its own walk leaves
//! out names that are not Unicode, and its `**` at the end means folders only.

use std::{
    ffi::OsString,
    fs, io,
    path::{Component, Path, PathBuf},
};

use datafusion::common::{DataFusionError, Result};
use glob::{MatchOptions, Pattern};

use crate::local::shown;

/// Returns whether a path is a pattern.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Returns the files and folders that match a pattern. A pattern that ends with `**`
/// matches everything below. `**` follows a link to a folder unless that would make a
/// loop. In a name that is not Unicode, `*` and `?` match what is not valid.
pub(crate) fn matches(pattern: &Path) -> Result<Vec<PathBuf>> {
    let parts = pattern.components().map(Part::new);
    let mut parts: Vec<Part<'_>> = parts.collect::<Result<_>>()?;
    // `**/**` means the same as `**`.
    parts.dedup_by(|one, other| {
        matches!((one, other), (Part::Folders, Part::Folders))
    });
    let is_all = matches!(parts.last(), Some(Part::Folders));
    if is_all {
        parts.push(Part::Name(compiled("*")?));
    }
    let mut found = vec![];
    walk(PathBuf::new(), &parts, &mut vec![], &mut found)?;
    // A pattern that ends with `/` matches folders only.
    let bytes = pattern.as_os_str().as_encoded_bytes();
    if bytes.ends_with(b"/") && !is_all {
        found.retain(|path| path.is_dir());
    }
    Ok(found)
}

/// A part of a pattern, between two `/`.
enum Part<'a> {
    /// No pattern.
    Literal(Component<'a>),
    Name(Pattern),
    /// `**`: any number of folders.
    Folders,
}

impl Part<'_> {
    fn new(component: Component<'_>) -> Result<Part<'_>> {
        let text = component.as_os_str().to_str();
        Ok(match (component, text) {
            (Component::Normal(_), Some("**")) => Part::Folders,
            (Component::Normal(_), Some(text)) if is_pattern(text) => {
                Part::Name(compiled(text)?)
            }
            _ => Part::Literal(component),
        })
    }
}

fn compiled(text: &str) -> Result<Pattern> {
    Pattern::new(text)
        .map_err(|error| DataFusionError::External(Box::new(error)))
}

/// Adds what matches the parts below a path. `links` are the targets of the links
/// that `**` has followed.
fn walk(
    path: PathBuf,
    parts: &[Part<'_>],
    links: &mut Vec<PathBuf>,
    found: &mut Vec<PathBuf>,
) -> Result<()> {
    let Some((first, rest)) = parts.split_first() else {
        found.push(path);
        return Ok(());
    };
    match first {
        Part::Literal(component) => {
            let next = path.join(component);
            // A link that leads nowhere is an error later.
            if fs::symlink_metadata(&next).is_ok() {
                walk(next, rest, links, found)?;
            }
        }
        Part::Name(pattern) => {
            for name in names(&path)? {
                let text = name.to_string_lossy();
                if pattern.matches_with(&text, MatchOptions::new()) {
                    walk(path.join(&name), rest, links, found)?;
                }
            }
        }
        Part::Folders => {
            for name in names(&path)? {
                let inner = path.join(name);
                if !inner.is_dir() {
                    continue;
                }
                let followed = links.len();
                if inner.is_symlink() {
                    match target(&inner, links) {
                        Some(target) => links.push(target),
                        None => continue,
                    }
                }
                walk(inner, parts, links, found)?;
                links.truncate(followed);
            }
            walk(path, rest, links, found)?;
        }
    }
    Ok(())
}

/// Returns the target of a link to a folder. `None` if the link is inside its target, or
/// if a link on the way has the same target.
fn target(link: &Path, links: &[PathBuf]) -> Option<PathBuf> {
    let target = link.canonicalize().ok()?;
    let folder = match link.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let folder = folder.canonicalize().ok()?;
    let is_new = !folder.starts_with(&target) && !links.contains(&target);
    is_new.then_some(target)
}

/// Returns the names in a folder. A file has none.
fn names(folder: &Path) -> Result<Vec<OsString>> {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let read = || -> io::Result<Vec<OsString>> {
        if !folder.metadata()?.is_dir() {
            return Ok(vec![]);
        }
        fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
    };
    match read() {
        // A link that leads nowhere has none either.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(vec![]),
        read => read.map_err(|error| {
            let error = DataFusionError::IoError(error);
            error.context(format!("cannot read {}", shown(folder)))
        }),
    }
}
