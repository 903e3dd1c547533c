/*!
The memory for the indexes of lines, reused for the next line.

The index of a line is built where it stays until the next line, perhaps while
the end of the line is searched. Indexes of single containers are built in a
scratch buffer, and a copy of the exact size is stored in the arena:

```text
spare ──build──▶ line ──recycle──▶ spare     the index of the current line
scratch ──build──▶ copy in the arena         indexes of containers
```
*/

use std::cell::{Cell, OnceCell};

use crate::json::Index;

/// The memory for indexes.
#[derive(Default)]
pub(crate) struct Indexes {
    /// The index of the current line.
    line: OnceCell<Box<Index>>,
    /// Memory for the index of the next line.
    spare: Cell<Option<Box<Index>>>,
    /// The memory in which other indexes are built.
    scratch: Cell<Option<Box<Index>>>,
}

impl Indexes {
    /// Returns the index of the current line, if it has one.
    #[inline]
    pub(crate) fn line(&self) -> Option<&Index> {
        self.line.get().map(|index| &**index)
    }

    /// Builds the index of the current line, which has none yet, with `fill`.
    #[inline]
    pub(crate) fn build<T>(
        &self,
        fill: impl FnOnce(&mut Index) -> Option<T>,
    ) -> Option<T> {
        debug_assert!(self.line.get().is_none(), "it has one");
        let mut index = self.spare.take().unwrap_or_default();
        let filled = fill(&mut index);
        if filled.is_none() {
            self.spare.set(Some(index));
        } else {
            self.line.get_or_init(|| index);
        }
        filled
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

    /// Returns the size of the allocated memory in bytes.
    pub(crate) fn capacity(&mut self) -> usize {
        let Indexes { line, spare, scratch } = self;
        let size = |index: Option<&mut Box<Index>>| {
            index.map_or(0, |index| index.capacity())
        };
        size(line.get_mut())
            + size(spare.get_mut().as_mut())
            + size(scratch.get_mut().as_mut())
    }

    /// Releases the memory that the index of the current line does not need.
    pub(crate) fn release(&mut self) {
        self.spare = Cell::default();
        self.scratch = Cell::default();
        if let Some(index) = self.line.get_mut() {
            index.shrink();
        }
    }
}
