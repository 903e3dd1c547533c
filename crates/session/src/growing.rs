/*!
Cumulative figures.
*/

/// A cumulative figure. It grows from one report to the next; a report that is
/// lower than the previous one means that it restarted at zero.
#[derive(Clone, Copy, Default)]
pub(crate) struct Growing {
    /// The last report.
    last: Option<f64>,
    /// The sum of the last reports before each restart.
    before: f64,
}

impl Growing {
    /// Adds the next report.
    pub(crate) fn report(&mut self, now: Option<f64>) {
        // Ignores negative figures and NaN.
        let Some(now) = now.filter(|now| *now >= 0.0) else { return };
        if let Some(last) = self.last.filter(|last| now < *last) {
            self.before += last;
        }
        self.last = Some(now);
    }

    /// Returns the sum of all that was counted.
    pub(crate) fn sum(self) -> Option<f64> {
        self.last.map(|last| self.before + last)
    }
}
