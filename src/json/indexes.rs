/*!
The memory for the indexes of lines, reused for the next line.

The index of a line is built where it stays until the next line. All other
indexes, those of single containers and those of the lines of a batch, are built
in a scratch buffer, and a copy of the exact size is stored in the arena.

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
    /// Whether the index of a line stays in place.
    is_in_place: bool,
    /// The index of the current line.
    line: OnceCell<Box<Index>>,
    /// The memory for that index, until it is built. There is none at first.
    spare: Cell<Option<Box<Index>>>,
    /// The memory in which other indexes are built.
    scratch: Cell<Option<Box<Index>>>,
}

impl Indexes {
    /// Returns memory in which the index of one line at a time is not copied.
    /// The default memory copies all indexes.
    pub(crate) fn in_place() -> Indexes {
        Indexes { is_in_place: true, ..Indexes::default() }
    }

    /// Builds the index of a line with `fill`, and returns it and what `fill`
    /// has returned. `fill` is told whether the index stays in place, and is
    /// not copied.
    #[inline]
    pub(crate) fn of_line<'a, T, E>(
        &'a self,
        arena: &'a Bump,
        fill: impl FnOnce(&mut Index, bool) -> Result<T, E>,
    ) -> Result<(T, IndexRef<'a>), E> {
        if !self.is_in_place || self.line.get().is_some() {
            return self.copied(arena, |index| fill(index, false));
        }
        let mut index = self.spare.take().unwrap_or_default();
        match fill(&mut index, true) {
            Ok(filled) => {
                let index = self.line.get_or_init(|| index);
                Ok((filled, index.view()))
            }
            Err(error) => {
                self.spare.set(Some(index));
                Err(error)
            }
        }
    }

    /// Builds an index with `fill`, and returns a copy of it that is stored in
    /// the arena, and what `fill` has returned.
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
        let Indexes { spare, scratch, .. } = self;
        let sizes = [spare, scratch].map(|cell| {
            cell.get_mut().as_mut().map_or(0, |index| index.capacity())
        });
        sizes.iter().sum()
    }
}
