/*!
The structural index of a line: the offsets of its strings and containers.

An index is made in one pass over blocks of 64 bytes, with bit masks for quotes
and brackets. It has the offset of every quote that begins or ends a string, and
the offset of the end of every object and array. With it, a string or a
container is skipped in O(1), whatever its length:

```text
{"a":{"b":"c"},"d":1}

quotes       1 3   6 8   10 12   15 17
containers   #0: closes at 20; next are quote #8 and container #2
             #1: closes at 13; next are quote #6 and container #2
```

The pass checks that all strings are closed and all brackets match. Commas,
colons, numbers and literals are checked when they are read.
*/

use std::cell::{Cell, OnceCell};

use bumpalo::Bump;

use crate::{
    json::{Checks, Policy, TopFault},
    scan::{BLOCK, Simd, StringMasks, Strings, part},
};

/// The index of one line. Its memory is reused for the next line.
#[derive(Default)]
pub(crate) struct Index {
    /// The offsets of quotes. Only the first `quote_count` are valid.
    quotes: Vec<u32>,
    quote_count: usize,
    escaped: BitList,
    containers: Vec<Container>,
    /// The value of the member `type`, or the fault of the outermost object,
    /// once that has been checked.
    pub(crate) name: OnceCell<Result<Option<Cursor>, TopFault>>,
    /// The members of the outermost object, if they have been noted.
    members: OnceCell<Vec<Member>>,
    /// The memory in which members are noted. Empty while `members` has it.
    members_memory: Cell<Vec<Member>>,
}

/// An index that belongs to a text, in place or as a copy.
#[derive(Clone, Copy)]
pub(crate) struct IndexRef<'a> {
    pub(crate) quotes: &'a [u32],
    /// A bit for each string: whether it contains a backslash or a control
    /// character.
    pub(crate) escaped: &'a [u64],
    pub(crate) containers: &'a [Container],
    /// The index itself, if this is not a copy.
    pub(crate) in_place: Option<&'a Index>,
}

impl<'a> IndexRef<'a> {
    /// The index of a number or literal.
    pub(crate) const EMPTY: IndexRef<'a> = IndexRef {
        quotes: &[],
        escaped: &[],
        containers: &[],
        in_place: None,
    };

    /// Returns a copy that is stored in `arena`, without members.
    pub(crate) fn copied<'b>(self, arena: &'b Bump) -> IndexRef<'b> {
        IndexRef {
            quotes: arena.alloc_slice_copy(self.quotes),
            escaped: arena.alloc_slice_copy(self.escaped),
            containers: arena.alloc_slice_copy(self.containers),
            in_place: None,
        }
    }

    /// Returns the members of the outermost object. If they have not been
    /// noted yet, `collect` collects them. A copy has none.
    #[inline(always)]
    pub(crate) fn members(
        self,
        collect: impl FnOnce(&mut Vec<Member>),
    ) -> Option<&'a [Member]> {
        let index = self.in_place?;
        Some(index.members.get_or_init(|| {
            let mut members = index.members_memory.take();
            collect(&mut members);
            members
        }))
    }

    /// Returns whether the string with this number has an escape or a control
    /// character.
    #[inline(always)]
    pub(crate) fn is_escaped(self, string: usize) -> bool {
        let bits = self.escaped.get(string / 64).copied();
        debug_assert!(bits.is_some(), "there is a bit for each string");
        bits.unwrap_or(!0) >> (string % 64) & 1 == 1
    }
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// The offsets of the start and end of its key, without the quotes.
    pub(crate) key: (usize, usize),
    pub(crate) value: Cursor,
}

/// The start of a token: the number of bytes, quotes and containers before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) at: usize,
    pub(crate) quote: usize,
    pub(crate) container: usize,
}

/// An object or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    /// The offset of its opening bracket.
    pub(crate) open: u32,
    /// The offset of its closing bracket. While the container is open, the
    /// index of its parent instead.
    pub(crate) close: u32,
    /// The number of quotes before its end.
    pub(crate) quotes: u32,
    /// The number of containers that begin before its end.
    pub(crate) containers: u32,
}

/// Sentinel for "no parent", of the outermost container.
const NONE: u32 = u32::MAX;

impl Index {
    /// Returns the index of the text that was indexed last.
    #[inline]
    pub(crate) fn view(&self) -> IndexRef<'_> {
        IndexRef {
            quotes: part(&self.quotes, ..self.quote_count),
            escaped: &self.escaped.words,
            containers: &self.containers,
            in_place: Some(self),
        }
    }

    /// Releases the memory that is not in use.
    pub(crate) fn shrink(&mut self) {
        self.quotes.truncate(self.quote_count);
        self.quotes.shrink_to_fit();
        self.escaped.words.shrink_to_fit();
        self.containers.shrink_to_fit();
        self.members_memory = Cell::default();
    }

    /// Returns the size of the allocated memory in bytes.
    pub(crate) fn capacity(&mut self) -> usize {
        let noted = self.members.get_mut();
        let members = noted.map_or(0, |members| members.capacity())
            + self.members_memory.get_mut().capacity();
        self.quotes.capacity() * size_of::<u32>()
            + self.escaped.words.capacity() * size_of::<u64>()
            + self.containers.capacity() * size_of::<Container>()
            + members * size_of::<Member>()
    }

    /// Clears the index for a text. `None` if its offsets do not fit.
    fn clear_for(&mut self, text: &[u8]) -> Option<()> {
        self.containers.clear();
        self.name.take();
        if let Some(mut members) = self.members.take() {
            members.clear();
            self.members_memory.set(members);
        }
        self.escaped.clear();
        self.quote_count = 0;
        // Offsets are stored as `u32`.
        u32::try_from(text.len()).ok().map(|_| ())
    }

    /// Adds the quotes of the block that begins at `start`, and whether the
    /// strings that end in it have `special` bytes.
    #[inline(always)]
    fn add_strings<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        masks: StringMasks,
        special: u64,
        strings: &mut Strings,
    ) {
        if let Some(room) = self.room() {
            simd.indexes(masks.quotes, start as u32, room);
            self.quote_count += masks.quotes.count_ones() as usize;
        }
        let marked = strings.ends_with(special, masks.inside);
        let ends = masks.quotes & !masks.inside;
        self.escaped.push(simd.extract(marked, ends), ends.count_ones());
    }

    /// Adds the container that the bracket at `at` opens.
    #[inline(always)]
    fn push(&mut self, at: usize, parent: u32) {
        self.containers.push(Container {
            open: at as u32,
            close: parent,
            quotes: 0,
            containers: 0,
        });
    }

    /// Closes a container at the bracket at `at`, which comes after the quotes
    /// `before` of its block. Returns its parent. `None` if there is no such
    /// container.
    #[inline(always)]
    fn close(&mut self, inner: u32, at: usize, before: u64) -> Option<u32> {
        let next = self.containers.len() as u32;
        let inner = self.containers.get_mut(inner as usize)?;
        let quotes = self.quote_count + before.count_ones() as usize;
        let parent = inner.close;
        inner.close = at as u32;
        inner.quotes = quotes as u32;
        inner.containers = next;
        Some(parent)
    }

    /// Returns room for the offsets of one more block, at the end.
    #[inline(always)]
    fn room(&mut self) -> Option<&mut [u32; BLOCK]> {
        let end = self.quote_count + BLOCK;
        if self.quotes.len() < end {
            self.grow(end);
        }
        let room = self.quotes.get_mut(self.quote_count..end)?;
        room.first_chunk_mut()
    }

    #[cold]
    fn grow(&mut self, least: usize) {
        self.quotes.resize((2 * least).max(1024), 0);
    }
}

/// Makes an index of what a pass finds on its way. The pass has found that the
/// brackets match.
pub(crate) struct Indexing<'i> {
    index: &'i mut Index,
    /// The index of the innermost open container.
    inner: u32,
}

impl<'i> Indexing<'i> {
    /// Begins the index of a line. `None` if its offsets do not fit.
    pub(crate) fn new(
        index: &'i mut Index,
        text: &[u8],
    ) -> Option<Indexing<'i>> {
        index.clear_for(text)?;
        Some(Indexing { index, inner: NONE })
    }
}

impl Policy for Indexing<'_> {
    const CHECKS: Checks = Checks::Brackets;

    #[inline(always)]
    fn open(&mut self, at: usize) {
        let next = self.index.containers.len() as u32;
        self.index.push(at, self.inner);
        self.inner = next;
    }

    #[inline(always)]
    fn matches(&self, text: &[u8], bracket: u8) -> bool {
        let inner = self.index.containers.get(self.inner as usize);
        let open = inner.and_then(|inner| text.get(inner.open as usize));
        // In ASCII, `}` is `{` + 2, and `]` is `[` + 2.
        open == Some(&(bracket - 2))
    }

    #[inline(always)]
    fn close(&mut self, at: usize, before: u64) {
        if let Some(parent) = self.index.close(self.inner, at, before) {
            self.inner = parent;
        }
    }

    #[inline(always)]
    fn strings<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        masks: StringMasks,
        special: u64,
        strings: &mut Strings,
    ) {
        self.index.add_strings(simd, start, masks, special, strings);
    }

    #[inline(always)]
    fn end(&mut self) {
        self.index.escaped.end();
    }
}

/// A growable list of bits.
#[derive(Debug, Default)]
struct BitList {
    words: Vec<u64>,
    /// The last bits, fewer than 64. `used` is their number.
    last: u64,
    used: u32,
}

impl BitList {
    fn clear(&mut self) {
        self.words.clear();
        (self.last, self.used) = (0, 0);
    }

    /// Appends the lowest `count` bits of `bits`, whose other bits are zero.
    /// `count` is at most 32, because every string has two quotes.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: u32) {
        self.last |= bits << (self.used & 63);
        self.used += count;
        if self.used >= 64 {
            self.words.push(self.last);
            self.used -= 64;
            // The bits that did not fit.
            self.last = bits >> (count - self.used);
        }
    }

    fn end(&mut self) {
        self.words.push(self.last);
    }
}
