//! Reads many agents at once. The consumer is slower than the agents, so they
//! wait: memory is bounded.

use std::{
    error, io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use futures_core::Stream;
use linetape::BytesLine;
use linetape_flow::LineCodec;
use tokio::{
    io::{AsyncWriteExt, DuplexStream, duplex},
    runtime,
    sync::mpsc,
    task::yield_now,
};
use tokio_util::codec::FramedRead;

type Outcome = Result<(), Box<dyn error::Error>>;

const AGENTS: u64 = 100;
const LINES: u64 = 200;
/// How many bytes a pipe holds, and how many lines wait for the consumer.
const PIPE: usize = 1024;
const WAITING: usize = 16;

fn main() -> Outcome {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime?.block_on(run())
}

async fn run() -> Outcome {
    let written = Arc::new(AtomicU64::new(0));
    let (sender, mut receiver) = mpsc::channel(WAITING);
    for agent in 0..AGENTS {
        let (input, output) = duplex(PIPE);
        tokio::spawn(fake_agent(agent, input, written.clone()));
        tokio::spawn(read(agent, output, sender.clone()));
    }
    // The consumer ends when all agents have.
    drop(sender);
    let mut counts = vec![0; AGENTS as usize];
    let (mut received, mut most) = (0, 0);
    while let Some((agent, line)) = receiver.recv().await {
        let line: BytesLine = line;
        let count = counts.get_mut(agent as usize).ok_or("no such agent")?;
        *count += 1;
        // The lines of an agent arrive in order.
        assert_eq!(line.number(), *count);
        received += 1;
        most = most.max(written.load(Ordering::Relaxed) - received);
        // Something that takes its time.
        yield_now().await;
    }
    assert!(counts.iter().all(|count| *count == LINES));
    // In each pipe and codec, and in the channel.
    let bound = AGENTS * 2 * (PIPE as u64 / 20) + WAITING as u64;
    assert!(most <= bound, "{most} lines waited");
    println!("{received} lines of {AGENTS} agents; up to {most} waited");
    Ok(())
}

/// Sends all lines of an agent to the consumer. `send` waits while the channel
/// is full, and so the agent waits, too.
async fn read(
    agent: u64,
    output: DuplexStream,
    sender: mpsc::Sender<(u64, BytesLine)>,
) {
    let codec = LineCodec::new();
    let mut lines = FramedRead::with_capacity(output, codec, PIPE);
    while let Some(line) =
        std::future::poll_fn(|cx| Pin::new(&mut lines).poll_next(cx)).await
    {
        match line {
            Ok(Ok(line)) => {
                if sender.send((agent, line)).await.is_err() {
                    return;
                }
            }
            Ok(Err(error)) => eprintln!("agent {agent}: {error}"),
            Err(error) => return eprintln!("agent {agent}: {error}"),
        }
    }
}

/// An agent that writes as fast as it can.
async fn fake_agent(
    agent: u64,
    mut out: DuplexStream,
    written: Arc<AtomicU64>,
) -> io::Result<()> {
    for n in 0..LINES {
        let line =
            format!("{{\"type\":\"user\",\"agent\":{agent},\"n\":{n}}}\n");
        out.write_all(line.as_bytes()).await?;
        written.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
