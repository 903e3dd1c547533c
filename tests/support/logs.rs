//! Where the logs are: the fixtures, and those that are not in the repository.

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

/// The root of the repository, whichever of its packages is tested.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let this = "tests/support/logs.rs";
    let is_root = |folder: &&Path| folder.join(this).is_file();
    package.ancestors().find(is_root).expect("a package of linetape")
}

/// The folder that a variable names, as seen from the root of the repository.
/// One that is not there is a mistake. Without the variable, it is looked for
/// beside the repository: a test that finds none says so and is skipped.
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

/// The contents of all real logs, if they are there.
pub fn corpus_files() -> Vec<Vec<u8>> {
    let files = corpus().map(|folder| files(folder, "json"));
    files.into_iter().flatten().map(|(_, bytes)| bytes).collect()
}

/// The files below a folder that have a part of this name's end in theirs.
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
