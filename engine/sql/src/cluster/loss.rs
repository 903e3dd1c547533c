//! Errors that are the loss of a process.

use datafusion::common::DataFusionError;

use super::EXECUTOR_LOST;

/// Returns whether a query may have failed because a process of the cluster was lost, or
/// cannot be reached. Such a query may succeed if it is sent again.
///
/// Ballista tells the errors of other processes as text only. A text of a log or a query
/// may have one of these as well: then the query is sent again, and fails as before.
///
/// # Example
///
/// This shows an error of a connection, and one of a file.
///
/// ```
/// use datafusion::error::DataFusionError;
/// use linetape_sql::cluster::is_loss;
///
/// let error = |text: &str| DataFusionError::Execution(text.to_string());
/// assert!(is_loss(&error("code: 'Unknown error', message: \"transport error\"")));
/// assert!(!is_loss(&error("cannot read /a.jsonl: no such file")));
/// ```
pub fn is_loss(error: &DataFusionError) -> bool {
    const SIGNS: [&str; 12] = [
        EXECUTOR_LOST,
        "all executors were lost",
        // A scheduler cancels a query that it cannot continue.
        "failed: Cancelled",
        // Rows could not be fetched: a stage has failures for this reason only.
        "has failed 1 times, most recent failure reason",
        "FetchFailed",
        "GrpcConnectionError",
        "Grpc connection error",
        "Shuffle fetch partition error",
        "The service is currently unavailable",
        "h2 protocol error",
        "transport error",
        "tcp connect error",
    ];
    let text = error.to_string();
    SIGNS.iter().any(|sign| text.contains(sign))
}
