//! Compares linetape with its peers.
//!
//! The speed of a machine varies, so the engines alternate, the best run of
//! each is used, and only ratios are meaningful.

mod byte_sum;
mod compare;
mod data;
mod engine;
mod engines;
mod growth;
mod jobs;
mod native;
mod options;
mod plot;
mod report;
mod run;
mod strings;

use std::{env, fs, path::Path, process::ExitCode};

use compare::compare;
use native::Native;
use options::{Options, USAGE};

/// An error message.
type Failure = String;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("--serve") => native::serve().map_err(|e| e.to_string()),
        Some("--plot") => plot(&arguments[1..]),
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
    let mut grown = vec![];
    if options.growth {
        let binary = env::var_os("LINETAPE_BINARY")
            .ok_or("LINETAPE_BINARY does not name the command")?;
        let sizes = match options.quick {
            true => growth::QUICK_SIZES,
            false => growth::SIZES,
        };
        grown = growth::measure(Path::new(&binary), sizes)
            .map_err(|error| format!("growth: {error}"))?;
        growth::print(&grown);
    }
    if let Some(file) = &options.json {
        let report = report::json(&tables, &grown, kernel, rounds);
        write(Path::new(file), &format!("{report:#}\n"))?;
    }
    Ok(())
}

/// Draws a chart of the output of `--json`.
fn plot(arguments: &[String]) -> Result<(), Failure> {
    let [report, data, file] = arguments else { return Err(USAGE.into()) };
    let text = read(Path::new(report))?;
    let value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let svg = plot::svg(&value, data)
        .ok_or_else(|| format!("{report} says nothing about {data}"))?;
    write(Path::new(file), &svg)
}

fn read(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}
