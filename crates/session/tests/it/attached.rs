//! What is not said but attached: the words of hooks, and documents.

use serde_json::{Value, json};

use crate::conversation::shown;

/// Returns the steps of a prompt and an attachment, without those of the
/// prompt.
fn with(attachment: Value) -> Vec<String> {
    let log = vec![
        json!({"type": "user", "sessionId": "s", "uuid": "u1",
            "message": {"role": "user", "content": "Count."}}),
        json!({"type": "attachment", "sessionId": "s", "uuid": "h1",
            "parentUuid": "u1", "attachment": attachment}),
    ];
    let mut shown = shown(&[log]);
    assert_eq!(shown.remove(0), "Prompt Count.");
    shown
}

/// Attachments of hooks were not shown at all.
#[test]
fn a_hook_says_what_its_attachment_says() {
    let cases = [
        (
            json!({"type": "hook_additional_context", "hookEvent": "PreToolUse",
                "hookName": "PreToolUse:Bash", "content": ["one", "two"]}),
            "Hook PreToolUse:Bash: one\ntwo",
        ),
        (
            json!({"type": "hook_system_message", "hookEvent": "Stop",
                "hookName": "Stop", "content": "Saved."}),
            "Hook Stop: Saved.",
        ),
        (
            json!({"type": "hook_success", "hookEvent": "SessionStart",
                "hookName": "SessionStart:startup", "content": "Be kind.",
                "stdout": "Be kind.\n", "exitCode": 0}),
            "Hook SessionStart:startup: Be kind.",
        ),
        (
            json!({"type": "hook_blocking_error", "hookEvent": "PreToolUse",
                "hookName": "PreToolUse:Bash", "blockingError": {
                    "blockingError": "not here", "command": "guard.sh"}}),
            "Hook PreToolUse:Bash: not here",
        ),
        (
            json!({"type": "hook_non_blocking_error", "stdout": "",
                "hookEvent": "PostToolUse", "hookName": "PostToolUse:Edit",
                "stderr": "no such file", "exitCode": 1}),
            "Hook PostToolUse:Edit: no such file",
        ),
        (
            json!({"type": "hook_non_blocking_error", "stderr": "",
                "hookEvent": "PostToolUse", "stdout": "", "exitCode": 3}),
            "Hook PostToolUse: failed, exit code 3",
        ),
        (
            json!({"type": "hook_error_during_execution", "content": "broken",
                "hookEvent": "PreCompact", "hookName": "PreCompact"}),
            "Hook PreCompact: broken",
        ),
        (
            json!({"type": "hook_stopped_continuation", "message": "enough",
                "hookEvent": "PostToolUse", "hookName": "PostToolUse:Bash"}),
            "Hook PostToolUse:Bash: enough",
        ),
        (
            json!({"type": "hook_cancelled", "hookEvent": "PreToolUse",
                "hookName": "PreToolUse:Bash"}),
            "Hook PreToolUse:Bash: cancelled",
        ),
    ];
    for (attachment, expected) in cases {
        assert_eq!(with(attachment), [expected]);
    }
}

/// The summary of stop hooks has their errors, and the model does not receive
/// what other hooks print.
#[test]
fn an_attachment_of_a_hook_that_says_nothing_new_is_not_shown() {
    let cases = [
        json!({"type": "hook_success", "hookEvent": "PostToolUse",
            "hookName": "PostToolUse:Edit", "content": "formatted"}),
        json!({"type": "hook_success", "hookEvent": "SessionStart",
            "hookName": "SessionStart:startup", "content": "", "stdout": "{}"}),
        json!({"type": "hook_blocking_error", "hookEvent": "Stop",
            "hookName": "Stop", "blockingError": {"blockingError": "no"}}),
        json!({"type": "hook_non_blocking_error", "hookEvent": "SubagentStop",
            "hookName": "SubagentStop", "stderr": "no"}),
        json!({"type": "hook_additional_context", "content": [],
            "hookName": "Stop", "hookEvent": "Stop"}),
        json!({"type": "date_change", "newDate": "2026-11-17"}),
        json!({"type": "hook_permission_decision", "decision": "allow"}),
        json!({"content": "no type"}),
        json!({}),
    ];
    for attachment in cases {
        assert_eq!(with(attachment.clone()), [""; 0], "{attachment}");
    }
}

/// Only the word `document` was shown: neither its title nor its text.
#[test]
fn a_document_in_a_prompt_has_its_title_and_text() {
    let cases = [
        (
            json!({"type": "document", "title": "Notes", "source": {
                "type": "text", "media_type": "text/plain", "data": "a\nb"}}),
            "Block document: Notes\na\nb",
        ),
        (
            json!({"type": "document", "source": {"type": "content",
                "content": [{"type": "text", "text": "one"},
                    {"type": "image"}, {"type": "text", "text": "two"}]}}),
            "Block document\none\ntwo",
        ),
        (
            json!({"type": "document", "title": "A\nB", "source": {
                "type": "base64", "media_type": "application/pdf",
                "data": "JVBERi0="}}),
            "Block document: A B",
        ),
        (
            json!({"type": "document", "source": {"type": "url",
                "url": "https://d.example/x.pdf"}}),
            "Block document: https://d.example/x.pdf",
        ),
        (
            json!({"type": "search_result", "title": "Tape",
                "source": "https://t.example", "content": [
                    {"type": "text", "text": "A tape is long."}]}),
            "Block search_result: Tape https://t.example\nA tape is long.",
        ),
        (json!({"type": "image", "source": {}}), "Block image"),
        (json!({"type": "document"}), "Block document"),
    ];
    for (block, expected) in cases {
        let log = vec![json!({"type": "user", "sessionId": "s", "uuid": "u1",
            "message": {"role": "user", "content": [block,
                {"type": "text", "text": "Read it."}]}})];
        assert_eq!(shown(&[log]), [expected, "Prompt Read it."]);
    }
}
