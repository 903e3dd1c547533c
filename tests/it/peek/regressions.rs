//! Former bugs of peeking. Each test describes its bug.

use linetape::{Decoder, Error, ErrorKind, Limits, Projection};

use crate::support::json::decoders;

/// The kind and the position of an error.
fn said<T>(result: Result<T, Error>) -> Result<T, (ErrorKind, u64)> {
    result.map_err(|error| (error.kind(), error.position().byte()))
}

/// Returns the kind of a decoded line, or its error.
fn decoded(
    decoder: &mut Decoder,
    line: &[u8],
) -> Result<String, (ErrorKind, u64)> {
    said(decoder.decode(line).map(|record| record.kind().to_string()))
}

/// Asserts that all ways of reading a line agree with decoding it.
fn agree(decoder: &mut Decoder, line: &str) {
    let expected = decoded(decoder, line.as_bytes());
    let handle = decoder.line(line.as_bytes());
    let kind = said(handle.kind().map(|kind| kind.to_string()));
    assert_eq!(kind, expected, "kind of {line}");
    let peek = said(handle.peek().map(|message| message.kind().to_string()));
    assert_eq!(peek, expected, "peek of {line}");
    let check = said(handle.check());
    assert_eq!(check, expected.map(|_| ()), "check of {line}");
}

fn x(count: usize) -> String {
    "x".repeat(count)
}

/// At depth 1, a block inside a string was skipped, even if the string began
/// in that block. So a string directly after another string was not noticed,
/// nor was an invalid escape in a long key.
#[test]
fn long_strings_in_the_outermost_object_are_no_hiding_place() {
    for mut decoder in decoders(Limits::default()) {
        for shift in 0..64 {
            for long in [1, 30, 80, 150] {
                let (one, other) = (x(shift), x(long));
                for members in [
                    format!(r#""a":"{one}""{other}""#),
                    format!(r#""{one}""{other}":1"#),
                    format!(r#""a":"{one}":"{other}""#),
                    format!(r#""{one}","{other}":1"#),
                    format!(r#""a":"{one}" "{other}""#),
                    format!(r#""a":"{one}","{other}""#),
                    format!(r#""{one}":"{other}","#),
                    format!(r#""{one}{other}\q{other}":1"#),
                    format!("\"{one}{other}\u{1}{other}\":1"),
                    format!(r#""{one}{other}\n{other}":1"#),
                    format!(r#""{one}":"{other}","b":"{one}""#),
                    format!(r#""{one}" : "{other}" , "b" : "{one}" "#),
                ] {
                    agree(
                        &mut decoder,
                        &format!(r#"{{"type":"t",{members}}}"#),
                    );
                }
            }
        }
    }
}

/// A nested type could be taken for the type of the line, depending on the
/// offset of a key in the previous block.
#[test]
fn a_nested_type_is_never_the_line_s_own() {
    for mut decoder in decoders(Limits::default()) {
        for shift in 0..70 {
            for gap in 0..70 {
                let (shift, gap) = (x(shift), x(gap));
                for line in [
                    format!(
                        r#"{{"{shift}":{{"{gap}":1,"type":"no","subtype":"no"}},"type":"yes"}}"#
                    ),
                    format!(
                        r#"{{"{shift}":["{gap}",{{"type":"no"}}],"n":{{"subtype":"no"}}}}"#
                    ),
                    format!(
                        r#"{{"a":"{shift}","b":{{"{gap}":{{"type":"no"}}}},"subtype":"s","type":"t"}}"#
                    ),
                ] {
                    agree(&mut decoder, &line);
                }
            }
        }
    }
}

/// A key across two blocks is recognised, and so is its duplicate.
#[test]
fn a_key_across_blocks_is_counted() {
    for mut decoder in decoders(Limits::default()) {
        for shift in 0..130 {
            let pad = x(shift);
            for key in ["type", "subtype", r"\u0074ype", r"subt\u0079pe"] {
                for line in [
                    format!(
                        r#"{{"type":"a","subtype":"b","p":"{pad}","{key}":"c"}}"#
                    ),
                    format!(r#"{{"p":"{pad}","{key}":"c"}}"#),
                    format!(r#"{{"p":"{pad}","{key}":1}}"#),
                ] {
                    agree(&mut decoder, &line);
                }
            }
        }
    }
}

/// The search for the type checked no limit but that of depth.
#[test]
fn kind_keeps_to_the_limits() {
    let line = r#"{"type":"t","a":[1,2,3,{"b":[]}]}"#;
    for most in 0..=line.len() {
        let all = Limits::default();
        for limits in [
            Limits { max_line: most, ..all },
            Limits { max_nodes: most, ..all },
            Limits { max_depth: most, ..all },
        ] {
            for mut decoder in decoders(limits) {
                agree(&mut decoder, line);
            }
        }
    }
}

/// A duplicate type was reported, although there was an error before it.
#[test]
fn the_first_fault_is_the_one_that_is_reported() {
    let line = r#"{"type":"a","x":[1,,2],"type":"b"}"#;
    for mut decoder in decoders(Limits::default()) {
        let expected = decoded(&mut decoder, line.as_bytes());
        assert_eq!(expected, Err((ErrorKind::Syntax, 19)));
        let handle = decoder.line(line.as_bytes());
        let kind = said(handle.kind().map(|kind| kind.to_string()));
        assert_eq!(kind, expected);
        assert_eq!(said(handle.check()), expected.map(|_| ()));
    }
}

/// A type with an invalid escape was treated as missing.
#[test]
fn a_type_that_cannot_be_read_is_an_error() {
    for mut decoder in decoders(Limits::default()) {
        for value in [r"us\qer", r"\u12", r"\ud800", "us\u{1}er"] {
            for key in ["type", "subtype", r"\u0074ype"] {
                agree(&mut decoder, &format!(r#"{{"{key}":"{value}"}}"#));
            }
        }
        // Valid escapes are read.
        agree(&mut decoder, r#"{"type":"us\u0065r","subtype":"\n"}"#);
    }
}

/// `pointer` stopped at an invalid key, while `get` and `projected` continued.
#[test]
fn a_bad_key_is_the_same_to_all_who_look_for_another() {
    let line = br#"{"a":{"\x":1,"b/~":2,"c":3}}"#;
    for mut decoder in decoders(Limits::default()) {
        let line = decoder.line(line);
        let value = line.peek().unwrap().value();
        let paths = ["/a/c", "/a/b~1~0", "/a/x", "/a/~x"];
        let projection = Projection::new(paths);
        let found = line.projected(&projection).unwrap();
        let found = paths.map(|path| found.get(path).and_then(|v| v.as_u64()));
        assert_eq!(found, [Some(3), Some(2), None, None]);
        let pointed =
            paths.map(|path| value.pointer(path).and_then(|v| v.as_u64()));
        assert_eq!(pointed, found);
        let c = value.get("a").unwrap().get("c");
        assert_eq!(c.and_then(|v| v.as_u64()), Some(3));
    }
}

/// In an invalid object, the first of two members with the same key was
/// returned if the second one could not be read.
#[test]
fn what_a_fault_may_hide_is_not_guessed() {
    for mut decoder in decoders(Limits::default()) {
        for bad in [
            r#"{"a":1,"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":1 "a":2}"#,
            r#"{"a":1,x}"#,
            r#"{"a":1x}"#,
        ] {
            let line = format!(r#"{{"o":{bad}}}"#);
            let line = decoder.line(line.as_bytes());
            let value = line.peek().unwrap().value().get("o").unwrap();
            assert!(value.get("a").is_none(), "{bad}");
            assert!(value.pointer("/a").is_none(), "{bad}");
            let paths = Projection::new(["/o/a"]);
            assert!(line.projected(&paths).unwrap().at(0).is_none(), "{bad}");
            assert!(value.check().is_err(), "{bad}");
        }
    }
}

/// The members of a checked line are noted when one is asked for. An index
/// that is a copy, because another one of the line is in place, had none.
#[test]
fn a_checked_line_has_its_members_beside_another_index() {
    let text = br#"{"type":"user","uuid":"u1","a":{"b":[1,"x"]}}"#;
    let by_index = Projection::new(["", "/uuid"]);
    for mut decoder in decoders(Limits::default()) {
        for is_read_before in [false, true] {
            let line = decoder.line(text);
            let found = is_read_before
                .then(|| line.skim().projected(&by_index).unwrap());
            if let Some(found) = found {
                assert_eq!(found.at(1).unwrap().as_str(), Some("u1"));
            }
            let value = line.checked().unwrap().value();
            assert_eq!(value.as_object().unwrap().iter().count(), 3);
            assert_eq!(value.get("uuid").unwrap().as_str(), Some("u1"));
            assert_eq!(value.pointer("/a/b/1").unwrap().as_str(), Some("x"));
            let [a, none] = value.get_many(["a", "b"]);
            assert!(a.is_some_and(|a| a.as_object().is_some()));
            assert!(none.is_none());
            if let Some(found) = found {
                // The first index still is that of its own text.
                let whole = found.at(0).unwrap().to_string();
                assert_eq!(whole.as_bytes(), text);
            }
        }
    }
}
