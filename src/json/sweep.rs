/*!
The paths of a projection, found with bit masks.

Nearly all members of a line are on no path. [`Find`](crate::json::find::Find)
moves over them one by one; a sweep only looks for the keys that are on a path.
The quotes of a key of `n` bytes are `n + 1` bytes apart, so for each block of 64
bytes, a shift and an AND find the strings of that length:

```text
text                   { " i d " : 1 , " u s a g e " : {
opening                . 1 . . . . . . 1 . . . . . . . .
closing                . . . . 1 . . . . . . . . . 1 . .
opening << 6, closing  . . . . . . . . . . . . . . 1 . .     `usage`?
```

Only these are compared with the key. The brackets are counted, so that keys
inside of values that are not on a path are not looked for.

Anything off the fast path returns `None`, and the caller falls back to `Find`:
faults, keys with escapes, whitespace around colons, and paths into arrays.
*/

use crate::{
    json::{
        Source, Value,
        find::Rule,
        projection::{Node, Step},
        skip::after_value,
    },
    scan::{
        BLOCK, Blocks, Brackets, Grammar, Job, Simd, StringMasks, Strings,
        Tokens, check_scalars,
    },
};

/// The most bytes of a key that a sweep can look for.
pub(crate) const MAX_KEY: usize = BLOCK - 2;

/// The most objects on a path around the innermost one for which a sweep has
/// room.
const MAX_OUTER: usize = 4;

/// The most tokens of a path that a sweep can look for.
pub(crate) const MAX_TOKENS: usize = MAX_OUTER + 1;

/// The object in which the paths of a projection begin.
#[derive(Clone, Copy)]
pub(crate) struct Start<'p> {
    pub(crate) node: &'p Node,
    /// The offset of the object.
    pub(crate) offset: usize,
    /// Whether its members have been checked before.
    pub(crate) is_checked: bool,
}

/// Finds the values at the paths of a projection.
pub(crate) struct Sweep<'a, 'p, 'f> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) start: Start<'p>,
    pub(crate) found: &'f mut [Option<Value<'a>>],
    /// With [`Rule::Last`], all objects on a path are checked. Otherwise, none
    /// is.
    pub(crate) rule: Rule,
    /// How many paths answer all that is asked for, if these are `type` and
    /// `subtype` alone.
    pub(crate) answers: Option<usize>,
}

// By reference: a copy of the structure would have to wait for the stores
// before it.
impl Job for &mut Sweep<'_, '_, '_> {
    /// `None` if the line is off the fast path.
    type Output = Option<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<()> {
        let text = self.source.bytes;
        let Start { node, offset: first, is_checked } = self.start;
        if text.get(first) != Some(&b'{') {
            return None;
        }
        let checks_from = match self.rule {
            Rule::Last => 1 + usize::from(is_checked),
            Rule::FirstType => usize::MAX,
        };
        let outermost = Open { node, start: first };
        let mut walk = Walk {
            sweep: self,
            outer: [outermost; MAX_OUTER],
            open: outermost,
            depth: 0,
            on_path: 0,
            checks_from,
            entered: Some((first, node)),
            seen: [None; 2],
            answered: 0,
            has_found: false,
        };
        let mut blocks = Blocks::starting_at(text, first);
        let mut strings = Strings::default();
        let mut grammar = Grammar::default();
        let mut last = Last::default();
        loop {
            let (start, block) = blocks.next(simd)?;
            let masks = strings.step(simd, block);
            let (opening, closing) = simd.brackets(block);
            let brackets = Brackets {
                opening: opening & !masks.inside,
                closing: closing & !masks.inside,
            };
            if masks.backslashes & !masks.inside != 0 {
                return None;
            }
            // Most blocks are inside of a value that is not on a path.
            let closes = brackets.closing.count_ones() as usize;
            if closes < walk.depth - walk.on_path {
                let opens = brackets.opening.count_ones() as usize;
                walk.depth = walk.depth + opens - closes;
                last = Last::default();
                continue;
            }
            let escaped = strings.ends_with(masks.backslashes, masks.inside);
            if masks.inside == !0 && masks.quotes == 0 {
                last = Last::default();
                continue;
            }
            let marks = Marks { strings: masks, brackets, last };
            let is_plain = brackets.opening | brackets.closing == 0;
            let levels = match is_plain && walk.depth == walk.on_path {
                true => walk.step_without_brackets(simd, start, marks)?,
                false => walk.step(simd, start, marks)?,
            };
            let ends = masks.quotes & !masks.inside;
            let colons = simd.equal(block, b':') & !masks.inside;
            let keys = ends & !escaped;
            let odd = colons & levels.on_path & !(keys << 1 | last.keys);
            if odd != 0 {
                return None;
            }
            last = Last {
                opening: masks.quotes & masks.inside,
                keys: keys >> 63,
            };
            if levels.within != 0 {
                check(simd, block, text, start, marks, levels, &mut grammar)?;
            }
            if walk.is_answered() || walk.on_path == 0 {
                return Some(());
            }
        }
    }
}

/// What a block needs to know of the block before it.
#[derive(Clone, Copy, Default)]
struct Last {
    /// Opening quotes.
    opening: u64,
    /// Whether its last byte ends a string that may be a key: 0 or 1.
    keys: u64,
}

/// The masks of a block.
#[derive(Clone, Copy)]
struct Marks {
    strings: StringMasks,
    brackets: Brackets,
    last: Last,
}

/// The bytes of a block that belong to objects on a path.
#[derive(Clone, Copy, Default)]
struct Levels {
    /// All of them, without the brackets of nested values.
    on_path: u64,
    /// The nested objects on a path, with all brackets.
    within: u64,
    /// In those: brackets that open and close them.
    objects: u64,
    ends: u64,
    /// In those: brackets that open and close values.
    opening: u64,
    closing: u64,
}

/// Checks the tokens of nested objects on a path.
#[inline(always)]
fn check<S: Simd>(
    simd: S,
    block: S::Block,
    text: &[u8],
    start: usize,
    marks: Marks,
    levels: Levels,
    grammar: &mut Grammar,
) -> Option<()> {
    let Marks { strings, brackets, .. } = marks;
    let within = levels.within;
    let string_bytes = strings.inside | strings.quotes;
    let outside = within & !string_bytes;
    let colons = simd.equal(block, b':') & outside;
    let commas = simd.equal(block, b',') & outside;
    let whitespace = simd.whitespace(block) & outside;
    let brackets = brackets.opening | brackets.closing;
    let known = colons | commas | whitespace | brackets;
    let order = grammar.step::<false>(Tokens {
        quotes: strings.quotes & strings.inside & within,
        strings: string_bytes & within,
        whitespace,
        colons,
        key_commas: commas,
        value_commas: 0,
        objects: levels.objects,
        arrays: 0,
        opening: levels.opening,
        closing: levels.closing,
        ends: levels.ends,
        scalars: outside & !known,
    });
    if order.wrong != 0 {
        return None;
    }
    check_scalars(text, start, order.scalars)
}

/// An object on a path, which is open.
#[derive(Clone, Copy)]
struct Open<'p> {
    node: &'p Node,
    /// The offset of its bracket.
    start: usize,
}

struct Walk<'s, 'a, 'p, 'f> {
    sweep: &'s mut Sweep<'a, 'p, 'f>,
    /// The objects around `open`.
    outer: [Open<'p>; MAX_OUTER],
    /// The innermost object on a path.
    open: Open<'p>,
    /// The number of open brackets.
    depth: usize,
    /// The number of open objects that are on a path.
    on_path: usize,
    /// How many of them have to be open for the innermost to be checked.
    checks_from: usize,
    /// The offset of the next object on a path, if its key has been found.
    entered: Option<(usize, &'p Node)>,
    /// The first `type` and `subtype` of the outermost object.
    seen: [Option<&'p Step>; 2],
    answered: usize,
    /// Whether there may be a value in `found`.
    has_found: bool,
}

impl<'p> Walk<'_, '_, 'p, '_> {
    fn is_answered(&self) -> bool {
        self.sweep.answers == Some(self.answered)
    }

    /// Processes the block at `start`, which has no brackets.
    #[inline(always)]
    fn step_without_brackets<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        marks: Marks,
    ) -> Option<Levels> {
        self.find_keys(simd, start, !0, marks)?;
        let is_checked = self.on_path >= self.checks_from;
        let within = if is_checked { !0 } else { 0 };
        Some(Levels { on_path: !0, within, ..Levels::default() })
    }

    /// Processes the block at `start`, bracket by bracket.
    #[inline(always)]
    fn step<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        marks: Marks,
    ) -> Option<Levels> {
        let Brackets { opening, closing } = marks.brackets;
        let mut levels = Levels::default();
        let mut left = opening | closing;
        // The bytes from the last bracket on.
        let mut after = !0;
        loop {
            let bit = left & left.wrapping_neg();
            let is_checked = self.on_path >= self.checks_from;
            if self.depth == self.on_path {
                // Up to the next bracket, or to the end of the block.
                let region = after & bit.wrapping_sub(1);
                levels.on_path |= region;
                if is_checked {
                    levels.within |= region | bit;
                }
                self.find_keys(simd, start, region, marks)?;
            }
            if bit == 0 {
                return Some(levels);
            }
            left ^= bit;
            after = !(bit | (bit - 1));
            let at = start + bit.trailing_zeros() as usize;
            let was_on_path = self.depth == self.on_path;
            if opening & bit != 0 {
                if was_on_path && is_checked {
                    levels.opening |= bit;
                }
                self.depth += 1;
                if let Some((offset, node)) = self.entered
                    && offset == at
                {
                    self.entered = None;
                    if let Some(outer) = self.on_path.checked_sub(1) {
                        *self.outer.get_mut(outer)? = self.open;
                    }
                    self.open = Open { node, start: at };
                    self.on_path += 1;
                    if self.on_path >= self.checks_from {
                        levels.objects |= bit;
                        levels.within |= bit;
                    }
                }
                continue;
            }
            self.depth = self.depth.checked_sub(1)?;
            if was_on_path {
                if is_checked {
                    levels.ends |= bit;
                    if self.on_path > self.checks_from {
                        levels.closing |= bit;
                    }
                }
                let Open { node, start } = self.open;
                let Sweep { source, found, .. } = &mut *self.sweep;
                node.set(source, start, at + 1, found);
                self.has_found = true;
                self.on_path -= 1;
                match self.on_path.checked_sub(1) {
                    None => return Some(levels),
                    Some(outer) => self.open = *self.outer.get(outer)?,
                }
            } else if self.depth == self.on_path && is_checked {
                levels.closing |= bit;
                levels.within |= bit;
            }
        }
    }

    /// Looks for the keys of the innermost object on a path.
    #[inline(always)]
    fn find_keys<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        region: u64,
        marks: Marks,
    ) -> Option<()> {
        let Marks { strings, last, .. } = marks;
        let opening = strings.quotes & strings.inside;
        let closing = strings.quotes & !strings.inside & region;
        for step in &self.open.node.steps {
            let key = step.key_bytes();
            let between = (key.len() + 1) as u32;
            let mut ends = closing
                & (opening << between | last.opening >> (64 - between));
            while ends != 0 {
                let end = start + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                let text = self.sweep.source.bytes;
                let name = text.get(end - key.len()..end);
                if name.is_some_and(|name| is_same(name, key))
                    && text.get(end + 1) == Some(&b':')
                {
                    self.find_value(simd, step, end + 2)?;
                }
            }
        }
        Some(())
    }

    /// Stores the value at `at`, or enters it.
    #[inline(always)]
    fn find_value<S: Simd>(
        &mut self,
        simd: S,
        step: &'p Step,
        at: usize,
    ) -> Option<()> {
        let node = &step.to;
        if self.sweep.rule == Rule::FirstType
            && self.on_path == 1
            && step.is_stated
        {
            let is = |seen: &&Step| std::ptr::eq(*seen, step);
            if self.seen.iter().flatten().any(is) {
                return Some(());
            }
            if let Some(place) = self.seen.get_mut(self.answered) {
                *place = Some(step);
                self.answered += 1;
            }
        }
        // What an earlier member with the same key contained.
        if self.has_found && !node.steps.is_empty() {
            node.forget(self.sweep.found);
        }
        let text = self.sweep.source.bytes;
        match *text.get(at)? {
            0..=b' ' => return None,
            b'{' if !node.steps.is_empty() => {
                self.entered = Some((at, node));
                return Some(());
            }
            b'[' if node.items > 0 => return None,
            _ => {}
        }
        if !node.ends.is_empty() {
            let end = after_value(simd, text, at)?;
            node.set(self.sweep.source, at, end, self.sweep.found);
            self.has_found = true;
        }
        Some(())
    }
}

/// Compares two short strings of the same length, without a call of `memcmp`.
#[inline(always)]
fn is_same(one: &[u8], other: &[u8]) -> bool {
    match one.len() {
        4..8 => has_same_ends::<4>(one, other),
        8..16 => has_same_ends::<8>(one, other),
        16..32 => has_same_ends::<16>(one, other),
        _ => one == other,
    }
}

/// Compares the first `N` bytes and the last `N`.
#[inline(always)]
fn has_same_ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
    one.first_chunk::<N>() == other.first_chunk()
        && one.last_chunk::<N>() == other.last_chunk()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;
    use crate::{
        json::{Checked, Projection, check, find::Find, route},
        limits::Limits,
        lines::RawLine,
        peek::Peeker,
        scan::{Kernel, MAX_DEPTH, Scanner},
    };

    const PATHS: [&str; 7] = [
        "/type",
        "/subtype",
        "/message",
        "/message/a",
        "/message/usage/a",
        "/message/usage/longer_key",
        "/usage/message",
    ];

    /// The parts of objects, with faults now and then.
    fn line() -> impl Strategy<Value = String> {
        let token = select(vec![
            "\"type\":",
            "\"subtype\":",
            "\"message\":",
            "\"usage\":",
            "\"a\":",
            "\"longer_key\":",
            "\"b\":",
            "\"a\"",
            "\"usage\"",
            "\"us\\u0061ge\":",
            "\"a\" :",
            "\"a\": ",
            "\"x\\\"a\":",
        ]);
        let scalar = select(vec![
            "1",
            "12345678901",
            "null",
            "\"usage\"",
            "\"a\"",
            "\"\\n\"",
            "\"message\\\":{\"",
            "\"{[\"",
            "[]",
            "{}",
            "[1,{\"a\":2}]",
            "01",
            "\"a long text, which may be in more than one block of a line\"",
        ]);
        let member = (token.clone(), scalar)
            .prop_map(|(key, value)| format!("{key}{value}"));
        let object = member.prop_recursive(4, 24, 6, move |inner| {
            let members = vec(inner, 0..6);
            let joint = select(vec![",", ",", ",", ",", ", ", "", ",,"]);
            let close = select(vec!["}", "}", "}", "}", "}", "]", " }", ",}"]);
            (token.clone(), members, joint, close).prop_map(
                |(key, members, joint, close)| {
                    format!("{key}{{{}{close}", members.join(joint))
                },
            )
        });
        let members = vec(object, 0..6);
        (members, 0usize..130).prop_map(|(members, padding)| {
            let padding = format!("\"pad\":\"{}\"", "x".repeat(padding));
            let members: Vec<String> =
                [padding].into_iter().chain(members).collect();
            format!("{{{}}}", members.join(","))
        })
    }

    type Spans = Vec<Option<Range<usize>>>;

    fn spans(found: &[Option<Value<'_>>]) -> Spans {
        let span = |value: &Value<'_>| value.span().unwrap();
        found.iter().map(|value| value.as_ref().map(span)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::with_cases(2000)
        })]

        /// A sweep finds what `Find` finds, or leaves the line to it.
        #[test]
        fn a_sweep_finds_what_a_walk_finds(
            line in line(),
            paths in proptest::sample::subsequence(PATHS.to_vec(), 1..=7),
        ) {
            let projection = Projection::new(&paths);
            let root = projection.start(None).node;
            for kernel in Kernel::ALL {
                let Some(scanner) = Scanner::new(kernel) else { continue };
                let text = line.as_bytes();
                let routed = route(scanner, text, MAX_DEPTH);
                let is_valid =
                    check(text, MAX_DEPTH, scanner) == Checked::Good;
                let mut peeker = Peeker::new(Limits::default());
                peeker.set_scanner(scanner);
                let source = peeker.source(RawLine::alone(text), None);
                for rule in [Rule::Last, Rule::FirstType] {
                    // What the callers have checked before.
                    let is_swept = match rule {
                        Rule::Last => routed.is_some(),
                        Rule::FirstType => is_valid,
                    };
                    if !is_swept {
                        continue;
                    }
                    let answers = None;
                    let mut found = [None; 7];
                    let find = Find {
                        source, root, found: &mut found, rule, answers,
                    };
                    prop_assert!(scanner.run(find).is_some());
                    let expected = spans(&found);
                    let message = routed
                        .and_then(|routed| routed.route.message)
                        .filter(|_| rule == Rule::Last);
                    for message in [None, message] {
                        let mut found = [None; 7];
                        let start = projection.start(message);
                        let mut sweep = Sweep {
                            source, start, found: &mut found, rule, answers,
                        };
                        if scanner.run(&mut sweep).is_some() {
                            prop_assert_eq!(
                                &spans(&found), &expected,
                                "{} {:?} {}", kernel, rule, line
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_usual_line_is_swept() {
        let text = br#"{"type":"assistant","message":{"content":[{"a":1}],"usage":{"a":5,"b":{"a":6},"longer_key":7}},"a":8}"#;
        let projection = Projection::new(["/message/usage/a", "/a"]);
        let scanner = Scanner::best();
        let peeker = Peeker::new(Limits::default());
        let source = peeker.source(RawLine::alone(text), None);
        let mut found = [None; 2];
        let mut sweep = Sweep {
            source,
            start: projection.start(None),
            found: &mut found,
            rule: Rule::Last,
            answers: None,
        };
        assert!(scanner.run(&mut sweep).is_some());
        let numbers = found.map(|value| value.and_then(Value::as_u64));
        assert_eq!(numbers, [Some(5), Some(8)]);
    }

    /// Keys of all lengths, and all that differ from them in one byte.
    #[test]
    fn keys_are_the_same_in_every_byte() {
        for length in 0..=MAX_KEY {
            let key = vec![b'k'; length];
            assert!(is_same(&key, &key.clone()), "{length}");
            for at in 0..length {
                let mut other = key.clone();
                other[at] = b'j';
                assert!(!is_same(&key, &other), "{length} {at}");
            }
        }
    }

    /// A sweep has room for this many tokens, and longer paths are walked.
    #[test]
    fn paths_of_every_length_are_found() {
        for tokens in 1..=MAX_TOKENS + 2 {
            let path = "/k".repeat(tokens);
            let text = format!(
                "{}5{}",
                r#"{"k":"#.repeat(tokens),
                "}".repeat(tokens)
            );
            let projection = Projection::new([&path]);
            let is_swept = tokens <= MAX_TOKENS;
            assert_eq!(projection.is_sweepable(), is_swept, "{path}");
            let peeker = Peeker::new(Limits::default());
            let line = RawLine::alone(text.as_bytes());
            let source = peeker.source(line, None);
            let mut found = [None];
            for rule in [Rule::Last, Rule::FirstType] {
                projection.walk(source, &mut found, rule, None).unwrap();
                assert_eq!(found[0].and_then(Value::as_u64), Some(5));
            }
            if is_swept {
                let mut sweep = Sweep {
                    source,
                    start: projection.start(None),
                    found: &mut found,
                    rule: Rule::Last,
                    answers: None,
                };
                assert!(Scanner::best().run(&mut sweep).is_some(), "{path}");
            }
        }
    }
}
