//! `linetape show FILE`: reading order.

use serde_json::{Value, json};

use crate::support::{
    file, folder,
    lines::{self, answer, log, said, words},
    linetape, text,
};

fn shown(arguments: &[&str], name: &str, lines: &[Value]) -> String {
    let path = file(name, &log(lines));
    let arguments = [&["show"], arguments, &[path.to_str().unwrap()]].concat();
    text(&linetape(&arguments, b"").stdout).to_string()
}

/// A message with a tool call.
fn tool(id: &str, name: &str, input: Value) -> Value {
    said(id, lines::call(id, name, input))
}

/// Results came in another order than their calls, and nothing said which was
/// whose.
#[test]
fn a_result_follows_its_call_or_names_it() {
    let lines = [
        tool("t1", "Bash", json!({"command": "one"})),
        tool("t2", "Bash", json!({"command": "two"})),
        answer("t2", json!("second")),
        answer("t1", json!("first")),
    ];
    let expected = "\
--- session s

Assistant
  > Bash one
  < Bash done: first
  > Bash two
  < Bash done: second
";
    assert_eq!(shown(&[], "parallel.jsonl", &lines), expected);
    let live = "\
--- session s

Assistant
  > Bash one
  > Bash two
  < Bash done: second
  < Bash one done: first
";
    let output = linetape(&["show", "-"], &log(&lines));
    assert_eq!(text(&output.stdout), live);
}

/// The name of a file was cut off, and all edits looked alike.
#[test]
fn the_name_of_a_file_is_never_cut_off() {
    let path = format!("/home/{}/name.rs", "deep".repeat(50));
    let lines = [tool(
        "t1",
        "Edit",
        json!({"replace_all": false, "file_path": path,
            "old_string": "a", "new_string": "b\nc"}),
    )];
    for width in ["0", "30", "50"] {
        let shown = shown(&["--width", width], "long.jsonl", &lines);
        assert!(shown.ends_with("/name.rs +2 -1\n"), "{shown}");
        assert!(shown.contains("> Edit ..."), "{shown}");
    }
}

#[test]
fn abandoned_branches_and_summaries_are_collapsed() {
    let line = |uuid: &str, parent: Value, role: &str, content: &str| {
        json!({"type": role, "uuid": uuid, "parentUuid": parent,
            "message": {"content": content}})
    };
    let mut summary = line("f", json!("e"), "user", "So far:\nnothing");
    summary["isCompactSummary"] = json!(true);
    let lines = [
        line("a", Value::Null, "user", "One"),
        line("b", json!("a"), "user", "Twoo"),
        line("c", json!("b"), "assistant", "2?"),
        line("d", json!("a"), "user", "Two"),
        json!({"type": "system", "subtype": "compact_boundary", "uuid": "e",
            "logicalParentUuid": "d",
            "compactMetadata": {"preTokens": 900, "postTokens": 80}}),
        summary,
        line("g", json!("f"), "assistant", "2"),
    ];
    let expected = "\
User
  One
  (abandoned: 2 steps, see --full)
  Two
  (conversation compacted: 900 to 80 tokens)
  (summary of the conversation: 2 lines)

Assistant
  2
";
    assert_eq!(shown(&[], "branches.jsonl", &lines), expected);
    let full = shown(&["--full"], "branches-full.jsonl", &lines);
    for part in ["abandoned: 2 steps", "Twoo", "2?", "So far:\n  nothing"] {
        assert_eq!(full.matches(part).count(), 1, "{part}: {full}");
    }
}

#[test]
fn a_background_task_is_reported_by_its_notification() {
    let mut launched = answer("t1", json!("Launched."));
    launched["toolUseResult"] =
        json!({"status": "async_launched", "agentId": "a1"});
    launched["timestamp"] = json!("2026-01-31T10:00:01Z");
    let mut task =
        tool("t1", "Task", json!({"description": "Dig", "prompt": "p"}));
    task["timestamp"] = json!("2026-01-31T10:00:00Z");
    let notice = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<summary>Agent \"Dig\" completed</summary>\n<result>It is\ndeep.</result>\n</task-notification>";
    let notice = json!({"type": "user", "session_id": "s", "timestamp": "2026-01-31T10:01:00Z",
        "message": {"content": notice}});
    let expected = "\
--- session s, 2026-01-31

Assistant
  > Task Dig
  < Task started in the background: Launched.

Notification  10:01:00
  Agent \"Dig\" completed [completed after 60.0 s]
  (result: 2 lines)
";
    let lines = [task, launched, notice];
    assert_eq!(shown(&[], "background.jsonl", &lines), expected);
}

#[test]
fn the_file_of_a_sub_agent_is_shown_at_its_call() {
    let main = log(&[
        tool("t1", "Task", json!({"description": "Dig", "prompt": "p"})),
        said("m9", words("Done.")),
    ]);
    let mut inner = said("m1", words("It is deep."));
    inner["isSidechain"] = json!(true);
    inner["agentId"] = json!("a1");
    let inner = log(&[inner]);
    let path = folder(
        "agents",
        &[
            ("s.jsonl", text(&main)),
            ("s/subagents/agent-a1.jsonl", text(&inner)),
            (
                "s/subagents/agent-a1.meta.json",
                r#"{"agentType":"Explore","toolUseId":"t1"}"#,
            ),
        ],
    );
    let output = linetape(&["show", path.to_str().unwrap()], b"");
    let shown = text(&output.stdout);
    let expected = "  > Task Dig\n\n  | Assistant (sub-agent Explore: Dig)\n  |   It is deep.\n\nAssistant\n  Done.\n";
    assert!(shown.ends_with(expected), "{shown}");
}

/// Sub-agents have files in a folder with the name of the session, and were
/// missing unless the folder was given.
#[test]
fn the_sub_agents_of_a_file_are_read_too() {
    let task = json!({"description": "look", "prompt": "Look around"});
    let main = log(&[tool("t1", "Task", task), answer("t1", json!("Found"))]);
    let mut step = said("m2", words("Steps of the agent"));
    step["agentId"] = json!("ab12");
    step["isSidechain"] = json!(true);
    let mut asked = json!({"type": "user", "session_id": "s",
        "message": {"content": "Look around"}});
    asked["agentId"] = json!("ab12");
    asked["isSidechain"] = json!(true);
    let agent = log(&[asked, step]);
    let folder = folder(
        "beside",
        &[
            ("s.jsonl", text(&main)),
            ("s/subagents/agent-ab12.jsonl", text(&agent)),
            (
                "s/subagents/agent-ab12.meta.json",
                r#"{"agentType":"Explore","toolUseId":"t1"}"#,
            ),
            ("s/tool-results/b.txt", "not a log"),
        ],
    );
    let path = folder.join("s.jsonl");
    let path = path.to_str().unwrap();
    let whole = linetape(&["show", folder.to_str().unwrap()], b"").stdout;
    let output = linetape(&["show", path], b"");
    assert!(text(&output.stdout).contains("Steps of the agent"), "{output:?}");
    assert_eq!(text(&output.stdout), text(&whole));
    // Given twice, it is read once.
    let agent = folder.join("s/subagents/agent-ab12.jsonl");
    let output = linetape(&["show", path, agent.to_str().unwrap()], b"");
    assert_eq!(text(&output.stdout), text(&whole));
    let output = linetape(&["report", path, "-o", "-"], b"");
    let page = text(&output.stdout);
    assert_eq!(page.matches("Steps of the agent").count(), 1, "{output:?}");
    assert!(page.contains("Explore"));
}
