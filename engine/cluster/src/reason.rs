use std::error::Error;

use ballista_core::error::BallistaError;

/// Returns the text of an error for users, without the names of its layers.
pub(crate) fn plain(error: &BallistaError) -> String {
    match error {
        BallistaError::Configuration(text) => text.clone(),
        // Ballista does not tell the source.
        BallistaError::IoError(error) => innermost(error),
        error => innermost(error),
    }
}

/// Returns the reason of an error, which is that of the innermost one.
pub(crate) fn innermost(error: &dyn Error) -> String {
    let mut reason = error;
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    reason.to_string()
}
