//! Times as the log writes them.

use linetape_session::Facts;

/// A time, to the second. It is a part of the timestamp's text, so it is in
/// the time zone of the log.
#[derive(Clone, PartialEq)]
pub struct Time {
    pub date: String,
    pub of_day: String,
}

impl Time {
    /// Returns the time of a message, if its timestamp is RFC 3339.
    pub fn of(facts: &Facts<'_>) -> Option<Time> {
        Time::read(facts.timestamp()?)
    }

    fn read(stamp: &str) -> Option<Time> {
        let is_like = |(byte, like): (u8, u8)| match like {
            b'0' => byte.is_ascii_digit(),
            _ => byte == like,
        };
        let shape = "0000-00-00T00:00:00";
        let stamp = stamp.get(..shape.len())?;
        let mut bytes = stamp.bytes().zip(shape.bytes());
        let (date, of_day) = stamp.split_once('T')?;
        let time = Time { date: date.into(), of_day: of_day.into() };
        bytes.all(is_like).then_some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::Time;

    #[test]
    fn a_time_is_cut_out_of_the_usual_form_only() {
        for stamp in ["2026-01-31T09:14:07", "2026-01-31T09:14:07.5+02:00"] {
            let time = Time::read(stamp).unwrap();
            assert_eq!(
                (time.date, time.of_day),
                ("2026-01-31".into(), "09:14:07".into())
            );
        }
        let odd = [
            "",
            "soon",
            "2026-01-31",
            "2026-01-31 09:14:07",
            "2026-01-31T09:14",
            "2026-01-31T09:14:0é",
            "\x1b026-01-31T09:14:07",
            "1769850847000000000",
        ];
        for stamp in odd {
            assert!(Time::read(stamp).is_none(), "{stamp:?}");
        }
    }
}
