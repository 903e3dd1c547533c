//! Generators of random texts.

use proptest::{collection::vec, prelude::*, sample::select};

use super::logs::exhaustive;

/// Returns the configuration of a property test: `PROPTEST_CASES` cases, or by
/// default a quarter of `many`, and four times `many` if the tests are
/// [`exhaustive`]. Every property test uses it.
pub fn cases(many: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok();
    let default = if exhaustive() { 4 * many } else { many / 4 };
    let cases = cases.and_then(|n| n.parse().ok()).unwrap_or(default);
    ProptestConfig {
        cases,
        // The defaults are meant for a few hundred cases.
        max_local_rejects: cases.saturating_mul(100),
        max_global_rejects: cases.saturating_mul(10),
        failure_persistence: None,
        ..Default::default()
    }
}

/// Generates whitespace. Long whitespace moves the following token to another
/// block.
fn blanks() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => Just(String::new()),
        3 => select(vec![" ", "\t", "\r", " \t\r "]).prop_map(String::from),
        1 => (0usize..70).prop_map(|count| " ".repeat(count)),
    ]
}

/// Generates one character, unescaped or with any of its possible escapes.
fn character() -> impl Strategy<Value = String> {
    let c = prop_oneof![
        4 => prop::char::range(' ', '~'),
        3 => select("\"\\/\u{8}\u{c}\n\r\t\0{}[]:,\u{7f}\u{85}\u{2028}\
            \u{feff}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}é🍎"
            .chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    (c, 0u8..4).prop_map(|(c, way)| {
        let short = "\"\\/\u{8}\u{c}\n\r\t".chars().position(|s| s == c);
        let mut units = [0; 2];
        let units = c.encode_utf16(&mut units).iter();
        match (way, short) {
            (0 | 1, _) if c >= ' ' && c != '"' && c != '\\' => c.to_string(),
            (0..=2, Some(at)) => format!("\\{}", &"\"\\/bfnrt"[at..at + 1]),
            (3, _) => units.map(|unit| format!("\\u{unit:04X}")).collect(),
            _ => units.map(|unit| format!("\\u{unit:04x}")).collect(),
        }
    })
}

pub fn string() -> impl Strategy<Value = String> {
    let long = prop_oneof![
        6 => Just(String::new()),
        1 => (0usize..130).prop_map(|count| "x".repeat(count)),
        1 => (0usize..70).prop_map(|count| "\\\\".repeat(count)),
    ];
    (long, vec(character(), 0..12))
        .prop_map(|(long, pieces)| format!("\"{long}{}\"", pieces.concat()))
}

/// Generates numbers of every type, in every notation.
pub fn number() -> impl Strategy<Value = String> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    let finite = || POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO;
    prop_oneof![
        3 => any::<u64>().prop_map(|n| n.to_string()),
        2 => any::<i64>().prop_map(|n| n.to_string()),
        2 => (0u64..100).prop_map(|n| n.to_string()),
        2 => finite().prop_map(|n| format!("{n:?}")),
        2 => finite().prop_map(|n| format!("{n:e}")),
        1 => finite().prop_map(|n| format!("{n:.16E}")),
        1 => (POSITIVE | NEGATIVE | SUBNORMAL).prop_map(|n| format!("{n:e}")),
        1 => "[1-9][0-9]{0,40}",
        1 => "-?(0|[1-9][0-9]{0,25})\\.[0-9]{1,25}",
        // These cross a block boundary, whatever their offset.
        1 => "-?(0|[1-9][0-9]{0,60})\\.[0-9]{65,140}([eE]-?[0-9]{1,2})?",
        1 => "-?(0|[1-9][0-9]{0,5})(\\.[0-9]{1,5})?[eE][+-]?[0-9]{1,2}",
        1 => select(NUMBERS.split(' ').collect::<Vec<_>>()).prop_map(String::from),
    ]
}

/// Numbers at the limits of their types, with spaces between them.
pub const NUMBERS: &str = "0 -0 -0.0 0e99999999999 1e-99999999999 5e-324 \
    2.4703282292062327e-324 2.2250738585072011e-308 \
    2.2250738585072014e-308 1e308 1.7976931348623157e308 \
    18446744073709551614 18446744073709551615 18446744073709551616 \
    -9223372036854775808 -9223372036854775809 9007199254740993 \
    123456789012345678901234567890 \
    0.1000000000000000055511151231257827021181583404541015625";

/// Texts that look like numbers, but are invalid.
pub const NO_NUMBERS: &str = "01 -01 00 1. .5 +1 - --1 1e 1e+ 1E- 1.e5 1.5.2 \
    1e5.2 0x10 1_000 \
    NaN -Infinity 1e309 -1e309 1e4294967296 1\0 -2.5\0 0\0 -1. 1a -a \
    1-2 Infinity";

const KEYS: [&str; 16] = [
    "\"type\"",
    "\"subtype\"",
    "\"a\"",
    "\"b\"",
    "\"0\"",
    "\"1\"",
    "\"content\"",
    "\"text\"",
    "\"usage\"",
    "\"\"",
    "\"k~/\"",
    "\"\\u0061\"",
    "\"\\u0074ype\"",
    "\"ty\\u0070e\"",
    "\"sub\\u0074ype\"",
    "\"k~\\/\"",
];

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(KEYS.to_vec()).prop_map(String::from),
        2 => string(),
    ]
}

pub fn value() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        3 => string(),
        3 => number(),
        2 => select(vec!["null", "true", "false", "[]", "{}", "[[[]],{}]"])
            .prop_map(String::from),
        1 => (1usize..100).prop_map(|n| "[".repeat(n) + &"]".repeat(n)),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let items = (vec(inner.clone(), 0..6), blanks());
        let array = items.prop_map(|(items, gap)| {
            format!("[{gap}{}{gap}]", items.join(&format!("{gap},")))
        });
        let members = vec((key(), inner), 0..6);
        let object = (members, blanks())
            .prop_map(|(members, gap)| object(&members, &gap));
        prop_oneof![array, object]
    })
    .boxed()
}

fn object(members: &[(String, String)], gap: &str) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{gap}{key}{gap}:{gap}{value}"))
        .collect();
    format!("{{{}{gap}}}", members.join(","))
}

/// Generates an object on one line, often with duplicate keys.
pub fn any_object() -> impl Strategy<Value = String> {
    (vec((key(), value()), 0..8), blanks())
        .prop_map(|(members, gap)| gap.clone() + &object(&members, &gap))
}

/// The names of fields of views.
const FIELDS: [&str; 22] = [
    "message",
    "content",
    "usage",
    "uuid",
    "session_id",
    "sessionId",
    "parentUuid",
    "isSidechain",
    "timestamp",
    "input_tokens",
    "output_tokens",
    "text",
    "is_error",
    "event",
    "delta",
    "result",
    "data",
    "event_type",
    "turn_id",
    "TextChunk",
    "TokenUpdate",
    "Display",
];

const TYPES: [&str; 10] = [
    "user",
    "assistant",
    "system",
    "result",
    "stream_event",
    "control_request",
    "progress",
    "summary",
    "\\u0075ser",
    "novel",
];

/// Generates a message with some fields, most of them of a wrong type.
pub fn message() -> impl Strategy<Value = String> {
    let field = select(FIELDS.to_vec()).prop_map(|key| format!("\"{key}\""));
    let inner = (field.clone(), value());
    let nested = vec(inner.clone(), 0..4).prop_map(|m| object(&m, ""));
    let blocks = vec((text_block(), Just(())), 0..4).prop_map(|blocks| {
        let blocks: Vec<String> = blocks.into_iter().map(|b| b.0).collect();
        format!("{{\"content\":[{}]}}", blocks.join(","))
    });
    let held = prop_oneof![value(), nested, blocks];
    let name = select(TYPES.to_vec()).prop_map(|name| {
        Some(("\"type\"".to_string(), format!("\"{name}\"")))
    });
    let name = prop_oneof![4 => name, 1 => Just(None)];
    let place = any::<prop::sample::Index>();
    (vec((field, held), 0..6), name, place).prop_map(
        |(mut members, name, place)| {
            if let Some(name) = name {
                members.insert(place.index(members.len() + 1), name);
            }
            object(&members, "")
        },
    )
}

fn text_block() -> impl Strategy<Value = String> {
    string().prop_map(|s| format!("{{\"type\":\"text\",\"text\":{s}}}"))
}

/// The bytes that have a meaning in JSON.
const TELLING: &[u8] = b"{}[]:,\"\\ \t\r0123456789-+.eEtrufalsn\0\x01/\x80";

/// Damage to a text: bytes that are changed, inserted, removed, duplicated or
/// truncated.
#[derive(Clone, Debug)]
pub struct Damage(Vec<(u8, usize, usize, u8)>);

impl Damage {
    pub fn to(&self, text: &[u8]) -> Vec<u8> {
        let mut text = text.to_vec();
        for &(way, at, to, byte) in &self.0 {
            let (at, to) = (at % (text.len() + 1), to % (text.len() + 1));
            let end = (at + usize::from(byte) % 20).min(text.len());
            match way {
                0..=2 => text.insert(at, byte),
                3..=5 => text.get_mut(at).into_iter().for_each(|b| *b = byte),
                6 | 7 => drop(text.drain(at..end.min(at + 3))),
                8 => {
                    let copy = text[at..end].to_vec();
                    text.splice(to..to, copy);
                }
                _ => text.truncate(at),
            }
        }
        text.retain(|&byte| byte != b'\n');
        text
    }
}

pub fn damage() -> impl Strategy<Value = Damage> {
    let at = || any::<u16>().prop_map(usize::from);
    let byte = prop_oneof![
        4 => select(TELLING.to_vec()),
        1 => any::<u8>(),
    ];
    vec((0u8..10, at(), at(), byte), 1..4).prop_map(Damage)
}

/// Generates random bytes, many of which have a meaning in JSON.
pub fn noise() -> impl Strategy<Value = Vec<u8>> {
    let few = select(b"{}[]\"\\:,1a \x01".to_vec());
    let byte = prop_oneof![6 => few, 1 => any::<u8>()];
    vec(byte, 0..300).prop_map(|mut bytes| {
        bytes.retain(|&byte| byte != b'\n');
        bytes
    })
}

/// Strings whose first escape is a lone surrogate, and how they are displayed:
/// not at all if they have another fault.
pub const LONE: &[(&str, Option<&str>)] = &[
    (r"\ud800", Some("\u{fffd}")),
    (r"a\ud800b", Some("a\u{fffd}b")),
    (r"é\uDBFF", Some("é\u{fffd}")),
    (r"\udc00", Some("\u{fffd}")),
    (r"\udfffx", Some("\u{fffd}x")),
    (r"\ud800\n", Some("\u{fffd}\n")),
    (r"\ud800\\", Some("\u{fffd}\\")),
    (r"\ud800\u0041", Some("\u{fffd}A")),
    (r"\ud800\udbff", Some("\u{fffd}\u{fffd}")),
    (r"\ud83c\ud83c\udf4e", Some("\u{fffd}🍎")),
    (r"\ud800\ue000", Some("\u{fffd}\u{e000}")),
    (r"\udbff\uffff", Some("\u{fffd}\u{ffff}")),
    (r"\udf4e\ud83c", Some("\u{fffd}\u{fffd}")),
    (r"\uD800\\udc00", Some("\u{fffd}\\udc00")),
    (r"\ud800 \udc00", Some("\u{fffd} \u{fffd}")),
    (r"\ud800\uzzzz", None),
    (r"\ud800\udc0", None),
    (r"\udc00\x", None),
];
