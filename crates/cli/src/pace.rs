//! How often a state is saved while logs are followed.

use std::time::{Duration, Instant};

/// Saving takes at most 1/SHARE of the time.
const SHARE: u32 = 20;

/// The longest time between two saves.
const MOST: Duration = Duration::from_secs(10);

/// The shortest time between two saves while there is more to read.
const BEHIND: Duration = Duration::from_secs(1);

/// When the last save ended, or the run began, and how long the save took.
pub struct Pace {
    since: Instant,
    cost: Duration,
}

impl Pace {
    /// Begins a run.
    pub fn new(now: Instant) -> Pace {
        Pace { since: now, cost: Duration::ZERO }
    }

    /// Returns whether it is time to save. The whole state is written each
    /// time, so a large one is written less often.
    pub fn is_due(&self, now: Instant, is_behind: bool) -> bool {
        let least = if is_behind { BEHIND } else { Duration::ZERO };
        let wait = (self.cost * SHARE).clamp(least, MOST);
        now.saturating_duration_since(self.since) >= wait
    }

    /// Notes when a save began and ended.
    pub fn saved(&mut self, begun: Instant, ended: Instant) {
        self.since = ended;
        self.cost = ended.saturating_duration_since(begun).min(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state was written at each pause, however large it was, and never
    /// if there was no pause.
    #[test]
    fn a_large_state_is_saved_less_often() {
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        let mut pace = Pace::new(begun);
        assert!(pace.is_due(begun, false));
        assert!(!pace.is_due(at(999), true) && pace.is_due(at(1000), true));
        pace.saved(at(0), at(100));
        assert!(!pace.is_due(at(2099), false) && pace.is_due(at(2100), false));
        pace.saved(at(5000), at(5001));
        assert!(!pace.is_due(at(5020), false) && pace.is_due(at(5021), false));
        assert!(!pace.is_due(at(6000), true) && pace.is_due(at(6001), true));
        pace.saved(at(0), at(60_000));
        assert!(pace.is_due(at(70_000), false));
        assert!(!pace.is_due(at(69_999), true));
    }
}
