//! A misspelt command, which would be read as the path of a log.

use std::path::PathBuf;

use clap::CommandFactory;

use crate::arguments::Arguments;

/// Returns the message for a command line without a command, if its first path
/// does not exist and looks like the name of a command.
pub fn message(paths: &[PathBuf]) -> Option<String> {
    let path = paths.first()?;
    let word = path.to_str()?;
    if path.exists() || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let command = Arguments::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let distance = |name: &&str| strsim::osa_distance(word, name);
    let nearest = names.min_by_key(distance)?;
    (distance(&nearest) <= 2).then(|| {
        format!("no file or command `{word}`; did you mean `{nearest}`?")
    })
}
