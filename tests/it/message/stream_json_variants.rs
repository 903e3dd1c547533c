//! Content as a string, error codes, rate limits in either casing, and unknown
//! types and subtypes.
#![cfg(feature = "owned")]

use std::collections::BTreeSet;

use linetape::{
    Decoder, Message,
    message::{
        ApiMessage, Block, SessionId,
        events::{ApiEvent, ContentBlockDelta, Delta, StreamEvent},
        results::ResultSubtype,
        stream::{
            AssistantError, RateLimitInfo, RateLimitStatus, RateLimitWindow,
        },
        system::System,
    },
    owned,
};
use serde_json::{Value as Json, json};

use super::fixture::{self, Common, check_common, of_kind, on_line, reads};

const LOG: &str = include_str!("../../data/stream_json_variants.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

fn plain(message: Option<ApiMessage<'_>>) -> Option<&str> {
    message?.content()?.as_str()
}

/// All fields of a rate limit, in the order of the fixture.
type Limit<'a> = (
    Option<RateLimitStatus<'a>>,
    Option<u64>,
    Option<RateLimitWindow<'a>>,
    Option<f64>,
    Option<bool>,
    Option<RateLimitStatus<'a>>,
    Option<u64>,
    Option<&'a str>,
);

fn limit(info: Option<RateLimitInfo<'_>>) -> Limit<'_> {
    let info = info.unwrap();
    (
        info.status(),
        info.resets_at(),
        info.rate_limit_type(),
        info.utilization(),
        info.is_using_overage(),
        info.overage_status(),
        info.overage_resets_at(),
        info.overage_disabled_reason(),
    )
}

fn block_delta(event: StreamEvent<'_>) -> ContentBlockDelta<'_> {
    let Some(ApiEvent::ContentBlockDelta(delta)) = event.event() else {
        panic!("{event:?}");
    };
    delta
}

fn started(event: StreamEvent<'_>) -> ApiMessage<'_> {
    let Some(ApiEvent::MessageStart(start)) = event.event() else {
        panic!("{event:?}");
    };
    start.message().unwrap()
}

reads! {
    assistant, [1], Message::Assistant(assistant) => {
        plain(assistant.message()) => Some("What shall it be?");
        assistant.session_id() => Some("s-1");
        assistant.error() => None;
        assistant.parent_tool_use_id() => None;
        assistant.subtype() => None;
    }

    assistant_with_an_error, [2], Message::Assistant(assistant) => {
        plain(assistant.message()) => Some("Come back later.");
        assistant.session_id() => Some("s-1");
        assistant.error() => Some(AssistantError::RateLimit);
    }

    assistant_whose_login_failed, [19], Message::Assistant(assistant) => {
        plain(assistant.message()) => Some("Who are you?");
        assistant.session_id() => Some("s-1");
        assistant.error() => Some(AssistantError::AuthenticationFailed);
        assistant.parent_tool_use_id() => Some("call-1");
    }

    assistant_with_an_error_of_its_own, [20],
    Message::Assistant(assistant) => {
        plain(assistant.message()) => Some("No tea.");
        assistant.session_id() => Some("s-1");
        assistant.error() => Some(AssistantError::Other("out_of_tea"));
    }

    assistant_with_nothing_but_content, [4], Message::Assistant(assistant) => {
        plain(assistant.message()) => Some("Hi");
        assistant.session_id() => None;
    }

    assistant_with_nulls, [5], Message::Assistant(assistant) => {
        plain(assistant.message()) => Some("Fine");
        assistant.session_id() => None;
        assistant.parent_tool_use_id() => None;
        assistant.error() => None;
    }

    result, [3], Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::Success);
        result.total_cost_usd() => Some(0.001);
        result.duration_ms() => Some(1500.0);
        result.num_turns() => Some(2);
        result.session_id() => Some("s-1");
    }

    result_of_too_many_turns, [14], Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::ErrorMaxTurns);
        result.is_error() => Some(false);
        result.num_turns() => Some(5);
        result.session_id() => Some("s-1");
    }

    result_of_an_error, [15], Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::ErrorDuringExecution);
        result.session_id() => Some("s-1");
    }

    result_of_unknown_subtype, [18], Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::Other("tea_spilt"));
        result.session_id() => Some("s-1");
        serde_json::to_value(result).unwrap() => json!({
            "type": "result",
            "subtype": "tea_spilt",
            "session_id": "s-1",
        });
    }

    rate_limit_in_snake_case, [6], Message::RateLimitEvent(event) => {
        event.uuid() => Some("u-6");
        event.session_id() => Some("s-1");
        limit(event.rate_limit_info()) => (
            Some(RateLimitStatus::AllowedWarning),
            Some(1_760_000_000),
            Some(RateLimitWindow::FiveHour),
            Some(0.91),
            Some(false),
            Some(RateLimitStatus::Rejected),
            Some(1_760_500_000),
            Some("no_card"),
        );
    }

    rate_limit_in_camel_case, [7], Message::RateLimitEvent(event) => {
        event.uuid() => Some("u-7");
        event.session_id() => Some("s-1");
        limit(event.rate_limit_info()) => (
            Some(RateLimitStatus::Rejected),
            Some(1_760_000_001),
            Some(RateLimitWindow::SevenDay),
            Some(1.0),
            Some(true),
            Some(RateLimitStatus::Allowed),
            Some(1_760_500_001),
            Some("none"),
        );
    }

    rate_limit_with_nulls, [8], Message::RateLimitEvent(event) => {
        event.uuid() => Some("u-8");
        event.session_id() => Some("s-1");
        limit(event.rate_limit_info()) => (
            Some(RateLimitStatus::Allowed),
            None,
            None,
            None,
            None,
            None,
            None,
            None,
        );
    }

    user_with_a_string, [9], Message::User(user) => {
        plain(user.message()) => Some("Tea, please");
        user.session_id() => Some("s-1");
        user.uuid() => Some("u-9");
    }

    user_with_blocks, [10], Message::User(user) => {
        user.message().unwrap().role() => Some("user");
        plain(user.message()) => None;
        user.content().count() => 2;
        user.session_id() => Some("s-1");
        user.uuid() => None;
    }

    stream_event_of_a_delta, [11], Message::StreamEvent(event) => {
        event.uuid() => Some("u-11");
        event.session_id() => Some("s-1");
        event.parent_tool_use_id() => None;
        block_delta(event).index() => Some(0);
        matches!(block_delta(event).delta(), Some(Delta::Text(delta))
            if delta.text() == Some("Te")) => true;
    }

    stream_event_of_a_message, [12], Message::StreamEvent(event) => {
        event.uuid() => Some("u-12");
        event.session_id() => Some("s-1");
        event.parent_tool_use_id() => Some("call-1");
        started(event).id() => Some("msg-1");
        started(event).kind() => Some("message");
        started(event).role() => Some("assistant");
        started(event).model() => Some("model-x");
        started(event).content().unwrap().blocks().count() => 0;
        started(event).stop_reason() => None;
        started(event).stop_sequence() => None;
        started(event).usage().unwrap().input_tokens() => Some(5);
        started(event).usage().unwrap().output_tokens() => Some(1);
    }

    init, [13], Message::System(System::Init(init)) => {
        init.subtype() => Some("init");
        init.session_id() => Some("s-1");
        init.model() => Some("model-x");
        init.tools().unwrap().iter().map(|tool| tool.name())
            .collect::<Vec<_>>() => [Some("Read")];
        init.cwd() => Some("/srv");
    }

    unknown_type, [16], Message::Unknown(unknown) => {
        unknown.name() => Some("tea_time");
        unknown.subtype() => Some("green");
        serde_json::to_value(unknown).unwrap() => json!({
            "type": "tea_time",
            "subtype": "green",
            "cup": { "sugar": 2 },
            "session_id": "s-1",
        });
    }

    unknown_subtype, [17], Message::System(System::Other(system)) => {
        system.subtype() => Some("tea_ready");
        system.session_id() => Some("s-1");
        serde_json::to_value(system).unwrap() => json!({
            "type": "system",
            "subtype": "tea_ready",
            "session_id": "s-1",
            "pot": [1, 2.5, null],
        });
    }

    type_that_is_no_string, [21], Message::Unknown(unknown) => {
        unknown.name() => None;
        unknown.subtype() => None;
        serde_json::to_value(unknown).unwrap() =>
            json!({ "type": 7, "note": "a type that is no string" });
    }
}

#[test]
fn common_accessors() {
    let of = |kind| Common {
        session_id: Some(SessionId::Str("s-1")),
        ..of_kind(kind)
    };
    let says =
        |text| Common { blocks: 1, text: vec![text], ..of("assistant") };
    let error = |message| Common { is_error: true, ..message };
    let result = |kind| Common { is_final: true, ..of(kind) };
    let limit = |uuid| Common { uuid: Some(uuid), ..of("rate_limit_event") };
    check_common(
        LOG,
        &[
            says("What shall it be?"),
            error(says("Come back later.")),
            result("result/success"),
            Common { session_id: None, ..says("Hi") },
            // An error that is `null` counts as absent.
            Common { session_id: None, ..says("Fine") },
            limit("u-6"),
            limit("u-7"),
            limit("u-8"),
            Common {
                uuid: Some("u-9"),
                user_uuid: Some("u-9"),
                blocks: 1,
                text: vec!["Tea, please"],
                ..of("user")
            },
            Common { blocks: 2, text: vec!["With ", "milk"], ..of("user") },
            Common { uuid: Some("u-11"), ..of("stream_event") },
            Common {
                uuid: Some("u-12"),
                is_sidechain: true,
                usage: Some((5, 1)),
                ..of("stream_event")
            },
            of("system/init"),
            // The subtype decides, whatever `is_error` is.
            error(result("result/error_max_turns")),
            error(result("result/error_during_execution")),
            of("tea_time/green"),
            of("system/tea_ready"),
            result("result/tea_spilt"),
            Common { is_sidechain: true, ..error(says("Who are you?")) },
            error(says("No tea.")),
            of_kind("none"),
        ],
    );
}

/// A string and a list with one text block are read in the same way.
#[test]
fn content_as_a_string_is_one_block_of_text() {
    for (number, text) in [(1, "What shall it be?"), (9, "Tea, please")] {
        on_line(LOG, number, |message| {
            let blocks: Vec<_> = message.content_blocks().collect();
            let [Block::Text(block)] = blocks[..] else {
                panic!("{blocks:?}");
            };
            assert_eq!(block.text(), Some(text));
            assert!(block.citations().is_none());
        });
    }
}

#[test]
fn what_is_unknown_is_owned_whole() {
    on_line(LOG, 16, |message| {
        let owned::Message::Unknown(members) = message.into_owned().unwrap()
        else {
            panic!("{message:?}");
        };
        let keys: BTreeSet<&str> =
            members.keys().map(|key| &key[..]).collect();
        assert_eq!(keys, ["cup", "session_id", "subtype", "type"].into());
        assert_eq!(members["cup"], json!({ "sugar": 2 }));
    });
    on_line(LOG, 17, |message| {
        let owned = message.into_owned().unwrap();
        let owned::Message::System(system) = &owned else {
            panic!("{owned:?}");
        };
        let owned::system::System::Other(system) = &**system else {
            panic!("{system:?}");
        };
        assert_eq!(system.subtype.as_deref(), Some("tea_ready"));
        assert_eq!(system.extra["pot"], json!([1, 2.5, null]));
    });
}

/// Reads a line that is not in the fixture.
fn on(line: &str, check: impl FnOnce(Message<'_>)) {
    check(Decoder::new().decode(line.as_bytes()).unwrap().message());
}

/// The casing that comes first in the schema is used, wherever it is in the
/// object, unless its value does not fit.
#[test]
fn one_of_two_casings_wins() {
    let table = [
        (r#""resetsAt":1,"resets_at":2"#, Some(1)),
        (r#""resets_at":2,"resetsAt":1"#, Some(1)),
        (r#""resets_at":2,"resetsAt":null"#, Some(2)),
        (r#""resets_at":2"#, Some(2)),
        (r#""resets_at":"2""#, None),
    ];
    for (members, expected) in table {
        let line = format!(
            r#"{{"type":"rate_limit_event","rate_limit_info":{{{members}}}}}"#
        );
        on(&line, |message| {
            let Message::RateLimitEvent(event) = message else {
                panic!("{message:?}");
            };
            let info = event.rate_limit_info().unwrap();
            assert_eq!(info.resets_at(), expected, "{members}");
            let owned = message.into_owned().unwrap();
            let before: Json = serde_json::from_str(&line).unwrap();
            assert_eq!(serde_json::to_value(&owned).unwrap(), before);
            let read: owned::Message = serde_json::from_str(&line).unwrap();
            assert_eq!(owned, read);
        });
    }
}

#[test]
fn error_codes() {
    let table = [
        ("authentication_failed", AssistantError::AuthenticationFailed),
        ("billing_error", AssistantError::BillingError),
        ("rate_limit", AssistantError::RateLimit),
        ("invalid_request", AssistantError::InvalidRequest),
        ("server_error", AssistantError::ServerError),
        ("unknown", AssistantError::Unknown),
    ];
    for (text, expected) in table {
        let line = format!(r#"{{"error":"{text}","type":"assistant"}}"#);
        on(&line, |message| {
            let Message::Assistant(assistant) = message else {
                panic!("{message:?}");
            };
            assert_eq!(assistant.error(), Some(expected));
            assert_eq!(expected.to_string(), text);
            assert!(message.is_error());
        });
    }
}

/// In this dialect, a result is final, and an assistant message is not.
#[test]
fn a_result_is_final() {
    on(r#"{"type":"result"}"#, |message| assert!(message.is_final()));
    on(r#"{"type":"assistant"}"#, |message| assert!(!message.is_final()));
}

/// The last line of Gemini's stream was taken for the result of a run.
#[test]
fn a_result_of_another_program_is_not_final() {
    for line in [
        r#"{"type":"result","timestamp":"2026-01-02T03:04:05Z","status":"success","stats":{"total_tokens":5}}"#,
        r#"{"type":"result","key":"v2:1","agentId":"a","result":"done"}"#,
    ] {
        on(line, |message| assert!(!message.is_final(), "{line}"));
    }
    // One of a later version may have these as well.
    let line = r#"{"type":"result","subtype":"success","status":"ok","stats":{},"key":"k"}"#;
    on(line, |message| assert!(message.is_final()));
}

/// Files can only be restored to a message of the user.
#[test]
fn only_users_have_a_user_uuid() {
    for (name, expected) in
        [("user", Some("u-1")), ("assistant", None), ("system", None)]
    {
        let line = format!(r#"{{"type":"{name}","uuid":"u-1"}}"#);
        on(&line, |message| {
            assert_eq!(message.user_uuid(), expected);
            assert_eq!(message.uuid(), Some("u-1"));
        });
    }
}
