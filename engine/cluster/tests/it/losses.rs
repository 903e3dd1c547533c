//! Which errors are the loss of a process.

use datafusion::error::DataFusionError;
use linetape_sql::cluster::{EXECUTOR_LOST, is_loss};

#[test]
fn losses_are_known() {
    for (text, expected) in [
        (EXECUTOR_LOST, true),
        ("Job 1A failed: Cancelled", true),
        (
            "Job 1A failed: all executors were lost and no executor \
             re-registered within 10s; no executors remain",
            true,
        ),
        (
            "Job 1A failed: Job failed due to stage 2 failed: Stage 2 has failed \
             1 times, most recent failure reason: \"any\"\n",
            true,
        ),
        (
            "Task failed due to runtime execution error: DataFusionError(\
             ArrowError(IpcError(\"code: 'Unknown error', message: \\\"h2 \
             protocol error: error reading a body from connection\\\"\")))",
            true,
        ),
        (
            "tonic::transport::Error(Transport, ConnectError(ConnectError(\
             \"tcp connect error\", 127.0.0.1:1, Os { code: 111 })))",
            true,
        ),
        ("GrpcConnectionError(\"Error connecting to\")", true),
        ("cannot read /logs/a.jsonl: no such file", false),
        ("Cannot cast string 'x' to value of Int32 type", false),
    ] {
        let error = DataFusionError::Execution(text.to_string());
        assert_eq!(is_loss(&error), expected, "{text}");
        let error = DataFusionError::External(Box::new(error));
        assert_eq!(is_loss(&error), expected, "{text}");
    }
}
