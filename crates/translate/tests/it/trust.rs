//! A peeked line is checked before it is translated.

use linetape::{Error, Line, lines};
use linetape_translate::{FromUi, ToUi, Wrapper};

/// Lines that can be peeked and are invalid. A peeked list in them ends before
/// the second comma.
const BAD: [&str; 3] = [
    r#"{"type":"assistant","session_id":"s2","message":{"content":[{"type":"text","text":"a"},,{"type":"text","text":"b"}]}}"#,
    r#"{"type":"user","session_id":"s2","message":{"content":[{"type":"text","text":"a"},,{"type":"text","text":"b"}]}}"#,
    r#"{"ToolExecuting":{"tool_use_id":"t","session_id":2,"input":{"content":[{"type":"text","text":"a"},,{"type":"text","text":"b"}]}}}"#,
];

/// Runs `translate` over a valid and an invalid line. Asserts that it returns
/// the error of decoding.
fn assert_refused(translate: &mut dyn FnMut(&Line<'_>) -> Result<(), Error>) {
    for bad in BAD {
        let log = format!("{{\"type\":\"x\"}}\n{bad}\n");
        let mut decoded = lines(log.as_bytes());
        decoded.next_line().unwrap().unwrap();
        let expected =
            decoded.next_line().unwrap().unwrap().decode().unwrap_err();
        let comma = log.find(",,").unwrap() + 1;
        assert_eq!(expected.position().byte(), comma as u64, "{bad}");

        let mut peeked = lines(log.as_bytes());
        translate(&peeked.next_line().unwrap().unwrap()).unwrap();
        let line = peeked.next_line().unwrap().unwrap();
        let error = translate(&line).unwrap_err();
        assert_eq!(error.kind(), expected.kind(), "{bad}");
        assert_eq!(error.position(), expected.position(), "{bad}");
        assert_eq!(error.to_string(), expected.to_string(), "{bad}");
    }
}

#[test]
fn an_invalid_line_has_no_frames() {
    let mut wrapper = Wrapper::new();
    assert_refused(&mut |line| {
        wrapper.translate(line.peek()?).map(|frames| {
            assert!(frames.is_empty());
        })
    });
    // The session of an invalid line is not stored.
    let log = r#"{"type":"assistant","message":{"content":"Hello"}}"#;
    let mut peeked = lines(log.as_bytes());
    let line = peeked.next_line().unwrap().unwrap();
    let frames = wrapper.translate(line.peek().unwrap()).unwrap();
    let written = serde_json::to_string(&frames).unwrap();
    let expected = r#"[{"type":"claude_response","content":"Hello"}]"#;
    assert_eq!(written, expected);
}

#[test]
fn an_invalid_line_has_no_events() {
    let mut to_ui = ToUi::new();
    assert_refused(&mut |line| {
        to_ui.translate(line.peek()?).map(|events| {
            assert!(events.is_empty());
        })
    });
    assert_eq!(to_ui.sessions().find("s2"), None);
}

#[test]
fn an_invalid_line_has_no_messages() {
    let mut from_ui = FromUi::new();
    assert_refused(&mut |line| {
        from_ui.translate(line.peek()?).map(|messages| {
            assert!(messages.is_empty());
        })
    });
    assert!(from_ui.finish().is_empty());
}

/// Numbers keep their type, and the last of duplicate keys is used.
#[test]
fn tool_inputs_are_copied_exactly() {
    let input = r#"{"a":[1,-2,0.5,3.0,1e300,18446744073709551615,-9223372036854775808,true,false,null,"\u00e9\n",[],{}],"b":{"c":{"d":""}},"e":1,"e":2}"#;
    let expected: serde_json::Value = serde_json::from_str(input).unwrap();
    let log = format!(
        r#"{{"ToolExecuting":{{"tool_use_id":"t","session_id":1,"input":{input}}}}}"#
    );
    let mut peeked = lines(log.as_bytes());
    let line = peeked.next_line().unwrap().unwrap();
    let mut from_ui = FromUi::new();
    let messages = from_ui.translate(line.peek().unwrap()).unwrap();
    let written = serde_json::to_value(&messages).unwrap();
    let found = &written[0]["message"]["content"][0]["input"];
    assert_eq!(found.to_string(), expected.to_string());
}

#[test]
fn finish_forgets_the_last_session() {
    let named = r#"{"type":"assistant","session_id":"s1","message":{"content":"Hello"}}"#;
    let nameless = r#"{"type":"assistant","message":{"content":"Hello"}}"#;
    let log = format!("{named}\n{nameless}\n{nameless}\n");
    let (mut wrapper, mut to_ui) = (Wrapper::new(), ToUi::new());
    let (mut conversations, mut sessions) = (vec![], vec![]);
    let mut read = lines(log.as_bytes());
    while let Some(line) = read.next_line() {
        let message = line.unwrap().peek().unwrap();
        let frames = wrapper.translate(message).unwrap();
        let frames = serde_json::to_value(frames).unwrap();
        conversations.push(frames[0]["conversationId"].clone());
        let events = to_ui.translate(message).unwrap();
        let events = serde_json::to_value(events).unwrap();
        sessions.push(events[0]["TextChunk"]["session_id"].clone());
        if conversations.len() == 2 {
            wrapper.finish();
            to_ui.finish();
        }
    }
    assert_eq!(
        conversations,
        ["s1".into(), "s1".into(), serde_json::Value::Null]
    );
    assert_eq!(sessions, [1, 1, 0]);
}
