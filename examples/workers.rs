//! Counts the tool calls of a session in worker threads, which get checked
//! lines from the thread that reads the file.
//!
//! ```text
//! cargo run --release --example workers -- session.jsonl
//! ```

use std::{error::Error, mem, sync::Mutex, sync::mpsc::sync_channel, thread};

use linetape::{OwnedLine, Reader};

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");
const WORKERS: usize = 2;
/// One message of the channel has this many lines, to save on waking threads.
const LINES_PER_BATCH: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| SAMPLE.into());
    let mut reader = Reader::from_path(path)?;
    // A bounded channel: the reader waits for workers that are behind.
    let (sender, batches) = sync_channel::<Vec<OwnedLine>>(WORKERS);
    let batches = Mutex::new(batches);
    // Returns `None` when the sender is gone and every batch is taken.
    let next_batch = || batches.lock().ok()?.recv().ok();
    let work = || {
        let mut calls = 0;
        while let Some(batch) = next_batch() {
            let messages = batch.iter().map(OwnedLine::message);
            calls += messages
                .map(|message| message.tool_calls().count())
                .sum::<usize>();
        }
        calls
    };
    let calls = thread::scope(|scope| {
        let workers = [(); WORKERS].map(|()| scope.spawn(work));
        let mut batch = Vec::new();
        while let Some(line) = reader.next_line() {
            // A bad line is an error; the next call reads on.
            match line.and_then(|line| line.to_owned_line()) {
                Err(error) if error.is_recoverable() => eprintln!("{error}"),
                line => batch.push(line?),
            }
            if batch.len() == LINES_PER_BATCH {
                sender.send(mem::take(&mut batch))?;
            }
        }
        sender.send(batch)?;
        drop(sender);
        workers.into_iter().try_fold(0, |sum, worker| {
            let calls = worker.join().map_err(|_| "a worker panicked")?;
            Ok::<usize, Box<dyn Error>>(sum + calls)
        })
    })?;
    println!("{calls} tool calls");
    Ok(())
}
