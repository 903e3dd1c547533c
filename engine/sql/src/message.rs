//! Errors without the names of their layers.

use std::error::Error;

use datafusion::{arrow::error::ArrowError, common::DataFusionError};

/// Returns the message of an error, without the names that DataFusion puts before it
/// for each of its layers.
///
/// # Example
///
/// This shows the message of an error inside of another one.
///
/// ```
/// use datafusion::error::DataFusionError;
/// use linetape_sql::message;
///
/// let error = DataFusionError::Execution("there is no such file".to_string());
/// let error = DataFusionError::External(Box::new(error)).context("a.jsonl");
/// assert_eq!(message(&error), "a.jsonl: there is no such file");
/// ```
pub fn message(error: &DataFusionError) -> String {
    use DataFusionError as E;

    match error {
        E::Context(what, inner) => format!("{what}: {}", message(inner)),
        E::Diagnostic(_, inner) => message(inner),
        E::Shared(inner) => message(inner),
        E::External(inner) => of_other(inner.as_ref()),
        E::ArrowError(inner, _) => of_arrow(inner),
        E::IoError(inner) => match inner.get_ref() {
            Some(inner) => of_other(inner),
            None => inner.to_string(),
        },
        E::SQL(inner, _) => inner.to_string(),
        // Without the advice to report it: it is usually a mistake in the SQL.
        E::Internal(text) => text.clone(),
        _ => error.message().into_owned(),
    }
}

fn of_arrow(error: &ArrowError) -> String {
    match error {
        ArrowError::ExternalError(inner) => of_other(inner.as_ref()),
        _ => error.to_string(),
    }
}

fn of_other(error: &(dyn Error + Send + Sync + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<DataFusionError>() {
        return message(error);
    }
    match error.downcast_ref::<ArrowError>() {
        Some(error) => of_arrow(error),
        None => error.to_string(),
    }
}
