//! Time zones, days, weeks and months.

use jiff::{
    Timestamp,
    civil::Date,
    tz::{Offset, TimeZone},
};
use linetape_session::MessageTotals;

use crate::usage::grouping::By;

/// Parses `--timezone`: an IANA name, `UTC`, `local`, or an offset such as
/// `+02:00`.
pub fn zone(text: &str) -> Result<TimeZone, String> {
    if text.eq_ignore_ascii_case("local") {
        return Ok(TimeZone::system());
    }
    if let Some(offset) = offset(text) {
        return Ok(TimeZone::fixed(offset));
    }
    TimeZone::get(text).map_err(|_| {
        "expected a name such as Europe/Berlin, `UTC`, `local`, or an offset \
         such as +02:00"
            .to_string()
    })
}

/// Parses an offset: a sign, hours and minutes.
fn offset(text: &str) -> Option<Offset> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let part = |text: &str, end: i32| {
        let is_number =
            text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
        let number = text.parse::<i32>().ok().filter(|_| is_number)?;
        (number < end).then_some(number)
    };
    let seconds = part(hours, 24)? * 3600 + part(minutes, 60)? * 60;
    Offset::from_seconds(sign * seconds).ok()
}

/// Returns the day, week or month of a message. Without a time zone, the day is
/// the date in the timestamp.
pub fn period(
    message: &MessageTotals<'_>,
    by: By,
    zone: Option<&TimeZone>,
) -> Option<String> {
    let day = match zone {
        None => message.day?.to_string(),
        Some(zone) => {
            let time = Timestamp::from_millisecond(message.time?).ok()?;
            zone.to_datetime(time).date().to_string()
        }
    };
    match by {
        By::Month => day.get(..7).map(str::to_string),
        By::Week => {
            let week = day.parse::<Date>().ok()?.iso_week_date();
            Some(format!("{:04}-W{:02}", week.year(), week.week()))
        }
        _ => Some(day),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period_of(time: i64, by: By, name: &str) -> String {
        let mut message = MessageTotals::default();
        message.time = Some(time);
        message.day = Some("2027-01-01");
        let zone = Some(name).filter(|name| !name.is_empty());
        let zone = zone.map(zone_of);
        period(&message, by, zone.as_ref()).unwrap()
    }

    fn zone_of(name: &str) -> TimeZone {
        zone(name).unwrap()
    }

    #[test]
    fn a_period_depends_on_the_time_zone() {
        // 2026-03-01T00:30:00Z
        let time = 1_772_325_000_000;
        assert_eq!(period_of(time, By::Day, "UTC"), "2026-03-01");
        assert_eq!(period_of(time, By::Day, "-01:00"), "2026-02-28");
        assert_eq!(period_of(time, By::Day, "America/New_York"), "2026-02-28");
        assert_eq!(period_of(time, By::Month, "Asia/Tokyo"), "2026-03");
        assert_eq!(period_of(time, By::Month, "-00:31"), "2026-02");
        assert_eq!(period_of(time, By::Week, "UTC"), "2026-W09");
        // Without a zone, it is the date as the log writes it.
        assert_eq!(period_of(time, By::Day, ""), "2027-01-01");
        assert_eq!(period_of(time, By::Week, ""), "2026-W53");
    }

    #[test]
    fn time_zones_that_do_not_exist_are_refused() {
        for name in ["", "Mars/Olympus", "+2", "+25:00", "+02:60", "+-2:00"] {
            assert!(zone(name).is_err(), "{name:?}");
        }
    }
}
