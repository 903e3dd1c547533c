/*!
What is after a literal: a cheap test before a regular expression is run.
*/

use crate::{
    assigned::{may_be_next, may_follow},
    probe::REACH,
    rule::{Tail, is_local},
};

impl Tail {
    /// Returns whether a byte can be `n` bytes behind the literal.
    pub(crate) fn allows(self, n: usize, byte: u8) -> bool {
        match self {
            Tail::Hex(least) if n < least => byte.is_ascii_hexdigit(),
            Tail::Alnum(least) if n < least => byte.is_ascii_alphanumeric(),
            Tail::Token(least) if n < least => is_token(byte),
            Tail::Assigned if n == 0 => may_be_next(byte),
            Tail::Domain if n < 3 => is_domain(byte),
            _ => true,
        }
    }

    /// Returns whether a text has what this says around a literal. What could
    /// have an escape in it is not tested here: all lines with `\u` and `\/` are
    /// looked at.
    pub(crate) fn fits(
        self,
        whole: &[u8],
        literal: usize,
        end: usize,
    ) -> bool {
        let text = whole.get(end..).unwrap_or_default();
        let (is_part, least): (fn(&u8) -> bool, usize) = match self {
            Tail::Any => return true,
            Tail::User => return has_user(text),
            Tail::Login => return has_login(text),
            Tail::Near => {
                let begins = |b: &&u8| !(0x80..0xC0).contains(*b);
                let mut near = text.iter().filter(begins).take(42);
                return near.any(|b| is_sign(*b));
            }
            Tail::Domain => {
                let before = whole.get(..literal).and_then(<[u8]>::last);
                let mut domain = text.iter().take_while(|b| is_domain(**b));
                return before.is_some_and(|b| is_local(*b))
                    && domain.any(|b| *b == b'.');
            }
            Tail::Quad => {
                return has_numbers(whole.get(literal..).unwrap_or_default());
            }
            Tail::Groups => {
                return has_groups(whole.get(literal..).unwrap_or_default());
            }
            Tail::Assigned => return may_follow(whole, literal, end),
            Tail::Hex(least) => (u8::is_ascii_hexdigit, least),
            Tail::Alnum(least) => (u8::is_ascii_alphanumeric, least),
            Tail::Token(least) => (|b| is_token(*b), least),
        };
        let found = text.iter().take(least).take_while(|b| is_part(b)).count();
        found == least
    }
}

/// Returns whether a user name and a password of a URL may be at the start of a
/// text. Most URLs have a slash first.
fn has_user(text: &[u8]) -> bool {
    /// How many characters the end of a password may be behind a slash in it.
    const SLASHED: usize = 256;
    let is_part = |b: &&u8| !b" \t\n\r\"'<>".contains(b);
    let mut parts = text.iter().take(4 << 10).take_while(is_part);
    parts.find(|b| b":/@".contains(b)) == Some(&b':')
        && match parts.find(|b| b"/@".contains(b)) {
            Some(b'/') => {
                // A character has up to four bytes, or an escape.
                let begins = |b: &u8| *b != b'\\' && !(0x80..0xC0).contains(b);
                let mut count = 0;
                let is_near = |b: &&u8| {
                    count += usize::from(begins(b));
                    count <= SLASHED + 1
                };
                parts.take_while(is_near).any(|b| *b == b'@')
            }
            end => end.is_some(),
        }
}

/// Returns whether an option of a command may be in a text: one with a `u`, or
/// `--user` or `--proxy-user`. Of a command that does not end among the next
/// bytes, or has very many options, that is not known.
fn has_login(text: &[u8]) -> bool {
    const MOST: usize = 64;
    let near = text.get(..REACH).unwrap_or(text);
    let mut options = memchr::memchr_iter(b'-', near).enumerate();
    let has_option = options.any(|(count, at)| {
        if count == MOST {
            return true;
        }
        let option = text.get(at + 1..).unwrap_or_default();
        if let Some(long) = option.strip_prefix(b"-") {
            return matches!(long.first(), Some(b'u' | b'U' | b'p' | b'P'));
        }
        let mut letters =
            option.iter().take(7).take_while(|b| b.is_ascii_alphabetic());
        letters.any(|b| b.eq_ignore_ascii_case(&b'u'))
    });
    // A newline may be written as an escape, and so may what is before it.
    let mut newlines = memchr::memmem::find_iter(near, br"\n");
    let mut ends = |at| {
        let before = near.get(..at).and_then(<[u8]>::last);
        before.is_none_or(|b| !b"\\^`r".contains(b))
    };
    has_option
        || near.len() < text.len()
            && command_end(near, 0) == near.len()
            && !newlines.any(&mut ends)
}

/// Returns where the command ends that an offset is in: at a newline, or with the
/// text.
pub(crate) fn command_end(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let mut newlines = memchr::memchr_iter(b'\n', rest);
    let end = newlines.find(|at| ends_command(text, from + at));
    end.map_or(text.len(), |at| from + at)
}

/// Returns whether a newline ends a command: nothing before it is an escape.
fn ends_command(text: &[u8], newline: usize) -> bool {
    let before = text.get(..newline).unwrap_or_default();
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    before.last().is_none_or(|b| !b"\\^`".contains(b))
}

/// Returns whether a byte comes before a value.
fn is_sign(byte: u8) -> bool {
    b"=:\"'` \t\n\x0b\x0c\r,>(\\".contains(&byte)
}

/// Returns whether a byte occurs in the names of domains.
fn is_domain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".-".contains(&byte)
}

/// Returns whether the numbers at the start of a text may be those of an address.
/// The first has its last digit there.
fn has_numbers(text: &[u8]) -> bool {
    let is_part = |b: &&u8| b.is_ascii_digit() || **b == b'.';
    let part = text.iter().take("1.234.234.2".len()).take_while(is_part);
    part.filter(|b| **b == b'.').count() >= 3
}

/// Returns whether the groups at the start of a text are those of an address: all
/// eight, or with `::` between two of them.
fn has_groups(text: &[u8]) -> bool {
    let is_part = |b: &&u8| b.is_ascii_hexdigit() || **b == b':';
    let (mut colons, mut last) = (0, b' ');
    for byte in text.iter().take(40).take_while(is_part) {
        if *byte == b':' {
            colons += 1;
            if last == b':' || colons == 7 {
                return true;
            }
        }
        last = *byte;
    }
    false
}

/// Returns whether a byte occurs in tokens.
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=.~%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_known_by_their_start() {
        for text in ["1.2.3.4", "1.234.234.2", "0.0.0.0", "1.2.3.4.5.6"] {
            assert!(has_numbers(text.as_bytes()), "{text}");
        }
        for text in ["1.2.3", "6.789Z", "1.2.x.4", "1.2345.2345.2", ""] {
            assert!(!has_numbers(text.as_bytes()), "{text}");
        }
        for text in [
            "a::1",
            "1:2:3:4:5:6:7:8",
            "0:dead::",
            "1:2222:3333:4444:5555:6666:7777:8888",
        ] {
            assert!(has_groups(text.as_bytes()), "{text}");
        }
        for text in ["2:34:56.789Z", "1:2:3:4:5:6:7", "a:b", "a:x::"] {
            assert!(!has_groups(text.as_bytes()), "{text}");
        }
    }
}
