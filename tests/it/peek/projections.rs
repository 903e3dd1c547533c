//! Projections, compared with pointers.

use linetape::{Decoder, Limits, Projection};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::{
    oracle::skim::same_found,
    support::{
        json::decoders,
        texts::{any_object, cases, message},
    },
};

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn a_projection_reads_what_pointers_read(
        line in prop_oneof![any_object(), message()],
        paths in vec(path(), 0..12),
    ) {
        let mut trusted = Decoder::new();
        let Ok(record) = trusted.decode(line.as_bytes()) else {
            return Ok(());
        };
        let projection = Projection::new(&paths);
        prop_assert_eq!(projection.len(), paths.len());
        for mut decoder in decoders(Limits::default()) {
            let line = decoder.line(line.as_bytes());
            line.peek().unwrap();
            let found = line.projected(&projection).unwrap();
            same_found(record.value(), &paths, found);
        }
    }
}

/// Some steps that lead to a value, and some that do not.
fn path() -> impl Strategy<Value = String> {
    let step = select(vec![
        "type",
        "subtype",
        "a",
        "b",
        "0",
        "1",
        "00",
        "+1",
        "content",
        "text",
        "usage",
        "",
        "k~0~1",
        "k~/",
        "~",
        "~2",
        "message",
        "input_tokens",
    ]);
    let steps =
        vec(step, 1..5).prop_map(|steps| "/".to_string() + &steps.join("/"));
    prop_oneof![
        8 => steps.clone(),
        1 => Just(String::new()),
        1 => steps.prop_map(|path| path[1..].to_string()),
    ]
}

/// Paths with common prefixes, and duplicate keys: the last one is used, and
/// no value of an earlier one is left.
#[test]
fn paths_share_what_they_have_in_common() {
    let line = br#"{"a":{"b":[1,{"c":2}],"b":[3,{"d":4}]},"a~/":{"":5},
        "x":{"y":6},"x":7,"\u0061":{"\u0062":[8,[9]]},"0":[[0]],"00":1}"#;
    let line: Vec<u8> =
        line.iter().copied().filter(|byte| *byte != b'\n').collect();
    let steps = ["/a", "/b", "/0", "/1", "/c", "/d", "/a~0~1", "/", "/x/y"];
    let mut paths =
        vec![String::new(), "a".into(), "/00".into(), "/~2".into()];
    for one in steps {
        for two in steps {
            for three in steps {
                paths.push(one.to_string());
                paths.push(one.to_string() + two);
                paths.push(one.to_string() + two + three);
            }
        }
    }
    let mut trusted = Decoder::new();
    let record = trusted.decode(&line).unwrap();
    let projection = Projection::new(&paths);
    for mut decoder in decoders(Limits::default()) {
        let line = decoder.line(&line);
        let found = line.projected(&projection).unwrap();
        same_found(record.value(), &paths, found);
    }
}

/// A key may contain a backslash, written in one of two ways, or text that
/// only looks like an escape.
#[test]
fn a_key_is_what_it_means_and_not_what_is_written() {
    let line = br#"{"\u005c":1,"\n":2,"\\n":3,"a\\b":4,"\u005Cu0041":5}"#;
    let keys = ["\\", "\n", "\\n", "a\\b", "\\u0041"];
    for mut decoder in decoders(Limits::default()) {
        let line = decoder.line(line);
        let value = line.peek().unwrap().value();
        for (number, key) in keys.iter().enumerate() {
            let expected = Some(number as u64 + 1);
            let got = value.get(key).and_then(|value| value.as_u64());
            assert_eq!(got, expected, "{key:?}");
            let paths = Projection::new([format!("/{key}")]);
            let found = line.projected(&paths).unwrap().at(0);
            assert_eq!(found.and_then(|v| v.as_u64()), expected, "{key:?}");
        }
        for key in ["\\u005c", "\\\\", "\\\\n", "a\\\\b", "A", "n", ""] {
            assert!(value.get(key).is_none(), "{key:?}");
        }
    }
}
