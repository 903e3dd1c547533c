/*!
Checks a whole line against the JSON grammar, in blocks of 64 bytes.

Strings, escapes, brackets and the order of tokens are checked with bit masks.
Numbers and literals are checked one by one. The result is only whether the line
is valid; `fault::explain` returns the diagnostic.

The masks that are needed for the check are also those of an index, so that both
can be made in one pass: see [`Notes`].
*/

use crate::{
    json::{Index, Stated, StatedKey, flat::Flat, index::Indexing},
    scan::{
        AsciiBlocks, BLOCK, Escapes, Grammar, Job, MaybeUtf8, Nest, Scanner,
        Simd, StringMasks, Strings, Tokens, check_scalars, part,
        skip_line_whitespace, skip_whitespace,
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
    let check = Check { text, max_depth, seen: &mut seen, notes: Nothing };
    match scanner.run(CheckLine(check)) {
        None => Checked::Bad,
        Some(Ascii(false)) if simdutf8::basic::from_utf8(text).is_err() => {
            Checked::Bad
        }
        Some(_) => seen.verdict(),
    }
}

/// Checks the first line of `text`, which ends with a newline. Returns the
/// offset of the newline. `None` if there is none, or if the line is not
/// [`Good`](Checked::Good).
#[inline]
pub(crate) fn check_first(
    text: &[u8],
    max_depth: usize,
    scanner: Scanner,
) -> Option<usize> {
    let mut seen = Deciding::default();
    let check = Check { text, max_depth, seen: &mut seen, notes: Nothing };
    let (end, Ascii(is_ascii)) = scanner.run(CheckFirst(check))?;
    if !is_ascii {
        simdutf8::basic::from_utf8(part(text, ..end)).ok()?;
    }
    (seen.verdict() == Checked::Good).then_some(end)
}

/// Checks a whole line, and indexes it in the same pass.
///
/// Returns the line as a string, and whether the key `type` or `subtype` may
/// be duplicate. `None` if the line is invalid.
pub(crate) fn check_and_index<'t>(
    text: &'t [u8],
    max_depth: usize,
    scanner: Scanner,
    index: &mut Index,
) -> Option<(&'t str, bool)> {
    let notes = Indexing::new(index, text)?;
    let mut seen = Deciding::default();
    let job = Check { text, max_depth, seen: &mut seen, notes };
    let line = scanner.run(job)?.validated()?;
    Some((line, seen.verdict() == Checked::Doubtful))
}

/// Checks the first line of `text`, which ends with a newline, and indexes it
/// in the same pass. Returns the line. `None` if there is no newline, or if the
/// line is not [`Good`](Checked::Good).
pub(crate) fn check_and_index_first<'t>(
    text: &'t [u8],
    max_depth: usize,
    scanner: Scanner,
    index: &mut Index,
) -> Option<&'t str> {
    let notes = Indexing::new(index, text)?;
    let mut seen = Deciding::default();
    let check = Check { text, max_depth, seen: &mut seen, notes };
    let line = scanner.run(FirstOf(check))?.validated()?;
    (seen.verdict() == Checked::Good).then_some(line)
}

/// What a check finds on its way, for a caller that notes it.
pub(crate) trait Notes {
    /// Notes the opening bracket at `at`.
    fn open(&mut self, at: usize);

    /// Notes the closing bracket at `at`. `before` are the quotes of its block
    /// before it.
    fn close(&mut self, at: usize, before: u64);

    /// Notes the strings of the block at `start`, after its brackets.
    fn strings<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        masks: StringMasks,
        strings: &mut Strings,
    );

    /// Ends the line.
    fn end(&mut self);
}

/// Notes nothing.
struct Nothing;

impl Notes for Nothing {
    #[inline(always)]
    fn open(&mut self, _: usize) {}

    #[inline(always)]
    fn close(&mut self, _: usize, _: u64) {}

    #[inline(always)]
    fn strings<S: Simd>(
        &mut self,
        _: S,
        _: usize,
        _: StringMasks,
        _: &mut Strings,
    ) {
    }

    #[inline(always)]
    fn end(&mut self) {}
}

/// Whether a line is ASCII.
struct Ascii(bool);

/// Checks a line that is not indexed.
struct CheckLine<'t, 's>(Check<'t, 's, Nothing>);

impl Job for CheckLine<'_, '_> {
    type Output = Option<Ascii>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<Ascii> {
        let CheckLine(check) = self;
        // A newline would end a flat line, but is whitespace to a check.
        if check.text.len() < BLOCK && flat_length(simd, check.text).is_some()
        {
            return Some(Ascii(true));
        }
        let text = check.run(simd)?;
        Some(Ascii(matches!(text, MaybeUtf8::Ascii(_))))
    }
}

/// Checks the first line of a text.
struct CheckFirst<'t, 's>(Check<'t, 's, Nothing>);

impl Job for CheckFirst<'_, '_> {
    /// The offset of the newline.
    type Output = Option<(usize, Ascii)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let CheckFirst(check) = self;
        if let Some(length) = flat_length(simd, check.text) {
            let has_newline = length < check.text.len();
            return has_newline.then_some((length, Ascii(true)));
        }
        let text = check.run_on::<S, true>(simd)?;
        Some((text.len(), Ascii(matches!(text, MaybeUtf8::Ascii(_)))))
    }
}

/// Checks the first line of a text, whatever its length.
struct FirstOf<'t, 's, N>(Check<'t, 's, N>);

impl<'t, N: Notes> Job for FirstOf<'t, '_, N> {
    /// The line without its newline.
    type Output = Option<MaybeUtf8<'t>>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        self.0.run_on::<S, true>(simd)
    }
}

/// Returns the length of the first line, if it is [`Flat`] and has each of
/// `type` and `subtype` at most once.
#[inline(always)]
fn flat_length<S: Simd>(simd: S, text: &[u8]) -> Option<usize> {
    let flat = Flat::new(simd, text)?;
    flat.find(StatedKey::Type).ok()?;
    flat.find(StatedKey::Subtype).ok()?;
    Some(flat.len())
}

struct Check<'t, 's, N> {
    text: &'t [u8],
    max_depth: usize,
    seen: &'s mut Deciding,
    notes: N,
}

impl<'t, N: Notes> Job for Check<'t, '_, N> {
    /// `None` if the line does not follow the grammar.
    type Output = Option<MaybeUtf8<'t>>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        self.run_on::<S, false>(simd)
    }
}

impl<'t, N: Notes> Check<'t, '_, N> {
    /// Checks the text: all of it, or only its `FIRST` line, which is returned
    /// without its newline.
    #[inline(always)]
    fn run_on<S: Simd, const FIRST: bool>(
        self,
        simd: S,
    ) -> Option<MaybeUtf8<'t>> {
        let Check { text, max_depth, seen, mut notes } = self;
        let mut blocks = AsciiBlocks::new(simd, text);
        let mut strings = Strings::default();
        let mut escapes = Escapes::default();
        let mut grammar = Grammar::default();
        let mut nest = Nest::default();
        // The starts of keys of the outermost object in the previous block.
        let mut last_keys = 0;
        loop {
            let (start, block) = blocks.next(simd)?;
            let masks = strings.step(simd, block);
            escapes.check(simd, block, masks, text, start)?;
            if masks.inside == !0 && masks.quotes == 0 {
                last_keys = 0;
                notes.strings(simd, start, masks, &mut strings);
                continue;
            }
            let string_bytes = masks.inside | masks.quotes;
            let (opening, closing) = simd.brackets(block);
            let brackets = (opening | closing) & !string_bytes;
            let mut level = Levels::new(&nest);
            let limits = (max_depth, masks.quotes);
            level.follow(
                brackets, text, start, limits, &mut nest, &mut notes,
            )?;
            let quotes = match FIRST {
                true => masks.quotes & level.within,
                false => masks.quotes,
            };
            let noted = StringMasks { quotes, ..masks };
            notes.strings(simd, start, noted, &mut strings);

            let within = level.within;
            let outside = within & !string_bytes;
            let colons = simd.equal(block, b':') & outside;
            let commas = simd.equal(block, b',') & outside;
            let whitespace = simd.whitespace(block) & outside;
            // A newline would end the line.
            if FIRST
                && whitespace != 0
                && simd.equal(block, b'\n') & whitespace != 0
            {
                return None;
            }
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
            check_scalars(text, start, order.scalars)?;
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
                let close = start + level.end.trailing_zeros() as usize;
                notes.end();
                let end = match FIRST {
                    true => skip_line_whitespace(text, close + 1),
                    false => skip_whitespace(text, close + 1),
                };
                let newline = FIRST.then_some(&b'\n');
                let is_end = text.get(end) == newline;
                return is_end.then(|| blocks.text_up_to(simd, end));
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
        (max_depth, quotes): (usize, u64),
        nest: &mut Nest,
        notes: &mut impl Notes,
    ) -> Option<()> {
        while brackets != 0 {
            let bit = brackets & brackets.wrapping_neg();
            let at = start + brackets.trailing_zeros() as usize;
            brackets ^= bit;
            let below = bit - 1;
            match *text.get(at)? {
                byte @ (b'{' | b'[') => {
                    nest.open(byte, max_depth)?;
                    notes.open(at);
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
                    notes.close(at, quotes & below);
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

impl Deciding {
    /// Returns the result for a line that is otherwise valid.
    fn verdict(&self) -> Checked {
        match self.stated.second.is_some() || self.escaped {
            true => Checked::Doubtful,
            false => Checked::Good,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{Kernel, MAX_DEPTH};

    /// Runs the general path alone.
    fn check_blocks(scanner: Scanner, text: &[u8]) -> Checked {
        let mut seen = Deciding::default();
        let max_depth = MAX_DEPTH;
        let check = Check { text, max_depth, seen: &mut seen, notes: Nothing };
        match scanner.run(check) {
            Some(_) => seen.verdict(),
            None => Checked::Bad,
        }
    }

    #[test]
    fn a_short_line_is_checked_as_any_other() {
        // Parts of members, and members.
        const TOKENS: [&str; 12] = [
            "\"a\"", "\"type\"", ":", ",", "1", "true", " ", "x", "\"", "{}",
            "\\", "-",
        ];
        const MEMBERS: [&str; 15] = [
            "\"a\":1,",
            " \"a\" : true ,",
            "\"type\":\"b\",",
            "\"type\": \"b\",",
            "\"type\":2,",
            "\"subtype\":\"c\",",
            "\"a\":[],",
            "\"a\":\"\\n\",",
            "\"a\":\"é\",",
            "\"a\":\"\\x\",",
            "\"a\":\"\t\",",
            "\"a\\\":1,",
            "\"a\":-0.5e1,",
            "\"a\":",
            "\"e\":0",
        ];
        let (mut flat, mut other) = (0, 0);
        for (parts, most) in [(&TOKENS[..], 4), (&MEMBERS[..], 3)] {
            for number in 0..parts.len().pow(most) {
                let mut line = "{".to_owned();
                let mut rest = number;
                while rest > 0 {
                    line.push_str(parts[rest % parts.len()]);
                    rest /= parts.len();
                }
                line.push('}');
                for kernel in Kernel::ALL {
                    let Some(scanner) = Scanner::new(kernel) else { continue };
                    let text = line.as_bytes();
                    let expected = check_blocks(scanner, text);
                    let found = check(text, MAX_DEPTH, scanner);
                    assert_eq!(found, expected, "{kernel} {line}");
                    match scanner.run(IsFlat(text)) {
                        true => flat += 1,
                        false if expected != Checked::Bad => other += 1,
                        false => {}
                    }
                }
            }
        }
        // Both paths are taken.
        assert!(flat > 100 && other > 100, "{flat} {other}");
    }

    struct IsFlat<'t>(&'t [u8]);

    impl Job for IsFlat<'_> {
        type Output = bool;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> bool {
            Flat::new(simd, self.0).is_some()
        }
    }

    #[test]
    fn the_index_of_a_check_is_the_index_of_the_line() {
        let tails = [
            r#""type":"user","n":[1,{"a":"b\n\"","c":[]},"\u00e9é"]}"#,
            r#""a":{},"b":[[],[{"":""}]],"c":"x\\"}"#,
            r#""long":"0123456789012345678901234567890123456789012345678901234567890123456789\t0123456789","k\u0065y":null} "#,
        ];
        for kernel in Kernel::ALL {
            let Some(scanner) = Scanner::new(kernel) else { continue };
            for (tail, padding) in
                tails.iter().flat_map(|tail| (0..140).map(move |n| (tail, n)))
            {
                let line =
                    format!(r#"{{"p":"{}",{tail}"#, "x".repeat(padding));
                let mut made = Index::default();
                let text = line.as_bytes();
                let checked =
                    check_and_index(text, MAX_DEPTH, scanner, &mut made);
                let (text_of_check, is_doubtful) = checked.unwrap();
                assert_eq!(text_of_check, line, "{kernel}");
                assert_eq!(is_doubtful, tail.contains("k\\u0065y"));
                let mut filled = Index::default();
                let found = filled.fill(scanner, text, MAX_DEPTH).unwrap();
                let expected = match line.is_ascii() {
                    true => MaybeUtf8::Ascii(&line),
                    false => MaybeUtf8::Unvalidated(text),
                };
                assert_eq!(found, expected);
                let (made, filled) = (made.view(), filled.view());
                assert_eq!(made.quotes, filled.quotes, "{line}");
                assert_eq!(made.escaped, filled.escaped, "{line}");
                assert_eq!(made.containers, filled.containers, "{line}");
            }
        }
    }
}
