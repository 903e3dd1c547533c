//! Where the logs are that are not ours.

use std::{
    env,
    path::{Path, PathBuf},
};

/// Real logs.
pub fn corpus() -> Option<PathBuf> {
    folder(Path::new("."), "LINETAPE_CORPUS", "corpus")
}

/// The files of JSONTestSuite.
pub fn conformance() -> Option<PathBuf> {
    folder(Path::new("."), "LINETAPE_CONFORMANCE", "conformance")
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
