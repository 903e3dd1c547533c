//! Types that two sorts of files use.

use linetape::Message;

/// The journal of a workflow.
pub const JOURNAL: &str = "journal";

/// Returns the file that the type of a message belongs to, where another one
/// uses the same type: `journal` for the results in the journal of a workflow.
pub fn owner(message: Message<'_>) -> Option<&'static str> {
    match message {
        Message::Result(result) if result.is_journal() => Some(JOURNAL),
        _ => None,
    }
}
