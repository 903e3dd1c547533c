use crate::scan::MAX_DEPTH;

/// How much of a stranger's input linetape is willing to take on.
///
/// # Example
///
/// This shows how to read with a smaller limit than the default.
///
/// ```
/// use linetape::{ErrorKind, Limits, Reader};
///
/// let limits = Limits { max_line: 8, ..Limits::default() };
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
    /// How deep objects and arrays may be nested in a line that is decoded.
    /// 128 by default: the 128th level is read, the 129th is an error.
    ///
    /// More than [`Limits::MAX_DEPTH_CAP`] means that cap.
    pub max_depth: usize,
    /// How many values and keys a line that is decoded may have. 8,388,608 by
    /// default.
    ///
    /// Decoding takes up to 28 bytes of memory for each, and for each closing
    /// bracket, comma and colon, so that a line of nothing but brackets costs
    /// up to 34 times its length.
    pub max_nodes: usize,
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

    /// The most that `max_depth` can be.
    ///
    /// Whatever walks through a value calls itself once per level, and has to
    /// fit into the stack of a small thread.
    pub const MAX_DEPTH_CAP: usize = MAX_DEPTH;

    pub(crate) fn depth_cap(&self) -> usize {
        self.max_depth.clamp(1, Self::MAX_DEPTH_CAP)
    }

    pub(crate) fn line_cap(&self) -> usize {
        self.max_line.min(Self::MAX_LINE_CAP)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_line: 64 << 20, max_depth: 128, max_nodes: 8 << 20 }
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn more_than_a_cap_means_the_cap() {
        let (max_line, max_depth) = (usize::MAX, usize::MAX);
        let absurd = Limits { max_line, max_depth, ..Limits::default() };
        assert_eq!(absurd.line_cap(), Limits::MAX_LINE_CAP);
        assert_eq!(absurd.depth_cap(), Limits::MAX_DEPTH_CAP);
        let least = Limits { max_line: 0, max_depth: 0, max_nodes: 0 };
        assert_eq!((least.line_cap(), least.depth_cap()), (0, 1));
    }
}
