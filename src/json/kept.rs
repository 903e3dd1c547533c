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

use crate::{
    error::Position,
    json::{
        Container, IndexRef, State, Text,
        walk::{Indexed, Walk},
    },
    scan::unescape,
};

/// The text and the index of a checked line.
pub(crate) struct Kept {
    pub(crate) line: Box<str>,
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
                line: line.into(),
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
        let (line, quotes) = (text.into_boxed_str(), moved.into());
        Some(Kept { line, quotes, containers, position })
    }

    /// Returns the size of the allocated memory in bytes.
    pub(crate) fn size(&self) -> usize {
        self.line.len()
            + size_of_val(&*self.quotes)
            + size_of_val(&*self.containers)
    }
}

impl Indexed for Kept {
    #[inline(always)]
    fn walk(&self) -> Walk<'_> {
        Walk {
            bytes: self.line.as_bytes(),
            quotes: &self.quotes,
            containers: &self.containers,
        }
    }

    #[inline(always)]
    fn is_escaped(&self, _: usize) -> bool {
        false
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
        write!(f, "Kept({})", self.line)
    }
}
