//! Measures redaction on one thread: `redact_speed [LEVEL] FILE...`.
//!
//! The files are read into memory first, and tiled to 256 MB. The best of five
//! runs counts. Without files, it redacts a short sample.

use std::{env, fs, hint::black_box, time::Instant};

use linetape::{Position, ReaderBuilder};
use linetape_redact::{Redactor, Replacement, RuleLevel, Rules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let level = arguments.first().and_then(|text| text.parse().ok());
    if level.is_some() {
        arguments.remove(0);
    }
    let level: RuleLevel = level.unwrap_or_default();
    let mut log = vec![];
    for path in &arguments {
        log.extend(fs::read(path)?);
    }
    if log.is_empty() {
        log.extend_from_slice(b"{\"type\":\"user\",\"text\":\"Hello\"}\n");
    }
    let size = if arguments.is_empty() { 1 << 16 } else { 256 << 20 };
    log = log.repeat(size / log.len() + 1);
    let rules = Rules::builder().level(level).build()?;
    let rate = |seconds: f64| log.len() as f64 / 1e6 / seconds;

    let (mut best, mut found) = (f64::INFINITY, 0);
    for _ in 0..5 {
        let mut redactor = Redactor::new(rules.clone(), Replacement::stars());
        let mut out = vec![];
        let start = Instant::now();
        let (reader, mut at) = (ReaderBuilder::new(), Position::START);
        for block in blocks(&log) {
            at = redactor.block(&reader, block, at, &mut out, |_| ())?;
            empty(&mut out);
        }
        redactor.finish(&mut out)?;
        best = best.min(start.elapsed().as_secs_f64());
        found = redactor.findings().count();
        black_box(out);
    }
    println!("{level}: {:.0} MB/s, {found} findings", rate(best));

    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let mut lines = linetape::lines(&log);
        let mut out = vec![];
        while let Some(line) = lines.next_line() {
            if let Ok(line) = line
                && line.check().is_ok()
            {
                out.extend_from_slice(line.as_bytes());
                empty(&mut out);
            }
        }
        best = best.min(start.elapsed().as_secs_f64());
        black_box(out);
    }
    println!("check and copy alone: {:.0} MB/s", rate(best));
    Ok(())
}

/// Splits a log into blocks of whole lines.
fn blocks(mut log: &[u8]) -> impl Iterator<Item = &[u8]> {
    const SIZE: usize = 256 << 10;
    std::iter::from_fn(move || {
        let newline = |b: &u8| *b == b'\n';
        let most = log.len().min(SIZE);
        let end = match log[..most].iter().rposition(newline) {
            Some(last) if most < log.len() => last + 1,
            _ => log[most..]
                .iter()
                .position(newline)
                .map_or(log.len(), |at| most + at + 1),
        };
        let (block, rest) = log.split_at(end);
        log = rest;
        (!block.is_empty()).then_some(block)
    })
}

/// Empties the output now and then, as writing it to a file would. Otherwise
/// most of the time would be spent on fresh memory.
fn empty(out: &mut Vec<u8>) {
    if out.len() > 1 << 20 {
        black_box(&*out);
        out.clear();
    }
}
