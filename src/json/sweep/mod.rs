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
faults, keys with escapes or of more than 62 bytes, whitespace around colons, and
paths into arrays.
*/

mod walk;

use crate::scan::{
    Blocks, Brackets, Grammar, Job, Simd, Strings, Tokens, check_scalars,
};
use walk::{Last, Levels, Marks, Walk};
pub(crate) use walk::{MAX_KEY, Start, Sweep};

// By reference. Copying the structure right after its fields were written would
// stall: the CPU cannot forward small stores to the wide loads of a copy. This
// took 8 % of the time of a projection on short lines.
impl Job for &mut Sweep<'_, '_, '_> {
    /// `None` if the line is off the fast path.
    type Output = Option<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<()> {
        let text = self.source.bytes;
        let first = self.start.offset;
        if text.get(first) != Some(&b'{') {
            return None;
        }
        let mut walk = Walk::new(self);
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

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;
    use crate::{
        json::{
            Checked, Projection, Value, check,
            find::{Find, MAX_PATH, Rule},
            route,
        },
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
        "/message/usage/key_of_twenty_bytes_",
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
            "\"key_of_twenty_bytes_\":",
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

    #[test]
    fn paths_of_every_length_are_found() {
        for tokens in 1..=MAX_PATH {
            let path = "/k".repeat(tokens);
            let text = format!(
                "{}5{}",
                r#"{"k":"#.repeat(tokens),
                "}".repeat(tokens)
            );
            let projection = Projection::new([&path]);
            let peeker = Peeker::new(Limits::default());
            let line = RawLine::alone(text.as_bytes());
            for rule in [Rule::Last, Rule::FirstType] {
                let mut found = [None];
                let mut sweep = Sweep {
                    source: peeker.source(line, None),
                    start: projection.start(None),
                    found: &mut found,
                    rule,
                    answers: None,
                };
                assert!(Scanner::best().run(&mut sweep).is_some(), "{path}");
                assert_eq!(found[0].and_then(Value::as_u64), Some(5));
            }
        }
    }
}
