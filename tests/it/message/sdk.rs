//! The messages of the SDK, in which durations are floats, with the API's own
//! message inside.
#![cfg(feature = "owned")]

use linetape::{
    Decoder, Message,
    message::{
        Block, Content, SessionId, StopReason,
        results::ResultSubtype,
        system::{ApiKeySource, PermissionMode, System},
    },
    owned,
};
use serde_json::json;

use super::fixture::{self, Common, check_common, of_kind, on_line, reads};

const LOG: &str = include_str!("../../data/sdk.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

fn blocks(message: Message<'_>) -> Vec<Block<'_>> {
    message.content_blocks().collect()
}

reads! {
    assistant_with_a_message_of_the_api, [1],
    message @ Message::Assistant(assistant) => {
        assistant.session_id() => Some("sess-x");
        assistant.message().unwrap().id() => Some("msg-1");
        assistant.message().unwrap().kind() => Some("message");
        assistant.message().unwrap().role() => Some("assistant");
        assistant.message().unwrap().model() => Some("model-x");
        assistant.message().unwrap().stop_reason() =>
            Some(StopReason::ToolUse);
        assistant.message().unwrap().stop_sequence() => None;
        assistant.message().unwrap().usage().unwrap().input_tokens() =>
            Some(21);
        assistant.message().unwrap().usage().unwrap().output_tokens() =>
            Some(8);
        blocks(message).len() => 2;
        matches!(blocks(message)[0], Block::Text(text)
            if text.text() == Some("On it.")) => true;
        matches!(blocks(message)[1], Block::ToolUse(call)
            if call.id() == Some("call-1") && call.name() == Some("Read"))
            => true;
        matches!(blocks(message)[1], Block::ToolUse(call)
            if serde_json::to_value(call.input()).unwrap()
                == json!({ "path": "a.txt" })) => true;
    }

    user_with_a_string, [2],
    Message::User(user) => {
        user.session_id() => Some("sess-x");
        user.message().unwrap().role() => Some("user");
        user.message().unwrap().content().and_then(Content::as_str) =>
            Some("Read it to me");
    }

    user_with_blocks, [3],
    message @ Message::User(user) => {
        user.session_id() => Some("sess-x");
        user.message().unwrap().role() => Some("user");
        user.message().unwrap().content().and_then(Content::as_str) => None;
        blocks(message).len() => 2;
        matches!(blocks(message)[1], Block::Text(text)
            if text.text() == Some("to me")) => true;
    }

    success, [4],
    Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::Success);
        result.duration_ms() => Some(1500.5);
        result.duration_api_ms() => Some(1200.25);
        result.is_error() => Some(false);
        result.num_turns() => Some(2);
        result.result() => Some("Read");
        result.session_id() => Some("sess-x");
        result.total_cost_usd() => Some(0.0123);
    }

    too_many_turns, [5],
    Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::ErrorMaxTurns);
        result.duration_ms() => Some(9000.0);
        result.duration_api_ms() => Some(8000.75);
        result.is_error() => Some(true);
        result.num_turns() => Some(10);
        result.result() => None;
        result.session_id() => Some("sess-x");
        result.total_cost_usd() => Some(1.5);
    }

    error_with_integers, [6],
    Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::ErrorDuringExecution);
        result.duration_ms() => Some(12.0);
        result.duration_api_ms() => Some(0.0);
        result.is_error() => Some(true);
        result.num_turns() => Some(-1);
        result.result() => None;
        result.session_id() => Some("sess-x");
        result.total_cost_usd() => Some(0.0);
    }

    init, [7],
    Message::System(System::Init(init)) => {
        init.api_key_source() => Some(ApiKeySource::User);
        init.cwd() => Some("/srv/app");
        init.session_id() => Some("sess-x");
        init.tools().unwrap().iter().map(|tool| tool.name())
            .collect::<Vec<_>>() => [Some("Read"), Some("Bash")];
        init.mcp_servers().unwrap().iter()
            .map(|server| (server.name(), server.status()))
            .collect::<Vec<_>>() => [
                (Some("files"), Some("connected")),
                (Some("maps"), Some("failed")),
            ];
        init.model() => Some("model-x");
        init.permission_mode() => Some(PermissionMode::AcceptEdits);
    }

    assistant_to_translate, [8],
    Message::Assistant(assistant) => {
        assistant.session_id() => Some("sess-y");
        assistant.message().unwrap().role() => None;
        assistant.message().unwrap().usage().is_none() => true;
        assistant.content().count() => 1;
        matches!(assistant.content().next(), Some(Block::Text(text))
            if text.text() == Some("Off we go. Running test 3 of 12..."))
            => true;
    }

    // The output of a wrapper, which is in no dialect of the agents.
    translated_answer, [9],
    Message::Unknown(frame) => {
        frame.name() => Some("claude_response");
        frame.subtype() => None;
        serde_json::to_value(frame).unwrap() => json!({
            "type": "claude_response",
            "content": "Off we go. Running test 3 of 12...",
            "conversationId": "sess-y",
        });
    }

    translated_progress, [10],
    Message::Unknown(frame) => {
        frame.name() => Some("progress_update");
        serde_json::to_value(frame).unwrap() => json!({
            "type": "progress_update",
            "currentStep": "Running tests",
            "completedSteps": 3,
            "totalSteps": 12,
            "percentage": 25.0,
        });
    }
}

#[test]
fn common_accessors() {
    let in_x = |kind| Common {
        session_id: Some(SessionId::Str("sess-x")),
        ..of_kind(kind)
    };
    let final_in_x = |kind| Common { is_final: true, ..in_x(kind) };
    let error_in_x = |kind| Common { is_error: true, ..final_in_x(kind) };
    check_common(
        LOG,
        &[
            Common {
                blocks: 2,
                text: vec!["On it."],
                usage: Some((21, 8)),
                ..in_x("assistant")
            },
            Common { blocks: 1, text: vec!["Read it to me"], ..in_x("user") },
            Common {
                blocks: 2,
                text: vec!["Read it ", "to me"],
                ..in_x("user")
            },
            final_in_x("result/success"),
            error_in_x("result/error_max_turns"),
            error_in_x("result/error_during_execution"),
            in_x("system/init"),
            Common {
                session_id: Some(SessionId::Str("sess-y")),
                blocks: 1,
                text: vec!["Off we go. Running test 3 of 12..."],
                ..of_kind("assistant")
            },
            of_kind("claude_response"),
            of_kind("progress_update"),
        ],
    );
}

/// A number keeps its type when it is written.
#[test]
fn integers_stay_integers_and_floats_stay_floats() {
    let cases =
        [(4, "1500.5", "0.0123"), (5, "9000.0", "1.5"), (6, "12", "0")];
    for (number, duration, cost) in cases {
        on_line(LOG, number, |message| {
            let owned = message.into_owned().unwrap();
            let owned::Message::Result(result) = &owned else {
                panic!("{owned:?}");
            };
            let shown = |number: &Option<owned::Number>| {
                number.as_ref().unwrap().to_string()
            };
            assert_eq!(shown(&result.duration_ms), duration);
            assert_eq!(shown(&result.total_cost_usd), cost);
            assert!(result.extra.is_empty(), "{:?}", result.extra);
        });
    }
}

/// Reads a line that is not in the fixture.
fn on(line: &str, check: impl FnOnce(Message<'_>)) {
    check(Decoder::new().decode(line.as_bytes()).unwrap().message());
}

#[test]
fn stop_reasons() {
    let table = [
        (r#""end_turn""#, Some(StopReason::EndTurn)),
        (r#""max_tokens""#, Some(StopReason::MaxTokens)),
        (r#""stop_sequence""#, Some(StopReason::StopSequence)),
        (r#""tool_use""#, Some(StopReason::ToolUse)),
        (r#""bored""#, Some(StopReason::Other("bored"))),
        ("null", None),
    ];
    for (json, expected) in table {
        let line = format!(
            r#"{{"type":"assistant","message":{{"stop_reason":{json},
            "stop_sequence":"END"}}}}"#
        );
        on(&line, |message| {
            let Message::Assistant(assistant) = message else {
                panic!("{message:?}");
            };
            let api = assistant.message().unwrap();
            assert_eq!(api.stop_reason(), expected);
            assert_eq!(api.stop_sequence(), Some("END"));
        });
    }
}

#[test]
fn permission_modes() {
    let table = [
        ("default", PermissionMode::Default),
        ("acceptEdits", PermissionMode::AcceptEdits),
        ("bypassPermissions", PermissionMode::BypassPermissions),
        ("plan", PermissionMode::Plan),
        ("whatever", PermissionMode::Other("whatever")),
    ];
    for (text, expected) in table {
        let line = format!(
            r#"{{"subtype":"init","permissionMode":"{text}","type":"system"}}"#
        );
        on(&line, |message| {
            let Message::System(System::Init(init)) = message else {
                panic!("{message:?}");
            };
            assert_eq!(init.permission_mode(), Some(expected));
            assert_eq!(expected.as_str(), text);
        });
    }
}

/// `is_error` or the subtype makes a result an error.
#[test]
fn results_that_are_errors() {
    let table = [
        (r#""subtype":"success","is_error":false"#, false),
        (r#""subtype":"success","is_error":true"#, true),
        (r#""subtype":"error_max_turns","is_error":false"#, true),
        (r#""subtype":"error_during_execution""#, true),
        (r#""is_error":true"#, true),
        (r#""is_error":"true""#, false),
    ];
    for (members, expected) in table {
        let line = format!(r#"{{"type":"result",{members}}}"#);
        on(&line, |message| {
            assert_eq!(message.is_error(), expected, "{line}")
        });
    }
}
