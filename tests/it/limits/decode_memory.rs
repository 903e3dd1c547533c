//! The memory and work of decoding a line. Memory is counted by the allocator.
#![cfg(feature = "messages")]

use linetape::{Decoder, Limits, owned};

use crate::support::counting::{LIVE, peak_of};

/// More nodes than the limit, and a text that is released at once.
const HOSTILE: usize = 5 << 20;

fn decoder() -> Decoder {
    Decoder::with_limits(Limits { max_nodes: 2 << 20, ..Limits::default() })
}

/// Returns a line of `HOSTILE` bytes.
fn hostile(piece: &str) -> Vec<u8> {
    let mut line = br#"{"k":"#.to_vec();
    line.extend(piece.bytes().cycle().take(HOSTILE - line.len()));
    line
}

/// The tape takes 28 bytes for each bracket and comma, before the grammar is
/// checked. So such a line must be rejected before.
#[test]
fn a_line_of_brackets_or_commas_takes_no_memory() {
    for piece in ["[", ",", "{", ":", "]", "}", "[,,,", "1]]]"] {
        let line = hostile(piece);
        let mut decoder = decoder();
        let peak = peak_of(|| {
            assert!(decoder.decode(&line).is_err(), "{piece}");
        });
        assert!(peak < 1 << 20, "{peak} bytes for {piece}");
        let peak = peak_of(|| {
            drop(decoder.decode(br#"{"fine":1}"#).unwrap());
        });
        assert!(peak < 1 << 20, "{peak} bytes for the line behind {piece}");
    }
}

/// Any line takes at most 34 bytes of memory per byte, and most of that is
/// released.
#[test]
fn no_line_takes_more_than_34_times_its_size() {
    for piece in ["[", ",", "\"\"", "\"\",", "{\"\":", "0,", "\\", "\"", "x"] {
        let line = hostile(piece);
        let before = LIVE.get();
        let mut decoder = decoder();
        let peak = peak_of(|| {
            let _ = decoder.decode(&line).map(drop);
        });
        let bound = 34 * HOSTILE as i64;
        assert!(peak <= bound, "{peak} bytes for {piece}");
        for _ in 0..100 {
            drop(decoder.decode(br#"{"fine":1}"#).unwrap());
        }
        let kept = LIVE.get() - before;
        assert!(kept < 1 << 20, "{kept} bytes kept after {piece}");
    }
}

/// A map with one key takes the most memory.
#[test]
fn an_owned_message_takes_no_more_than_400_bytes_for_each_node() {
    // An item of a list, and the number of values and keys in it.
    for (piece, nodes) in [
        ("0", 1),
        ("[]", 1),
        ("[0]", 2),
        ("[[[0]]]", 4),
        ("{}", 1),
        (r#"{"":0}"#, 3),
        (r#"{"a":{"b":{"c":{}}}}"#, 7),
        (r#"{"type":"text"}"#, 3),
        (r#"{"type":"tool_use"}"#, 3),
        (r#"{"type":"image"}"#, 3),
        (r#"{"type":"tool_result","content":[]}"#, 5),
    ] {
        let count = (1 << 17) / piece.len();
        let list = vec![piece; count].join(",");
        for line in [
            format!(r#"{{"type":"user","message":{{"content":[{list}]}}}}"#),
            format!(r#"{{"type":"result","errors":[{list}],"a":[{list}]}}"#),
            format!(r#"{{"type":"novel","a":[{list}]}}"#),
        ] {
            let lists = line.matches(&list).count();
            let mut decoder = Decoder::new();
            let record = decoder.decode(line.as_bytes()).unwrap();
            let mut message = None;
            let peak = peak_of(|| message = Some(record.into_owned()));
            assert!(message.is_some());
            let bound = 400 * (lists * count * nodes + 10) as i64;
            let text = line.len() as i64;
            assert!(peak <= bound + text, "{piece}: {peak} of {bound}");
        }
    }
}

/// Each key of a map was looked up among all others: making an owned message
/// of this line took five minutes.
#[test]
fn a_map_with_many_keys_is_owned_in_one_pass() {
    let models: Vec<String> =
        (0..200_000).map(|n| format!(r#""m{n}":{{}}"#)).collect();
    for key in ["modelUsage", "novel", "usage"] {
        let line =
            format!(r#"{{"type":"result","{key}":{{{}}}}}"#, models.join(","));
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let message = record.into_owned();
        let again: owned::Message = serde_json::from_str(&line).unwrap();
        assert_eq!(message, again, "{key}");
    }
}
