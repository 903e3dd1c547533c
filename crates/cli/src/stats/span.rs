use crate::time::instant;

/// From when to when something was.
#[derive(Default)]
pub struct Span {
    pub first: Option<Moment>,
    pub last: Option<Moment>,
}

/// A timestamp, as the log writes it.
#[derive(Clone, Default)]
pub struct Moment {
    milliseconds: i64,
    pub text: String,
}

impl Span {
    /// Takes note of a timestamp. One that says nothing is passed over.
    pub fn add(&mut self, timestamp: &str) {
        if let Some(milliseconds) = instant(timestamp) {
            self.note(milliseconds, timestamp);
        }
    }

    fn note(&mut self, milliseconds: i64, text: &str) {
        let is_first = |m: &Moment| milliseconds < m.milliseconds;
        if self.first.as_ref().is_none_or(is_first) {
            let text = text.to_string();
            self.first = Some(Moment { milliseconds, text });
        }
        let last = self.last.get_or_insert_default();
        // Most lines are later than the one before, and this allocates
        // nothing for them.
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
