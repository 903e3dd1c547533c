//! Owned messages: the way from a view and the way from JSON agree on every
//! line, however odd, and what is written is what was read and set.
#![cfg(feature = "owned")]

use linetape::{
    Decoder, Message, Reader, Record, Writer,
    message::{self, Request},
    owned,
};
use serde_json::{Value as Json, json};

fn owned_of(line: &str) -> owned::Message {
    Decoder::new().decode(line.as_bytes()).unwrap().into_owned()
}

fn written(message: &owned::Message) -> String {
    let mut writer = Writer::new(vec![]);
    writer.write(message).unwrap();
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Repeated keys, second casings, nulls and wrong types, in every order.
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
        // A view and the message that is made of it are of one kind.
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

/// A slot stood beside what had not fitted it, and both were written: the
/// reader then took the old one.
#[test]
fn what_is_set_stands_above_what_did_not_fit() {
    for was in ["null", "7", r#"{"a":1}"#] {
        let line = format!(r#"{{"type":"user","parentUuid":{was}}}"#);
        let mut message = owned_of(&line);
        let owned::Message::User(user) = &mut message else { panic!() };
        assert!(user.extra.contains_key("parentUuid"));
        user.parent_uuid = Some("new".to_string());
        let expected = "{\"type\":\"user\",\"parentUuid\":\"new\"}\n";
        assert_eq!(written(&message), expected);
    }
    // The second casing is another member, and stays.
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
    let owned::System::Init(init) = &mut **system else { panic!() };
    init.extra.insert("type".to_string(), json!("user"));
    init.extra.insert("subtype".to_string(), json!("status"));
    let expected = "{\"type\":\"system\",\"subtype\":\"init\"}\n";
    assert_eq!(written(&message), expected);
}

/// Nested, flattened, and both at once.
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
            owned::Request::SetModel(request) => request.model.clone(),
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
        let message::Response::Error(error) = view.body() else { panic!() };
        assert_eq!(error.error(), Some("e"));
        let owned::Message::ControlResponse(owned) = owned_of(line) else {
            panic!()
        };
        let body = owned.body();
        let owned::Response::Error(error) = &*body else { panic!() };
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
    use owned::ControlResponse;
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

/// Known, unknown and without a type: a message is handed out for each record,
/// and an error for each line that is none.
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
