/*!
Diagnostics: the first grammar error of a line, and its offset.

The fast paths only find out whether a line is valid. This is the slow path for
invalid lines: a state machine that reads the text byte by byte, without
recursion. Its stack is [`Nest`], with one bit per level of nesting.
*/

use crate::{
    error::{ErrorKind, GOES_ON, LineError, Position},
    limits::Limits,
    lines::opens_document,
    scan::{
        Nest, escape, escape_lossy, part, scalar_end, skip_whitespace,
        string_end,
    },
};

/// The first error in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Its offset in the text.
    pub(crate) at: usize,
    pub(crate) what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A byte that is not UTF-8.
    Utf8,
    /// A grammar error, with a description.
    Syntax(&'static str),
    /// A bracket that exceeds the depth limit.
    Depth,
    /// Text after the value.
    TrailingData,
    /// Unexpected end of the text. It may be the prefix of a valid text.
    End,
}

/// Returns the error for a line that could not be parsed. `None` if the line
/// has no fault.
#[cold]
pub(crate) fn explain(
    line: &[u8],
    position: Position,
    terminated: bool,
    limits: Limits,
) -> Option<LineError> {
    let fault = find_fault(line, limits.depth_cap())?;
    Some(fault.into_error(line, position, terminated, limits))
}

/// Creates the error for a duplicate key, whose second occurrence is at the
/// offset `at`.
#[cold]
pub(crate) fn duplicate(
    key: &str,
    at: usize,
    position: Position,
) -> LineError {
    let error = LineError::new(ErrorKind::DuplicateKey, position.plus(at));
    error.with_snippet(key.as_bytes())
}

/// Creates the error for any other duplicate key, where all are refused.
#[cold]
pub(crate) fn repeated(
    line: &[u8],
    at: usize,
    position: Position,
) -> LineError {
    let error = LineError::repeated_key(position.plus(at));
    error.with_snippet(part(line, at + 1..string_end(line, at)))
}

impl Fault {
    /// Returns the error for a fault of the line at `position`.
    pub(crate) fn into_error(
        self,
        line: &[u8],
        position: Position,
        terminated: bool,
        limits: Limits,
    ) -> LineError {
        let at = position.plus(self.at);
        let text = part(line, self.at..);
        let error = match self.what {
            What::End if !terminated => {
                return LineError::truncated(position, line.len() as u64);
            }
            What::End if opens_document(line) => {
                LineError::syntax(at, GOES_ON)
            }
            What::End if text.is_empty() => {
                LineError::syntax(at, "unexpected end of line")
            }
            What::End | What::Utf8 => LineError::new(ErrorKind::Utf8, at),
            What::Syntax(why) => LineError::syntax(at, why),
            What::TrailingData => LineError::new(ErrorKind::TrailingData, at),
            What::Depth => {
                let limit = limits.depth_cap() as u64;
                LineError::over_limit(ErrorKind::Depth, at, limit, limit + 1)
            }
        };
        error.with_snippet(text)
    }
}

/// Returns the first fault of the value at the offset `at`, or of the token
/// after it.
pub(crate) fn find_value_fault(
    text: &[u8],
    at: usize,
    max_depth: usize,
) -> Option<Fault> {
    let mut walk = Walk::new(text, max_depth);
    walk.at = at;
    let walked = walk.value_whole().and_then(|()| {
        walk.skip_whitespace();
        match walk.text.get(walk.at) {
            None | Some(b',' | b'}' | b']') => Ok(()),
            Some(_) => walk.syntax("expected `,` or a closing bracket"),
        }
    });
    walked.err()
}

/// Returns the length of the value that `text` begins with, or the offset of
/// its first fault as an error.
pub(crate) fn first_value(
    text: &[u8],
    max_depth: usize,
) -> Result<usize, usize> {
    let mut walk = Walk::new(text, max_depth);
    match walk.value_whole() {
        Ok(()) => Ok(walk.at),
        Err(fault) => Err(fault.at),
    }
}

/// Returns the first fault of `text`. `None` if `text` is valid.
pub(crate) fn find_fault(text: &[u8], max_depth: usize) -> Option<Fault> {
    let grammar = Walk::new(text, max_depth).whole().err();
    let utf8 = std::str::from_utf8(text).err().map(|error| {
        // A character that is truncated at the end may have been valid.
        let cut = error.error_len().is_none();
        let what = if cut { What::End } else { What::Utf8 };
        Fault { at: error.valid_up_to(), what }
    });
    match (grammar, utf8) {
        (Some(grammar), Some(utf8)) if grammar.at < utf8.at => Some(grammar),
        (grammar, utf8) => utf8.or(grammar),
    }
}

/// The state of the walk: the token that it expects next.
#[derive(Clone, Copy)]
enum Expect {
    Value,
    FirstItem,
    Key,
    FirstKey,
    Colon,
    CommaOrEnd,
}

struct Walk<'t> {
    text: &'t [u8],
    at: usize,
    max_depth: usize,
    nest: Nest,
}

type Step<T> = Result<T, Fault>;

impl<'t> Walk<'t> {
    fn new(text: &'t [u8], max_depth: usize) -> Walk<'t> {
        Walk { text, at: 0, max_depth, nest: Nest::default() }
    }

    /// Walks a text that must be one value.
    fn whole(&mut self) -> Step<()> {
        self.value_whole()?;
        self.skip_whitespace();
        match self.at == self.text.len() {
            true => Ok(()),
            false => self.fail(What::TrailingData),
        }
    }

    /// Walks one value, with all values nested in it.
    fn value_whole(&mut self) -> Step<()> {
        let mut expect = Expect::Value;
        loop {
            self.skip_whitespace();
            expect = match (expect, self.byte()?) {
                (Expect::FirstItem, b']') => self.close(b']'),
                (Expect::FirstKey, b'}') => self.close(b'}'),
                (Expect::Key | Expect::FirstKey, b'"') => {
                    self.string()?;
                    Expect::Colon
                }
                (Expect::Key | Expect::FirstKey, _) => {
                    return self.syntax("expected a key");
                }
                (Expect::Colon, b':') => self.skip_to(Expect::Value),
                (Expect::Colon, _) => return self.syntax("expected `:`"),
                (Expect::CommaOrEnd, b',') => {
                    let object = self.in_object();
                    let next =
                        if object { Expect::Key } else { Expect::Value };
                    self.skip_to(next)
                }
                (Expect::CommaOrEnd, b'}') if self.in_object() => {
                    self.close(b'}')
                }
                (Expect::CommaOrEnd, b']') if !self.in_object() => {
                    self.close(b']')
                }
                (Expect::CommaOrEnd, _) if self.in_object() => {
                    return self.syntax("expected `,` or `}`");
                }
                (Expect::CommaOrEnd, _) => {
                    return self.syntax("expected `,` or `]`");
                }
                (Expect::Value | Expect::FirstItem, byte) => {
                    self.value(byte)?
                }
            };
            if self.nest.depth() == 0 {
                return Ok(());
            }
        }
    }

    fn value(&mut self, byte: u8) -> Step<Expect> {
        match byte {
            b'{' => return self.open(byte, Expect::FirstKey),
            b'[' => return self.open(byte, Expect::FirstItem),
            b'"' => self.string()?,
            b't' => self.literal(b"true")?,
            b'f' => self.literal(b"false")?,
            b'n' => self.literal(b"null")?,
            b'-' | b'0'..=b'9' => self.number()?,
            _ => return self.syntax("expected a value"),
        }
        Ok(Expect::CommaOrEnd)
    }

    fn open(&mut self, bracket: u8, first: Expect) -> Step<Expect> {
        match self.nest.open(bracket, self.max_depth) {
            Some(()) => Ok(self.skip_to(first)),
            None => self.fail(What::Depth),
        }
    }

    fn close(&mut self, bracket: u8) -> Expect {
        let closed = self.nest.close(bracket);
        debug_assert!(closed.is_some(), "the innermost is another");
        self.skip_to(Expect::CommaOrEnd)
    }

    fn in_object(&self) -> bool {
        self.nest.depth() > 0 && !self.nest.in_array()
    }

    fn skip_to(&mut self, next: Expect) -> Expect {
        self.at += 1;
        next
    }

    fn skip_whitespace(&mut self) {
        self.at = skip_whitespace(self.text, self.at);
    }

    fn string(&mut self) -> Step<()> {
        self.at += 1;
        loop {
            match self.byte()? {
                b'"' => break,
                b'\\' => self.escape()?,
                0..0x20 => {
                    return self
                        .syntax("unescaped control character in string");
                }
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(())
    }

    fn escape(&mut self) -> Step<()> {
        let rest = part(self.text, self.at..);
        match escape(rest) {
            Some((_, used)) => self.at += used,
            None if is_cut_escape(rest) => {
                self.at = self.text.len();
                return self.fail(What::End);
            }
            None if escape_lossy(rest).is_some() => {
                return self.syntax("lone surrogate in string");
            }
            None => return self.syntax("invalid escape sequence"),
        }
        Ok(())
    }

    fn literal(&mut self, literal: &[u8]) -> Step<()> {
        let start = self.at;
        for expected in literal {
            if self.byte()? != *expected {
                self.at = start;
                return self.syntax("expected a value");
            }
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Step<()> {
        let start = self.at;
        if self.byte()? == b'-' {
            self.at += 1;
        }
        if self.byte()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let b'+' | b'-' = self.byte()? {
                self.at += 1;
            }
            self.digits()?;
        }
        // At the end of the text, the number may be truncated.
        self.byte()?;
        if scalar_end(self.text, start) == Some(self.at) {
            return Ok(());
        }
        self.at = start;
        self.syntax("number out of range")
    }

    /// Walks one or more digits.
    fn digits(&mut self) -> Step<()> {
        if !self.byte()?.is_ascii_digit() {
            return self.syntax("expected a digit");
        }
        while let Some(b'0'..=b'9') = self.text.get(self.at) {
            self.at += 1;
        }
        Ok(())
    }

    fn byte(&self) -> Step<u8> {
        match self.text.get(self.at) {
            Some(&byte) => Ok(byte),
            None => self.fail(What::End),
        }
    }

    fn syntax<T>(&self, why: &'static str) -> Step<T> {
        self.fail(What::Syntax(why))
    }

    fn fail<T>(&self, what: What) -> Step<T> {
        Err(Fault { at: self.at, what })
    }
}

/// Returns whether `rest`, which is not a valid escape, is the prefix of one
/// that the end of the text truncates: of `\uXXXX`, or of two of them if the
/// first is a high surrogate.
fn is_cut_escape(rest: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| match at % 6 {
        0 => *byte == b'\\',
        1 => *byte == b'u',
        _ => byte.is_ascii_hexdigit(),
    };
    let is_high = |unit: &[u8]| {
        matches!(unit, [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B'])
    };
    rest.len() < 12
        && rest.iter().enumerate().all(fits)
        && (rest.len() < 6 || rest.get(2..4).is_some_and(is_high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line is a text, the offset of its fault, and the fault.
    macro_rules! faults {
        ($($text:expr, $at:expr => $what:pat,)*) => {
            #[test]
            fn the_first_fault_is_found() {$(
                let fault = find_fault($text.as_ref(), 3).unwrap();
                let shown = $text.escape_ascii().to_string();
                assert_eq!(fault.at, $at, "{shown} {fault:?}");
                assert!(matches!(fault.what, $what), "{shown} {fault:?}");
            )*}
        };
    }

    faults! {
        b"", 0 => What::End,
        b"{", 1 => What::End,
        b"{\"a\"", 4 => What::End,
        b"{\"a", 3 => What::End,
        b"{\"a\":tru", 8 => What::End,
        b"{\"a\":1.", 7 => What::End,
        b"{\"a\":\"\\u12", 10 => What::End,
        b"{\"a\":\"\\", 7 => What::End,
        b"{\"a\":\"\\u", 8 => What::End,
        b"{\"a\":\"\\udc0", 11 => What::End,
        b"{\"a\":\"\\uDBff", 12 => What::End,
        b"{\"a\":\"\\ud800\\u00", 16 => What::End,
        b"{\"a\":\"\\udc00", 6 => What::Syntax("lone surrogate in string"),
        b"{\"a\":\"\\u1x", 6 => What::Syntax("invalid escape sequence"),
        b"{\"a\":\"\\x", 6 => What::Syntax("invalid escape sequence"),
        b"{\"a\":\"\\u1234", 12 => What::End,
        b"{\"a\":\"\xC3", 6 => What::End,
        b"{\"a\":1}{", 7 => What::TrailingData,
        b"{} x", 3 => What::TrailingData,
        b"{\"a\":1]", 6 => What::Syntax("expected `,` or `}`"),
        b"{\"a\":[1}", 7 => What::Syntax("expected `,` or `]`"),
        b"{a:1}", 1 => What::Syntax("expected a key"),
        b"{\"a\":1,}", 7 => What::Syntax("expected a key"),
        b"{\"a\" 1}", 5 => What::Syntax("expected `:`"),
        b"[1,]", 3 => What::Syntax("expected a value"),
        b"[tru]", 1 => What::Syntax("expected a value"),
        b"[01]", 2 => What::Syntax("expected `,` or `]`"),
        b"[1.]", 3 => What::Syntax("expected a digit"),
        b"[-]", 2 => What::Syntax("expected a digit"),
        b"[1e999]", 1 => What::Syntax("number out of range"),
        b"[\"\\x\"]", 2 => What::Syntax("invalid escape sequence"),
        b"[\"\\ud800\"]", 2 => What::Syntax("lone surrogate in string"),
        b"[\"a\tb\"]", 3 => What::Syntax("unescaped control character in string"),
        b"[\"\xFF\"]", 2 => What::Utf8,
        b"[1x,\"\xFF\"]", 2 => What::Syntax(_),
        b"[[[[]]]]", 3 => What::Depth,
    }

    #[test]
    fn good_text_has_no_fault() {
        let good = br#" {"a":[1,-0.5e+3,true,null,"\ud83c\udf4e\n/"],"":{}} "#;
        assert_eq!(find_fault(good, 3), None);
    }
}
