/*!
Numbers, durations and times as a person reads them.
*/

use linetape::message::results::ResultMessage;

use crate::chart::plural;

/// Returns how a run ended, in words: its subtype, turns, duration and
/// stated cost. What the line does not state is left out.
///
/// # Example
///
/// This shows the end of a short run.
///
/// ```
/// use linetape::Decoder;
/// use linetape_report::run_figures;
/// use linetape_session::Facts;
///
/// let line = br#"{"type":"result","subtype":"success","num_turns":1,"duration_ms":2500,"total_cost_usd":0.25}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let facts = Facts::of(record.message());
/// let result = facts.run_result().unwrap();
/// let figures = run_figures(result, facts.is_error());
/// assert_eq!(figures, "success, 1 turn, 2.5 s, $0.25");
/// # Ok::<(), linetape::Error>(())
/// ```
pub fn run_figures(result: ResultMessage<'_>, is_error: bool) -> String {
    let ms = result.duration_ms().filter(|ms| *ms >= 0.0);
    let turns = result.num_turns().and_then(|n| u64::try_from(n).ok());
    let figures = [
        result.subtype().map(|subtype| subtype.as_str().to_string()),
        is_error.then(|| "error".to_string()),
        turns.map(|turns| plural(turns, "turn")),
        ms.map(|ms| duration(ms as u64)),
        result.total_cost_usd().map(dollars),
    ];
    let figures: Vec<String> = figures.into_iter().flatten().collect();
    figures.join(", ")
}

/// Returns a count with separators: `1,234,567`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a count with a unit: `812`, `15.2 k`, `18.5 M`.
pub fn short(count: u64) -> String {
    let scaled = |unit: f64| count as f64 / unit;
    match count {
        0..1_000 => count.to_string(),
        1_000..999_950 => format!("{:.1} k", scaled(1e3)),
        999_950..999_950_000 => format!("{:.1} M", scaled(1e6)),
        _ => format!("{:.1} G", scaled(1e9)),
    }
}

/// Returns a size in bytes: `812 B`, `15 KB`.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Returns a duration: `80 ms`, `6.4 s`, `3 min 5 s`, `2 h 10 min`, `1 d 3 h`.
pub fn duration(ms: u64) -> String {
    let (s, min, h) = (ms / 1_000, ms / 60_000, ms / 3_600_000);
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1e3),
        60_000..3_600_000 => format!("{min} min {} s", s % 60),
        3_600_000..86_400_000 => format!("{h} h {} min", min % 60),
        _ => format!("{} d {} h", h / 24, h % 24),
    }
}

/// Returns a cost in US dollars, with cents, or more digits if it is small.
pub fn dollars(cost: f64) -> String {
    match cost.abs() {
        0.0 => "$0".to_string(),
        0.0..0.1 => format!("${cost:.4}"),
        _ => format!("${cost:.2}"),
    }
}

/// A time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utc(pub i64);

impl Utc {
    /// Returns the date: `2026-03-02`.
    pub fn date(self) -> String {
        let (year, month, day) = civil(self.0.div_euclid(86_400_000));
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// Returns the time of day: `09:14`.
    pub fn of_day(self) -> String {
        let minutes = self.0.rem_euclid(86_400_000) / 60_000;
        format!("{:02}:{:02}", minutes / 60, minutes % 60)
    }

    /// Returns date and time for a person.
    pub fn shown(self) -> String {
        format!("{} {}", self.date(), self.of_day())
    }

    /// Returns date and time for a machine.
    pub fn stamp(self) -> String {
        let seconds = self.0.rem_euclid(60_000) / 1_000;
        format!("{}T{}:{seconds:02}Z", self.date(), self.of_day())
    }
}

/// Returns year, month and day of a number of days since 1970, in the
/// proleptic Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    // Eras of 400 years begin on 1 March, so that a leap day is the last one.
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year =
        (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (count, shown) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0 k"),
            (999_949, "999.9 k"),
            (999_950, "1.0 M"),
            (18_500_000, "18.5 M"),
            (u64::MAX, "18446744073.7 G"),
        ] {
            assert_eq!(short(count), shown);
        }
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(123), "123");
    }

    #[test]
    fn durations_have_one_or_two_units() {
        for (ms, shown) in [
            (80, "80 ms"),
            (6_400, "6.4 s"),
            (59_900, "59.9 s"),
            (60_000, "1 min 0 s"),
            (185_000, "3 min 5 s"),
            (7_800_000, "2 h 10 min"),
            (97_200_000, "1 d 3 h"),
        ] {
            assert_eq!(duration(ms), shown);
        }
    }

    #[test]
    fn times_are_those_of_the_parser() {
        let days = [
            "1970-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "2000-02-29T12:30:15Z",
            "2024-12-31T23:59:59Z",
            "2026-03-02T09:14:07Z",
            "2100-03-01T00:00:00Z",
        ];
        for day in days {
            let ms = linetape::timestamp::milliseconds(day).unwrap();
            assert_eq!(Utc(ms).stamp(), day);
        }
    }
}
