/// What a reader prepares each line for, in the pass that finds the line's end.
///
/// This is a speed setting. Whatever the level, every method of
/// [`Line`](crate::Line) works and returns the same: what has not been prepared
/// is done when a method needs it, in a second pass over the line. The faults
/// of a line are returned by its methods, and not by the reader.
///
/// | level | prepared are |
/// |---|---|
/// | `Line` | the line's bytes |
/// | `Kind` | [`kind`](crate::Line::kind) and [`projected`](crate::Line::projected) |
/// | `Peek` | [`peek`](crate::Line::peek) and `projected` |
/// | `Check` | [`check`](crate::Line::check) |
/// | `Checked` | [`checked`](crate::Line::checked) and [`to_owned_line`](crate::Line::to_owned_line) |
///
/// Choose the level that most lines need. A level that few lines need makes the
/// others slower. A line that is not complete in the buffer, has a fault or has
/// an escaped key is not prepared, and [`Chunks`](crate::Chunks), whose lines
/// outlive it, keeps no index: there, `Peek` is `Kind`, and `Checked` is `Check`.
/// Methods that decode records prepare nothing.
///
/// # Example
///
/// This shows the fastest way to count lines by kind.
///
/// ```
/// use linetape::{Level, Reader};
///
/// let log = &b"{\"type\":\"user\"}\n{\"type\":\"result\"}\n"[..];
/// let mut reader = Reader::builder().level(Level::Kind).build(log);
/// let mut users = 0;
/// while let Some(line) = reader.next_line() {
///     users += usize::from(line?.kind()?.is("user"));
/// }
/// assert_eq!(users, 1);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// Nothing: only the end of the line is found.
    #[default]
    Line,
    /// Its type and subtype.
    Kind,
    /// An index, for reading its fields.
    Peek,
    /// A check of the whole line.
    Check,
    /// A check of the whole line, and an index.
    Checked,
}
