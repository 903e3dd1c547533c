//! Instruction counts by valgrind. They are nearly the same in every run, so
//! that a change of 1 % is visible.
//!
//! valgrind does not support AVX-512, so these are the counts of the AVX2
//! kernel. The reference counts are in a small file, with the version of their
//! compiler in the first line.

use std::{
    env,
    fmt::Write,
    io,
    process::{Command, Stdio},
};

use crate::{
    data::{self, Data},
    engine::Engine,
    engines,
    jobs::{Job, Tally},
    run::Run,
};

/// The numbers of runs of an engine under valgrind. The difference of the two
/// counts is one run, without set-up and tear-down.
const RUNS: [usize; 2] = [1, 2];

/// Large enough for all kinds of lines, and small enough for valgrind.
const SIZE: usize = 256 << 10;

/// The number of instructions per byte of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    job: String,
    data: String,
    engine: String,
    per_byte: f64,
}

/// The counts with one compiler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    compiler: String,
    counts: Vec<Count>,
}

impl Counts {
    pub fn parse(text: &str) -> Result<Counts, String> {
        let mut lines = text.lines();
        let compiler = lines.next().unwrap_or_default().to_owned();
        let mut counts = vec![];
        for line in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            let &[job, data, engine, per_byte] = &cells[..] else {
                return Err(format!("not four cells: `{line}`"));
            };
            let Ok(per_byte) = per_byte.parse() else {
                return Err(format!("not a number: `{line}`"));
            };
            let [job, data, engine] = [job, data, engine].map(str::to_owned);
            counts.push(Count { job, data, engine, per_byte });
        }
        Ok(Counts { compiler, counts })
    }

    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.compiler);
        for Count { job, data, engine, per_byte } in &self.counts {
            let _ = writeln!(text, "{job}\t{data}\t{engine}\t{per_byte:.3}");
        }
        text
    }

    /// Returns the counts as Markdown, with the reference counts.
    pub fn table(&self, before: &Counts) -> String {
        let mut text = format!(
            "Instructions for each byte ({}; before: {})\n\n\
             | job | data | engine | now | before | change |\n\
             |---|---|---|---:|---:|---:|\n",
            self.compiler, before.compiler,
        );
        for now in &self.counts {
            let Count { job, data, engine, per_byte } = now;
            let is = |old: &&Count| {
                (&old.job, &old.data, &old.engine) == (job, data, engine)
            };
            let old = before.counts.iter().find(is).map(|old| old.per_byte);
            let (old, change) = match old {
                Some(old) => (
                    format!("{old:.2}"),
                    format!("{:+.1} %", (per_byte / old - 1.0) * 100.0),
                ),
                None => ("none".to_owned(), String::new()),
            };
            let _ = writeln!(
                text,
                "| {job} | {data} | {engine} | {per_byte:.2} | {old} | {change} |"
            );
        }
        text
    }
}

fn sets() -> [Data; 2] {
    data::generated(SIZE)
}

/// Counts all engines of linetape, each in a separate process under valgrind.
/// `compiler` is the compiler of this program.
pub fn count(compiler: &str) -> io::Result<Counts> {
    let mut counts = vec![];
    for job in Job::ALL {
        for data in &sets() {
            for engine in ours(job) {
                let [one, two] =
                    RUNS.map(|runs| instructions(job, data, engine, runs));
                let run = (two?).saturating_sub(one?);
                counts.push(Count {
                    job: job.name().to_owned(),
                    data: data.name.to_owned(),
                    engine: engine.name.to_owned(),
                    per_byte: run as f64 / data.bytes().len() as f64,
                });
            }
        }
    }
    Ok(Counts { compiler: compiler.to_owned(), counts })
}

fn ours(job: Job) -> impl Iterator<Item = &'static Engine> {
    engines::of(job).into_iter().filter(|engine| engine.ours)
}

fn instructions(
    job: Job,
    data: &Data,
    engine: &Engine,
    runs: usize,
) -> io::Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe()?)
        .args(["--once", job.name(), data.name, engine.name])
        .arg(runs.to_string())
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(io::Error::other(format!("valgrind: {text}")));
    }
    let collected = text.lines().find_map(|line| {
        let (_, rest) = line.split_once("Collected :")?;
        rest.trim().parse().ok()
    });
    collected.ok_or_else(|| io::Error::other(format!("valgrind: {text}")))
}

/// The entry point under valgrind. Returns `None` if the arguments are
/// invalid.
pub fn once(arguments: &[String]) -> Option<()> {
    let [job, data, engine, runs] = arguments else { return None };
    let job = Job::named(job)?;
    let sets = sets();
    let data = sets.iter().find(|set| set.name == data)?;
    let engine = ours(job).find(|ours| ours.name == engine)?;
    let run = Run::here(engine, data);
    let mut tally = Tally::default();
    for _ in 0..runs.parse().ok()? {
        run.run(&mut tally);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_survive_the_file_and_changes_are_shown() {
        let count = |engine: &str, per_byte| {
            let [job, data] = ["J1", "generated/stream"].map(str::to_owned);
            Count { job, data, engine: engine.to_owned(), per_byte }
        };
        let before = Counts {
            compiler: "rustc 1".to_owned(),
            counts: vec![count("linetape route", 2.0)],
        };
        assert_eq!(Counts::parse(&before.text()).as_ref(), Ok(&before));
        let now = Counts {
            compiler: "rustc 2".to_owned(),
            counts: vec![count("linetape route", 2.5), count("new", 1.0)],
        };
        let table = now.table(&before);
        let route = "linetape route | 2.50 | 2.00 | +25.0 % |";
        assert!(table.contains(route), "{table}");
        assert!(table.contains("new | 1.00 | none |  |"), "{table}");
    }

    #[test]
    fn a_broken_file_is_refused() {
        for line in ["a\tb", "a\tb\tc\tx"] {
            assert!(Counts::parse(&format!("rustc\n{line}\n")).is_err());
        }
    }

    #[test]
    fn what_means_nothing_is_not_run() {
        let arguments = |text: &str| {
            text.split('|').map(str::to_owned).collect::<Vec<_>>()
        };
        let good = "J0|generated/stream|linetape check|1";
        assert!(once(&arguments(good)).is_some());
        for bad in ["", "J0", "J9|generated/stream|linetape check|1"] {
            assert!(once(&arguments(bad)).is_none(), "{bad}");
        }
    }
}
