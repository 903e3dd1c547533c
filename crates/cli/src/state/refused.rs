//! Why a state is refused.

use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
};

use linetape_flow::Checkpoints;

use crate::output::Output;

/// Returns the first input that the file of a state is, or that is a folder in
/// which it would be a log, and the reason to refuse that.
pub fn overlap(
    path: &Path,
    inputs: &[PathBuf],
) -> Option<(PathBuf, &'static str)> {
    // A link is not replaced, but the file that it leads to.
    let real = fs::canonicalize(path).unwrap_or(path.to_path_buf());
    let own = Output::to(real);
    inputs.iter().find_map(|input| match input.is_dir() {
        true if own.is_log_in(input) => {
            Some((input.clone(), "the file of the state is a log in it"))
        }
        false if own.is_at(input) => {
            Some((input.clone(), "the file of the state"))
        }
        _ => None,
    })
}

/// Returns the file that is written for a state and is an output, too.
pub fn written_to(path: &Path, output: &Output) -> Option<PathBuf> {
    Checkpoints::files(path).find(|file| output.is_at(file))
}

/// Returns whether the file of a state is in a folder, and has a name like the
/// files that lines are split into.
pub fn can_be_split(path: &Path, folder: &Path) -> bool {
    let Some(path) = Checkpoints::files(path).next() else { return false };
    let end = path.extension().unwrap_or_default();
    end.eq_ignore_ascii_case("jsonl")
        && path.parent().is_some_and(|parent| {
            Output::to(folder.to_path_buf()).is_at(match parent {
                here if here.as_os_str().is_empty() => Path::new("."),
                parent => parent,
            })
        })
}

/// Returns why a state cannot be used, and what to do about it.
pub fn with_remedy(why: &dyn Display) -> String {
    format!("{why}; remove the file, and all inputs are read again")
}

/// Returns how the arguments of this run differ from those of earlier runs.
pub fn difference(before: &[String], now: &[String]) -> String {
    let only = |some: &[String], others: &[String]| {
        let only = some.iter().filter(|text| !others.contains(text));
        only.cloned().collect::<Vec<_>>().join(" ")
    };
    match (&*only(before, now), &*only(now, before)) {
        ("", "") => "this run has these in another order or number".into(),
        (before, "") => format!("this run is without `{before}`"),
        ("", now) => format!("this run adds `{now}`"),
        (before, now) => format!("this run has `{now}` instead of `{before}`"),
    }
}
