/*!
The memory for the indexes of lines, reused for the next line.

The first index of a line is built where it stays until the next line. All other
indexes are built in a scratch buffer, and a copy of the exact size is stored in
the arena: those of single containers, and a second index of one line.

```text
spare ──build──▶ line ──recycle──▶ spare     the index of the current line
spare ──build──▶ ahead ─▶ line ──▶ spare     the same, if it was built when the
                                             end of the line was searched
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
    /// Memory for the next index of a line.
    spare: Cell<Option<Box<Index>>>,
    /// The last index that was built with the search for the end of its line,
    /// and has not been asked for. The caller knows whether that line is the
    /// current one.
    ahead: Cell<Option<Box<Index>>>,
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
        // The index that was built ahead is not read any more: either it is
        // that of an earlier line, or this one replaces it.
        let unused = self.spare.take().or_else(|| self.ahead.take());
        self.kept_in_place(unused.unwrap_or_default(), fill)
    }

    /// Completes the index that was built ahead for this line with `complete`,
    /// and returns what it has returned, and the index. `None` if there is no
    /// such index, or if it has been asked for before.
    pub(crate) fn built_ahead<'a, T, E>(
        &'a self,
        complete: impl FnOnce(&mut Index) -> Result<T, E>,
    ) -> Option<Result<(T, IndexRef<'a>), E>> {
        let index = self.ahead.take()?;
        match self.line.get() {
            Some(_) => None,
            None => Some(self.kept_in_place(index, complete)),
        }
    }

    /// Calls `job` with the index that was built ahead for this line. `None` if
    /// there is no such index, or if it has been asked for before.
    pub(crate) fn read_ahead<R>(
        &self,
        job: impl FnOnce(IndexRef<'_>) -> R,
    ) -> Option<R> {
        let index = self.ahead.take()?;
        let result = job(index.view());
        self.ahead.set(Some(index));
        Some(result)
    }

    /// Builds the index of the next line with `fill`, in the search for the
    /// end of that line.
    #[inline]
    pub(crate) fn build_ahead<T>(
        &mut self,
        fill: impl FnOnce(&mut Index) -> Option<T>,
    ) -> Option<T> {
        self.recycle();
        // The index that was built ahead for the last line may be unused.
        let Indexes { ahead, spare, .. } = self;
        let unused = ahead.take().or_else(|| spare.take());
        let mut index = unused.unwrap_or_default();
        let filled = fill(&mut index);
        let place = if filled.is_some() { ahead } else { spare };
        place.set(Some(index));
        filled
    }

    #[inline]
    fn kept_in_place<T, E>(
        &self,
        mut index: Box<Index>,
        fill: impl FnOnce(&mut Index) -> Result<T, E>,
    ) -> Result<(T, IndexRef<'_>), E> {
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
        let Indexes { line, spare, ahead, scratch, .. } = self;
        debug_assert!(line.get().is_none(), "not recycled");
        let sizes = [spare, ahead, scratch].map(|cell| {
            cell.get_mut().as_mut().map_or(0, |index| index.capacity())
        });
        sizes.iter().sum()
    }
}
