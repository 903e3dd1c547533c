//! Compares linetape with its peers.
//!
//! The speed of a machine varies, so the engines alternate, the best run of
//! each is used, and only ratios are meaningful.

mod byte_sum;
mod compare;
mod data;
mod engine;
mod engines;
mod jobs;
mod native;
mod options;
mod report;
mod run;
mod strings;

use std::{env, fs, process::ExitCode};

use compare::compare;
use native::Native;
use options::{Options, USAGE};

/// An error message.
type Failure = String;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("--serve") => native::serve().map_err(|e| e.to_string()),
        _ => Options::parse(arguments).and_then(|options| run(&options)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    if let Some(kernel) = options.kernel {
        if !kernel.is_available() {
            return Err(format!("this CPU lacks what {kernel} needs"));
        }
        engines::KERNEL.get_or_init(|| kernel);
    }
    compare_all(options)
}

/// Prints the requested tables.
fn compare_all(options: &Options) -> Result<(), Failure> {
    let rounds = if options.quick { 3 } else { 15 };
    let sets = data::sets(&options.data)
        .map_err(|name| format!("there is no data `{name}`\n{USAGE}"))?;
    if cfg!(feature = "peers") && engines::simdjson_name().is_none() {
        eprintln!("simdjson is skipped: the build could not compile it");
    }
    let native = Native::start();
    let kernel = options.kernel();
    let (cpu, versions) = (report::cpu(), report::versions());
    println!("{cpu} ({kernel}); {versions}; best of {rounds}\n");
    let mut tables = vec![];
    for job in options.jobs() {
        for data in &sets {
            let table = compare(job, data, native.as_ref(), rounds);
            table.print();
            tables.push(table);
        }
    }
    if let Some(file) = &options.json {
        let report = report::json(&tables, kernel, rounds);
        fs::write(file, format!("{report:#}\n"))
            .map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}
