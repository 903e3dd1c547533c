//! Uuids, ids and timestamps.

use crate::{
    random::Random,
    text::{digits, push},
};

/// Writes the uuid of a seed.
///
/// Generators store the seed of a uuid instead of its text. To refer to a
/// line, they write the same 36 bytes again.
pub(crate) fn uuid(out: &mut Vec<u8>, seed: u64) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut random = Random::new(seed ^ 0x75);
    let words = [random.next(), random.next()];
    let mut text = [b'-'; 36];
    let mut nibble = 0;
    for (at, byte) in text.iter_mut().enumerate() {
        if matches!(at, 8 | 13 | 18 | 23) {
            continue;
        }
        *byte = HEX[(words[nibble / 16] >> (nibble % 16 * 4) & 15) as usize];
        nibble += 1;
    }
    // The version and the variant.
    text[14] = b'4';
    text[19] = b'a';
    out.extend_from_slice(&text);
}

/// Writes the id of a seed: a prefix, and 22 letters and digits.
pub(crate) fn id(out: &mut Vec<u8>, prefix: &str, seed: u64) {
    const LETTERS: &[u8; 64] =
        b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789ABCDEF";
    let mut random = Random::new(seed ^ 0x1d);
    let mut text = [0; 22];
    for part in text.chunks_mut(10) {
        let mut word = random.next();
        for byte in part {
            *byte = LETTERS[(word & 63) as usize];
            word >>= 6;
        }
    }
    push(out, prefix);
    out.extend_from_slice(&text);
}

/// Writes the short hexadecimal id of an agent.
pub(crate) fn agent(out: &mut Vec<u8>, seed: u64) {
    let mut word = Random::new(seed ^ 0xa6).next();
    out.push(b'a');
    for _ in 0..6 {
        out.push(b"0123456789abcdef"[(word & 15) as usize]);
        word >>= 4;
    }
}

/// A simulated monotonic clock.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Milliseconds since 1970.
    now: u64,
}

impl Clock {
    pub(crate) fn new(random: &mut Random) -> Clock {
        // Up to a hundred days after 5 January 2026.
        const START: u64 = 1_767_571_200_000;
        Clock { now: START + u64::from(random.below(8_640_000)) * 1_000 }
    }

    /// Advances the clock by 1 to `most` milliseconds.
    pub(crate) fn pass(&mut self, random: &mut Random, most: u32) {
        self.now += u64::from(random.between(1, most));
    }

    /// Writes the time, like `2026-02-14T13:38:21.641Z`.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let (days, rest) = (self.now / 86_400_000, self.now % 86_400_000);
        let (year, month, day) = date(days);
        digits(out, year, 4);
        out.push(b'-');
        digits(out, month, 2);
        out.push(b'-');
        digits(out, day, 2);
        out.push(b'T');
        digits(out, rest / 3_600_000, 2);
        out.push(b':');
        digits(out, rest / 60_000 % 60, 2);
        out.push(b':');
        digits(out, rest / 1_000 % 60, 2);
        out.push(b'.');
        digits(out, rest % 1_000, 3);
        out.push(b'Z');
    }
}

/// Returns the year, month and day of a number of days since 1970.
///
/// The algorithm is Howard Hinnant's `civil_from_days`: years begin in March,
/// so that the leap day is the last day of a year, and are counted in eras of
/// 400 years, which all have the same length.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// Ends a line with `session_id`, `uuid` and `timestamp`.
pub(crate) fn end_line(
    out: &mut Vec<u8>,
    session: u64,
    line: u64,
    clock: &Clock,
) {
    out.extend_from_slice(br#","session_id":""#);
    uuid(out, session);
    out.extend_from_slice(br#"","uuid":""#);
    uuid(out, line);
    out.extend_from_slice(br#"","timestamp":""#);
    clock.write(out);
    out.extend_from_slice(br#""}"#);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the days of 500 years one by one.
    #[test]
    fn date_agrees_with_counting_days() {
        let mut days = 0;
        for year in 1970..2470 {
            let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
            let february = if leap { 29 } else { 28 };
            let lengths =
                [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(lengths) {
                for day in 1..=length {
                    assert_eq!(date(days), (year, month, day));
                    days += 1;
                }
            }
        }
    }

    #[test]
    fn timestamps_are_iso_8601_with_milliseconds() {
        let mut out = Vec::new();
        Clock { now: 1_771_076_301_041 }.write(&mut out);
        assert_eq!(out, b"2026-02-14T13:38:21.041Z");
    }

    #[test]
    fn uuids_have_five_groups_of_digits() {
        let mut out = Vec::new();
        uuid(&mut out, 5);
        let text = String::from_utf8(out).unwrap();
        let lengths: Vec<_> = text.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
    }
}
