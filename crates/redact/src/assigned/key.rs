/*!
Names that secrets are assigned to.
*/

use super::{BEFORE, value::LEAST};

/// How much a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// It is a secret, whatever it looks like.
    Strong,
    /// It may be something else: a token of a text, a scheme, a name.
    Weak,
}

use Strength::{Strong, Weak};

/// The words of names, in lower case and without `_` and `-`.
const WORDS: &[(&str, Strength)] = &[
    ("password", Strong),
    ("passwd", Strong),
    ("passwort", Strong),
    ("passphrase", Strong),
    ("passcode", Strong),
    ("pass", Strong),
    ("pwd", Strong),
    ("secretid", Strong),
    ("secret", Strong),
    ("token", Weak),
    ("key", Strong),
    ("-signature", Strong),
    ("credentials", Weak),
    ("credential", Weak),
    ("authorization", Weak),
    ("auth", Weak),
    ("cookie", Weak),
];

/// The words before `key`: what other keys open is no secret.
const KEYS: &[&str] = &[
    "access",
    "account",
    "api",
    "auth",
    "encryption",
    "master",
    "private",
    "secret",
    "signing",
    "subscription",
];

/// What may follow the word, in the same name. Another word makes it the name of
/// something else: `password_file`, `token_count`.
const ENDS: &[&str] = &[
    "again",
    "base64",
    "base",
    "confirmation",
    "confirm",
    "default",
    "dev",
    "hash",
    "key",
    "live",
    "new",
    "old",
    "production",
    "prod",
    "repeat",
    "staging",
    "test",
    "value",
];

/// Returns how much the name says that begins a text, and its length.
pub(super) fn strength(text: &str) -> Option<(Strength, usize)> {
    let text = text.as_bytes();
    WORDS.iter().find_map(|(word, strength)| {
        let end = word_end(text, word)?;
        // `secretId` and `secret_id`, but not `secretid`.
        let is_id = *word == "secretid" && end == word.len();
        if is_id && text.get(end - 2..end) != Some(b"Id") {
            return None;
        }
        let end = ends(text, end);
        let is_end = text.get(end).is_none_or(|b| !is_name(*b));
        is_end.then_some((*strength, end))
    })
}

/// Returns how much the key of a member says: its last words.
pub(super) fn of_member(key: &str) -> Option<Strength> {
    if key.len() > super::BEFORE * 2 {
        return None;
    }
    if key.len() < "pwd".len() {
        return None;
    }
    let starts = key.char_indices().map(|(at, _)| at);
    starts.filter(|at| begins(key.as_bytes(), *at)).find_map(|at| {
        let (strength, length) = strength(key.get(at..)?)?;
        (at + length == key.len()).then_some(strength)
    })
}

/// Returns the end of a word at the start of a text.
fn word_end(text: &[u8], word: &str) -> Option<usize> {
    let mut at = 0;
    let mut last = b'_';
    for byte in word.bytes() {
        if matches!(text.get(at), Some(b'_' | b'-'))
            && last != b'_'
            && byte != b'-'
        {
            at += 1;
        }
        if !text.get(at)?.eq_ignore_ascii_case(&byte) {
            return None;
        }
        last = byte;
        at += 1;
    }
    Some(at)
}

/// Returns the end of the words that may follow one, from an offset on. A sign
/// or an upper-case letter separates them.
fn ends(text: &[u8], mut at: usize) -> usize {
    for _ in 0..3 {
        let is_sign = matches!(text.get(at), Some(b'_' | b'-'));
        let start = at + usize::from(is_sign);
        let rest = text.get(start..).unwrap_or_default();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if (1..=2).contains(&digits) {
            at = start + digits;
            continue;
        }
        let end = ENDS.iter().find(|end| {
            let own = rest.get(..end.len()).unwrap_or_default();
            let is_apart = is_sign || **end == "key" || is_capital(own);
            is_apart && own.eq_ignore_ascii_case(end.as_bytes())
        });
        match end {
            Some(end) => at = start + end.len(),
            None => break,
        }
    }
    at
}

/// Returns whether a word has one upper-case letter, its first.
fn is_capital(word: &[u8]) -> bool {
    word.split_first().is_some_and(|(first, rest)| {
        first.is_ascii_uppercase() && !rest.iter().any(u8::is_ascii_uppercase)
    })
}

/// Returns whether a byte may be the first behind a literal. Most frequent words
/// with a literal in them, such as `tokens`, go on with another one.
pub(crate) fn may_be_next(byte: u8) -> bool {
    !byte.is_ascii_lowercase() && byte < 0x70 || byte == b'k' || byte >= 0x80
}

/// Returns whether a name may begin at an offset: `pass` and `auth` are in other
/// words, such as `bypass`.
pub(super) fn begins(text: &[u8], at: usize) -> bool {
    let word = text.get(at..).unwrap_or_default();
    let has = |own: &[u8]| {
        word.get(..own.len()).is_some_and(|w| w.eq_ignore_ascii_case(own))
    };
    let before = text.get(..at).unwrap_or_default();
    let follows = |words: &[&str], before: &[u8]| {
        words.iter().any(|own| {
            let end = before.len().saturating_sub(own.len());
            let word = before.get(end..).unwrap_or_default();
            word.eq_ignore_ascii_case(own.as_bytes())
        })
    };
    if has(b"key") {
        let sign = before.strip_suffix(b"_").or(before.strip_suffix(b"-"));
        return follows(KEYS, sign.unwrap_or(before));
    }
    if has(b"-signature") {
        return follows(&["amz", "goog"], before);
    }
    let is_short = has(b"auth") && !has(b"authorization")
        || has(b"pass") && !has(b"passw") && !has(b"passphrase");
    if !is_short {
        return true;
    }
    match before {
        [.., b'\\', _] | [] => true,
        [.., last] => {
            let first = word.first().is_some_and(u8::is_ascii_uppercase);
            !last.is_ascii_alphabetic() || first && last.is_ascii_lowercase()
        }
    }
}

/// Returns whether a short word begins a text, and neither a quote nor a sign
/// comes after it: such words are frequent in prose. `name` is the length of the
/// name that the word begins.
pub(super) fn is_bare(text: &str, name: usize) -> bool {
    let has = |own: &str| {
        let start = text.get(..own.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(own))
    };
    let longer = ["password", "passwd", "passwort", "passphrase", "passcode"];
    let is_short = has("pass") && !longer.iter().any(|own| has(own))
        || has("auth") && !has("authorization");
    let next = text.as_bytes().get("pass".len());
    is_short
        && (name > "pass".len()
            || next.is_none_or(|b| !b"\"'=:\\".contains(b)))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether a value may follow a literal of the rule: a cheap test, of a
/// text as it is written, in which quotes and newlines may be escaped. `start`
/// and `end` are those of the literal.
pub(crate) fn may_follow(whole: &[u8], start: usize, end: usize) -> bool {
    if !begins(whole, start) || is_result(whole, start) {
        return false;
    }
    let literal = whole.get(start..end).unwrap_or_default();
    // The literals of short words have the sign after it.
    let is_word = literal.last().is_some_and(u8::is_ascii_alphabetic);
    let end = end - usize::from(!is_word);
    let rest = whole.get(ends(whole, end)..).unwrap_or_default();
    // `secret_id`, `secretId` and `credentials`.
    let rest = match (literal.last(), rest) {
        (
            Some(b't' | b'T'),
            [b'_' | b'-', b'i' | b'I', b'd' | b'D', rest @ ..],
        )
        | (Some(b't' | b'T'), [b'I', b'd', rest @ ..])
        | (Some(b'l' | b'L'), [b's' | b'S', rest @ ..]) => rest,
        (_, rest) => rest,
    };
    let rest = rest.get(ends(rest, 0)..).unwrap_or_default();
    if rest.first().is_none_or(|b| is_name(*b)) {
        return false;
    }
    let is_closing = |b: &&u8| b"\\\"'`]*".contains(*b);
    let closing = rest.iter().take_while(is_closing).count();
    let after = rest.get(closing..).unwrap_or_default().trim_ascii_start();
    match after.first() {
        Some(b':' | b'=' | b'!') if may_be_value(after) => true,
        Some(b':') if after.starts_with(b":-") => true,
        // A tab, as it is written.
        Some(b't')
            if rest.get(..closing).is_some_and(|c| c.ends_with(b"\\")) =>
        {
            true
        }
        Some(b'>') if may_be_tagged(after) => true,
        Some(b'|' | b'?' | b')') => true,
        Some(b'"' | b'\'' | b'`' | b'\\') => true,
        _ => {
            has_pair(rest, closing > 0) || {
                let is_apart = matches!(rest.first(), Some(b' ' | b'\t'));
                is_apart && is_option(whole, start)
                    || starts_with(rest, b" is")
                    || starts_with(rest, b" was")
            }
        }
    }
}

/// Returns whether a word is the result of a test: `PASS: name`.
pub(super) fn is_result(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().last();
    text.get(at..).is_some_and(|word| word.starts_with(b"PASS:"))
        && before.is_none_or(|b| !is_name(*b) && *b != b'-')
}

/// Returns whether a sign and a value, or a type and a value, may be at the start
/// of a text.
fn may_be_value(text: &[u8]) -> bool {
    let is_sign = |b: &&u8| b":=!>*".contains(*b);
    let sign = text.iter().take_while(is_sign).count();
    let value = text.get(sign..).unwrap_or_default().trim_ascii_start();
    let is_part = |b: &&u8| !b" \t\n\r,;\"'`\\<>|".contains(*b);
    let length = value.iter().take(LEAST).take_while(is_part).count();
    match value.get(length) {
        // A list of values.
        _ if value.first() == Some(&b'[') => true,
        // The signs may be some of the value: `=!@x`.
        _ if length + sign > LEAST => true,
        // A quote, or an escape.
        Some(b'"' | b'\'' | b'`') => length <= 2 && !is_short(value, length),
        Some(b'\\') => true,
        // A type, or a scheme such as `Basic`.
        _ => {
            let near = value.get(..48).unwrap_or(value);
            let is_end = |b: &&u8| !b",;({\n".contains(*b);
            let line = near.iter().take_while(is_end);
            let has_value = line.clone().any(|b| *b == b'=');
            has_value && text.first() == Some(&b':')
                || length >= 5 && line.count() > length + LEAST
        }
    }
}

/// Returns whether the end of a tag, and a value, may be at the start of a text.
fn may_be_tagged(text: &[u8]) -> bool {
    let value = text.get(1..).unwrap_or_default().trim_ascii_start();
    let is_part = |b: &&u8| !b" \t\n\r<>".contains(*b);
    value.iter().take(LEAST).take_while(is_part).count() == LEAST
}

/// Returns whether a quote opens a text, which ends after a few bytes.
fn is_short(text: &[u8], quote: usize) -> bool {
    let Some((own, rest)) = text.get(quote..).and_then(<[u8]>::split_first)
    else {
        return true;
    };
    let ends = |b: &u8| b == own;
    rest.iter().take(LEAST).take_while(|b| **b != b'\\').any(ends)
}

/// Returns whether the name is the first of two strings, or the value of a
/// member `name` before a member `value`.
fn has_pair(rest: &[u8], is_quoted: bool) -> bool {
    /// How far a value may be behind its name.
    const NEAR: usize = 64;
    let near = rest.get(..NEAR).unwrap_or(rest);
    let mut signs = near.iter().filter(|b| !b"\\\"'` \t".contains(*b));
    is_quoted && signs.next() == Some(&b',')
        || near.windows(3).any(|part| part.eq_ignore_ascii_case(b"val"))
}

fn starts_with(text: &[u8], word: &[u8]) -> bool {
    let own = text.get(..word.len());
    own.is_some_and(|own| own.eq_ignore_ascii_case(word))
}

/// Returns whether a name is that of an option, or of a variable that a command
/// sets.
fn is_option(whole: &[u8], start: usize) -> bool {
    let before = whole.get(..start).unwrap_or_default();
    let is_part = |b: &&u8| is_name(**b) || **b == b'-' || **b == b'.';
    let words = before.iter().rev().take(BEFORE).take_while(is_part).count();
    let (before, words) = before.split_at(before.len() - words);
    // An escape may be before the option.
    words.contains(&b'-') && words.windows(2).any(|two| two == b"--")
        || words.first() == Some(&b'-')
        || ends_command(before)
}

/// Returns whether a command that sets a variable is before its name.
pub(super) fn ends_command(before: &[u8]) -> bool {
    const COMMANDS: [&[u8]; 6] =
        [b"ENV", b"setx", b"set -x", b"set -gx", b"config set", b"setenv"];
    let word = before.trim_ascii_end();
    word.len() < before.len() && COMMANDS.iter().any(|own| word.ends_with(own))
}
