//! Facts of single messages: decoded and peeked, in every dialect.

use linetape::{Message, lines, message::SessionId};
use linetape_session::{Facts, Role, Thread};
use serde_json::{Value, json};

use crate::texts::{self, cases};
use proptest::prelude::*;

/// Calls `look` with the facts of a line, decoded and peeked.
fn look(line: &Value, mut look: impl FnMut(&Facts<'_>)) {
    let text = line.to_string();
    let mut reader = lines(text.as_bytes());
    let peeked = reader.next_line().unwrap().unwrap();
    look(&Facts::of(peeked.peek().unwrap()));
    let mut reader = lines(text.as_bytes());
    let decoded = reader.next_record().unwrap().unwrap();
    look(&Facts::of(decoded.message()));
}

#[test]
fn facts_of_a_transcript_line() {
    let line = json!({
        "type": "assistant", "uuid": "u", "parentUuid": "p",
        "logicalParentUuid": "l", "sessionId": "s", "session_id": "other",
        "isSidechain": true, "agentId": "a", "requestId": "r",
        "timestamp": "1970-01-01T00:00:01Z", "isApiErrorMessage": true,
        "message": {
            "id": "m", "model": "opus", "usage": {"output_tokens": 5},
            "content": [
                {"type": "text", "text": "x"},
                {"type": "tool_use", "id": "t", "name": "Read", "input": {"n": 1}},
                {"type": "server_tool_use", "id": "w", "name": "Search"},
                {"type": "web_search_tool_result", "tool_use_id": "w"},
            ],
        },
    });
    look(&line, |facts| {
        assert_eq!(facts.role(), Role::Assistant);
        assert_eq!(facts.kind().name(), Some("assistant"));
        assert_eq!(facts.session(), Some(SessionId::Str("s")));
        assert_eq!(facts.thread(), Thread::Agent("a"));
        assert_eq!(
            [
                facts.uuid(),
                facts.parent_uuid(),
                facts.logical_parent_uuid(),
                facts.request_id(),
                facts.message_id(),
            ],
            ["u", "p", "l", "r", "m"].map(Some)
        );
        assert_eq!(facts.time(), Some(1000));
        assert!(facts.is_error());
        let usage = facts.usage().unwrap();
        assert_eq!(usage.output_tokens(), Some(5));
        let calls: Vec<_> = facts
            .calls()
            .map(|call| {
                (
                    call.id(),
                    call.name(),
                    call.is_remote(),
                    call.input().is_some(),
                )
            })
            .collect();
        assert_eq!(
            calls,
            [
                (Some("t"), Some("Read"), false, true),
                (Some("w"), Some("Search"), true, false),
            ]
        );
        let answers: Vec<_> =
            facts.answers().map(|a| (a.call, a.is_error)).collect();
        assert_eq!(answers, [(Some("w"), false)]);
        assert!(facts.line_call().is_none());
    });
}

/// Facts read these keys in one pass of their own. They must be those of the
/// table.
#[test]
fn request_and_fork_are_those_of_the_envelope() {
    let values = [json!("a"), json!(""), json!(1), json!({}), Value::Null];
    let keys = ["request_id", "requestId", "forkedFrom"];
    for key in keys {
        for other in keys {
            for value in &values {
                let mut line = json!({"type": "assistant", other: "b"});
                line[key] = value.clone();
                look(&line, |facts| {
                    let envelope = facts.message().envelope();
                    let request = envelope.request_id();
                    assert_eq!(facts.request_id(), request, "{line}");
                    let is_forked = envelope.forked_from().is_some();
                    assert_eq!(facts.is_forked(), is_forked, "{line}");
                });
            }
        }
    }
}

#[test]
fn thread_of_a_message() {
    let thread = |more: Value, expected: Thread<'_>| {
        let mut line = json!({"type": "user", "uuid": "u"});
        line.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        look(&line, |facts| {
            assert_eq!(facts.thread(), expected, "{line}");
            assert_eq!(facts.is_sidechain(), expected != Thread::Main);
        });
    };
    thread(json!({}), Thread::Main);
    thread(json!({"agentId": "a"}), Thread::Main);
    thread(json!({"isSidechain": false, "agentId": "a"}), Thread::Main);
    thread(json!({"isSidechain": true, "agentId": "a"}), Thread::Agent("a"));
    thread(json!({"isSidechain": true}), Thread::Sidechain("u"));
    thread(
        json!({"isSidechain": true, "agentId": "a", "parent_tool_use_id": "t"}),
        Thread::Call("t"),
    );
}

#[test]
fn line_calls_and_event_calls() {
    let line = json!({
        "type": "assistant", "subtype": "tool_use", "uuid": "u",
        "toolName": "Read", "toolArguments": {"n": 1},
    });
    look(&line, |facts| {
        let call = facts.line_call().unwrap();
        assert_eq!((call.id(), call.name()), (Some("u"), Some("Read")));
        assert!(call.input().unwrap().get("n").is_some());
        assert_eq!(facts.calls().count(), 0);
    });
    let line = json!({"ToolExecuting": {
        "session_id": 7, "tool_use_id": "t", "tool_name": "Read", "input": 1,
    }});
    look(&line, |facts| {
        assert_eq!(facts.role(), Role::Other);
        assert_eq!(facts.session_name().as_deref(), Some("7"));
        let call = facts.calls().next().unwrap();
        assert_eq!((call.id(), call.name()), (Some("t"), Some("Read")));
        assert_eq!(call.input().unwrap().as_u64(), Some(1));
    });
    let line = json!({"ToolCompleted": {"tool_use_id": "t", "result": "x"}});
    look(&line, |facts| {
        let answer = facts.answers().next().unwrap();
        assert_eq!((answer.call, answer.is_error), (Some("t"), false));
    });
}

/// Only the nearest record was asked, and not for the directory and the fork.
#[test]
fn nested_messages_have_what_all_records_around_them_say() {
    let line = br#"{"type":"progress","sessionId":"s","cwd":"/w",
        "timestamp":"2026-01-02T03:04:05Z",
        "forkedFrom":{"sessionId":"o","messageUuid":"u"},
        "data":{"type":"agent_progress","agentId":"a","message":{
            "type":"progress","data":{"type":"agent_progress","agentId":"b",
                "message":{"type":"assistant","message":{"id":"m"}}}}}}"#;
    let line: Vec<u8> = line.iter().copied().filter(|b| *b != b'\n').collect();
    let mut reader = lines(&line);
    let line = reader.next_line().unwrap().unwrap();
    let outer = Facts::of(line.peek().unwrap());
    let middle = outer.nested().next().unwrap();
    let inner = middle.nested().next().unwrap();
    for facts in [&outer, &middle, &inner] {
        assert_eq!(facts.session_name().as_deref(), Some("s"));
        assert_eq!(facts.cwd(), Some("/w"));
        assert_eq!(facts.timestamp(), Some("2026-01-02T03:04:05Z"));
        assert!(facts.is_forked());
    }
    assert_eq!(inner.message_id(), Some("m"));
}

proptest! {
    #![proptest_config(cases(256))]

    /// Each fact equals the accessor of the message.
    #[test]
    fn facts_agree_with_the_message(text in texts::message()) {
        let mut reader = lines(text.as_bytes());
        let line = match reader.next_line() {
            Some(Ok(line)) => line,
            _ => return Ok(()),
        };
        let Ok(message) = line.peek() else { return Ok(()) };
        let facts = Facts::of(message);
        let envelope = message.envelope();
        for _ in 0..2 {
            prop_assert_eq!(facts.kind(), message.kind());
            prop_assert_eq!(facts.session(), message.session_id());
            prop_assert_eq!(facts.uuid(), envelope.uuid());
            prop_assert_eq!(facts.parent_uuid(), envelope.parent_uuid());
            prop_assert_eq!(
                facts.logical_parent_uuid(),
                envelope.logical_parent_uuid()
            );
            prop_assert_eq!(facts.timestamp(), envelope.timestamp());
            prop_assert_eq!(facts.request_id(), envelope.request_id());
            prop_assert_eq!(facts.is_sidechain(), message.is_sidechain());
            prop_assert_eq!(facts.is_error(), message.is_error());
            let said = match message {
                Message::Assistant(said) => said.message(),
                Message::User(said) => said.message(),
                _ => None,
            };
            prop_assert_eq!(facts.said().is_some(), said.is_some());
            prop_assert_eq!(
                facts.message_id(),
                said.and_then(|said| said.id())
            );
            prop_assert_eq!(
                facts.usage().is_some(),
                message.usage().is_some()
            );
        }
    }
}
