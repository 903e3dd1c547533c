//! A last line without a newline: when to look at it, and whether it was
//! returned already.

use std::time::{Duration, Instant};

use linetape::BytesLine;

use crate::follow::checkpoint::Fingerprint;

/// What is known about a last line without a newline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    /// When the last byte arrived, and the offset after it.
    since: Instant,
    end: u64,
    /// Whether it has been looked at since then.
    was_tried: bool,
    /// The offset and the fingerprint of the line, if it was returned already.
    handed: Option<(u64, Fingerprint)>,
}

impl Held {
    pub(crate) fn new() -> Held {
        Held { since: Instant::now(), end: 0, was_tried: false, handed: None }
    }

    /// Notes that bytes have been read up to an offset.
    pub(crate) fn read_to(&mut self, end: u64) {
        // A file that is opened again is read again from its last line on.
        if end > self.end {
            let handed = self.handed;
            *self = Held { end, handed, ..Held::new() };
        }
    }

    /// Returns whether it is time to look at the line.
    pub(crate) fn is_due(&self, idle: Duration) -> bool {
        !self.was_tried && self.since.elapsed() >= idle
    }

    /// Returns whether this line was returned before its newline arrived.
    pub(crate) fn has_handed(&self, line: &BytesLine) -> bool {
        self.handed.is_some_and(|(offset, fingerprint)| {
            line.offset() == offset
                && line.as_bytes().len() as u64 == fingerprint.length
                && Fingerprint::of(line.as_bytes()) == fingerprint
        })
    }

    /// Notes that the line is looked at. Returns whether it is of use.
    pub(crate) fn try_once(&mut self) -> bool {
        self.was_tried = true;
        self.handed.is_none()
    }

    /// Notes that the line was returned.
    pub(crate) fn hand(&mut self, line: &BytesLine) {
        self.handed = Some((line.offset(), Fingerprint::of(line.as_bytes())));
    }

    /// Notes that another line follows.
    pub(crate) fn forget(&mut self) {
        self.handed = None;
    }
}
