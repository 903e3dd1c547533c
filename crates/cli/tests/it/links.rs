//! The links between sessions and sub-agents in `linetape stats`.

use std::fs;

use serde_json::{Value, json};

use crate::{
    state::{append, with_state, without},
    support::{document, file, folder, lines::log, linetape, text},
};

#[test]
fn sessions_and_sub_agents_are_linked() {
    // The lines before the first message of a fork do not state its origin.
    let log = br#"{"type":"continued-in","sessionId":"a","continuedInSessionId":"b"}
{"type":"permission-mode","sessionId":"c","permissionMode":"default"}
{"type":"user","sessionId":"c","forkedFrom":{"sessionId":"a","messageUuid":"u"},"message":{"content":"Hi"}}
{"type":"fork-context-ref","agentId":"x","parentSessionId":"b"}
"#;
    let path = file("agent-x.jsonl", log);
    let meta = br#"{"agentType":"Explore","toolUseId":"t1"}"#;
    file("agent-x.meta.json", meta);
    let path = path.to_str().unwrap();
    let report = document(&linetape(&["stats", "--json", path], b""));
    assert_eq!(
        report["links"],
        json!([
            {"session": "a", "continued_in": "b"},
            {"session": "c", "forked_from": "a"},
            {"session": "b", "agent": "x", "forked_from": "b"},
        ])
    );
    let agents = json!([
        {"agent": "x", "type": "Explore", "tool_use_id": "t1"},
    ]);
    assert_eq!(report["agents"], agents);
    let output = linetape(&["stats", path], b"");
    let shown = text(&output.stdout);
    assert!(shown.contains("session a continues in b\n"), "{shown}");
    assert!(shown.contains("sub-agent x (Explore) was started by t1\n"));
    assert!(shown.contains("sub-agent x was forked from session b\n"));
    let output = linetape(&["show", path], b"");
    let shown = text(&output.stdout);
    assert!(shown.contains("(continued in b)"), "{shown}");
    assert!(shown.contains("--- session c, forked from a"), "{shown}");
    file("agent-x.meta.json", b"{");
    let output = linetape(&["stats", path], b"");
    let complaint = text(&output.stderr);
    assert!(complaint.contains("not a description of a sub-agent"));
}

/// A forked sub-agent was called a session, and the call that started it was
/// not found: it is in the copy of the parent's message.
#[test]
fn a_forked_sub_agent_is_linked_to_its_call() {
    let log = br#"{"type":"fork-context-ref","agentId":"x","parentSessionId":"s"}
{"type":"assistant","sessionId":"s","isSidechain":true,"agentId":"x","message":{"id":"m","content":[{"type":"tool_use","id":"t1","name":"Agent","input":{}}]}}
{"type":"user","sessionId":"s","isSidechain":true,"agentId":"x","message":{"content":"Go"}}
{"type":"assistant","sessionId":"s","isSidechain":true,"agentId":"x","message":{"id":"n","content":[{"type":"tool_use","id":"t2","name":"Read","input":{}}]}}
"#;
    let report = document(&linetape(&["stats", "--json", "-"], log));
    let agents = json!([{"agent": "x", "type": "fork", "tool_use_id": "t1"}]);
    assert_eq!(report["agents"], agents);
    assert_eq!(report["sessions"], 1);
    let shown = linetape(&["show", "-"], log);
    let shown = text(&shown.stdout);
    let note = "(sub-agent x was forked from session s)";
    assert!(shown.contains(note), "{shown}");
}

/// Only lines of their own were read.
#[test]
fn links_and_times_of_mirrored_lines_are_read() {
    let log = br#"{"type":"transcript_mirror","filePath":"f","entries":[{"type":"user","sessionId":"a","timestamp":"2026-01-31T10:00:00Z","message":{"content":"Hi"}},{"type":"continued-in","sessionId":"a","continuedInSessionId":"b"}]}
"#;
    let report = document(&linetape(&["stats", "--json", "-"], log));
    let links = json!([{"session": "a", "continued_in": "b"}]);
    assert_eq!(report["links"], links);
    assert_eq!(report["first_timestamp"], "2026-01-31T10:00:00Z");
}

/// `stats` said "unknown type" where `show` names the type, which is in the
/// input of the call.
#[test]
fn a_sub_agent_has_the_type_that_its_call_asked_for() {
    let call = r#"{"type":"assistant","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"subagent_type":"Explore","prompt":"Go"}}]}}
"#;
    let result = r#"{"type":"user","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]},"toolUseResult":{"agentId":"x"}}
"#;
    let agents =
        json!([{"agent": "x", "type": "Explore", "tool_use_id": "t1"}]);
    let log = [call, result].concat();
    for level in [&[][..], &["--peek"]] {
        let arguments = [&["stats", "--json", "-"], level].concat();
        let report = document(&linetape(&arguments, log.as_bytes()));
        assert_eq!(report["agents"], agents, "{level:?}");
    }
    let shown = linetape(&["stats", "-"], log.as_bytes());
    let shown = text(&shown.stdout);
    let link = "sub-agent x (Explore) was started by t1\n";
    assert!(shown.contains(link), "{shown}");

    // The result may be new in the run after that of the call.
    let path = file("asked.jsonl", call.as_bytes());
    let state = path.with_extension("state");
    _ = fs::remove_file(&state);
    let command = ["stats", "--json"];
    let report = document(&with_state(&command, &state, &[&path]));
    assert_eq!(report["agents"], json!([]));
    fs::write(&path, &log).unwrap();
    let report = document(&with_state(&command, &state, &[&path]));
    assert_eq!(report["agents"], agents);
}

/// The type that the result states counts before the one that the call asks
/// for.
#[test]
fn a_sub_agent_has_the_type_that_the_result_states() {
    for (asked, stated, wanted) in [
        ("Explore", "Plan", "Plan"),
        ("Explore", "", "Explore"),
        ("", "Plan", "Plan"),
        ("", "", "unknown type"),
    ] {
        let call = json!({"type": "tool_use", "id": "t1", "name": "Task",
            "input": {"subagent_type": asked, "prompt": "Go"}});
        let answer = json!({"type": "tool_result", "tool_use_id": "t1"});
        let lines = [
            json!({"type": "assistant", "sessionId": "s",
                "message": {"id": "m", "content": [call]}}),
            json!({"type": "user", "sessionId": "s",
                "message": {"content": [answer]},
                "toolUseResult": {"agentId": "x", "agentType": stated}}),
        ];
        let log = lines.map(|line| format!("{line}\n")).concat();
        let shown = linetape(&["stats", "-"], log.as_bytes());
        let link = format!("sub-agent x ({wanted}) was started by t1\n");
        assert!(text(&shown.stdout).contains(&link), "{link}");
    }
}

/// Lines that describe a sub-agent, and those of it with a call that started
/// it. Other lines are between them.
fn described_and_forked(n: usize, other: &Value) -> Vec<Value> {
    let (described, forked) = (format!("d{n}"), format!("f{n}"));
    let call = json!({"type": "tool_use", "id": format!("t-{forked}"),
        "name": "Agent", "input": {}});
    let said = |agent: &str, content: &Value| {
        json!({"type": "assistant", "sessionId": "s", "agentId": agent,
            "isSidechain": true, "message": {"content": content}})
    };
    vec![
        json!({"type": "agent_metadata", "agentType": "Explore",
            "toolUseId": format!("t-{described}")}),
        other.clone(),
        said(&described, &json!("Hi")),
        json!({"type": "fork-context-ref", "agentId": forked,
            "parentSessionId": "s"}),
        other.clone(),
        said(&forked, &json!("Go")),
        other.clone(),
        said(&forked, &json!([call])),
        json!({"type": "user", "sessionId": "s", "agentId": forked,
            "isSidechain": true, "message": {"content": "Go"}}),
    ]
}

/// Lines that wait for a later one were forgotten between two runs.
#[test]
fn a_state_has_what_waits_for_the_next_line() {
    let logs = folder("logs", &[("0.jsonl", "")]);
    let (mut path, state) = (logs.join("0.jsonl"), logs.join("state"));
    let other = json!({"type": "system", "text": "x".repeat(64)});
    let mut lines = described_and_forked(1, &other);
    let message = json!({"type": "user", "sessionId": "c"});
    let mut copied = message.clone();
    copied["uuid"] = json!("u");
    copied["forkedFrom"] = json!({"sessionId": "s", "messageUuid": "u"});
    let mut same = copied.clone();
    same["sessionId"] = json!("d");
    lines.extend([message, copied, same]);
    let mut last = Value::Null;
    for (n, line) in lines.iter().enumerate() {
        append(&path, &log(std::slice::from_ref(line)));
        last = document(&with_state(&["stats", "--json"], &state, &[&logs]));
        let expected = document(&without(&["stats", "--json"], &[&logs]));
        assert_eq!(last["agents"], expected["agents"], "{n}");
        assert_eq!(last["links"], expected["links"], "{n}");
        let moved = logs.join(format!("{n}.moved.jsonl"));
        fs::rename(&path, &moved).unwrap();
        path = moved;
    }
    let agents = json!([
        {"agent": "d1", "type": "Explore", "tool_use_id": "t-d1"},
        {"agent": "f1", "type": "fork", "tool_use_id": "t-f1"},
    ]);
    assert_eq!(last["agents"], agents);
}

/// The same lines were also forgotten where a block of a large log ends.
#[test]
fn what_waits_for_the_next_line_is_in_any_block() {
    let other = json!({"type": "system", "text": "x".repeat(300_000)});
    let lines: Vec<Value> =
        (10..30).flat_map(|n| described_and_forked(n, &other)).collect();
    let path = file("blocks.jsonl", &log(&lines));
    let report = document(&without(&["stats", "--json"], &[&path]));
    for (name, kind) in [("d", "Explore"), ("f", "fork")] {
        for n in 10..30 {
            let id = format!("{name}{n}");
            let agent = json!({"agent": id, "type": kind,
                "tool_use_id": format!("t-{id}")});
            let agents = report["agents"].as_array().unwrap();
            assert!(agents.contains(&agent), "{id}");
        }
    }
}
