use crate::scan::MAX_DEPTH;

/// Resource limits for untrusted input.
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
    /// The maximum length of a line in bytes, 64 MiB by default.
    ///
    /// The length includes a trailing carriage return, but not the line feed.
    /// A longer line is discarded while it is read, and is one error. Values
    /// over [`Limits::MAX_LINE_CAP`] mean that cap.
    pub max_line: usize,
    /// The maximum depth of nested objects and arrays, 128 by default.
    ///
    /// The outermost object is level 1. Values over
    /// [`Limits::MAX_DEPTH_CAP`] mean that cap, and 0 means 1.
    pub max_depth: usize,
    /// The maximum number of values and keys in a line, 8,388,608 by default.
    ///
    /// Decoding takes up to 28 bytes of memory per value, key, closing
    /// bracket, comma and colon. A line of only brackets takes up to 34 times
    /// its length.
    pub max_nodes: usize,
}

impl Limits {
    /// The upper bound of `max_line`: just under 4 GiB, because offsets in a
    /// line are `u32`.
    ///
    /// On 32-bit platforms it is a quarter of the address space.
    pub const MAX_LINE_CAP: usize = if usize::BITS > 32 {
        u32::MAX as usize - 128
    } else {
        usize::MAX / 4
    };

    /// The upper bound of `max_depth`.
    ///
    /// Conversions of values recurse once per level, and must fit into the
    /// stack of a small thread.
    pub const MAX_DEPTH_CAP: usize = MAX_DEPTH;

    #[inline]
    pub(crate) fn depth_cap(&self) -> usize {
        self.max_depth.clamp(1, Self::MAX_DEPTH_CAP)
    }

    #[inline]
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
