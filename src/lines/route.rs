/*!
The type and subtype of a line, without reading the rest of it.

The walk goes from member to member of the outermost object. A string is passed
over by looking for its closing quote, an object or array by following brackets
until the one that closes it: both are bits in the masks of 64-byte blocks, so
that most blocks cost nothing but making the masks. A newline is one more bit.
Met anywhere but behind the object it means that the line is broken, so the same
walk that finds the type finds where the line ends:

```text
{"uuid":"u1","message":{"content":[ ... ]},"type":"assistant"}\n
 └ string ┘  └ passed over in blocks ────┘ └ found ──────────┘ └ the end
```

What is unusual is left to others, who are slower and know more: the walk then
just says so. Unusual are errors, escapes in keys, and deep nesting.
*/

use crate::scan::{BLOCK, Blocks, Job, Scanner, Simd, Strings, scalar_end};

/// How deep the walk follows brackets: a bit of a word for each.
const DEEPEST: usize = 63;

/// Where in a line its type and its subtype stand, between the quotes, as
/// they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) name: Option<Span>,
    pub(crate) subtype: Option<Span>,
}

/// A part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Where a line ends, and what the walk has found in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Routed {
    pub(crate) route: Route,
    /// The newline, or the end of the text.
    pub(crate) end: usize,
}

/// Walks through the line that `text` begins with. `None` if there is
/// anything unusual about it, or if the text ends within the object.
#[inline]
pub(crate) fn route(
    scanner: Scanner,
    text: &[u8],
    max_depth: usize,
) -> Option<Routed> {
    let (routed, ascii) = scanner.run(FindRoute { text, max_depth })?;
    if !ascii {
        simdutf8::basic::from_utf8(text.get(..routed.end)?).ok()?;
    }
    Some(routed)
}

struct FindRoute<'t> {
    text: &'t [u8],
    max_depth: usize,
}

impl Job for FindRoute<'_> {
    /// Also whether the line is ASCII.
    type Output = Option<(Routed, bool)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        // The outermost object is one level, and the last may be reached.
        let max_depth = self.max_depth.min(DEEPEST).checked_sub(1)?;
        let walk = Walk {
            simd,
            text: self.text,
            blocks: Blocks::new(self.text),
            start: 0,
            quotes: 0,
            brackets: 0,
            newlines: 0,
            backslashes: 0,
            high: 0,
            strings: Strings::default(),
            max_depth,
        };
        walk.run()
    }
}

struct Walk<'t, S> {
    simd: S,
    text: &'t [u8],
    blocks: Blocks<'t>,
    /// Where the current block begins. Its masks follow.
    start: usize,
    /// Where strings begin or end.
    quotes: u64,
    /// Brackets outside of strings.
    brackets: u64,
    newlines: u64,
    backslashes: u64,
    /// What is not ASCII, in all blocks together.
    high: u64,
    strings: Strings,
    max_depth: usize,
}

impl<S: Simd> Walk<'_, S> {
    #[inline(always)]
    fn run(mut self) -> Option<(Routed, bool)> {
        let mut route = Route::default();
        self.next_block()?;
        let mut at = self.token_from(0);
        if *self.text.get(at)? != b'{' {
            return None;
        }
        at = self.token_after(at);
        if *self.text.get(at)? != b'}' {
            loop {
                at = self.member(at, &mut route)?;
                match *self.text.get(at)? {
                    b',' => at = self.token_after(at),
                    b'}' => break,
                    _ => return None,
                }
            }
        }
        let end = self.token_after(at);
        match self.text.get(end) {
            None | Some(b'\n') => {}
            Some(_) => return None,
        }
        // What follows the line in its last block is taken for a part of it
        // here. That can only cost a second look.
        Some((Routed { route, end }, self.high == 0))
    }

    /// Walks over the member at `at`, to what follows it.
    #[inline(always)]
    fn member(&mut self, at: usize, route: &mut Route) -> Option<usize> {
        if *self.text.get(at)? != b'"' {
            return None;
        }
        let key_end = self.close_quote(at)?;
        let key = self.text.get(at + 1..key_end)?;
        // Most keys lie in one block, and its mask has the answer.
        let escaped = match at.checked_sub(self.start) {
            Some(bit) => self.backslashes >> bit != 0 && key.contains(&b'\\'),
            None => key.contains(&b'\\'),
        };
        if escaped {
            return None;
        }
        let colon = self.token_after(key_end);
        if *self.text.get(colon)? != b':' {
            return None;
        }
        let value = self.token_after(colon);
        let first = *self.text.get(value)?;
        let last = match first {
            b'"' => self.close_quote(value)?,
            b'{' | b'[' => self.close_bracket(value)?,
            _ => scalar_end(self.text, value)? - 1,
        };
        let place = match key {
            b"type" => Some(&mut route.name),
            b"subtype" => Some(&mut route.subtype),
            _ => None,
        };
        if let Some(place) = place {
            let start = u32::try_from(value + 1).ok()?;
            let end = u32::try_from(last).ok()?;
            // A second type is for others to complain about, and so is one
            // that is not a string.
            if first != b'"' || place.is_some() {
                return None;
            }
            *place = Some(Span { start, end });
        }
        Some(self.token_after(last))
    }

    /// The first place behind `at` that is not blank.
    #[inline(always)]
    fn token_after(&self, at: usize) -> usize {
        self.token_from(at + 1)
    }

    /// The first place from `at` on that is not blank. A newline is not: it
    /// ends the line.
    #[inline(always)]
    fn token_from(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\t' | b'\r') = self.text.get(at) {
            at += 1;
        }
        at
    }

    /// The quote that ends the string that begins at `at`.
    #[inline(always)]
    fn close_quote(&mut self, at: usize) -> Option<usize> {
        let mut above = self.above(at)?;
        loop {
            let met = (self.quotes | self.newlines) & above;
            if met != 0 {
                let bit = met & met.wrapping_neg();
                let quote = self.quotes & bit != 0;
                let at = self.start + met.trailing_zeros() as usize;
                return quote.then_some(at);
            }
            self.next_block()?;
            above = !0;
        }
    }

    /// The bracket that closes the one at `at`.
    #[inline(always)]
    fn close_bracket(&mut self, at: usize) -> Option<usize> {
        // One bit per level: whether it is an object. The last is the lowest.
        let mut objects = u64::from(*self.text.get(at)? == b'{');
        let mut depth = 1;
        let mut above = self.above(at)?;
        loop {
            let mut met = (self.brackets | self.newlines) & above;
            while met != 0 {
                let at = self.start + met.trailing_zeros() as usize;
                met &= met - 1;
                let byte = *self.text.get(at)?;
                let object = u64::from(byte >> 5 & 1);
                match byte {
                    b'{' | b'[' => {
                        objects = objects << 1 | object;
                        depth += 1;
                        if depth > self.max_depth {
                            return None;
                        }
                    }
                    b'}' | b']' if objects & 1 == object => {
                        objects >>= 1;
                        depth -= 1;
                        if depth == 0 {
                            return Some(at);
                        }
                    }
                    _ => return None,
                }
            }
            self.next_block()?;
            above = !0;
        }
    }

    /// The bits of the block that `at` is in, above it. Makes that block the
    /// current one.
    #[inline(always)]
    fn above(&mut self, at: usize) -> Option<u64> {
        while at - self.start >= BLOCK {
            self.next_block()?;
        }
        Some(!1 << (at - self.start))
    }

    #[inline(always)]
    fn next_block(&mut self) -> Option<()> {
        let simd = self.simd;
        let (start, block) = self.blocks.next(simd)?;
        let strings = self.strings.step(simd, block);
        let (opening, closing) = simd.brackets(block);
        self.start = start;
        self.quotes = strings.quotes;
        self.backslashes = strings.backslashes;
        self.brackets = (opening | closing) & !strings.inside;
        self.newlines = simd.equal(block, b'\n');
        self.high |= simd.high(block);
        Some(())
    }
}
