/// Whether a text is a date and time as ISO 8601 has it: a day that there is,
/// `T`, hours, minutes and seconds, perhaps a fraction, and `Z` or an offset.
///
/// The 60th second is allowed in any minute, because an offset can move a
/// leap second anywhere.
pub(crate) fn is_iso_8601(text: &str) -> bool {
    read(text.as_bytes()).is_some()
}

fn read(text: &[u8]) -> Option<()> {
    let (year, text) = number(text, 4)?;
    let (month, text) = number(mark(text, b"-")?, 2)?;
    let (day, text) = number(mark(text, b"-")?, 2)?;
    let (hour, text) = number(mark(text, b"T")?, 2)?;
    let (minute, text) = number(mark(text, b":")?, 2)?;
    let (second, text) = number(mark(text, b":")?, 2)?;
    let is_time = hour < 24 && minute < 60 && second <= 60;
    let is_day = (1..=days(year, month)?).contains(&day);
    (is_time && is_day).then_some(())?;
    offset(fraction(text)?)
}

fn mark<'a>(text: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    text.strip_prefix(mark)
}

/// A number of so many digits, and what follows it.
fn number(text: &[u8], digits: usize) -> Option<(u32, &[u8])> {
    let (number, rest) = text.split_at_checked(digits)?;
    let mut sum = 0;
    for digit in number {
        let digit = digit.is_ascii_digit().then(|| digit - b'0')?;
        sum = sum * 10 + u32::from(digit);
    }
    Some((sum, rest))
}

fn days(year: u32, month: u32) -> Option<u32> {
    let is_leap = year.is_multiple_of(4)
        && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    Some(match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return None,
    })
}

/// What follows the fraction of a second, if there is one.
fn fraction(text: &[u8]) -> Option<&[u8]> {
    let Some(text) = mark(text, b".") else { return Some(text) };
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.get(digits..).filter(|_| digits > 0)
}

fn offset(text: &[u8]) -> Option<()> {
    if text == b"Z" {
        return Some(());
    }
    let text = mark(text, b"+").or_else(|| mark(text, b"-"))?;
    let (hours, text) = number(text, 2)?;
    let (minutes, text) = number(mark(text, b":")?, 2)?;
    (hours < 24 && minutes < 60 && text.is_empty()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_good() {
        for text in [
            "2026-01-31T00:00:00Z",
            "2026-01-31T23:59:59.1Z",
            "2026-01-31T23:59:59.123456789012345678901234567890Z",
            "2026-01-31T12:30:00+05:30",
            "2026-01-31T12:30:00.25-23:59",
            "2024-02-29T00:00:00Z",
            "2000-02-29T00:00:00Z",
            "0000-12-31T00:00:00Z",
            "2016-12-31T23:59:60Z",
            "2017-01-01T05:29:60+05:30",
        ] {
            assert!(is_iso_8601(text), "{text}");
        }
    }

    #[test]
    fn times_that_are_not() {
        for text in [
            "",
            "2026",
            "2026-01-31",
            "2026-01-31T00:00:00",
            "2026-01-31 00:00:00Z",
            "2026-01-31t00:00:00Z",
            "2026-01-31T00:00:00z",
            "2026-01-31T00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T00:60:00Z",
            "2026-01-31T00:00:61Z",
            "2026-01-31T00:00:00.Z",
            "2026-01-31T00:00:00,5Z",
            "2026-01-31T00:00:00+0530",
            "2026-01-31T00:00:00+05",
            "2026-01-31T00:00:00+24:00",
            "2026-01-31T00:00:00+05:60",
            "2026-01-31T00:00:00Z ",
            " 2026-01-31T00:00:00Z",
            "2026-01-31T00:00:00ZZ",
            "2026-01-31T00:00:00+05:30Z",
            "2026-1-31T00:00:00Z",
            "+2026-01-31T00:00:00Z",
            "20260131T000000Z",
            "2026-00-01T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-32T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-01-3\u{664}T00:00:00Z",
            "1700000000",
        ] {
            assert!(!is_iso_8601(text), "{text}");
        }
    }

    /// The calendar, counted day by day for 400 years.
    #[test]
    fn there_are_as_many_days_as_there_are() {
        let days = (1600..2000).flat_map(|year| {
            (0..=13).flat_map(move |month| {
                (0..=32).map(move |day| {
                    format!("{year}-{month:02}-{day:02}T00:00:00Z")
                })
            })
        });
        let good = days.filter(|day| is_iso_8601(day)).count();
        assert_eq!(good, 146_097);
    }
}
