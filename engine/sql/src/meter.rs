use std::{
    collections::{BTreeSet, HashMap},
    ops::AddAssign,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// Counts what queries read. Clones share their counts.
///
/// # Example
///
/// This shows the counts of a context before its first query.
///
/// ```
/// let meter = linetape_sql::Meter::default();
/// assert_eq!((meter.expected(), meter.read()), (0, 0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    expected: AtomicU64,
    read: AtomicU64,
    open: AtomicU64,
    /// For each set of logs, the problems that its scans have found.
    problems: Mutex<HashMap<String, Found>>,
    /// The problems that the tasks of a cluster have found. Each task is a part of
    /// a scan.
    problems_of_tasks: ScanProblems,
    causes: Mutex<Causes>,
}

/// What queries could not read.
///
/// # Example
///
/// This shows the problems of a context before its first query.
///
/// ```
/// let problems = linetape_sql::Meter::default().problems();
/// assert_eq!((problems.bad_lines, problems.cut_files), (0, 0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problems {
    /// The number of lines that could not be read, or only in part.
    pub bad_lines: u64,
    /// The number of files that could not be read to the end, for example because
    /// they are compressed and were cut off. How many lines are missing is not known.
    /// If a checksum was wrong, the rows of the file may be wrong too.
    pub cut_files: u64,
    /// Why the files counted in `cut_files` could not be read to the end: the file, the
    /// place and the error of each. At most ten, the first in alphabetical order.
    pub causes: Vec<String>,
}

/// The numbers of [`Problems`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) bad_lines: u64,
    pub(crate) cut_files: u64,
}

impl Numbers {
    pub(crate) fn max(self, other: Numbers) -> Numbers {
        Numbers {
            bad_lines: self.bad_lines.max(other.bad_lines),
            cut_files: self.cut_files.max(other.cut_files),
        }
    }

    pub(crate) fn with(self, causes: Causes) -> Problems {
        let Numbers { bad_lines, cut_files } = self;
        let causes = causes.0.into_iter().collect();
        Problems { bad_lines, cut_files, causes }
    }
}

impl AddAssign for Numbers {
    fn add_assign(&mut self, other: Numbers) {
        self.bad_lines += other.bad_lines;
        self.cut_files += other.cut_files;
    }
}

/// Why files could not be read to the end: the first ten in alphabetical order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Causes(BTreeSet<String>);

impl Causes {
    const MAX: usize = 10;

    pub(crate) fn add(&mut self, cause: &str) {
        self.0.insert(cause.to_string());
        if self.0.len() > Causes::MAX {
            self.0.pop_last();
        }
    }
}

/// The problems of a set of logs. A query may scan it several times, so these
/// counts are not added up.
#[derive(Debug, Default)]
struct Found {
    /// The scans that may still go on.
    scans: Vec<ScanProblems>,
    /// The most that a scan has found which has ended.
    most: Numbers,
}

impl Found {
    fn most(&self) -> Numbers {
        let counts = self.scans.iter().map(ScanProblems::get);
        counts.fold(self.most, Numbers::max)
    }
}

const RELAXED: Ordering = Ordering::Relaxed;

/// Counts the problems of one scan. Clones share the counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScanProblems(Arc<ProblemCounts>);

#[derive(Debug, Default)]
struct ProblemCounts {
    bad_lines: AtomicU64,
    cut_files: AtomicU64,
}

impl ScanProblems {
    pub(crate) fn add(&self, found: Numbers) {
        self.0.bad_lines.fetch_add(found.bad_lines, RELAXED);
        self.0.cut_files.fetch_add(found.cut_files, RELAXED);
    }

    fn get(&self) -> Numbers {
        Numbers {
            bad_lines: self.0.bad_lines.load(RELAXED),
            cut_files: self.0.cut_files.load(RELAXED),
        }
    }
}

impl Meter {
    /// Returns the size of all files that queries have planned to read, in
    /// bytes.
    pub fn expected(&self) -> u64 {
        self.0.expected.load(RELAXED)
    }

    /// Returns the number of bytes read so far, compressed or not.
    pub fn read(&self) -> u64 {
        self.0.read.load(RELAXED)
    }

    /// Returns what could not be read. A line or a file counts once, even if
    /// queries read it several times. If they need different columns or lines,
    /// they may not notice the same problems: the query that noticed most counts.
    pub fn problems(&self) -> Problems {
        let found = self.0.problems.lock();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let mut all = self.0.problems_of_tasks.get();
        found.values().for_each(|found| all += found.most());
        let causes = self.0.causes.lock();
        all.with(causes.unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Notes why a file could not be read to the end.
    pub(crate) fn add_cause(&self, cause: &str) {
        let causes = self.0.causes.lock();
        causes.unwrap_or_else(PoisonError::into_inner).add(cause);
    }

    /// Returns where a task of a cluster counts its problems.
    #[cfg(feature = "cluster")]
    pub(crate) fn task(&self) -> ScanProblems {
        self.0.problems_of_tasks.clone()
    }

    /// Returns where a scan of some logs counts its problems.
    pub(crate) fn scan(&self, logs: &str) -> ScanProblems {
        let found = self.0.problems.lock();
        let mut found = found.unwrap_or_else(PoisonError::into_inner);
        let found = found.entry(logs.to_string()).or_default();
        // Nobody else has the counts of scans that have ended.
        found.most = found.most();
        found.scans.retain(|scan| Arc::strong_count(&scan.0) > 1);
        let scan = ScanProblems::default();
        found.scans.push(scan.clone());
        scan
    }

    /// Returns how many files and ranges of files are being read at this
    /// moment.
    pub fn open(&self) -> u64 {
        self.0.open.load(RELAXED)
    }

    /// Counts a file or a range as open until the returned value is dropped.
    pub(crate) fn opened(&self) -> Opened {
        self.0.open.fetch_add(1, RELAXED);
        Opened(self.clone())
    }

    pub(crate) fn expect(&self, bytes: u64) {
        self.0.expected.fetch_add(bytes, RELAXED);
    }

    pub(crate) fn add_read(&self, bytes: usize) {
        self.0.read.fetch_add(bytes as u64, RELAXED);
    }
}

/// A file or a range that is being read.
pub(crate) struct Opened(Meter);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.0.open.fetch_sub(1, RELAXED);
    }
}
