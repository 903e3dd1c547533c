/// How much of a stranger's input linetape is willing to take on.
///
/// # Example
///
/// This shows how to read with a smaller limit than the default.
///
/// ```
/// use linetape::{ErrorKind, Limits, Reader};
///
/// let limits = Limits { max_line: 8 };
/// let mut reader =
///     Reader::builder().limits(limits).build(&b"far too long\nfine\n"[..]);
///
/// let error = reader.next_line().unwrap().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::LineTooLong);
/// assert_eq!(reader.next_line().unwrap()?.as_bytes(), b"fine");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest line that is handed out, in bytes. 64 MiB by default.
    ///
    /// Counted are the bytes between two newlines, a trailing carriage return
    /// among them. A longer line is discarded while it is read, and reported
    /// as one error at its end. More than [`Limits::MAX_LINE_CAP`] means that
    /// cap.
    pub max_line: usize,
}

impl Limits {
    /// The most that `max_line` can be: just under 4 GiB.
    ///
    /// On a 32-bit machine it is a quarter of the address space.
    pub const MAX_LINE_CAP: usize = if usize::BITS > 32 {
        u32::MAX as usize - 128
    } else {
        usize::MAX / 4
    };

    pub(crate) fn line_cap(&self) -> usize {
        self.max_line.min(Self::MAX_LINE_CAP)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_line: 64 << 20 }
    }
}
