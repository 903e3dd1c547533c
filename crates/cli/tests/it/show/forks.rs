//! `linetape show` and `linetape stats` on forks, and on sub-agents that are
//! described elsewhere.

use serde_json::{Value, json};

use crate::support::{document, folder, lines::log, linetape, text};

/// A line of a session in a chain of lines.
fn line(session: &str, uuid: &str, parent: &str, more: Value) -> Value {
    let parent = Some(parent).filter(|parent| !parent.is_empty());
    let mut line = json!({"sessionId": session, "uuid": uuid,
        "parentUuid": parent, "timestamp": "2026-10-01T10:00:00Z"});
    for (key, value) in more.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

fn asked(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

fn says(text: &str) -> Value {
    json!({"type": "assistant", "message": {
        "id": format!("msg of {text}"), "role": "assistant",
        "content": [{"type": "text", "text": text}]}})
}

fn calls(id: &str) -> Value {
    json!({"type": "assistant", "message": {"id": "m1", "content": [
        {"type": "tool_use", "id": id, "name": "Task",
            "input": {"description": "d", "prompt": "p"}}]}})
}

fn answers(id: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": "done"}]}})
}

/// The outputs of `show` and `stats`, and the document of `stats`.
fn read(name: &str, files: &[(&str, Vec<Value>)]) -> (String, String, Value) {
    let texts: Vec<_> = files
        .iter()
        .map(|(name, lines)| (*name, String::from_utf8(log(lines)).unwrap()))
        .collect();
    let texts: Vec<_> = texts.iter().map(|(n, t)| (*n, t.as_str())).collect();
    let folder = folder(name, &texts);
    let path = folder.to_str().unwrap();
    let printed = |command: &str| {
        text(&linetape(&[command, path], b"").stdout).to_string()
    };
    let report = document(&linetape(&["stats", "--json", path], b""));
    (printed("show"), printed("stats"), report)
}

/// The session had no heading, and nothing linked it to its fork.
#[test]
fn a_session_whose_lines_are_copies_has_a_heading() {
    let start = |session: &str| {
        vec![
            line(session, "u0", "", asked("Go.")),
            line(session, "u1", "u0", says("One.")),
        ]
    };
    let mut fork = start("s4");
    fork.push(line("s4", "y2", "u1", asked("Another way.")));
    let files = [("a.jsonl", fork.clone()), ("b.jsonl", start("s1"))];
    let (shown, stats, report) = read("whole", &files);
    let expected = "\
--- session s4, 2026-10-01

User  10:00:00
  Go.

Assistant
  One.

User  10:00:00
  Another way.

--- session s1
  (shares its first messages with session s4, where they are shown)
";
    assert_eq!(shown, expected);
    let links = json!([{"session": "s1", "begins_as": "s4"}]);
    assert_eq!(report["links"], links);
    let link = "session s1 begins with messages of session s4\n";
    assert!(stats.contains(link), "{stats}");
    let files = [("a.jsonl", start("s1")), ("b.jsonl", fork)];
    let (shown, _, report) = read("part", &files);
    let expected = "
--- session s4, 2026-10-01
  (shares its first messages with session s1, where they are shown)

User  10:00:00
  Another way.
";
    assert!(shown.ends_with(expected), "{shown}");
    let links = json!([{"session": "s4", "begins_as": "s1"}]);
    assert_eq!(report["links"], links);
}

/// `show` passed over the copies, and so over the origin that they state.
#[test]
fn an_origin_that_copies_state_is_one_link() {
    let from = json!({"sessionId": "s1", "messageUuid": "u0"});
    let mut copy = line("s4", "u0", "", asked("Go."));
    copy["forkedFrom"] = from;
    let fork = vec![copy, line("s4", "y1", "u0", says("Three."))];
    let first = vec![line("s1", "u0", "", asked("Go."))];
    let files = [("a.jsonl", first), ("b.jsonl", fork)];
    let (shown, _, report) = read("stated", &files);
    assert!(shown.contains("--- session s4, forked from s1, 2026-10-01\n"));
    let links = json!([{"session": "s4", "forked_from": "s1"}]);
    assert_eq!(report["links"], links);
}

/// The image of a prompt was printed as if the model had said it.
#[test]
fn an_image_of_a_queued_prompt_is_the_users() {
    let image = json!({"type": "image", "source": {"type": "base64",
        "media_type": "image/png", "data": "aaaa"}});
    let queued = json!({"type": "attachment", "attachment": {
        "type": "queued_command", "commandMode": "prompt",
        "prompt": [{"type": "text", "text": "Look."}, image]}});
    let lines =
        [line("s", "u0", "", says("One.")), line("s", "u1", "u0", queued)];
    let shown = linetape(&["show", "-"], &log(&lines));
    let shown = text(&shown.stdout);
    assert!(shown.ends_with("10:00:00\n  Look.\n  (image)\n"), "{shown}");
}

/// An empty result was printed, and `check` missed a `subtype`.
#[test]
fn a_result_of_another_program_is_not_shown() {
    let log = br#"{"type":"init","timestamp":"2026-10-01T10:00:00Z","session_id":"x","model":"gemini-3-pro"}
{"type":"result","status":"success","stats":{"total_tokens":5,"input_tokens":3,"output_tokens":2},"timestamp":"2026-10-01T10:00:00Z"}
"#;
    let shown = linetape(&["show", "-"], log);
    assert_eq!(text(&shown.stdout), "");
    let checked = linetape(&["check", "--notes", "-"], log);
    let checked = text(&checked.stdout);
    assert!(!checked.contains("subtype"), "{checked}");
}

/// `stats` took the call of a sub-agent from a few places only, and `show`
/// knew more.
#[test]
fn sub_agents_are_linked_to_their_calls() {
    let main = |more: Value, result: Value| {
        let mut answer = line("s", "u3", "u1", answers("t1"));
        answer["toolUseResult"] = result;
        let mut progress = line("s", "u2", "u1", more);
        progress["parentToolUseID"] = json!("t1");
        vec![
            line("s", "u0", "", asked("Go.")),
            line("s", "u1", "u0", calls("t1")),
            progress,
            answer,
        ]
    };
    let mut inner = line("s", "n1", "", says("Two."));
    inner["isSidechain"] = json!(true);
    inner["agentId"] = json!("a1");
    let nested = json!({"type": "progress", "data": {
        "type": "agent_progress", "agentId": "a1", "message": inner.clone()}});
    let other = json!({"type": "progress", "data": {}});
    let named = json!({"agentId": "a1", "status": "completed"});
    let meta = json!({"type": "agent_metadata", "agentType": "Plan",
        "toolUseId": "t1"});
    let mirror = json!({"type": "transcript_mirror", "filePath": "f",
        "entries": [meta.clone(), inner.clone()]});
    let agent = "s/subagents/agent-a1.jsonl";
    let unknown = json!([{"agent": "a1", "type": null, "tool_use_id": "t1"}]);
    let plan = json!([{"agent": "a1", "type": "Plan", "tool_use_id": "t1"}]);
    let (no, file) = (json!(null), vec![inner.clone()]);
    for (name, main, file, expected) in [
        ("nested", main(nested, no.clone()), vec![], &unknown),
        ("result", main(other.clone(), named), file, &unknown),
        ("file", main(other.clone(), no.clone()), vec![meta, inner], &plan),
        ("mirror", [main(other, no), vec![mirror]].concat(), vec![], &plan),
    ] {
        let files = [("s.jsonl", main), (agent, file)];
        let (shown, _, report) = read(name, &files);
        assert_eq!(&report["agents"], expected, "{name}");
        let tied = "> Task d\n\n  | Assistant";
        assert!(shown.contains(tied), "{name}\n{shown}");
    }
}
