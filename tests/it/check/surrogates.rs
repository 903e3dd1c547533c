//! Lone surrogates: who refuses them, and who goes on.

use linetape::{Error, Limits, Line, Projection, Value};

use crate::support::{json::decoders, texts::LONE};

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

#[test]
fn a_lone_surrogate_is_refused_or_replaced() {
    let paths = ["/a", "/o/b", "/t"];
    let projection = Projection::new(paths);
    for row @ (text, shown) in LONE.iter().chain(PAIRS) {
        for (members, keys, is_value) in [
            (format!(r#""a":"{text}""#), ["type", "a", "t"], true),
            (format!(r#""o":{{"b":"{text}"}}"#), ["type", "o", "t"], true),
            (
                format!(r#""{text}":0"#),
                ["type", shown.unwrap_or(""), "t"],
                false,
            ),
            (format!(r#""o":{{"{text}":0}}"#), ["type", "o", "t"], false),
        ] {
            // Any other fault of a key is one of the line.
            if !is_value && shown.is_none() {
                continue;
            }
            let line = format!(r#"{{"type":"x",{members},"t":"end"}}"#);
            let bad = line.find('\\').filter(|_| !PAIRS.contains(row));
            for mut decoder in decoders(Limits::default()) {
                for ask in STRICT {
                    let found = ask(decoder.line(line.as_bytes())).err();
                    let found = found.map(|error| {
                        let reason = error.reason().to_string();
                        assert!(reason.contains("lone surrogate"), "{reason}");
                        error.position().byte() as usize
                    });
                    assert_eq!(found, bad, "{line}");
                }
                let line = decoder.line(line.as_bytes());
                assert!(line.kind().unwrap().is("x"));
                let strings: Vec<_> = line.strings().unwrap().collect();
                assert_eq!(
                    strings,
                    match shown {
                        Some(shown) if is_value => vec!["x", shown, "end"],
                        None => vec!["x"],
                        Some(_) => vec!["x", "end"],
                    }
                );
                let found = line.projected(&projection).unwrap();
                let [a, b, end] = paths.map(|path| found.get(path));
                assert_eq!(end.unwrap().as_str(), Some("end"));
                let found = a.or(b).map(|v| (v.as_str(), v.as_str_lossy()));
                let strict = shown.filter(|_| bad.is_none());
                assert_eq!(found, is_value.then_some((strict, *shown)));
                let value = line.peek().unwrap().value();
                let keys_of = |value: Value<'_>| -> Vec<String> {
                    let object = value.as_object().unwrap();
                    object.iter().map(|(key, _)| key.to_string()).collect()
                };
                assert_eq!(keys_of(value), keys);
                if let Some(inner) = value.get("o") {
                    let key = if is_value { "b" } else { shown.unwrap() };
                    assert_eq!(keys_of(inner), [key]);
                }
            }
        }
    }
}
