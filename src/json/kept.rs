/*!
A checked line that owns its text and index, with all strings unescaped.

Strings with escapes are unescaped in place, so that the text only becomes
shorter, and the index has the offsets in the new text:

```text
{"a":"b\n","c":1}     as it is written
{"a":"b⏎","c":1}      as it is kept; the index has the quotes
```

The text between strings is unchanged, so the walk over an index reads both.
*/

use std::fmt;

#[cfg(feature = "serde")]
use crate::json::tokens::{Home, TextTokens};
use crate::{
    error::Position,
    json::{
        Container, Cursor, IndexRef, Member, Number, State, Text,
        walk::{Walk, top},
    },
    scan::{part, scalar_end, unescape},
};

/// The text and the index of a checked line.
pub(crate) struct Kept {
    text: Box<str>,
    quotes: Box<[u32]>,
    containers: Box<[Container]>,
    pub(crate) position: Position,
}

impl Kept {
    /// Creates a kept line from a checked line. Returns `None` if the index does
    /// not belong to the line.
    pub(crate) fn new(text: &Text<'_>) -> Option<Kept> {
        let Text { line, index, source, .. } = *text;
        let State { position, scanner, .. } = *source.state;
        let IndexRef { quotes, containers, .. } = index;
        if index.escaped.iter().all(|word| *word == 0) {
            return Some(Kept {
                text: line.into(),
                quotes: quotes.into(),
                containers: containers.into(),
                position,
            });
        }
        let mut text = String::with_capacity(line.len());
        let mut moved = Vec::with_capacity(quotes.len());
        let (mut read, mut shift) = (0, 0);
        for (string, pair) in quotes.as_chunks::<2>().0.iter().enumerate() {
            let [open, close] = *pair;
            moved.push(open.checked_sub(shift)?);
            if index.is_escaped(string) {
                let start = open as usize + 1;
                text.push_str(line.get(read..start)?);
                let (rest, end) = (line.get(start..)?, close as usize);
                let len = end.checked_sub(start)?;
                text.push_str(unescape(
                    scanner,
                    rest,
                    len,
                    source.state.arena(),
                )?);
                shift = close.checked_sub(text.len() as u32)?;
                read = end;
            }
            moved.push(close.checked_sub(shift)?);
        }
        text.push_str(line.get(read..)?);
        let containers = move_containers(containers, quotes, &moved)?;
        let (text, quotes) = (text.into_boxed_str(), moved.into());
        Some(Kept { text, quotes, containers, position })
    }

    fn walk(&self) -> Walk<'_> {
        Walk {
            bytes: self.text.as_bytes(),
            quotes: &self.quotes,
            containers: &self.containers,
        }
    }

    /// Returns the size of the allocated memory in bytes.
    pub(crate) fn size(&self) -> usize {
        self.text.len()
            + size_of_val(&*self.quotes)
            + size_of_val(&*self.containers)
    }
}

/// Returns the containers with the offsets that they have after the quotes
/// were moved.
fn move_containers(
    containers: &[Container],
    quotes: &[u32],
    moved: &[u32],
) -> Option<Box<[Container]>> {
    // The shift after this many quotes.
    let shift = |count: usize| -> Option<u32> {
        let Some(last) = count.checked_sub(1) else { return Some(0) };
        quotes.get(last)?.checked_sub(*moved.get(last)?)
    };
    let mut before = 0;
    let mut made = Vec::with_capacity(containers.len());
    for container in containers {
        // Containers are in the order of their opening brackets.
        while quotes.get(before).is_some_and(|at| *at < container.open) {
            before += 1;
        }
        let closed = container.quotes as usize;
        made.push(Container {
            open: container.open.checked_sub(shift(before)?)?,
            close: container.close.checked_sub(shift(closed)?)?,
            ..*container
        });
    }
    Some(made.into())
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({})", self.text)
    }
}

/// A value of a kept line.
#[derive(Clone, Copy)]
pub(crate) struct KeptValue<'a> {
    line: &'a Kept,
    cursor: Cursor,
}

impl<'a> KeptValue<'a> {
    /// Returns the outermost value of a line.
    pub(crate) fn top(line: &'a Kept) -> KeptValue<'a> {
        KeptValue { line, cursor: top(line.text.as_bytes()) }
    }

    #[cfg(feature = "owned")]
    pub(crate) fn position(self) -> Position {
        self.line.position
    }

    /// Returns the value and all after it, to be read in their order.
    #[cfg(feature = "serde")]
    pub(crate) fn tokens(self) -> TextTokens<'a> {
        let KeptValue { line, cursor } = self;
        let home = Home::Kept(line.position);
        TextTokens::new(&line.text, line.walk(), cursor, home)
    }

    fn with(self, cursor: Cursor) -> KeptValue<'a> {
        KeptValue { cursor, ..self }
    }

    #[inline]
    fn byte(self) -> u8 {
        let bytes = self.line.text.as_bytes();
        bytes.get(self.cursor.at).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn as_str(self) -> Option<&'a str> {
        let (start, end) = self.line.walk().string(self.cursor)?;
        self.line.text.get(start..end)
    }

    fn scalar(self) -> Option<&'a str> {
        let start = self.cursor.at;
        let end = scalar_end(self.line.text.as_bytes(), start)?;
        self.line.text.get(start..end)
    }

    pub(crate) fn is_null(self) -> bool {
        self.byte() == b'n'
    }

    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.byte() {
            b't' => Some(true),
            b'f' => Some(false),
            _ => None,
        }
    }

    pub(crate) fn as_number(self) -> Option<Number> {
        match self.byte() {
            b'-' | b'0'..=b'9' => Number::parse(self.scalar()?),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn is_str(self) -> bool {
        self.byte() == b'"'
    }

    #[inline]
    pub(crate) fn is_object(self) -> bool {
        self.byte() == b'{'
    }

    #[inline]
    pub(crate) fn is_array(self) -> bool {
        self.byte() == b'['
    }

    /// Returns the start of the members or items of the container.
    #[inline]
    pub(crate) fn inside(self) -> KeptValue<'a> {
        self.with(self.line.walk().inside(self.cursor))
    }

    /// Returns the next item of an array, and moves past it.
    #[inline]
    pub(crate) fn next_value(&mut self) -> Option<KeptValue<'a>> {
        let item = self.line.walk().next_item(&mut self.cursor)?;
        Some(self.with(item))
    }

    /// Returns the next member of an object, and moves past it.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Option<(&'a str, KeptValue<'a>)> {
        let Member { key: (start, end), value } =
            self.line.walk().next_member(&mut self.cursor)?;
        Some((self.line.text.get(start..end)?, self.with(value)))
    }

    /// Returns an upper bound for the number of values and keys from here to
    /// the end of the line.
    #[inline]
    pub(crate) fn most_nodes(self) -> usize {
        self.line.text.len().saturating_sub(self.cursor.at).div_ceil(2)
    }

    /// Returns the number of members of an object.
    pub(crate) fn member_count(self) -> usize {
        let mut rest = self.inside();
        std::iter::from_fn(|| rest.next_member()).count()
    }

    /// Returns the values of the last members with these keys, in one pass.
    #[inline(never)]
    pub(crate) fn find_all<const N: usize>(
        self,
        wanted: [&str; N],
    ) -> [Option<KeptValue<'a>>; N] {
        let mut found = [None; N];
        let mut cursor = self.inside().cursor;
        let walk = self.line.walk();
        while let Some(Member { key: (start, end), value }) =
            walk.next_member(&mut cursor)
        {
            let key = part(walk.bytes, start..end);
            for (found, wanted) in found.iter_mut().zip(wanted) {
                if key == wanted.as_bytes() {
                    *found = Some(self.with(value));
                }
            }
        }
        found
    }
}
