//! Checking, compared with decoding: both accept the same lines, and reject
//! the others with the same error at the same position.

use linetape::{Decoder, ErrorKind, Kernel, Limits, Line, Reader};
use proptest::{prelude::*, sample::select};
use serde_json::Value as Json;

use crate::{
    oracle::check::judge,
    support::{
        json::{
            Told, at_all_offsets, corpus, decoders, kernels, show, suite,
            told, written_lines,
        },
        texts::{
            NO_NUMBERS, NUMBERS, any_object, cases, damage, message, noise,
            number, string,
        },
    },
};

fn judge_all(lines: impl IntoIterator<Item = impl AsRef<[u8]>>) {
    for line in lines {
        let _ = judge(line.as_ref(), Limits::default());
    }
}

/// Checks and decodes the lines of a stream, one after the other.
fn judge_stream(stream: &[u8], limits: Limits) {
    type Ask = fn(Line<'_>) -> Option<Told>;
    let say = |kernel: Kernel, ask: Ask| {
        let builder = Reader::builder().limits(limits);
        let mut lines = builder.kernel(kernel).unwrap().lines(stream);
        let mut said = vec![];
        while let Some(line) = lines.next_line() {
            said.push(match line {
                Ok(line) => ask(line),
                Err(error) => Some(told(&error)),
            });
        }
        said
    };
    let decode: Ask = |line| line.decode().err().map(|e| told(&e));
    let check: Ask = |line| line.check().err().map(|e| told(&e));
    let expected = say(Kernel::Portable, decode);
    for kernel in kernels() {
        let found = say(kernel, check);
        assert_eq!(found, expected, "{kernel}: {}", show(stream));
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn objects_are_judged_alike(line in any_object()) {
        judge_all([line]);
    }

    #[test]
    fn damaged_objects_are_judged_alike(
        line in prop_oneof![any_object(), message()],
        damage in damage(),
        max_depth in prop_oneof![3 => Just(128), 1 => 1usize..6],
        max_nodes in prop_oneof![3 => Just(1 << 20), 1 => 0usize..40],
        max_line in prop_oneof![3 => Just(1 << 20), 1 => 0usize..200],
    ) {
        let limits = Limits { max_line, max_depth, max_nodes };
        let damaged = damage.to(line.as_bytes());
        let _ = judge(&damaged, limits);
        let _ = judge(line.as_bytes(), limits);
        let stream = [line.as_bytes(), b"\r\n", &damaged].concat();
        judge_stream(&stream, limits);
        judge_stream(&[&stream[..], b"\n"].concat(), limits);
    }

    #[test]
    fn damaged_messages_are_judged_alike(
        line in select(written_lines()),
        damage in damage(),
    ) {
        judge_all([damage.to(&line)]);
    }

    #[test]
    fn noise_is_judged_alike(noise in noise()) {
        judge_all([
            noise.clone(),
            [b"{\"a\":", &noise[..], b"}"].concat(),
            [b"{\"a\":\"", &noise[..], b"\"}"].concat(),
            [b"{\"a\":[", &noise[..], b"]}"].concat(),
        ]);
    }

    #[test]
    fn strings_and_numbers_are_judged_alike(
        string in string(),
        number in number(),
        damage in damage(),
    ) {
        for text in [string, number] {
            let bad = damage.to(text.as_bytes());
            for text in [text.as_bytes(), &bad] {
                judge_all([
                    [b"{\"k\":[", text, b"]}"].concat(),
                    [b"{", text, b":0}"].concat(),
                ]);
            }
        }
    }
}

#[test]
fn written_lines_are_judged_alike() {
    judge_all(written_lines());
}

/// A truncated line, with and without a newline after it.
#[test]
fn every_beginning_of_a_line_is_judged_alike() {
    let made = br#"{"type":"t","a":[true,false,null,-1.5e+3,0,"\"\\\/\b\f",
        "\u00e9\ud83c\udf4e",{"":{}},[]],"\u0073":12345678901234567890,"z":
        "#;
    let made = made.iter().filter(|byte| **byte != b'\n').copied();
    let made = [made.collect(), "\"é🍎\"}".as_bytes().to_vec()].concat();
    assert_eq!(judge(&made, Limits::default()), Ok(()));
    let lines = written_lines();
    for line in lines.iter().step_by(7).chain([&made]) {
        for end in 1..=line.len() {
            judge_stream(&line[..end], Limits::default());
            judge_stream(&[&line[..end], b"\n"].concat(), Limits::default());
        }
    }
}

#[test]
fn files_of_the_suite_are_judged_alike() {
    for (_, line) in suite() {
        let _ = judge(&line, Limits::default());
        judge_stream(&line, Limits::default());
        judge_stream(&[&line[..], b"\n"].concat(), Limits::default());
    }
}

#[test]
fn real_lines_are_good() {
    let mut decoders = decoders(Limits::default());
    for file in corpus() {
        let mut trusted = Decoder::new();
        for (number, line) in file.split(|&b| b == b'\n').enumerate() {
            let count = decoders.len();
            let line = decoders[number % count].line(line);
            let expected = trusted.decode(line.as_bytes()).map(drop);
            let expected = expected.map_err(|error| told(&error));
            assert_eq!(line.check().map_err(|e| told(&e)), expected);
        }
    }
}

// ---- limits ----------------------------------------------------------------

#[test]
fn depth_is_judged_alike_at_the_limit() {
    for max_depth in (0..6).chain([63, 64, 65, 127, 128, 129, 255, 256, 300]) {
        let limits = Limits { max_depth, ..Limits::default() };
        let cap = max_depth.clamp(1, Limits::MAX_DEPTH_CAP);
        for depth in [cap - 1, cap, cap + 1, cap + 2] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let depth = depth.max(1) - 1;
                let inner = open.repeat(depth) + "1" + &close.repeat(depth);
                for tail in ["", ",\"b\":[]", ",\"b\":[}]", "]"] {
                    let line = format!("{{\"a\":{inner}{tail}}}");
                    let found = judge(line.as_bytes(), limits);
                    if depth + 1 > cap {
                        let error = found.unwrap_err();
                        assert_eq!(error.kind, ErrorKind::Depth, "{line}");
                        assert_eq!(error.limit, Some(cap as u64));
                    }
                }
                // Closed too early, or not at all.
                let short = format!("{{\"a\":{}", open.repeat(depth));
                let _ = judge(short.as_bytes(), limits);
            }
        }
    }
}

#[test]
fn nodes_are_judged_alike_at_the_limit() {
    let lines = [
        r#"{"a":[1,2,{"b":"c,,[[\""},true],"d":{}}"#,
        r#"{"a":[1,,2,{"b":"c"},true],"d":{}}"#,
        r#"{"a":[,,,,,,,,,,,,,,,,,,]}"#,
        r#"{"a":]]]]]]]]]]]]]]]]]]]"#,
        r#"{"type":1,"type":2,"type":[]}"#,
        "{\"a\":\"\\",
    ];
    let mut refused = 0;
    for line in lines {
        for max_nodes in 0..=line.len() + 1 {
            let limits = Limits { max_nodes, ..Limits::default() };
            let found = judge(line.as_bytes(), limits).err();
            let kind = found.map(|error| error.kind);
            refused += u32::from(kind == Some(ErrorKind::TooManyNodes));
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn length_is_judged_alike_at_the_limit() {
    let line = br#"{"type":"t","a":[1,2,3]}"#;
    for max_line in 0..line.len() + 3 {
        let limits = Limits { max_line, ..Limits::default() };
        let found = judge(line, limits).map_err(|error| error.kind);
        let expected = match line.len() > max_line {
            true => Err(ErrorKind::LineTooLong),
            false => Ok(()),
        };
        assert_eq!(found, expected, "{max_line}");
        judge_stream(&[line, &b"\r\n"[..], line].concat(), limits);
    }
}

// ---- all offsets of a block ------------------------------------------------

#[test]
fn runs_of_backslashes_are_judged_alike() {
    for length in 0..130 {
        let text = b"\\".repeat(length);
        let good = length % 2 == 0;
        for pad in [0, 1, 62, 63] {
            let pad = b"x".repeat(pad);
            let line = [b"{\"a\":\"", &pad[..], &text, b"\"}"].concat();
            let found = judge(&line, Limits::default());
            assert_eq!(found.is_ok(), good, "{}", show(&line));
        }
    }
}

#[test]
fn control_characters_elsewhere_are_judged_alike() {
    for byte in (0..0x20).chain([0x7F]).filter(|&byte| byte != b'\n') {
        let blank = b" \t\r".contains(&byte);
        for (before, after) in [
            ("\"k\":1", ""),
            ("\"k\"", ":1"),
            ("\"k\":", "1"),
            ("", "\"k\":1"),
        ] {
            let members =
                [before.as_bytes(), &[byte], after.as_bytes()].concat();
            at_all_offsets(&members, |line, _| {
                let found = judge(line, Limits::default());
                assert_eq!(found.is_ok(), blank, "{}", show(line));
            });
        }
    }
}

#[test]
fn numbers_are_judged_alike() {
    let long = "9".repeat(400);
    let fraction = format!("0.{long}");
    let large = format!("{}.{}e-350", &long[..305], &long[..20]);
    let good = NUMBERS.split(' ').chain([&fraction[..], &large]);
    let numbers = good.map(|text| (text, true));
    let bad = NO_NUMBERS.split(' ').chain([&long[..]]);
    for (text, good) in numbers.chain(bad.map(|text| (text, false))) {
        for form in ["\"k\":#", "\"k\":[# ]", "\"k\":{\"a\":#,\"b\":#}"] {
            let members = form.replace('#', text);
            at_all_offsets(members.as_bytes(), |line, _| {
                let found = judge(line, Limits::default());
                assert_eq!(found.is_ok(), good, "{}", show(line));
            });
        }
    }
}

#[test]
fn words_are_judged_alike() {
    for word in ["true", "false", "null"] {
        for end in 0..=word.len() {
            for tail in ["", " ", "x", "e", "\\", "\"\"", "[]"] {
                let text = word[..end].to_string() + tail;
                let good = serde_json::from_str::<Json>(&text).is_ok();
                let members = format!("\"k\":{text}");
                at_all_offsets(members.as_bytes(), |line, _| {
                    let found = judge(line, Limits::default());
                    assert_eq!(found.is_ok(), good, "{}", show(line));
                });
            }
        }
    }
}

#[test]
fn what_follows_the_object_is_judged_alike() {
    for tail in ["", " \t\r", "{}", " {\"b\":2}", "[]", ",", "}", "x", "\0"] {
        let good = tail.trim().is_empty();
        at_all_offsets(b"\"a\":1", |line, _| {
            let line = [line, tail.as_bytes()].concat();
            let found = judge(&line, Limits::default());
            assert_eq!(found.is_ok(), good, "{}", show(&line));
        });
    }
}
