use std::path::PathBuf;

use linetape::BytesLine;

/// What has happened to a log. See [`Follow`](crate::Follow).
///
/// # Example
///
/// This shows which events say that lines before are no longer in the file.
///
/// ```
/// use linetape_flow::Event;
///
/// fn is_restart(event: &Event) -> bool {
///     matches!(event, Event::Truncated | Event::Replaced)
/// }
/// assert!(!is_restart(&Event::CaughtUp));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The next line that is not blank.
    Line(BytesLine),
    /// The file has appeared. It is read from its start.
    New,
    /// The file has become shorter. It is read from its start again.
    Truncated,
    /// Another file is at the path, or the content has changed. It is read
    /// from its start.
    Replaced,
    /// The file has got another path in the folders that are followed. This
    /// is the old one. It is read on where it was.
    Moved(PathBuf),
    /// The file has been removed.
    Gone,
    /// There is nothing new.
    CaughtUp,
}
