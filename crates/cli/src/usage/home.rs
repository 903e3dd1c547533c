//! The folder in which Claude Code keeps its transcripts.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The variable with the folders of Claude Code.
pub const VARIABLE: &str = "CLAUDE_CONFIG_DIR";

/// Returns the folders with the transcripts: `projects` in each folder of
/// `CLAUDE_CONFIG_DIR`, which are separated by commas, or else in the places
/// where Claude Code keeps its files by default.
pub fn transcripts() -> Vec<PathBuf> {
    let home = env::home_dir().unwrap_or_default();
    folders(env::var_os(VARIABLE), &home)
}

fn folders(configured: Option<OsString>, home: &Path) -> Vec<PathBuf> {
    if let Some(configured) = configured.filter(|text| !text.is_empty()) {
        let Some(configured) = configured.to_str() else {
            // Without Unicode, it cannot be split.
            return vec![Path::new(&configured).join("projects")];
        };
        let folders = configured.split(',').map(str::trim);
        let folders = folders.filter(|folder| !folder.is_empty());
        return folders
            .map(|folder| Path::new(folder).join("projects"))
            .collect();
    }
    let default = home.join(".claude").join("projects");
    let moved = home.join(".config").join("claude").join("projects");
    // The first one is in the list even if it does not exist, so that the
    // error names it.
    match moved.is_dir() {
        true if default.is_dir() => vec![default, moved],
        true => vec![moved],
        false => vec![default],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_can_be_configured() {
        let home = Path::new("/nowhere");
        let configured = |text: &str| folders(Some(text.into()), home);
        let both = ["/a/projects", "/b c/projects"].map(PathBuf::from);
        assert_eq!(configured("/a, /b c,"), both);
        // The sample was reported as the user's own usage.
        assert!(configured(" ,").is_empty());
        let default = [PathBuf::from("/nowhere/.claude/projects")];
        assert_eq!(configured(""), default);
        assert_eq!(folders(None, home), default);
    }
}
