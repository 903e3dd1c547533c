//! Streams of lines, good and bad ones.

use proptest::{collection::vec, prelude::*, sample::select};

use crate::support::{
    json::written_lines,
    texts::{any_object, damage, message, noise},
};

/// One line of a stream with its terminator, or some other bytes.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let good = prop_oneof![any_object(), message()];
    let good = good.prop_map(String::into_bytes);
    let bad = (good.clone(), damage()).prop_map(|(line, d)| d.to(&line));
    let odd = select(vec![
        "",
        " \t\r",
        "{",
        "}",
        "null",
        "\u{feff}{}",
        "note: {\"type\":\"no\"}",
        "{\"a\":\"",
        "\"type\":\"user\"}",
        "{\"a\":\"\n\",\"type\":\"no\"}",
        "{\"a\":[\n],\"type\":\"no\"}",
        "{\"type\":\"user\"\n}",
        "{\n\"type\":\"user\"}",
        "{\"type\":\"user\"}{\"type\":\"no\"}",
        "{\"type\":\"user\"} \t \r",
        "  {\"type\" : \"user\" , \"subtype\":\"s\"}",
        "{\"type\":\"user\"\0}",
        "\0\0\0{\"type\":\"user\"}",
        "{\"type\":\"us\\",
        "{\"type\":\"us\\\ner\"}",
        "{\"type\":\"us\\\\\"}",
        "{\"type\":\"\u{1}\"}",
        "{\"type\":1,\"subtype\":\"s\"}",
        "{\"TextChunk\":{\"type\":\"no\"}}",
    ]);
    let odd = odd.prop_map(|text| text.as_bytes().to_vec());
    let line = prop_oneof![
        4 => good,
        2 => bad,
        3 => odd,
        1 => noise(),
        1 => select(written_lines()),
    ];
    let end = select(vec!["\n", "\n", "\n", "\r\n", "\n\n", "\r\r\n", ""]);
    (line, end).prop_map(|(line, end)| [&line, end.as_bytes()].concat())
}

/// Generates a stream of lines, good and bad ones.
pub fn stream() -> impl Strategy<Value = Vec<u8>> {
    let head = select(vec!["", "", "", "\u{feff}", "\n", "\r\n"]);
    (head, vec(piece(), 0..12)).prop_map(|(head, pieces)| {
        [head.as_bytes(), &pieces.concat()].concat()
    })
}
