//! The folders of logs: the fixtures, and logs that are not in the repository.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Real logs.
pub fn corpus() -> Option<PathBuf> {
    folder(root(), "LINETAPE_CORPUS", "corpus")
}

/// The files of JSONTestSuite.
pub fn conformance() -> Option<PathBuf> {
    folder(root(), "LINETAPE_CONFORMANCE", "conformance")
}

/// The hand-written logs of `tests/data`, with the names of their files.
pub fn fixtures() -> Vec<(String, Vec<u8>)> {
    files(root().join("tests/data"), ".jsonl")
}

/// The root of the repository, for all packages.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let this = "tests/support/logs.rs";
    let is_root = |folder: &&Path| folder.join(this).is_file();
    package.ancestors().find(is_root).expect("a package of linetape")
}

/// Returns the folder that a variable names, relative to the root of the
/// repository. If the variable is set, the folder must exist. If not, a
/// default folder beside the repository is used; if that does not exist, the
/// test prints a message and is skipped.
pub fn folder(root: &Path, variable: &str, name: &str) -> Option<PathBuf> {
    if let Some(named) = env::var_os(variable) {
        let named = root.join(named);
        assert!(
            named.is_dir(),
            "{variable}: {} is no folder",
            named.display()
        );
        return Some(named);
    }
    let beside = root.join("../shared").join(name);
    if !beside.is_dir() {
        println!("skipped: {variable} is not set");
        return None;
    }
    Some(beside)
}

/// How many bytes of each log the everyday tests read, so that they take
/// seconds. Most of what a log has is in its beginning.
const BEGINNING: usize = 100 << 10;

/// Returns whether tests take minutes to try all that they can.
pub fn exhaustive() -> bool {
    env::var_os("LINETAPE_EXHAUSTIVE").is_some()
}

/// Cuts a real log after the line at [`BEGINNING`], unless its folder was
/// named, or the tests are [`exhaustive`].
pub fn cut(log: &mut Vec<u8>) {
    if exhaustive() || env::var_os("LINETAPE_CORPUS").is_some() {
        return;
    }
    let rest = log.get(BEGINNING..).unwrap_or_default();
    if let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        log.truncate(BEGINNING + end + 1);
    }
}

/// Returns the contents of all real logs, [cut](cut), if there are any.
pub fn corpus_files() -> Vec<Vec<u8>> {
    corpus_of("").into_iter().map(|(_, log)| log).collect()
}

/// Returns the real logs of a folder, [cut](cut), with the names of their
/// files, if there are any.
pub fn corpus_of(folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut logs =
        corpus().map_or(vec![], |all| files(all.join(folder), "json"));
    logs.iter_mut().for_each(|(_, log)| cut(log));
    logs
}

/// Returns the files below a folder whose names contain `end`.
pub fn files(folder: PathBuf, end: &str) -> Vec<(String, Vec<u8>)> {
    let (mut files, mut folders) = (vec![], vec![folder]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).unwrap();
        for path in entries.map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy();
            if path.is_dir() {
                folders.push(path);
            } else if name.contains(end) {
                files.push((name.into_owned(), fs::read(&path).unwrap()));
            }
        }
    }
    assert!(!files.is_empty(), "a folder of logs that has none");
    files.sort();
    files
}
