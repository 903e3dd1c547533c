/*!
Finds the type, the subtype and the end of a line in one pass.

The pass reads blocks of 64 bytes as bit masks. Nested values are skipped by
counting brackets, so most blocks need nothing but their masks. The tokens of
the outermost object are checked by [`Grammar`], which also returns the offsets
of its keys. A newline within the object is an error, and the first newline after
the object is the end of the line:

```text
{"uuid":"u1","message":{"content":[ ... ]},"type":"assistant"}\n
 └ checked ───────────┘└ skipped ────────┘└ checked ─────────┘ └ the end
```

Anything off the fast path returns `None`, and the caller falls back to
`Peeker::text`: errors, escapes in keys or in the type, a type that is not a
string or occurs twice, and whitespace before the object.
*/

use std::{num::NonZeroU32, ops::Range};

use crate::{
    json::{StatedKey, flat::Flat},
    scan::{
        BLOCK, Blocks, Brackets, Grammar, Job, Nest, Scanner, Simd,
        StringMasks, Strings, Tokens, check_scalars, skip_line_whitespace,
    },
};

/// The offsets of a line's type and subtype, without the quotes, and of its
/// message. The strings have no escapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) name: Option<Span>,
    pub(crate) subtype: Option<Span>,
    /// The object at the key `message`, if that key occurs once and there is no
    /// whitespace before the object.
    pub(crate) message: Option<Span>,
}

/// A range of a line, which does not end at its start. So `Option<Span>` has
/// the same size: routes are copied with every line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: NonZeroU32,
}

impl Span {
    /// Returns `None` if `end` is 0 or over the limit of a line.
    #[inline(always)]
    pub(crate) fn new(start: usize, end: usize) -> Option<Span> {
        let end = NonZeroU32::new(u32::try_from(end).ok()?)?;
        Some(Span { start: u32::try_from(start).ok()?, end })
    }

    #[inline(always)]
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end.get() as usize
    }
}

/// The route and the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Routed {
    pub(crate) route: Route,
    /// The offset of the newline, or of the end of the text.
    pub(crate) end: usize,
}

/// Routes the first line of `text`. `None` if the line is off the fast path,
/// or if the text ends within the object.
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
    /// The second value is whether the line is ASCII.
    type Output = Option<(Routed, bool)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let FindRoute { text, max_depth } = self;
        if text.first() != Some(&b'{') {
            return None;
        }
        if let Some(routed) = route_flat(simd, text) {
            return Some((routed, true));
        }
        let mut blocks = Blocks::new(text);
        let mut strings = Strings::default();
        let mut high = simd.load(&[0; BLOCK]);
        let mut walk = Walk { text, max_depth, ..Walk::default() };
        let mut next = 0;
        let close = loop {
            // A tight loop, whose state stays in registers, over blocks that
            // need no work: nested blocks without brackets, and blocks in the
            // middle of a string that is not a key.
            let outer = if walk.nest.depth() > 1 { 0 } else { !0 };
            let key = if walk.grammar.is_in_key() { !0 } else { 0 };
            let (start, block, masks) = loop {
                let (start, block) = blocks.next(simd)?;
                let masks = strings.step(simd, block);
                high = simd.either(high, block);
                let matters =
                    simd.maybe_brackets(block) | masks.backslashes | outer;
                let newlines = simd.equal(block, b'\n');
                let begins = masks.quotes & outer;
                if matters & !masks.inside | newlines | begins | key != 0 {
                    break (start, block, masks);
                }
            };
            if start != next {
                walk.last_keys = 0;
            }
            next = start + BLOCK;
            let seen = Seen::new(simd, block, masks);
            if let Some(close) = walk.step(simd, block, seen, start)? {
                break close;
            }
        };
        let end = skip_line_whitespace(text, close + 1);
        match text.get(end) {
            None | Some(b'\n') => {}
            Some(_) => return None,
        }
        // The last block may contain a part of the next line. If that is not
        // ASCII, the line is only validated as UTF-8 needlessly.
        Some((Routed { route: walk.route, end }, simd.high(high) == 0))
    }
}

/// Routes a line that is [`Flat`].
#[inline(always)]
fn route_flat<S: Simd>(simd: S, text: &[u8]) -> Option<Routed> {
    let flat = Flat::new(simd, text)?;
    let find = |key| flat.find(key).ok();
    let span = |(start, end)| Span::new(start, end);
    let name = find(StatedKey::Type)?.and_then(span);
    let subtype = find(StatedKey::Subtype)?.and_then(span);
    let route = Route { name, subtype, message: None };
    Some(Routed { route, end: flat.len() })
}

/// The masks of a block.
#[derive(Clone, Copy)]
struct Seen {
    strings: StringMasks,
    brackets: Brackets,
    newlines: u64,
}

impl Seen {
    #[inline(always)]
    fn new<S: Simd>(simd: S, block: S::Block, strings: StringMasks) -> Seen {
        let (opening, closing) = simd.brackets(block);
        let brackets = Brackets {
            opening: opening & !strings.inside,
            closing: closing & !strings.inside,
        };
        Seen { strings, brackets, newlines: simd.equal(block, b'\n') }
    }

    /// Returns the brackets and newlines, which are handled one by one.
    #[inline(always)]
    fn events(self) -> u64 {
        self.brackets.opening | self.brackets.closing | self.newlines
    }
}

#[derive(Default)]
struct Walk<'t> {
    text: &'t [u8],
    max_depth: usize,
    route: Route,
    grammar: Grammar,
    nest: Nest,
    /// The starts of keys in the previous block, if it was checked.
    last_keys: u64,
    /// Whether the key `message` has been seen.
    has_message: bool,
    /// The offset of the message, from its key until it is closed.
    message: Option<usize>,
}

impl Walk<'_> {
    /// Processes the block at offset `start`. Returns the offset of the
    /// bracket that closes the object, if it is in the block. `None` on an
    /// error.
    #[inline(always)]
    fn step<S: Simd>(
        &mut self,
        simd: S,
        block: S::Block,
        seen: Seen,
        start: usize,
    ) -> Option<Option<usize>> {
        let Seen { strings, brackets, newlines } = seen;
        let text = self.text;
        // A backslash outside of a string is an error. It also makes the
        // string masks wrong, because they treat it as an escape.
        if strings.backslashes & !strings.inside != 0 {
            return None;
        }
        // If the block is nested from start to end, only the depth matters.
        let closes = brackets.closing.count_ones() as usize;
        if self.nest.depth() > 1 + closes && newlines == 0 {
            self.last_keys = 0;
            self.nest.follow(brackets, text, start, self.max_depth)?;
            return Some(None);
        }

        let outer = self.follow(seen.events(), start)?;
        let within = outer.within;
        let brackets = brackets.opening | brackets.closing;
        let string_bytes = strings.inside | strings.quotes;
        let colons = simd.equal(block, b':') & !string_bytes;
        let commas = simd.equal(block, b',') & !string_bytes;
        let whitespace = simd.whitespace(block) & !string_bytes;
        let known = string_bytes | colons | commas | whitespace | brackets;
        let order = self.grammar.step::<false>(Tokens {
            quotes: strings.quotes & strings.inside & within,
            strings: string_bytes & within,
            whitespace: whitespace & within,
            colons: colons & within,
            key_commas: commas & within,
            value_commas: 0,
            objects: outer.first,
            arrays: 0,
            opening: outer.opening,
            closing: outer.closing,
            ends: outer.last,
            scalars: !known & within,
        });
        let special = strings.backslashes | simd.controls(block);
        if order.wrong | order.key_bytes & special != 0 {
            return None;
        }
        check_scalars(text, start, order.scalars)?;

        // Only keys of 4 or 7 bytes can be `type` or `subtype`.
        let closes = strings.quotes & !strings.inside & within;
        let (keys, last) = (order.keys, self.last_keys);
        let names = (keys << 5 | last >> 59) & closes;
        let subtypes = (keys << 8 | last >> 56) & closes;
        self.last_keys = keys;
        if names | subtypes != 0 {
            let Route { name, subtype, .. } = &mut self.route;
            each_bit(names, |bit| {
                note(text, start + bit, StatedKey::Type, name)
            })?;
            each_bit(subtypes, |bit| {
                note(text, start + bit, StatedKey::Subtype, subtype)
            })?;
            each_bit(subtypes, |bit| self.note_message(start + bit + 1))?;
        }
        if let Some(message) = self.message {
            self.close_message(message, start, outer.closing);
        }
        let close = outer.last.trailing_zeros() as usize;
        Some((outer.last != 0).then_some(start + close))
    }

    /// Stores the offset of the message, if the key that ends at `at` is
    /// `message`.
    #[inline(always)]
    fn note_message(&mut self, at: usize) -> Option<()> {
        const KEY: &[u8] = b"\"message\"";
        if self.text.get(at - KEY.len()..at)? == KEY {
            let is_object = self.text.get(at..at + 2) == Some(b":{");
            self.message = (is_object && !self.has_message).then_some(at + 1);
            self.route.message = None;
            self.has_message = true;
        }
        Some(())
    }

    /// Stores the range of the message, which begins at `message`, if one of
    /// the brackets `closing` of the block at `start` closes it.
    #[inline(always)]
    fn close_message(&mut self, message: usize, start: usize, closing: u64) {
        let before = message.saturating_sub(start);
        let after =
            u32::try_from(before).ok().and_then(|n| closing.checked_shr(n));
        if let Some(after @ 1..) = after {
            let end = start + before + after.trailing_zeros() as usize + 1;
            self.route.message = Span::new(message, end);
            self.message = None;
        }
    }

    /// Follows the brackets of a block. `None` if a bracket does not match, or
    /// if there is a newline within the object.
    #[inline(always)]
    fn follow(&mut self, mut events: u64, start: usize) -> Option<Outer> {
        let mut outer = Outer::default();
        if self.nest.depth() == 1 {
            outer.within = !0;
        }
        while events != 0 {
            let bit = events & events.wrapping_neg();
            let at = start + events.trailing_zeros() as usize;
            events ^= bit;
            let below = bit - 1;
            match *self.text.get(at)? {
                byte @ (b'{' | b'[') => {
                    self.nest.open(byte, self.max_depth)?;
                    match self.nest.depth() {
                        1 => (outer.first, outer.within) = (bit, !below),
                        2 => {
                            outer.opening |= bit;
                            outer.within &= bit | below;
                        }
                        _ => {}
                    }
                }
                byte @ (b'}' | b']') => {
                    self.nest.close(byte)?;
                    match self.nest.depth() {
                        1 => {
                            outer.closing |= bit;
                            outer.within |= !below;
                        }
                        0 => {
                            outer.last = bit;
                            outer.within &= bit | below;
                            break;
                        }
                        _ => {}
                    }
                }
                _ => return None,
            }
        }
        Some(outer)
    }
}

/// The masks of the bytes of a block that belong to the outermost object.
#[derive(Clone, Copy, Default)]
struct Outer {
    /// All its bytes, with the brackets of nested values but not their
    /// contents.
    within: u64,
    /// The bracket that opens the object.
    first: u64,
    /// The bracket that closes the object.
    last: u64,
    /// The brackets that open nested values.
    opening: u64,
    /// The brackets that close nested values.
    closing: u64,
}

/// Calls `check` with the index of each set bit, until it returns `None`.
#[inline(always)]
fn each_bit(
    mut bits: u64,
    mut check: impl FnMut(usize) -> Option<()>,
) -> Option<()> {
    while bits != 0 {
        check(bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
    }
    Some(())
}

/// Stores the range of the value of `key` in `found`, if the quote at `close`
/// is the end of that key. `None` if the value is off the fast path.
#[inline(always)]
fn note(
    text: &[u8],
    close: usize,
    key: StatedKey,
    found: &mut Option<Span>,
) -> Option<()> {
    let (after, key) = (close + 1, key.quoted());
    if text.get(after - key.len()..after)? != key {
        return Some(());
    }
    let quote = match text.get(after..after + 2)? {
        b":\"" => after + 1,
        _ => value_after(text, after),
    };
    let start = quote + 1;
    let rest = text.get(start..)?;
    // Types are short, and have no escapes, whitespace, `!` or control
    // characters.
    let length =
        rest.iter().take(64).position(|b| matches!(b, 0..=b'"' | b'\\'))?;
    if rest.get(length) != Some(&b'"') {
        return None;
    }
    let end = start + length;
    // The caller falls back, and reports a second type.
    if text.get(quote) != Some(&b'"') || found.is_some() {
        return None;
    }
    *found = Some(Span::new(start, end)?);
    Some(())
}

/// Returns the offset of the value whose key ends at `at`, if there is
/// whitespace around the colon. The grammar has been checked.
#[cold]
fn value_after(text: &[u8], at: usize) -> usize {
    let colon = skip_line_whitespace(text, at);
    skip_line_whitespace(text, colon + 1)
}
