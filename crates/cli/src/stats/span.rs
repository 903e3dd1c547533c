//! The first and the last timestamp.

use linetape_session::Facts;
use serde::{Deserialize, Serialize};

use crate::time::instant;

/// The first and the last of some timestamps.
#[derive(Default, Serialize, Deserialize)]
pub struct Span {
    pub first: Option<Moment>,
    pub last: Option<Moment>,
}

/// A timestamp, as the log writes it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Moment {
    milliseconds: i64,
    pub text: String,
}

impl Span {
    /// Adds the timestamp of a message. An invalid one is ignored.
    pub fn add(&mut self, facts: &Facts<'_>) {
        let Some(text) = facts.timestamp() else { return };
        if let Some(milliseconds) = facts.time().or_else(|| instant(text)) {
            self.note(milliseconds, text);
        }
    }

    fn note(&mut self, milliseconds: i64, text: &str) {
        let is_first = |m: &Moment| milliseconds < m.milliseconds;
        if self.first.as_ref().is_none_or(is_first) {
            let text = text.to_string();
            self.first = Some(Moment { milliseconds, text });
        }
        let last = self.last.get_or_insert_default();
        // Most timestamps are later than the last one: this reuses its
        // string.
        if last.text.is_empty() || milliseconds > last.milliseconds {
            last.milliseconds = milliseconds;
            last.text.clear();
            last.text.push_str(text);
        }
    }

    pub fn append(&mut self, later: &Span) {
        for moment in [&later.first, &later.last].into_iter().flatten() {
            self.note(moment.milliseconds, &moment.text);
        }
    }
}
