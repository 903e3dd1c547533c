//! Owned messages: conversion from a view and deserialisation agree on every
//! line, however unusual, and written messages contain the values that were
//! read and set.
#![cfg(feature = "messages")]

use std::{fs, path::Path};

use linetape::{
    Decoder, Message, Reader, Record, Writer,
    message::{self, control::Request},
    owned,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn owned_of(line: &str) -> owned::Message {
    Decoder::new().decode(line.as_bytes()).unwrap().into_owned()
}

fn written(message: &owned::Message) -> String {
    let mut writer = Writer::new(vec![]);
    writer.write_value(message).unwrap();
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Duplicate keys, second casings, nulls and wrong types, in every order.
const ODD: &[&str] = &[
    r#"{"type":"user","uuid":null,"uuid":"x"}"#,
    r#"{"type":"user","uuid":"x","uuid":null}"#,
    r#"{"type":"user","uuid":"x","uuid":"y","uuid":"z"}"#,
    r#"{"type":"user","session_id":"a","sessionId":"b"}"#,
    r#"{"type":"user","sessionId":"b","session_id":"a"}"#,
    r#"{"type":"user","session_id":null,"sessionId":"b"}"#,
    r#"{"type":"user","sessionId":"b","session_id":7}"#,
    r#"{"type":"user","sessionId":"b","sessionId":7}"#,
    r#"{"type":"user","session_id":"a","sessionId":"b","session_id":1}"#,
    r#"{"type":"user","sessionId":1,"session_id":2,"sessionId":"b"}"#,
    r#"{"type":"user","q":1,"q":2,"q":null}"#,
    r#"{"type":"user","message":"text"}"#,
    r#"{"type":"user","message":{"content":null}}"#,
    r#"{"type":"user","message":{"content":["x",{"type":"text"}]}}"#,
    r#"{"type":"user","message":{"content":{"any":"thing"}}}"#,
    r#"{"type":"user","message":{"content":[{"type":"text","type":"image"}]}}"#,
    r#"{"type":"result","modelUsage":{"a":5,"a":{"costUSD":1}}}"#,
    r#"{"type":"result","modelUsage":{"a":{"costUSD":1},"a":5}}"#,
    r#"{"type":"result","total_cost_usd":0,"duration_ms":0.0}"#,
    r#"{"type":"result","total_cost_usd":18446744073709551616}"#,
    r#"{"type":"system","subtype":null}"#,
    r#"{"type":"system","subtype":7,"tools":["a",{"name":"b"},3]}"#,
    r#"{"type":"system","subtype":"init","tools":["a",{"name":"b"}]}"#,
    r#"{"type":7,"TextChunk":{}}"#,
    r#"{"TextChunk":{"text":"a"},"TextChunk":{"text":"b"}}"#,
    r#"{"TextChunk":{"text":"a"},"TextChunk":7}"#,
    r#"{"TextChunk":7}"#,
    r#"{"TextChunk":{},"other":1}"#,
    r#"{"event_type":"x","data":null}"#,
    r#"{"session_id":1,"content":"x","turn_id":null,"extra":1}"#,
    r#"{}"#,
];

#[test]
fn both_ways_agree_on_odd_lines_and_nothing_is_lost() {
    for line in ODD {
        let from_view = owned_of(line);
        let from_json: owned::Message = serde_json::from_str(line).unwrap();
        assert_eq!(from_view, from_json, "{line}");
        let json: Json = serde_json::from_str(line).unwrap();
        let again: Json = serde_json::from_str(&written(&from_view)).unwrap();
        assert_eq!(again, json, "{line}");
        // A view and its owned message have the same kind.
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let ui = matches!(record.message(), Message::Ui(_));
        assert_eq!(matches!(from_view, owned::Message::Ui(_)), ui, "{line}");
    }
}

#[test]
fn the_first_key_that_fits_has_the_slot_and_the_other_stays() {
    for line in ODD.iter().filter(|line| line.contains("sessionId")) {
        let owned::Message::User(user) = owned_of(line) else { panic!() };
        let json: Json = serde_json::from_str(line).unwrap();
        let keys = ["session_id", "sessionId"];
        let slot = keys.iter().find_map(|key| json[key].as_str());
        assert_eq!(user.session_id.as_deref(), slot, "{line}");
        let in_extra =
            keys.iter().filter(|key| user.extra.contains_key(**key));
        let there = json.as_object().unwrap().len() - 1;
        assert_eq!(in_extra.count(), there - usize::from(slot.is_some()));
    }
}

/// A field was set, while `extra` still had a value that did not fit it. Both
/// were written, and a reader then used the old one.
#[test]
fn a_field_that_is_set_replaces_its_value_in_extra() {
    for was in ["null", "7", r#"{"a":1}"#] {
        let line = format!(r#"{{"type":"user","parentUuid":{was}}}"#);
        let mut message = owned_of(&line);
        let owned::Message::User(user) = &mut message else { panic!() };
        assert!(user.extra.contains_key("parentUuid"));
        user.parent_uuid = Some("new".to_string());
        let expected = "{\"type\":\"user\",\"parentUuid\":\"new\"}\n";
        assert_eq!(written(&message), expected);
    }
    // The second casing is another member, and is kept.
    let mut message =
        owned_of(r#"{"type":"user","session_id":1,"sessionId":2}"#);
    let owned::Message::User(user) = &mut message else { panic!() };
    user.session_id = Some("s".to_string());
    let again: Json = serde_json::from_str(&written(&message)).unwrap();
    let expected = json!({"type": "user", "session_id": "s", "sessionId": 2});
    assert_eq!(again, expected);
}

#[test]
fn the_type_is_written_once() {
    let mut message = owned_of(r#"{"type":"system","subtype":"init"}"#);
    let owned::Message::System(system) = &mut message else { panic!() };
    let owned::system::System::Init(init) = &mut **system else { panic!() };
    init.extra.insert("type".to_string(), json!("user"));
    init.extra.insert("subtype".to_string(), json!("status"));
    let expected = "{\"type\":\"system\",\"subtype\":\"init\"}\n";
    assert_eq!(written(&message), expected);
}

/// Nested, flat, and both at once.
#[test]
fn views_and_owned_find_the_same_body_of_a_control_message() {
    let cases = [
        (r#""request":{"subtype":"set_model","model":"m"}"#, "m"),
        (r#""subtype":"set_model","model":"m""#, "m"),
        (r#""subtype":"set_model","model":"m","request":{"x":1}"#, "m"),
        (
            r#""subtype":"x","request":{"subtype":"set_model","model":"m"}"#,
            "m",
        ),
        (r#""request":{"model":"m"}"#, ""),
        (r#""request":7,"subtype":"set_model","model":"m""#, "m"),
    ];
    for (members, model) in cases {
        let line = format!(r#"{{"type":"control_request",{members}}}"#);
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let Message::ControlRequest(view) = record.message() else { panic!() };
        let seen = match view.body() {
            Request::SetModel(request) => request.model().unwrap(),
            _ => "",
        };
        assert_eq!(seen, model, "{line}");
        let owned::Message::ControlRequest(owned) = owned_of(&line) else {
            panic!()
        };
        let kept = match &*owned.body() {
            owned::control::Request::SetModel(request) => {
                request.model.clone()
            }
            _ => None,
        };
        assert_eq!(kept.unwrap_or_default(), model, "{line}");
    }
    for line in [
        r#"{"type":"control_response","response":{"subtype":"error","error":"e","request_id":"r"}}"#,
        r#"{"type":"control_response","subtype":"error","error":"e","request_id":"r"}"#,
    ] {
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let Message::ControlResponse(view) = record.message() else {
            panic!()
        };
        assert_eq!(view.answers(), Some("r"));
        let message::control::Response::Error(error) = view.body() else {
            panic!()
        };
        assert_eq!(error.error(), Some("e"));
        let owned::Message::ControlResponse(owned) = owned_of(line) else {
            panic!()
        };
        let body = owned.body();
        let owned::control::Response::Error(error) = &*body else { panic!() };
        assert_eq!(error.error.as_deref(), Some("e"));
    }
}

#[test]
fn a_result_that_says_nothing_of_an_error_is_none() {
    for (said, is_error) in [
        ("", false),
        (r#","is_error":false"#, false),
        (r#","is_error":null"#, false),
        (r#","is_error":true"#, true),
    ] {
        let json = format!(r#"{{"type":"tool_result"{said}}}"#);
        let block: owned::Block = serde_json::from_str(&json).unwrap();
        let owned::Block::ToolResult(result) = block else { panic!() };
        assert_eq!(result.is_error(), is_error, "{json}");
    }
}

#[test]
fn answers_to_an_agent_have_the_form_of_the_wire() {
    use owned::control::ControlResponse;
    let answer = |response: ControlResponse| -> Json {
        serde_json::to_value(owned::Message::from(response)).unwrap()
    };
    let expected = |response: Json| json!({ "type": "control_response", "response": response });
    assert_eq!(
        answer(ControlResponse::allow("r", json!({ "a": 1 }))),
        expected(json!({
            "subtype": "success",
            "request_id": "r",
            "response": { "behavior": "allow", "updatedInput": { "a": 1 } },
        }))
    );
    assert_eq!(
        answer(ControlResponse::deny("r", "no")),
        expected(json!({
            "subtype": "success",
            "request_id": "r",
            "response": { "behavior": "deny", "message": "no" },
        }))
    );
    assert_eq!(
        answer(ControlResponse::error("r", "why")),
        expected(json!({
            "subtype": "error",
            "request_id": "r",
            "error": "why",
        }))
    );
}

/// With known types, unknown types and no type: each record gives a message,
/// and each bad line an error.
#[test]
fn an_iterator_of_messages_passes_nothing_over() {
    let log = [
        r#"{"type":"user","uuid":"u1"}"#,
        r#"{"type":"novel","a":1}"#,
        "noise",
        r#"{"n":[1,2]}"#,
        r#"{"Complete":{"session_id":7}}"#,
    ];
    let log = log.join("\n");
    let mut reader = Reader::new(log.as_bytes());
    let mut expected = vec![];
    while let Some(record) = reader.next_record() {
        let message = record.map(Record::into_owned);
        expected.push(message.map_err(|error| error.to_string()));
    }
    assert_eq!(expected.len(), 5);
    let messages = Reader::new(log.as_bytes()).into_messages();
    let found: Vec<_> =
        messages.map(|m| m.map_err(|error| error.to_string())).collect();
    assert_eq!(found, expected);
}

/// The common accessors return the same for an owned message and for its view.
fn check_answers(line: &[u8]) {
    let shown = String::from_utf8_lossy(line);
    let mut decoder = Decoder::new();
    let Ok(record) = decoder.decode(line) else { return };
    let view = record.message();
    let owned = view.into_owned().unwrap();
    assert_eq!(owned.kind(), view.kind(), "{shown}");
    assert_eq!(owned.uuid(), view.uuid(), "{shown}");
    assert_eq!(owned.session_id(), view.session_id(), "{shown}");
    assert_eq!(owned.timestamp(), view.timestamp(), "{shown}");
    assert!(owned.text().eq(view.text()), "{shown}");
    assert_eq!(owned.text().to_string(), view.text().to_string());
    let usage = view.usage().map(|u| owned::Usage::try_from(u).unwrap());
    assert_eq!(owned.usage().as_deref(), usage.as_ref(), "{shown}");
    let blocks: Vec<owned::Block> = view
        .content_blocks()
        .map(|block| owned::Block::try_from(block).unwrap())
        .collect();
    let found: Vec<_> =
        owned.content_blocks().map(|block| block.into_owned()).collect();
    assert_eq!(found, blocks, "{shown}");
}

#[test]
fn owned_messages_answer_as_their_views() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut count = 0;
    for file in fs::read_dir(data).unwrap() {
        let Ok(log) = fs::read(file.unwrap().path()) else { continue };
        for line in log.split(|byte| *byte == b'\n') {
            check_answers(line);
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
    ODD.iter().for_each(|line| check_answers(line.as_bytes()));
}

/// Members whose keys several messages have, with values of all types.
const MEMBERS: &[&str] = &[
    r#""session_id":"a""#,
    r#""session_id":7"#,
    r#""session_id":null"#,
    r#""sessionId":"b""#,
    r#""sessionId":"c""#,
    r#""sessionId":false"#,
    r#""parentUuid":null"#,
    r#""isSidechain":false"#,
    r#""uuid":"u""#,
    r#""uuid":1"#,
    r#""timestamp":"2026-01-01T00:00:00Z""#,
    r#""timestamp":{}"#,
    r#""message":"text""#,
    r#""message":{"content":"text"}"#,
    r#""message":{"content":[{"type":"text","text":"a"},{"type":"image"}]}"#,
    r#""message":{"content":[{"type":"text","text":"a"},7,"b"]}"#,
    r#""message":{"content":[{"text":"a"},{"type":"text","text":7}]}"#,
    r#""message":{"content":{"type":"text","text":"a"}}"#,
    r#""message":{"content":null,"usage":{"input_tokens":1}}"#,
    r#""message":{"usage":{"input_tokens":1,"output_tokens":"x"}}"#,
    r#""message":[{"type":"text","text":"a"}]"#,
    r#""usage":{"output_tokens":2}"#,
    r#""usage":null"#,
    r#""event":{"type":"message_start","message":{"usage":{"speed":"x"}}}"#,
    r#""event":{"type":"message_start","message":"text"}"#,
    r#""event":{"type":"message_delta","usage":{"output_tokens":9}}"#,
    r#""toolUseResult":{"a":[1]}"#,
    r#""tool_use_result":"x""#,
    r#""imagePasteIds":[1,2]"#,
    r#""imagePasteIds":[1,"x"]"#,
    r#""image_paste_ids":[3]"#,
    r#""image_paste_ids":[3,null]"#,
    r#""mcpMeta":{"structuredContent":1,"structured_content":2}"#,
    r#""mcp_meta":{"x":1}"#,
    r#""mcp_meta":7"#,
    r#""event_type":"x""#,
    r#""data":1"#,
    r#""content":"x""#,
    r#""turn_id":{"role":"User"}"#,
    r#""TextChunk":{"text":"t","session_id":4}"#,
    r#""TokenUpdate":{"input_tokens":4,"session_id":"x"}"#,
];

const KINDS: &[&str] = &[
    "",
    r#""type":"user""#,
    r#""type":"assistant""#,
    r#""type":"result","subtype":"success""#,
    r#""type":"system","subtype":"init""#,
    r#""type":"system","subtype":"new""#,
    r#""type":"system","subtype":7"#,
    r#""type":"compact_system""#,
    r#""type":"stream_event""#,
    r#""type":"new","subtype":"x""#,
    r#""type":7"#,
];

proptest! {
    /// Including duplicate keys: serde_json uses the last one, and so must
    /// every field, in any order of its keys.
    #[test]
    fn random_members_are_owned_without_loss(
        kind in proptest::sample::select(KINDS),
        members in proptest::collection::vec(
            proptest::sample::select(MEMBERS), 0..9
        ),
    ) {
        let members: Vec<&str> =
            [kind].into_iter().chain(members).filter(|m| !m.is_empty()).collect();
        let line = format!("{{{}}}", members.join(","));
        let from_view = owned_of(&line);
        let from_json: owned::Message = serde_json::from_str(&line).unwrap();
        prop_assert_eq!(&from_view, &from_json, "{}", line);
        let json: Json = serde_json::from_str(&line).unwrap();
        let again: Json = serde_json::from_str(&written(&from_view)).unwrap();
        prop_assert_eq!(again, json, "{}", line);
        check_answers(line.as_bytes());
    }
}

/// A row for each row of the table in the documentation of `owned`.
#[test]
fn what_is_kept_is_what_the_table_says() {
    let kept = [
        r#"{"type":"user","new":[{}]}"#,
        r#"{"type":"user","uuid":null}"#,
        r#"{"type":"user","uuid":7}"#,
        r#"{"type":"user","session_id":"a"}"#,
        r#"{"type":"user","sessionId":"a"}"#,
        r#"{"type":"user","session_id":"a","sessionId":"b"}"#,
        r#"{"type":"result","total_cost_usd":0}"#,
        r#"{"type":"result","total_cost_usd":0.0}"#,
        r#"{"type":"user","new":[3,1,2]}"#,
        r#"{"type":"assistant","supersedes":["b","a"]}"#,
    ];
    for line in kept {
        assert_eq!(written(&owned_of(line)), format!("{line}\n"));
    }
    let changed = [
        (
            r#"{"new":1,"uuid":"u","a":2,"type":"user"}"#,
            r#"{"type":"user","uuid":"u","a":2,"new":1}"#,
        ),
        (
            r#"{"type":"user","uuid":"a","new":1,"uuid":"b","new":2}"#,
            r#"{"type":"user","uuid":"b","new":2}"#,
        ),
        (
            r#"{"type":"user","new":18446744073709551616}"#,
            r#"{"type":"user","new":1.8446744073709552e+19}"#,
        ),
        (r#"{"type":"user","new":-0}"#, r#"{"type":"user","new":0}"#),
        (r#"{"type":"user","new":1e2}"#, r#"{"type":"user","new":100.0}"#),
        (r#"{"type":"user","new":"\u0041"}"#, r#"{"type":"user","new":"A"}"#),
        (
            " { \"type\" : \"user\" , \"new\" : [ ] } ",
            r#"{"type":"user","new":[]}"#,
        ),
    ];
    for (line, expected) in changed {
        assert_eq!(written(&owned_of(line)), format!("{expected}\n"));
    }
}

/// A string is read as a text block, and was lost in the owned message.
#[test]
fn a_block_that_is_a_bare_string_is_owned_as_text() {
    let mut decoder = Decoder::new();
    let line = br#"{"type":"user","message":"Hi"}"#;
    let record = decoder.decode(line).unwrap();
    let block = record.message().content_blocks().next().unwrap();
    let owned::Block::Text(text) = owned::Block::try_from(block).unwrap()
    else {
        panic!("not text")
    };
    assert_eq!(text.text.as_deref(), Some("Hi"));
}

#[test]
fn owned_enums_are_strings() {
    use owned::StopReason::{self, EndTurn, Other};
    for (text, reason) in
        [("end_turn", EndTurn), ("new", Other("new".to_string()))]
    {
        assert_eq!(StopReason::from(text), reason);
        assert_eq!(StopReason::from(text.to_string()), reason);
        assert_eq!(text.parse(), Ok(reason.clone()));
        assert_eq!(reason.to_string(), text);
        assert_eq!(AsRef::<str>::as_ref(&reason), text);
        assert_eq!(StopReason::from(message::StopReason::from(text)), reason);
    }
}
