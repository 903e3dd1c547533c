//! Bugs of earlier versions of simd-json. The tests ensure that no later
//! version, and no other parser, has them. The parser reads blocks of 64
//! bytes, so everything is tested at every offset of a block.

use linetape::{Decoder, Error, ErrorKind, Limits, Record, Value};

use crate::{
    oracle::check::judge,
    support::{
        json::{at_all_offsets, show},
        texts::{LONE, NO_NUMBERS},
    },
};

/// Asserts that every way of decoding rejects a line: as a record, and
/// as a line to keep, and that every kernel does. Returns the error.
fn refused(line: &[u8]) -> Error {
    judge(line, Limits::default()).unwrap_err();
    let mut decoder = Decoder::new();
    let shown = show(line);
    let error = decoder.decode(line).expect_err(&shown);
    let kept = decoder.line(line).to_owned_line().expect_err(&shown);
    assert_eq!(kept.kind(), error.kind(), "{shown}");
    assert_eq!(kept.position(), error.position(), "{shown}");
    // The rejected line before does not affect the next one.
    let fine = decoder.decode(br#"{"fine":[1]}"#).expect("a good line");
    assert_eq!(format!("{:?}", fine.value()), r#"{"fine":[1]}"#);
    error
}

fn refused_at(line: &[u8], kind: ErrorKind, at: usize) {
    let error = refused(line);
    let found = (error.kind(), error.position().byte());
    assert_eq!(found, (kind, at as u64), "{}", show(line));
}

/// Asserts that every way of decoding returns a value that passes the check.
fn read(line: &[u8], check: impl Fn(Value<'_>)) {
    judge(line, Limits::default()).unwrap();
    let mut decoder = Decoder::new();
    let shown = show(line);
    let record: Record<'_> = decoder.decode(line).expect(&shown);
    check(record.value());
    drop(record);
    check(decoder.line(line).to_owned_line().expect(&shown).value());
    // The bytes after the line would change the result if they were read.
    let beside = [line, &[b'7'; 64]].concat();
    let record = decoder.decode(&beside[..line.len()]);
    check(record.expect(&shown).value());
}

/// Before 0.17.1, a float across two blocks was read wrong (simd-json #455):
/// the digits after the boundary were taken from elsewhere.
#[test]
fn a_float_across_two_blocks_keeps_its_value() {
    let numbers = "3077999.0000000000000000 0.1 -0.5 123456789.123456789 12345678901234567890.12345678901234567890 \
        1.7976931348623157e308 2.2250738585072011e-308 5e-324 9007199254740993.0 1E+2 8.5E-0003";
    for text in numbers.split(' ') {
        let expected: f64 = text.parse().unwrap();
        for members in [format!(r#""n":{text}"#), format!(r#""n":[{text}]"#)] {
            at_all_offsets(members.as_bytes(), |line, _| {
                read(line, |value| {
                    let number = value.get("n").unwrap();
                    let item = number.as_array().and_then(|a| a.get(0));
                    let found = item.unwrap_or(number).as_f64().unwrap();
                    let same = found.to_bits() == expected.to_bits();
                    assert!(same, "{found} of {}", show(line));
                });
            });
        }
    }
}

/// The same for integers of every length.
#[test]
fn an_integer_across_two_blocks_keeps_its_value() {
    for text in ["18446744073709551615", "1234567890123456789", "90071992547"]
    {
        let expected: u64 = text.parse().unwrap();
        let members = format!(r#""n":{text}"#);
        at_all_offsets(members.as_bytes(), |line, _| {
            read(line, |value| {
                let found = value.get("n").and_then(|n| n.as_u64());
                assert_eq!(found, Some(expected), "{}", show(line));
            });
        });
    }
}

/// Before 0.17.2, the fallback for x86 without SIMD did not check UTF-8 at all
/// if it was chosen at run time: a `&str` contained invalid bytes.
#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let bad: [&[u8]; 17] = [
        b"\xFF",
        b"\xFE",
        b"\x80",
        b"\xBF",
        b"\xC0\x80",         // overlong
        b"\xC0\xAF",         // overlong
        b"\xC1\xBF",         // overlong
        b"\xE0\x80\xAF",     // overlong
        b"\xF0\x80\x80\xAF", // overlong
        b"\xED\xA0\x80",     // a surrogate
        b"\xED\xBF\xBF",     // a surrogate
        b"\xF4\x90\x80\x80", // beyond U+10FFFF
        b"\xF5\x80\x80\x80",
        b"\xC3\x28",     // cut short
        b"\xE2\x82",     // cut short
        b"\xF0\x9F\x8D", // cut short
        b"\xC3",         // cut short
    ];
    for bytes in bad {
        let value = [br#""k":""#, bytes, br#"""#].concat();
        at_all_offsets(&value, |line, start| {
            refused_at(line, ErrorKind::Utf8, start + 5);
        });
        let key = [br#"""#, bytes, br#"":1"#].concat();
        at_all_offsets(&key, |line, start| {
            refused_at(line, ErrorKind::Utf8, start + 1);
        });
    }
    // Outside of a string it is invalid JSON as well. Either error is
    // accepted, but only at the right position.
    at_all_offsets(b"\"k\":\xFF", |line, start| {
        let error = refused(line);
        assert_eq!(error.position().byte(), start as u64 + 4);
    });
}

/// The counterpart: valid UTF-8 is accepted, wherever a block boundary splits
/// it.
#[test]
fn characters_of_all_lengths_are_read() {
    for text in
        ["é", "€", "🍎", "\u{10FFFF}", "\u{2028}", "\u{7f}\u{80}", "aé€🍎"]
    {
        let members = format!(r#""k{text}":"{text}""#);
        at_all_offsets(members.as_bytes(), |line, _| {
            read(line, |value| {
                let found = value.get(&format!("k{text}"));
                let found = found.and_then(|text| text.as_str());
                assert_eq!(found, Some(text), "{}", show(line));
            });
        });
    }
}

/// Before 0.18.0 there was no limit on nesting, and deep lines overflowed the
/// stack (#473). `limits/depth.rs` has more tests; here, the block boundary is
/// at every offset of the brackets.
#[test]
fn nesting_without_end_is_refused() {
    for (open, step) in [("[", 1), (r#"{"":"#, 4)] {
        let members = [r#""k":"#, &open.repeat(200_000)].concat();
        at_all_offsets(members.as_bytes(), |line, start| {
            // The object is the first level, and the limit is 128.
            let at = start + 4 + 127 * step;
            refused_at(line, ErrorKind::Depth, at);
        });
    }
}

/// A NUL is invalid everywhere. Before 0.18.0, it ended a number like whitespace.
#[test]
fn a_nul_is_refused_at_every_place_of_a_record() {
    let record =
        br#"{"type":"user","n":[1,-2.5,true,null],"s":"a\nb","o":{}}"#;
    for at in 1..record.len() {
        let line = [&record[..at], b"\0", &record[at..]].concat();
        let error = refused(&line);
        assert_eq!(error.kind(), ErrorKind::Syntax, "{}", show(&line));
        let byte = error.position().byte() as usize;
        // Inside a literal or an escape, the error is at its start.
        assert!(byte <= at && byte + 5 > at, "{byte} of {}", show(&line));
    }
    let behind = [&record[..], b"\0"].concat();
    refused_at(&behind, ErrorKind::TrailingData, record.len());
    let before = [b"\0", &record[..]].concat();
    refused_at(&before, ErrorKind::NotAnObject, 0);
}

/// Before 0.18.0, iterating over an array or object on a tape skipped the last
/// element (538e8b2).
#[test]
fn the_last_element_is_there() {
    for count in 0..=20 {
        let items: Vec<String> = (0..count).map(|n| n.to_string()).collect();
        let pairs: Vec<String> =
            (0..count).map(|n| format!(r#""k{n}":{n}"#)).collect();
        let members = format!(
            r#""a":[{}],"o":{{{}}},"end":"here""#,
            items.join(","),
            pairs.join(",")
        );
        at_all_offsets(members.as_bytes(), |line, _| {
            read(line, |value| {
                let shown = show(line);
                let expected: Vec<u64> = (0..count).collect();
                let array = value.get("a").unwrap().as_array().unwrap();
                let found: Vec<u64> =
                    array.iter().map(|item| item.as_u64().unwrap()).collect();
                assert_eq!(found, expected, "{shown}");
                assert_eq!(array.len() as u64, count, "{shown}");
                let last = count.checked_sub(1);
                let item = last.and_then(|at| array.get(at as usize));
                assert_eq!(item.and_then(|n| n.as_u64()), last, "{shown}");
                assert!(array.get(count as usize).is_none(), "{shown}");

                let object = value.get("o").unwrap().as_object().unwrap();
                let found: Vec<u64> =
                    object.iter().map(|(_, n)| n.as_u64().unwrap()).collect();
                assert_eq!(found, expected, "{shown}");
                assert_eq!(object.len() as u64, count, "{shown}");
                let member = last.and_then(|n| object.get(&format!("k{n}")));
                assert_eq!(member.and_then(|n| n.as_u64()), last, "{shown}");

                // The members after them are not skipped.
                let end = value.get("end").and_then(|end| end.as_str());
                assert_eq!(end, Some("here"), "{shown}");
            });
        });
    }
}

/// Before 0.19.0, a lone high surrogate was read as U+0000, and one with an
/// invalid partner as some other character (#481).
#[test]
fn a_surrogate_without_its_partner_is_refused() {
    for (text, _) in LONE {
        escape_is_refused(text);
    }
}

/// Before 0.19.0, some characters that are not hexadecimal digits were
/// accepted as such.
#[test]
fn a_unicode_escape_with_bad_digits_is_refused() {
    let bad = r"\u, \u0, \u00, \u004, \uzzzz, \uzzzzA, \u00g1, \u004G, \u-041";
    let more = r"\u+041, \u 041, \u0x41, \u004\u0041, \U0041, \ud83d\ude0g";
    let others = ["\\u00é1", "\\u00\u{661}1"];
    let all = bad.split(", ").chain(more.split(", "));
    for text in all.chain(others) {
        escape_is_refused(text);
    }
}

/// An escape that does not exist.
#[test]
fn an_escape_that_does_not_exist_is_refused() {
    for text in [
        r"\x41", r"\a", r"\v", r"\0", r"\'", r"\ ", r"\N", "\\é", "\\\t",
        "\\\u{1}",
    ] {
        escape_is_refused(text);
    }
}

/// A control character has to be escaped.
#[test]
fn control_characters_in_strings_are_refused() {
    for byte in (0..0x20).filter(|byte| *byte != b'\n') {
        escape_is_refused(&char::from(byte).to_string());
    }
}

fn escape_is_refused(text: &str) {
    let escape = text.find(|c| c == '\\' || c < ' ').unwrap();
    let value = format!(r#""k":"{text}""#);
    at_all_offsets(value.as_bytes(), |line, start| {
        refused_at(line, ErrorKind::Syntax, start + 5 + escape);
    });
    let key = format!(r#""{text}":1"#);
    at_all_offsets(key.as_bytes(), |line, start| {
        refused_at(line, ErrorKind::Syntax, start + 1 + escape);
    });
    // After an escape, which the parser has already overwritten.
    let second = format!(r#""k":"\n{text}""#);
    at_all_offsets(second.as_bytes(), |line, start| {
        refused_at(line, ErrorKind::Syntax, start + 7 + escape);
    });
}

/// The counterpart: valid escapes.
#[test]
fn good_escapes_are_read() {
    let good = [
        (r"a\ud83d\ude00b", "a\u{1F600}b"),
        (r"\ud800\udc00", "\u{10000}"),
        (r"\udbff\udfff", "\u{10FFFF}"),
        (r"\uDBFF\uDFFF", "\u{10FFFF}"),
        (r"\ud7ff", "\u{D7FF}"),
        (r"\ue000", "\u{E000}"),
        (r"\uffff", "\u{FFFF}"),
        (r"\u0000", "\0"),
        (r"\u0041\u00e9\u20ac", "Aé€"),
        (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
        ("\u{7f}", "\u{7f}"),
        (r"\\ud800", r"\ud800"),
        (r"\\\\", r"\\"),
        (r"\\\\\\u", r"\\\u"),
    ];
    for (escaped, expected) in good {
        let members = format!(r#""k{escaped}":"{escaped}""#);
        at_all_offsets(members.as_bytes(), |line, _| {
            read(line, |value| {
                let found = value.get(&format!("k{expected}"));
                let found = found.and_then(|text| text.as_str());
                assert_eq!(found, Some(expected), "{}", show(line));
            });
        });
    }
}

/// Before 0.19.0, an exponent with many digits wrapped around, so that a
/// number far out of range became a small one.
#[test]
fn a_huge_exponent_is_refused() {
    let huge = "1e309 -1e309 1e400 1e2147483648 1e4294967296 1e4294967297 \
        1e18446744073709551616 1.5e18446744073709551617 \
        -7E+99999999999999999999999 \
        123456789012345678901234567890e4294967290 \
        0.000001e4294967296";
    for text in huge.split(' ') {
        let members = format!(r#""k":{text}"#);
        at_all_offsets(members.as_bytes(), |line, start| {
            refused_at(line, ErrorKind::Syntax, start + 4);
        });
    }
}

/// In the opposite direction, the number is zero, and so is zero with any
/// exponent.
#[test]
fn a_huge_negative_exponent_is_zero() {
    let tiny = "1e-400 1e-4294967296 1e-18446744073709551616 0e309 \
        0e99999999999 0.0e4294967297 0E+18446744073709551616 0e-0";
    for text in tiny.split(' ') {
        let members = format!(r#""k":{text}"#);
        at_all_offsets(members.as_bytes(), |line, _| {
            read(line, |value| {
                let found = value.get("k").and_then(|k| k.as_f64());
                let found = found.map(f64::to_bits);
                assert_eq!(found, Some(0), "{}", show(line));
            });
        });
    }
}

/// An invalid number is rejected at every offset.
#[test]
fn a_number_that_is_none_is_refused() {
    for text in NO_NUMBERS.split(' ') {
        for members in [format!(r#""k":{text}"#), format!(r#""k":[{text}]"#)] {
            at_all_offsets(members.as_bytes(), |line, _| {
                assert_eq!(refused(line).kind(), ErrorKind::Syntax);
            });
        }
    }
}

/// Before 0.19.0, looking up a duplicate key in an object with more than 32
/// keys had no defined result, or took quadratic time. Here the last one is
/// returned, in objects of all sizes.
#[test]
fn the_last_of_a_repeated_key_wins_in_large_objects() {
    for size in [0, 1, 30, 31, 32, 33, 34, 64, 1000] {
        let filler: String =
            (0..size).map(|n| format!(r#""f{n}":{n},"#)).collect();
        let object = format!(
            r#"{{"k":"first",{filler}"\u006b":"second",{filler}"k":"last"}}"#
        );
        let members =
            format!(r#""o":{object},{}"#, object.trim_matches(['{', '}',]));
        at_all_offsets(members.as_bytes(), |line, _| {
            read(line, |value| {
                for value in [value, value.get("o").unwrap()] {
                    let found = value.get("k").and_then(|k| k.as_str());
                    assert_eq!(found, Some("last"), "with {size} between");
                    let keys = value.as_object().unwrap().iter();
                    let times = keys.filter(|(key, _)| *key == "k").count();
                    assert_eq!(times, 3, "with {size} between");
                }
                let found = value.pointer("/o/k").and_then(|k| k.as_str());
                assert_eq!(found, Some("last"), "with {size} between");
            });
        });
    }
}

/// Duplicate keys do not take quadratic time: then this test would take most
/// of an hour.
#[test]
fn a_key_that_is_repeated_without_end_is_read_in_one_pass() {
    let line = format!("{{{}\"k\":1}}", r#""k":0,"#.repeat(400_000));
    read(line.as_bytes(), |value| {
        assert_eq!(value.get("k").and_then(|k| k.as_u64()), Some(1));
        assert_eq!(value.as_object().unwrap().len(), 400_001);
    });
}
