//! Decoding, compared with serde_json: accepted lines, values, messages, and
//! written records.
#![cfg(feature = "messages")]

use std::collections::BTreeMap;

use linetape::{Decoder, ErrorKind, Reader, Value, Writer, owned};
use linetape_generate::{Shape, generate};
use proptest::{prelude::*, strategy::ValueTree};
use serde_json::Value as Json;

use super::texts::{any_object, damage, good_object, message, number, value};
use crate::{
    oracle::decode::decode,
    oracle::model,
    support::{
        differences::{
            DIFFERENCES, Difference, Judge, is_same_but_minus_zero, json,
        },
        json,
        logs::exhaustive,
        texts::{self, cases},
    },
};

proptest! {
    #![proptest_config(cases(64))]

    /// Property: linetape accepts the same texts as serde_json, with the same
    /// values, and rejects the others.
    #[test]
    fn any_object_is_read_as_serde_json_reads_it(text in any_object()) {
        decode(text.as_bytes());
    }

    /// The same for values that are not objects.
    #[test]
    fn any_other_value_is_not_an_object(text in value(true, true)) {
        decode(text.as_bytes());
    }

    /// The same for text that has been damaged.
    #[test]
    fn damaged_text_is_read_as_serde_json_reads_it(
        text in any_object(),
        damage in damage(),
    ) {
        let mut text = text.into_bytes();
        for damage in damage {
            damage.apply(&mut text);
        }
        decode(&text);
    }

    /// The same for random bytes.
    #[test]
    fn a_heap_of_tokens_is_read_as_serde_json_reads_it(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", ":", ",", "\"", "\\", "\"a\"", "\"type\"",
                "0", "1", "-", ".", "e", "true", "null", "fals", " ", "\n",
                "\\u", "d800", "\\udc00", "\0", "é",
            ]),
            0..12,
        ),
    ) {
        decode(format!("{{{}", tokens.concat()).as_bytes());
        decode(format!("{{\"a\":{}}}", tokens.concat()).as_bytes());
        decode(format!("{{\"a\":\"{}\"}}", tokens.concat()).as_bytes());
    }

    /// The same for single numbers, valid and invalid.
    #[test]
    fn numbers_are_read_as_serde_json_reads_them(
        number in prop_oneof![
            number(true),
            "[-+]?[0-9]{0,20}(\\.[0-9]{0,20})?([eE][-+]?[0-9]{0,4})?",
        ],
        pad in 0usize..64,
    ) {
        let pad = " ".repeat(pad);
        decode(format!("{{\"n\":{pad}{number}}}").as_bytes());
        decode(format!("{{\"n\":{pad}[{number},{number} ]}}").as_bytes());
    }

    /// Property: an accessor returns the value at its path in serde_json's
    /// value.
    #[test]
    fn views_read_what_serde_json_has(line in message()) {
        let json: Json = serde_json::from_str(&line).unwrap();
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let message = record.message();
        model::is(message, &json);
    }

    /// Property: a pointer finds the same value as serde_json's.
    #[test]
    fn pointers_lead_where_serde_json_has_them(
        line in good_object(false),
        path in prop::collection::vec(
            prop::sample::select(vec![
                "a", "b", "type", "content", "", "0", "1", "2", "01", "+1",
                "-", "k~0~1", "k~", "~2",
            ]),
            0..4,
        ),
    ) {
        let json: Json = serde_json::from_str(&line).unwrap();
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let path: String =
            path.iter().map(|token| format!("/{token}")).collect();
        let found = record.value().pointer(&path).map(self::json);
        prop_assert_eq!(found.as_ref(), json.pointer(&path), "{}", path);
    }

    /// Property: an owned message made from a view equals one that serde_json
    /// deserializes, and is written back without loss.
    #[test]
    fn owned_messages_are_the_same_from_both_sides(line in message()) {
        let json: Json = serde_json::from_str(&line).unwrap();
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let ours = record.message().into_owned().unwrap();
        let theirs: owned::Message = serde_json::from_str(&line).unwrap();
        prop_assert_eq!(&ours, &theirs);

        let mut writer = Writer::new(vec![]);
        writer.write_value(&ours).unwrap();
        let written = writer.into_inner().unwrap();
        let newlines = written.iter().filter(|&&b| b == b'\n').count();
        prop_assert_eq!((newlines, written.last()), (1, Some(&b'\n')));
        let back: Json = serde_json::from_slice(&written).unwrap();
        prop_assert!(is_same_but_minus_zero(&back, &json), "{back} was {json}");

        let record = record.into_owned();
        prop_assert_eq!(&record, &ours);
        let again = decoder.decode(&written).unwrap().into_owned();
        prop_assert_eq!(again, ours);
    }

    /// The same for objects that are not messages.
    #[test]
    fn any_object_comes_back_from_the_writer(line in good_object(true)) {
        let json: Json = serde_json::from_str(&line).unwrap();
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let mut writer = Writer::new(vec![]);
        writer.write_value(&record.value()).unwrap();
        writer.write_value(&record.into_owned()).unwrap();
        let written = writer.into_inner().unwrap();
        let lines: Vec<&[u8]> =
            written.split_inclusive(|&byte| byte == b'\n').collect();
        prop_assert_eq!(lines.len(), 2);
        for line in lines {
            let back: Json = serde_json::from_slice(line).unwrap();
            prop_assert!(is_same_but_minus_zero(&back, &json), "{back} was {json}");
        }
    }

    /// Property: the caller's own type is the same from a record and from the
    /// text.
    #[test]
    fn deserialize_reads_what_serde_json_reads(line in good_object(false)) {
        let expected: Json = serde_json::from_str(&line).unwrap();
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        prop_assert_eq!(record.deserialize::<Json>().unwrap(), expected);
    }

    /// Property: a text that is cut short is `Truncated` if there is no
    /// newline after it, and a bad line otherwise, with the error at its end.
    #[test]
    fn a_line_that_is_cut_short_is_told_from_a_bad_one(
        line in good_object(true),
        at in any::<prop::sample::Index>(),
    ) {
        let line = line.as_bytes();
        let cut = 1 + at.index(line.len() - 1);
        let part = &line[..cut];

        let first = b"{\"fine\":1}\n";
        let stream = [&first[..], part].concat();
        let mut reader = Reader::new(&stream[..]);
        prop_assert!(reader.next_record().unwrap().is_ok());
        let error = reader.next_record().unwrap().unwrap_err();
        prop_assert_eq!(error.kind(), ErrorKind::Truncated, "{}", error);
        prop_assert_eq!(error.position().line(), 2);
        prop_assert_eq!(error.position().byte(), first.len() as u64);
        prop_assert_eq!(error.found(), Some(cut as u64));
        prop_assert!(reader.next_record().is_none());
        prop_assert_eq!(reader.stats().errors.get(ErrorKind::Truncated), 1);

        let stream = [&first[..], part, b"\n{\"fine\":2}\n"].concat();
        let mut reader = Reader::new(&stream[..]);
        prop_assert!(reader.next_record().unwrap().is_ok());
        let error = reader.next_record().unwrap().unwrap_err();
        let whole = std::str::from_utf8(part).is_ok();
        let kind =
            if whole { ErrorKind::Syntax } else { ErrorKind::Utf8 };
        prop_assert_eq!(error.kind(), kind, "{}", error);
        prop_assert_eq!(error.position().line(), 2);
        // A carriage return at the end is a part of the terminator.
        let part = part.strip_suffix(b"\r").unwrap_or(part);
        let end = match std::str::from_utf8(part) {
            Ok(_) => part.len(),
            Err(error) => error.valid_up_to(),
        };
        let byte = error.position().byte();
        prop_assert_eq!(byte, (first.len() + end) as u64, "{}", error);
        let record = reader.next_record().unwrap().unwrap();
        let fine = record.value().get("fine").and_then(|n| n.as_u64());
        prop_assert_eq!(fine, Some(2));
    }

    /// Property: a bad line in a stream has the same error as alone, with its
    /// position in the stream, and does not affect its neighbours.
    #[test]
    fn a_bad_line_leaves_its_neighbours_alone(
        before in good_object(true),
        text in good_object(true),
        damage in damage(),
        after in good_object(true),
    ) {
        let mut text = text.into_bytes();
        for damage in damage {
            damage.apply(&mut text);
        }
        text.retain(|byte| *byte != b'\n' && *byte != b'\r');
        let blank = text.iter().all(|byte| b" \t".contains(byte));
        prop_assume!(!blank);
        let (first, last) = (before.as_bytes(), after.as_bytes());
        let stream = [first, b"\n", &text, b"\n", last].concat();
        let start = before.len() as u64 + 1;
        let mut decoder = Decoder::new();
        let shown = |value: Value<'_>| format!("{value:?}");
        let alone = decoder.decode(&text).map(|record| shown(record.value()));
        let mut reader = Reader::builder().keep_raw(true).build(&stream[..]);

        let record = reader.next_record().unwrap().unwrap();
        prop_assert_eq!(record.raw(), Some(before.as_bytes()));
        drop(record);
        let found = reader.next_record().unwrap();
        match (found, alone) {
            (Ok(record), Ok(alone)) => {
                prop_assert_eq!(shown(record.value()), alone);
                prop_assert_eq!(record.position().byte(), start);
            }
            (Err(error), Err(alone)) => {
                prop_assert_eq!(error.kind(), alone.kind());
                let byte = start + alone.position().byte();
                prop_assert_eq!(error.position().byte(), byte);
                prop_assert_eq!(error.raw(), Some(&text[..]));
            }
            (found, alone) => {
                prop_assert!(false, "{found:?} is not {alone:?}");
            }
        }
        let record = reader.next_record().unwrap().unwrap();
        prop_assert_eq!(record.raw(), Some(after.as_bytes()));
        let json: Json = serde_json::from_str(&after).unwrap();
        prop_assert!(is_same_but_minus_zero(&self::json(record.value()), &json));
    }

    /// Property: the position of a fault is correct. The text before it is the
    /// beginning of an object, and serde_json fails there too: within the same
    /// literal, number or escape.
    #[test]
    fn a_fault_is_where_it_is_said_to_be(
        text in good_object(true),
        damage in damage(),
    ) {
        let mut text = text.into_bytes();
        for damage in damage {
            damage.apply(&mut text);
        }
        text.retain(|byte| *byte != b'\n');
        let Err(error) = Decoder::new().decode(&text) else { return Ok(()) };
        if error.kind() != ErrorKind::Syntax {
            return Ok(());
        }
        let at = error.position().byte() as usize;
        prop_assert!(at <= text.len());
        let before = serde_json::from_slice::<Json>(&text[..at]).unwrap_err();
        // A number that is cut off may have been valid.
        let is_begun = before.is_eof()
            || before.to_string().starts_with("number out of range");
        prop_assert!(is_begun, "{} {}", error, before);
        let theirs = serde_json::from_slice::<Json>(&text).unwrap_err();
        let end = theirs.column().saturating_sub(1);
        let between = text.get(at..end).unwrap_or_default();
        let is_one_token = between.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || b"+-.\\".contains(byte)
        });
        // serde_json reads all digits of an escape first, and of a surrogate
        // pair both escapes.
        let is_escape = between.first() == Some(&b'\\') && between.len() <= 12;
        prop_assert!(is_one_token || is_escape, "{} {}", error, theirs);
    }
}

/// A number that is cut short may appear to be out of range and still be
/// valid: a negative exponent may have followed.
#[test]
fn a_number_that_is_cut_short_may_have_been_good() {
    let line = format!("{{\"n\":1{}e-300}}", "0".repeat(400));
    decode(line.as_bytes());
    let cut = &line.as_bytes()[..300];
    let error = Reader::new(cut).next_record().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
    let cut = &line.as_bytes()[..400];
    let error = Reader::new(cut).next_record().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
}

/// Each difference of the list is shown by its example.
#[test]
fn the_list_of_differences_is_minimal() {
    let mut decoder = Decoder::new();
    for (at, difference) in DIFFERENCES.into_iter().enumerate() {
        assert!(!DIFFERENCES[..at].contains(&difference));
        let line = difference.example();
        assert_eq!(difference_of(&line, &mut decoder), Some(difference));
    }
}

/// The judge once accepted a line that must be rejected, as long as both
/// parsers read the same value, and took it for a `-0` that reads as 0.
#[test]
fn the_judge_lets_nothing_else_pass() {
    for line in ["[1]", r#"{"type":"a","type":"b"}"#, r#"{"n":-0}"#] {
        let judge = Judge::of(line.as_bytes());
        let read: Json = serde_json::from_str(line).unwrap();
        let verdict = judge.difference(&Ok(read));
        assert_eq!(verdict.is_ok(), line.contains("-0"), "{line}");
        assert!(judge.difference(&Ok(Json::Null)).is_err(), "{line}");
        for kind in [ErrorKind::Syntax, ErrorKind::Utf8, ErrorKind::Depth] {
            assert!(judge.difference(&Err(kind)).is_err(), "{line}");
        }
    }
    let good = Judge::of(b"{}");
    assert!(good.difference(&Err(ErrorKind::DuplicateKey)).is_err());
}

/// Lines of real logs have none of these differences.
#[test]
fn real_and_generated_logs_are_read_as_serde_json_reads_them() {
    let mut logs = json::corpus();
    for shape in Shape::ALL {
        for seed in 0..2 {
            logs.push(generate(shape, seed, 250_000));
        }
    }
    let mut decoder = Decoder::new();
    for line in logs.iter().flat_map(|log| log.split(|&b| b == b'\n')) {
        let found = difference_of(line, &mut decoder);
        assert_eq!(found, None, "{}", json::show(line));
    }
}

/// Damaged and unusual lines differ only as the list says. The properties
/// above assert the same for generated lines.
#[test]
fn the_list_of_differences_is_complete() {
    let mut decoder = Decoder::new();
    let mut found = BTreeMap::new();
    let mut look_at = |line: &[u8]| {
        if let Some(difference) = difference_of(line, &mut decoder) {
            *found.entry(difference).or_insert(0) += 1;
        }
    };
    let step = if exhaustive() { 1 } else { 3 };
    for line in json::written_lines() {
        for at in (0..line.len().min(1_000)).step_by(step) {
            look_at(&line[..at]);
            look_at(&line[at..]);
            look_at(&[&line[..at], b"-0", &line[at + 1..]].concat());
        }
    }
    for (_, line) in json::suite() {
        look_at(&line);
    }
    println!("{found:?}");
    assert!(found.contains_key(&Difference::MinusZero), "{found:?}");
}

/// Returns the difference between linetape and serde_json for a line. Fails if
/// it is not in the list.
fn difference_of(line: &[u8], decoder: &mut Decoder) -> Option<Difference> {
    let ours = match decoder.decode(line) {
        Ok(record) => Ok(json(record.value())),
        Err(error) => Err(error.kind()),
    };
    let difference = Judge::of(line).difference(&ours);
    difference.unwrap_or_else(|why| panic!("{}: {why}", json::show(line)))
}

/// Numbers and strings of every length, at every offset of a block.
#[test]
fn numbers_and_escapes_are_read_at_every_offset_in_every_length() {
    for offset in 0..64 {
        let pad = "x".repeat(offset);
        for length in 0..130 {
            let digits = &"1234567890".repeat(13)[..length];
            let run = "x".repeat(length);
            let line = format!(
                r#"{{"{pad}":1{digits},"f":0.{digits}1,"e":1{digits}E-9,
                "s":"{run}\"{run}\u00e9","u":"\ud83c\udf4e{run}\\"}}"#
            );
            decode(line.as_bytes());
            // One that is cut off, and so invalid.
            decode(&line.as_bytes()[..offset + length + 6]);
        }
    }
}

/// The simplest example of a listed difference, which the judge accepts.
#[test]
fn minus_zero_reads_as_zero() {
    let mut decoder = Decoder::new();
    let line = br#"{"n":-0,"x":-0.0,"y":-0e0}"#;
    let record = decoder.decode(line).unwrap();
    let get = |key| record.value().get(key).unwrap();
    assert_eq!(get("n").as_u64(), Some(0));
    assert_eq!(get("n").as_f64().map(f64::to_bits), Some(0));
    for key in ["x", "y"] {
        let bits = get(key).as_f64().map(f64::to_bits);
        assert_eq!(bits, Some((-0.0f64).to_bits()), "{key}");
    }
}

/// The generator must produce numbers of all types, or the properties are
/// weak.
#[test]
fn generated_numbers_are_of_every_class() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = BTreeMap::<&str, u32>::new();
    for _ in 0..2_000 {
        let tree = texts::number().new_tree(&mut runner).unwrap();
        let text = tree.current();
        let number: f64 = text.parse().unwrap();
        let mantissa = text.split(['e', 'E']).next().unwrap();
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
        let is_plain = text.len() == digits;
        let classes = [
            ("subnormal", number.is_subnormal()),
            ("zero", number == 0.0),
            ("17 digits", digits == 17 && !is_plain),
            ("exponent", text.contains(['e', 'E'])),
            ("negative", number.is_sign_negative()),
            ("64 bits", is_plain && text.parse::<u64>().is_ok()),
            ("beyond 64 bits", is_plain && text.parse::<u64>().is_err()),
            ("longer than a block", text.len() > 64),
        ];
        for (class, is) in classes {
            *seen.entry(class).or_default() += u32::from(is);
        }
    }
    assert!(seen.values().all(|count| *count > 20), "{seen:?}");
}
