#[cfg(feature = "serde")]
use std::collections::BTreeMap;
use std::{
    iter::{FusedIterator, Sum},
    ops::{Add, AddAssign},
};

#[cfg(feature = "serde")]
use serde::ser::SerializeStruct;

use crate::error::ErrorKind;

/// Counts of the lines, bytes and errors that a reader has seen so far.
///
/// # Example
///
/// This counts the lines of a small log.
///
/// ```
/// let mut lines = linetape::lines(b"{\"a\":1}\n\n{}\r\n");
/// while lines.next_line().is_some() {}
///
/// let stats = lines.stats();
/// assert_eq!(stats.lines, 3);
/// assert_eq!(stats.blank, 1);
/// assert_eq!(stats.bytes, 13);
/// assert_eq!(stats.longest_line, 7);
/// assert_eq!(stats.errors.total(), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of physical lines, including blank and discarded ones.
    pub lines: u64,
    /// The number of bytes in those lines, including terminators and a BOM.
    pub bytes: u64,
    /// The number of blank lines, which consist only of spaces, tabs and
    /// carriage returns. They are skipped.
    pub blank: u64,
    /// The number of lines that do not begin with a brace, if
    /// [`skip_noise`](crate::ReaderBuilder::skip_noise) is set.
    pub noise: u64,
    /// The number of lines that were skipped because they belong to a
    /// [JSON document over several lines](crate::Reader#json-over-several-lines).
    pub document_lines: u64,
    /// The number of records recovered from damaged lines, if
    /// [`salvage`](crate::ReaderBuilder::salvage) is set.
    pub salvaged: u64,
    /// The number of bytes of those lines that belong to no record, without
    /// the whitespace between records.
    pub lost: u64,
    /// The length of the longest line, without its terminator. A line over the
    /// limit counts with all its bytes up to the LF.
    pub longest_line: u64,
    /// The number of errors of each kind: one for each line that failed, and
    /// one if the source failed. A source that has no data yet (`WouldBlock`,
    /// `TimedOut`) does not count.
    pub errors: ErrorCounts,
}

/// Adds the counts of another stream, up to the largest number.
/// `longest_line` becomes the maximum.
impl AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.lines = self.lines.saturating_add(other.lines);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.blank = self.blank.saturating_add(other.blank);
        self.noise = self.noise.saturating_add(other.noise);
        let lines = self.document_lines.saturating_add(other.document_lines);
        self.document_lines = lines;
        self.salvaged = self.salvaged.saturating_add(other.salvaged);
        self.lost = self.lost.saturating_add(other.lost);
        self.longest_line = self.longest_line.max(other.longest_line);
        for (mine, theirs) in
            self.errors.counts.iter_mut().zip(other.errors.counts)
        {
            *mine = mine.saturating_add(theirs);
        }
    }
}

/// Adds like [`AddAssign`].
impl Add for Stats {
    type Output = Stats;

    fn add(mut self, other: Stats) -> Stats {
        self += other;
        self
    }
}

impl Sum for Stats {
    fn sum<I: Iterator<Item = Stats>>(all: I) -> Stats {
        all.fold(Stats::default(), Add::add)
    }
}

/// The number of errors of each kind.
///
/// # Example
///
/// This lists the kinds that occurred.
///
/// ```
/// use linetape::{ErrorKind, Reader};
///
/// let log = &b"{\"much\":\"too long\"}\n"[..];
/// let mut reader = Reader::builder().max_line(9).build(log);
/// while reader.next_line().is_some() {}
///
/// let errors = reader.stats().errors;
/// assert_eq!(errors.get(ErrorKind::LineTooLong), 1);
/// for (kind, count) in &errors {
///     println!("{kind}: {count}");
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounts {
    /// The counts, in the order of `ErrorKind::ALL`.
    counts: [u64; ErrorKind::ALL.len()],
}

impl ErrorCounts {
    /// Returns the total number of errors.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the number of errors of one kind.
    pub fn get(&self, kind: ErrorKind) -> u64 {
        let count = self.counts.get(kind as usize);
        debug_assert!(count.is_some(), "every kind has a count");
        count.copied().unwrap_or(0)
    }

    /// Returns an iterator over the kinds that occurred, with their counts.
    pub fn iter(&self) -> ErrorCountsIter {
        self.into_iter()
    }

    pub(crate) fn count(&mut self, kind: ErrorKind) {
        if let Some(count) = self.counts.get_mut(kind as usize) {
            *count += 1;
        }
    }
}

/// Serialises all fields by name.
#[cfg(feature = "serde")]
impl serde::Serialize for Stats {
    fn serialize<S: serde::Serializer>(
        &self,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let mut stats = to.serialize_struct("Stats", 9)?;
        stats.serialize_field("lines", &self.lines)?;
        stats.serialize_field("bytes", &self.bytes)?;
        stats.serialize_field("blank", &self.blank)?;
        stats.serialize_field("noise", &self.noise)?;
        stats.serialize_field("document_lines", &self.document_lines)?;
        stats.serialize_field("salvaged", &self.salvaged)?;
        stats.serialize_field("lost", &self.lost)?;
        stats.serialize_field("longest_line", &self.longest_line)?;
        stats.serialize_field("errors", &self.errors)?;
        stats.end()
    }
}

/// Serialises as `{"total":3,"by_kind":{"syntax":3}}`, with the kinds that
/// occurred.
#[cfg(feature = "serde")]
impl serde::Serialize for ErrorCounts {
    fn serialize<S: serde::Serializer>(
        &self,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let by_kind: BTreeMap<_, _> = self.iter().collect();
        let mut errors = to.serialize_struct("ErrorCounts", 2)?;
        errors.serialize_field("total", &self.total())?;
        errors.serialize_field("by_kind", &by_kind)?;
        errors.end()
    }
}

/// Iterates like [`ErrorCounts::iter`].
impl IntoIterator for &ErrorCounts {
    type Item = (ErrorKind, u64);
    type IntoIter = ErrorCountsIter;

    fn into_iter(self) -> ErrorCountsIter {
        ErrorCountsIter { counts: *self, next: 0 }
    }
}

/// An iterator over the kinds of errors that occurred, with their counts. It
/// is created by [`ErrorCounts::iter`].
///
/// # Example
///
/// This formats the counts.
///
/// ```
/// let mut lines = linetape::lines(b"oops\n");
/// lines.next_record();
/// for (kind, count) in &lines.stats().errors {
///     assert_eq!(format!("{kind}: {count}"), "not_an_object: 1");
/// }
/// ```
#[derive(Clone, Debug)]
pub struct ErrorCountsIter {
    counts: ErrorCounts,
    next: usize,
}

impl Iterator for ErrorCountsIter {
    type Item = (ErrorKind, u64);

    fn next(&mut self) -> Option<(ErrorKind, u64)> {
        loop {
            let kind = *ErrorKind::ALL.get(self.next)?;
            self.next += 1;
            let count = self.counts.get(kind);
            if count > 0 {
                return Some((kind, count));
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = ErrorKind::ALL.iter().skip(self.next);
        let count = rest.filter(|kind| self.counts.get(**kind) > 0).count();
        (count, Some(count))
    }
}

impl ExactSizeIterator for ErrorCountsIter {}

impl FusedIterator for ErrorCountsIter {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_say_what_there_was() {
        let mut errors = ErrorCounts::default();
        errors.count(ErrorKind::Syntax);
        errors.count(ErrorKind::Utf8);
        errors.count(ErrorKind::Utf8);
        let one = Stats {
            lines: 1,
            bytes: 2,
            blank: 3,
            noise: 4,
            document_lines: 8,
            salvaged: 5,
            lost: 6,
            longest_line: 7,
            errors,
        };
        let mut sum = one;
        sum += Stats { longest_line: 6, ..one };
        assert_eq!(
            [one, Stats { longest_line: 6, ..one }].into_iter().sum::<Stats>(),
            sum
        );
        let Stats { lines, bytes, blank, noise, salvaged, lost, .. } = sum;
        let counts = [lines, bytes, blank, noise, salvaged, lost];
        assert_eq!(counts, [2, 4, 6, 8, 10, 12]);
        assert_eq!((sum.longest_line, sum.document_lines), (7, 16));
        let mut found: Vec<_> = sum.errors.iter().collect();
        found.sort_by_key(|(_, count)| *count);
        assert_eq!(found, [(ErrorKind::Syntax, 2), (ErrorKind::Utf8, 4)]);
        let mut rest = sum.errors.iter();
        assert_eq!((rest.len(), rest.next().is_some()), (2, true));
        assert_eq!(rest.len(), 1);
        assert_eq!(sum.errors.total(), 6);
        assert_eq!(sum.errors.get(ErrorKind::Depth), 0);
    }
    #[cfg(feature = "serde")]
    #[test]
    fn counts_serialise_with_the_names_of_reports() {
        let mut stats = Stats { lines: 3, lost: 1, ..Stats::default() };
        stats.errors.count(ErrorKind::Utf8);
        stats.errors.count(ErrorKind::Syntax);
        stats.errors.count(ErrorKind::Syntax);
        let expected = serde_json::json!({
            "lines": 3,
            "bytes": 0,
            "blank": 0,
            "noise": 0,
            "document_lines": 0,
            "salvaged": 0,
            "lost": 1,
            "longest_line": 0,
            "errors": {"total": 3, "by_kind": {"syntax": 2, "utf8": 1}},
        });
        assert_eq!(serde_json::to_value(stats).unwrap(), expected);
    }
}
