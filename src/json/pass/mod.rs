/*!
One pass over a line, in blocks of 64 bytes.

Each block becomes bit masks: of its strings, brackets, commas and so on. What
is done with them depends on the [`Policy`] of the pass:

| pass | checks | notes | for |
|---|---|---|---|
| [`route`] | strings, brackets, the outermost object | the type, the subtype and the message | `kind` |
| [`index`] | strings, brackets | their offsets | `peek` |
| [`check`] | everything | duplicates of the type | `check` |
| [`check_and_index`] | everything | both | `checked` |

A pass only detects a fault; `fault::explain` returns the diagnostic. What a pass
may not know is read again on a slower way: see [`Miss`]. The pass ends with the
line: at the end of the text, or at the first newline, if that is searched too
(see [`Extent`]).

```text
{"uuid":"u1","message":{"content":[ ... ]},"type":"assistant"}\n
 └ checked ───────────┘└ skipped ────────┘└ checked ─────────┘ └ the end of a route
```
*/

mod flat;
mod jobs;
mod levels;
mod route;

use crate::{
    json::pass::levels::Levels,
    scan::{
        AsciiBlocks, Brackets, Escapes, Grammar, MaybeUtf8, Nest, Simd,
        StringMasks, Strings, Tokens, check_scalars, skip_line_whitespace,
        skip_whitespace,
    },
};

pub(crate) use jobs::{check, check_and_index, index, route};
pub(crate) use route::{Route, Span};

/// How much of the grammar a pass checks. Strings and brackets must match in any
/// case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checks {
    Brackets,
    /// The tokens of the outermost object. Nested values are passed over.
    Outermost,
    All,
}

/// What a pass checks, and what it notes on its way.
pub(crate) trait Policy {
    const CHECKS: Checks;

    /// Notes the opening bracket at `at`.
    #[inline(always)]
    fn open(&mut self, at: usize) {
        let _ = at;
    }

    /// Notes the closing bracket at `at`. `before` are the quotes of its block
    /// before it.
    #[inline(always)]
    fn close(&mut self, at: usize, before: u64) {
        let _ = (at, before);
    }

    /// Returns whether a closing bracket matches the container that was opened
    /// last. It is asked if only brackets are checked: then it knows, and no
    /// stack of them is needed beside.
    #[inline(always)]
    fn matches(&self, text: &[u8], bracket: u8) -> bool {
        let _ = (text, bracket);
        true
    }

    /// Notes the strings of the block at `start`, after its brackets, and
    /// those that contain `special` bytes.
    #[inline(always)]
    fn strings<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        masks: StringMasks,
        special: u64,
        strings: &mut Strings,
    ) {
        let _ = (simd, start, masks, special, strings);
    }

    /// Notes the keys of the outermost object that may be of interest: those
    /// of 4 bytes, which end at the quotes `four` of the block at `start`, and
    /// those of 7. `None` if the line has to be read on a slower way.
    #[inline(always)]
    fn keys(&mut self, start: usize, four: u64, seven: u64) -> Option<()> {
        let _ = (start, four, seven);
        Some(())
    }

    /// Notes the bytes of keys of the outermost object that are escapes. `None`
    /// if the line has to be read on a slower way.
    #[inline(always)]
    fn escaped_keys(&mut self, bytes: u64) -> Option<()> {
        (bytes == 0).then_some(())
    }

    /// Notes the brackets of the block at `start` that close members of the
    /// outermost object.
    #[inline(always)]
    fn close_members(&mut self, start: usize, closing: u64) {
        let _ = (start, closing);
    }

    /// Ends the line.
    #[inline(always)]
    fn end(&mut self) {}
}

/// Why a pass has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    /// The line has to be read on a slower way, which can find a fault or not.
    Slow,
    /// The line has a fault.
    Bad,
}

/// The text of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent<'t> {
    text: &'t [u8],
    /// All ones if the line ends at the first newline, which is searched. It
    /// must begin with a brace then. If 0, the line is the whole text, and a
    /// newline is whitespace.
    ///
    /// It has the size of a word: a copy of a single byte that has just been
    /// stored would stall.
    ending: u64,
}

impl<'t> Extent<'t> {
    /// Returns the first line of a text.
    #[inline(always)]
    pub(crate) fn first(text: &'t [u8]) -> Extent<'t> {
        Extent { text, ending: !0 }
    }

    /// Returns a line that is the whole text.
    #[inline(always)]
    pub(crate) fn whole(text: &'t [u8]) -> Extent<'t> {
        Extent { text, ending: 0 }
    }

    /// Returns whether the line ends at the first newline.
    #[inline(always)]
    fn is_first(self) -> bool {
        self.ending != 0
    }

    /// Returns the end of the line, if nothing but whitespace follows the
    /// object that ends before `at`.
    #[inline(always)]
    fn end_after(self, at: usize) -> Option<usize> {
        let (end, expected) = match self.is_first() {
            true => (skip_line_whitespace(self.text, at), Some(&b'\n')),
            false => (skip_whitespace(self.text, at), None),
        };
        (self.text.get(end) == expected).then_some(end)
    }
}

/// Runs a pass. Returns the line without its newline, which has not been
/// validated as UTF-8 unless it is ASCII. `None` on a fault, or if the line has
/// to be read on a slower way.
#[inline(always)]
fn run<'t, S: Simd, P: Policy>(
    simd: S,
    extent: Extent<'t>,
    max_depth: usize,
    policy: &mut P,
) -> Option<MaybeUtf8<'t>> {
    let Extent { text, ending } = extent;
    let mut blocks = AsciiBlocks::new(simd, text);
    let mut strings = Strings::default();
    let mut escapes = Escapes::default();
    let mut grammar = Grammar::default();
    let mut nest = Nest::default();
    // The starts of keys of the outermost object in the previous block.
    let mut last_keys = 0;
    loop {
        let (start, block, masks) = match P::CHECKS {
            Checks::Outermost => {
                // A tight loop, whose state stays in registers, over blocks
                // that need no work: nested blocks without brackets, and blocks
                // in the middle of a string that is not a key.
                let outer = if nest.depth() > 1 { 0 } else { !0 };
                let key = if grammar.is_in_key() { !0 } else { 0 };
                let mut is_next = true;
                let found = loop {
                    let (start, block) = blocks.next(simd)?;
                    let masks = strings.step(simd, block);
                    let matters =
                        simd.maybe_brackets(block) | masks.backslashes | outer;
                    let newlines = simd.equal(block, b'\n') & ending;
                    let begins = masks.quotes & outer;
                    if matters & !masks.inside | newlines | begins | key != 0 {
                        break (start, block, masks);
                    }
                    is_next = false;
                };
                if !is_next {
                    last_keys = 0;
                }
                found
            }
            _ => {
                let (start, block) = blocks.next(simd)?;
                (start, block, strings.step(simd, block))
            }
        };
        let controls = match P::CHECKS {
            Checks::All => {
                escapes.check(simd, block, masks, text, start)?;
                if masks.inside == !0 && masks.quotes == 0 {
                    last_keys = 0;
                    let special = masks.backslashes;
                    policy.strings(simd, start, masks, special, &mut strings);
                    continue;
                }
                // There are none in its strings.
                0
            }
            _ => {
                // A backslash outside of a string is an error. It also makes
                // the string masks wrong, because they treat it as an escape.
                if masks.backslashes & !masks.inside != 0 {
                    return None;
                }
                simd.controls(block)
            }
        };
        let string_bytes = masks.inside | masks.quotes;
        let (opening, closing) = simd.brackets(block);
        let brackets = (opening | closing) & !string_bytes;
        let newlines = match P::CHECKS {
            Checks::Brackets if controls == 0 => 0,
            // If it is in a string, it has been found.
            Checks::All => 0,
            _ => simd.equal(block, b'\n') & ending,
        };
        if P::CHECKS == Checks::Outermost {
            // If the block is nested from start to end, only the depth matters.
            let closing = closing & !string_bytes;
            let closes = closing.count_ones() as usize;
            if nest.depth() > 1 + closes && newlines == 0 {
                last_keys = 0;
                let opening = opening & !string_bytes;
                let brackets = Brackets { opening, closing };
                nest.follow(brackets, text, start, max_depth)?;
                continue;
            }
        }
        let mut level = Levels::new(P::CHECKS, &nest);
        let limits = (max_depth, masks.quotes);
        level.follow(brackets, text, start, limits, &mut nest, policy)?;
        // A newline would end the line.
        if P::CHECKS != Checks::All && newlines & level.within != 0 {
            return None;
        }
        let noted =
            StringMasks { quotes: masks.quotes & level.within, ..masks };
        let special = masks.backslashes | controls;
        policy.strings(simd, start, noted, special, &mut strings);

        if P::CHECKS != Checks::Brackets {
            let scope = level.scope;
            let outside = scope & !string_bytes;
            let colons = simd.equal(block, b':') & outside;
            let commas = simd.equal(block, b',') & outside;
            let whitespace = simd.whitespace(block) & outside;
            if P::CHECKS == Checks::All
                && whitespace & ending != 0
                && simd.equal(block, b'\n') & whitespace != 0
            {
                return None;
            }
            let known = string_bytes | colons | commas | whitespace | brackets;
            let tokens = Tokens {
                quotes: masks.quotes & masks.inside & scope,
                strings: string_bytes & scope,
                whitespace,
                colons,
                key_commas: commas & !level.arrays,
                value_commas: commas & level.arrays,
                objects: level.objects,
                arrays: level.opened_arrays,
                opening: level.opening,
                closing: level.closing,
                ends: match P::CHECKS {
                    Checks::All => level.closing | level.end,
                    _ => level.end,
                },
                scalars: !known & scope,
            };
            let order = match P::CHECKS {
                Checks::All => grammar.step::<true>(tokens),
                _ => grammar.step::<false>(tokens),
            };
            if order.wrong != 0 {
                return None;
            }
            check_scalars(text, start, order.scalars)?;
            policy
                .escaped_keys(order.key_bytes & special & level.outermost)?;
            let keys = order.keys & level.outermost;
            let closes = masks.quotes & !masks.inside;
            let four = (keys << 5 | last_keys >> 59) & closes;
            let seven = (keys << 8 | last_keys >> 56) & closes;
            last_keys = keys;
            if four | seven != 0 {
                policy.keys(start, four, seven)?;
            }
            policy.close_members(start, level.closing);
        }
        if level.end != 0 {
            let close = start + level.end.trailing_zeros() as usize;
            policy.end();
            let end = extent.end_after(close + 1)?;
            return Some(blocks.text_up_to(simd, end));
        }
    }
}
