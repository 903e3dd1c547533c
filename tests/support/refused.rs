//! Lines that every way of decoding rejects.

use linetape::{Decoder, Error, ErrorKind, Limits, Reader};

use super::json::show;

/// Asserts that every way of decoding rejects a line with the same error.
pub fn refused(
    limits: Limits,
    line: &[u8],
    kind: ErrorKind,
    at: usize,
) -> Error {
    let shown = show(line);
    let mut decoder = Decoder::with_limits(limits);
    let error = decoder.decode(line).map(drop).expect_err(&shown);
    let found = (error.kind(), error.position().byte());
    assert_eq!(found, (kind, at as u64), "{shown}: {error}");

    let kept = decoder.line(line).to_owned_line().expect_err(&shown);
    assert_eq!(kept.to_string(), error.to_string(), "{shown}");

    // In a stream, the position is relative to the start of the stream, and
    // both neighbours are read.
    let first = b"{\"n\":1}\n";
    let stream = [&first[..], line, b"\n{\"n\":2}\n"].concat();
    let mut reader =
        Reader::builder().limits(limits).keep_raw(true).build(&stream[..]);
    let n = |reader: &mut Reader<&[u8]>| {
        let record = reader.next_record().unwrap().unwrap();
        record.value().get("n").and_then(|n| n.as_u64())
    };
    assert_eq!(n(&mut reader), Some(1));
    let error = reader.next_record().unwrap().map(drop).expect_err(&shown);
    assert_eq!(error.kind(), kind, "{shown}");
    assert_eq!(error.position().line(), 2, "{shown}");
    let byte = (first.len() + at) as u64;
    assert_eq!(error.position().byte(), byte, "{shown}");
    assert_eq!(error.raw(), Some(line), "{shown}");
    assert!(error.is_recoverable(), "{shown}");
    assert_eq!(n(&mut reader), Some(2));
    assert!(reader.next_record().is_none());
    let errors = reader.stats().errors;
    assert_eq!((errors.get(kind), errors.total()), (1, 1), "{shown}");
    error
}
