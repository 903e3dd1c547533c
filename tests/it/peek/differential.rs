//! Peeking, compared with decoding: the same values for a line that can be
//! decoded, and for any other line an error, or values that are in its text.

use linetape::{
    Chunks, Decoder, ErrorKind, Limits, Line, Message, Projection, Reader,
    message::system::System,
};
use proptest::{prelude::*, sample::select};

use crate::{
    oracle::peek::agree,
    support::{
        fields::count_fields,
        json::{
            Outline, What, at_all_offsets, corpus, decoders, kernels,
            same_value, stated, suite, told, verdict, written_lines,
        },
        texts::{NUMBERS, any_object, cases, damage, message, noise},
    },
};

/// The reference implementation once treated two members with the same name as
/// two names. It took a hundred thousand cases to show this.
#[test]
fn a_name_that_is_repeated_is_one_name() {
    for (line, name) in [
        (r#"{"TextChunk":{"text":"a"},"TextChunk":{}}"#, Some("TextChunk")),
        (r#"{"TextChunk":{"\u1":0},"TextChunk":{}}"#, Some("TextChunk")),
        (r#"{"TextChunk":{},"Complete":{}}"#, None),
    ] {
        agree(line.as_bytes(), Limits::default());
        let mut decoder = Decoder::new();
        let line = decoder.line(line.as_bytes());
        assert_eq!(line.kind().unwrap().name(), name);
    }
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn objects_read_the_same(line in any_object()) {
        agree(line.as_bytes(), Limits::default());
    }

    #[test]
    fn messages_read_the_same(line in message()) {
        agree(line.as_bytes(), Limits::default());
    }

    #[test]
    fn damaged_objects_are_refused_or_read(
        line in prop_oneof![any_object(), message()],
        damage in damage(),
        max_depth in prop_oneof![4 => Just(128), 1 => 1usize..6],
    ) {
        let limits = Limits { max_depth, ..Limits::default() };
        agree(&damage.to(line.as_bytes()), limits);
    }

    #[test]
    fn damaged_messages_are_refused_or_read(
        line in select(written_lines()),
        damage in damage(),
    ) {
        agree(&damage.to(&line), Limits::default());
    }

    #[test]
    fn noise_is_refused_or_read(noise in noise()) {
        agree(&noise, Limits::default());
        agree(&[b"{\"a\":", &noise[..], b"}"].concat(), Limits::default());
        let inside = [b"{\"a\":[", &noise[..], b"],\"type\":\"t\"}"].concat();
        agree(&inside, Limits::default());
    }
}

#[test]
fn duplicate_type_or_subtype_is_rejected_in_all_ways_of_reading() {
    let twins = [
        [r#""type""#, r#""type""#],
        [r#""type""#, r#""\u0074ype""#],
        [r#""\u0074\u0079\u0070\u0065""#, r#""type""#],
        [r#""t\u0079pe""#, r#""typ\u0065""#],
        [r#""subtype""#, r#""subtyp\u0065""#],
        [r#""\u0073ubtype""#, r#""subtype""#],
    ];
    for [one, two] in twins {
        for between in [0, 31, 1000] {
            let between = "\"k\":{\"type\":1,\"type\":2},".repeat(between);
            let head = format!("{{{one}:\"user\",{between}");
            let line = format!("{head}{two}:[\"}}\"]}}");
            let expected = verdict(line.as_bytes(), Limits::default());
            let expected = expected.unwrap_err();
            let found = (expected.kind, expected.byte as usize);
            assert_eq!(found, (ErrorKind::DuplicateKey, head.len()));
            for mut decoder in decoders(Limits::default()) {
                let line = decoder.line(line.as_bytes());
                let paths = Projection::new(["/k"]);
                let errors = [
                    line.checked().unwrap_err(),
                    line.kind().unwrap_err(),
                    line.peek().unwrap_err(),
                    line.check().unwrap_err(),
                    line.projected(&paths).unwrap_err(),
                ];
                for error in errors {
                    assert_eq!(told(&error), expected);
                }
            }
        }
    }
}

/// A checked line notes its members later if it begins with its type, and the
/// check alone finds a second one, wherever that is in a block.
#[test]
fn a_second_type_is_found_at_every_offset() {
    for second in [r#""type":1"#, r#""t\u0079pe":1"#, r#""subtype":{}"#] {
        for length in 0..200 {
            let padding = "x".repeat(length);
            let line = format!(
                r#"{{"type":"user","subtype":"s","p":"{padding}",{second}}}"#
            );
            let expected = verdict(line.as_bytes(), Limits::default());
            let expected = expected.unwrap_err();
            assert_eq!(expected.kind, ErrorKind::DuplicateKey, "{line}");
            for mut decoder in decoders(Limits::default()) {
                let error = decoder.line(line.as_bytes()).checked();
                assert_eq!(told(&error.unwrap_err()), expected, "{line}");
            }
        }
    }
}

/// Strings and nested objects contain many types.
#[test]
fn a_type_is_never_taken_from_further_inside() {
    let decoys = [
        r#""a":{"type":"no","subtype":"no"}"#,
        r#""a":[{"type":"no"},"type","no"]"#,
        r#""a":"\",\"type\":\"no\",\"b\":\"""#,
        r#""a":"type","type2":"no","Type":"no","":"type""#,
        r#""a\\":"\\","type\\":"no""#,
    ];
    for decoy in decoys {
        at_all_offsets(decoy.as_bytes(), |line, _| {
            agree(line, Limits::default());
            let text = std::str::from_utf8(line).unwrap();
            let open = &text[..text.len() - 1];
            for (last, kind) in [
                (r#""type":"yes""#, "yes"),
                (r#""subtype":"s" , "type" : "yes""#, "yes/s"),
                (r#""\u0074ype":"\u0079es""#, "yes"),
                (r#""type":["no"]"#, "none"),
            ] {
                let line = format!("{open},{last}}}");
                for mut decoder in decoders(Limits::default()) {
                    let line = decoder.line(line.as_bytes());
                    assert_eq!(line.kind().unwrap().to_string(), kind);
                }
                // An unclosed object has no type.
                for broken in [&line[..line.len() - 1], &line[1..]] {
                    agree(broken.as_bytes(), Limits::default());
                }
            }
        });
    }
}

/// All ways of reading a line count its levels in the same way.
#[test]
fn a_line_is_as_deep_for_all() {
    for depth in (1..6).chain(60..68).chain(126..131) {
        for open in ["[", "{\"a\":"] {
            let close = if open == "[" { "]" } else { "}" };
            let inner =
                open.repeat(depth - 1) + "1" + &close.repeat(depth - 1);
            for member in [r#""type":"t""#, r#""\u0074ype":"t""#] {
                let line = format!("{{{member},\"a\":{inner}}}");
                for max_depth in [1, 2, 3, depth - 1, depth, 128] {
                    let limits = Limits { max_depth, ..Limits::default() };
                    agree(line.as_bytes(), limits);
                }
            }
        }
    }
}

/// An invalid key is an error for all ways of reading, or for none.
#[test]
fn a_key_with_a_control_character_is_the_same_to_all() {
    for depth in [1, 62, 63, 100] {
        let inner = "[".repeat(depth) + &"]".repeat(depth);
        for key in ["\u{1}", "a\tb", "\\n\u{1f}"] {
            for members in [
                format!("\"{key}\":1,\"type\":\"t\",\"subtype\":\"s\""),
                format!("\"type\":\"t\",\"{key}\":1,\"subtype\":\"s\""),
                format!("\"{key}\":{{\"type\":\"no\"}}"),
            ] {
                let line = format!("{{{members},\"a\":{inner}}}");
                agree(line.as_bytes(), Limits::default());
            }
        }
    }
}

/// A backslash outside of a string escapes nothing, so the quote after it
/// begins a string.
#[test]
fn a_backslash_outside_of_a_string_escapes_nothing() {
    for line in [
        r#"{"a":[\"],"type":"t"}"#,
        r#"{"a":[\"],"b":"],"type":"t"}"#,
        r#"{"a":[\\"],"type":"t"}"#,
        r#"{"a":{"b":\"},"type":"t","c":[\"]}"#,
        r#"{"type":"t","a":[\]}"#,
        r#"{\"type":"t"}"#,
    ] {
        agree(line.as_bytes(), Limits::default());
    }
}

#[test]
fn written_lines_read_the_same() {
    for line in written_lines() {
        agree(&line, Limits::default());
    }
}

#[test]
fn numbers_at_the_edges_of_their_classes_read_the_same() {
    for number in NUMBERS.split(' ') {
        let line = format!("{{\"n\":{number},\"list\":[{number}]}}");
        agree(line.as_bytes(), Limits::default());
    }
}

#[test]
fn whitespace_after_a_string_is_not_part_of_it() {
    for blank in [" ", "\t", "\r", "\n"] {
        let line = [r#"{"a":"\n""#, r#","b":["\u0041""#, "]", "}"];
        agree(line.join(blank).as_bytes(), Limits::default());
    }
}

/// A decoder reads one line after the other. No line, good or bad, affects the
/// next one.
#[test]
fn the_line_before_leaves_nothing_behind() {
    let lines = written_lines();
    for mut decoder in decoders(Limits::default()) {
        for line in lines.iter().chain(lines.iter().rev()) {
            // A truncated line in between is rejected.
            let torn = &line[..line.len() - 1];
            assert!(decoder.line(torn).peek().is_err());
            assert!(decoder.line(torn).checked().is_err());
            let mut trusted = Decoder::new();
            let theirs = trusted.decode(line);
            for is_checked in [false, true] {
                let looked_at = decoder.line(line);
                let ours = match is_checked {
                    false => looked_at.peek(),
                    true => looked_at.checked(),
                };
                match (ours, &theirs) {
                    (Ok(ours), Ok(theirs)) => {
                        same_value(ours.value(), theirs.value());
                    }
                    (ours, theirs) => {
                        assert!(ours.is_err() && theirs.is_err(), "{ours:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn files_of_the_suite_are_refused_or_read_in_every_framing() {
    for (name, line) in suite() {
        agree(&line, Limits::default());
        let kinds = framings(&line);
        let all = kinds.iter().all(|kind| Some(kind) == kinds.first());
        assert!(all, "{name}: {kinds:?}");
    }
}

/// Returns the kind of a line, or of its error, in six framings.
fn framings(line: &[u8]) -> Vec<String> {
    let say = |line: &Line<'_>| match line.kind() {
        Ok(kind) => kind.to_string(),
        // A last line is `Truncated` where other lines have a syntax error.
        Err(error) if error.kind() == ErrorKind::Truncated => {
            verdict(line.as_bytes(), Limits::default()).unwrap_err().text
        }
        Err(error) => {
            let at = error.position().byte() - line.offset();
            let alone = verdict(line.as_bytes(), Limits::default());
            let alone = alone.unwrap_err();
            assert_eq!((error.kind(), at), (alone.kind, alone.byte));
            alone.text
        }
    };
    let read = |stream: &[u8], number: usize| {
        let mut reader = Reader::new(stream);
        for _ in 1..number {
            reader.next_line().unwrap().unwrap();
        }
        let line = reader.next_line();
        say(&line.unwrap().unwrap())
    };
    // At the beginning of a stream, these are byte order marks.
    let marks = [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"];
    let blank = line.iter().all(|byte| b" \t\r".contains(byte));
    if blank || marks.iter().any(|mark| line.starts_with(mark)) {
        return vec![];
    }
    let mut chunks = Chunks::new();
    let mut in_bytes = String::new();
    for byte in [line, b"\n"].concat() {
        chunks.push(vec![byte]);
        while let Some(line) = chunks.next_line() {
            let mut decoder = Decoder::new();
            in_bytes = say(&line.unwrap().line(&mut decoder));
        }
    }
    let with = |head: &[u8], tail: &[u8]| [head, line, tail].concat();
    vec![
        in_bytes,
        read(&with(b"", b"\n"), 1),
        read(&with(b"", b"\r\n"), 1),
        read(line, 1),
        read(&with(b"\xEF\xBB\xBF", b"\n"), 1),
        read(&with(b"{\"a\":\"\\\\\"}\n", b"\n{\"b\":1}\n"), 2),
    ]
}

#[test]
fn real_lines_read_the_same() {
    let limits = Limits::default();
    let mut decoders = decoders(limits);
    let mut trusted = Decoder::new();
    for (number, line) in
        corpus().iter().flat_map(|f| f.split(|&b| b == b'\n')).enumerate()
    {
        if line.is_empty() {
            continue;
        }
        // Compares some lines with all kernels, and most lines with one kernel
        // each.
        if number % 50 == 0 && line.len() < 20_000 {
            agree(line, limits);
        }
        let count = decoders.len();
        let decoder = &mut decoders[number % count];
        let Ok(record) = trusted.decode(line) else {
            continue;
        };
        let line = decoder.line(line);
        let message = line.peek().unwrap();
        assert_eq!(line.kind().unwrap(), record.kind());
        let (ours, theirs) = (message.value(), record.value());
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        assert_eq!(count_fields(message), count_fields(record.message()));
        line.check().unwrap();
    }
}

#[test]
fn the_reference_outline_is_correct() {
    assert!(!kernels().is_empty());
    let line = br#"{"a":[{"b":"]}"}], "type" : "t\u0079"}"#;
    let outline = Outline::of(line);
    let members = outline.members(line).unwrap();
    assert_eq!(members.len(), 2);
    assert_eq!(members[0].value.what, What::Nested);
    assert_eq!(stated(line, &members, "type").as_deref(), Some("ty"));
    for bad in ["{\"a\":1", "{\"a\":[}]", "{\"a\":1}}", "{\"a}", "{\"a\":\\}"]
    {
        let outline = Outline::of(bad.as_bytes());
        assert!(outline.members(bad.as_bytes()).is_none(), "{bad}");
    }
}

/// An alias, two wrong types, and strings in place of objects.
#[test]
fn accessors_read_lines_that_cannot_be_decoded() {
    let user = br#"{"type":"user","session_id":7,"sessionId":"s",
        "agent_id":"first","agentId":"second","is_meta":"true","isMeta":7,
        "message":"bare","bad":[01]}"#;
    let init = br#"{"type":"system","subtype":"init","bad":[01],
        "tools":["Bash",7,{"name":"Read"}]}"#;
    for mut decoder in decoders(Limits::default()) {
        let line = decoder.line(user);
        assert!(line.check().is_err());
        let Message::User(user) = line.peek().unwrap() else { panic!() };
        assert_eq!(user.session_id(), Some("s"));
        assert_eq!(user.agent_id(), Some("first"));
        assert_eq!(user.is_meta(), None);
        let content = user.message().and_then(|message| message.content());
        assert_eq!(content.unwrap().value().as_str(), Some("bare"));

        let line = decoder.line(init);
        assert!(line.check().is_err());
        let message = line.peek().unwrap();
        let Message::System(System::Init(init)) = message else { panic!() };
        let names = init.tools().unwrap().iter().map(|tool| tool.name());
        assert!(names.eq([Some("Bash"), Some("Read")]));
    }
}
