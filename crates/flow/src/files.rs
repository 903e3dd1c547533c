use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use linetape::Error;

/// Returns the log at a path, or the logs in a folder and all folders below it,
/// sorted by path.
///
/// A path of a file is returned as it is: a file that is named is a log,
/// whatever its name. In a folder, these are the logs:
///
/// - A log is a file whose name ends with `.jsonl` or `.ndjson`, or with one of
///   these and `.gz` or `.zst`. Case does not matter. So temporary files
///   (`*.tmp`) are not logs.
/// - If a folder has several copies of a log, one is returned: `x.jsonl` rather
///   than `x.jsonl.gz`, and `x.jsonl.gz` rather than `x.jsonl.zst`. While a
///   program compresses or decompresses a log, both copies exist for a moment.
/// - Pipes, sockets, devices and links that lead nowhere are errors, and do not
///   hide a copy: opening a pipe would wait for its writer.
/// - Symbolic links to files are followed. Links to folders are not, since they
///   can form a cycle; `path` itself may be one.
///
/// The files are not opened, so a `.gz` file may turn out to be plain text.
///
/// # Errors
///
/// Returns an error of the kind [`ErrorKind::Io`](linetape::ErrorKind::Io) with
/// the [path](Error::file_path) if anything is missing or cannot be listed, also if
/// it is one of many folders: a part of the logs would look like all of them.
/// It is the error with the first path. [`Logs::find`] continues with the rest.
///
/// # Example
///
/// This shows which files of a folder are read, and that a folder that does
/// not exist is not a folder without logs.
///
/// ```
/// use linetape_flow::logs;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = std::env::temp_dir()
///     .join(format!("linetape-logs-{}", std::process::id()));
/// std::fs::create_dir_all(folder.join("old"))?;
/// for name in ["b.jsonl", "b.jsonl.zst", "notes.txt", "old/a.jsonl.gz"] {
///     std::fs::write(folder.join(name), "")?;
/// }
/// let expected = [folder.join("b.jsonl"), folder.join("old/a.jsonl.gz")];
/// assert_eq!(logs(&folder)?, expected);
///
/// let named = folder.join("notes.txt");
/// assert_eq!(logs(&named)?, [named]);
///
/// let missing = folder.join("missing");
/// let error = logs(&missing).unwrap_err();
/// assert_eq!(error.file_path(), Some(&*missing));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
pub fn logs(path: impl AsRef<Path>) -> Result<Vec<PathBuf>, Error> {
    let Logs { files, errors } = Logs::find(path);
    match errors.into_iter().min_by(|(a, _), (b, _)| a.cmp(b)) {
        Some((path, error)) => Err(Error::from(error).with_path(path)),
        None => Ok(files),
    }
}

/// The logs that could be found, and what could not be read: for a program that
/// continues with the logs that it can read. [`logs`] returns an error
/// instead.
///
/// # Example
///
/// This reports what cannot be read, and continues.
///
/// ```
/// use linetape_flow::Logs;
///
/// let logs = Logs::find("no/such/folder");
/// for (path, error) in &logs.errors {
///     eprintln!("{}: {error}", path.display());
/// }
/// assert_eq!((logs.files.len(), logs.errors.len()), (0, 1));
/// ```
#[derive(Debug, Default)]
#[must_use = "the errors say which logs are missing"]
#[non_exhaustive]
pub struct Logs {
    /// The log files, sorted by path.
    pub files: Vec<PathBuf>,
    /// What is missing, the folders that could not be listed, and what has the
    /// name of a log and is not a regular file, in no particular order.
    pub errors: Vec<(PathBuf, io::Error)>,
}

impl Logs {
    /// Finds the logs that [`logs`] returns, and continues after errors.
    pub fn find(path: impl AsRef<Path>) -> Logs {
        let path = path.as_ref();
        match is_file(or_here(path)) {
            Ok(true) => {
                Logs { files: vec![path.to_path_buf()], errors: vec![] }
            }
            Ok(false) => Logs::below(path),
            Err(error) => {
                let errors = vec![(path.to_path_buf(), error)];
                Logs { files: vec![], errors }
            }
        }
    }

    /// Finds the logs of a folder. A file is an error.
    pub(crate) fn below(folder: &Path) -> Logs {
        let mut found = BTreeSet::new();
        let mut errors = vec![];
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            match list(&folder) {
                Ok(entries) => {
                    for (is_folder, path) in entries {
                        if is_folder {
                            folders.push(path);
                        } else if is_log(&path) {
                            match is_file(&path) {
                                Ok(true) => _ = found.insert(path),
                                Ok(false) => {}
                                Err(error) => errors.push((path, error)),
                            }
                        }
                    }
                }
                Err(error) => errors.push((folder, error)),
            }
        }
        let is_wanted = |path: &&PathBuf| !has_better_copy(path, &found);
        let files = found.iter().filter(is_wanted).cloned().collect();
        Logs { files, errors }
    }
}

/// Returns whether a file in a folder is a log, by its name: see [`logs`].
///
/// # Example
///
/// This shows some names.
///
/// ```
/// use linetape_flow::is_log;
///
/// assert!(is_log("session.jsonl"));
/// assert!(is_log("logs/SESSION.NDJSON.GZ"));
/// assert!(!is_log("session.jsonl.zst.compress.1.2.tmp"));
/// assert!(!is_log("session.json"));
/// assert!(!is_log("session.gz"));
/// ```
pub fn is_log(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    if is_compressed(path) {
        return is_plain_log(&path.with_extension(""));
    }
    is_plain_log(path)
}

/// Returns whether another copy of a log is read instead of it: see [`logs`].
/// `paths` are all logs that exist.
///
/// # Example
///
/// This shows the rule for logs that are listed by other means.
///
/// ```
/// use linetape_flow::has_better_copy;
/// use std::{collections::BTreeSet, path::PathBuf};
///
/// let names = ["a.jsonl", "a.jsonl.gz", "b.jsonl.gz"];
/// let paths: BTreeSet<PathBuf> = names.map(PathBuf::from).into();
/// assert!(has_better_copy("a.jsonl.gz", &paths));
/// assert!(!has_better_copy("b.jsonl.gz", &paths));
/// ```
pub fn has_better_copy(
    path: impl AsRef<Path>,
    paths: &BTreeSet<PathBuf>,
) -> bool {
    let better = better_copies(path.as_ref());
    better.iter().any(|better| paths.contains(better))
}

/// Returns whether a log is compressed, by its name.
pub(crate) fn is_compressed(path: &Path) -> bool {
    ends_with(path, "gz") || ends_with(path, "zst")
}

fn is_plain_log(path: &Path) -> bool {
    ends_with(path, "jsonl") || ends_with(path, "ndjson")
}

fn ends_with(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case(extension))
}

/// Returns the files that are read instead of this one, if they exist.
fn better_copies(path: &Path) -> Vec<PathBuf> {
    let mut better = vec![];
    if is_compressed(path) {
        better.push(path.with_extension(""));
    }
    if ends_with(path, "zst") {
        better.push(path.with_extension("gz"));
    }
    better
}

/// Returns the entries of a folder, and which of them are folders.
fn list(folder: &Path) -> io::Result<Vec<(bool, PathBuf)>> {
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        Ok((entry.file_type()?.is_dir(), entry.path()))
    };
    fs::read_dir(or_here(folder))?.map(entry).collect()
}

/// Returns whether a path is that of a regular file. A link to a folder is
/// not, and anything else is an error.
fn is_file(path: &Path) -> io::Result<bool> {
    let facts = fs::metadata(path)?;
    if facts.is_file() || facts.is_dir() {
        return Ok(facts.is_file());
    }
    let why = "not a regular file";
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// The empty path is the current folder.
fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str() == OsStr::new("") { Path::new(".") } else { folder }
}
