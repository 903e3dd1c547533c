//! Lone surrogates: who refuses them, and who goes on.

use linetape::{Error, Line, Projection, Reader, Value};

use crate::support::json::{LEVELS, kernels};

/// Strings whose first escape is a lone surrogate, and how they are displayed:
/// not at all if they have another fault.
pub const LONE: &[(&str, Option<&str>)] = &[
    (r"\ud800", Some("\u{fffd}")),
    (r"a\ud800b", Some("a\u{fffd}b")),
    (r"é\uDBFF", Some("é\u{fffd}")),
    (r"\udc00", Some("\u{fffd}")),
    (r"\udfffx", Some("\u{fffd}x")),
    (r"\ud800\n", Some("\u{fffd}\n")),
    (r"\ud800\\", Some("\u{fffd}\\")),
    (r"\ud800\u0041", Some("\u{fffd}A")),
    (r"\ud800\udbff", Some("\u{fffd}\u{fffd}")),
    (r"\ud83c\ud83c\udf4e", Some("\u{fffd}🍎")),
    (r"\ud800\ue000", Some("\u{fffd}\u{e000}")),
    (r"\udbff\uffff", Some("\u{fffd}\u{ffff}")),
    (r"\udf4e\ud83c", Some("\u{fffd}\u{fffd}")),
    (r"\uD800\\udc00", Some("\u{fffd}\\udc00")),
    (r"\ud800 \udc00", Some("\u{fffd} \u{fffd}")),
    (r"\ud800\uzzzz", None),
    (r"\ud800\udc0", None),
    (r"\udc00\x", None),
];

const PAIRS: &[(&str, Option<&str>)] = &[
    (r"a\ud83c\udf4e", Some("a🍎")),
    (r"\uDBFF\uDFFF\ud800\udc00", Some("\u{10ffff}\u{10000}")),
];

type Ask = fn(Line<'_>) -> Result<(), Error>;

/// What checks the whole line.
const STRICT: &[Ask] = &[
    |line| line.check(),
    |line| line.checked().map(drop),
    |line| line.decode().map(drop),
    |line| line.to_owned_line().map(drop),
    |line| line.peek()?.value().check(),
    #[cfg(feature = "messages")]
    |line| line.deserialize::<serde_json::Value>().map(drop),
    #[cfg(feature = "messages")]
    |line| line.peek()?.into_owned().map(drop),
    #[cfg(feature = "messages")]
    |line| line.checked()?.into_owned().map(drop),
];

fn with_each_reader(line: &str, mut ask: impl FnMut(Line<'_>)) {
    for kernel in kernels() {
        for level in LEVELS {
            let builder = Reader::builder().level(level);
            let mut lines =
                builder.kernel(kernel).unwrap().lines(line.as_bytes());
            ask(lines.next_line().unwrap().unwrap());
        }
    }
}

#[test]
fn a_lone_surrogate_is_refused_or_replaced() {
    let paths = ["/a", "/o/b", "/t"];
    let projection = Projection::new(paths);
    for (index, (text, shown)) in LONE.iter().chain(PAIRS).enumerate() {
        let Some(shown) = *shown else { continue };
        for (members, is_value) in [
            (format!(r#""a":"{text}""#), true),
            (format!(r#""o":{{"b":"{text}"}}"#), true),
            (format!(r#""{text}":0"#), false),
            (format!(r#""o":{{"{text}":{{}},"c":0}}"#), false),
        ] {
            let long = "-".repeat(1 + index * 5);
            let line =
                format!("{{\"type\":\"{long}\",{members},\"t\":\"end\"}}\n");
            let bad = line.find('\\').filter(|_| index < LONE.len());
            for ask in STRICT {
                with_each_reader(&line, |line| {
                    let found = ask(line).map_err(|error| {
                        let reason = error.reason().to_string();
                        assert!(reason.contains("lone surrogate"), "{reason}");
                        error.position().byte() as usize
                    });
                    assert_eq!(found, bad.map_or(Ok(()), Err), "{members}");
                });
            }
            let expected = [long.as_str(), shown, "end"];
            let [before, _, end] = expected;
            with_each_reader(&line, |line| {
                assert!(line.kind().unwrap().is(&long));
                let strings: Vec<_> = line.strings().unwrap().collect();
                match is_value {
                    true => assert_eq!(strings, expected, "{members}"),
                    false => assert_eq!(strings, [before, end], "{members}"),
                }
                let found = line.projected(&projection).unwrap();
                let found = paths.map(|path| found.get(path));
                let mut skimmed = [None; 3];
                line.skim().project(&projection, &mut skimmed).unwrap();
                for [a, b, t] in [found, skimmed] {
                    assert_eq!(t.unwrap().as_str(), Some(end));
                    assert_eq!(a.or(b).is_some(), is_value, "{members}");
                    let Some(value) = a.or(b) else { continue };
                    assert_eq!(value.as_str_lossy(), Some(shown));
                    let strict = value.as_str();
                    assert_eq!(strict, Some(shown).filter(|_| bad.is_none()));
                }
                // All members are there.
                let value = line.peek().unwrap().value();
                let keys = |value: Value<'_>| -> Vec<_> {
                    let object = value.as_object().unwrap();
                    object.iter().map(|(key, _)| key.to_string()).collect()
                };
                assert_eq!(value.get("t").unwrap().as_str(), Some(end));
                match value.get("o") {
                    Some(inner) if is_value => assert_eq!(keys(inner), ["b"]),
                    Some(inner) => assert_eq!(keys(inner), [shown, "c"]),
                    None if is_value => {
                        assert_eq!(keys(value)[1..], ["a", "t"])
                    }
                    None => assert_eq!(keys(value)[1..], [shown, "t"]),
                }
            });
        }
    }
}

/// Any other fault of a string still ends an iteration.
#[test]
fn another_fault_is_not_replaced() {
    for (text, _) in LONE.iter().filter(|(_, shown)| shown.is_none()) {
        let line = format!(r#"{{"a":"{text}","t":"end"}}"#);
        with_each_reader(&line, |line| {
            assert_eq!(line.strings().unwrap().next(), None);
            let value = line.peek().unwrap().value().get("a").unwrap();
            assert_eq!(value.as_str_lossy(), None);
        });
    }
}
