//! Times in logs and on the command line.

use linetape::timestamp::milliseconds;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// Parses a time into milliseconds since 1970. Without an offset it is UTC.
pub fn instant(text: &str) -> Option<i64> {
    milliseconds(text).or_else(|| milliseconds(&format!("{text}Z")))
}

/// Like [`instant`], with a space instead of the `T` if there is one.
fn instant_with_space(text: &str) -> Option<i64> {
    instant(&text.replacen(' ', "T", 1))
}

/// Parses a date into its first millisecond, in UTC.
fn day(text: &str) -> Option<i64> {
    milliseconds(&format!("{text}T00:00Z"))
}

/// Parses `--since` into the first millisecond that matches.
pub fn since(text: &str) -> Result<i64, &'static str> {
    instant_with_space(text).or_else(|| day(text)).ok_or(EXPECTED)
}

/// Parses `--until` into the first millisecond that no longer matches.
pub fn until(text: &str) -> Result<i64, &'static str> {
    let end_of_day = || day(text).map(|day| day + DAY);
    instant_with_space(text).or_else(end_of_day).ok_or(EXPECTED)
}

const EXPECTED: &str = "expected a time such as 2026-03-02T09:14:07Z or \
    2026-03-02T09:14, or a day such as 2026-03-02";
