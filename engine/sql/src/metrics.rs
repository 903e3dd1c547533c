//! The problems of a scan as metrics of its plan. A cluster reports them to its client.

#[cfg(feature = "cluster")]
use std::collections::HashMap;

use datafusion::physical_plan::metrics::{
    Count, ExecutionPlanMetricsSet, MetricBuilder,
};

#[cfg(feature = "cluster")]
use crate::meter::{Causes, Problems};
use crate::{ends::hash, meter::Numbers};

const BAD_LINES: &str = "bad_lines";
const CUT_FILES: &str = "cut_files";

/// The metrics of a partition of a scan.
#[derive(Clone)]
pub(crate) struct Counts {
    bad_lines: Count,
    cut_files: Count,
    task: Option<Task>,
}

/// A part of a scan, on an executor of a cluster.
#[derive(Clone)]
struct Task {
    metrics: ExecutionPlanMetricsSet,
    partition: usize,
    /// Identifies the logs.
    logs: u64,
}

impl Counts {
    /// Creates metrics. `logs_of_task` identifies the logs that a task of a cluster reads;
    /// it is `None` in one process.
    pub(crate) fn new(
        metrics: &ExecutionPlanMetricsSet,
        partition: usize,
        logs_of_task: Option<&str>,
    ) -> Counts {
        let count =
            |name| MetricBuilder::new(metrics).counter(name, partition);
        Counts {
            bad_lines: count(BAD_LINES),
            cut_files: count(CUT_FILES),
            task: logs_of_task.map(|logs| Task {
                metrics: metrics.clone(),
                partition,
                logs: hash(logs.as_bytes()),
            }),
        }
    }

    pub(crate) fn is_task(&self) -> bool {
        self.task.is_some()
    }

    /// Adds the problems of a file, or of the range of it that begins at `start`, and
    /// records why it could not be read to the end.
    pub(crate) fn add(
        &self,
        found: Numbers,
        file: &str,
        start: u64,
        cause: &str,
    ) {
        let number = |count| usize::try_from(count).unwrap_or(usize::MAX);
        self.bad_lines.add(number(found.bad_lines));
        self.cut_files.add(number(found.cut_files));
        let Some(Task { metrics, partition, logs }) = &self.task else {
            return;
        };
        let range = hash(format!("{start} {file}").as_bytes());
        for (name, count, cause) in [
            (BAD_LINES, found.bad_lines, ""),
            (CUT_FILES, found.cut_files, cause),
        ] {
            if count > 0 {
                let name =
                    format!("{name} of {logs:016x} in {range:016x}: {cause}");
                let metric = MetricBuilder::new(metrics);
                metric.counter(name, *partition).add(number(count));
            }
        }
    }
}

/// Returns the problems of a query. Each scan is given as the names and values of its
/// metrics.
///
/// As in one process, the problems of different logs are added up. If the same logs are
/// scanned several times, the largest number is used. In a scan, a range may have been
/// read by several tasks, and Ballista may list a metric several times.
#[cfg(feature = "cluster")]
pub(crate) fn problems<'a>(
    scans: impl Iterator<Item = Vec<(&'a str, u64)>>,
) -> Problems {
    let mut causes = Causes::default();
    let mut most: HashMap<&str, Numbers> = HashMap::new();
    for scan in scans {
        let mut ranges: HashMap<(&str, &str), Numbers> = HashMap::new();
        for (name, value) in scan {
            let Some((name, of)) = name.split_once(" of ") else { continue };
            let Some((logs, of)) = of.split_once(" in ") else { continue };
            let Some((range, cause)) = of.split_once(": ") else { continue };
            let found = match name {
                BAD_LINES => Numbers { bad_lines: value, cut_files: 0 },
                CUT_FILES => Numbers { bad_lines: 0, cut_files: value },
                _ => continue,
            };
            if !cause.is_empty() {
                causes.add(cause);
            }
            let range = ranges.entry((logs, range)).or_default();
            *range = range.max(found);
        }
        let mut found: HashMap<&str, Numbers> = HashMap::new();
        for ((logs, _), problems) in ranges {
            *found.entry(logs).or_default() += problems;
        }
        for (logs, found) in found {
            let most = most.entry(logs).or_default();
            *most = most.max(found);
        }
    }
    let mut all = Numbers::default();
    most.into_values().for_each(|found| all += found);
    all.with(causes)
}
