//! Prints what an agent says while it is running. A line is read as soon as
//! the agent has written its newline.
//!
//! ```text
//! cargo run --example live_agent -- \
//!     claude -p --output-format stream-json --verbose "Hello"
//! ```
//!
//! Without a command, the example runs itself as the agent.

use std::{env, error::Error, process::*, thread, time::Duration};

use linetape::{Escaped, Message, Reader};

const SAMPLE: &str = include_str!("session.jsonl");
const PLAY: &str = "--play-the-agent";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<_> = env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == PLAY) {
        // The standard output is flushed after each line.
        for line in SAMPLE.lines() {
            println!("{line}");
            thread::sleep(Duration::from_millis(20));
        }
        return Ok(());
    }
    if arguments.is_empty() {
        arguments = vec![env::current_exe()?.into(), PLAY.into()];
    }
    let mut command = Command::new(arguments.remove(0));
    let mut agent = command.args(arguments).stdout(Stdio::piped()).spawn()?;
    let output = agent.stdout.take().ok_or("the agent has no output")?;

    // Lines between the records that are not JSON are skipped.
    let mut reader = Reader::builder().skip_noise(true).build(output);
    while let Some(record) = reader.next_record() {
        match record {
            Ok(record) => print(record.message()),
            Err(error) if error.is_recoverable() => eprintln!("{error}"),
            Err(error) => return Err(error.into()),
        }
    }
    let status = agent.wait()?;
    status.success().then_some(()).ok_or_else(|| status.to_string().into())
}

/// Prints the text of a message. It is escaped, so that an agent cannot
/// control the terminal.
fn print(message: Message<'_>) {
    let kind = message.kind().to_string();
    for text in message.text() {
        println!("{}: {}", Escaped::new(&kind), Escaped::new(text));
    }
}
