/*!
The values of a valid line, read one after another.

A [`Tokens`] is at the start of a value, and reading the value moves it to the
next token. Nothing is read twice: a [`Value`](crate::json::Value) finds the end
of each member before it is read.
*/

use crate::{
    error::Misfit,
    json::{
        Container, Cursor, Number,
        text_value::{Home, position},
        walk::Walk,
    },
    scan::{Either, scalar_end, short_integer, skip_whitespace, unescape},
};

/// Reads the values of a valid line in their order.
pub(crate) trait Tokens<'de> {
    /// Returns a number that is another one for each value.
    fn mark(&self) -> usize;

    /// Adds the location of the value with a mark to an error that has none.
    fn place(&self, mark: usize, misfit: &mut Misfit);

    /// Returns the first byte of the value. For a number, `-` or a digit.
    fn first(&self) -> u8;

    /// Reads a string, unescaped.
    fn string(&mut self) -> &'de str;

    /// Reads a number. `None` if the value is another one.
    fn number(&mut self) -> Option<Number>;

    /// Moves past any value.
    fn skip(&mut self);

    /// Does the same for a value that has not been read.
    #[cold]
    fn skip_unread(&mut self) {
        self.skip();
    }

    /// Moves into a container. Returns what identifies it.
    fn enter(&mut self) -> usize;

    /// Returns whether the container has another item, and moves to it.
    fn next_item(&mut self, container: usize) -> bool;

    /// Reads the key of the next member, and moves to its value.
    fn next_key(&mut self, container: usize) -> Option<&'de str>;

    /// Returns whether these are at the end of the container. `false` may be
    /// wrong.
    fn is_end(&self, container: usize) -> bool;

    /// Moves past a container from any place in it.
    fn leave(&mut self, container: usize);
}

/// The values in the text of a line, found by its index.
pub(crate) struct TextTokens<'de> {
    line: &'de str,
    containers: &'de [Container],
    /// The offsets of the quotes of the strings.
    strings: &'de [[u32; 2]],
    /// A bit for each string: whether it has escapes. Empty if none has.
    escaped: &'de [u64],
    at: usize,
    /// The number of strings and of containers before `at`.
    string: usize,
    container: usize,
    home: Home<'de>,
}

impl<'de> TextTokens<'de> {
    /// Returns the values from `cursor` on.
    pub(crate) fn new(
        line: &'de str,
        walk: Walk<'de>,
        cursor: Cursor,
        home: Home<'de>,
    ) -> TextTokens<'de> {
        let escaped = match home.get() {
            Either::First(text) => text.index.escaped,
            Either::Second(_) => &[],
        };
        let has_escapes = escaped.iter().any(|word| *word != 0);
        TextTokens {
            line,
            containers: walk.containers,
            strings: walk.quotes.as_chunks().0,
            escaped: if has_escapes { escaped } else { &[] },
            at: cursor.at,
            string: cursor.quote / 2,
            container: cursor.container,
            home,
        }
    }

    #[inline(always)]
    fn byte(&self, at: usize) -> Option<u8> {
        self.line.as_bytes().get(at).copied()
    }

    /// Returns the next byte that is not whitespace, and moves to it.
    #[inline(always)]
    fn token(&mut self) -> u8 {
        match self.byte(self.at) {
            Some(byte @ b'!'..) => byte,
            _ => self.spaced_token(),
        }
    }

    #[inline(never)]
    fn spaced_token(&mut self) -> u8 {
        self.at = skip_whitespace(self.line.as_bytes(), self.at);
        self.first()
    }

    /// Returns the next string, and moves past it.
    #[inline(always)]
    fn next_string(&mut self) -> Option<&'de str> {
        let [open, close] = *self.strings.get(self.string)?;
        let (start, end) = (open as usize + 1, close as usize);
        let string = self.string;
        self.string += 1;
        self.at = end + 1;
        let escaped = self.escaped.get(string / 64).copied().unwrap_or(0);
        if escaped >> (string % 64) & 1 == 1
            && let Either::First(text) = self.home.get()
        {
            let state = text.source.state;
            let rest = self.line.get(start..)?;
            return unescape(state.scanner, rest, end - start, state.arena());
        }
        self.line.get(start..end)
    }

    /// Moves past a number or literal.
    #[inline(never)]
    fn skip_scalar(&mut self) {
        let end = scalar_end(self.line.as_bytes(), self.at);
        debug_assert!(end.is_some(), "no value at {}", self.at);
        self.at = end.unwrap_or(usize::MAX);
    }
}

impl<'de> Tokens<'de> for TextTokens<'de> {
    #[inline(always)]
    fn mark(&self) -> usize {
        self.at
    }

    #[cold]
    fn place(&self, mark: usize, misfit: &mut Misfit) {
        misfit.or_at(position(self.home, mark));
    }

    #[inline(always)]
    fn first(&self) -> u8 {
        // No value is at the end of a line.
        self.byte(self.at).unwrap_or(0)
    }

    #[inline(always)]
    fn string(&mut self) -> &'de str {
        let text = self.next_string();
        debug_assert!(text.is_some(), "no string before {}", self.at);
        text.unwrap_or_default()
    }

    #[inline]
    fn number(&mut self) -> Option<Number> {
        let rest = self.line.as_bytes().get(self.at..)?;
        if let Some((number, length)) = short_integer(rest) {
            self.at += length;
            return Some(Number::Unsigned(number));
        }
        let end = scalar_end(self.line.as_bytes(), self.at)?;
        let number = Number::parse(self.line.get(self.at..end)?)?;
        self.at = end;
        Some(number)
    }

    #[inline(always)]
    fn skip(&mut self) {
        match self.first() {
            b'"' => {
                let [_, close] =
                    self.strings.get(self.string).unwrap_or(&[0; 2]);
                self.at = *close as usize + 1;
                self.string += 1;
            }
            b'{' | b'[' => self.leave(self.container),
            _ => self.skip_scalar(),
        }
    }

    #[inline(always)]
    fn enter(&mut self) -> usize {
        let container = self.container;
        self.at += 1;
        self.container += 1;
        container
    }

    #[inline(always)]
    fn next_item(&mut self, _: usize) -> bool {
        let mut byte = self.token();
        if byte == b',' {
            self.at += 1;
            byte = self.token();
        }
        !matches!(byte, b']' | 0)
    }

    #[inline]
    fn next_key(&mut self, _: usize) -> Option<&'de str> {
        // After a comma, the next string is the key.
        if !matches!(self.token(), b',' | b'"') {
            return None;
        }
        let key = self.next_string()?;
        match (self.byte(self.at), self.byte(self.at + 1)) {
            (Some(b':'), Some(b'!'..)) => self.at += 1,
            _ => {
                self.token();
                self.at += 1;
                self.token();
            }
        }
        Some(key)
    }

    #[inline(always)]
    fn is_end(&self, _: usize) -> bool {
        matches!(self.first(), b'}' | b']')
    }

    #[inline(always)]
    fn leave(&mut self, container: usize) {
        match self.containers.get(container) {
            Some(container) => {
                self.at = container.close as usize + 1;
                self.string = container.quotes as usize / 2;
                self.container = container.containers as usize;
            }
            None => {
                debug_assert!(false, "no container {container}");
                self.at = usize::MAX;
            }
        }
    }
}
