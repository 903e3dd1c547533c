use crate::json::Route;

/// What has been done with a line in the pass that found its end. An index is
/// in the memory of the reader, and belongs to the string `T`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Prepared<T> {
    Nothing,
    /// Its type and subtype have been found.
    Kind(Route),
    /// It has been indexed.
    Peek(T),
    /// It has passed the full check.
    Check,
    /// It has passed the full check, and has been indexed.
    Checked(T),
}

impl<T> Prepared<T> {
    /// Returns the same with the string that `text` returns. Without one, the
    /// index cannot be used.
    #[inline(always)]
    pub(crate) fn with_text<U>(
        self,
        text: impl FnOnce() -> Option<U>,
    ) -> Prepared<U> {
        match (&self, self.has_index().then(text).flatten()) {
            (Prepared::Peek(_), Some(text)) => Prepared::Peek(text),
            (Prepared::Checked(_), Some(text)) => Prepared::Checked(text),
            _ => self.without_index(),
        }
    }

    fn has_index(&self) -> bool {
        matches!(self, Prepared::Peek(_) | Prepared::Checked(_))
    }

    /// Returns the same without an index.
    pub(crate) fn without_index<U>(self) -> Prepared<U> {
        match self {
            Prepared::Nothing | Prepared::Peek(_) => Prepared::Nothing,
            Prepared::Kind(route) => Prepared::Kind(route),
            Prepared::Check | Prepared::Checked(_) => Prepared::Check,
        }
    }

    /// Returns the type and subtype, if they have been found.
    #[inline(always)]
    pub(crate) fn route(&self) -> Option<Route> {
        match self {
            Prepared::Kind(route) => Some(*route),
            _ => None,
        }
    }

    /// Returns the string that has been indexed.
    #[inline(always)]
    pub(crate) fn indexed(self) -> Option<T> {
        match self {
            Prepared::Peek(text) | Prepared::Checked(text) => Some(text),
            _ => None,
        }
    }

    /// Returns whether the line has passed the full check.
    #[inline(always)]
    pub(crate) fn is_checked(&self) -> bool {
        matches!(self, Prepared::Check | Prepared::Checked(_))
    }
}
