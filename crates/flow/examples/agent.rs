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
use linetape::{
    BytesLine, Decoder, Error, Message,
    message::control::{ControlRequest, Request},
    owned::{self, control::ControlResponse},
};
use linetape_flow::LineCodec;
use tokio::{io::AsyncWriteExt, process::Command, runtime};
use tokio_util::{
    bytes::BytesMut,
    codec::{Encoder, FramedRead},
};

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
    let mut answers = (LineCodec::new(), BytesMut::new());
    let mut result = None;
    // With `StreamExt` of futures or tokio-stream: `lines.next().await`.
    while let Some(line) = next(&mut lines).await {
        // The first error is one of the pipe, the second one of a line.
        match line?.and_then(|line| read(&line, &mut decoder, &mut result)) {
            // With `SinkExt` and a `FramedWrite`: `send(answer).await`.
            Ok(Some(answer)) => {
                let (codec, bytes) = &mut answers;
                codec.encode(answer, bytes)?;
                stdin.write_all_buf(bytes).await?;
                stdin.flush().await?;
            }
            Ok(None) => {}
            Err(error) => eprintln!("{error}"),
        }
    }
    assert!(child.wait().await?.success());
    assert_eq!(result.as_deref(), Some("allowed"));
    println!("the agent has ended");
    Ok(())
}

/// Reads a line, and returns the answer if it has a question. The views of the
/// line are not `Send`, and end here, before the next `.await`.
fn read(
    line: &BytesLine,
    decoder: &mut Decoder,
    result: &mut Option<String>,
) -> Result<Option<owned::Message>, Error> {
    match line.line(decoder).checked()? {
        Message::ControlRequest(request) => {
            println!("the agent asks: {}", request.value());
            return Ok(Some(answer(request)?.into()));
        }
        Message::Result(message) => {
            *result = message.result().map(str::to_string);
        }
        other => println!("{}", other.kind()),
    }
    Ok(None)
}

/// Allows each tool use, with its input as it is.
fn answer(request: ControlRequest<'_>) -> Result<ControlResponse, Error> {
    let id = request.request_id().unwrap_or_default();
    if let Request::CanUseTool(question) = request.body()
        && let Some(input) = question.input()
    {
        return Ok(ControlResponse::allow(id, input.try_into()?));
    }
    Ok(ControlResponse::error(id, "not supported"))
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
