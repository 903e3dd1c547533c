//! The gate: fails when linetape has become slow beside serde_json.
//!
//! Floors are kept in a small file, one per line and separated by tabs:
//!
//! ```text
//! kernel  job  data        engine          floor
//! avx512  J1   transcript  linetape route  2.31
//! ```
//!
//! A floor is a part of what was measured once: far enough below it that a
//! noisy machine does not trip the gate, and near enough that a real loss does.

use std::fmt::Write;

use crate::{jobs::Job, report::Table};

/// A floor is this part of a measured ratio.
const PART: f64 = 0.6;

const HEAD: &str = "kernel\tjob\tdata\tengine\tfloor\n";

/// How many times as fast as serde_json an engine of linetape is.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    pub job: Job,
    pub data: String,
    pub engine: String,
    pub ratio: f64,
}

#[derive(Clone, Debug, PartialEq)]
struct Floor {
    kernel: String,
    job: String,
    data: String,
    engine: String,
    floor: f64,
}

/// What must not be fallen below.
#[derive(Debug, Default, PartialEq)]
pub struct Floors(Vec<Floor>);

impl Floors {
    pub fn parse(text: &str) -> Result<Floors, String> {
        let mut floors = vec![];
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let &[kernel, job, data, engine, floor] = &cells[..] else {
                return Err(format!("not five cells: `{line}`"));
            };
            let Ok(floor) = floor.parse() else {
                return Err(format!("not a number: `{line}`"));
            };
            let [kernel, job, data, engine] =
                [kernel, job, data, engine].map(str::to_owned);
            floors.push(Floor { kernel, job, data, engine, floor });
        }
        Ok(Floors(floors))
    }

    pub fn has(&self, kernel: &str) -> bool {
        self.0.iter().any(|floor| floor.kernel == kernel)
    }

    fn of(&self, kernel: &str, ratio: &Ratio) -> Option<f64> {
        let is = |floor: &&Floor| {
            floor.kernel == kernel
                && floor.job == ratio.job.name()
                && floor.data == ratio.data
                && floor.engine == ratio.engine
        };
        self.0.iter().find(is).map(|floor| floor.floor)
    }

    pub fn is_below(&self, kernel: &str, ratio: &Ratio) -> bool {
        self.of(kernel, ratio).is_some_and(|floor| ratio.ratio < floor)
    }

    /// The same file, with floors for this kernel that follow from ratios.
    pub fn updated(mut self, kernel: &str, ratios: &[Ratio]) -> String {
        self.0.retain(|floor| floor.kernel != kernel);
        self.0.extend(ratios.iter().map(|ratio| Floor {
            kernel: kernel.to_owned(),
            job: ratio.job.name().to_owned(),
            data: ratio.data.clone(),
            engine: ratio.engine.clone(),
            floor: ratio.ratio * PART,
        }));
        let mut text = HEAD.to_owned();
        for Floor { kernel, job, data, engine, floor } in &self.0 {
            let line = format!("{kernel}\t{job}\t{data}\t{engine}");
            let _ = writeln!(text, "{line}\t{floor:.2}");
        }
        text
    }
}

/// The engine of serde_json that a job is compared with, if it can do it.
fn peer(job: Job) -> Option<&'static str> {
    Some(match job {
        Job::Lines => return None,
        Job::Check => "serde_json IgnoredAny",
        Job::Route | Job::Usage | Job::Select => "serde_json typed, borrowed",
        Job::Text => "serde_json Value",
        Job::Own => "serde_json, same types",
    })
}

/// The ratios that a table says something about.
pub fn ratios(table: &Table<'_>) -> Vec<Ratio> {
    let seconds = |name: &str| {
        let row = table.rows.iter().find(|row| row.engine == name);
        row.map(|row| row.seconds)
    };
    let other = peer(table.job).and_then(seconds);
    let Some(other) = other else { return vec![] };
    let ours = table.rows.iter().filter(|row| row.ours);
    let ratio = |row: &crate::report::Row| Ratio {
        job: table.job,
        data: table.data.name.to_owned(),
        engine: row.engine.to_string(),
        ratio: other / row.seconds,
    };
    ours.map(ratio).collect()
}

/// The verdict, as Markdown.
pub fn table(kernel: &str, floors: &Floors, ratios: &[Ratio]) -> String {
    let mut text = format!(
        "Speed of linetape ({kernel}) to that of serde_json\n\n\
         | job | data | engine | against | ratio | floor | |\n\
         |---|---|---|---|---:|---:|---|\n"
    );
    for ratio in ratios {
        let Ratio { job, data, engine, ratio: found } = ratio;
        let floor = floors.of(kernel, ratio);
        let floor = floor.map_or("none".to_owned(), |f| format!("{f:.2}"));
        let verdict = match floors.is_below(kernel, ratio) {
            true => "**too slow**",
            false => "",
        };
        let (job, against) = (job.name(), peer(*job).unwrap_or_default());
        let _ = writeln!(
            text,
            "| {job} | {data} | {engine} | {against} | {found:.2} | {floor} | {verdict} |"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(engine: &str, ratio: f64) -> Ratio {
        let (data, engine) = ("stream".to_owned(), engine.to_owned());
        Ratio { job: Job::Route, data, engine, ratio }
    }

    #[test]
    fn a_ratio_below_its_floor_is_found_and_no_other() {
        let ratios = [ratio("linetape route", 5.0), ratio("linetape x", 2.0)];
        let text = Floors::default().updated("avx2", &ratios);
        let floors = Floors::parse(&text).unwrap();
        assert!(floors.has("avx2") && !floors.has("sse2"));
        assert!(!floors.is_below("avx2", &ratio("linetape route", 3.01)));
        assert!(floors.is_below("avx2", &ratio("linetape route", 2.99)));
        assert!(!floors.is_below("avx2", &ratio("linetape x", 1.21)));
        assert!(!floors.is_below("sse2", &ratio("linetape route", 0.1)));
        let table = table("avx2", &floors, &[ratio("linetape route", 1.0)]);
        assert!(table.contains("| 1.00 | 3.00 | **too slow** |"), "{table}");
    }

    #[test]
    fn an_update_leaves_other_kernels_alone() {
        let floors = Floors::default();
        let one = floors.updated("avx2", &[ratio("linetape route", 5.0)]);
        let two = Floors::parse(&one).unwrap();
        let two = two.updated("sse2", &[ratio("linetape route", 2.0)]);
        let again = Floors::parse(&two).unwrap();
        let again = again.updated("avx2", &[ratio("linetape route", 10.0)]);
        let floors = Floors::parse(&again).unwrap();
        assert!(floors.is_below("avx2", &ratio("linetape route", 5.9)));
        assert!(!floors.is_below("sse2", &ratio("linetape route", 1.3)));
    }

    #[test]
    fn a_broken_file_is_refused() {
        for line in ["a\tb", "a\tb\tc\td\tx", "a b c d 1.0"] {
            assert!(Floors::parse(&format!("{HEAD}{line}\n")).is_err());
        }
    }
}
