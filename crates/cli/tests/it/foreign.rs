//! Logs of agents that linetape does not know.

use crate::{
    follow::append,
    support::{file, folder, linetape, text},
};

const CODEX: &str = "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{}}\n\
    {\"timestamp\":\"t\",\"type\":\"event_msg\",\"payload\":{}}\n";

/// `show`, `report` and `usage` of such logs printed nothing, with the exit
/// code 0.
#[test]
fn logs_of_no_known_agent_are_named() {
    let codex = file("codex.jsonl", CODEX.as_bytes());
    let codex = codex.to_str().unwrap();
    let site = folder("site", &[]);
    let site = site.to_str().unwrap();
    let expected = format!(
        "{codex}: 2 records, none of a known agent (looks like Codex)"
    );
    for command in [
        &["show"][..],
        &["show", "--markdown"],
        &["usage"],
        &["usage", "--peek", "--by", "day"],
        &["report", "-o", site],
        &["report", "--redact", "-o", "-"],
    ] {
        let output = linetape(&[command, &[codex]].concat(), b"");
        let messages = text(&output.stderr);
        assert!(messages.contains(&expected), "{command:?}: {messages}");
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert_eq!(text(&output.stdout), "", "{command:?}");
    }
    assert_eq!(std::fs::read_dir(site).unwrap().count(), 0);
    for command in ["show", "usage"] {
        let output = linetape(&[command, "-"], CODEX.as_bytes());
        let expected =
            "standard input: 2 records, none of a known agent (looks like";
        assert!(text(&output.stderr).contains(expected), "{command}");
        assert_eq!(output.status.code(), Some(2), "{command}");
    }
    let pi =
        "{\"type\":\"session\",\"id\":\"s\",\"cwd\":\"/\",\"version\":3}\n";
    let folder = folder("two", &[("a.jsonl", pi), ("b.jsonl", "{\"n\":1}\n")]);
    let output = linetape(&["usage", folder.to_str().unwrap()], b"");
    let expected = "linetape: 2 inputs: 2 records, none of a known agent \
                    (looks like Pi)\n";
    assert!(text(&output.stderr).ends_with(expected));
}

/// Gemini ends a stream with a line whose type is one of Claude Code's.
#[test]
fn a_few_types_with_the_same_name_do_not_make_an_agent_known() {
    let gemini = "{\"type\":\"init\",\"session_id\":\"s\",\"model\":\"gemini\"}\n\
        {\"type\":\"message\",\"role\":\"user\",\"content\":\"Hi\"}\n\
        {\"type\":\"result\",\"status\":\"success\"}\n";
    let output = linetape(&["usage", "-"], gemini.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    let expected = "3 records, none of a known agent (looks like Gemini)";
    assert!(text(&output.stderr).contains(expected));
}

/// The second run read no records, and said that there is no usage.
#[test]
fn a_state_remembers_that_logs_are_foreign() {
    let folder = folder("state", &[("logs/codex.jsonl", CODEX)]);
    let state = folder.join("usage.state");
    let (state, logs) = (state.to_str().unwrap(), folder.join("logs"));
    for _ in 0..2 {
        let arguments = ["usage", "--state", state, logs.to_str().unwrap()];
        let output = linetape(&arguments, b"");
        assert!(text(&output.stderr).contains("(looks like Codex)"));
        assert_eq!(output.status.code(), Some(2));
    }
}

/// A log that had grown was another input.
#[test]
fn a_foreign_log_that_grows_is_one_input() {
    let folder = folder("state", &[("logs/a.jsonl", "")]);
    let state = folder.join("usage.state");
    let (state, logs) = (state.to_str().unwrap(), folder.join("logs"));
    for count in ["2 records", "4 records"] {
        append(&logs.join("a.jsonl"), CODEX);
        let arguments = ["usage", "--state", state, logs.to_str().unwrap()];
        let output = linetape(&arguments, b"");
        let message = text(&output.stderr);
        let expected = format!("a.jsonl: {count}, none of a known agent");
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn logs_with_a_known_agent_are_read() {
    let user = "{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\
        \"role\":\"user\",\"content\":\"Hi\"}}\n";
    // Most of the records are of the other one.
    let folder = folder("both", &[("a.jsonl", CODEX), ("b.jsonl", user)]);
    for command in ["show", "usage"] {
        let output = linetape(&[command, folder.to_str().unwrap()], b"");
        assert_eq!(output.status.code(), Some(0), "{command}");
    }
    // In one file, too.
    let output = linetape(&["show", "-"], [CODEX, user].concat().as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("has lines of Codex"));
    // Without records, there is nothing to recognise.
    let output =
        linetape(&["usage", file("e.jsonl", b"").to_str().unwrap()], b"");
    assert_eq!(text(&output.stdout), "No token usage.\n");
    assert_eq!(output.status.code(), Some(0));
}
