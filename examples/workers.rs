//! Adds up the output tokens of a session in worker threads. The lines go to
//! the workers in batches, which are checked when they are filled.
//!
//! ```text
//! cargo run --release --example workers -- session.jsonl
//! ```

use std::{
    error::Error,
    sync::{
        Mutex,
        mpsc::{Receiver, sync_channel},
    },
    thread,
};

use linetape::{Batch, Reader};

const WORKERS: usize = 2;

/// How many lines go to a worker at a time.
const LINES: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1);
    let path =
        path.unwrap_or_else(|| "crates/cli/sample/session.jsonl".into());
    let mut reader = Reader::from_path(path)?;

    let (sender, batches) = sync_channel(WORKERS);
    let batches = Mutex::new(batches);
    let tokens = thread::scope(|scope| {
        let workers: Vec<_> =
            (0..WORKERS).map(|_| scope.spawn(|| add_up(&batches))).collect();
        let mut batch = Batch::new();
        while let Some(line) = reader.next_line() {
            // A bad line is not the end: its error says where it is.
            if let Err(error) =
                line.and_then(|line| batch.push(line).map(drop))
            {
                eprintln!("{error}");
            }
            if batch.len() == LINES {
                sender.send(std::mem::take(&mut batch))?;
            }
        }
        sender.send(batch)?;
        // The workers end when there is no sender any more.
        drop(sender);
        let mut tokens = 0;
        for worker in workers {
            tokens += worker.join().map_err(|_| "a worker panicked")?;
        }
        Ok::<u64, Box<dyn Error>>(tokens)
    })?;
    println!("{tokens} output tokens, on all lines");
    Ok(())
}

/// Adds up the tokens of the batches that this worker gets hold of.
fn add_up(batches: &Mutex<Receiver<Batch>>) -> u64 {
    let mut tokens = 0;
    loop {
        let Ok(batch) = batches.lock().map(|batches| batches.recv()) else {
            return tokens;
        };
        let Ok(batch) = batch else { return tokens };
        for message in &batch {
            let usage = message.usage();
            tokens += usage.and_then(|u| u.output_tokens()).unwrap_or(0);
        }
    }
}
