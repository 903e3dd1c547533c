//! A written record is one line, whatever it contains.
#![cfg(feature = "messages")]

use std::io::{self, BufWriter, ErrorKind::*, Write};

use linetape::{Decoder, ErrorKind, Writer, owned::Message};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::{oracle::render::is_dangerous, support::texts};

fn written(value: &Json) -> Vec<u8> {
    let mut writer = Writer::new(vec![]);
    writer.write_value(value).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn what_could_be_mistaken_for_more_than_text_is_escaped() {
    let text = "a\n\r\t\u{7f}\u{85}\u{9b}\u{2028}\u{2029}\u{202e}\u{1b}é🍎";
    let line = written(&json!({ "text": text }));
    let expected = concat!(
        r#"{"text":"a\n\r\t\u007f\u0085\u009b\u2028\u2029\u202e\u001b"#,
        "é🍎\"}\n"
    );
    assert_eq!(std::str::from_utf8(&line).unwrap(), expected);
}

#[test]
fn a_verbatim_line_may_hold_anything_but_a_newline() {
    let mut writer = Writer::new(vec![]);
    writer.write_line(b"not even JSON \xFF\r").unwrap();
    let error = writer.write_line(b"{}\n{}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.is_recoverable());
    assert_eq!(
        error.to_string(),
        "line 2 (byte 17): newline in a record, at byte 2"
    );
    for blank in [&b""[..], b"\r", b" \t"] {
        let error = writer.write_line(blank).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("blank"), "{error}");
    }
    assert_eq!(writer.position().line(), 2);
    let bytes = writer.into_inner().unwrap();
    assert_eq!(bytes, b"not even JSON \xFF\r\n");
}

/// If a value cannot be serialised, nothing is written, not even half a
/// record.
#[test]
fn a_value_that_is_no_json_leaves_nothing_behind() {
    let mut writer = Writer::new(vec![]);
    let keys_must_be_strings = [([1u8], 2u8)];
    let map: std::collections::BTreeMap<_, _> =
        keys_must_be_strings.into_iter().collect();
    let error = writer.write_value(&map).unwrap_err();
    // It was an I/O error, after which nobody writes on.
    assert_eq!(error.kind(), ErrorKind::Data);
    assert!(error.is_recoverable());
    writer.write_value(&json!({})).unwrap();
    assert_eq!(writer.into_inner().unwrap(), b"{}\n");
}

/// A sink that accepts some bytes and then fails.
struct Full {
    room: usize,
    error: io::ErrorKind,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(self.error.into());
        }
        let count = bytes.len().min(self.room);
        self.room -= count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.room == 0 { Err(self.error.into()) } else { Ok(()) }
    }
}

#[test]
fn a_sink_that_fails_is_reported_with_the_place() {
    for error in [StorageFull, BrokenPipe] {
        let mut writer = Writer::new(Full { room: 5, error });
        writer.write_value(&json!({})).unwrap();
        let failed = writer.write_value(&json!({ "a": 1 })).unwrap_err();
        assert_eq!(failed.io_error().map(io::Error::kind), Some(error));
        let position = failed.position();
        assert_eq!((position.line(), position.byte()), (2, 3));
        assert!(!failed.is_recoverable());
        // Half a record has been written: the next one would be joined to it.
        writer.get_mut().room = 100;
        let refused = writer.write_line(b"{}").unwrap_err();
        assert!(refused.to_string().contains("truncated"), "{refused}");
        writer.get_mut().room = 0;
        // Bytes that are buffered and could not be written are kept.
        assert!(writer.flush().is_err());
        assert!(writer.into_inner().is_err());
    }
}

/// A disk that is full for a while, and keeps all bytes that it accepted.
#[derive(Default)]
struct Disk {
    kept: Vec<u8>,
    room: usize,
    error: Option<io::ErrorKind>,
    interrupted: bool,
}

impl Write for &mut Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(Interrupted.into());
        }
        if self.room == 0 {
            // A sink that accepts 0 bytes has failed as well.
            return self.error.map_or(Ok(0), |error| Err(error.into()));
        }
        let count = bytes.len().min(self.room);
        self.kept.extend_from_slice(&bytes[..count]);
        self.room -= count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes records until one fails, and two more when there is space again.
/// Returns the number of successes, and whether one of the two succeeded.
fn write_on<W: Write>(
    writer: &mut Writer<W>,
    give_room: impl Fn(&mut W),
) -> (usize, bool) {
    let records = [json!({ "a": "é\n" }), json!({}), json!({ "b": [1, 2] })];
    let mut records = records.iter();
    let went = records.by_ref().take_while(|r| writer.write_value(r).is_ok());
    let went = went.count();
    give_room(writer.get_mut());
    let more = writer.write_value(&json!({})).is_ok();
    (went, writer.write_line(b"{}").is_ok() || more)
}

/// Wherever a sink fails, its content is the beginning of the expected output:
/// nothing twice, and nothing after a torn record.
#[test]
fn a_sink_that_fails_at_any_byte_has_what_went_before() {
    let whole = b"{\"a\":\"\xC3\xA9\\n\"}\n{}\n{\"b\":[1,2]}\n";
    for room in 0..whole.len() {
        for error in [Some(StorageFull), Some(BrokenPipe), None] {
            let disk = || Disk { room, error, ..Disk::default() };
            let mut bare = disk();
            let mut writer = Writer::new(&mut bare);
            let (went, more) = write_on(&mut writer, |disk| disk.room = 100);
            let position = writer.position();
            drop(writer);
            assert_eq!(bare.kept, whole[..room]);
            let lines = bare.kept.iter().filter(|byte| **byte == b'\n');
            assert_eq!((went, more), (lines.count(), false), "{room}");
            assert_eq!(position.line(), went as u64 + 1);

            // A flush retries the buffered bytes, and nothing follows them.
            for capacity in [1, 8, 30] {
                let mut disk = disk();
                let buffer = BufWriter::with_capacity(capacity, &mut disk);
                let mut writer = Writer::new(buffer);
                let (went, more) = write_on(&mut writer, |buffer| {
                    buffer.get_mut().room = 100;
                });
                let flushed = writer.into_inner().map(drop);
                assert!(flushed.is_ok(), "there is room again");
                let about = format!("{room} {capacity}");
                if went == 3 {
                    // No bytes had left the buffer when the disk was full.
                    let more = [&whole[..], b"{}\n{}\n"].concat();
                    assert_eq!(disk.kept, more, "{about}");
                } else {
                    assert!(whole.starts_with(&disk.kept), "{about}");
                    assert!(!more, "{about}");
                }
            }
        }
    }
}

/// JSON from elsewhere may contain newlines between its tokens.
#[test]
fn raw_json_stays_on_one_line() {
    let text = "{\"a\":\n[1,\r\n2]}".to_string();
    let raw = serde_json::value::RawValue::from_string(text).unwrap();
    let mut writer = Writer::new(vec![]);
    writer.write_value(&raw).unwrap();
    assert_eq!(writer.into_inner().unwrap(), b"{\"a\": [1,  2]}\n");
}

/// Its strings may contain terminal escape sequences. They were once written
/// unchanged.
#[test]
fn terminal_escape_sequences_in_raw_json_are_escaped() {
    let rude = "\u{7f}\u{85}\u{9b}2J\u{61c}\u{200e}\u{2028}\u{2029}\u{202e}";
    let text = format!("{{\t\"a{rude}\":\t\"é{rude}\"}}");
    let raw = serde_json::value::RawValue::from_string(text.clone()).unwrap();
    let mut writer = Writer::new(vec![]);
    writer.write_value(&raw).unwrap();
    let written = String::from_utf8(writer.into_inner().unwrap()).unwrap();
    assert!(!written.trim_end().contains(is_dangerous), "{written:?}");
    let same: [Json; 2] =
        [&text, &written].map(|text| serde_json::from_str(text).unwrap());
    assert_eq!(same[0], same[1]);
}

#[test]
fn views_and_values_can_be_written_too() {
    let line = br#"{"type":"user","n":[1,-2,3.5,true,null,"x"]}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let mut writer = Writer::new(vec![]);
    writer.write_value(&record.message()).unwrap();
    writer.write_value(&record.value()).unwrap();
    let expected = [&line[..], b"\n", line, b"\n"].concat();
    assert_eq!(writer.into_inner().unwrap(), expected);
}

proptest! {
    #![proptest_config(texts::cases(64))]

    /// Property: any string, as a key and as a value, is written on one line
    /// without terminal escape sequences, and reads back unchanged.
    #[test]
    fn any_text_is_one_line(
        texts in prop::collection::vec(any::<String>(), 1..5),
    ) {
        let mut writer = Writer::new(vec![]);
        for text in &texts {
            let json = json!({ "type": "user", "text": text, text: 1 });
            let message: Message = serde_json::from_value(json).unwrap();
            writer.write_value(&message).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        prop_assert_eq!(bytes.split(|&b| b == b'\n').count(), texts.len() + 1);
        let shown = std::str::from_utf8(&bytes).unwrap();
        let rude = |c: char| c != '\n' && is_dangerous(c);
        prop_assert!(!shown.contains(rude));
        let mut lines = linetape::lines(&bytes);
        for text in &texts {
            let record = lines.next_record().unwrap().unwrap();
            let again: Json = serde_json::to_value(record.value()).unwrap();
            let expected = json!({ "type": "user", "text": text, text: 1 });
            prop_assert_eq!(again, expected);
        }
    }
}
