//! Events of an agent server, which are identified by their single key, and
//! its input.
#![cfg(feature = "owned")]

use linetape::{
    Decoder, Message, Reader, Writer,
    message::{
        SessionId,
        server::{
            PermissionLevel, PermissionRequest, Question, Role,
            ServerStopReason, TargetType, TurnId, UiEvent, UiMessage,
        },
    },
    owned,
};
use serde_json::{Value as Json, json};

use super::fixture::{self, Common, check_common, of_kind, on_line, reads};

const LOG: &str = include_str!("../../data/agent_server.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

fn turn(turn: Option<TurnId<'_>>) -> (Option<Role<'_>>, Option<u64>) {
    let turn = turn.unwrap();
    (turn.role(), turn.sequence())
}

/// All fields of a question.
type Asked<'a> =
    (&'a str, &'a str, &'a str, Option<Vec<&'a str>>, Option<bool>);

fn asked(question: Question<'_>) -> Asked<'_> {
    (
        question.id().unwrap(),
        question.text().unwrap(),
        question.question_type().unwrap(),
        question.options().map(|options| options.iter().collect()),
        question.required(),
    )
}

/// All fields of a permission request.
type Wanted<'a> = (
    Option<TargetType<'a>>,
    Option<&'a str>,
    Option<PermissionLevel<'a>>,
    Option<&'a str>,
    Option<&'a str>,
    Option<bool>,
);

fn wanted(request: PermissionRequest<'_>) -> Wanted<'_> {
    (
        request.target_type(),
        request.target(),
        request.level(),
        request.description(),
        request.reason(),
        request.recursive(),
    )
}

/// Returns the event, if it is of the given kind.
macro_rules! event {
    ($ui:expr, $variant:ident) => {{
        let ui: UiMessage<'_> = $ui;
        let UiEvent::$variant(event) = ui.event() else { panic!("{ui:?}") };
        assert_eq!(ui.name(), stringify!($variant));
        event
    }};
}

reads! {
    text_chunk, [1], Message::Ui(ui) => {
        event!(ui, TextChunk).text() => Some("Good da");
        event!(ui, TextChunk).session_id() => Some(1);
        turn(event!(ui, TextChunk).turn_id()) =>
            (Some(Role::Assistant), Some(4));
    }

    tool_executing, [2], Message::Ui(ui) => {
        event!(ui, ToolExecuting).tool_use_id() => Some("call-1");
        event!(ui, ToolExecuting).tool_name() => Some("read_file");
        serde_json::to_value(event!(ui, ToolExecuting).input()).unwrap() =>
            json!({ "path": "a.txt" });
        event!(ui, ToolExecuting).session_id() => Some(2);
    }

    tool_completed, [3], Message::Ui(ui) => {
        event!(ui, ToolCompleted).tool_use_id() => Some("call-1");
        event!(ui, ToolCompleted).result() => Some("two lines");
        event!(ui, ToolCompleted).session_id() => Some(2);
    }

    complete, [4], Message::Ui(ui) => {
        event!(ui, Complete).session_id() => Some(1);
        turn(event!(ui, Complete).turn_id()) =>
            (Some(Role::Assistant), Some(4));
        event!(ui, Complete).stop_reason() => Some(ServerStopReason::EndTurn);
    }

    permission_required, [5], Message::Ui(ui) => {
        event!(ui, PermissionRequired).tool_use_id() => Some("call-2");
        wanted(event!(ui, PermissionRequired).request().unwrap()) => (
            Some(TargetType::Path),
            Some("/srv"),
            Some(PermissionLevel::Write),
            Some("Write below /srv"),
            Some("The report goes there"),
            Some(true),
        );
        event!(ui, PermissionRequired).session_id() => Some(3);
    }

    batch_permission_required, [6], Message::Ui(ui) => {
        event!(ui, BatchPermissionRequired).batch_id() => Some("batch-1");
        event!(ui, BatchPermissionRequired).requests().unwrap().iter()
            .map(wanted).collect::<Vec<_>>() => [
                (
                    Some(TargetType::Domain),
                    Some("example.org"),
                    Some(PermissionLevel::Read),
                    Some("Fetch a page"),
                    None,
                    Some(false),
                ),
                (
                    Some(TargetType::Command),
                    Some("make"),
                    Some(PermissionLevel::Execute),
                    Some("Build"),
                    None,
                    Some(false),
                ),
            ];
        event!(ui, BatchPermissionRequired).session_id() => Some(3);
    }

    user_interaction_required, [7], Message::Ui(ui) => {
        event!(ui, UserInteractionRequired).tool_use_id() => Some("call-3");
        event!(ui, UserInteractionRequired).request().unwrap().questions()
            .unwrap().iter().map(asked).collect::<Vec<_>>() => [
                (
                    "q1",
                    "Which colour?",
                    "SingleChoice",
                    Some(vec!["red", "blue"]),
                    Some(true),
                ),
                ("q2", "Anything else?", "FreeText", None, Some(false)),
            ];
        event!(ui, UserInteractionRequired).session_id() => Some(4);
    }

    token_update, [8], Message::Ui(ui) => {
        event!(ui, TokenUpdate).input_tokens() => Some(1024);
        event!(ui, TokenUpdate).output_tokens() => Some(77);
        event!(ui, TokenUpdate).session_id() => Some(1);
    }

    error, [9], Message::Ui(ui) => {
        event!(ui, Error).message() => Some("the model is away");
        event!(ui, Error).session_id() => Some(5);
    }

    error_of_the_whole_agent, [10], Message::Ui(ui) => {
        event!(ui, Error).message() => Some("the house is on fire");
        event!(ui, Error).session_id() => None;
    }

    error_whose_session_is_null, [11], Message::Ui(ui) => {
        event!(ui, Error).message() => Some("no session at all");
        event!(ui, Error).session_id() => None;
    }

    system, [12], Message::Ui(ui) => {
        event!(ui, System).message() => Some("warming up");
        event!(ui, System).session_id() => Some(6);
    }

    system_without_session, [13], Message::Ui(ui) => {
        event!(ui, System).message() => Some("cooling down");
        event!(ui, System).session_id() => None;
    }

    display, [14], Message::Ui(ui) => {
        event!(ui, Display).content() => Some("Three commands");
        event!(ui, Display).session_id() => Some(-7);
    }

    command_complete, [15], Message::Ui(ui) => {
        event!(ui, CommandComplete).command() => Some("/help");
        event!(ui, CommandComplete).session_id() => Some(8);
    }

    input, [16], Message::Input(input) => {
        input.session_id() => Some(1);
        input.content() => Some("Hi");
        turn(input.turn_id()) => (Some(Role::User), Some(1));
        input.metadata().is_none() => true;
    }

    input_with_metadata, [17], Message::Input(input) => {
        input.session_id() => Some(1);
        input.content() => Some("Hi again");
        turn(input.turn_id()) => (Some(Role::User), Some(2));
        input.metadata().unwrap().iter().count() => 2;
        input.metadata().unwrap().get("client_timestamp")
            .and_then(|time| time.as_i64()) => Some(1_700_000_000);
        input.metadata().unwrap().get("client_version")
            .and_then(|version| version.as_str()) => Some("0.9.1");
    }

    input_whose_metadata_is_null, [18], Message::Input(input) => {
        input.session_id() => Some(9);
        input.content() => Some("");
        turn(input.turn_id()) => (Some(Role::User), Some(3));
        input.metadata().is_none() => true;
    }
}

#[test]
fn common_accessors() {
    let of = |kind, session| Common {
        session_id: Some(SessionId::Int(session)),
        ..of_kind(kind)
    };
    let error =
        |text| Common { is_error: true, text: vec![text], ..of_kind("Error") };
    check_common(
        LOG,
        &[
            Common { text: vec!["Good da"], ..of("TextChunk", 1) },
            of("ToolExecuting", 2),
            of("ToolCompleted", 2),
            // It ends a turn, not the session.
            Common { is_final: false, ..of("Complete", 1) },
            of("PermissionRequired", 3),
            of("BatchPermissionRequired", 3),
            of("UserInteractionRequired", 4),
            Common { usage: Some((1024, 77)), ..of("TokenUpdate", 1) },
            Common {
                session_id: Some(SessionId::Int(5)),
                ..error("the model is away")
            },
            error("the house is on fire"),
            error("no session at all"),
            Common { text: vec!["warming up"], ..of("System", 6) },
            Common { text: vec!["cooling down"], ..of_kind("System") },
            Common { text: vec!["Three commands"], ..of("Display", -7) },
            of("CommandComplete", 8),
            of("input", 1),
            of("input", 1),
            of("input", 9),
        ],
    );
}

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
    on_line(LOG, 16, |message| {
        assert_eq!(message.into_owned().unwrap(), input.into())
    });
}

#[test]
fn input_is_built_with_metadata() {
    let input = with_metadata();
    let line = LOG.lines().nth(16).unwrap();
    assert_eq!(serde_json::to_string(&input).unwrap(), line);
    on_line(LOG, 17, |message| {
        assert_eq!(message.into_owned().unwrap(), input.into())
    });
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

#[test]
fn stop_reasons() {
    let table = [
        ("EndTurn", ServerStopReason::EndTurn),
        ("MaxTokens", ServerStopReason::MaxTokens),
        ("StopSequence", ServerStopReason::StopSequence),
        ("ToolUse", ServerStopReason::ToolUse),
        ("PowerCut", ServerStopReason::Other("PowerCut")),
    ];
    for (text, expected) in table {
        let line = format!(r#"{{"Complete":{{"stop_reason":"{text}"}}}}"#);
        on(&line, |message| {
            let Message::Ui(ui) = message else { panic!("{message:?}") };
            assert_eq!(event!(ui, Complete).stop_reason(), Some(expected));
        });
    }
}

#[test]
fn levels_of_permission() {
    let table = [
        ("Read", PermissionLevel::Read),
        ("Write", PermissionLevel::Write),
        ("Execute", PermissionLevel::Execute),
        ("Admin", PermissionLevel::Admin),
        ("Look", PermissionLevel::Other("Look")),
    ];
    for (text, expected) in table {
        let line = format!(
            r#"{{"PermissionRequired":{{"request":{{"level":"{text}"}}}}}}"#
        );
        on(&line, |message| {
            let Message::Ui(ui) = message else { panic!("{message:?}") };
            let request = event!(ui, PermissionRequired).request().unwrap();
            assert_eq!(request.level(), Some(expected));
        });
    }
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
