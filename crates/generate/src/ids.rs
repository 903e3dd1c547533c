//! What names a line: uuids, identifiers, and the time.

use crate::{
    random::Random,
    text::{digits, push},
};

/// The uuid that belongs to `seed`.
///
/// Lines keep the seed of a uuid, not its text: whoever points to a line
/// writes the same 36 bytes again.
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
    // The version, and the variant.
    text[14] = b'4';
    text[19] = b'a';
    out.extend_from_slice(&text);
}

/// An identifier: the prefix, and 22 letters and digits that belong to
/// `seed`.
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

/// The short hexadecimal name of an agent.
pub(crate) fn agent(out: &mut Vec<u8>, seed: u64) {
    let mut word = Random::new(seed ^ 0xa6).next();
    out.push(b'a');
    for _ in 0..6 {
        out.push(b"0123456789abcdef"[(word & 15) as usize]);
        word >>= 4;
    }
}

/// A clock that only goes forward.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Milliseconds since 1970.
    now: u64,
}

impl Clock {
    pub(crate) fn new(random: &mut Random) -> Clock {
        // 5 January 2026, and up to a hundred days more.
        const START: u64 = 1_767_571_200_000;
        Clock { now: START + u64::from(random.below(8_640_000)) * 1_000 }
    }

    /// Goes on by up to `most` milliseconds, at least one.
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

/// The year, month and day of a day since 1970.
///
/// Counts years from March, so that the leap day is the last of its year, and
/// in eras of 400 years, which are all of one length.
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

/// Ends a line of stream-json: its session, its uuid and the time.
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
    fn dates() {
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
    fn a_time_is_24_bytes() {
        let mut out = Vec::new();
        Clock { now: 1_771_076_301_041 }.write(&mut out);
        assert_eq!(out, b"2026-02-14T13:38:21.041Z");
    }

    #[test]
    fn uuids_have_their_form() {
        let mut out = Vec::new();
        uuid(&mut out, 5);
        let text = String::from_utf8(out).unwrap();
        let lengths: Vec<_> = text.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
    }
}
