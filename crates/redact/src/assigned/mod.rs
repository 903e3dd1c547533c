/*!
Secrets that are known by the name they are assigned to, such as `password`.

The pattern of the rule finds a name and a value. What is here decides from the
name, the value and what is around them whether the value is a secret: in doubt
it is. References to variables, placeholders, words and code are none.
*/

mod key;
mod value;

use std::ops::Range;

pub(crate) use key::{may_be_next, may_follow};

use key::Strength;
use value::Value;

/// How far before the name the text is looked at.
pub(crate) const BEFORE: usize = 64;

/// How much of a value is looked at. What is longer is judged by its start.
const LONGEST: usize = 512;

/// How a value follows its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// `name: value`.
    Colon,
    /// `name = value`, with spaces.
    Equals,
    /// `name=value`.
    Tight,
    /// `<name>value</name>`.
    Tag,
    /// `"name", "value"`.
    Comma,
    /// `--name value`.
    Space,
    /// `the name is value`.
    Is,
    /// `name || "value"`, and `${NAME:-value}`.
    Else,
}

/// Returns whether a name is one of the working directory.
fn is_directory(name: &str) -> bool {
    let names = ["pwd", "oldpwd", "init_pwd", "init_cwd"];
    let name = name.trim_start_matches(['-', '.']);
    names.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Returns whether a value stays that the pattern found. The name begins at
/// `start`, and may have other words before it.
pub(crate) fn is_kept(text: &str, start: usize, value: &Range<usize>) -> bool {
    let (Some(before), Some(between), Some(value_text)) = (
        text.as_bytes().get(..start),
        text.get(start..value.start),
        text.get(value.clone()),
    ) else {
        return true;
    };
    let Some((strength, name)) = key::strength(between) else { return true };
    if !key::begins(text.as_bytes(), start)
        || key::is_result(text.as_bytes(), start)
        || key::is_bare(between, name)
    {
        return true;
    }
    let between = between.get(name..).unwrap_or_default();
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(*b);
    let words = before.iter().rev().take(BEFORE).take_while(is_name).count();
    let (before, words) = before.split_at(before.len() - words);
    let after = text.as_bytes().get(value.end..).unwrap_or_default();
    let next = after.first().copied();
    let rest = text.as_bytes().get(start..start + name).unwrap_or_default();
    let place = Place {
        strength,
        sign: sign(between),
        is_quoted: is_quoted(between),
        is_upper: !words.iter().chain(rest).any(u8::is_ascii_lowercase),
        is_option: words.starts_with(b"--") || key::ends_command(before),
        begins_line: begins_line(before) && !between.starts_with('"'),
        next,
        is_before_equals: matches!(after, [b' ', b'=', last, ..] if *last != b'='),
        is_read: READS.iter().any(|own| before.ends_with(own)),
        is_directory: is_directory(&format!(
            "{}{}",
            String::from_utf8_lossy(words),
            String::from_utf8_lossy(rest)
        )),
    };
    !place.is_secret(value_text)
}

/// Returns whether a value that a command has is none: a reference to a
/// variable, a placeholder, a number, or the name of a file.
pub(crate) fn stands_for_another(text: &str) -> bool {
    let value = Value::new(start_of(text));
    value.is_reference()
        || value.is_placeholder()
        || value.is_number() && !value.is_digits()
        || value.is_address()
        || value.is_words() && (value.is_upper() || value.is_path())
}

/// Returns whether a password of a URL is a reference to a variable.
pub(crate) fn is_reference(text: &str) -> bool {
    text.starts_with(['$', '{', '%', '#', '<'])
        && Value::new(start_of(text)).is_reference()
}

/// Returns whether `login X password Y` is a part of a `.netrc` file: it comes
/// after a machine, or is a line of its own.
pub(crate) fn is_netrc(
    text: &str,
    start: usize,
    value: &Range<usize>,
) -> bool {
    let bytes = text.as_bytes();
    let before = bytes.get(start.saturating_sub(2 * BEFORE)..start);
    let before = before.unwrap_or_default();
    let is_space = |b: &u8| b.is_ascii_whitespace();
    let mut words = before.trim_ascii_end().rsplit(is_space);
    let host = words.next().unwrap_or_default();
    let machine = words.find(|word| !word.is_empty()).unwrap_or_default();
    if before.last().is_some_and(is_space)
        && (host.ends_with(b"default") || machine.ends_with(b"machine"))
    {
        return true;
    }
    let after = bytes.get(value.end);
    begins_line(before)
        && after.is_none_or(|b| b"\r\n".contains(b))
        && Value::new(text.get(value.clone()).unwrap_or_default()).is_mixed()
}

/// Returns whether a value has a part that looks random.
pub(crate) fn has_random(text: &str) -> bool {
    let value = Value::new(start_of(text));
    !value.is_reference() && value.is_random()
}

/// Returns as much of a text as is looked at.
fn start_of(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Returns what of the value of a member is a secret, by the key.
pub(crate) fn member(key: &str, value: &str) -> Option<Range<usize>> {
    let strength = key::of_member(key)?;
    let place = Place {
        strength,
        sign: Sign::Colon,
        is_quoted: true,
        is_upper: false,
        is_option: false,
        begins_line: false,
        next: None,
        is_before_equals: false,
        is_directory: is_directory(key),
        is_read: false,
    };
    let start = value.len() - value::without_scheme(value).len();
    let rest = value.get(start..)?;
    let secret = rest.trim_end();
    let is_secret = secret.len() >= value::LEAST && place.is_secret(secret);
    is_secret.then_some(start..start + secret.len())
}

/// What is around a value.
struct Place {
    strength: Strength,
    sign: Sign,
    is_quoted: bool,
    /// Whether the name has no lower-case letter, as those of the environment.
    is_upper: bool,
    /// Whether the name is that of an option of a command, such as
    /// `--password`, or of a command that sets a variable.
    is_option: bool,
    /// Whether there is nothing but spaces before the name, on its line.
    begins_line: bool,
    /// The byte after the value.
    next: Option<u8>,
    /// Whether a `=` comes after the value, behind a space: then it is a type.
    is_before_equals: bool,
    /// Whether the name is also that of the working directory: `PWD`.
    is_directory: bool,
    /// Whether a call that reads a variable has the name: then a default comes
    /// after it.
    is_read: bool,
}

/// Calls that read a variable, and have a default.
const READS: [&[u8]; 6] =
    [b"get(\"", b"get('", b"getenv(\"", b"getenv('", b"env(\"", b"env('"];

impl Place {
    fn is_secret(&self, text: &str) -> bool {
        let value = Value::new(start_of(text));
        if text.len() < value::LEAST
            || value.is_reference()
            || value.is_placeholder()
            || value.is_date()
            || value.is_empty_word() && !self.is_env()
        {
            return false;
        }
        if self.is_directory && text.starts_with(['/', '~', '.']) {
            return false;
        }
        let is_strong = self.strength == Strength::Strong;
        if value.is_digits() {
            return is_strong;
        }
        if value.is_number() && !is_strong
            || value.is_version() && !(is_strong && value.has_long_number())
            || value.is_address() && (value.is_url() || !value.is_random())
        {
            return false;
        }
        match self.sign {
            Sign::Is => value.is_random() && !value.has_space(),
            // A list of names has commas, too.
            Sign::Comma => {
                self.is_quoted
                    && (value.is_random()
                        || self.is_read && self.is_quoted_secret(&value))
            }
            Sign::Space if !self.is_option => {
                // In SQL: `PASSWORD 'x'`.
                self.is_quoted
                    && is_strong
                    && value.is_mixed()
                    && !value.has_space()
            }
            _ if self.is_quoted => self.is_quoted_secret(&value),
            _ if self.is_env()
                || self.is_option
                || self.sign == Sign::Else =>
            {
                self.is_set_secret(&value)
            }
            _ => self.is_plain_secret(&value),
        }
    }

    /// Returns whether the name is that of a variable of the environment, and a
    /// value without quotes comes directly after the `=`.
    fn is_env(&self) -> bool {
        self.is_upper && self.sign == Sign::Tight && !self.is_quoted
    }

    /// For a value in quotes: what is not known to be something else is one.
    fn is_quoted_secret(&self, value: &Value<'_>) -> bool {
        let is_strong = self.strength == Strength::Strong;
        if value.has_space() {
            return is_strong && !value.is_prose();
        }
        if value.is_words() {
            return is_strong
                && !value.is_variable()
                && !value.is_label_path()
                || value.is_long_mixed_case();
        }
        is_strong || value.is_random() || value.is_long_with_digit()
    }

    /// For a value that a shell gives to a variable or to an option.
    fn is_set_secret(&self, value: &Value<'_>) -> bool {
        let is_strong = self.strength == Strength::Strong;
        if value.is_call() || self.next == Some(b'<') {
            return false;
        }
        if !value.is_words() {
            return is_strong
                || value.is_random()
                || value.is_long_with_digit();
        }
        if value.is_variable() || self.is_option && value.is_one_label() {
            return false;
        }
        is_strong || self.is_env() && !value.is_upper()
    }

    /// For a value without quotes: most are code, or words.
    fn is_plain_secret(&self, value: &Value<'_>) -> bool {
        let is_type = self.sign == Sign::Colon && self.is_before_equals;
        if value.is_code()
            || is_type
            || self.next == Some(b'<') && self.sign != Sign::Tag
        {
            return false;
        }
        let is_strong = self.strength == Strength::Strong;
        let ends_argument = matches!(self.next, Some(b',' | b')'));
        if !value.is_words() {
            // `token = token2;`
            let is_argument = matches!(self.next, Some(b',' | b')' | b';'));
            let is_name = value.is_name_with_number();
            return !(is_name && (is_argument || !is_strong))
                && (is_strong || value.is_random());
        }
        if value.is_label() || value.is_path() {
            return false;
        }
        if value.is_long_mixed_case() && !ends_argument {
            return true;
        }
        match self.sign {
            Sign::Tight if ends_argument => false,
            Sign::Tight => is_strong,
            Sign::Colon => {
                let is_end = matches!(self.next, None | Some(b'\n' | b'\r'));
                is_strong
                    && self.begins_line
                    && is_end
                    && value.is_one_lower_word()
            }
            Sign::Tag => is_strong,
            Sign::Space => is_strong && !value.is_upper(),
            Sign::Equals | Sign::Comma | Sign::Is | Sign::Else => false,
        }
    }
}

/// Returns how a value follows, from the text between the name and the value.
fn sign(between: &str) -> Sign {
    if [" is", " was"].iter().any(|word| {
        let own = between.get(..word.len());
        own.is_some_and(|own| own.eq_ignore_ascii_case(word))
    }) {
        return Sign::Is;
    }
    let rest = between.trim_start_matches(['"', '\'', '`', ']', '*', ')']);
    let is_else =
        |rest: &str| rest.starts_with("||") || rest.starts_with("??");
    if rest.starts_with(":-") || is_else(rest.trim_start()) {
        return Sign::Else;
    }
    let Some(at) = between.find([':', '=']) else {
        return match between.as_bytes().first() {
            Some(b'>') => Sign::Tag,
            _ if rest.trim_start().starts_with(',') => Sign::Comma,
            _ => Sign::Space,
        };
    };
    // `password: String = "..."`, and `:=`.
    let at = match between.rfind('=') {
        Some(last) if between.get(at..).is_some_and(|b| b.len() > 1) => last,
        _ => at,
    };
    let has_space = |text: Option<&str>| {
        text.is_some_and(|text| text.contains([' ', '\t', '\n']))
    };
    match between.as_bytes().get(at) {
        Some(b':') => Sign::Colon,
        _ if has_space(between.get(..at)) || has_space(between.get(at..)) => {
            Sign::Equals
        }
        _ => Sign::Tight,
    }
}

/// Returns whether a quote opens the value, before a scheme such as `Bearer`.
fn is_quoted(between: &str) -> bool {
    let before = between.trim_end_matches([' ', '\t']);
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let start = match before.len() < between.len() {
        true => before.trim_end_matches(is_letter),
        false => before,
    };
    start.ends_with(['"', '\'', '`']) && start.len() > 1
        || between.ends_with(['"', '\'', '`'])
}

/// Returns whether the line before a name is empty, or the sign of an item.
fn begins_line(before: &[u8]) -> bool {
    let is_blank = |b: &&u8| b" \t-+>#*".contains(*b);
    let blank = before.iter().rev().take(BEFORE).take_while(is_blank).count();
    let rest = before.get(..before.len() - blank).unwrap_or_default();
    rest.last().is_none_or(|b| *b == b'\n')
}
