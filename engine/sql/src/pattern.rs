//! Patterns of paths on this machine.
//!
//! The crate `glob` matches names, and the folders are read here: its own walk leaves
//! out names that are not Unicode, and its `**` at the end means folders only.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs, io,
    path::{Component, Path, PathBuf},
};

use datafusion::common::{DataFusionError, Result, plan_err};
use glob::{MatchOptions, Pattern};

use crate::{local::shown, message};

/// Returns whether a path is a pattern.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Returns the files and folders that match a pattern. A pattern that ends with `**`
/// matches everything below. `**` follows a link to a folder unless that would make a
/// loop. In a name that is not Unicode, `*` and `?` match what is not valid. A name that
/// exists, such as `[x]`, is no pattern, as a whole path that exists is none. If it has `*`
/// or `?`, it is one, unless nothing else matches it.
pub(crate) fn matches(pattern: &Path) -> Result<Vec<PathBuf>> {
    let mut parts: Vec<Part<'_>> =
        pattern.components().map(Part::new).collect();
    // `**/**` means the same as `**`.
    parts.dedup_by(|one, other| {
        matches!((one, other), (Part::Folders, Part::Folders))
    });
    let is_all = matches!(parts.last(), Some(Part::Folders));
    if is_all {
        parts.push(Part::Name(compiled("*")?, "*"));
    }
    let mut found = vec![];
    walk(PathBuf::new(), &parts, &mut HashSet::new(), &mut found)?;
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
    /// A pattern, and its text.
    Name(Pattern, &'a str),
    /// `**`: any number of folders.
    Folders,
    /// No valid pattern, and why. It may be a name, such as `a[b`.
    Invalid(&'a str, DataFusionError),
}

impl Part<'_> {
    fn new(component: Component<'_>) -> Part<'_> {
        let text = component.as_os_str().to_str();
        match (component, text) {
            (Component::Normal(_), Some("**")) => Part::Folders,
            (Component::Normal(_), Some(text)) if is_pattern(text) => {
                match compiled(text) {
                    Ok(pattern) => Part::Name(pattern, text),
                    Err(error) => Part::Invalid(text, error),
                }
            }
            _ => Part::Literal(component),
        }
    }
}

fn compiled(text: &str) -> Result<Pattern> {
    // In a shell, it means the opposite of what it would mean here.
    if text.contains("[^") {
        return plan_err!("in the pattern `{text}`: write [!...] for [^...]");
    }
    Pattern::new(text).or_else(|error| {
        let (what, at) = (error.msg, error.pos + 1);
        plan_err!("in the pattern `{text}`, at character {at}: {what}")
    })
}

/// Adds what matches the parts below a path. `links` are the targets of the links that
/// `**` has followed, and the number of parts that were left there: a second link to the
/// same folder would find the same files.
fn walk(
    path: PathBuf,
    parts: &[Part<'_>],
    links: &mut HashSet<(PathBuf, usize)>,
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
        Part::Invalid(text, error) => {
            let next = path.join(text);
            if fs::symlink_metadata(&next).is_err() {
                return plan_err!("{}", message(error));
            }
            walk(next, rest, links, found)?;
        }
        Part::Name(pattern, text) => {
            let mut names = names(&path)?;
            let exists = names.iter().any(|name| name == text);
            names.retain(|name| {
                let name = name.to_string_lossy();
                pattern.matches_with(&name, MatchOptions::new())
            });
            let is_name = !text.contains(['*', '?']) || names.is_empty();
            if exists && is_name {
                names = vec![text.into()];
            }
            for name in names {
                walk(path.join(&name), rest, links, found)?;
            }
        }
        Part::Folders => {
            for name in names(&path)? {
                let inner = path.join(name);
                if !inner.is_dir() {
                    continue;
                }
                if inner.is_symlink() {
                    let to = target(&inner).map(|to| (to, parts.len()));
                    if !to.is_some_and(|to| links.insert(to)) {
                        continue;
                    }
                }
                walk(inner, parts, links, found)?;
            }
            walk(path, rest, links, found)?;
        }
    }
    Ok(())
}

/// Returns the target of a link to a folder. `None` if the link is inside its target.
fn target(link: &Path) -> Option<PathBuf> {
    let target = link.canonicalize().ok()?;
    let folder = match link.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let folder = folder.canonicalize().ok()?;
    (!folder.starts_with(&target)).then_some(target)
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
