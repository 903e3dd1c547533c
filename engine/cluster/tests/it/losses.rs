//! Which errors are the loss of a process.

use ballista_core::error::BallistaError;
use datafusion::{arrow::error::ArrowError, error::DataFusionError};
use linetape_sql::{
    cluster::{EXECUTOR_LOST, is_loss},
    message,
};

/// What is left of a connection whose other end was killed in the middle of the rows.
const BROKEN: &str = "code: 'Unknown error', message: \"h2 protocol error: error \
     reading a body from connection\", source: hyper::Error(Body, Error { kind: \
     Io(Custom { kind: BrokenPipe, error: \"stream closed because of a broken pipe\" \
     }) })";

fn execution(text: impl Into<String>) -> DataFusionError {
    DataFusionError::Execution(text.into())
}

/// Returns the error of a query with a task that has failed.
fn of_task(error: &BallistaError) -> DataFusionError {
    execution(format!(
        "Job 1A failed: Job failed due to stage 3 failed: Task failed due to runtime \
         execution error: {error:?}\n"
    ))
}

/// The query failed, although it had no rows yet, and the error was one for programmers.
#[test]
fn a_connection_that_breaks_in_a_task_is_a_loss() {
    let ipc = || ArrowError::IpcError(BROKEN.to_string());
    let arrow = || DataFusionError::ArrowError(Box::new(ipc()), None);
    let layers = format!("Arrow error: Ipc error: {BROKEN}");
    for error in [
        BallistaError::ArrowError(Box::new(ipc())),
        BallistaError::DataFusionError(Box::new(arrow())),
        BallistaError::DataFusionError(Box::new(DataFusionError::Shared(
            arrow().into(),
        ))),
        BallistaError::DataFusionError(Box::new(execution(&layers))),
        BallistaError::General(layers.clone()),
        BallistaError::DataFusionError(Box::new(execution(format!(
            "{:?}",
            arrow()
        )))),
    ] {
        let error = of_task(&error);
        assert!(is_loss(&error), "{error}");
        let text = message(&error);
        assert_eq!(
            text, "the connection to a process of the cluster was lost",
            "{error}"
        );
    }
    // It breaks in the client.
    let error = arrow();
    assert!(is_loss(&error), "{error}");
    assert_eq!(
        message(&error),
        "the connection to a process of the cluster was lost"
    );
}

#[test]
fn other_losses_are_known() {
    let fetch = || {
        let text = "no rows".to_string();
        BallistaError::FetchFailed("executor".to_string(), 1, 2, text)
    };
    for error in [
        DataFusionError::External(Box::new(fetch())),
        of_task(&fetch()),
        execution(format!("Job 1A failed: {EXECUTOR_LOST}")),
        execution("Job 1A failed: Cancelled"),
        execution(
            "Job 1A failed: all executors were lost and no executor re-registered \
             within 10s; no executors remain to run the tasks for this job",
        ),
        execution(
            "Job 1A failed: Job failed due to stage 2 failed: Stage 2 has failed 1 \
             times, most recent failure reason: \"any\"\n",
        ),
        execution(BROKEN),
        execution(
            "tonic::transport::Error(Transport, ConnectError(ConnectError(\"tcp \
             connect error\", 127.0.0.1:1, Os { code: 111 })))",
        ),
        execution(
            "Status { code: Unavailable, message: \"any\", source: None }",
        ),
        execution(
            "Status { code: Unknown, message: \"transport error\", source: None }",
        ),
        execution("GrpcConnectionError(\"Error connecting to\")"),
    ] {
        assert!(is_loss(&error), "{error}");
    }
}

/// A missing file with such a name was looked for three times more, and then a process of
/// the cluster was said to be lost.
#[test]
fn a_name_or_a_value_is_no_loss() {
    for name in ["transport error", "nope h2 protocol error", BROKEN] {
        let missing = format!("cannot read /logs/{name}: no such file");
        let quoted = format!("cannot read \"{name}\"");
        for why in [&missing, &quoted] {
            let plan = DataFusionError::Plan(why.clone());
            for error in [
                execution(why),
                execution(format!("Job 1A failed: DataFusion error: {plan}")),
                execution(format!(
                    "Job 1A failed: Error planning job 1A: \
                     DataFusionError({plan:?})"
                )),
                of_task(&BallistaError::DataFusionError(Box::new(execution(
                    why,
                )))),
                execution(format!(
                    "Status {{ code: Internal, message: {why:?}, source: None }}"
                )),
            ] {
                assert!(!is_loss(&error), "{error}");
            }
            assert!(!is_loss(&plan), "{plan}");
        }
    }
}
