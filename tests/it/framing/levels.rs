//! Readers of all levels return the same lines, kinds and errors.

#![cfg(feature = "messages")]

use linetape::{Level, Limits, Line, Projection, Reader};
use proptest::{collection::vec, prelude::*};

use crate::{
    oracle::levels::{METHODS, agree, order},
    support::{
        json::{LEVELS, kernels, written_lines},
        logs::exhaustive,
        streams::stream,
        texts::cases,
    },
};

/// The settings with which a stream is read.
#[derive(Clone, Debug)]
struct Plan {
    pieces: Vec<usize>,
    capacity: usize,
    skip_noise: bool,
    limits: Limits,
}

impl Plan {
    fn usual() -> Plan {
        let limits = Limits::default();
        Plan { pieces: vec![100], capacity: 64, skip_noise: false, limits }
    }

    /// Asserts that a stream is read in the same way at all levels.
    fn check(&self, stream: &[u8], orders: &[Vec<usize>]) {
        for kernel in kernels() {
            let builder = Reader::builder()
                .limits(self.limits)
                .buffer_capacity(self.capacity)
                .skip_noise(self.skip_noise)
                .kernel(kernel)
                .unwrap();
            agree(stream, &builder, &self.pieces, orders);
        }
    }
}

fn plan() -> impl Strategy<Value = Plan> {
    let capacity = prop_oneof![0usize..300, Just(1 << 16)];
    let limits = (
        prop_oneof![3 => Just(1 << 20), 1 => 0usize..300],
        prop_oneof![4 => Just(128), 1 => 1usize..5],
        prop_oneof![4 => Just(1 << 20), 1 => 0usize..50],
    );
    (vec(1usize..200, 1..5), capacity, any::<bool>(), limits).prop_map(
        |(pieces, capacity, skip_noise, limits)| {
            let (max_line, max_depth, max_nodes) = limits;
            let limits = Limits { max_line, max_depth, max_nodes };
            Plan { pieces, capacity, skip_noise, limits }
        },
    )
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_level_changes_nothing(
        stream in stream(),
        plan in plan(),
        orders in vec(vec(0..METHODS.len(), 0..12), 1..4),
    ) {
        plan.check(&stream, &orders);
    }
}

/// All short streams of a few significant bytes: strings that contain
/// newlines, truncated lines, and blank lines. Up to four bytes every day, and
/// five with `LINETAPE_EXHAUSTIVE`.
#[test]
fn a_level_changes_nothing_in_any_short_stream() {
    let bytes = b"{}\"\\\n\r ";
    for length in 0..if exhaustive() { 6 } else { 5_u32 } {
        for number in 0..bytes.len().pow(length) {
            let digit = |at| number / bytes.len().pow(at) % bytes.len();
            let stream: Vec<u8> =
                (0..length).map(|at| bytes[digit(at)]).collect();
            let typed = [&stream[..], b"{\"type\":\"t\"}\n"].concat();
            for stream in [&stream[..], &typed] {
                // Kind, check.
                agree(stream, &Reader::builder(), &[7], &[vec![0, 2]]);
            }
        }
    }
}

#[test]
fn a_type_after_a_long_message_is_found() {
    let nested = r#"{"type":"no","subtype":"no","text":"\"type\":\"no\"\\"}"#;
    for length in [0, 1, 63, 64, 65, 1000, 50_000] {
        let text = "x".repeat(length);
        let items = vec![nested; length / 100 + 1].join(",");
        let line = format!(
            "{{\"message\":{{\"text\":\"{text}\",\"content\":[{items}]}},\
             \"type\":\"assistant\",\"subtype\":\"s\"}}\n"
        );
        let stream = line.repeat(3);
        for kernel in kernels() {
            for capacity in [64, 4096, 1 << 17] {
                let builder = Reader::builder().level(Level::Kind);
                let builder = builder.buffer_capacity(capacity);
                let builder = builder.kernel(kernel).unwrap();
                let mut reader = builder.build(stream.as_bytes());
                for _ in 0..3 {
                    let line = reader.next_line().unwrap().unwrap();
                    assert!(line.kind().unwrap().matches("assistant/s"));
                }
                assert!(reader.next_line().is_none());
            }
        }
    }
}

/// Each member of a line in turn crosses a block boundary.
#[test]
fn a_level_changes_nothing_at_any_offset() {
    let line = r#"{"a":"\\","type":"t","b":[{"c":"]"}],"subtype":"s","d":1}"#;
    let broken = r#"{"a":"\\","type":"t","b":[{"c":"]"},"subtype":"s","d":1}"#;
    let long = format!("{{\"é\":\"{}\",\"type\":\"long\"}}", "é".repeat(70));
    for pad in 0..130 {
        let pad = " ".repeat(pad);
        let stream =
            format!("{pad}{line}\n{pad}{broken}\r\n{pad}{long}{pad}\n{line}");
        Plan::usual().check(stream.as_bytes(), &[order(0), order(9)]);
    }
}

/// A filter reads the kind of each line, and returns the line.
#[test]
fn a_filter_by_kind_finds_the_same_lines() {
    let lines = written_lines();
    let stream = lines.join(&b'\n');
    for kernel in kernels() {
        let find = |level| {
            let builder = Reader::builder().level(level);
            let builder = builder.kernel(kernel).unwrap();
            let mut reader = builder.build(&stream[..]);
            let mut found = vec![];
            let wanted = |line: &Line<'_>| {
                line.kind().is_ok_and(|kind| kind.is("assistant"))
            };
            while let Some(line) = reader.next_where(wanted) {
                found.push(line.unwrap().as_bytes().to_vec());
            }
            found
        };
        let expected: Vec<_> = lines
            .iter()
            .filter(|line| {
                let json: serde_json::Value =
                    serde_json::from_slice(line).unwrap();
                json["type"] == "assistant"
            })
            .cloned()
            .collect();
        assert!(!expected.is_empty());
        for level in LEVELS {
            assert_eq!(find(level), expected, "{level:?}");
        }
    }
}

/// The last member of a message that has the key of a path counts, and not one
/// of an object inside of it. Reading the message begins at that key.
#[test]
fn values_of_a_routed_message_are_those_of_its_own_members() {
    let usage = r#""usage":{"a":5,"usage":{"a":6}}"#;
    let paths = Projection::new(["/message/usage/a"]);
    let cases = [
        (r#""id":1"#, Some(5)),
        (r#""more":{"usage":{"a":7}}"#, Some(5)),
        (r#""more":[{"usage":{"a":7}}]"#, Some(5)),
        (r#""more":["usage",":{\"usage\":{\"a\":7}"]"#, Some(5)),
        (r#""x\"usage":{"a":7}"#, Some(5)),
        (r#""usage":{"a":8}"#, Some(8)),
        (r#""us\u0061ge":{"a":8}"#, Some(8)),
        (r#""usage" : {"a":8}"#, Some(8)),
        (r#""usage":{"b":8}"#, None),
        (r#""usage":null"#, None),
    ];
    // At every offset in a block.
    for length in 100..164 {
        let text = "x".repeat(length);
        let text = format!(r#""content":[{{"text":"{text}"}}]"#);
        // The first line of a stream is not routed.
        let mut log = "{}\n".to_string();
        for (rest, _) in cases {
            let message = format!("{{{text},{usage},{text},{rest}}}");
            log +=
                &format!("{{\"message\":{message},\"usage\":{{\"a\":9}}}}\n");
        }
        for kernel in kernels() {
            let builder = Reader::builder().level(Level::Kind).kernel(kernel);
            let mut lines = builder.unwrap().lines(log.as_bytes());
            lines.next_line();
            for (_, expected) in cases {
                let line = lines.next_line().unwrap().unwrap();
                let found = line.projected(&paths).unwrap().at(0);
                let found = found.and_then(|value| value.as_u64());
                assert_eq!(found, expected, "{kernel} {line:?}");
            }
            assert!(lines.next_line().is_none());
        }
    }
}
