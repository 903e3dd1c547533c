//! What is not said but attached: the words of hooks, and documents.

use serde_json::{Value, json};

use crate::conversation::{read, shown};

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
            "Hook PostToolUse: Exit code 3",
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
        (
            json!({"type": "async_hook_response", "hookEvent": "PostToolUse",
                "hookName": "PostToolUse:Edit", "response": {
                    "systemMessage": "Late.", "hookSpecificOutput": {
                        "additionalContext": "It is formatted."}}}),
            "Hook PostToolUse:Edit: Late.\nIt is formatted.",
        ),
    ];
    for (attachment, expected) in cases {
        assert_eq!(with(attachment), [expected]);
    }
}

/// The model does not receive what other hooks print.
#[test]
fn an_attachment_that_says_nothing_is_not_shown() {
    let cases = [
        json!({"type": "hook_success", "hookEvent": "PostToolUse",
            "hookName": "PostToolUse:Edit", "content": "formatted"}),
        json!({"type": "hook_success", "hookEvent": "SessionStart",
            "hookName": "SessionStart:startup", "content": "", "stdout": "{}"}),
        json!({"type": "hook_additional_context", "content": [],
            "hookName": "Stop", "hookEvent": "Stop"}),
        json!({"type": "date_change", "newDate": "2026-11-17"}),
        json!({"type": "hook_permission_decision", "decision": "allow"}),
        json!({"type": "hook_blocking_error", "hookName": "N",
            "blockingError": {}}),
        json!({"type": "hook_non_blocking_error", "exitCode": null}),
        json!({"type": "hook_additional_context", "content": [null]}),
        json!({"type": "async_hook_response", "response": {}}),
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

/// Files that the model was shown left no trace.
#[test]
fn a_file_that_the_user_mentioned_is_shown() {
    let cases = [
        (
            json!({"type": "file", "filename": "/w/a.rs",
                "displayPath": "a.rs", "content": {"type": "text",
                    "file": {"filePath": "/w/a.rs", "content": "let a;\n"}}}),
            "Block file: a.rs\nlet a;\n",
        ),
        (
            json!({"type": "file", "filename": "/w/a.png", "content": {
                "type": "image", "file": {"base64": "AAAA"}}}),
            "Block file: /w/a.png",
        ),
        (
            json!({"type": "edited_text_file", "filename": "/w/a.rs",
                "snippet": "1\tlet b;"}),
            "Block edited file: /w/a.rs\n1\tlet b;",
        ),
    ];
    for (attachment, expected) in cases {
        assert_eq!(with(attachment), [expected]);
    }
}

/// Returns the steps of stop hooks that report themselves, and of the summary
/// of them.
fn stopped(attachments: &[Value], summary: Option<Value>) -> Vec<String> {
    let attached = attachments.iter().map(|attachment| {
        json!({"type": "attachment", "sessionId": "s",
            "attachment": attachment})
    });
    let mut log: Vec<Value> = attached.collect();
    if let Some(mut summary) = summary {
        summary["type"] = "system".into();
        summary["subtype"] = "stop_hook_summary".into();
        summary["sessionId"] = "s".into();
        log.push(summary);
    }
    shown(&[log])
}

/// The errors of stop hooks were shown only if there was a summary of them, and
/// its reason was shown twice.
#[test]
fn what_stop_hooks_say_is_shown_once() {
    let error = json!({"type": "hook_non_blocking_error", "stderr": "no",
        "hookEvent": "SubagentStop", "hookName": "SubagentStop"});
    let stop = json!({"type": "hook_stopped_continuation", "hookName": "Stop",
        "hookEvent": "Stop", "message": "enough"});
    let both = [error.clone(), stop];
    let known = json!({"hookErrors": ["no\n"], "stopReason": "enough",
        "preventedContinuation": true});
    let steps = ["Hook SubagentStop: no", "Hook Stop: enough"];
    assert_eq!(stopped(&both, None), steps);
    assert_eq!(stopped(&both, Some(known.clone())), steps);
    assert_eq!(stopped(&[], Some(known.clone())), ["Hook no\n\nenough"]);
    let other = json!({"hookErrors": ["no", "broken"]});
    let said = stopped(&[error], Some(other));
    assert_eq!(said, ["Hook SubagentStop: no", "Hook no\nbroken"]);
    // Other hooks, and those of other turns, may say the same.
    let later = |event: &str| {
        let earlier = json!({"type": "hook_non_blocking_error",
            "hookEvent": event, "hookName": event, "stderr": "no"});
        let log = vec![
            json!({"type": "user", "sessionId": "s", "uuid": "u1",
                "message": {"role": "user", "content": "One"}}),
            json!({"type": "attachment", "sessionId": "s",
                "attachment": earlier}),
            json!({"type": "user", "sessionId": "s", "uuid": "u2",
                "message": {"role": "user", "content": "Two"}}),
            json!({"type": "system", "subtype": "stop_hook_summary",
                "sessionId": "s", "hookErrors": ["no"]}),
        ];
        shown(&[log]).pop()
    };
    assert_eq!(later("Stop").as_deref(), Some("Hook no"));
    let tool = json!({"type": "hook_blocking_error", "hookName": "T",
        "hookEvent": "PostToolUse", "blockingError": {"blockingError": "no"}});
    let shown = stopped(&[tool], Some(json!({"hookErrors": ["no"]})));
    assert_eq!(shown, ["Hook T: no", "Hook no"]);
    let silent = json!({"preventedContinuation": true});
    assert_eq!(stopped(&[], Some(silent)), ["Hook "]);
    assert_eq!(stopped(&[], Some(json!({"hookErrors": []}))), [""; 0]);
}

/// A turn that begins with an image had no prompt.
#[test]
fn the_prompt_of_a_turn_is_its_first_text() {
    let asked = |content: Value| {
        vec![json!({"type": "user", "sessionId": "s", "uuid": "u1",
            "message": {"role": "user", "content": content}})]
    };
    let image = json!({"type": "image", "source": {}});
    let text = json!({"type": "text", "text": "Look."});
    let answer = json!({"type": "assistant", "sessionId": "s", "uuid": "a1",
        "message": {"content": [{"type": "fallback"},
            {"type": "text", "text": "No."}]}});
    let cases = [
        (asked(json!([image, text])), Some("Look.")),
        (asked(json!([text, image])), Some("Look.")),
        (asked(json!([image])), Some("image")),
        (vec![answer], None),
    ];
    for (log, expected) in cases {
        let (conversation, mut recall) = read(&[log]);
        let session = conversation.sessions().next().unwrap();
        let turn = session.turns().next().unwrap();
        let prompt = turn.prompt().map(|step| {
            let text = recall.step(step, |f| step.text(f).into_owned());
            text.unwrap().unwrap()
        });
        assert_eq!(prompt.as_deref(), expected);
    }
}
