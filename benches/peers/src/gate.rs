//! The gate: fails when linetape has become slower relative to serde_json. For
//! finding lines, the standard library takes the place of serde_json.
//!
//! Floors are kept in a small file, one per line and separated by tabs:
//!
//! ```text
//! kernel  job  data                  engine          floor
//! avx512  J1   generated/transcript  linetape route  2.31
//! ```
//!
//! A floor is a fraction of a measured ratio, low enough that neither a noisy
//! machine nor another one with the same kernel fails the gate: one engine was
//! measured at half its usual ratio for a whole run, with unchanged
//! instruction counts. So the gate detects slowdowns beyond that, and the
//! instruction counts detect the others.

use std::fmt::Write;

use crate::{
    jobs::Job,
    report::{Row, Table},
};

/// A floor is this fraction of a measured ratio.
const PART: f64 = 0.4;

const HEAD: &str = "kernel\tjob\tdata\tengine\tfloor\n";

/// The speed of an engine of linetape divided by that of serde_json.
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

impl Floor {
    /// Returns whether this is the floor of a ratio, for any kernel.
    fn is_of(&self, ratio: &Ratio) -> bool {
        self.job == ratio.job.name()
            && self.data == ratio.data
            && self.engine == ratio.engine
    }
}

/// The minimum of a ratio.
#[derive(Debug, Default, PartialEq)]
pub struct Floors(Vec<Floor>);

impl Floors {
    pub fn parse(text: &str) -> Result<Floors, String> {
        let Some(lines) = text.strip_prefix(HEAD) else {
            return Err(format!("the first line is not `{}`", HEAD.trim()));
        };
        let mut floors = vec![];
        for line in lines.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let &[kernel, job, data, engine, floor] = &cells[..] else {
                return Err(format!("not five cells: `{line}`"));
            };
            let floor = floor.parse().ok();
            let is_good = |floor: &f64| floor.is_finite() && *floor > 0.0;
            let Some(floor) = floor.filter(is_good) else {
                return Err(format!("not a ratio: `{line}`"));
            };
            let [kernel, job, data, engine] =
                [kernel, job, data, engine].map(str::to_owned);
            floors.push(Floor { kernel, job, data, engine, floor });
        }
        Ok(Floors(floors))
    }

    /// Returns the errors of the ratios of some jobs: ratios that are too low,
    /// ratios without a floor, and floors without a ratio, since otherwise a
    /// renamed engine would pass.
    pub fn complaints(
        &self,
        kernel: &str,
        jobs: &[Job],
        ratios: &[Ratio],
    ) -> Vec<String> {
        let mut complaints = vec![];
        for ratio in ratios {
            let Ratio { job, data, engine, ratio: found } = ratio;
            let what = format!("{} {data} {engine}", job.name());
            match self.of(kernel, ratio) {
                None => complaints.push(format!("{what}: no floor")),
                Some(floor) if *found < floor => complaints
                    .push(format!("{what}: {found:.2} is below {floor:.2}")),
                Some(_) => {}
            }
        }
        let wanted = |floor: &&Floor| {
            floor.kernel == kernel
                && jobs.iter().any(|job| job.name() == floor.job)
        };
        for floor in self.0.iter().filter(wanted) {
            let measured = ratios.iter().any(|ratio| floor.is_of(ratio));
            if !measured {
                let Floor { job, data, engine, .. } = floor;
                complaints
                    .push(format!("{job} {data} {engine}: not measured"));
            }
        }
        complaints
    }

    fn of(&self, kernel: &str, ratio: &Ratio) -> Option<f64> {
        let is = |floor: &&Floor| floor.kernel == kernel && floor.is_of(ratio);
        self.0.iter().find(is).map(|floor| floor.floor)
    }

    pub fn is_below(&self, kernel: &str, ratio: &Ratio) -> bool {
        self.of(kernel, ratio).is_some_and(|floor| ratio.ratio < floor)
    }

    /// Returns the same file with new floors for this kernel and these jobs.
    pub fn updated(
        mut self,
        kernel: &str,
        jobs: &[Job],
        ratios: &[Ratio],
    ) -> String {
        self.0.retain(|floor| {
            floor.kernel != kernel
                || jobs.iter().all(|job| job.name() != floor.job)
        });
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

/// The engine that a job is compared with.
fn peer(job: Job) -> &'static str {
    match job {
        Job::Lines => "BufRead::read_until",
        Job::Check => "serde_json IgnoredAny",
        Job::Route | Job::Usage | Job::Select => "serde_json typed, borrowed",
        Job::Text => "serde_json Value",
        Job::Own => "serde_json, same types",
    }
}

/// Returns the ratios of a table. Fails if an engine is missing.
pub fn ratios(table: &Table<'_>) -> Result<Vec<Ratio>, String> {
    let (job, peer) = (table.job, peer(table.job));
    let other = table.rows.iter().find(|row| row.engine == peer);
    let Some(other) = other else {
        return Err(format!("{}: there is no `{peer}`", job.name()));
    };
    let ours: Vec<_> = table.rows.iter().filter(|row| row.ours).collect();
    if ours.is_empty() {
        return Err(format!("{}: linetape does not do it", job.name()));
    }
    let ratio = |row: &&Row| Ratio {
        job,
        data: table.data.name.to_owned(),
        engine: row.engine.to_owned(),
        ratio: other.seconds / row.seconds,
    };
    Ok(ours.iter().map(ratio).collect())
}

/// Returns the result as Markdown.
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
        let (job, against) = (job.name(), peer(*job));
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
    use crate::data;

    const JOBS: &[Job] = &[Job::Route];

    fn ratio(engine: &str, ratio: f64) -> Ratio {
        let (data, engine) = ("stream".to_owned(), engine.to_owned());
        Ratio { job: Job::Route, data, engine, ratio }
    }

    fn floors(kernel: &str, ratios: &[Ratio]) -> Floors {
        let text = Floors::default().updated(kernel, JOBS, ratios);
        Floors::parse(&text).unwrap()
    }

    #[test]
    fn a_ratio_below_its_floor_is_found_and_no_other() {
        let of = floors("avx2", &[ratio("ours", 5.0), ratio("too", 2.0)]);
        let say = |ratios: &[Ratio]| of.complaints("avx2", JOBS, ratios);
        assert!(say(&[ratio("ours", 2.01), ratio("too", 0.81)]).is_empty());
        assert_eq!(
            say(&[ratio("ours", 1.99), ratio("too", 0.81)]),
            ["J1 stream ours: 1.99 is below 2.00"]
        );
        let table = table("avx2", &of, &[ratio("ours", 1.0)]);
        assert!(table.contains("| 1.00 | 2.00 | **too slow** |"), "{table}");
    }

    #[test]
    fn what_has_no_floor_or_no_ratio_does_not_pass() {
        let of = floors("avx2", &[ratio("ours", 5.0)]);
        assert_eq!(
            of.complaints("avx2", JOBS, &[ratio("renamed", 5.0)]),
            ["J1 stream renamed: no floor", "J1 stream ours: not measured"]
        );
        // Jobs that were not requested may be missing.
        assert!(of.complaints("avx2", &[Job::Text], &[]).is_empty());
    }

    #[test]
    fn an_update_leaves_other_kernels_and_jobs_alone() {
        let of = floors("avx2", &[ratio("ours", 5.0)]);
        let text = of.updated("sse2", JOBS, &[ratio("ours", 2.0)]);
        let text = Floors::parse(&text).unwrap().updated(
            "avx2",
            &[Job::Text],
            &[Ratio { job: Job::Text, ..ratio("ours", 10.0) }],
        );
        let of = Floors::parse(&text).unwrap();
        assert_eq!(of.of("avx2", &ratio("ours", 0.0)), Some(2.0));
        assert_eq!(of.of("sse2", &ratio("ours", 0.0)), Some(0.8));
        let text = Ratio { job: Job::Text, ..ratio("ours", 0.0) };
        assert_eq!(of.of("avx2", &text), Some(4.0));
    }

    #[test]
    fn a_broken_file_is_refused() {
        for line in
            ["a\tb", "a\tb\tc\td\tx", "a\tb\tc\td\tNaN", "a\tb\tc\td\t-1"]
        {
            assert!(Floors::parse(&format!("{HEAD}{line}\n")).is_err());
        }
        assert!(Floors::parse("").is_err());
        assert!(Floors::parse("avx2\tJ1\tstream\tours\t1.00\n").is_err());
    }

    #[test]
    fn ratios_are_above_one_where_linetape_is_ahead() {
        let [data, _] = data::generated(1);
        let row = |engine, ours, seconds| Row {
            engine,
            ours,
            seconds,
            answer: String::new(),
            agrees: true,
        };
        let mut table = Table {
            job: Job::Route,
            data: &data,
            rows: vec![row("linetape route", true, 0.5)],
        };
        assert!(ratios(&table).is_err(), "there is nothing to compare with");
        table.rows.push(row(peer(Job::Route), false, 2.0));
        let found = ratios(&table).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (&*found[0].engine, found[0].ratio),
            ("linetape route", 4.0)
        );
        table.rows.remove(0);
        assert!(ratios(&table).is_err(), "linetape is not there");
    }
}
