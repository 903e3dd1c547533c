/*!
The memory for the indexes of lines, reused for the next line.

The first index of a line is built where it stays until the next line. All other
indexes are built in a scratch buffer, and a copy of the exact size is stored in
the arena: those of single containers, those of the lines of a batch, and a
second index of one line.

```text
spare ──build──▶ line ──recycle──▶ spare     the index of the current line
scratch ──build──▶ copy in the arena         other indexes
```
*/

use std::cell::{Cell, OnceCell};

use bumpalo::Bump;

use crate::json::{Index, IndexRef};

/// The memory for indexes.
#[derive(Default)]
pub(crate) struct Indexes {
    /// Whether the first index of a line stays in place.
    is_in_place: bool,
    /// The index of the current line.
    line: OnceCell<Box<Index>>,
    /// The memory for the next index of a line. `None` if `line` has it, and
    /// before the first line.
    spare: Cell<Option<Box<Index>>>,
    /// The memory in which other indexes are built.
    scratch: Cell<Option<Box<Index>>>,
}

impl Indexes {
    /// Returns memory for one line at a time, whose first index stays in
    /// place. With the default, all indexes are copied.
    pub(crate) fn in_place() -> Indexes {
        Indexes { is_in_place: true, ..Indexes::default() }
    }

    /// Builds the index of a line with `fill`, and returns what `fill` has
    /// returned, and the index.
    #[inline]
    pub(crate) fn of_line<'a, T, E>(
        &'a self,
        arena: &'a Bump,
        fill: impl FnOnce(&mut Index) -> Result<T, E>,
    ) -> Result<(T, IndexRef<'a>), E> {
        if !self.is_in_place || self.line.get().is_some() {
            return self.copied(arena, fill);
        }
        let mut index = self.spare.take().unwrap_or_default();
        match fill(&mut index) {
            Ok(filled) => {
                debug_assert!(self.line.get().is_none(), "`fill` has set it");
                let index = self.line.get_or_init(|| index);
                Ok((filled, index.view()))
            }
            Err(error) => {
                self.spare.set(Some(index));
                Err(error)
            }
        }
    }

    /// Does the same, but returns a copy of the index in the arena.
    pub(crate) fn copied<'a, T, E>(
        &self,
        arena: &'a Bump,
        fill: impl FnOnce(&mut Index) -> Result<T, E>,
    ) -> Result<(T, IndexRef<'a>), E> {
        self.with_scratch(|index| {
            let filled = fill(index)?;
            Ok((filled, index.view().copied(arena)))
        })
    }

    /// Calls `job` with an index whose memory is reused afterwards.
    pub(crate) fn with_scratch<R>(
        &self,
        job: impl FnOnce(&mut Index) -> R,
    ) -> R {
        let mut index = self.scratch.take().unwrap_or_default();
        let result = job(&mut index);
        self.scratch.set(Some(index));
        result
    }

    /// Makes the memory of the current line available to the next one.
    #[inline]
    pub(crate) fn recycle(&mut self) {
        if let Some(index) = self.line.take() {
            self.spare.set(Some(index));
        }
    }

    /// Returns the size of the allocated memory in bytes. The current line
    /// must have been recycled.
    pub(crate) fn capacity(&mut self) -> usize {
        let Indexes { line, spare, scratch, .. } = self;
        debug_assert!(line.get().is_none(), "not recycled");
        let sizes = [spare, scratch].map(|cell| {
            cell.get_mut().as_mut().map_or(0, |index| index.capacity())
        });
        sizes.iter().sum()
    }
}
