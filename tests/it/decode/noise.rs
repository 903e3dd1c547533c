//! Lines that are not objects: errors, or skipped with `skip_noise`.
#![cfg(feature = "messages")]

use linetape::{Decoder, ErrorKind, Limits, Reader};

use crate::support::refused::refused;

#[test]
fn what_is_not_an_object_is_refused_by_its_first_byte() {
    for (line, at) in [
        ("null", 0),
        ("[]", 0),
        ("\"x\"", 0),
        ("  [1]", 2),
        ("\t\r 1", 3),
        ("true", 0),
        ("-1.5", 0),
        ("[WARN] something {\"a\":1}", 0),
        ("data: {\"a\":1}", 0),
        ("  ...", 2),
        ("}", 0),
        ("[", 0),
        ("\0{}", 0),
        ("\u{b}{}", 0),
        ("\u{a0}{}", 0),
        ("\u{feff}{}", 0),
        ("\"\\ud800", 0),
    ] {
        let kind = ErrorKind::NotAnObject;
        refused(Limits::default(), line.as_bytes(), kind, at);
    }
    for line in [&b"\xFF"[..], b"\xC3", b" \xED\xA0\x80"] {
        let at = line.iter().position(|&byte| byte != b' ').unwrap();
        refused(Limits::default(), line, ErrorKind::NotAnObject, at);
    }
    // A reader skips these lines; a decoder returns an error.
    for line in [&b""[..], b"  ", b"\t\r"] {
        let error = Decoder::new().decode(line).map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotAnObject);
        assert_eq!(error.position().byte(), line.len() as u64);
    }
}

#[test]
fn noise_is_skipped_and_counted_if_that_is_wanted() {
    let stream = b"{\"n\":1}\n[WARN] hm\n\n  \t{\"n\":2}\nnull\n  [1]\n{bad\n\
        \0\0\n\"x\"\n{\"n\":3}\nlast words";
    let mut reader = Reader::builder().skip_noise(true).build(&stream[..]);
    let mut found = vec![];
    while let Some(record) = reader.next_record() {
        found.push(match record {
            Ok(record) => record.value().get("n").unwrap().as_u64(),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Syntax);
                assert_eq!(error.position().line(), 7);
                None
            }
        });
    }
    assert_eq!(found, [Some(1), Some(2), None, Some(3)]);
    let stats = reader.stats();
    assert_eq!((stats.noise, stats.blank, stats.lines), (6, 1, 11));
    assert_eq!(stats.errors.total(), 1);

    let mut reader = Reader::new(&stream[..]);
    while reader.next_record().is_some() {}
    let stats = reader.stats();
    assert_eq!((stats.noise, stats.blank, stats.lines), (0, 1, 11));
    assert_eq!(stats.errors.get(ErrorKind::NotAnObject), 6);
    assert_eq!(stats.errors.total(), 7);
}
