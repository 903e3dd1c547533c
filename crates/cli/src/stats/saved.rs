//! The report of `linetape stats`, saved and loaded.
//!
//! Usage has its own format. Everything else is a JSON document.

use linetape::{Error, Stats};
use linetape_session::UsageTotals;
use serde_json::{Value, json};

use crate::stats::{
    errors::Errors, kinds::Kinds, links::Links, report::Report, span::Span,
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
            "stats": [
                lines, bytes, blank, noise, salvaged, lost, longest_line,
            ],
            "errors": self.errors.save(),
            "kinds": self.kinds.save(),
            "sessions": self.sessions,
            "span": self.span.save(),
            "links": self.links.save(),
        });
        (document, self.usage.save())
    }

    /// Returns a report that was saved.
    ///
    /// # Errors
    ///
    /// When the usage cannot be loaded, or the document is not a report.
    pub fn load(document: &Value, usage: Vec<u8>) -> Result<Report, Error> {
        let usage = UsageTotals::load_verified(usage)?;
        read(document, usage)
            .ok_or_else(|| Error::invalid_state("it is no report"))
    }
}

fn read(document: &Value, usage: UsageTotals) -> Option<Report> {
    let mut stats = Stats::default();
    let counts = document["stats"].as_array()?.iter();
    let counts: Option<Vec<u64>> = counts.map(Value::as_u64).collect();
    [
        stats.lines,
        stats.bytes,
        stats.blank,
        stats.noise,
        stats.salvaged,
        stats.lost,
        stats.longest_line,
    ] = counts?.try_into().ok()?;
    let sessions = document["sessions"].as_array()?.iter();
    let sessions = sessions.map(|name| Some(name.as_str()?.into()));
    let mut report = Report::default();
    report.stats = stats;
    report.usage = usage;
    report.errors = Errors::load(&document["errors"])?;
    report.kinds = Kinds::load(&document["kinds"])?;
    report.sessions = sessions.collect::<Option<_>>()?;
    report.span = Span::load(&document["span"])?;
    report.links = Links::load(&document["links"])?;
    Some(report)
}
