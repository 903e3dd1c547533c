//! Runs an agent as a child process: reads its stream-json, and answers a
//! control request while it runs.
//!
//! The agent is this program itself, started with an argument.

use std::{
    env, error,
    io::{self, BufRead, Write},
    pin::Pin,
    process::Stdio,
};

use futures_core::Stream;
use linetape::{Decoder, Message};
use linetape_flow::LineCodec;
use tokio::{io::AsyncWriteExt, process::Command, runtime};
use tokio_util::codec::FramedRead;

type Outcome = Result<(), Box<dyn error::Error>>;

fn main() -> Outcome {
    if env::args().nth(1).as_deref() == Some("agent") {
        return Ok(fake_agent()?);
    }
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime?.block_on(run())
}

async fn run() -> Outcome {
    let mut child = Command::new(env::current_exe()?)
        .arg("agent")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    let stdout = child.stdout.take().ok_or("no standard output")?;
    let mut lines = FramedRead::new(stdout, LineCodec::new());
    let mut decoder = Decoder::new();
    let mut result = None;
    // With `StreamExt` of futures or tokio-stream: `lines.next().await`.
    while let Some(line) = next(&mut lines).await {
        // The first error is one of the pipe, the second one of a line.
        let line = match line? {
            Ok(line) => line,
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        match line.line(&mut decoder).checked()? {
            Message::ControlRequest(request) => {
                let id = request.value().get("request_id");
                let id = id.and_then(|id| id.as_str()).unwrap_or_default();
                println!("the agent asks: {}", request.value());
                let answer = format!(
                    "{{\"type\":\"control_response\",\"response\":\
                     {{\"subtype\":\"success\",\"request_id\":\"{id}\",\
                     \"response\":{{\"behavior\":\"allow\"}}}}}}\n"
                );
                stdin.write_all(answer.as_bytes()).await?;
                stdin.flush().await?;
            }
            Message::Result(message) => {
                result = message.result().map(str::to_string);
            }
            other => println!("{}", other.kind()),
        }
    }
    assert!(child.wait().await?.success());
    assert_eq!(result.as_deref(), Some("allowed"));
    println!("the agent has ended");
    Ok(())
}

async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    std::future::poll_fn(|cx| Pin::new(&mut *stream).poll_next(cx)).await
}

/// An agent that asks for permission, and waits for the answer.
fn fake_agent() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{{\"type\":\"system\",\"subtype\":\"init\"}}")?;
    writeln!(
        out,
        "{{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":\
         {{\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\",\
         \"input\":{{\"command\":\"ls\"}}}}}}"
    )?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    let is_allowed = answer.contains("\"request_id\":\"r1\"")
        && answer.contains("\"behavior\":\"allow\"");
    let result = if is_allowed { "allowed" } else { "denied" };
    writeln!(
        out,
        "{{\"type\":\"result\",\"subtype\":\"success\",\
         \"result\":\"{result}\"}}"
    )
}
