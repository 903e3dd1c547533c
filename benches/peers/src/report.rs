//! What was measured, as Markdown and as JSON.

use std::{env, fs};

use serde_json::{Value, json};

use linetape::Kernel;

use crate::{
    data::Data,
    engines,
    growth::{self, Grown},
    jobs::Job,
};

/// One engine on one job and one data set.
pub struct Row {
    pub engine: &'static str,
    pub ours: bool,
    pub seconds: f64,
    /// The answer, if it is not the one of the first engine.
    pub other_answer: Option<String>,
}

/// All engines on one job and one data set.
pub struct Table<'d> {
    pub job: Job,
    pub data: &'d Data,
    pub rows: Vec<Row>,
}

impl Table<'_> {
    fn mb_per_s(&self, row: &Row) -> f64 {
        self.data.bytes().len() as f64 / 1e6 / row.seconds
    }

    /// The fastest way that linetape has. Others are compared with it.
    fn ours(&self) -> Option<&Row> {
        let ours = self.rows.iter().filter(|row| row.ours);
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
        rows.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let ours = self.ours().map(|row| row.seconds);
        for row in rows {
            let speed = self.mb_per_s(row);
            let ratio = ours.map_or("-".to_owned(), |ours| {
                format!("{:.2}x", row.seconds / ours)
            });
            let answer = match &row.other_answer {
                None => "agrees".to_owned(),
                Some(other) => format!("**differs**: {other}"),
            };
            let engine = row.engine;
            println!("| {engine} | {speed:.0} | {ratio} | {answer} |");
        }
        println!();
    }

    fn json(&self) -> impl Iterator<Item = Value> {
        let ours = self.ours().map(|row| row.seconds);
        self.rows.iter().map(move |row| {
            json!({
                "job": self.job.name(),
                "title": self.job.title(),
                "data": self.data.name,
                "engine": row.engine,
                "mb_per_s": self.mb_per_s(row),
                "ratio_to_linetape": ours.map(|ours| ours / row.seconds),
                "agrees": row.other_answer.is_none(),
            })
        })
    }
}

/// Where, and with what, the figures come about.
pub fn versions() -> String {
    let simdjson = engines::simdjson_name();
    let simdjson = simdjson.as_deref().unwrap_or("simdjson left out");
    format!("{}, {simdjson}", env!("PEERS_VERSIONS"))
}

/// The compiler that made this program.
pub fn compiler() -> &'static str {
    let versions = env!("PEERS_VERSIONS");
    versions.split_once(", ").map_or(versions, |(compiler, _)| compiler)
}

pub fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find(|line| line.starts_with("model name"));
    let name = name.and_then(|line| line.split_once(": "));
    name.map_or("unknown", |(_, name)| name).to_owned()
}

pub fn json(
    tables: &[Table<'_>],
    grown: &[Grown],
    kernel: Kernel,
    rounds: usize,
) -> Value {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let command = format!("benches/peers/run {}", arguments.join(" "));
    json!({
        "cpu": cpu(),
        "kernel": kernel.to_string(),
        "versions": versions(),
        "command": command.trim_end(),
        "rounds": rounds,
        "rows": tables.iter().flat_map(Table::json).collect::<Vec<_>>(),
        "growth": growth::json(grown),
    })
}
