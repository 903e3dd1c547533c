//! Times, as logs state them, and as someone writes them on the command line.

use linetape::timestamp::milliseconds;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// The milliseconds since 1970 of a time. Without an offset it is UTC.
pub fn instant(text: &str) -> Option<i64> {
    milliseconds(text).or_else(|| milliseconds(&format!("{text}Z")))
}

/// The same, as people write it: with a space before the time of day.
fn written(text: &str) -> Option<i64> {
    instant(&text.replacen(' ', "T", 1))
}

/// The beginning of a day of UTC.
fn day(text: &str) -> Option<i64> {
    milliseconds(&format!("{text}T00:00Z"))
}

/// The first millisecond that is meant.
pub fn since(text: &str) -> Result<i64, &'static str> {
    written(text).or_else(|| day(text)).ok_or(EXPECTED)
}

/// The first millisecond that is not meant any more.
pub fn until(text: &str) -> Result<i64, &'static str> {
    let end_of_day = || day(text).map(|day| day + DAY);
    written(text).or_else(end_of_day).ok_or(EXPECTED)
}

const EXPECTED: &str = "expected a time such as 2026-03-02T09:14:07Z or \
    2026-03-02T09:14, or a day such as 2026-03-02";
