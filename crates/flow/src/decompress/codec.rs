/// A format of which a stream is a sequence of frames. gzip calls them
/// members.
pub(crate) trait Codec: Send {
    /// Returns what the bytes after a frame, or at the start of the stream,
    /// are. `has_ended` is whether the stream ends after them.
    fn next(&self, bytes: &[u8], has_ended: bool) -> Next;

    /// Begins the next frame.
    fn begin(&mut self);

    /// Decompresses bytes of a frame.
    fn step(&mut self, from: &[u8], to: &mut [u8]) -> Stepped;
}

/// What follows a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(all(feature = "gzip", feature = "zstd")),
    allow(dead_code) // each format uses a part of it
)]
pub(crate) enum Next {
    /// Another frame.
    Frame,
    /// The end of the stream.
    End,
    /// A byte that is ignored if only such bytes follow.
    Padding,
    /// Something else.
    Rubbish,
    /// This depends on the bytes that follow.
    NeedMore,
}

/// The result of [`Codec::step`].
#[derive(Debug)]
pub(crate) struct Stepped {
    /// How many bytes were consumed.
    pub(crate) read: usize,
    /// How many bytes were written.
    pub(crate) written: usize,
    /// Whether the frame has ended, or why it is not valid after these bytes.
    pub(crate) is_end: Result<bool, String>,
}
