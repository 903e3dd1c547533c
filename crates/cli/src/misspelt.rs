//! Words that are neither commands nor logs, such as a misspelt command.

use std::path::{Path, PathBuf};

use clap::CommandFactory;

use crate::arguments::Arguments;

/// Returns the message for a command line without a command, if one of its
/// paths does not exist and looks like a word, or if none exists.
pub fn message(paths: &[PathBuf]) -> Option<String> {
    let is_word = |path: &&Path| {
        let is_name = path.file_name() == Some(path.as_os_str());
        is_name && path.extension().is_none() && path.as_os_str() != "-"
    };
    let mut words = paths.iter().map(PathBuf::as_path).filter(is_word);
    let is_missing = |path: &Path| {
        path.as_os_str() != "-" && path.symlink_metadata().is_err()
    };
    let Some(word) = words.find(|path| is_missing(path)) else {
        let first = paths.first().filter(|path| path.as_os_str() != "-")?;
        let error = first.symlink_metadata().err()?;
        let is_none = paths.iter().all(|path| is_missing(path));
        return is_none.then(|| format!("{}: {error}", first.display()));
    };
    let word = word.to_string_lossy();
    let command = Arguments::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let distance = |name: &&str| strsim::osa_distance(&word, name);
    let nearest = names.min_by_key(distance);
    let meant = nearest.filter(|name| distance(name) <= 2);
    let meant = meant.map(|name| format!("; did you mean `{name}`?"));
    let meant = meant.unwrap_or_default();
    Some(format!("no file or command `{word}`{meant}"))
}
