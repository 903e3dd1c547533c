use linetape::{Error, ErrorKind};

/// Returns the error for rules that cannot be used.
pub(crate) fn invalid(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidInput, reason)
}
