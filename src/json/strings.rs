/*!
The strings of a line, along its text and without an index.

The quotes of the next blocks are found at a time, and kept in a small buffer.
A string that a colon follows is a key, and is left out.
*/

use std::{fmt, iter::FusedIterator};

use crate::{
    json::Source,
    scan::{
        BLOCK, Job, Simd, Strings, part, skip_whitespace, unescape,
        unescape_lossy,
    },
};

/// How many quotes are kept: those of four blocks, at least.
const ROOM: usize = 4 * BLOCK;

/// An iterator over the strings of a line that are values, from
/// [`Line::strings`](crate::Line::strings).
///
/// A string has U+FFFD for each [lone surrogate](crate::Value::as_str_lossy).
/// Any other invalid string ends the iteration.
///
/// # Example
///
/// This shows that keys are left out.
///
/// ```
/// let mut decoder = linetape::Decoder::new();
/// let line = decoder.line(br#"{"a":"b","c":["\u0064",1]}"#);
/// let strings: Vec<&str> = line.strings()?.collect();
/// assert_eq!(strings, ["b", "d"]);
/// # Ok::<(), linetape::Error>(())
/// ```
pub struct StringValues<'a> {
    source: Source<'a>,
    line: &'a str,
    /// The state after the blocks that have been read.
    strings: Strings,
    /// The offset of the next block.
    next: usize,
    /// The offsets of quotes that have been found. `taken` of them have been
    /// returned, and `found` is the number of all.
    quotes: [u32; ROOM],
    taken: usize,
    found: usize,
    /// A bit for each closing quote, by its place in `quotes`: whether its
    /// string has an escape or a control character.
    escaped: [u64; ROOM / 64],
}

impl<'a> StringValues<'a> {
    pub(crate) fn new(source: Source<'a>, line: &'a str) -> StringValues<'a> {
        StringValues {
            source,
            line,
            strings: Strings::default(),
            next: 0,
            quotes: [0; ROOM],
            taken: 0,
            found: 0,
            escaped: [0; ROOM / 64],
        }
    }

    /// Finds more quotes. Returns false at the end of the line.
    fn refill(&mut self) -> bool {
        // An opening quote whose closing quote is not found yet stays.
        let left = self.found - self.taken;
        let open = self.quotes.get(self.taken).copied();
        self.escaped = [0; ROOM / 64];
        self.taken = 0;
        self.found = 0;
        if let (1, Some(open), [first, ..]) = (left, open, &mut self.quotes) {
            *first = open;
            self.found = 1;
        }
        let scanner = self.source.state.scanner;
        scanner.run(Fill { values: self });
        self.found > 1
    }
}

struct Fill<'v, 'a> {
    values: &'v mut StringValues<'a>,
}

impl Job for Fill<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let StringValues {
            line, strings, next, quotes, found, escaped, ..
        } = self.values;
        let text = line.as_bytes();
        let (mut state, mut count) = (*strings, *found);
        while let Some(rest) = text.get(*next..)
            && !rest.is_empty()
        {
            let room = quotes.get_mut(count..);
            let room = room.and_then(|room| room.first_chunk_mut::<BLOCK>());
            let Some(room) = room else { break };
            let block = match rest.first_chunk::<BLOCK>() {
                Some(bytes) => simd.load(bytes),
                None => simd.load_part(rest),
            };
            let mut masks = state.step(simd, block);
            // A backslash outside of a string makes the masks after it wrong,
            // so the iteration ends there.
            let outside = masks.backslashes & !masks.inside;
            let before = (outside & outside.wrapping_neg()).wrapping_sub(1);
            masks.quotes &= before;
            let special = masks.backslashes | simd.controls(block);
            let mut marked = state.ends_with(special, masks.inside);
            simd.indexes(masks.quotes, *next as u32, room);
            // The sum that finds marked strings also leaves other bits.
            marked &= masks.quotes;
            while marked != 0 {
                let below = (marked & marked.wrapping_neg()) - 1;
                marked &= marked - 1;
                let at = count + (masks.quotes & below).count_ones() as usize;
                if let Some(word) = escaped.get_mut(at / 64) {
                    *word |= 1 << (at % 64);
                }
            }
            count += masks.quotes.count_ones() as usize;
            if outside != 0 {
                *next = text.len();
                break;
            }
            *next += BLOCK;
        }
        (*strings, *found) = (state, count);
    }
}

impl<'a> Iterator for StringValues<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let text = self.line.as_bytes();
        loop {
            while self.taken + 1 < self.found {
                let at = self.taken;
                let (open, close) = match self.quotes.get(at..at + 2)? {
                    [open, close] => (*open as usize, *close as usize),
                    _ => return None,
                };
                self.taken += 2;
                let is_key = match text.get(close + 1) {
                    Some(b':') => true,
                    Some(b'!'..) => false,
                    _ => {
                        let after = skip_whitespace(text, close + 1);
                        text.get(after) == Some(&b':')
                    }
                };
                if is_key {
                    continue;
                }
                let word = self.escaped.get((at + 1) / 64).copied();
                debug_assert!(word.is_some(), "there is a bit for each quote");
                if word.unwrap_or(!0) >> ((at + 1) % 64) & 1 == 0 {
                    return self.line.get(open + 1..close);
                }
                let (scanner, arena) =
                    (self.source.state.scanner, self.source.state.arena());
                let rest = self.line.get(open + 1..)?;
                let len = close - open - 1;
                let found = unescape(scanner, rest, len, arena)
                    .or_else(|| unescape_lossy(rest.get(..len)?, arena));
                if found.is_none() {
                    // An invalid string ends the iteration.
                    (self.taken, self.found) = (0, 0);
                    self.next = text.len();
                }
                return found;
            }
            if !self.refill() {
                return None;
            }
        }
    }
}

impl FusedIterator for StringValues<'_> {}

impl fmt::Debug for StringValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = part(&self.quotes, self.taken..).first().copied();
        write!(f, "StringValues({at:?})")
    }
}
