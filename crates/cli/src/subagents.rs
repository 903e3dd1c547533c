//! The transcripts of sub-agents, which are in a folder beside their session.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use linetape_flow::Logs;

use crate::{input::Input, outcome::Outcome};

/// The name of the folder with the sub-agents of a session.
const AGENTS: &str = "subagents";

/// Returns the inputs, each with the transcripts of its sub-agents unless they
/// are given. Those of `NAME.jsonl` are in `NAME/subagents/`. Reports what
/// cannot be listed.
pub fn with_agents(inputs: Vec<Input>, outcome: &mut Outcome) -> Vec<Input> {
    let is_real = |path: &Path| fs::canonicalize(path).ok();
    let paths = inputs.iter().filter_map(Input::path);
    let mut known: HashSet<PathBuf> = paths.filter_map(is_real).collect();
    let mut all = vec![];
    for input in inputs {
        let folder = input.path().and_then(agents_of);
        let folder = folder.filter(|folder| folder.is_dir());
        all.push(input);
        let Some(Logs { files, errors, .. }) = folder.map(Logs::find) else {
            continue;
        };
        for (path, error) in errors {
            outcome.report(&path.display(), &error, Outcome::CouldNotRun);
        }
        for agent in files {
            if is_real(&agent).is_some_and(|path| known.insert(path)) {
                all.push(Input::File(agent));
            }
        }
    }
    all
}

/// Returns the folder with the sub-agents of a transcript, which may not exist.
pub fn agents_of(path: &Path) -> Option<PathBuf> {
    Some(folder_of(path)?.join(AGENTS))
}

/// Returns the folder with what belongs to a transcript, which may not exist.
/// That of a link is beside the file that it leads to.
pub fn folder_of(path: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(path).ok().filter(|_| path.is_symlink());
    let path = real.as_deref().unwrap_or(path);
    Some(path.with_file_name(stem_of(path)?))
}

/// Returns the name of a log without its end.
pub fn stem_of(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    name.get(..name.to_ascii_lowercase().find(".jsonl")?)
}

/// Returns whether a log below a folder is the transcript of a sub-agent.
pub fn is_agent(log: &Path, folder: &Path) -> bool {
    let below = log.strip_prefix(folder).ok().and_then(Path::parent);
    below.is_some_and(|below| below.iter().any(|name| name == AGENTS))
}
