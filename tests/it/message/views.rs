//! Edge cases of views and values that the fixtures do not cover.

use linetape::{
    Block, Decoder, Message, Record, Value,
    message::{
        StopReason,
        results::StartupFailureReason,
        server::{PermissionLevel, ServerStopReason},
        stream::AssistantError,
        system::{PermissionMode, System},
    },
};

fn with(line: &str, check: impl FnOnce(Record<'_>)) {
    check(Decoder::new().decode(line.as_bytes()).unwrap());
}

#[test]
fn pointers_follow_the_standard() {
    let line = r#"{"a/b":{"m~n":[10,{"":1}]},"~1":2,"list":[5]}"#;
    with(line, |record| {
        let at = |path| record.value().pointer(path).and_then(Value::as_u64);
        for (path, found) in [
            ("/a~1b/m~0n/0", Some(10)),
            ("/a~1b/m~0n/1/", Some(1)),
            ("/~01", Some(2)),
            ("/list/0", Some(5)),
            ("/list/00", None),
            ("/list/+0", None),
            ("/list/-", None),
            ("/list/1", None),
            ("/list/0/x", None),
            ("/a~1b/m~n/0", None),
            ("/a~2b", None),
            ("list/0", None),
            ("/nothing", None),
        ] {
            assert_eq!(at(path), found, "{path}");
        }
        let whole = record.value().pointer("").unwrap();
        assert!(whole.as_object().is_some());
    });
}

#[test]
fn a_kind_is_matched_whole() {
    let cases = [
        (r#"{"type":"system","subtype":"init"}"#, "system", true),
        (r#"{"type":"system","subtype":"init"}"#, "system/init", true),
        (r#"{"type":"system","subtype":"init"}"#, "system/ini", false),
        (r#"{"type":"system","subtype":"init"}"#, "systemX", false),
        (r#"{"type":"system","subtype":"init"}"#, "sys", false),
        (r#"{"type":"system"}"#, "systemX", false),
        (r#"{"type":"system"}"#, "system/", false),
        (r#"{"type":"a/b"}"#, "a/b", true),
        (r#"{"type":"a/b","subtype":"c"}"#, "a/b/c", true),
        (r#"{"subtype":"init"}"#, "", false),
    ];
    for (line, pattern, met) in cases {
        with(line, |record| {
            assert_eq!(record.kind().matches(pattern), met, "{pattern}");
        });
    }
}

#[test]
fn items_of_another_type_are_passed_over_and_do_not_end_a_list() {
    let line = r#"{"type":"assistant","supersedes":["a",1,null,"b"],
        "message":{"content":["x",7,{"type":"text","text":"t"},null,
        {"type":"novel"}]}}"#;
    with(line, |record| {
        let message = record.message();
        assert_eq!(message.content_blocks().count(), 2);
        assert_eq!(message.text().to_string(), "t");
        let Message::Assistant(assistant) = message else { panic!() };
        let list = assistant.supersedes().unwrap();
        assert_eq!(list.iter().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(list.array().len(), 4);
    });
}

#[test]
fn errors_are_seen_wherever_a_dialect_says_so() {
    for (line, is_error) in [
        (r#"{"type":"assistant","isApiErrorMessage":true}"#, true),
        (r#"{"type":"assistant","is_api_error_message":true}"#, true),
        (r#"{"type":"assistant","error":"rate_limit"}"#, true),
        (r#"{"type":"assistant","error":null}"#, false),
        (r#"{"type":"assistant","subtype":"error"}"#, true),
        (r#"{"type":"assistant","is_error":true}"#, false),
        (r#"{"type":"progress","isError":true}"#, true),
        (r#"{"type":"system","subtype":"api_error"}"#, true),
        (r#"{"type":"system","subtype":"api_retry"}"#, false),
        (r#"{"type":"result","subtype":"error_max_turns"}"#, true),
        (r#"{"type":"result","subtype":"success","is_error":true}"#, true),
        (r#"{"type":"result","subtype":"success","is_error":false}"#, false),
        (
            r#"{"type":"result","subtype":"error_max_turns","is_error":false}"#,
            true,
        ),
        (r#"{"type":"result","is_error":true}"#, true),
        (r#"{"type":"result","is_error":"true"}"#, false),
        (r#"{"type":"error","error":{"message":"m"}}"#, true),
        (r#"{"Error":{"message":"m"}}"#, true),
        (r#"{"System":{"message":"m"}}"#, false),
    ] {
        with(line, |record| {
            assert_eq!(record.message().is_error(), is_error, "{line}");
        });
    }
}

#[test]
fn the_session_is_named_as_the_dialect_names_it() {
    for (line, session) in [
        (r#"{"type":"user","session_id":"s","sessionId":"c"}"#, "s"),
        (
            r#"{"type":"user","parentUuid":null,"session_id":"s","sessionId":"c"}"#,
            "c",
        ),
        (
            r#"{"type":"user","isSidechain":false,"session_id":"s","sessionId":"c"}"#,
            "c",
        ),
        (r#"{"type":"user","parentUuid":null,"session_id":"s"}"#, "s"),
        (r#"{"Complete":{"session_id":7}}"#, "7"),
        (r#"{"session_id":8,"content":"","turn_id":{}}"#, "8"),
    ] {
        with(line, |record| {
            let found = record.message().session_id().unwrap().to_string();
            assert_eq!(found, session, "{line}");
        });
    }
}

/// The golden files show what the owned types read. This shows that accessors
/// read the same: one for each type of field, and by either key.
#[test]
fn every_type_of_field_has_an_accessor() {
    let line = r#"{"type":"result","subtype":"success","is_error":true,
        "num_turns":-1,"duration_ms":1.5,"usage":{"input_tokens":7},
        "structured_output":[1],"errors":["a",2,"b"],"sessionId":"s",
        "modelUsage":{"m":{"cost_usd":2}}}"#;
    with(line, |record| {
        let Message::Result(result) = record.message() else { panic!() };
        assert_eq!(result.subtype().map(|s| s.as_str()), Some("success"));
        assert_eq!(result.is_error(), Some(true));
        assert_eq!(result.num_turns(), Some(-1));
        assert_eq!(result.duration_ms(), Some(1.5));
        assert_eq!(result.usage().unwrap().input_tokens(), Some(7));
        let json = result.structured_output().unwrap().to_string();
        assert_eq!(json, "[1]");
        let errors: Vec<_> = result.errors().unwrap().iter().collect();
        assert_eq!(errors, ["a", "b"]);
        assert_eq!(result.session_id(), Some("s"));
        let usage = result.model_usage().unwrap().get("m").unwrap();
        assert_eq!(usage.cost_usd(), Some(2.0));
        // Absent, and of another type.
        assert_eq!(result.result(), None);
        assert_eq!(result.uuid(), None);
    });
    // A struct that may be a string, in a union.
    let line =
        r#"{"type":"system","subtype":"init","tools":["a",{"name":"b"}]}"#;
    with(line, |record| {
        let Message::System(System::Init(init)) = record.message() else {
            panic!();
        };
        let tools = init.tools().unwrap().iter();
        let names: Vec<_> = tools.map(|tool| tool.name()).collect();
        assert_eq!(names, [Some("a"), Some("b")]);
    });
}

/// The key that comes first in the schema is used, wherever it is in the
/// object, unless its value does not fit.
#[test]
fn one_of_two_casings_wins() {
    for (members, expected) in [
        (r#""resetsAt":1,"resets_at":2"#, Some(1)),
        (r#""resets_at":2,"resetsAt":1"#, Some(1)),
        (r#""resets_at":2,"resetsAt":null"#, Some(2)),
        (r#""resets_at":2"#, Some(2)),
        (r#""resets_at":"2""#, None),
    ] {
        let line = format!(
            r#"{{"type":"rate_limit_event","rate_limit_info":{{{members}}}}}"#
        );
        with(&line, |record| {
            let Message::RateLimitEvent(event) = record.message() else {
                panic!();
            };
            let info = event.rate_limit_info().unwrap();
            assert_eq!(info.resets_at(), expected, "{members}");
        });
    }
}

/// A string and a list with one text block are read in the same way.
#[test]
fn content_as_a_string_is_one_block_of_text() {
    for line in [
        r#"{"type":"user","message":"Hi"}"#,
        r#"{"type":"user","message":{"content":"Hi"}}"#,
        r#"{"type":"user","message":{"content":[{"type":"text","text":"Hi"}]}}"#,
    ] {
        with(line, |record| {
            let blocks: Vec<_> = record.message().content_blocks().collect();
            let [Block::Text(block)] = blocks[..] else {
                panic!("{blocks:?}");
            };
            assert_eq!(block.text(), Some("Hi"));
            assert!(block.citations().is_none());
        });
    }
}

/// The last line of Gemini's stream was taken for the result of a run.
#[test]
fn a_result_of_a_run_is_final() {
    for (line, is_final) in [
        (r#"{"type":"result"}"#, true),
        (r#"{"type":"assistant"}"#, false),
        (
            r#"{"type":"result","timestamp":"2026-01-02T03:04:05Z","status":"success","stats":{"total_tokens":5}}"#,
            false,
        ),
        (
            r#"{"type":"result","key":"v2:1","agentId":"a","result":"done"}"#,
            false,
        ),
        // One of a later version may have these as well.
        (
            r#"{"type":"result","subtype":"success","status":"ok","stats":{},"key":"k"}"#,
            true,
        ),
    ] {
        with(line, |record| {
            assert_eq!(record.message().is_final(), is_final, "{line}");
        });
    }
}

/// Files can only be restored to a message of the user.
#[test]
fn only_users_have_a_user_uuid() {
    for (name, expected) in
        [("user", Some("u-1")), ("assistant", None), ("system", None)]
    {
        let line = format!(r#"{{"type":"{name}","uuid":"u-1"}}"#);
        with(&line, |record| {
            assert_eq!(record.message().user_uuid(), expected);
            assert_eq!(record.message().uuid(), Some("u-1"));
        });
    }
}

/// The values of enumerations that no fixture has.
#[test]
fn texts_are_known() {
    macro_rules! known {
        ($($name:ident: $($text:literal = $variant:ident)*;)*) => {
            $($(
                assert_eq!($name::from($text), $name::$variant);
                assert_eq!($name::$variant.as_str(), $text);
                assert_eq!($name::$variant.to_string(), $text);
            )*
            assert_eq!($name::from("tea"), $name::Other("tea"));
            assert_eq!($name::Other("tea").as_str(), "tea");)*
        };
    }
    known! {
        StopReason: "end_turn" = EndTurn "max_tokens" = MaxTokens
            "stop_sequence" = StopSequence "tool_use" = ToolUse;
        PermissionMode: "default" = Default "acceptEdits" = AcceptEdits
            "bypassPermissions" = BypassPermissions "plan" = Plan;
        AssistantError: "authentication_failed" = AuthenticationFailed
            "billing_error" = BillingError "rate_limit" = RateLimit
            "invalid_request" = InvalidRequest "server_error" = ServerError
            "unknown" = Unknown;
        ServerStopReason: "EndTurn" = EndTurn "MaxTokens" = MaxTokens
            "StopSequence" = StopSequence "ToolUse" = ToolUse;
        PermissionLevel: "Read" = Read "Write" = Write "Execute" = Execute
            "Admin" = Admin;
    }
    for text in [
        "org_pin_api_key_conflict",
        "provider_not_allowed",
        "org_verify_failed",
        "org_pin_mismatch",
        "managed_settings_invalid",
        "remote_settings_required_unavailable",
        "gateway_signin_required",
        "gateway_access_denied",
        "proxy_invalid",
        "temp_dir_unusable",
        "cwd_unavailable",
        "shell_tool_missing",
        "session_held_by_background",
        "worktree_resume_refused",
        "worktree_unverified",
        "cli_version_too_old",
        "bypass_root",
        "org_config_required_unavailable",
        "org_config_refused",
        "sandbox_required_unavailable",
        "initialize_not_first",
        "config_file_invalid",
        "managed_settings_not_delivered",
    ] {
        let reason = StartupFailureReason::from(text);
        assert!(!matches!(reason, StartupFailureReason::Other(_)), "{text}");
        assert_eq!(reason.as_str(), text);
    }
}

#[test]
fn the_order_of_members_does_not_matter() {
    for block in [
        r#"{"type":"text","text":"hello"}"#,
        r#"{"text":"hello","type":"text"}"#,
    ] {
        for line in [
            format!(r#"{{"type":"user","message":{{"content":[{block}]}}}}"#),
            format!(r#"{{"message":{{"content":[{block}]}},"type":"user"}}"#),
        ] {
            with(&line, |record| {
                let text: Vec<&str> = record.message().text().collect();
                assert_eq!(text, ["hello"], "{line}");
            });
        }
    }
}

#[test]
fn usage_is_found_where_each_message_has_it() {
    for line in [
        r#"{"type":"assistant","message":{"usage":{"output_tokens":3}}}"#,
        r#"{"type":"result","usage":{"output_tokens":3}}"#,
        r#"{"type":"stream_event","event":{"type":"message_start",
            "message":{"usage":{"output_tokens":3}}}}"#,
        r#"{"type":"stream_event","event":{"type":"message_delta",
            "usage":{"output_tokens":3}}}"#,
        r#"{"TokenUpdate":{"input_tokens":1,"output_tokens":3}}"#,
    ] {
        with(line, |record| {
            let usage = record.message().usage().unwrap();
            assert_eq!(usage.output_tokens(), Some(3), "{line}");
        });
    }
}

#[test]
fn a_decoder_has_the_limits_of_a_reader() {
    let limits = linetape::Limits { max_line: 4, ..Default::default() };
    let mut decoder = Decoder::with_limits(limits);
    assert!(decoder.decode(b"{  }").is_ok());
    let error = decoder.decode(b"{   }").unwrap_err();
    assert_eq!(error.kind(), linetape::ErrorKind::LineTooLong);
    assert_eq!((error.limit(), error.found()), (Some(4), Some(5)));
    assert!(decoder.line(b"{   }").to_owned_line().is_err());
}

#[cfg(feature = "messages")]
#[test]
fn a_type_of_ones_own_may_have_anything_that_serde_knows() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Mine<'a> {
        name: &'a str,
        missing: Option<u8>,
        null: Option<u8>,
        there: Option<u8>,
        list: Vec<f64>,
        one: One,
        other: One,
        pair: (u8, String),
        wrapped: Wrapped,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    enum One {
        Plain,
        Holding { n: i64 },
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Wrapped(bool);

    let line = r#"{"name":"a\tb","null":null,"there":7,"list":[1,2.5,-3],
        "one":"Plain","other":{"Holding":{"n":-1}},"pair":[1,"x"],
        "wrapped":true,"more":{"ignored":[1]}}"#;
    with(line, |record| {
        let mine: Mine<'_> = record.deserialize().unwrap();
        let expected: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(mine.name, expected["name"].as_str().unwrap());
        assert_eq!(
            (mine.missing, mine.null, mine.there),
            (None, None, Some(7))
        );
        assert_eq!(mine.list, [1.0, 2.5, -3.0]);
        assert_eq!(
            (mine.one, mine.other),
            (One::Plain, One::Holding { n: -1 })
        );
        assert_eq!((mine.pair.0, &mine.pair.1[..]), (1, "x"));
        assert_eq!(mine.wrapped, Wrapped(true));
        assert!(record.deserialize::<Vec<u8>>().is_err());
    });
}
