//! Generators of texts to compare with serde_json: any JSON, damaged JSON, and
//! messages.
#![cfg(feature = "messages")]

use linetape::Message;
use proptest::prelude::*;

use crate::support::texts::{self, string};

/// Generates whitespace. Long whitespace moves the following token to another
/// block.
fn blanks(newlines: bool) -> BoxedStrategy<String> {
    let line_ends = if newlines { "\n \r\n" } else { "\r\t" };
    prop_oneof![
        12 => Just(String::new()),
        2 => Just(" ".to_string()),
        1 => Just("\t \r ".to_string()),
        1 => Just(line_ends.to_string()),
        1 => (0usize..70).prop_map(|count| " ".repeat(count)),
    ]
    .boxed()
}

/// `-0` is generated only where the loss of the sign does not matter.
pub fn number(minus_zero: bool) -> BoxedStrategy<String> {
    texts::number()
        .prop_map(move |number| match number.as_str() {
            "-0" if !minus_zero => "0".to_string(),
            _ => number,
        })
        .boxed()
}

/// The keys of nested objects. They are few, so that some are duplicates.
pub fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(KEYS.to_vec()).prop_map(|key| {
            format!("\"{key}\"")
        }),
        1 => Just("\"\\u0074ype\"".to_string()),
        2 => string(),
    ]
}

const KEYS: [&str; 10] =
    ["type", "subtype", "a", "b", "content", "text", "usage", "id", "", "k~/"];

/// A member of the outermost object other than `type` and `subtype`.
fn free_key() -> impl Strategy<Value = String> {
    key().prop_filter("decides nothing", |key| {
        let key: String = serde_json::from_str(key).unwrap();
        key != "type" && key != "subtype"
    })
}

pub fn value(minus_zero: bool, newlines: bool) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        3 => string(),
        3 => number(minus_zero),
        1 => Just("null".to_string()),
        1 => Just("true".to_string()),
        1 => Just("false".to_string()),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        let items = prop::collection::vec(inner.clone(), 0..6);
        let array = (items, blanks(newlines)).prop_map(|(items, gap)| {
            format!("[{gap}{}{gap}]", items.join(&format!("{gap},")))
        });
        let members = prop::collection::vec((key(), inner), 0..6);
        let object = (members, blanks(newlines))
            .prop_map(|(members, gap)| object(&members, &gap));
        prop_oneof![array, object]
    })
    .boxed()
}

pub fn object(members: &[(String, String)], gap: &str) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{gap}{key}{gap}:{gap}{value}"))
        .collect();
    format!("{{{}{gap}}}", members.join(","))
}

/// Generates an object, often with a duplicate `type` or `subtype`.
pub fn any_object() -> BoxedStrategy<String> {
    let members = prop::collection::vec((key(), value(true, true)), 0..8);
    (members, blanks(true))
        .prop_map(|(members, gap)| {
            format!("{gap}{}{gap}", object(&members, &gap))
        })
        .boxed()
}

/// Generates a valid object on one line.
pub fn good_object(minus_zero: bool) -> BoxedStrategy<String> {
    let member = (free_key(), value(minus_zero, false));
    let members = prop::collection::vec(member, 0..8);
    (members, blanks(false))
        .prop_map(|(members, gap)| object(&members, &gap))
        .boxed()
}

/// Damage to a text: bytes that are changed, inserted, removed or duplicated.
#[derive(Clone, Debug)]
pub enum Damage {
    Set(usize, u8),
    Insert(usize, u8),
    Delete(usize, usize),
    Copy(usize, usize, usize),
    Cut(usize),
}

impl Damage {
    pub fn apply(&self, text: &mut Vec<u8>) {
        let place = |at: usize| at % (text.len() + 1);
        match *self {
            Damage::Set(at, byte) => {
                let at = place(at);
                if let Some(place) = text.get_mut(at) {
                    *place = byte;
                }
            }
            Damage::Insert(at, byte) => text.insert(place(at), byte),
            Damage::Delete(at, count) => {
                let at = place(at);
                let end = (at + count).min(text.len());
                text.drain(at..end);
            }
            Damage::Copy(from, count, to) => {
                let (from, to) = (place(from), place(to));
                let end = (from + count).min(text.len());
                let copy = text[from..end].to_vec();
                text.splice(to..to, copy);
            }
            Damage::Cut(at) => text.truncate(place(at)),
        }
    }
}

/// The bytes that have a meaning in JSON.
const TELLING: &[u8] = b"{}[]:,\"\\ \t\r\n0123456789-+.eEtrufalsn\0/";

pub fn damage() -> impl Strategy<Value = Vec<Damage>> {
    let byte = || {
        prop_oneof![
            3 => prop::sample::select(TELLING.to_vec()),
            1 => any::<u8>(),
        ]
    };
    let at = any::<u16>().prop_map(usize::from);
    let one = prop_oneof![
        (at.clone(), byte()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (at.clone(), byte()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        (at.clone(), 1usize..4).prop_map(|(at, n)| Damage::Delete(at, n)),
        (at.clone(), 1usize..20, at.clone())
            .prop_map(|(from, n, to)| Damage::Copy(from, n, to)),
        at.prop_map(Damage::Cut),
    ];
    prop::collection::vec(one, 1..4)
}

/// Keys of fields of views, in all their casings.
const FIELDS: [&str; 48] = [
    "uuid",
    "session_id",
    "sessionId",
    "parentUuid",
    "logical_parent_uuid",
    "logicalParentUuid",
    "leafUuid",
    "timestamp",
    "isSidechain",
    "parent_tool_use_id",
    "cwd",
    "version",
    "agent_id",
    "agentId",
    "user_message_uuids",
    "tool_use_id",
    "toolUseID",
    "duration_ms",
    "durationMs",
    "message",
    "content",
    "usage",
    "result",
    "is_error",
    "isError",
    "error",
    "errors",
    "num_turns",
    "total_cost_usd",
    "modelUsage",
    "model_usage",
    "permission_denials",
    "structured_output",
    "stop_reason",
    "request",
    "response",
    "request_id",
    "event",
    "event_type",
    "data",
    "turn_id",
    "tools",
    "toolUseResult",
    "summary",
    "input_tokens",
    "role",
    "TextChunk",
    "id",
];

const SUBTYPES: [&str; 14] = [
    "init",
    "success",
    "error",
    "error_max_turns",
    "compact_boundary",
    "api_error",
    "hook_started",
    "task_progress",
    "can_use_tool",
    "initialize",
    "interrupt",
    "status",
    "response",
    "other",
];

const BLOCKS: [&str; 12] = [
    "text",
    "thinking",
    "tool_use",
    "tool_result",
    "image",
    "document",
    "server_tool_use",
    "web_search_tool_result",
    "mcp_tool_result",
    "message_start",
    "content_block_delta",
    "novel",
];

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn one_of(texts: &'static [&'static str]) -> BoxedStrategy<String> {
    prop::sample::select(texts).prop_map(quoted).boxed()
}

/// Generates a value as fields have it: a scalar, a list, or an object with a
/// type.
fn field_value() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        4 => string(),
        3 => number(false),
        1 => Just("null".to_string()),
        1 => Just("true".to_string()),
        1 => Just("false".to_string()),
        1 => one_of(&SUBTYPES),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        let items = prop::collection::vec(inner.clone(), 0..4);
        let array = items.prop_map(|items| format!("[{}]", items.join(",")));
        let name = prop_oneof![one_of(&FIELDS), one_of(&KEYS)];
        let tag = prop_oneof![
            4 => one_of(&BLOCKS).prop_map(|t| vec![(quoted("type"), t)]),
            2 => one_of(&SUBTYPES).prop_map(|t| vec![(quoted("subtype"), t)]),
            3 => Just(vec![]),
        ];
        let members = prop::collection::vec((name, inner), 0..5);
        let object = (tag, members).prop_map(|(mut all, members)| {
            all.extend(members);
            object(&all, "")
        });
        prop_oneof![1 => array, 2 => object]
    })
    .boxed()
}

/// Generates a line like those of agents, with fields of any type in any
/// order, some of them duplicates.
pub fn message() -> BoxedStrategy<String> {
    let name = prop_oneof![4 => one_of(&FIELDS), 1 => free_key()];
    let members = prop::collection::vec((name, field_value()), 0..10);
    let member = |key: &'static str, value: BoxedStrategy<String>| {
        prop::option::weighted(
            0.8,
            value.prop_map(move |value| (quoted(key), value)),
        )
    };
    let types = prop_oneof![
        8 => one_of(Message::KINDS),
        1 => one_of(&["thread.started", ""]),
        1 => field_value(),
    ]
    .boxed();
    let subtypes =
        prop_oneof![9 => one_of(&SUBTYPES), 1 => field_value()].boxed();
    let deciding = (member("type", types), member("subtype", subtypes));
    (deciding, members, any::<(u8, u8)>())
        .prop_map(|((types, subtypes), mut members, places)| {
            for (member, place) in [(types, places.0), (subtypes, places.1)] {
                if let Some(member) = member {
                    let at = place as usize % (members.len() + 1);
                    members.insert(at, member);
                }
            }
            object(&members, "")
        })
        .boxed()
}
