use std::path::PathBuf;

use linetape::BytesLine;

/// A new line of a log, or a change of its file. Returned by
/// [`Follow::next_event`](crate::Follow::next_event).
///
/// # Example
///
/// This shows which events mean that a file is read again from its start.
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
    /// Another file is at the path, or the content of the file has changed. It
    /// is read from its start.
    Replaced,
    /// The file was moved within the followed folders. This is its old path.
    /// Reading continues where it was.
    Moved(PathBuf),
    /// The file has been removed. If it comes back with the same content, of
    /// at least 64 bytes, reading continues where it was, without an event.
    Gone,
    /// A part of a very long line has been read, and its end has not been
    /// found yet. Call again. This returns control to the caller, who may want
    /// to stop.
    Pending,
    /// There is nothing new.
    CaughtUp,
}
