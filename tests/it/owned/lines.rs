//! Lines that own their text and index, compared with records.

use linetape::{Decoder, Limits, Message, OwnedLine, lines};
use proptest::prelude::*;

use crate::support::{
    json::{decoders, same_value},
    logs::corpus,
    texts::{any_object, cases, message},
};

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn an_owned_line_is_the_record(
        line in prop_oneof![any_object(), message()],
    ) {
        let mut trusted = Decoder::new();
        for mut decoder in decoders(Limits::default()) {
            let kept = decoder.line(line.as_bytes()).to_owned_line();
            match trusted.decode(line.as_bytes()) {
                Ok(record) => {
                    let kept = kept.unwrap();
                    same_value(kept.value(), record.value());
                    prop_assert_eq!(kept.kind(), record.kind());
                }
                Err(error) => {
                    let refused = kept.unwrap_err().to_string();
                    prop_assert_eq!(refused, error.to_string());
                }
            }
        }
    }
}

/// Escapes move everything behind them: brackets, keys and other strings.
#[test]
fn an_escape_at_every_offset() {
    for pad in 0..140 {
        let pad = "x".repeat(pad);
        let line = format!(
            r#" {{"p":"{pad}\n\"{{","a" : [{{"\u0062":"\\"}},[],"ä\u00e4"],"n":-1.5,"c":{{"d":null,"e":"\t\t"}},"t":true}} "#
        );
        let mut trusted = Decoder::new();
        let record = trusted.decode(line.as_bytes()).unwrap();
        for mut decoder in decoders(Limits::default()) {
            let kept = decoder.line(line.as_bytes()).to_owned_line().unwrap();
            let same = same_value(kept.value(), record.value());
            assert!(same.len() > 8, "{same:?}");
            let [n, e] = kept.value().get_many(["n", "e"]);
            assert_eq!((n.unwrap().as_f64(), e), (Some(-1.5), None));
            let b = kept.value().pointer("/a/0/b").unwrap();
            assert_eq!((b.as_str(), b.span()), (Some("\\"), None));
            assert_eq!(kept.length(), line.len());
        }
    }
}

/// It can be sent and shared, and does not need its reader.
#[test]
fn an_owned_line_goes_to_other_threads() {
    fn shared<T: Send + Sync + Clone + 'static>(value: T) -> T {
        value
    }
    let log = b"\n{\"type\":\"user\",\"uuid\":\"a\\tb\"}\n{\"type\":[}";
    let mut lines = lines(log);
    let kept = lines.next_line().unwrap().unwrap().to_owned_line().unwrap();
    let bad = lines.next_line().unwrap().unwrap();
    assert!(bad.to_owned_line().is_err());
    let kept = shared(kept);
    assert_eq!((kept.number(), kept.offset()), (2, 1));
    assert!(kept.is_terminated());
    let copy = kept.clone();
    let there = std::thread::spawn(move || {
        let Message::User(user) = copy.message() else { panic!() };
        user.uuid() == Some("a\tb")
    });
    assert!(there.join().unwrap());
    assert_eq!(
        format!("{kept:?}"),
        "OwnedLine(line 2 (byte 1): {\"type\":\"user\",\"uuid\":\"a\\tb\"})"
    );
}

/// The memory of real lines: at most 1.3 times the line on transcripts, and
/// 1.6 times on stream-json.
#[test]
fn owned_lines_are_small() {
    let Some(folder) = corpus() else { return };
    for (name, most) in [("transcripts", 1.3), ("stream-json", 1.6)] {
        let (mut written, mut taken) = (0, 0);
        for entry in std::fs::read_dir(folder.join(name)).unwrap() {
            let Ok(log) = std::fs::read(entry.unwrap().path()) else {
                continue;
            };
            let mut lines = lines(&log);
            while let Some(line) = lines.next_line() {
                let kept: Option<OwnedLine> =
                    line.ok().and_then(|line| line.to_owned_line().ok());
                if let Some(kept) = kept {
                    written += kept.length();
                    taken += kept.allocated_bytes();
                }
            }
        }
        let ratio = taken as f64 / written as f64;
        println!("{name}: {ratio:.2}");
        assert!(written > 0 && ratio <= most, "{name}: {ratio:.2}");
    }
}
