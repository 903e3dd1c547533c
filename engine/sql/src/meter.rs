use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
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
    bad_lines: AtomicU64,
    open: AtomicU64,
}

impl Meter {
    /// Returns the size of all files that queries have planned to read, in
    /// bytes.
    pub fn expected(&self) -> u64 {
        self.0.expected.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes read so far, compressed or not.
    pub fn read(&self) -> u64 {
        self.0.read.load(Ordering::Relaxed)
    }

    /// Returns the number of lines that could not be read. A line counts once
    /// for each table of the query that reads it.
    pub fn bad_lines(&self) -> u64 {
        self.0.bad_lines.load(Ordering::Relaxed)
    }

    /// Returns how many files and ranges of files are being read at this
    /// moment.
    pub fn open(&self) -> u64 {
        self.0.open.load(Ordering::Relaxed)
    }

    /// Counts a file or a range as open until the returned value is dropped.
    pub(crate) fn opened(&self) -> Opened {
        self.0.open.fetch_add(1, Ordering::Relaxed);
        Opened(self.clone())
    }

    pub(crate) fn expect(&self, bytes: u64) {
        self.0.expected.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn add_read(&self, bytes: usize) {
        self.0.read.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn add_bad_lines(&self, lines: u64) {
        self.0.bad_lines.fetch_add(lines, Ordering::Relaxed);
    }
}

/// A file or a range that is being read.
pub(crate) struct Opened(Meter);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}
