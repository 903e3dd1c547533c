use linetape::{Error, ErrorKind};

/// Returns the error for saved bytes that are not what they should be.
pub(crate) fn invalid(reason: &str) -> Error {
    let text = format!("invalid saved state: {reason}");
    Error::new(ErrorKind::InvalidInput, text)
}
