//! linetape and its peers, side by side.
//!
//! A machine is never equally fast for long, so the engines take turns, each
//! counts with its best run, and what matters is the ratio.

mod byte_sum;
mod data;
mod engines;
mod jobs;
mod report;

use std::{env, fs, hint::black_box, process::ExitCode, time::Instant};

use data::Data;
use engines::Engine;
use jobs::{Job, Tally};
use report::{Row, Table};

const USAGE: &str = "\
usage: benches/peers/run [--quick] [--job J1]... [--data NAME]... [--json FILE]
jobs: J0 J1 J2 J3 J5; data: transcripts stream";

#[derive(Default)]
struct Options {
    quick: bool,
    /// All if empty.
    jobs: Vec<String>,
    /// All if empty.
    data: Vec<String>,
    json: Option<String>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Options> {
        let mut options = Options::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--job" => options.jobs.push(arguments.next()?),
                "--data" => options.data.push(arguments.next()?),
                "--json" => options.json = Some(arguments.next()?),
                _ => return None,
            }
        }
        let known = |name: &String| Job::ALL.iter().any(|j| j.name() == name);
        options.jobs.iter().all(known).then_some(options)
    }

    fn wants(list: &[String], name: &str) -> bool {
        list.is_empty() || list.iter().any(|wanted| wanted == name)
    }
}

fn main() -> ExitCode {
    let Some(options) = Options::parse(env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let rounds = if options.quick { 3 } else { 15 };
    let sets = data::sets(|name| Options::wants(&options.data, name));
    if sets.is_empty() {
        eprintln!("no such data\n{USAGE}");
        return ExitCode::from(2);
    }
    if engines::simdjson_name().is_none() {
        eprintln!("simdjson is skipped: the build could not compile it");
    }
    println!("{}; {}; best of {rounds}\n", report::cpu(), report::versions());
    let mut tables = vec![];
    for job in Job::ALL {
        if !Options::wants(&options.jobs, job.name()) {
            continue;
        }
        for data in &sets {
            let rows = measure(job, data, rounds);
            let table = Table { job, data, rows };
            table.print();
            tables.push(table);
        }
    }
    if let Some(file) = &options.json {
        let text = format!("{:#}\n", report::json(&tables, rounds));
        if let Err(error) = fs::write(file, text) {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Runs all engines in turn, `rounds` times. A peer may answer otherwise than
/// the first engine, and the table will say so; linetape may not.
fn measure(job: Job, data: &Data, rounds: usize) -> Vec<Row> {
    let engines = engines::of(job);
    let mut tally = Tally::default();
    // The first run is not timed: it is for the answers, and warms up.
    let mut run = |engine: &Engine| {
        tally.reset();
        let start = Instant::now();
        (engine.run)(black_box(data), &mut tally);
        let seconds = start.elapsed().as_secs_f64();
        (seconds, tally.answer(job))
    };
    let answers: Vec<_> = engines.iter().map(|e| run(e).1).collect();
    let mut best = vec![f64::MAX; engines.len()];
    for _ in 0..rounds {
        for (at, engine) in engines.iter().enumerate() {
            let (seconds, answer) = run(engine);
            best[at] = best[at].min(seconds);
            assert_eq!(answer, answers[at], "{} wavers", engine.name);
        }
    }
    let mut rows = vec![];
    for ((engine, seconds), answer) in engines.iter().zip(best).zip(&answers) {
        let differs = *answer != answers[0];
        if engine.ours {
            assert_eq!(*answer, answers[0], "{} is wrong", engine.name);
        }
        rows.push(Row {
            engine: engine.name,
            ours: engine.ours,
            seconds,
            other_answer: differs.then(|| answer.clone()),
        });
    }
    rows
}
