//! The report of `linetape stats`, saved and loaded.
//!
//! Usage has its own format. Everything else is a JSON document.

use std::collections::HashSet;

use linetape::{Error, ErrorKind, Stats};
use linetape_session::UsageTotals;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::stats::{
    errors::Errors, kinds::KindCount, links::Links, report::Report, span::Span,
};

impl Report {
    /// Returns the report as a document and the bytes of the usage.
    pub fn save(&self) -> (Value, Vec<u8>) {
        let Stats {
            lines,
            bytes,
            blank,
            noise,
            salvaged,
            lost,
            longest_line,
            ..
        } = self.stats;
        let document = json!({
            "files": self.files,
            "stats": [
                lines, bytes, blank, noise, salvaged, lost, longest_line,
            ],
            "errors": self.errors.save(),
            "kinds": self.kinds.all(),
            "sessions": self.sessions,
            "span": self.span,
            "links": self.links,
        });
        (document, self.usage.save())
    }

    /// Returns a report that was saved.
    ///
    /// # Errors
    ///
    /// When the usage cannot be loaded, or the document is not a report.
    pub fn load(document: &Value, usage: Vec<u8>) -> Result<Report, Error> {
        let wrong = || {
            Error::new(
                ErrorKind::InvalidInput,
                "invalid saved state: it is no report",
            )
        };
        let saved = Saved::deserialize(document).map_err(|_| wrong())?;
        let mut report = Report::default();
        report.files = saved.files;
        let stats = &mut report.stats;
        [
            stats.lines,
            stats.bytes,
            stats.blank,
            stats.noise,
            stats.salvaged,
            stats.lost,
            stats.longest_line,
        ] = saved.stats;
        report.usage = UsageTotals::load_verified(usage)?;
        report.errors = Errors::load(&saved.errors).ok_or_else(wrong)?;
        report.kinds.append(&saved.kinds);
        report.sessions = saved.sessions;
        report.span = saved.span;
        report.links = saved.links;
        Ok(report)
    }
}

/// What [`Report::save`] returns.
#[derive(Deserialize)]
struct Saved {
    files: u64,
    stats: [u64; 7],
    errors: Value,
    kinds: Vec<KindCount>,
    sessions: HashSet<Box<str>>,
    span: Span,
    links: Links,
}
