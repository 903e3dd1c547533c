/*!
Where the strings and the containers of a line are.

An index is made in one pass, and holds what navigation needs and no more: the
place of every quote that begins or ends a string, and for every object and
array the place where it ends. So a string is read without looking for its end,
and a container is stepped over at once, whatever is in it:

```text
{"a":{"b":"c"},"d":1}

quotes       1 3   6 8   10 12   15 17
containers   #0: closes at 20, with quotes 8.. and container #2 behind it
             #1: closes at 13, with quotes 6.. and container #2 behind it
```

Making it checks that strings end, and that brackets match, down to the last
level. Commas, colons, numbers and words are left for whoever reads them.
*/

use crate::scan::{BLOCK, Blocks, Job, Scanner, Simd, Strings, part};

/// The quotes and containers of one text. Kept to be used again.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// All but the first `quote_count` are of no meaning.
    quotes: Vec<u32>,
    quote_count: usize,
    escaped: BitList,
    containers: Vec<Container>,
    /// The members of the outermost object, if they have been noted.
    pub(crate) members: Vec<Member>,
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Where its key begins and ends, without the quotes.
    pub(crate) key: (usize, usize),
    pub(crate) value: Cursor,
}

/// Where something begins: how many bytes, quotes and containers are before
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) at: usize,
    pub(crate) quote: usize,
    pub(crate) container: usize,
}

/// An object or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    /// Where it begins.
    pub(crate) open: u32,
    /// Where it ends. Until that is known: the number of the container that
    /// this one is in.
    pub(crate) close: u32,
    /// How many quotes stand before its end.
    pub(crate) quotes: u32,
    /// How many containers begin before its end.
    pub(crate) containers: u32,
}

/// There is none around the outermost.
const NONE: u32 = u32::MAX;

/// Something about a text cannot be right. What, is for others to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unbalanced;

impl Index {
    pub(crate) fn quotes(&self) -> &[u32] {
        part(&self.quotes, ..self.quote_count)
    }

    /// Returns a bit for each string: whether it contains a backslash or a
    /// control character.
    pub(crate) fn escaped(&self) -> &[u64] {
        &self.escaped.words
    }

    pub(crate) fn containers(&self) -> &[Container] {
        &self.containers
    }

    /// How many bytes of memory there are.
    pub(crate) fn capacity(&self) -> usize {
        self.quotes.capacity() * size_of::<u32>()
            + self.escaped.words.capacity() * size_of::<u64>()
            + self.containers.capacity() * size_of::<Container>()
            + self.members.capacity() * size_of::<Member>()
    }

    /// Indexes the strings and containers of `text`.
    #[inline]
    pub(crate) fn fill(
        &mut self,
        scanner: Scanner,
        text: &[u8],
        max_depth: usize,
    ) -> Result<(), Unbalanced> {
        self.clear_for(text)?;
        scanner.run(Fill { index: self, text, max_depth })
    }

    fn clear_for(&mut self, text: &[u8]) -> Result<(), Unbalanced> {
        self.containers.clear();
        self.members.clear();
        self.escaped.clear();
        self.quote_count = 0;
        // Every place in the text has to fit.
        u32::try_from(text.len()).map(|_| ()).map_err(|_| Unbalanced)
    }

    /// Adds the quotes of the block that begins at `start`.
    #[inline(always)]
    fn add_quotes<S: Simd>(&mut self, simd: S, quotes: u64, start: usize) {
        if let Some(room) = self.room() {
            simd.places(quotes, start as u32, room);
            self.quote_count += quotes.count_ones() as usize;
        }
    }

    /// Room for the quotes of one more block, behind those that there are.
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

struct Fill<'i, 't> {
    index: &'i mut Index,
    text: &'t [u8],
    max_depth: usize,
}

impl Job for Fill<'_, '_> {
    type Output = Result<(), Unbalanced>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<(), Unbalanced> {
        let Fill { index, text, max_depth } = self;
        let mut blocks = Blocks::new(text);
        let mut strings = Strings::default();
        let mut open = Open { inner: NONE, depth: 0 };
        while let Some((start, block)) = blocks.next(simd) {
            let masks = strings.step(simd, block);
            // Outside of a string it escapes nothing, so the masks are wrong.
            if masks.backslashes & !masks.inside != 0 {
                return Err(Unbalanced);
            }
            let (opening, closing) = simd.brackets(block);
            let brackets = (opening | closing) & !masks.inside;
            if brackets != 0 {
                let quotes = masks.quotes;
                open.follow(index, text, start, brackets, quotes, max_depth)?;
            }
            index.add_quotes(simd, masks.quotes, start);
            let special = masks.backslashes | simd.controls(block);
            let marked = strings.ends_with(special, masks.inside);
            let ends = masks.quotes & !masks.inside;
            index.escaped.push(simd.extract(marked, ends), ends.count_ones());
        }
        index.escaped.end();
        match open.depth == 0 && !strings.is_inside() {
            true => Ok(()),
            false => Err(Unbalanced),
        }
    }
}

/// Bits, one behind the other.
#[derive(Debug, Default)]
struct BitList {
    words: Vec<u64>,
    /// The last bits, fewer than 64.
    last: u64,
    used: u32,
}

impl BitList {
    fn clear(&mut self) {
        self.words.clear();
        (self.last, self.used) = (0, 0);
    }

    /// Adds the lowest `count` bits; the others are zero. There are never
    /// more than 32, for every string has two quotes.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: u32) {
        self.last |= bits << (self.used & 63);
        self.used += count;
        if self.used >= 64 {
            self.words.push(self.last);
            self.used -= 64;
            // What did not fit any more.
            self.last = bits.checked_shr(count - self.used).unwrap_or(0);
        }
    }

    fn end(&mut self) {
        self.words.push(self.last);
    }
}

/// The containers that are open.
struct Open {
    /// The number of the innermost one. It knows the next.
    inner: u32,
    depth: usize,
}

impl Open {
    /// Opens and closes what the brackets of a block open and close.
    #[inline(always)]
    fn follow(
        &mut self,
        index: &mut Index,
        text: &[u8],
        start: usize,
        mut brackets: u64,
        quotes: u64,
        max_depth: usize,
    ) -> Result<(), Unbalanced> {
        while brackets != 0 {
            let bit = brackets.trailing_zeros();
            brackets &= brackets - 1;
            let at = start + bit as usize;
            let byte = *text.get(at).ok_or(Unbalanced)?;
            let number = index.containers.len() as u32;
            if byte == b'{' || byte == b'[' {
                index.containers.push(Container {
                    open: at as u32,
                    close: self.inner,
                    quotes: 0,
                    containers: 0,
                });
                self.inner = number;
                self.depth += 1;
                if self.depth > max_depth {
                    return Err(Unbalanced);
                }
                continue;
            }
            let inner = index.containers.get_mut(self.inner as usize);
            let inner = inner.ok_or(Unbalanced)?;
            // `}` is two behind `{`, and `]` behind `[`.
            if text.get(inner.open as usize) != Some(&(byte - 2)) {
                return Err(Unbalanced);
            }
            let before = quotes & ((1 << bit) - 1);
            self.inner = inner.close;
            self.depth -= 1;
            inner.close = at as u32;
            inner.quotes =
                (index.quote_count + before.count_ones() as usize) as u32;
            inner.containers = number;
        }
        Ok(())
    }
}
