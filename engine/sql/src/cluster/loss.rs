//! Errors that are the loss of a process.

use ballista_core::error::BallistaError;
use datafusion::{arrow::error::ArrowError, common::DataFusionError};

use super::EXECUTOR_LOST;

/// Checks whether a query has failed because a process of the cluster was lost, or cannot
/// be reached. Such a query may succeed if it is sent again.
///
/// Errors of other processes are known as text only. What a query or a log says must not
/// matter, so each text has to stand where Ballista puts it.
///
/// # Example
///
/// This shows an error of a connection, and one of a file whose name is like it.
///
/// ```
/// use datafusion::error::DataFusionError;
/// use linetape_sql::cluster::is_loss;
///
/// let error = |text: &str| DataFusionError::Execution(text.to_string());
/// assert!(is_loss(&error("code: 'Unknown error', message: \"transport error\"")));
/// assert!(!is_loss(&error("cannot read /transport error: no such file")));
/// ```
pub fn is_loss(error: &DataFusionError) -> bool {
    use BallistaError as B;

    match error.find_root() {
        DataFusionError::Execution(text) => match of_job(text) {
            Some(reason) => is_loss_in_job(reason),
            None => is_broken(text),
        },
        DataFusionError::ArrowError(error, _) => is_broken_arrow(error),
        DataFusionError::External(error) => {
            match error.downcast_ref::<BallistaError>() {
                Some(
                    B::FetchFailed(..)
                    | B::GrpcConnectionError(_)
                    | B::TonicError(_),
                ) => true,
                Some(B::ArrowError(error)) => is_broken_arrow(error),
                _ => is_broken(&error.to_string()),
            }
        }
        _ => false,
    }
}

/// Checks whether an error is the loss of the last executor.
pub(super) fn is_last_loss(error: &DataFusionError) -> bool {
    match error.find_root() {
        DataFusionError::Execution(text) => {
            of_job(text).is_some_and(|reason| reason.starts_with(NONE_LEFT))
        }
        _ => false,
    }
}

/// Checks whether it is the scheduler that has told of an error. Then it knows that the
/// query has ended.
pub(super) fn is_told_by_scheduler(error: &DataFusionError) -> bool {
    match error.find_root() {
        DataFusionError::Execution(text) => of_job(text).is_some(),
        _ => false,
    }
}

/// Returns the reason of `Job 1A failed: reason`, which is what a scheduler says.
fn of_job(text: &str) -> Option<&str> {
    let (id, reason) = text.strip_prefix("Job ")?.split_once(" failed: ")?;
    (!id.contains(' ')).then_some(reason)
}

/// What a scheduler says if there are no executors left.
const NONE_LEFT: &str =
    "all executors were lost and no executor re-registered within ";

/// Checks the reason for which a query was ended by its scheduler. The reasons of the
/// planner, such as a file that is missing, are none of these.
fn is_loss_in_job(reason: &str) -> bool {
    const REASONS: [&str; 3] = [
        EXECUTOR_LOST,
        NONE_LEFT,
        // A scheduler cancels a query that it cannot continue.
        "Cancelled",
    ];
    if REASONS.iter().any(|start| reason.starts_with(start)) {
        return true;
    }
    let stage = reason.strip_prefix("Job failed due to stage ");
    let Some((_, reason)) = stage.and_then(|s| s.split_once(" failed: "))
    else {
        return false;
    };
    // `Stage 2 has failed 1 times, most ...`: rows could not be fetched. Only for this
    // reason, a stage has failures.
    let fetch = " has failed 1 times, most recent failure reason: ";
    let stage = reason.strip_prefix("Stage ");
    let stage = stage.and_then(|stage| stage.split_once(fetch));
    if stage.is_some_and(|(number, _)| number.parse::<u64>().is_ok()) {
        return true;
    }
    // The connection broke in the middle of the rows. For Ballista, that is an error of
    // the task.
    let task = reason.strip_prefix("Task failed due to ");
    let task = task.and_then(|task| task.split_once(" error: "));
    task.is_some_and(|(_, error)| is_broken(error))
}

fn is_broken_arrow(error: &ArrowError) -> bool {
    match error {
        ArrowError::IpcError(text) => is_broken(text),
        ArrowError::ExternalError(error) => is_broken(&error.to_string()),
        _ => false,
    }
}

/// What stands before the text of an error, for each of its layers.
const LAYERS: [&str; 9] = [
    "Arrow error: ",
    "DataFusion error: ",
    "Execution error: ",
    "External error: ",
    "Grpc Execute Action error: ",
    "Grpc connection error: ",
    "Grpc error: ",
    "Ipc error: ",
    "Tonic error: ",
];

/// Checks whether an error is that of a connection, as the libraries write it for users or
/// for programmers. Quotes in it may have backslashes before them.
fn is_broken(error: &str) -> bool {
    const STARTS: [&str; 8] = [
        "Shuffle fetch partition error from Executor ",
        "FetchFailed(",
        "GrpcConnectionError(",
        "error reading a body from connection",
        "h2 protocol error",
        "tcp connect error",
        "tonic::transport::Error(",
        "transport error",
    ];
    let mut error = error.trim_start_matches(['\\', '"']);
    while let Some(inner) = LAYERS.iter().find_map(|l| error.strip_prefix(l)) {
        error = inner;
    }
    if STARTS.iter().any(|start| error.starts_with(start)) {
        return true;
    }
    let (before, quoted) = error.split_once('"').unwrap_or((error, ""));
    let before = before.trim_end_matches('\\');
    // `code: 'Unknown error', message: "...`
    if before.starts_with("code: '") {
        return before
            .starts_with("code: 'The service is currently unavailable'")
            || (before.ends_with(", message: ") && is_broken(quoted));
    }
    // `ArrowError(ExternalError(Status { code: Unknown, message: "...`
    if let Some((names, status)) = before.split_once("Status { code: ")
        && !names.contains(' ')
    {
        return status.starts_with("Unavailable, ")
            || (status.ends_with(", message: ") && is_broken(quoted));
    }
    // `ArrowError(IpcError("...`
    let names = before.strip_suffix('(').filter(|names| !names.contains(' '));
    match names.and_then(|names| names.rsplit('(').next()) {
        Some("FetchFailed" | "GrpcConnectionError") => true,
        Some(_) => is_broken(quoted),
        None => false,
    }
}
