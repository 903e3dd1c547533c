//! Views, compared with a model: the rules of the schema, implemented on a
//! value of serde_json.

use std::mem;

use linetape::{
    Decoder, Message,
    message::{Content, SessionId},
};
use serde_json::{Value as Json, json};

use crate::support::differences::{is_same_but_minus_zero, json as as_json};

/// Asserts that a message is read as the model reads it.
pub fn message(line: &[u8]) {
    let Ok(expected) = serde_json::from_slice(line) else { return };
    if Decoder::new().decode(line).is_ok() {
        reads_as(line, &expected);
    }
}

/// Compares the decoded and the peeked line with this value.
pub fn reads_as(line: &[u8], expected: &Json) {
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    is(record.message(), expected);
    drop(record);
    is(decoder.line(line).peek().unwrap(), expected);
}

/// Compares every accessor of the outer fields, and many of the inner ones.
/// All others are at least called, by `Debug` and by the walk through all
/// fields.
pub fn is(message: Message<'_>, expected: &Json) {
    let found = as_json(message.value());
    let is_same = is_same_but_minus_zero(&found, expected);
    assert!(is_same, "{found} is not {expected}");
    // From here on, `-0` is the integer 0.
    check_envelope(message, &found);
    check_variant(message, &found);
    check_fields(message, &found);
    let _ = format!("{message:?}");
    message.visit(|visited| {
        std::hint::black_box(visited.reading);
    });
}

/// Returns the value of a field: the first of its keys with a value of the
/// type.
fn pick<'j, T>(
    json: &'j Json,
    keys: &[&str],
    read: impl Fn(&'j Json) -> Option<T>,
) -> Option<T> {
    keys.iter().find_map(|key| json.get(key).and_then(&read))
}

fn text<'j>(json: &'j Json, keys: &[&str]) -> Option<&'j str> {
    pick(json, keys, Json::as_str)
}

/// Returns the outer fields of a message, read from a value of serde_json.
fn check_envelope(message: Message<'_>, json: &Json) {
    let envelope = message.envelope();
    for (found, keys) in [
        (envelope.uuid(), &["uuid"][..]),
        (message.uuid(), &["uuid"]),
        (envelope.session_id(), &["session_id", "sessionId"]),
        (envelope.parent_uuid(), &["parentUuid"]),
        (message.parent_uuid(), &["parentUuid"]),
        (
            message.logical_parent_uuid(),
            &["logical_parent_uuid", "logicalParentUuid"],
        ),
        (envelope.leaf_uuid(), &["leafUuid"]),
        (message.timestamp(), &["timestamp"]),
        (envelope.parent_tool_use_id(), &["parent_tool_use_id"]),
        (envelope.cwd(), &["cwd"]),
        (envelope.version(), &["version"]),
        (envelope.agent_id(), &["agent_id", "agentId"]),
        (envelope.tool_use_id(), &["tool_use_id", "toolUseID"]),
    ] {
        assert_eq!(found, text(json, keys), "{keys:?}");
    }
    let flag = pick(json, &["isSidechain"], Json::as_bool);
    assert_eq!(envelope.is_sidechain(), flag);
    let by_tool = text(json, &["parent_tool_use_id"]).is_some();
    assert_eq!(message.is_sidechain(), flag == Some(true) || by_tool);
    let took = pick(json, &["duration_ms", "durationMs"], Json::as_f64);
    assert_eq!(envelope.duration_ms(), took);
    let uuids = envelope
        .user_message_uuids()
        .map(|list| list.iter().map(str::to_string).collect::<Vec<_>>());
    let expected = pick(json, &["user_message_uuids"], Json::as_array);
    let expected = expected.map(|list| {
        list.iter()
            .filter_map(|item| item.as_str())
            .map(str::to_string)
            .collect()
    });
    assert_eq!(uuids, expected);

    let kind = message.kind();
    if !matches!(message, Message::Ui(_) | Message::Input(_)) {
        assert_eq!(kind.name(), text(json, &["type"]));
        assert_eq!(kind.subtype(), text(json, &["subtype"]));
    }
    let saved = ["parentUuid", "isSidechain"];
    let saved = saved.iter().any(|key| json.get(key).is_some());
    let session = match (message, saved) {
        (Message::Ui(_), _) => {
            let event = json.as_object().unwrap().values().next().unwrap();
            pick(event, &["session_id"], Json::as_i64).map(SessionId::Int)
        }
        (Message::Input(_), _) => {
            pick(json, &["session_id"], Json::as_i64).map(SessionId::Int)
        }
        (_, true) => {
            text(json, &["sessionId", "session_id"]).map(SessionId::Str)
        }
        (_, false) => {
            text(json, &["session_id", "sessionId"]).map(SessionId::Str)
        }
    };
    assert_eq!(message.session_id(), session);
}

/// Asserts that only `type` decides the variant of a message, wherever it is
/// in the object: the variant is the same as for a line without other members.
/// The tests of the fixtures assert the variant of each type.
fn check_variant(message: Message<'_>, json: &Json) {
    let expected = text(json, &["type"]);
    match message {
        Message::Unknown(unknown) => {
            assert_eq!(unknown.name(), expected);
            let is_known = |name| Message::KINDS.contains(&name);
            assert!(!expected.is_some_and(is_known), "{expected:?}");
        }
        Message::Event(_) | Message::Ui(_) | Message::Input(_) => {
            assert_eq!(expected, None);
        }
        typed => {
            let name = expected.expect("a variant for a type");
            assert!(Message::KINDS.contains(&name), "{name}");
            let alone = json!({ "type": name }).to_string();
            let mut decoder = Decoder::new();
            let alone = decoder.decode(alone.as_bytes()).unwrap();
            assert!(is_same_variant(typed, alone.message()), "{typed:?}");
        }
    }
}

fn is_same_variant<'a>(one: Message<'a>, other: Message<'a>) -> bool {
    mem::discriminant(&one) == mem::discriminant(&other)
}

fn check_usage(message: Message<'_>, json: Option<&Json>) {
    let usage = message.usage();
    let json = json.and_then(|json| json.get("usage"));
    let json = json.filter(|usage| usage.is_object());
    assert_eq!(usage.is_some(), json.is_some());
    if let (Some(usage), Some(json)) = (usage, json) {
        let expected = pick(json, &["input_tokens"], Json::as_u64);
        assert_eq!(usage.input_tokens(), expected);
    }
}

fn check_fields(view: Message<'_>, json: &Json) {
    match view {
        Message::Result(result) => {
            assert_eq!(result.result(), text(json, &["result"]));
            assert_eq!(result.error(), text(json, &["error"]));
            let turns = pick(json, &["num_turns"], Json::as_i64);
            assert_eq!(result.num_turns(), turns);
            let cost = pick(json, &["total_cost_usd"], Json::as_f64);
            assert_eq!(result.total_cost_usd(), cost);
            let reason = result.stop_reason().map(|reason| reason.as_str());
            assert_eq!(reason, text(json, &["stop_reason"]));
            let models =
                pick(json, &["modelUsage", "model_usage"], Json::as_object);
            let found = result.model_usage().map(|map| map.object());
            assert_eq!(found.is_some(), models.is_some());
            for (name, value) in models.into_iter().flatten() {
                let found = found.unwrap().get(name).unwrap();
                assert_eq!(&as_json(found), value);
            }
            let output = result.structured_output().map(as_json);
            assert_eq!(output.as_ref(), json.get("structured_output"));
            check_usage(view, Some(json));
        }
        Message::Assistant(assistant) => {
            let message = json.get("message");
            check_content(assistant.message().map(|m| m.content()), message);
            check_usage(view, message.filter(|m| m.is_object()));
            let error = assistant.error().map(|error| error.as_str());
            assert_eq!(error, text(json, &["error"]));
        }
        Message::User(user) => {
            let message = json.get("message");
            check_content(user.message().map(|m| m.content()), message);
            assert_eq!(view.user_uuid(), text(json, &["uuid"]));
        }
        Message::Unknown(unknown) => {
            assert_eq!(unknown.subtype(), text(json, &["subtype"]));
        }
        _ => {}
    }
}

/// A message is a string, or an object whose content is a string, blocks, or
/// any other value but null.
fn check_content(found: Option<Option<Content<'_>>>, message: Option<&Json>) {
    let fits = message.filter(|m| m.is_object() || m.is_string());
    assert_eq!(found.is_some(), fits.is_some());
    let Some(message) = fits else { return };
    let expected = if message.is_string() {
        Some(message)
    } else {
        message.get("content").filter(|content| !content.is_null())
    };
    let found = found.flatten();
    assert_eq!(found.is_some(), expected.is_some(), "{message}");
    let (Some(found), Some(expected)) = (found, expected) else { return };
    assert_eq!(&as_json(found.value()), expected);
}
