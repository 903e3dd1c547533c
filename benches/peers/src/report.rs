//! The results, as Markdown and as JSON.

use std::{env, fs};

use serde_json::{Value, json};

use linetape::Kernel;

use crate::{data::Data, engines, jobs::Job};

/// One engine on one job and one data set.
pub struct Row {
    pub engine: &'static str,
    pub ours: bool,
    pub seconds: f64,
    pub answer: String,
    /// Whether the result equals that of the first engine.
    pub agrees: bool,
}

/// All engines on one job and one data set.
pub struct Table<'d> {
    pub job: Job,
    pub data: &'d Data,
    pub rows: Vec<Row>,
}

impl Row {
    /// Returns whether the engine does not look behind the answer, and does
    /// not check it; and whether its strings are owned.
    fn way(&self) -> (bool, bool) {
        let name = self.engine;
        let skims = name.contains(" skim ") || name.contains("stops at type");
        (skims, name.contains(", String"))
    }
}

impl Table<'_> {
    fn mb_per_s(&self, row: &Row) -> f64 {
        self.data.bytes().len() as f64 / 1e6 / row.seconds
    }

    /// Returns the fastest engine of linetape. Others are compared with it:
    /// those that stop at the type with those that skim, those into a `String`
    /// with each other. A row with another result is not compared.
    fn ours(&self, row: &Row) -> Option<&Row> {
        let ours = self.rows.iter().filter(|other| {
            let agrees = other.agrees && row.agrees;
            other.ours && agrees && other.way() == row.way()
        });
        ours.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// The fastest first.
    pub fn print(&self) {
        let Table { job, data, rows } = self;
        let mb = data.bytes().len() as f64 / 1e6;
        let (name, title, set) = (job.name(), job.title(), data.name);
        let lines = data.lines();
        println!("### {name} {title}, {set} ({mb:.1} MB, {lines} lines)\n");
        println!("| engine | MB/s | linetape to it | answer |");
        println!("|---|---:|---:|---|");
        let mut rows: Vec<&Row> = rows.iter().collect();
        // An engine with another result may have done less work.
        rows.sort_by(|a, b| {
            let agrees = b.agrees.cmp(&a.agrees);
            agrees.then(a.seconds.total_cmp(&b.seconds))
        });
        for row in rows {
            let speed = self.mb_per_s(row);
            let ratio = self.ours(row).map_or("-".to_owned(), |ours| {
                format!("{:.2}x", row.seconds / ours.seconds)
            });
            let answer = match row.agrees {
                true => "agrees".to_owned(),
                false => format!("**differs**: {}", row.answer),
            };
            let engine = row.engine;
            println!("| {engine} | {speed:.0} | {ratio} | {answer} |");
        }
        println!();
    }

    fn json(&self) -> impl Iterator<Item = Value> {
        self.rows.iter().map(move |row| {
            let ours = self.ours(row).map(|row| row.seconds);
            json!({
                "job": self.job.name(),
                "title": self.job.title(),
                "data": self.data.name,
                "engine": row.engine,
                "mb_per_s": self.mb_per_s(row),
                "ratio_to_linetape": ours.map(|ours| ours / row.seconds),
                "agrees": row.agrees,
                "answer": row.answer,
            })
        })
    }
}

/// The machine and the versions of a run.
pub fn versions() -> String {
    let simdjson = engines::simdjson_name();
    let simdjson = simdjson.as_deref().unwrap_or("simdjson left out");
    format!("{}, {simdjson}", env!("PEERS_VERSIONS"))
}

pub fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find(|line| line.starts_with("model name"));
    let name = name.and_then(|line| line.split_once(": "));
    name.map_or("unknown", |(_, name)| name).to_owned()
}

pub fn json(tables: &[Table<'_>], kernel: Kernel, rounds: usize) -> Value {
    // The script handles some arguments itself.
    let arguments = env::var("PEERS_ARGUMENTS")
        .unwrap_or_else(|_| env::args().skip(1).collect::<Vec<_>>().join(" "));
    let command = format!("benches/peers/run {arguments}");
    json!({
        "cpu": cpu(),
        "kernel": kernel.to_string(),
        "versions": versions(),
        "command": command.trim_end(),
        "rounds": rounds,
        "rows": tables.iter().flat_map(Table::json).collect::<Vec<_>>(),
    })
}
