//! Damaged lines: whole records are returned, no record is invented, and lost
//! bytes are one error per line.

use std::fs;

use linetape::{Decoder, ErrorKind, Level, Reader, ReaderBuilder, Stats};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::support::{logs, texts};

/// The results of reading: records with their offsets, and errors with their
/// offsets.
#[derive(Debug, Default, PartialEq)]
struct Reading {
    records: Vec<(u64, Vec<u8>)>,
    errors: Vec<(ErrorKind, u64)>,
    stats: Stats,
}

impl Reading {
    fn of(builder: &ReaderBuilder, log: &[u8]) -> Reading {
        let mut reading = Reading::default();
        let mut reader = builder.build(log);
        while let Some(line) = reader.next_line() {
            match line {
                Ok(line) => {
                    let (at, bytes) = (line.offset(), line.as_bytes());
                    let lines = &log[..at as usize];
                    let breaks = lines.iter().filter(|b| **b == b'\n');
                    assert_eq!(line.number(), breaks.count() as u64 + 1);
                    assert_eq!(bytes, &log[at as usize..][..bytes.len()]);
                    reading.records.push((at, bytes.to_vec()));
                }
                Err(error) => {
                    let at = error.position().byte();
                    reading.errors.push((error.kind(), at));
                }
            }
        }
        reading.stats = reader.stats();
        let errors = reading.errors.len() as u64;
        assert_eq!(reading.stats.errors.total(), errors);
        reading
    }

    /// Reads `log`, and asserts the invariants.
    fn salvaged(log: &[u8]) -> Reading {
        let reading = Reading::of(&ReaderBuilder::new().salvage(true), log);
        let mut end = 0;
        for (at, bytes) in &reading.records {
            Decoder::new().decode(bytes).expect("it is a record");
            assert!(*at >= end, "records overlap");
            end = at + bytes.len() as u64;
        }
        let is_lost = reading.stats.lost > 0;
        assert_eq!(is_lost, !reading.errors.is_empty());
        reading
    }

    fn texts(&self) -> Vec<&str> {
        let texts = self.records.iter();
        texts.map(|(_, text)| std::str::from_utf8(text).unwrap()).collect()
    }
}

/// A line, its records, and the offset of the first lost byte, if any.
#[track_caller]
fn holds(line: &str, records: &[&str], error: Option<(ErrorKind, u64)>) {
    let reading = Reading::salvaged(line.as_bytes());
    assert_eq!(reading.texts(), records, "{line}");
    let errors: Vec<_> = error.into_iter().collect();
    assert_eq!(reading.errors, errors, "{line}");
    let kept: usize = records.iter().map(|record| record.len()).sum();
    let blank = line.bytes().filter(|byte| b" \t".contains(byte)).count();
    let most = (line.trim_end_matches('\n').len() - kept) as u64;
    let least = most.saturating_sub(blank as u64);
    let lost = reading.stats.lost;
    assert!((least..=most).contains(&lost), "{lost} of {line}");
}

#[test]
fn records_on_one_line_are_told_apart() {
    holds(r#"{"a":1}{"b":2}"#, &[r#"{"a":1}"#, r#"{"b":2}"#], None);
    holds(r#"{"a":1} 	{"b":2} {}"#, &[r#"{"a":1}"#, r#"{"b":2}"#, "{}"], None);
    holds("{}{}{}", &["{}"; 3], None);
    holds(
        r#"{"a":"}{"}{"b":"\"}{\""}"#,
        &[r#"{"a":"}{"}"#, r#"{"b":"\"}{\""}"#],
        None,
    );
}

#[test]
fn what_is_no_record_is_lost_once_for_a_line() {
    use ErrorKind::{DuplicateKey, NotAnObject, Syntax, Truncated};
    let one = &[r#"{"a":1}"#][..];
    holds("\0\0\0{\"a\":1}", one, Some((NotAnObject, 0)));
    holds("{\"a\":1}\0\0\0", one, Some((NotAnObject, 7)));
    holds("\0{\"a\":1}\0{\"a\":1}", &[one[0]; 2], Some((NotAnObject, 0)));
    holds(r#"[debug] {"a":1}"#, one, Some((NotAnObject, 0)));
    holds(r#"{"a":1} done {"a":1} ."#, &[one[0]; 2], Some((NotAnObject, 8)));
    holds(r#"{"a":1},{"a":1}"#, &[one[0]; 2], Some((NotAnObject, 7)));
    holds(r#"{"a":1}]"#, one, Some((NotAnObject, 7)));
    holds(r#"{"x":"te{"a":1}"#, one, Some((Syntax, 0)));
    holds(r#"  {"x":"te {"a":1}"#, one, Some((Syntax, 2)));
    holds(r#"{"a":1}{"x":"te"#, one, Some((Truncated, 7)));
    holds("{\"a\":1}{\"x\":\"te\n", one, Some((Syntax, 7)));
    holds(r#"{"a":1}, b: {"a":1}, "#, &[one[0]; 2], Some((NotAnObject, 7)));
    holds(
        r#"data: {"a":{"b":1}},"#,
        &[r#"{"a":{"b":1}}"#],
        Some((NotAnObject, 0)),
    );
    holds("nothing here", &[], Some((NotAnObject, 0)));
    holds("\0{\"a\":1},\0", one, Some((NotAnObject, 0)));
    holds("x {}\0", &["{}"], Some((NotAnObject, 0)));
    let twice = r#"{"type":"user","type":"user"}{"a":1}"#;
    holds(twice, one, Some((DuplicateKey, 0)));
}

#[test]
fn a_part_of_a_torn_record_is_no_record() {
    let truncated = |at| Some((ErrorKind::Truncated, at));
    // In its place in a record whose end is lost.
    holds(r#"{"a":{"b":1},"c":"#, &[], truncated(0));
    holds(r#"{"a":{"b":1}"#, &[], truncated(0));
    holds(r#"{"type":"user","a":[{"type":"text"}"#, &[], truncated(0));
    // In its place in a record whose beginning is lost.
    let lost = Some((ErrorKind::NotAnObject, 0));
    holds(r#"ext","a":{"b":1},"c":2}"#, &[], lost);
    holds(r#"ext","a":[{"b":1}]}"#, &[], lost);
    holds(r#"ext","a":{"b":{"type":"user"}},"c":2}"#, &[], lost);
    holds(r#"{"b":1},"c":2}"#, &[], Some((ErrorKind::TrailingData, 0)));
    // Two braces in a text.
    holds("fn main() {} and more", &[], lost);
    holds(r#"{"text":"fn main() {}; {}","#, &[], truncated(0));
}

#[test]
fn a_record_in_place_of_a_value_is_found_by_its_keys() {
    let syntax = |at| Some((ErrorKind::Syntax, at));
    let trailing =
        |user: &str| Some((ErrorKind::NotAnObject, user.len() as u64));
    // It has a type, and a key that only records have. Whether the type is
    // known does not matter.
    for user in [
        r#"{"type":"user","uuid":"u"}"#,
        r#"{"sessionId":"s","type":"never heard of"}"#,
        r#"{"type":"x","message":{"role":"r"}}"#,
        r#"{"type":"x","response":{"request_id":"r"}}"#,
        r#"{"Novel":{"session_id":1}}"#,
    ] {
        holds(&format!(r#"{{"type":"user","a":{user}"#), &[user], syntax(0));
        holds(&format!(r#"{{"a":[{user}"#), &[user], syntax(0));
        holds(
            &format!(r#"ext","a":{user},"c":2}}"#),
            &[user],
            Some((ErrorKind::NotAnObject, 0)),
        );
        holds(&format!(r#"{user},"c":2}}"#), &[user], trailing(user));
    }
    // A record without a type is recognised by its first key.
    holds(r#"{"n":{"n":1}"#, &[r#"{"n":1}"#], syntax(0));
    // An object with only a type, or without a type, may be a part of a
    // record.
    for part in [
        r#"{"type":"user"}"#,
        r#"{"type":"ephemeral"}"#,
        r#"{"type":"text","text":"uuid"}"#,
        r#"{"type":"error","message":"text"}"#,
        r#"{"type":"agent_progress","message":{"type":"user","uuid":"u"},"agentId":"a"}"#,
        r#"{"type":1,"uuid":"u"}"#,
        r#"{"uuid":"u","content":[]}"#,
        r#"{"input":{"type":"x"}}"#,
    ] {
        let truncated = Some((ErrorKind::Truncated, 0));
        holds(&format!(r#"{{"type":"user","a":{part}"#), &[], truncated);
        let lost = Some((ErrorKind::NotAnObject, 0));
        holds(&format!(r#"ext","a":{part},"c":2}}"#), &[], lost);
    }
}

const RECORDS: [&str; 6] = [
    r#"{"type":"user","message":{"role":"user","content":"Hi {x}"}}"#,
    r#"{"parentUuid":null,"message":{"content":[{"type":"tool_use","id":"t","input":{"a":"{\"b\":[1]}","c":{}}}]},"type":"assistant","uuid":"u é🍎"}"#,
    r#"{"type":"system","subtype":"init","tools":["Bash","\\","\""],"n":-1.5e3}"#,
    r#"{"TextChunk":{"text":"{\"type\":\"user\"}","session_id":1}}"#,
    r#"{ "type" : "result" , "session_id" : "s" , "usage" : { } }"#,
    r#"{"type":"progress","data":{"content":"\u00e9\ud83c\udf4e }{"},"uuid":"p","ok":[true,null,{}]}"#,
];

#[test]
fn a_whole_record_after_a_torn_one_is_found_wherever_it_was_torn() {
    for torn in RECORDS {
        for whole in RECORDS {
            for cut in 1..torn.len() {
                let mut line = torn.as_bytes()[..cut].to_vec();
                line.extend(whole.as_bytes());
                let reading = Reading::salvaged(&line);
                let expected = [(cut as u64, whole.as_bytes().to_vec())];
                let shown = line.escape_ascii();
                assert_eq!(reading.records, expected, "{shown}");
                assert_eq!(reading.errors.len(), 1, "{shown}");
                assert_eq!(reading.stats.lost, cut as u64, "{shown}");
                assert_eq!(reading.stats.salvaged, 1, "{shown}");
            }
        }
    }
}

#[test]
fn a_record_written_into_another_is_found() {
    for outer in RECORDS {
        for inner in RECORDS {
            for cut in 1..outer.len() {
                let (head, tail) = outer.as_bytes().split_at(cut);
                let line = [head, inner.as_bytes(), tail].concat();
                if Decoder::new().decode(&line).is_ok() {
                    // In the position of a value, it is a value.
                    continue;
                }
                let reading = Reading::salvaged(&line);
                let expected = (cut as u64, inner.as_bytes().to_vec());
                let shown = line.escape_ascii();
                assert!(reading.records.contains(&expected), "{shown}");
                assert_eq!(reading.errors.len(), 1, "{shown}");
            }
        }
    }
}

#[test]
fn a_record_that_breaks_off_is_one_error_and_nothing_else() {
    for record in RECORDS {
        for cut in 1..record.len() {
            let torn = &record.as_bytes()[..cut];
            let mut log = torn.to_vec();
            log.extend(b"\n{}\n");
            let reading = Reading::salvaged(&log);
            let behind = [(cut as u64 + 1, b"{}".to_vec())];
            let shown = torn.escape_ascii();
            assert_eq!(reading.records, behind, "{shown}");
            assert_eq!(reading.errors.len(), 1, "{shown}");
            // The same without a newline.
            let reading = Reading::salvaged(torn);
            assert_eq!(reading.records, [], "{shown}");
            assert_eq!(reading.errors, [(ErrorKind::Truncated, 0)]);
        }
    }
}

#[test]
fn a_record_between_runs_of_nul_is_found() {
    for record in RECORDS {
        for (before, behind) in [(1, 0), (0, 1), (9000, 0), (0, 9000), (3, 3)]
        {
            let mut log = vec![0; before];
            log.extend(record.as_bytes());
            log.extend(vec![0; behind]);
            let reading = Reading::salvaged(&log);
            let expected = (before as u64, record.as_bytes().to_vec());
            assert_eq!(reading.records, [expected]);
            let at = if before > 0 { 0 } else { record.len() as u64 };
            assert_eq!(reading.errors, [(ErrorKind::NotAnObject, at)]);
            assert_eq!(reading.stats.lost, (before + behind) as u64);
        }
    }
}

#[test]
fn the_settings_go_together() {
    let log =
        b"noise\n\n[x] {\"type\":\"user\"}\n{\"a\":1}{\"type\":\"user\"}\n";
    // By default, every line is returned unchanged.
    let mut reader = Reader::new(&log[..]);
    let mut lines = 0;
    while let Some(line) = reader.next_line() {
        assert!(line.unwrap().check().is_err());
        lines += 1;
    }
    assert_eq!((lines, reader.stats().salvaged), (3, 0));

    let builder = Reader::builder().salvage(true).skip_noise(true);
    let builder = builder.level(Level::Kind).keep_raw(true);
    let mut reader = builder.build(&log[..]);
    let error = reader.next_line().unwrap().unwrap_err();
    assert_eq!(error.position().line(), 3);
    assert_eq!(error.raw(), Some(&b"[x] {\"type\":\"user\"}"[..]));
    let line = reader.next_where(|line| line.number() == 4).unwrap().unwrap();
    assert_eq!(line.as_bytes(), b"{\"a\":1}");
    assert!(line.is_terminated());
    let record = reader.next_record().unwrap().unwrap();
    assert!(record.kind().is("user"));
    assert_eq!(record.position().byte(), 34);
    drop(record);
    assert!(reader.next_record().is_none());
    let stats = reader.stats();
    assert_eq!((stats.noise, stats.blank, stats.lines), (1, 1, 4));
    assert_eq!((stats.salvaged, stats.lost), (3, 4));

    // A line that begins like a record is not noise.
    let builder = Reader::builder().salvage(true).skip_noise(true);
    let reading = Reading::of(&builder, b"{\"a\":\n a {b}");
    assert_eq!(reading.errors, [(ErrorKind::Syntax, 0)]);
    assert_eq!(reading.stats.noise, 1);

    // A line over the limit is not searched.
    let builder = Reader::builder().salvage(true).max_line(12);
    let reading = Reading::of(&builder, &log[..]);
    let kinds: Vec<_> = reading.errors.iter().map(|error| error.0).collect();
    use ErrorKind::{LineTooLong, NotAnObject};
    assert_eq!(kinds, [NotAnObject, LineTooLong, LineTooLong]);
}

/// A line that begins with a UTF-16 BOM was rejected before it was searched,
/// so that the whole records after the BOM were lost.
#[test]
fn records_after_a_utf16_bom_are_found() {
    let log = b"\xFF\xFE{\"a\":1}x{\"b\":2}\n{\"c\":3}\n";
    for skip_noise in [false, true] {
        let builder = Reader::builder().salvage(true).skip_noise(skip_noise);
        let reading = Reading::of(&builder, log);
        let expected = [r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c":3}"#];
        assert_eq!(reading.texts(), expected);
        assert_eq!(reading.errors, [(ErrorKind::Encoding, 0)]);
        assert_eq!(reading.stats.lost, 3);
    }
    // A line in UTF-16 contains no record, and is one error.
    let reading = Reading::salvaged(b"\xFF\xFE{\0}\0\n\0{\0}\0\n\0");
    assert!(reading.records.is_empty());
    let kinds: Vec<_> = reading.errors.iter().map(|error| error.0).collect();
    use ErrorKind::{Encoding, NotAnObject};
    assert_eq!(kinds, [Encoding, NotAnObject, NotAnObject]);
}

/// Generates bytes that are not a record, and do not continue a torn record
/// after a value.
fn damage() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (select(RECORDS.to_vec()), any::<prop::sample::Index>()).prop_map(
            |(record, cut)| record.as_bytes()
                [..1 + cut.index(record.len() - 1)]
                .to_vec()
        ),
        (texts::any_object(), any::<prop::sample::Index>())
            .prop_map(|(object, cut)| object.as_bytes()
                [..cut.index(object.len())]
                .to_vec()),
        (1usize..70).prop_map(|count| vec![0; count]),
        "[a-z][a-z\\[\\]{}:,\" \\\\]{0,12}".prop_map(String::into_bytes),
        vec(
            any::<u8>().prop_filter("a letter", |b| b.is_ascii_alphabetic()
                || *b > 0x7f),
            1..8
        ),
    ]
}

proptest! {
    #![proptest_config(texts::cases(150))]

    /// Records with damage before, between or after them: every record is
    /// found.
    #[test]
    fn no_whole_record_is_lost(
        pieces in vec((select(RECORDS.to_vec()), damage()), 1..5),
        ends in any::<bool>(),
    ) {
        let (mut log, mut expected) = (vec![], vec![]);
        for (record, damage) in &pieces {
            if ends { log.extend(damage) }
            expected.push((log.len() as u64, record.as_bytes().to_vec()));
            log.extend(record.as_bytes());
            if !ends { log.extend(damage) }
        }
        // Damage can join the records after it into a longer record.
        prop_assume!(Decoder::new().decode(&log).is_err());
        let reading = Reading::salvaged(&log);
        for record in &expected {
            let is_in = |(at, bytes): &(u64, Vec<u8>)| {
                *at <= record.0
                    && at + bytes.len() as u64
                        >= record.0 + record.1.len() as u64
            };
            prop_assert!(
                reading.records.iter().any(is_in),
                "{} {record:?}", log.escape_ascii()
            );
        }
    }

    /// Any bytes: returned records are in the text and can be decoded, and
    /// there is at most one error per line, whatever the size of the buffer.
    #[test]
    fn nothing_is_made_up(
        pieces in vec(prop_oneof![
            damage(),
            select(vec!["\n", "{", "}", "\"", "\\", ":", ",", "{\"a\":1}"])
                .prop_map(|text| text.as_bytes().to_vec()),
            texts::any_object().prop_map(String::into_bytes),
        ], 0..12),
        capacity in 1usize..200,
    ) {
        let log = pieces.concat();
        let reading = Reading::salvaged(&log);
        let breaks = log.iter().filter(|byte| **byte == b'\n').count();
        prop_assert!(reading.errors.len() <= breaks + 1);
        let kept: usize =
            reading.records.iter().map(|(_, bytes)| bytes.len()).sum();
        let lost = reading.stats.lost as usize;
        prop_assert!(kept + lost <= log.len());
        let builder =
            Reader::builder().salvage(true).buffer_capacity(capacity);
        prop_assert_eq!(Reading::of(&builder, &log), reading);
    }

    /// Lines that are one record each are read as without salvage.
    #[test]
    fn a_good_log_is_not_changed(
        objects in vec(texts::any_object(), 0..5),
    ) {
        let is_good = |object: &&String| {
            Decoder::new().decode(object.as_bytes()).is_ok()
        };
        let objects: Vec<&str> =
            objects.iter().filter(is_good).map(|o| &**o).collect();
        let log = objects.join("\n").into_bytes();
        let plain = Reading::of(&Reader::builder(), &log);
        prop_assert_eq!(Reading::salvaged(&log), plain);
    }
}

#[test]
fn real_lines_that_hold_two_records_are_told_apart() {
    let Some(folder) = logs::corpus() else { return };
    let log = fs::read(folder.join("spliced-lines.jsonl")).unwrap();
    let reading = Reading::salvaged(&log);
    assert_eq!((reading.records.len(), reading.errors.len()), (12, 0));
    assert_eq!(reading.stats.salvaged, 12);
}
