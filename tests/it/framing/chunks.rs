//! `Chunks`: which bytes are copied, and which are not.

use bytes::Bytes;
use linetape::{Chunks, Reader};

fn lies_in(line: &[u8], chunk: &Bytes) -> bool {
    chunk.as_ptr_range().contains(&line.as_ptr())
}

#[test]
fn a_line_in_one_chunk_is_not_copied() {
    let first = Bytes::from(b"{\"a\":1}\n\r\n{\"b\":2}\r\n{\"c\"".to_vec());
    let second = Bytes::from(b":3}\n{\"d\":4}\n{\"e\":5}".to_vec());
    let mut chunks = Chunks::new();
    chunks.push(first.clone());
    chunks.push(second.clone());
    chunks.finish();

    let mut found = vec![];
    while let Some(line) = chunks.next_line() {
        let bytes = line.unwrap().into_bytes();
        let home = (lies_in(&bytes, &first), lies_in(&bytes, &second));
        found.push((String::from_utf8(bytes.to_vec()).unwrap(), home));
    }
    let expected = [
        ("{\"a\":1}", (true, false)),
        ("{\"b\":2}", (true, false)),
        ("{\"c\":3}", (false, false)), // crosses, so it was put together
        ("{\"d\":4}", (false, true)),
        ("{\"e\":5}", (false, true)),
    ];
    assert_eq!(found, expected.map(|(text, home)| (text.to_string(), home)));
}

#[test]
fn many_chunks_may_wait() {
    let mut chunks = Chunks::new();
    for piece in ["{", "}", "\n", "", "{}", "\r", "\n"] {
        chunks.push(piece);
    }
    assert_eq!(chunks.next_line().unwrap().unwrap().as_bytes(), b"{}");
    let line = chunks.next_line().unwrap().unwrap();
    assert_eq!((line.number(), line.offset()), (2, 3));
    assert!(line.is_terminated());
    assert!(chunks.next_line().is_none());
}

#[test]
fn the_end_is_the_end() {
    let mut chunks = Chunks::new();
    chunks.push("one");
    chunks.finish();
    chunks.push(" two\nthree");
    assert_eq!(chunks.next_line().unwrap().unwrap().as_bytes(), b"one");
    chunks.push("four\n");
    assert!(chunks.next_line().is_none());
    assert_eq!(chunks.stats().bytes, 3);
}

/// Some writers send the text and the newline separately.
#[test]
fn a_terminator_in_the_next_chunk_costs_no_copy() {
    for end in ["\n", "\r\n"] {
        for cut in 0..end.len() {
            let text = format!("{{\"a\":1}}{}", &end[..cut]);
            let first = Bytes::from(text.into_bytes());
            let mut chunks = Chunks::new();
            chunks.push(first.clone());
            assert!(chunks.next_line().is_none());
            chunks.push(end[cut..].to_string());
            let line = chunks.next_line().unwrap().unwrap();
            assert_eq!(line.as_bytes(), b"{\"a\":1}");
            assert!(lies_in(line.as_bytes(), &first), "{end:?} {cut}");
        }
    }
}

#[test]
fn a_line_that_is_too_long_leaves_nothing_behind() {
    let mut chunks = Reader::builder().max_line(4).chunks();
    chunks.push("12");
    assert!(chunks.next_line().is_none());
    chunks.push("345");
    assert!(chunks.next_line().is_none());
    chunks.push("6\n78\n");
    let error = chunks.next_line().unwrap().unwrap_err();
    assert_eq!((error.limit(), error.found()), (Some(4), Some(6)));
    assert_eq!(chunks.next_line().unwrap().unwrap().as_bytes(), b"78");
}
