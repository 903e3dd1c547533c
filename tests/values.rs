//! The values of a line that is looked at: projections, compared with
//! pointers, and what is wrong with a value, compared with the value alone.

#[path = "support/json.rs"]
mod json;
#[path = "support/texts.rs"]
mod texts;

use json::{Outline, decoders, same_value, show, told, verdict};
use linetape::{Decoder, Limits, Position, Projection};
use proptest::{collection::vec, prelude::*, sample::select};
use texts::{any_object, cases, damage, message, value};

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn a_projection_reads_what_pointers_read(
        line in prop_oneof![any_object(), message()],
        paths in vec(path(), 0..12),
        slots in 0usize..14,
    ) {
        let mut trusted = Decoder::new();
        let Ok(record) = trusted.decode(line.as_bytes()) else {
            return Ok(());
        };
        let projection = Projection::new(&paths);
        prop_assert_eq!(projection.len(), paths.len());
        for mut decoder in decoders(Limits::default()) {
            let line = decoder.line(line.as_bytes());
            let other = line.peek().unwrap().value();
            let mut found = vec![Some(other); slots];
            line.project(&projection, &mut found).unwrap();
            for (at, found) in found.into_iter().enumerate() {
                let path = paths.get(at).map(String::as_str);
                let expected = path.and_then(|p| record.value().pointer(p));
                prop_assert_eq!(found.is_some(), expected.is_some());
                if let (Some(found), Some(expected)) = (found, expected) {
                    same_value(found, expected);
                }
            }
        }
    }

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

/// Some steps that lead somewhere, and some that do not.
fn path() -> impl Strategy<Value = String> {
    let step = select(vec![
        "type",
        "subtype",
        "a",
        "b",
        "0",
        "1",
        "00",
        "+1",
        "content",
        "text",
        "usage",
        "",
        "k~0~1",
        "k~/",
        "~",
        "~2",
        "message",
        "input_tokens",
    ]);
    let steps =
        vec(step, 1..5).prop_map(|steps| "/".to_string() + &steps.join("/"));
    prop_oneof![
        8 => steps.clone(),
        1 => Just(String::new()),
        1 => steps.prop_map(|path| path[1..].to_string()),
    ]
}

/// Each value of the outermost object is good if serde_json says so of its
/// text alone.
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
            // In a line of its own it has the same fault in the same place.
            let alone = [b"{\"v\":", text, b"}"].concat();
            let other = verdict(&alone, Limits::default()).unwrap_err();
            assert_eq!(error.kind(), other.kind);
            assert_eq!(byte - span.start, other.byte as usize - 5);
        }
    }
}

/// One thing is wrong, deep inside: the values around it say so, and where.
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
        // A literal is bad as a whole, but may go on to what follows.
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

/// The place is one of the stream, and not of the line.
#[test]
fn a_bad_value_of_a_later_line_says_where_in_the_stream_it_is() {
    let mut lines = linetape::lines(b"{\"a\":1}\r\n\n{\"b\":[1,01]}\n");
    lines.next_line();
    let line = lines.next_line().unwrap().unwrap();
    let value = line.peek().unwrap().value().get("b").unwrap();
    let error = value.check().unwrap_err();
    // Ten bytes stand before the line, and nine before the second digit.
    assert_eq!(error.position(), Position::new(3, 19));
    assert_eq!(told(&error), told(&line.check().unwrap_err()));
}

/// Paths that begin in the same way, and keys that are there twice: the last
/// one counts, and nothing is left of the one before it.
#[test]
fn paths_share_what_they_have_in_common() {
    let line = br#"{"a":{"b":[1,{"c":2}],"b":[3,{"d":4}]},"a~/":{"":5},
        "x":{"y":6},"x":7,"\u0061":{"\u0062":[8,[9]]},"0":[[0]],"00":1}"#;
    let line: Vec<u8> =
        line.iter().copied().filter(|byte| *byte != b'\n').collect();
    let steps = ["/a", "/b", "/0", "/1", "/c", "/d", "/a~0~1", "/", "/x/y"];
    let mut paths =
        vec![String::new(), "a".into(), "/00".into(), "/~2".into()];
    for one in steps {
        for two in steps {
            for three in steps {
                paths.push(one.to_string());
                paths.push(one.to_string() + two);
                paths.push(one.to_string() + two + three);
            }
        }
    }
    let mut trusted = Decoder::new();
    let record = trusted.decode(&line).unwrap();
    let projection = Projection::new(&paths);
    for mut decoder in decoders(Limits::default()) {
        let line = decoder.line(&line);
        let mut found = vec![None; paths.len() + 1];
        line.project(&projection, &mut found).unwrap();
        let mut there = 0;
        for (path, found) in paths.iter().zip(&found) {
            let expected = record.value().pointer(path);
            assert_eq!(found.is_some(), expected.is_some(), "{path}");
            if let (Some(found), Some(expected)) = (found, expected) {
                same_value(*found, expected);
                there += 1;
            }
        }
        assert!(there > 100, "{there}");
        assert!(found[paths.len()].is_none());
    }
}

/// A key may have a backslash in it, written in one of two ways; and what
/// looks like an escape may be none.
#[test]
fn a_key_is_what_it_means_and_not_what_is_written() {
    let line = br#"{"\u005c":1,"\n":2,"\\n":3,"a\\b":4,"\u005Cu0041":5}"#;
    let keys = ["\\", "\n", "\\n", "a\\b", "\\u0041"];
    for mut decoder in decoders(Limits::default()) {
        let line = decoder.line(line);
        let value = line.peek().unwrap().value();
        for (number, key) in keys.iter().enumerate() {
            let expected = Some(number as u64 + 1);
            let got = value.get(key).and_then(|value| value.as_u64());
            assert_eq!(got, expected, "{key:?}");
            let path = format!("/{key}");
            let mut found = [None];
            line.project(&Projection::new([path]), &mut found).unwrap();
            assert_eq!(found[0].and_then(|v| v.as_u64()), expected, "{key:?}");
        }
        for key in ["\\u005c", "\\\\", "\\\\n", "a\\\\b", "A", "n", ""] {
            assert!(value.get(key).is_none(), "{key:?}");
        }
    }
}
