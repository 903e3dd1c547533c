/*!
The paths of a projection, found with bit masks.

Nearly all members of a line are on no path. A sweep does not move over them one
by one: it only looks for the keys that are on a path. The quotes of a key of `n`
bytes are `n + 1` bytes apart, so for each block of 64 bytes, a shift and an AND
find the strings of that length:

```text
text                   { " i d " : 1 , " u s a g e " : {
opening                . 1 . . . . . . 1 . . . . . . . .
closing                . . . . 1 . . . . . . . . . 1 . .
opening << 6, closing  . . . . . . . . . . . . . . 1 . .     `usage`?
```

Only these are compared with the key. The brackets are counted, so that keys
inside of values that are not on a path are not looked for. The grammar of the
objects on a path is not checked. After `route`, that of the outermost object has
been checked; when skimming, it has not.

A sweep of a message can begin near its end: see [`LastKey`].

Anything off the fast path is [`Miss::Slow`], and the caller reads the line by its
index: keys with escapes or of more than 62 bytes, whitespace around colons, and
paths into arrays.
*/

mod last_key;
mod walk;

pub(crate) use last_key::LastKey;
use walk::{Last, Marks, Walk};
pub(crate) use walk::{MAX_KEY, MAX_PATH, Start, Sweep};

use crate::{
    json::Miss,
    scan::{Blocks, Brackets, Job, Simd, Strings},
};

/// Which of several equal keys counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The last one.
    Last,
    /// The first `type` and `subtype` of the outermost object, and the last
    /// one of all others. The sweep ends when all paths are answered.
    FirstType,
}

// By reference. Copying the structure right after its fields were written would
// stall: the CPU cannot forward small stores to the wide loads of a copy. This
// took 8 % of the time of a projection on short lines.
impl Job for &mut Sweep<'_, '_, '_> {
    /// [`Miss::Bad`] if a string or bracket is not closed.
    type Output = Result<(), Miss>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<(), Miss> {
        let text = self.text;
        let end = self.start.end;
        let mut blocks = Blocks::starting_at(text, self.start.at);
        let mut walk = Walk::new(self).ok_or(Miss::Slow)?;
        let mut strings = Strings::default();
        let mut last = Last::default();
        loop {
            let (start, block) = blocks.next(simd).ok_or(Miss::Bad)?;
            let masks = strings.step(simd, block);
            let (opening, closing) = simd.brackets(block);
            let brackets = Brackets {
                opening: opening & !masks.inside,
                closing: closing & !masks.inside,
            };
            if masks.backslashes & !masks.inside != 0 {
                return Err(Miss::Slow);
            }
            let before = last;
            let ends = masks.quotes & !masks.inside;
            let opening = masks.quotes & masks.inside;
            last = Last { opening, keys: ends >> 63 };
            // Most blocks are inside of a value that is not on a path.
            let closes = brackets.closing.count_ones() as usize;
            if closes < walk.depth - walk.on_path {
                let opens = brackets.opening.count_ones() as usize;
                walk.depth = walk.depth + opens - closes;
                continue;
            }
            let escaped = strings.ends_with(masks.backslashes, masks.inside);
            if masks.inside == !0 && masks.quotes == 0 {
                continue;
            }
            let keys = ends & !escaped;
            last.keys = keys >> 63;
            let colons = simd.equal(block, b':') & !masks.inside;
            if colons & !(keys << 1 | before.keys) != 0 {
                return Err(Miss::Slow);
            }
            let marks = Marks { strings: masks, brackets, last: before };
            walk.step(simd, start, marks).ok_or(Miss::Slow)?;
            if walk.is_answered() {
                return Ok(());
            }
            if let Some(closed) = walk.closed {
                let is_end = end.is_none_or(|end| end == closed);
                return is_end.then_some(()).ok_or(Miss::Slow);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;
    use crate::{
        json::{
            Extent, Projection, Route, Source, Span, State, Value, check,
            route,
        },
        limits::Limits,
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

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::with_cases(2000)
        })]

        /// A sweep finds what is read from the index, or leaves the line to
        /// that. In a line with a fault, it may find anything.
        #[test]
        fn a_sweep_finds_what_the_index_has(
            line in line(),
            paths in proptest::sample::subsequence(PATHS.to_vec(), 1..=7),
        ) {
            let (text, answers) = (line.as_bytes(), None);
            let projection = Projection::new(&paths);
            for kernel in Kernel::ALL {
                let Some(scanner) = Scanner::new(kernel) else { continue };
                let whole = Extent::whole(text);
                if check(scanner, whole, MAX_DEPTH).is_err() {
                    continue;
                }
                let mut routed = Route::default();
                route(scanner, whole, MAX_DEPTH, &mut routed);
                let mut state = State::new(Limits::default());
                state.scanner = scanner;
                let source = Source::new(text, &state);
                let read = projection.read(source.text().unwrap());
                let expected: [_; 7] = std::array::from_fn(|path| {
                    let Range { start, end } = read.at(path)?.span()?;
                    Span::new(start, end)
                });
                let message = routed.message.map(Span::range);
                let starts = projection.starts(source, message);
                for start in projection.starts(source, None).chain(starts) {
                    for rule in [Rule::Last, Rule::FirstType] {
                        let mut found = [None; 7];
                        let mut sweep = Sweep {
                            text, start, found: &mut found, rule, answers,
                        };
                        if scanner.run(&mut sweep).is_ok() {
                            prop_assert_eq!(
                                found, expected,
                                "{} {:?} {}", kernel, rule, line
                            );
                        }
                    }
                }
            }
        }
    }

    /// A sweep of a message begins near its end, and only there.
    #[test]
    fn a_message_is_swept_from_the_last_key_on() {
        let usage = r#""usage":{"a":5,"b":{"a":6}}"#;
        let text = format!(r#""content":[{{"text":"{}"}}]"#, "x".repeat(99));
        let long = "y".repeat(2000);
        let nested = r#""more":{"usage":{"a":7}}"#;
        let value = r#""stop":"usage""#;
        let quoted = r#""x\"usage":{"a":8}"#;
        let scalar = r#""usage":9"#;
        let escaped = r#""us\u0061ge":{"a":10}"#;
        let spaced = r#""usage": {"a":11}"#;
        // Between two strings, where a key would be.
        let between = r#""z":["usage",":"]"#;
        let tail = format!(r#""tail":"{long}""#);
        // The members of the message after its text, how many starts are tried, how many of
        // the sweeps find something, and what is found.
        let cases: [(&[&str], usize, usize, Option<u64>); 10] = [
            (&[usage], 2, 2, Some(5)),
            (&[usage, &text], 2, 2, Some(5)),
            (&[usage, &tail], 1, 1, Some(5)),
            (&[usage, &text, nested], 2, 1, Some(5)),
            (&[usage, &text, value], 1, 1, Some(5)),
            (&[usage, &text, quoted], 1, 0, Some(5)),
            (&[usage, &text, scalar], 2, 0, None),
            (&[usage, &text, escaped], 2, 0, Some(10)),
            (&[usage, &text, spaced], 2, 0, Some(11)),
            (&[usage, &text, between], 1, 1, Some(5)),
        ];
        let projection = Projection::new(["/message/usage/a"]);
        let rule = Rule::Last;
        for (members, tried, swept, expected) in cases {
            let members = members.join(",");
            let line =
                format!(r#"{{"message":{{{text},{members}}},"b":{{"c":1}}}}"#);
            let text = line.as_bytes();
            let scanner = Scanner::best();
            let (line_of_text, mut found) =
                (Extent::whole(text), Route::default());
            route(scanner, line_of_text, MAX_DEPTH, &mut found).unwrap();
            let message = found.message.unwrap().range();
            assert_eq!(text[message.clone()], text[11..text.len() - 13]);
            let state = State::new(Limits::default());
            let source = Source::new(text, &state);
            let starts = || projection.starts(source, Some(message.clone()));
            assert_eq!(starts().count(), tried, "{line}");
            let finds = |start| {
                let (mut found, answers) = ([None], None);
                let mut sweep =
                    Sweep { text, start, found: &mut found, rule, answers };
                let swept = scanner.run(&mut sweep).is_ok();
                swept && found[0].is_some()
            };
            assert_eq!(
                starts().filter(|s| finds(*s)).count(),
                swept,
                "{line}"
            );
            let found = projection
                .sweep(source, rule, Some(message))
                .unwrap_or_else(|| projection.read(source.text().unwrap()));
            let number = found.at(0).and_then(Value::as_u64);
            assert_eq!(number, expected, "{line}");
        }
    }

    #[test]
    fn a_usual_line_is_swept() {
        let text = br#"{"type":"assistant","message":{"content":[{"a":1}],"usage":{"a":5,"b":{"a":6},"longer_key":7}},"a":8}"#;
        let projection = Projection::new(["/message/usage/a", "/a"]);
        let scanner = Scanner::best();
        let state = State::new(Limits::default());
        let source = Source::new(text, &state);
        let mut found = [None; 2];
        let mut sweep = Sweep {
            text,
            start: projection.starts(source, None).next().unwrap(),
            found: &mut found,
            rule: Rule::Last,
            answers: None,
        };
        assert!(scanner.run(&mut sweep).is_ok());
        let numbers = found.map(|span| &text[span.unwrap().range()]);
        assert_eq!(numbers, [b"5", b"8"]);
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
            let state = State::new(Limits::default());
            let source = Source::new(text.as_bytes(), &state);
            for rule in [Rule::Last, Rule::FirstType] {
                let mut found = [None];
                let mut sweep = Sweep {
                    text: text.as_bytes(),
                    start: projection.starts(source, None).next().unwrap(),
                    found: &mut found,
                    rule,
                    answers: None,
                };
                assert!(Scanner::best().run(&mut sweep).is_ok(), "{path}");
                assert_eq!(&text[found[0].unwrap().range()], "5");
            }
        }
    }
}
