//! The types and subtypes of which only the names are known, and what has no
//! type of its own although its fields are known. They have no entry in the
//! tables, and are read as unknown or as any JSON. If the fields of one become
//! known, it moves from here to its table.
//!
//! Most names are from the code of the Agent SDK for TypeScript (`sdk.mjs`,
//! 0.3.327), whose published types do not have them.

use linetape::{
    Decoder, Message,
    message::{
        control::{Request, Response},
        system::System,
    },
};

/// Types of messages. The first one is sent by a host, the second one by the
/// agent; the others occur in transcripts.
const TYPES: &[&str] = &[
    "queued_notification",
    "autocompact_state",
    "marble-origami-commit",
    "marble-origami-snapshot",
    "task-summary",
    "saved_hook_context",
];

/// Subtypes of system messages. The last one occurs in transcripts.
const SUBTYPES: &[&str] = &[
    "post_turn_summary",
    "session_metadata",
    "task_summary",
    "voice_call_talk",
];

/// Subtypes of control requests.
const REQUESTS: &[&str] = &[
    "channel_enable",
    "claim_session",
    "claude_authenticate",
    "claude_oauth_callback",
    "claude_oauth_wait_for_completion",
    "edit_hook",
    "end_session",
    "export_conversation",
    "generate_session_title",
    "get_chrome_browsers",
    "get_chrome_dialog",
    "get_memory_dialog",
    "get_plan",
    "get_sandbox_dialog",
    "get_skills_dialog",
    "get_status",
    "host_auth_token_refresh",
    "mcp_authenticate",
    "mcp_clear_auth",
    "mcp_oauth_callback_url",
    "message_rated",
    "oauth_token_refresh",
    "remote_control",
    "remote_control_work_secret",
    "select_chrome_browser",
    "set_chrome_browser_hints",
    "set_cwd",
    "set_mcp_permission_mode_override",
    "set_prompt_suggestions_paused",
    "side_question",
    "submit_feedback",
    "submit_survey_feedback",
    "ui_copy",
    "ui_prompt_fill",
    "ui_prompt_paint",
    "ui_prompt_read",
    "ui_prompt_suggest",
    "ui_read_selection",
    "ultrareview_launch",
];

/// Control requests whose answer has known fields. A response does not say
/// which request it answers, only the request id does, so its type cannot be
/// told from the line. It is any JSON: `SuccessResponse::response`.
const ANSWERS: &[(&str, &str)] = &[
    ("initialize", r#"{"commands":[],"output_style":"default","models":[]}"#),
    ("interrupt", r#"{"still_queued":[]}"#),
    ("get_context_usage", r#"{"model":"m","total_tokens":1}"#),
    ("get_hooks_listing", r#"{"hooks":[]}"#),
    ("get_task_output", r#"{"output":"","total_bytes":0,"truncated":false}"#),
    ("get_usage", r#"{"session":{"total_cost_usd":0.5}}"#),
    ("list_permission_rules", r#"{"state":{}}"#),
    ("mcp_message", r#"{"mcp_response":{}}"#),
    ("mcp_read_resource", r#"{"contents":[]}"#),
    ("mcp_status", r#"{"mcpServers":[]}"#),
    ("read_file", r#"{"contents":"","absPath":"/a"}"#),
    ("reload_plugins", r#"{"commands":[]}"#),
    ("reload_skills", r#"{"skills":[]}"#),
    ("rewind_files", r#"{"canRewind":true}"#),
];

fn with(line: String, check: impl FnOnce(Message<'_>) -> bool) {
    let mut decoder = Decoder::new();
    let record = decoder.decode(line.as_bytes()).unwrap();
    assert!(check(record.message()), "{line} is known: remove it here");
}

#[test]
fn what_only_has_a_name_is_unknown() {
    for name in TYPES {
        with(format!(r#"{{"type":"{name}"}}"#), |message| {
            matches!(message, Message::Unknown(unknown)
                if unknown.name() == Some(name))
        });
    }
    for name in SUBTYPES {
        let line = format!(r#"{{"type":"system","subtype":"{name}"}}"#);
        with(line, |message| {
            matches!(message, Message::System(System::Other(other))
                if other.subtype() == Some(name))
        });
    }
    for name in REQUESTS {
        let line = format!(
            r#"{{"type":"control_request","request":{{"subtype":"{name}"}}}}"#
        );
        with(line, |message| match message {
            Message::ControlRequest(request) => {
                matches!(request.body(), Request::Other(other)
                    if other.subtype() == Some(name))
            }
            _ => false,
        });
    }
}

#[test]
fn the_answer_to_a_request_is_any_json() {
    for (name, answer) in ANSWERS {
        let request = format!(
            r#"{{"type":"control_request","request":{{"subtype":"{name}"}}}}"#
        );
        let (mut first, mut second) = (Decoder::new(), Decoder::new());
        let record = first.decode(request.as_bytes()).unwrap();
        let Message::ControlRequest(request) = record.message() else {
            panic!("{name}");
        };
        assert!(!matches!(request.body(), Request::Other(_)), "{name}");
        let line = format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"r","response":{answer}}}}}"#
        );
        let record = second.decode(line.as_bytes()).unwrap();
        let Message::ControlResponse(response) = record.message() else {
            panic!("{name}");
        };
        let Response::Success(success) = response.body() else {
            panic!("{name}");
        };
        let read = success.response().map(|value| value.to_string());
        assert_eq!(read.as_deref(), Some(*answer), "{name}");
    }
}
