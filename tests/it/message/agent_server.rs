//! The events of an agent server, which are identified by their single key,
//! and its input: how they are built and written.

use linetape::{Decoder, Message, Reader, Writer, owned};
use serde_json::{Value as Json, json};

const LOG: &str = include_str!("../../data/agent_server.jsonl");

/// Servers require this exact form, so it is preserved byte for byte.
#[test]
fn what_is_written_is_what_was_read_byte_for_byte() {
    let mut reader = Reader::new(LOG.as_bytes());
    let mut writer = Writer::new(vec![]);
    while let Some(record) = reader.next_record() {
        writer.write_value(&record.unwrap().into_owned()).unwrap();
    }
    let written = String::from_utf8(writer.into_inner().unwrap()).unwrap();
    for (written, read) in written.lines().zip(LOG.lines()) {
        assert_eq!(written, read);
    }
    assert_eq!(written.lines().count(), LOG.lines().count());
}

/// Reads the line of the fixture with the given number, counted from 1.
fn line(number: usize) -> owned::Message {
    let line = LOG.lines().nth(number - 1).unwrap();
    Decoder::new().decode(line.as_bytes()).unwrap().into_owned()
}

fn hello() -> owned::server::UiMessage {
    owned::server::UiMessage::TextChunk(owned::server::TextChunk {
        text: Some("Hello".to_string()),
        session_id: Some(1),
        turn_id: Some(owned::server::TurnId::new_assistant_turn(1)),
        ..owned::server::TextChunk::default()
    })
}

const TEXT_CHUNK: &str = concat!(
    r#"{"TextChunk":{"text":"Hello","session_id":1,"#,
    r#""turn_id":{"role":"Assistant","sequence":1}}}"#,
);

const INPUT: &str = concat!(
    r#"{"session_id":1,"content":"Hi","#,
    r#""turn_id":{"role":"User","sequence":1}}"#,
);

fn with_metadata() -> owned::server::ControllerInputPayload {
    let entry = |key: &str, value| (key.to_string(), value);
    owned::server::ControllerInputPayload {
        session_id: Some(1),
        content: Some("Hi again".to_string()),
        turn_id: Some(owned::server::TurnId::new_user_turn(2)),
        metadata: Some(
            [
                entry("client_timestamp", json!(1_700_000_000)),
                entry("client_version", json!("0.9.1")),
            ]
            .into(),
        ),
        ..owned::server::ControllerInputPayload::default()
    }
}

#[test]
fn an_event_is_serialised_under_its_name() {
    let event = hello();
    assert_eq!(serde_json::to_string(&event).unwrap(), TEXT_CHUNK);
    let message = owned::Message::Ui(Box::new(event.clone()));
    assert_eq!(serde_json::to_string(&message).unwrap(), TEXT_CHUNK);
    let read: owned::server::UiMessage =
        serde_json::from_str(TEXT_CHUNK).unwrap();
    assert_eq!(read, event);
}

#[test]
fn input_is_built_by_data() {
    let turn = owned::server::TurnId::new_user_turn(1);
    let input = owned::server::ControllerInputPayload::data(1, "Hi", turn);
    assert_eq!(input.metadata, None);
    assert_eq!(serde_json::to_string(&input).unwrap(), INPUT);
    let read: owned::server::ControllerInputPayload =
        serde_json::from_str(INPUT).unwrap();
    assert_eq!(read, input);
    assert_eq!(line(16), input.into());
}

#[test]
fn input_is_built_with_metadata() {
    let input = with_metadata();
    let text = LOG.lines().nth(16).unwrap();
    assert_eq!(serde_json::to_string(&input).unwrap(), text);
    assert_eq!(line(17), input.into());
}

#[test]
fn turns_are_built_for_either_side() {
    let table = [
        (owned::server::TurnId::new_user_turn(1), "User", 1),
        (owned::server::TurnId::new_user_turn(2), "User", 2),
        (owned::server::TurnId::new_assistant_turn(1), "Assistant", 1),
        (
            owned::server::TurnId::new_assistant_turn(u64::MAX),
            "Assistant",
            u64::MAX,
        ),
    ];
    for (turn, role, sequence) in table {
        let written = serde_json::to_string(&turn).unwrap();
        let expected = format!(r#"{{"role":"{role}","sequence":{sequence}}}"#);
        assert_eq!(written, expected);
        let read: owned::server::TurnId =
            serde_json::from_str(&expected).unwrap();
        assert_eq!(read, turn);
    }
}

/// Reads a line that is not in the fixture.
fn on(line: &str, check: impl FnOnce(Message<'_>)) {
    check(Decoder::new().decode(line.as_bytes()).unwrap().message());
}

/// Unknown variants are kept whole.
#[test]
fn what_is_neither_event_nor_input_is_unknown() {
    for line in [
        r#"{"Applause":{"session_id":1}}"#,
        r#"{"TextChunk":"Hello"}"#,
        r#"{"TextChunk":{"text":"a"},"Display":{"content":"b"}}"#,
        r#"{"session_id":1,"content":"Hi"}"#,
        r#"{"session_id":1,"turn_id":{"role":"User","sequence":1}}"#,
        r#"{}"#,
    ] {
        on(line, |message| {
            let Message::Unknown(unknown) = message else {
                panic!("{message:?}");
            };
            assert_eq!(unknown.name(), None);
            assert_eq!(message.kind().to_string(), "none");
            assert_eq!(format!("{unknown:?}"), line);
            let before: Json = serde_json::from_str(line).unwrap();
            let owned = message.into_owned().unwrap();
            assert_eq!(serde_json::to_value(owned).unwrap(), before);
        });
    }
}
