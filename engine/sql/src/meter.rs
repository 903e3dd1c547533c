use std::{
    collections::HashMap,
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
/// assert_eq!((meter.read(), meter.bad_lines()), (0, 0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    expected: AtomicU64,
    read: AtomicU64,
    open: AtomicU64,
    /// For each set of logs, the bad lines that its scans have found.
    bad_lines: Mutex<HashMap<String, Found>>,
    /// The bad lines that the tasks of a cluster have found. Each task is a part
    /// of a scan.
    bad_lines_of_tasks: BadLines,
}

/// The bad lines of a set of logs. A query may scan it several times, so these
/// counts are not added up.
#[derive(Debug, Default)]
struct Found {
    /// The scans that may still go on.
    scans: Vec<Arc<AtomicU64>>,
    /// The most that a scan has found which has ended.
    most: u64,
}

impl Found {
    fn most(&self) -> u64 {
        let counts = self.scans.iter().map(|scan| scan.load(RELAXED));
        counts.max().unwrap_or(0).max(self.most)
    }
}

const RELAXED: Ordering = Ordering::Relaxed;

/// Counts the bad lines of one scan. Clones share the count.
#[derive(Clone, Debug, Default)]
pub(crate) struct BadLines(Arc<AtomicU64>);

impl BadLines {
    pub(crate) fn add(&self, lines: u64) {
        self.0.fetch_add(lines, RELAXED);
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

    /// Returns the number of lines that could not be read. A line counts once,
    /// even if queries read it several times. If they need different columns or
    /// lines, they may not notice the same ones: the one that noticed most
    /// counts.
    pub fn bad_lines(&self) -> u64 {
        let found = self.0.bad_lines.lock();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let of_scans: u64 = found.values().map(Found::most).sum();
        of_scans + self.0.bad_lines_of_tasks.0.load(RELAXED)
    }

    /// Returns where a scan of some logs counts bad lines. Without logs, it is
    /// a task of a cluster.
    pub(crate) fn scan(&self, logs: Option<String>) -> BadLines {
        let Some(logs) = logs else {
            return self.0.bad_lines_of_tasks.clone();
        };
        let found = self.0.bad_lines.lock();
        let mut found = found.unwrap_or_else(PoisonError::into_inner);
        let found = found.entry(logs).or_default();
        // Nobody else has the counts of scans that have ended.
        found.most = found.most();
        found.scans.retain(|scan| Arc::strong_count(scan) > 1);
        let scan = BadLines::default();
        found.scans.push(Arc::clone(&scan.0));
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
