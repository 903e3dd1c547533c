//! `Value::check`: the error of a value, compared with that of the value
//! alone.

use linetape::{Limits, Position};
use proptest::{collection::vec, prelude::*};

use crate::support::{
    json::{Outline, decoders, show, told, verdict},
    texts::{cases, damage, value},
};

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn a_value_is_good_if_its_own_text_is(
        values in vec(value(), 1..4),
        damage in vec(damage(), 4),
    ) {
        let values = values.iter().zip(&damage).enumerate();
        let members = values.map(|(at, (value, damage))| {
            let bad = at % 2 == 1;
            let text = value.as_bytes();
            let text = if bad { damage.to(text) } else { text.to_vec() };
            [format!("\"{at}\":[").as_bytes(), &text, b"]"].concat()
        });
        let members: Vec<_> = members.collect();
        let line = [b"{", &members.join(&b',')[..], b"}"].concat();
        values_are_judged_alone(&line);
    }
}

/// Each value of the outermost object is valid if serde_json accepts its text
/// alone.
fn values_are_judged_alone(line: &[u8]) {
    let outline = Outline::of(line);
    let members = outline.members(line).unwrap_or_default();
    for mut decoder in decoders(Limits::default()) {
        let line = decoder.line(line);
        let Ok(message) = line.peek() else { continue };
        let object = message.value().as_object().unwrap();
        let mut read = object.iter();
        for member in &members {
            let (key, value) = read.next().unwrap();
            assert_eq!(Some(key), member.key.as_deref());
            let span = member.value;
            let text = &line.as_bytes()[span.start..span.end];
            let good = serde_json::from_slice::<serde_json::Value>(text);
            let check = value.check();
            assert_eq!(check.is_ok(), good.is_ok(), "{}", show(text));
            let Err(error) = check else { continue };
            let byte = error.position().byte() as usize;
            assert!((span.start..span.end).contains(&byte), "{error}");
            // On a separate line, the value has the same fault at the same
            // offset.
            let alone = [b"{\"v\":", text, b"}"].concat();
            let other = verdict(&alone, Limits::default()).unwrap_err();
            assert_eq!(error.kind(), other.kind);
            assert_eq!(byte - span.start, other.byte as usize - 5);
        }
    }
}

/// With one fault in a nested value, all values around it return the error.
#[test]
fn a_bad_value_says_where_it_is_bad() {
    let bad = [
        ("01", 1),
        ("1.", 2),
        ("-", 1),
        ("tru", 0),
        ("nul", 0),
        ("\"\\x\"", 1),
        ("\"\\ud800\"", 1),
        ("\"a\tb\"", 2),
        ("[1,]", 3),
        ("[,]", 1),
        ("[1 2]", 3),
        ("{\"a\" 1}", 5),
        ("{\"a\":1,}", 7),
        ("{\"a\"}", 4),
        ("{1:2}", 1),
        ("1e999", 0),
        ("", 0),
    ];
    for (bad, place) in bad {
        let good = br#"{"b":[1,{"c":"\n"}],"a":{"x":["#;
        let line = [good, bad.as_bytes(), b",2]},\"z\":[3]}"].concat();
        let expected = verdict(&line, Limits::default()).unwrap_err();
        // The error of a literal is at its start.
        assert_eq!(expected.byte as usize, good.len() + place, "{bad}");
        for mut decoder in decoders(Limits::default()) {
            let line = decoder.line(&line);
            let value = line.peek().unwrap().value();
            for key in ["b", "z"] {
                value.get(key).unwrap().check().unwrap();
            }
            for path in ["", "/a", "/a/x"] {
                let value = value.pointer(path).unwrap();
                let error = told(&value.check().unwrap_err());
                assert_eq!(error, expected, "{bad} {path}");
            }
            assert_eq!(told(&line.check().unwrap_err()), expected);
        }
    }
}

/// The position is relative to the stream, not to the line.
#[test]
fn a_bad_value_of_a_later_line_says_where_in_the_stream_it_is() {
    let mut lines = linetape::lines(b"{\"a\":1}\r\n\n{\"b\":[1,01]}\n");
    lines.next_line();
    let line = lines.next_line().unwrap().unwrap();
    let value = line.peek().unwrap().value().get("b").unwrap();
    let error = value.check().unwrap_err();
    // There are ten bytes before the line, and nine before the second digit.
    assert_eq!(error.position(), Position::new(3, 19));
    assert_eq!(told(&error), told(&line.check().unwrap_err()));
}
