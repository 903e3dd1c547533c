//! The types and subtypes of which only the names are known. They have no
//! entry in the tables, and are read as unknown. If the fields of one become
//! known, it moves from here to its table.

use linetape::{Decoder, Message, message::control::Request};

/// Types of messages. `history-suppression` and those after it occur in
/// transcripts, the first one is sent by a host.
const TYPES: &[&str] = &[
    "queued_notification",
    "history-suppression",
    "isolation-latch",
    "ended-by-model",
    "marble-origami-commit",
    "marble-origami-snapshot",
    "task-summary",
    "saved_hook_context",
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
    "mcp_authenticate",
    "mcp_clear_auth",
    "mcp_oauth_callback_url",
    "message_rated",
    "remote_control",
    "select_chrome_browser",
    "set_chrome_browser_hints",
    "set_cwd",
    "set_mcp_permission_mode_override",
    "set_prompt_suggestions_paused",
    "side_question",
    "submit_feedback",
    "submit_survey_feedback",
    "ultrareview_launch",
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
