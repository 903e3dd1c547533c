//! Errors of other processes, and of the connections to them.

use super::{plain, unescaped};

/// Finds the message in an error of another process, which is known as text only, as Rust
/// writes it for programmers.
pub(super) fn of_process(text: &str) -> Option<String> {
    // What the rows of another process came with.
    for layer in ["Ipc error: ", "Tonic error: "] {
        if let Some(text) = text.strip_prefix(layer) {
            return of_process(text);
        }
    }
    let reason = "most recent failure reason: ";
    if let Some((_, rest)) = text.split_once(reason) {
        let quoted = rest.strip_prefix('"').map(unescaped);
        return Some(plain(&quoted.unwrap_or_else(|| rest.to_string())));
    }
    // `Status { code: Internal, message: "...", ...` and `code: '...', message: "...", ...`
    if text.starts_with("Status { code: ") || text.starts_with("code: '") {
        let (_, quoted) = text.split_once("message: \"")?;
        return Some(plain(&unescaped(quoted)));
    }
    if text.contains("LogicalExtensionCodec is not provided") {
        return Some(
            "a table of this query is only known to this process: a cluster cannot \
             read tables in memory, nor table functions such as generate_series"
                .into(),
        );
    }
    if text.starts_with("task could not be prepared") {
        return Some(
            "executors cannot run a part of this query: the logs of the scheduler \
             and of the executors say which"
                .into(),
        );
    }
    let broken = ["h2 protocol error", "error reading a body from connection"];
    if broken.iter().any(|start| text.starts_with(start)) {
        return Some(
            "the connection to a process of the cluster was lost".into(),
        );
    }
    // `... tonic::transport::Error(Transport, ConnectError(ConnectError("tcp connect
    // error", 127.0.0.1:1, Os { code: 111, kind: ..., message: "Connection refused" })))`
    let (_, rest) = text.split_once("tonic::transport::Error(")?;
    let why = rest.split_once("message: \"").map(|(_, why)| unescaped(why));
    let why = why.unwrap_or_else(|| "it does not answer".to_string());
    let address = rest
        .split_once("\"tcp connect error\", ")
        .and_then(|(_, rest)| rest.split_once(", "));
    Some(match address {
        Some((address, _)) => format!("cannot reach {address}: {why}"),
        None => format!("cannot reach a process of the cluster: {why}"),
    })
}
