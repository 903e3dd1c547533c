/*!
All of a line's grammar, checked in blocks of 64 bytes.

Strings and their escapes, brackets, and the order of tokens are checked by
masks. What is left are numbers and words, one by one. The answer is good or
bad; what is wrong with a bad line, `fault` finds out.
*/

use crate::{
    json::Stated,
    scan::{
        BLOCK, Blocks, Escapes, Grammar, Job, Nest, Scanner, Simd, Strings,
        Tokens, check_scalar, part, skip_whitespace,
    },
};

/// What [`check`] has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    Good,
    /// It is not an object, or not JSON.
    Bad,
    /// It is a good object, but `type` or `subtype` may be in it twice.
    Doubtful,
}

/// Checks all of `text`.
pub(crate) fn check(
    text: &[u8],
    max_depth: usize,
    scanner: Scanner,
) -> Checked {
    let mut seen = Deciding::default();
    let job = Check { text, max_depth, seen: &mut seen };
    match scanner.run(job) {
        None => Checked::Bad,
        Some(Ascii(false)) if simdutf8::basic::from_utf8(text).is_err() => {
            Checked::Bad
        }
        Some(_) if seen.stated.second.is_some() || seen.escaped => {
            Checked::Doubtful
        }
        Some(_) => Checked::Good,
    }
}

/// Whether a text is ASCII.
struct Ascii(bool);

struct Check<'t, 's> {
    text: &'t [u8],
    max_depth: usize,
    seen: &'s mut Deciding,
}

impl Job for Check<'_, '_> {
    /// `None` if something is wrong.
    type Output = Option<Ascii>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<Ascii> {
        let Check { text, max_depth, seen } = self;
        let mut blocks = Blocks::new(text);
        let mut strings = Strings::default();
        let mut escapes = Escapes::default();
        let mut grammar = Grammar::default();
        let mut nest = Nest::default();
        // Where keys of the outermost object begin in the last block.
        let mut last_keys = 0;
        let mut high = simd.load(&[0; BLOCK]);
        loop {
            let (start, block) = blocks.next(simd)?;
            high = simd.either(high, block);
            let masks = strings.step(simd, block);
            escapes.check(simd, block, masks, text, start)?;
            if masks.inside == !0 && masks.quotes == 0 {
                last_keys = 0;
                continue;
            }
            let string_bytes = masks.inside | masks.quotes;
            let (opening, closing) = simd.brackets(block);
            let brackets = (opening | closing) & !string_bytes;
            let mut level = Levels::new(&nest);
            level.follow(brackets, text, start, max_depth, &mut nest)?;

            let within = level.within;
            let outside = within & !string_bytes;
            let colons = simd.equal(block, b':') & outside;
            let commas = simd.equal(block, b',') & outside;
            let blanks = simd.blanks(block) & outside;
            let known = string_bytes | colons | commas | blanks | brackets;
            let order = grammar.step::<true>(Tokens {
                quotes: masks.quotes & masks.inside & within,
                strings: string_bytes & within,
                blanks,
                colons,
                key_commas: commas & !level.arrays,
                value_commas: commas & level.arrays,
                objects: level.objects,
                arrays: level.opened_arrays,
                opening: level.opening,
                closing: level.closing,
                ends: closing & brackets & within,
                scalars: !known & within,
            });
            if order.wrong != 0 {
                return None;
            }
            let mut scalars = order.scalars;
            while scalars != 0 {
                check_scalar(text, start + scalars.trailing_zeros() as usize)?;
                scalars &= scalars - 1;
            }
            let keys = order.keys & level.outermost;
            let closes = masks.quotes & !masks.inside;
            let mut deciding = (keys << 5 | last_keys >> 59) & closes
                | (keys << 8 | last_keys >> 56) & closes;
            last_keys = keys;
            while deciding != 0 {
                let at = start + deciding.trailing_zeros() as usize;
                deciding &= deciding - 1;
                seen.stated.see_plain(part(text, ..=at));
            }
            let backslashes = order.key_bytes & masks.backslashes;
            seen.escaped |= backslashes & level.outermost != 0;
            if level.end != 0 {
                let end = start + level.end.trailing_zeros() as usize;
                let rest = skip_whitespace(text, end + 1);
                let whole = rest == text.len();
                return whole.then_some(Ascii(simd.high(high) == 0));
            }
        }
    }
}

/// What a block's brackets make of it.
#[derive(Clone, Copy)]
struct Levels {
    /// What belongs to the outermost object, and what is in it. Only blanks
    /// may be elsewhere.
    within: u64,
    /// What stands directly in arrays.
    arrays: u64,
    /// What stands directly in the outermost object.
    outermost: u64,
    /// Brackets that open objects, and arrays, and either of them but the
    /// outermost object.
    objects: u64,
    opened_arrays: u64,
    opening: u64,
    /// Brackets that close either, but not the outermost object.
    closing: u64,
    /// The bracket that closes that.
    end: u64,
}

impl Levels {
    /// A block without brackets.
    #[inline(always)]
    fn new(nest: &Nest) -> Levels {
        let all = |yes: bool| if yes { !0 } else { 0 };
        Levels {
            within: !0,
            arrays: all(nest.in_array()),
            outermost: all(nest.depth() == 1),
            objects: 0,
            opened_arrays: 0,
            opening: 0,
            closing: 0,
            end: 0,
        }
    }

    #[inline(always)]
    fn follow(
        &mut self,
        mut brackets: u64,
        text: &[u8],
        start: usize,
        max_depth: usize,
        nest: &mut Nest,
    ) -> Option<()> {
        while brackets != 0 {
            let bit = brackets & brackets.wrapping_neg();
            let at = start + brackets.trailing_zeros() as usize;
            brackets ^= bit;
            let below = bit - 1;
            match *text.get(at)? {
                byte @ (b'{' | b'[') => {
                    nest.open(byte, max_depth)?;
                    match byte {
                        b'{' => self.objects |= bit,
                        _ => self.opened_arrays |= bit,
                    }
                    match nest.depth() {
                        // Only blanks may be before it.
                        1 if byte == b'['
                            || skip_whitespace(text, 0) != at =>
                        {
                            return None;
                        }
                        1 => self.within = !below,
                        _ => self.opening |= bit,
                    }
                }
                byte => {
                    nest.close(byte)?;
                    if nest.depth() == 0 {
                        self.end = bit;
                        self.within &= bit | below;
                        break;
                    }
                    self.closing |= bit;
                }
            }
            let behind = !(bit | below);
            let set = |mask: u64, yes: bool| match yes {
                true => mask | behind,
                false => mask & !behind,
            };
            self.arrays = set(self.arrays, nest.in_array());
            self.outermost = set(self.outermost, nest.depth() == 1);
        }
        Some(())
    }
}

/// The keys of the outermost object that must not occur twice.
#[derive(Clone, Copy, Debug, Default)]
struct Deciding {
    stated: Stated,
    /// Whether there is a key with an escape, which may be one of them.
    escaped: bool,
}
