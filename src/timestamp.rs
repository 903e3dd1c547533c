/*!
Parsing of ISO 8601 timestamps.
*/

const DAY: i64 = 24 * 60 * 60;

/// Returns a timestamp as milliseconds since the Unix epoch.
///
/// `timestamp` must be a date and time in the extended format of ISO 8601 with
/// a UTC offset, such as `2026-01-31T23:59:59.5+01:00`, in the years 0000 to
/// 9999; `None` otherwise. The seconds are optional. Digits after the
/// milliseconds are ignored. A leap second is read as the first second of the
/// next minute.
///
/// # Example
///
/// This shows how to compute the time between two timestamps.
///
/// ```
/// use linetape::timestamp::milliseconds;
///
/// let asked = milliseconds("2026-01-31T23:59:59.5Z").unwrap();
/// let answered = milliseconds("2026-02-01T01:00:02+01:00").unwrap();
/// assert_eq!(answered - asked, 2_500);
/// assert_eq!(milliseconds("2026-01-31T23:59"), None);
/// ```
pub fn milliseconds(timestamp: &str) -> Option<i64> {
    let (local, offset) = read(timestamp)?;
    Some(local - offset? * 60_000)
}

/// Returns whether `text` is a date and time in the extended format of ISO
/// 8601, with dashes and colons. The seconds and the UTC offset are optional.
pub fn is_iso_8601(text: &str) -> bool {
    read(text).is_some()
}

/// Parses a timestamp into its local time, in milliseconds since 1970-01-01
/// local time, and its UTC offset in minutes. `None` if it is not a timestamp,
/// or if the day or time does not exist.
fn read(timestamp: &str) -> Option<(i64, Option<i64>)> {
    let mut rest = timestamp.as_bytes();
    let year = number(&mut rest, 4)?;
    separator(&mut rest, b"-")?;
    let month = number(&mut rest, 2)?;
    separator(&mut rest, b"-")?;
    let day = number(&mut rest, 2)?;
    separator(&mut rest, b"T")?;
    let hours = number(&mut rest, 2).filter(|hours| *hours < 24)?;
    separator(&mut rest, b":")?;
    let minutes = minutes(&mut rest)?;
    let (mut second, mut thousandths) = (0, 0);
    if separator(&mut rest, b":").is_some() {
        second = number(&mut rest, 2).filter(|second| *second <= 60)?;
        if separator(&mut rest, b".,").is_some() {
            thousandths = fraction(&mut rest)?;
        }
    }
    let offset = match separator(&mut rest, b"Z+-") {
        None => None,
        Some(b'Z') => Some(0),
        Some(sign) => {
            let sign = if sign == b'-' { -1 } else { 1 };
            Some(sign * offset(&mut rest)?)
        }
    };
    let is_day =
        (1..=12).contains(&month) && (1..=days_in(month, year)).contains(&day);
    if !rest.is_empty() || !is_day {
        return None;
    }
    let days = days_before(year, month) + day - 1;
    let seconds = days * DAY + (hours * 60 + minutes) * 60 + second;
    Some((seconds * 1000 + thousandths, offset))
}

/// Removes the first byte from `rest` and returns it, if it is one of
/// `allowed`.
fn separator(rest: &mut &[u8], allowed: &[u8]) -> Option<u8> {
    let (first, after) = rest.split_first()?;
    allowed.contains(first).then(|| {
        *rest = after;
        *first
    })
}

/// Removes a number of exactly `digits` digits from `rest` and returns it.
fn number(rest: &mut &[u8], digits: usize) -> Option<i64> {
    let (number, after) = rest.split_at_checked(digits)?;
    *rest = after;
    number.iter().try_fold(0, |number, digit| match digit {
        b'0'..=b'9' => Some(number * 10 + i64::from(digit - b'0')),
        _ => None,
    })
}

fn minutes(rest: &mut &[u8]) -> Option<i64> {
    number(rest, 2).filter(|minutes| *minutes < 60)
}

/// Removes a UTC offset without its sign from `rest`, and returns it in
/// minutes.
fn offset(rest: &mut &[u8]) -> Option<i64> {
    let hours = number(rest, 2).filter(|hours| *hours < 24)?;
    if separator(rest, b":").is_none() && rest.is_empty() {
        return Some(hours * 60);
    }
    Some(hours * 60 + minutes(rest)?)
}

/// Removes all digits of a fraction from `rest`, and returns its first three
/// as thousandths.
fn fraction(rest: &mut &[u8]) -> Option<i64> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (fraction, after) = rest.split_at_checked(digits)?;
    *rest = after;
    let thousandths = fraction.iter().zip([100, 10, 1]);
    let sum = thousandths.map(|(digit, one)| i64::from(digit - b'0') * one);
    (digits > 0).then(|| sum.sum())
}

fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the number of days from 1970-01-01 to the first day of a month.
fn days_before(year: i64, month: i64) -> i64 {
    // Count years from March, so that the leap day is the last day.
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let leap_days =
        year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let months = (153 * month + 2) / 5;
    // There are 719,468 days from 0000-03-01 to 1970-01-01.
    365 * year + leap_days + months - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the last day of every month there is.
    #[test]
    fn days_are_counted_as_the_calendar_has_them() {
        let midnight = |year: i64, month: i64, day: i64| {
            let text = format!("{year:04}-{month:02}-{day:02}T00:00:00Z");
            milliseconds(&text)
        };
        let mut days = -719_528;
        for year in 0..=9999 {
            let leaps = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
            for month in 1..=12 {
                let length = match month {
                    2 => 28 + i64::from(leaps),
                    4 | 6 | 9 | 11 => 30,
                    _ => 31,
                };
                for day in [1, length] {
                    let expected = (days + day - 1) * 86_400_000;
                    assert_eq!(midnight(year, month, day), Some(expected));
                }
                assert_eq!(midnight(year, month, length + 1), None);
                days += length;
            }
        }
        assert_eq!(days, 2_932_897);
    }

    #[test]
    fn times_and_offsets_are_read() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:01Z", 1_000),
            ("1970-01-01T00:01:00Z", 60_000),
            ("1970-01-01T01:00:00.5Z", 3_600_500),
            ("1970-01-01T00:00:00.05Z", 50),
            ("1970-01-01T00:00:00.9999999999999Z", 999),
            ("1970-01-01T01:30:00+01:30", 0),
            ("1969-12-31T23:59:00-00:01", 0),
            ("1969-12-31T23:59:59.999Z", -1),
            ("1970-01-01T00:00:00,5Z", 500),
            ("1970-01-01T00:01Z", 60_000),
            ("1970-01-01T01:00:00+01", 0),
            ("1970-01-01T01:30:00+0130", 0),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("2026-02-12T15:09:12.436Z", 1_770_908_952_436),
        ] {
            assert_eq!(milliseconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_timestamp_is_none() {
        let good = "2026-02-12T15:09:12.436Z";
        assert!(milliseconds(good).is_some());
        for end in 0..good.len() {
            assert_eq!(milliseconds(&good[..end]), None, "{end}");
        }
        // Without an offset it is valid ISO 8601, but not a point in time.
        for (end, expected) in
            [(23, true), (19, true), (16, true), (10, false)]
        {
            assert_eq!(is_iso_8601(&good[..end]), expected, "{end}");
        }
        for text in [
            "2026-02-12T15:09:12.436Z ",
            " 2026-02-12T15:09:12.436Z",
            "2026-02-12T15:09:12.Z",
            "2026-02-12T24:00:00Z",
            "2026-02-12T15:60:00Z",
            "2026-02-12T15:09:61Z",
            "2026-02-12T15:09:12+24:00",
            "2026-00-12T15:09:12Z",
            "2026-13-12T15:09:12Z",
            "2026-02-00T15:09:12Z",
            "+026-02-12T15:09:12Z",
            "20260212T150912Z",
            "2026-02-12 15:09:12Z",
            "2026-02-12t15:09:12Z",
            "2026-02-12T15:09:12z",
            "2026-02-12T15:09:12+01:60",
            "2026-02-12T15:09:12+01:",
            "2026-02-12T15:09:12+010",
            "2026-02-12T15:09:12+",
            "2026-02-12T15:09:",
            "2026-02-12T15Z",
            "2026-02-12T15:09:12ZZ",
            "2026-2-12T15:09:12Z",
            "1770908952",
            "2026-02-12",
            "2026-02-1\u{662}T15:09:12Z",
            "yesterday",
        ] {
            assert_eq!(milliseconds(text), None, "{text}");
            assert!(!is_iso_8601(text), "{text}");
        }
    }
}
