//! What happens to files that are followed.

use crate::input::Input;

/// What has happened to a file.
pub enum Change {
    /// It was moved. This is its old path.
    Moved(Input),
    /// It was removed. If it comes back, reading continues where it was.
    Gone,
    /// It was truncated, and is read from its start.
    Truncated,
    /// Another file is at its path, or it has another content, and is read
    /// from its start. A few lines of the old file can still follow.
    Replaced,
}

impl Change {
    /// Returns the message about it.
    pub fn message(&self) -> Option<&'static str> {
        match self {
            Change::Moved(_) => None,
            Change::Gone => Some("removed"),
            Change::Truncated => Some("truncated; from its start"),
            Change::Replaced => Some("replaced; from its start"),
        }
    }
}
