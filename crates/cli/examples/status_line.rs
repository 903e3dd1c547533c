//! The totals of a log that grows, as a status line needs them: each call reads
//! the state of the last one from a file, adds what was appended to the log, and
//! saves.
//!
//! ```console
//! $ cargo run --release -p linetape-cli --example status_line
//! $ linetape generate --bytes 456M -o session.jsonl
//! $ cargo run --release -p linetape-cli --example status_line session.jsonl
//! ```
//!
//! With a file, it measures calls, each after one more line. The lines are
//! appended to the file, and removed at the end.

use std::{
    env,
    error::Error,
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    process,
    time::Instant,
};

use linetape::Decoder;
use linetape_flow::{Checkpoints, Event, Follow};
use linetape_session::UsageTotals;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How many calls are measured.
const CALLS: usize = 50;

fn main() -> Outcome<()> {
    let folder = env::temp_dir();
    let folder = folder.join(format!("linetape-status-{}", process::id()));
    fs::create_dir_all(&folder)?;
    let result = match env::args_os().nth(1) {
        Some(log) => {
            let size = fs::metadata(&log)?.len();
            let result = run(Path::new(&log), &folder, CALLS);
            OpenOptions::new().write(true).open(&log)?.set_len(size)?;
            result
        }
        None => {
            let log = folder.join("log.jsonl");
            fs::write(&log, line(0))?;
            run(&log, &folder, 3)
        }
    };
    fs::remove_dir_all(&folder)?;
    result
}

/// An assistant message.
fn line(number: usize) -> String {
    format!(
        r#"{{"type":"assistant","sessionId":"s","requestId":"r{number}","message":{{"id":"msg_new{number}","model":"opus","usage":{{"input_tokens":3,"output_tokens":9}}}}}}"#
    ) + "\n"
}

fn run(log: &Path, folder: &Path, calls: usize) -> Outcome<()> {
    let state = folder.join("the.state");
    let before = status(log, &state)?;
    let bytes = fs::metadata(&state)?.len();
    println!("{before} messages; the state has {bytes} bytes");
    let (mut wall, mut cpu) = (vec![], vec![]);
    for number in 1..=calls {
        let mut file = OpenOptions::new().append(true).open(log)?;
        file.write_all(line(number).as_bytes())?;
        let (start, used) = (Instant::now(), cpu_micros());
        let messages = status(log, &state)?;
        wall.push(start.elapsed().as_micros() as u64);
        cpu.extend(cpu_micros().zip(used).map(|(now, used)| now - used));
        assert_eq!(messages, before + number as u64);
    }
    for (name, mut times) in [("elapsed", wall), ("of the CPU", cpu)] {
        times.sort_unstable();
        if let (Some(median), Some(most)) =
            (times.get(times.len() / 2), times.last())
        {
            println!("a call: {median} us {name}, at most {most}");
        }
    }
    Ok(())
}

/// Returns the number of messages in the log, and saves the state.
fn status(log: &Path, state: &Path) -> Outcome<u64> {
    let mut checkpoints = Checkpoints::open(state)?;
    let saved = checkpoints.take_state();
    // Whether what was saved is of no use.
    let mut is_first = saved.is_empty();
    let mut totals = match is_first {
        true => UsageTotals::new(),
        // `Checkpoints` has verified it.
        false => UsageTotals::load_verified(saved)?,
    };
    for addition in checkpoints.additions() {
        totals.append(UsageTotals::load_verified(addition.to_vec())?);
    }
    let mut follow = checkpoints.resume(Follow::new(log));
    let (mut new, mut decoder) = (UsageTotals::new(), Decoder::new());
    loop {
        match follow.next_event() {
            Ok(Event::Line(line)) => match line.line(&mut decoder).peek() {
                Ok(message) => new.add(message),
                Err(error) => eprintln!("{error}"),
            },
            Ok(Event::CaughtUp) => break,
            Ok(Event::Replaced | Event::Truncated) => {
                (totals, new) = (UsageTotals::new(), UsageTotals::new());
                is_first = true;
            }
            Ok(_) => {}
            // Not `?`: the next run would meet the bad line again.
            Err(error) => eprintln!("{error}"),
        }
    }
    checkpoints.update(&mut follow);
    let addition = new.save();
    totals.append(new);
    if is_first || !checkpoints.save_addition(&addition)? {
        checkpoints.set_state(totals.save());
        checkpoints.save()?;
    }
    Ok(totals.total().messages)
}

/// Returns the time of the CPU that this thread has used, where the system says
/// so.
fn cpu_micros() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos: u64 = text.split(' ').next()?.parse().ok()?;
    Some(nanos / 1000)
}
