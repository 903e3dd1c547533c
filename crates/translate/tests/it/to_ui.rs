//! `ToUi`: translation into events of an agent server.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    reference::naive_events,
    run::{answer_line, answers, call_line, calls, events, log, says},
    texts,
    words::{one_of, shuffled},
};

fn ended(reason: &str) -> Value {
    json!({"type": "result", "subtype": "success", "session_id": "s1",
        "is_error": false, "stop_reason": reason})
}

fn only(line: Value) -> Vec<Value> {
    events(&log(&[line]), &[9])
}

#[test]
fn text_of_a_truncated_stream_is_not_repeated() {
    let delta = |text: &str| {
        json!({"type": "stream_event", "session_id": "s1", "event": {
            "type": "content_block_delta",
            "delta": {"type": "text_delta", "text": text}}})
    };
    let whole = |id: &str| {
        json!({"type": "assistant", "session_id": "s1", "message": {"id": id,
            "content": [{"type": "text", "text": "Hello"}]}})
    };
    let lines = [delta("lo"), whole("m1"), whole("m1"), whole("m2")];
    let texts: Vec<_> = events(&log(&lines), &[9])
        .iter()
        .map(|event| event["TextChunk"]["text"].clone())
        .collect();
    assert_eq!(texts, ["lo", "Hello"]);
    // Without an id, the next message is taken for the streamed one.
    let nameless = [delta("lo"), says("Hello"), says("Hello")];
    assert_eq!(events(&log(&nameless), &[9]).len(), 2);
    // Each session has its own stream.
    let mut other = whole("m1");
    other["session_id"] = json!("s2");
    assert_eq!(events(&log(&[delta("lo"), other]), &[9]).len(), 2);
    // The end of a run ends its stream.
    let lines = [delta("lo"), ended("end_turn"), whole("m1")];
    assert_eq!(events(&log(&lines), &[9]).len(), 3);
}

#[test]
fn permission_target_and_level_by_tool_input() {
    let request = |tool: &str, input: Value| {
        let line = json!({"type": "control_request", "request": {
            "subtype": "can_use_tool", "tool_name": tool, "tool_use_id": "t1",
            "input": input, "decision_reason": "a rule"}});
        only(line)[0]["PermissionRequired"]["request"].clone()
    };
    for (tool, input, target_type, target, level) in [
        ("Bash", json!({"command": "ls /"}), "Command", "ls /", "Execute"),
        ("Read", json!({"file_path": "/a"}), "Path", "/a", "Read"),
        ("Edit", json!({"file_path": "/a"}), "Path", "/a", "Write"),
        (
            "NotebookEdit",
            json!({"notebook_path": "/n"}),
            "Path",
            "/n",
            "Write",
        ),
        ("Grep", json!({"path": "/d"}), "Path", "/d", "Read"),
        (
            "WebFetch",
            json!({"url": "https://u@a.org:8080/x?y"}),
            "Domain",
            "a.org",
            "Read",
        ),
        (
            "WebFetch",
            json!({"url": "http://[::1]"}),
            "Domain",
            "[::1]",
            "Read",
        ),
        (
            "WebFetch",
            json!({"url": "http://[::1]:80/"}),
            "Domain",
            "[::1]",
            "Read",
        ),
        ("WebFetch", json!({"url": "a.org"}), "Domain", "a.org", "Read"),
        ("mcp__x", json!({}), "Command", "mcp__x", "Execute"),
    ] {
        let expected = json!({"target_type": target_type, "target": target,
            "level": level, "description": tool, "reason": "a rule",
            "recursive": tool == "Grep"});
        assert_eq!(request(tool, input), expected);
    }
}

#[test]
fn ask_user_question_is_one_user_interaction_required() {
    let input = json!({"questions": [
        {"question": "Which?", "multiSelect": true,
            "options": [{"label": "a"}, {"label": "b"}]},
        {"question": "One?", "options": [{"label": "a"}]},
        {"question": "Why?"},
    ]});
    let call = calls("t1", "AskUserQuestion", input.clone());
    let ask = json!({"type": "control_request", "request": {
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion",
        "tool_use_id": "t1", "input": input}});
    let found = events(&log(&[call, ask]), &[9]);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["ToolExecuting"]["tool_name"], "AskUserQuestion");
    let expected = json!([
        {"id": "q1", "text": "Which?", "question_type": "MultipleChoice",
            "options": ["a", "b"], "required": true},
        {"id": "q2", "text": "One?", "question_type": "SingleChoice",
            "options": ["a"], "required": true},
        {"id": "q3", "text": "Why?", "question_type": "FreeText",
            "required": true},
    ]);
    let asked = &found[1]["UserInteractionRequired"]["request"]["questions"];
    assert_eq!(*asked, expected);
}

#[test]
fn error_events_have_the_most_specific_message() {
    let failed = |more: Value| {
        let mut line = json!({"type": "result", "subtype": "error_max_turns",
            "session_id": "s1", "is_error": true});
        let more = more.as_object().unwrap().clone();
        line.as_object_mut().unwrap().extend(more);
        line
    };
    let api = json!({"type": "assistant", "session_id": "s1",
        "isApiErrorMessage": true, "message": "Overloaded"});
    for (line, expected) in [
        (failed(json!({})), "error_max_turns"),
        (failed(json!({"result": "Away"})), "Away"),
        (failed(json!({"result": "", "errors": ["a", "b"]})), "a\nb"),
        (failed(json!({"error": "Gone", "errors": ["a"]})), "Gone"),
        (api, "Overloaded"),
        (json!({"type": "error", "session_id": "s1", "error": "x"}), "x"),
        (
            json!({"type": "system", "subtype": "api_error", "session_id": "s1"}),
            "api_error",
        ),
    ] {
        let message = json!({"message": expected, "session_id": 1});
        assert_eq!(only(line), [json!({"Error": message})]);
    }
}

#[test]
fn slash_command_output_is_display_and_command_complete() {
    let user = |text: &str| json!({"type": "user", "session_id": "s1", "message": {"content": text}});
    let system = |text: &str| {
        json!({"type": "system", "subtype": "local_command",
            "session_id": "s1", "content": text})
    };
    let name =
        "<command-name>/cost</command-name>\n<command-args></command-args>";
    let output = "<local-command-stdout>1 $</local-command-stdout>";
    let empty = "<local-command-stdout></local-command-stdout>";
    let shown = json!({"Display": {"content": "1 $", "session_id": 1}});
    let over =
        json!({"CommandComplete": {"command": "/cost", "session_id": 1}});
    for says in [&user as &dyn Fn(&str) -> Value, &system] {
        let lines = [says(name), says(output), says(output)];
        let expected = [shown.clone(), over.clone(), shown.clone()];
        assert_eq!(events(&log(&lines), &[9]), expected);
        let lines = [says(name), says(empty)];
        assert_eq!(events(&log(&lines), &[9]), std::slice::from_ref(&over));
    }
    assert!(only(user(&format!("See {output}"))).is_empty());
    let wrong = output.replace("stdout", "stderr");
    assert_eq!(only(user(&wrong)), [shown]);
}

/// Generates a complete stream, a single line, or the end of a run.
pub fn any_lines() -> impl Strategy<Value = Vec<Value>> {
    let session = one_of(&["s1", "s2", "s3"]);
    let reason = one_of(&["end_turn", "max_tokens", "tool_use", "refusal"]);
    let id = one_of(&["m1", "m2"]);
    let usage = (0..3_u64, 0..3_u64).prop_map(|(a, b)| {
        json!({"input_tokens": a, "cache_read_input_tokens": b,
            "output_tokens": a + b})
    });
    (0..11_u8, session, reason, id, usage, any::<[bool; 3]>()).prop_map(
        |(kind, session, reason, id, usage, [named, side, more])| {
            let said = json!({"type": "assistant", "message": {"id": id,
                "usage": usage, "content": [{"type": "text", "text": "Hello"},
                    {"type": "tool_use", "id": id, "name": "Read",
                        "input": {"b": [1, 0.5], "a": null}}]}});
            let piece =
                |event: Value| json!({"type": "stream_event", "event": event});
            let mut lines = match kind {
                0 | 1 => vec![said],
                2 | 3 => vec![
                    piece(json!({"type": "message_start",
                        "message": {"id": id, "usage": usage}})),
                    piece(json!({"type": "content_block_delta", "delta":
                        {"type": "text_delta", "text": "Hel"}})),
                    piece(json!({"type": "content_block_delta", "delta":
                        {"type": "text_delta", "text": "lo"}})),
                    said,
                    piece(json!({"type": "message_delta",
                        "delta": {"stop_reason": reason},
                        "usage": {"output_tokens": 7}})),
                ],
                4 if more => vec![answers(&id, json!("one\ntwo"))],
                4 => vec![answers(
                    &id,
                    json!([{"type": "text", "text": "one"},
                    {"type": "image"}, {"type": "text", "text": "two"}]),
                )],
                5 if more => vec![ended(&reason)],
                5 => vec![json!({"type": "result", "subtype": "success"})],
                6 => vec![json!({"type": "result", "is_error": true,
                    "subtype": "error_max_turns"})],
                7 => vec![json!({"type": "system", "subtype": "status"})],
                8 => vec![call_line(&id, "Read", json!({"a": [1]}))],
                9 => vec![answer_line(&id, side, more)],
                _ => vec![json!({"type": "error", "error": {"message": "x"}})],
            };
            let is_stream = lines.len() > 1;
            for line in &mut lines {
                let members = line.as_object_mut().unwrap();
                members.remove("session_id");
                if named || is_stream {
                    members.insert("session_id".into(), json!(session));
                }
                if side && !is_stream {
                    members.insert("parent_tool_use_id".into(), json!("t"));
                }
            }
            lines
        },
    )
}

proptest! {
    #![proptest_config(texts::cases(256))]

    #[test]
    fn events_agree_with_the_reference(
        lines in prop::collection::vec(any_lines(), 0..12),
        seed in any::<u64>(),
        plan in prop::collection::vec(1..90_usize, 1..5),
    ) {
        let lines = lines.concat();
        let text: String =
            lines.iter().map(|l| shuffled(l, seed) + "\n").collect();
        prop_assert_eq!(events(&text, &plan), naive_events(&lines));
    }
}
