/*!
Checks a whole line against the JSON grammar, in blocks of 64 bytes.

Strings, escapes, brackets and the order of tokens are checked with bit masks.
Numbers and literals are checked one by one. The result is only whether the line
is valid; `fault::explain` returns the diagnostic.
*/

use crate::{
    json::Stated,
    scan::{
        BLOCK, Blocks, Escapes, Grammar, Job, Nest, Scanner, Simd, Strings,
        Tokens, check_scalar, part, skip_whitespace,
    },
};

/// The result of [`check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    /// A valid object.
    Good,
    /// Not an object, or not JSON.
    Bad,
    /// A valid object, but the key `type` or `subtype` may be duplicate.
    Doubtful,
}

/// Checks a whole line.
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
    /// `None` if the line is invalid.
    type Output = Option<Ascii>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<Ascii> {
        let Check { text, max_depth, seen } = self;
        let mut blocks = Blocks::new(text);
        let mut strings = Strings::default();
        let mut escapes = Escapes::default();
        let mut grammar = Grammar::default();
        let mut nest = Nest::default();
        // The starts of keys of the outermost object in the previous block.
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
            let whitespace = simd.whitespace(block) & outside;
            let known = string_bytes | colons | commas | whitespace | brackets;
            let order = grammar.step::<true>(Tokens {
                quotes: masks.quotes & masks.inside & within,
                strings: string_bytes & within,
                whitespace,
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

/// The masks of a block that depend on its brackets.
#[derive(Clone, Copy)]
struct Levels {
    /// The outermost object with its contents. All other bytes must be
    /// whitespace.
    within: u64,
    /// Bytes whose innermost container is an array.
    arrays: u64,
    /// Bytes whose innermost container is the outermost object.
    outermost: u64,
    /// Brackets that open objects.
    objects: u64,
    /// Brackets that open arrays.
    opened_arrays: u64,
    /// Brackets that open nested containers.
    opening: u64,
    /// Brackets that close nested containers.
    closing: u64,
    /// The bracket that closes the outermost object.
    end: u64,
}

impl Levels {
    /// Creates the masks of a block without brackets.
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
                        // Only whitespace may precede the object.
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
            let after = !(bit | below);
            let set = |mask: u64, yes: bool| match yes {
                true => mask | after,
                false => mask & !after,
            };
            self.arrays = set(self.arrays, nest.in_array());
            self.outermost = set(self.outermost, nest.depth() == 1);
        }
        Some(())
    }
}

/// The `type` and `subtype` keys of the outermost object.
#[derive(Clone, Copy, Debug, Default)]
struct Deciding {
    stated: Stated,
    /// Whether there is a key with an escape, which may be one of them.
    escaped: bool,
}
