//! The bytes of a line, which are never changed.
#![cfg(feature = "messages")]

use linetape::{Decoder, Reader};

/// The parser overwrites its own copy, not the bytes that the caller sees.
#[test]
fn a_record_has_its_line_verbatim() {
    let lines: [&[u8]; 3] = [
        br#" { "a" : "\u0041\n\ud83c\udf4e" , "\u0062":1.50 }  "#,
        b"{}",
        "{\"é\":\"\\\"\u{2028}\"}\t".as_bytes(),
    ];
    let stream = [lines[0], b"\r\n", lines[1], b"\n\n", lines[2]].concat();
    let mut decoder = Decoder::new();
    let mut reader = Reader::builder().buffer_capacity(16).build(&stream[..]);
    let mut offset = 0;
    for (line, skipped) in lines.into_iter().zip([2, 2, 0]) {
        let record = decoder.decode(line).unwrap();
        assert_eq!(record.raw(), Some(line));
        assert_eq!(record.position().byte(), 0);
        drop(record);
        let record = reader.next_record().unwrap().unwrap();
        assert_eq!(record.raw(), Some(line));
        assert_eq!(record.position().byte(), offset);
        offset += (line.len() + skipped) as u64;
    }
}

/// The bytes of a bad line are unchanged, even if the parser unescaped strings
/// before it found the fault.
#[test]
fn a_bad_line_has_its_bytes_verbatim_if_they_are_kept() {
    let bad = br#"{"a":"\u0041\n\t","b":"\ud83c\udf4e","c":[1,2,}"#;
    let stream = [&b"{\"n\":1}\n"[..], bad, b"\r\n{\"n\":\"\\n\"}\n"].concat();
    for keep in [true, false] {
        let mut reader = Reader::builder().keep_raw(keep).build(&stream[..]);
        reader.next_record().unwrap().unwrap();
        let error = reader.next_record().unwrap().map(drop).unwrap_err();
        assert_eq!(error.raw(), keep.then_some(&bad[..]));
        let at = error.position().byte() as usize;
        assert_eq!(stream[at..].first(), Some(&b'}'));
        let record = reader.next_record().unwrap().unwrap();
        assert_eq!(record.raw(), Some(&br#"{"n":"\n"}"#[..]));
        let text = record.value().get("n").and_then(|n| n.as_str());
        assert_eq!(text, Some("\n"));
    }
}
