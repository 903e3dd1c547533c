//! Skimming, compared with decoding.

use linetape::{ErrorKind, Limits, Message, Projection};
use proptest::prelude::*;

use crate::{
    oracle::skim::{agree_with, first_type, has_subtype},
    support::{
        json::decoders,
        texts::{any_object, cases, message},
    },
};

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn skimming_returns_what_decoding_returns(
        line in prop_oneof![any_object(), message()],
        cut in any::<prop::sample::Index>(),
    ) {
        let torn = &line.as_bytes()[..cut.index(line.len() + 1)];
        for mut decoder in decoders(Limits::default()) {
            agree_with(&mut decoder, line.as_bytes());
            agree_with(&mut decoder, torn);
        }
    }
}

/// Whatever stands before the type, at every offset in a block, and however
/// much of the rest is missing.
#[test]
fn skim_does_not_read_past_the_type() {
    let filler = r#"a\\\"{[]}ä,:\n]}"#;
    for pad in 0..70 {
        let pad = "x".repeat(pad);
        let start = format!(
            r#"{{"p":"{pad}","q":{{"type":"no","r":[{{"s":"{filler}"}}]}},"n":1,"type":"user""#
        );
        let line = format!(r#"{start},"z":[1,{{"type":"x"}}],"m":2}}"#);
        assert_eq!(first_type(line.as_bytes()).as_deref(), Some("user"));
        for mut decoder in decoders(Limits::default()) {
            agree_with(&mut decoder, line.as_bytes());
            let torn = decoder.line(start.as_bytes());
            assert!(torn.skim().kind().unwrap().is("user"), "{start}");
            assert!(torn.kind().is_err());
            let paths = Projection::new(["/type"]);
            let found = torn.skim().projected(&paths).unwrap();
            assert_eq!(found.at(0).unwrap(), "user");
            let cut = &start.as_bytes()[..start.len() - 1];
            assert!(decoder.line(cut).skim().kind().is_err());
        }
    }
}

/// A type ends the reading if it has no subtype, and only then.
#[test]
fn a_subtype_is_read_where_the_tables_have_one() {
    let mut with = vec![];
    for name in Message::KINDS.iter().copied().chain(["novel"]) {
        let line = format!(r#"{{"type":"{name}","a":{{}},"subtype":"s"}}"#);
        for mut decoder in decoders(Limits::default()) {
            let line = decoder.line(line.as_bytes());
            let kind = line.skim().kind().unwrap();
            let expected = has_subtype(Some(name)).then_some("s");
            assert_eq!((kind.name(), kind.subtype()), (Some(name), expected));
        }
        with.extend(has_subtype(Some(name)).then_some(name));
    }
    with.sort_unstable();
    let expected = [
        "assistant",
        "control_request",
        "control_response",
        "novel",
        "result",
        "system",
    ];
    assert_eq!(with, expected);
}

/// The first type counts, also where a second one is seen. A projection that
/// needs an index refuses the line.
#[test]
fn a_second_type_is_not_an_error() {
    for (line, expected) in [
        (r#"{"type":"user","type":"assistant"}"#, "user"),
        (r#"{"type":"system","type":"user","subtype":"init"}"#, "system/init"),
        (r#"{"type":"system","type":7,"subtype":"init"}"#, "system/init"),
        (r#"{"\u0074ype":"\u0061","type":"b","subtype":"c"}"#, "a/c"),
        (r#"{"subtype":"c","type":"user","subtype":"d"}"#, "user/c"),
    ] {
        let has_escapes = line.contains('\\');
        for mut decoder in decoders(Limits::default()) {
            let line = decoder.line(line.as_bytes());
            let kind = line.skim().kind().unwrap();
            assert_eq!(kind.to_string(), expected, "{line:?}");
            assert!(line.kind().is_err());
            let paths = Projection::new(["/type", "/subtype"]);
            let found = line.skim().projected(&paths);
            if has_escapes {
                let kind = found.unwrap_err().kind();
                assert_eq!(kind, ErrorKind::DuplicateKey);
                continue;
            }
            let found = found.unwrap();
            let name = found.at(0).unwrap();
            assert_eq!(name.as_str(), kind.name(), "{line:?}");
            // A value of a bad line cannot be owned.
            assert!(name.deserialize::<String>().is_err());
        }
    }
}

/// Escaped keys, strings that only look like a key, and whitespace, at every
/// offset in a block. The type is in no table, so the subtype is read too. With
/// a second type, nothing but skimming can find the first.
#[test]
fn a_key_is_found_however_it_is_written() {
    let long = "a_type_of_more_than_24_bytes";
    for (members, expected) in [
        (r#""typ\u0065":"n","subtype":"s""#, "n/s"),
        (r#""\u0074\u0079\u0070\u0065":"n","subtype":"s""#, "n/s"),
        (r#""subtype":"s","type":"n""#, "n/s"),
        (r#""sub\u0074ype":"s","type":"n""#, "n/s"),
        (r#""type" : "n" , "subtype" : "s""#, "n/s"),
        (r#""type":"\u006e","subtype":"\u0073""#, "n/s"),
        (r#""a":"type","b":"subtype","type":"n","subtype":"s""#, "n/s"),
        (r#""a":"typ\u0065","b":["type"],"type":"n","subtype":"s""#, "n/s"),
        (r#""\"type":0,"x\\\"type":0,"type":"n","subtype":"s""#, "n/s"),
        (r#""Xtype":0,"xsubtype":0,"type":"n","subtype":"s""#, "n/s"),
        (r#""type":"LONG","subtype":"LONG""#, "LONG/LONG"),
    ] {
        let expected = expected.replace("LONG", long);
        let members = members.replace("LONG", long);
        for pad in 0..70 {
            let start = format!(r#"{{"{}":0,{members}"#, "x".repeat(pad));
            let whole = format!("{start}}}");
            let second = format!(r#"{start},"type":"late"}}"#);
            for mut decoder in decoders(Limits::default()) {
                agree_with(&mut decoder, whole.as_bytes());
                let line = decoder.line(second.as_bytes());
                let kind = line.skim().kind().unwrap();
                assert_eq!(kind.to_string(), expected, "{line:?}");
                assert!(line.kind().is_err());
            }
        }
    }
}

/// Whether it was an error depended on the words of the line: with `bt` in it,
/// it was one. (It still does if the line is cut after a brace.)
#[test]
fn a_line_that_is_torn_before_a_subtype_is_an_error() {
    for rest in [
        "",
        ",",
        ",\"a\":[",
        ",\"a\":\"b t \\n\\\\",
        ",\"a\":\"bt",
        ",\"a\":\"\\u00e9",
        ",\"sub\":\"type",
    ] {
        for pad in 0..70 {
            let pad = "x".repeat(pad);
            let line = format!(r#"{{"type":"system","{pad}":0{rest}"#);
            for mut decoder in decoders(Limits::default()) {
                let line = decoder.line(line.as_bytes());
                assert!(line.skim().kind().is_err(), "{line:?}");
            }
        }
    }
}

/// A rest of the line that cannot have the key `subtype` is not read member by
/// member.
#[test]
fn a_line_with_a_fault_after_its_type_has_its_type() {
    for pad in 0..70 {
        let pad = "x".repeat(pad);
        let line = format!(r#"{{"type":"system","{pad}":0,"a":[}}"#);
        for mut decoder in decoders(Limits::default()) {
            let line = decoder.line(line.as_bytes());
            let kind = line.skim().kind().unwrap();
            assert_eq!(kind.to_string(), "system", "{line:?}");
        }
    }
}

/// A subtype is found wherever it is, and however it is escaped.
#[test]
fn a_subtype_is_found_at_every_offset_after_a_type() {
    for key in ["subtype", "su\\u0062type", "sub\\u0074ype", "subtyp\\u0065"] {
        for pad in 0..70 {
            let pad = "x".repeat(pad);
            let line = format!(
                r#"{{"type":"system","{pad}":{{"subtype":0}},"{key}":"init"}}"#
            );
            for mut decoder in decoders(Limits::default()) {
                agree_with(&mut decoder, line.as_bytes());
                let line = decoder.line(line.as_bytes());
                let kind = line.skim().kind().unwrap();
                assert_eq!(kind.to_string(), "system/init", "{line:?}");
            }
        }
    }
}

/// Skimming looks at strings and brackets only.
#[test]
fn the_grammar_before_the_type_is_not_checked() {
    for line in [
        r#"{"a" 1,"type":"user"}"#,
        r#"{"a":01,"type":"user"}"#,
        r#"{"a":[1},"type":"user"}"#,
        r#"{"a":1 "type":"user"}"#,
    ] {
        for mut decoder in decoders(Limits::default()) {
            agree_with(&mut decoder, line.as_bytes());
            let line = decoder.line(line.as_bytes());
            assert!(line.skim().kind().unwrap().is("user"), "{line:?}");
            assert!(line.kind().is_err());
        }
    }
}

/// What cannot be skimmed is read and refused as by `peek`.
#[test]
fn a_fault_before_the_answer_is_an_error() {
    for line in [
        r#"["type"]"#,
        r#"{"a":[1,"type":"user"}"#,
        r#"{"a":"\","type":"user"}"#,
        r#"{"a":\"type":"user"}"#,
        r#"{"type":"\x"}"#,
        r#"{"type":"us"#,
        r#"{"type" "user"}"#,
        r#"{"type":}"#,
        r#"{"type"}"#,
        // The text has a part of the key `subtype`.
        r#"{"type":"system","a":["obtained"}"#,
        r#"{"a":[1,"#,
        "",
    ] {
        for mut decoder in decoders(Limits::default()) {
            let line = decoder.line(line.as_bytes());
            let error = line.skim().kind().unwrap_err();
            assert_eq!(
                error.to_string(),
                line.kind().unwrap_err().to_string()
            );
        }
    }
    // A value that is not UTF-8 or not balanced is a fault if it is asked for.
    let text =
        b"{\"a\":1,\"b\":\"\xff\",\"c\":[\"\xff\"],\"d\":[1},\"type\":\"u\"}";
    for mut decoder in decoders(Limits::default()) {
        let line = decoder.line(text);
        for paths in [&["/b"][..], &["/c"], &["/d"], &["/a", "/b"]] {
            let paths = Projection::new(paths);
            let error = line.skim().projected(&paths).unwrap_err();
            let peeked = line.peek().unwrap_err();
            assert_eq!(error.to_string(), peeked.to_string());
        }
        let paths = Projection::new(["/a"]);
        let a = line.skim().projected(&paths).unwrap().at(0).unwrap();
        assert_eq!(a, 1u64);
        assert!(a.check().is_ok());
    }
}

/// Strings that cross blocks at every offset, and more of them than are kept
/// at a time.
#[test]
fn strings_are_found_at_every_offset() {
    for pad in 0..70 {
        let pad = "x".repeat(pad);
        let many = vec![r#""\\","","a\tb","ä\u00e4""#; 80].join(",");
        let line =
            format!(r#"{{"p":"{pad}","k" : [{many}],"e":"","z":"\n"}}"#);
        for mut decoder in decoders(Limits::default()) {
            agree_with(&mut decoder, line.as_bytes());
            let line = decoder.line(line.as_bytes());
            assert_eq!(line.strings().unwrap().count(), 323);
        }
    }
}

/// An invalid string ends the iteration, for good.
#[test]
fn an_invalid_string_is_the_end() {
    let mut decoder = linetape::Decoder::new();
    let line = decoder.line(br#"{"a":"b","c":"\x","d":"e"}"#);
    let mut strings = line.strings().unwrap();
    assert_eq!(strings.next(), Some("b"));
    assert_eq!((strings.next(), strings.next()), (None, None));
    assert!(decoder.line(b"{\"a\":\"\xff\"}").strings().is_err());
    assert!(decoder.line(b"[\"a\"]").strings().is_err());
}

/// A value of a line that is over a limit counted as checked, and could be
/// deserialised.
#[test]
fn limits_hold_for_skimmed_values() {
    let text = br#"{"type":"user","a":[1,2,3,4,5,6,7,8,9]}"#;
    let paths = Projection::new(["/a"]);
    for limits in [
        Limits { max_nodes: 4, ..Limits::default() },
        Limits { max_line: 20, ..Limits::default() },
    ] {
        let mut decoder = linetape::Decoder::with_limits(limits);
        let line = decoder.line(text);
        let kind = line.check().unwrap_err().kind();
        let error = line.skim().projected(&paths).unwrap_err();
        assert_eq!(error.kind(), kind);
    }
}

/// Behind a backslash outside of a string, what is a string and what is not
/// was mixed up: skimming passed over it, and strings were hidden.
#[test]
fn a_backslash_outside_of_a_string_is_the_end() {
    let mut decoder = linetape::Decoder::new();
    for pad in 0..130 {
        let pad = " ".repeat(pad);
        let text = format!(r#"{{"a":[{pad}\"],"type":"x"}}"#);
        let line = decoder.line(text.as_bytes());
        assert!(line.skim().kind().is_err(), "{text}");
        let text = format!(r#"{{"z":"y","a":{pad}\"b","c":"d"}}"#);
        let line = decoder.line(text.as_bytes());
        let strings: Vec<&str> = line.strings().unwrap().collect();
        assert_eq!(strings, ["y"], "{text}");
    }
}

/// Of two subtypes, the second one was counted as the type.
#[test]
fn the_first_type_counts_whichever_values_are_asked_for() {
    let mut decoder = linetape::Decoder::new();
    let line = decoder.line(br#"{"subtype":"a","subtype":"b","type":"user"}"#);
    let paths = Projection::new(["/type", "/subtype"]);
    let name = line.skim().projected(&paths).unwrap().at(0);
    assert_eq!(name.and_then(|name| name.as_str()), Some("user"));
    let mut decoder = linetape::Decoder::new();
    let line = decoder.line(br#"{"type":{"x":1},"type":{"x":2}}"#);
    let paths = Projection::new(["/type/x"]);
    let x = line.skim().projected(&paths).unwrap().at(0);
    assert_eq!(x.and_then(|x| x.as_u64()), Some(1));
}

/// A type at the start of a line is read without a pass over the text.
#[test]
fn a_projected_type_is_the_skimmed_one() {
    let long = "x".repeat(40);
    let paths = Projection::new(["/type", "/type"]);
    for name in
        ["user", "", "\\u0075ser", "us\\ner", "a \\\" b", "ä", &long, "\u{1}"]
    {
        for rest in [r#"","type":"other"}"#, "\"", "", "\\", "\":"] {
            let text = format!("{{\"type\":\"{name}{rest}");
            for mut decoder in decoders(Limits::default()) {
                let line = decoder.line(text.as_bytes());
                let first = first_type(text.as_bytes());
                let Ok(found) = line.skim().projected(&paths) else {
                    assert_eq!(first, None, "{text}");
                    continue;
                };
                let texts = [0, 1].map(|at| found.at(at)?.as_str());
                assert_eq!(texts, [first.as_deref(); 2]);
            }
        }
    }
    let mut decoder = linetape::Decoder::new();
    let line = decoder.line(b"{\"type\":\"us\xFFer\"}");
    assert!(line.skim().projected(&paths).is_err());
}

/// The digits before a letter were returned as a number, and `truefalse` was
/// true.
#[test]
fn a_number_must_be_followed_by_a_delimiter() {
    let paths = Projection::new(["/a"]);
    let nested = Projection::new(["/m/a"]);
    for value in ["12x", "01", "1.2.3", "-0-", "truefalse", "nullx", "1\"\""] {
        for mut decoder in decoders(Limits::default()) {
            let text = format!("{{\"a\":{value},\"b\":2}}");
            let line = decoder.line(text.as_bytes());
            assert!(line.skim().projected(&paths).is_err(), "{text}");
            let text = format!("{{\"m\":{{\"a\":{value},\"b\":2}}}}");
            let line = decoder.line(text.as_bytes());
            let found = line.skim().projected(&nested).unwrap();
            assert!(found.at(0).is_none(), "{text}");
        }
    }
}

#[test]
fn a_fault_is_an_error_unless_all_values_are_found() {
    let mut decoder = linetape::Decoder::new();
    let line = decoder.line(br#"{"a":1,"b":["#);
    let paths = Projection::new(["/a", "/c"]);
    assert!(line.skim().projected(&paths).is_err());
    let paths = Projection::new(["/a"]);
    let a = line.skim().projected(&paths).unwrap().at(0);
    assert_eq!(a.and_then(|a| a.as_u64()), Some(1));
}

/// Nothing was checked if there were no paths.
#[test]
fn a_projection_without_paths_wants_an_object() {
    let mut decoder = linetape::Decoder::new();
    let line = decoder.line(b"[1]");
    let paths = Projection::new([""; 0]);
    assert!(line.skim().projected(&paths).is_err());
}
