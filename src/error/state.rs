use crate::error::{Error, Misuse, Position};

impl Error {
    /// Creates the error for bytes that are not a saved state:
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput).
    ///
    /// The analyses of `linetape-session` return it when they load a state
    /// that is truncated, damaged, or of another format. `reason` says which.
    ///
    /// # Example
    ///
    /// This shows the text of the error.
    ///
    /// ```
    /// use linetape::{Error, ErrorKind};
    ///
    /// let error = Error::invalid_state("the checksum is wrong");
    /// assert_eq!(error.kind(), ErrorKind::InvalidInput);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "invalid saved state: the checksum is wrong"
    /// );
    /// ```
    pub fn invalid_state(reason: &'static str) -> Error {
        Error::misuse(Misuse::State(reason), Position::START)
    }
}
