//! Goes on with saved totals when a log has grown.
//!
//! ```console
//! $ cargo run --release -p linetape-session --example saved_state
//! $ linetape generate --bytes 456M -o session.jsonl
//! $ cargo run --release -p linetape-session --example saved_state session.jsonl
//! ```
//!
//! With a file, it reads the file once, saves the state, and then measures the
//! call for one line that is appended: load the state, add the line, and ask
//! for the total.

use std::{
    env,
    error::Error,
    hint::black_box,
    time::{Duration, Instant},
};

use linetape::{Decoder, Reader};
use linetape_session::UsageTotals;

/// The line that is appended to the log.
const APPENDED: &[u8] = br#"{"type":"assistant","sessionId":"s","requestId":"r","message":{"id":"new","model":"opus","usage":{"input_tokens":3,"output_tokens":9}}}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let (totals, is_measured) = match env::args_os().nth(1) {
        Some(path) => (read(Reader::from_path(path)?)?, true),
        None => (read(Reader::new(SAMPLE))?, false),
    };
    let state = totals.save();
    let before = totals.total().messages;
    println!("{before} messages; the state has {} bytes", state.len());

    let after = go_on(state.clone())?;
    assert_eq!(after, before + 1);
    println!("{after} messages after one more line");
    if is_measured {
        measure(&state)?;
    }
    Ok(())
}

/// Sums a log.
fn read<R: std::io::Read>(
    mut log: Reader<R>,
) -> Result<UsageTotals, linetape::Error> {
    let mut totals = UsageTotals::new();
    while let Some(line) = log.next_line() {
        totals.add(line?.checked()?);
    }
    Ok(totals)
}

/// Loads a state and adds one line. Returns the number of messages.
fn go_on(state: Vec<u8>) -> Result<u64, linetape::Error> {
    let mut totals = UsageTotals::load(state)?;
    let mut decoder = Decoder::new();
    totals.add(decoder.decode(APPENDED)?.message());
    Ok(totals.total().messages)
}

/// Prints the median and the longest time of a hundred calls.
fn measure(state: &[u8]) -> Result<(), linetape::Error> {
    let mut times = vec![];
    for _ in 0..100 {
        let state = state.to_vec();
        let start = Instant::now();
        black_box(go_on(state)?);
        times.push(start.elapsed());
    }
    times.sort();
    let micros = |time: Option<&Duration>| {
        time.map_or(0.0, |time| time.as_secs_f64() * 1e6)
    };
    let median = micros(times.get(times.len() / 2));
    let longest = micros(times.last());
    println!("load, add, total: {median:.0} us, at most {longest:.0} us");
    Ok(())
}

const SAMPLE: &[u8] =
    br#"{"type":"assistant","message":{"id":"m1","usage":{"output_tokens":1}}}
{"type":"assistant","message":{"id":"m1","usage":{"output_tokens":5}}}
{"type":"assistant","message":{"id":"m2","usage":{"output_tokens":7}}}
"#;
