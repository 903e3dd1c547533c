//! `linetape show`: the text for each kind of message.

use std::fs;

use crate::support::{
    lines::{answer, call, init, log, printed, said, words},
    linetape, shipped, text,
};
use serde_json::{Value, json};

/// A streamed message is shown once: when it arrives whole, or else at the
/// end.
#[test]
fn a_truncated_message_is_shown() {
    let log = r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1"}}}
{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It is"}}}
"#;
    let output = linetape(&["show", "-"], log.as_bytes());
    let expected = "Assistant\n  It is\n  (message truncated)\n";
    assert_eq!(text(&output.stdout), expected);
    // The note is where the message was truncated, not at the end of the log.
    let next = r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"m2"}}}
{"type":"assistant","message":{"id":"m2","content":"Again."}}"#;
    let both = format!("{log}{next}");
    let output = linetape(&["show", "-"], both.as_bytes());
    let both = format!("{expected}  Again.\n");
    assert_eq!(text(&output.stdout), both);
    let (silent, _) = log.split_once('\n').unwrap();
    let output = linetape(&["show", "-"], silent.as_bytes());
    let expected = "Assistant\n  (message truncated)\n";
    assert_eq!(text(&output.stdout), expected);

    let stop = r#"{"type":"stream_event","event":{"type":"message_stop"}}"#;
    let whole = r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"It is so."}]}}"#;
    // It was called truncated if it never arrived whole, although it had ended.
    let output = linetape(&["show", "-"], format!("{log}{stop}\n").as_bytes());
    assert_eq!(text(&output.stdout), "Assistant\n  It is\n");
    for end in [
        format!("{log}{stop}\n{whole}\n"),
        format!("{log}{whole}\n{stop}\n"),
        format!("{log}{whole}\n"),
    ] {
        let output = linetape(&["show", "-"], end.as_bytes());
        assert_eq!(text(&output.stdout), "Assistant\n  It is so.\n");
    }
}

#[test]
fn the_old_form_of_calls_thoughts_and_sidechains_is_readable() {
    // From a pipe: a file is not shown in the order of its lines.
    let log = fs::read(shipped("transcript.jsonl")).unwrap();
    let output = linetape(&["show", "-"], &log);
    let expected = "\
--- session walk, 2025-03-04

User  08:00:00
  Draw me a map

  | User (sub-agent)  08:00:05
  |   Look at these roads

Assistant
  A map it shall be.
  > Write /maps/roads.svg +2

  | Assistant (sub-agent)
  |   ~ North is up.

Assistant
  < Write /maps/roads.svg done after 10.0 s

System
  /maps is read-only
  (conversation_compacting)
  (conversation_compacted)
  (conversation_restoring)
  (conversation_restored)

Assistant
  /compact
  The pen broke

User  08:01:15
  Never mind

User  08:01:20
  Draw it in ink
";
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn the_old_form_of_results_is_that_of_their_calls() {
    let call = |uuid: &str, time: u64| {
        json!({
            "type": "assistant", "uuid": uuid, "sessionId": "s",
            "timestamp": format!("2026-01-01T00:00:0{time}Z"),
            "subtype": "tool_use", "toolName": "Read",
            "toolArguments": ["a", 1],
        })
    };
    let answer = |of: &str, subtype: &str, said: &str| {
        json!({
            "type": "system", "uuid": format!("answer to {of}"),
            "parentUuid": of, "sessionId": "s", "message": said,
            "subtype": subtype, "timestamp": "2026-01-01T00:00:05.5Z",
        })
    };
    let lines = [
        call("u1", 1),
        answer("u1", "tool_result", "one\ntwo"),
        call("u2", 2),
        answer("u2", "error", "gone"),
        answer("u9", "error", "What now?"),
    ];
    let expected = "\
--- session s, 2026-01-01

Assistant
  > Read [\"a\",1]
  < Read done after 4.5 s [2 lines]
  > Read [\"a\",1]
  < Read failed after 3.5 s: gone

System
  What now?
";
    assert_eq!(printed(&["show"], &log(&lines)), expected);
}

#[test]
fn the_events_of_a_server_are_readable() {
    let path = shipped("agent_server.jsonl");
    let output = linetape(&["show", path.to_str().unwrap()], b"");
    let expected = "\
--- session 1

Assistant
  Good da

User
  Hi
  Hi again

--- session 2

Assistant
  > read_file a.txt
  < read_file done: two lines

--- session 5

Server
  the model is away
  the house is on fire
  no session at all

--- session 6

Server
  warming up
  cooling down

--- session -7

Server
  Three commands
";
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn an_answer_that_comes_in_pieces_is_put_together() {
    let chunk = |text: &str, session: i64| {
        let chunk = json!({ "text": text, "session_id": session });
        json!({ "TextChunk": chunk })
    };
    let done = json!({ "Complete": { "session_id": 1 } });
    let lines = [
        chunk("Good ", 1),
        json!({ "TokenUpdate": { "output_tokens": 2, "session_id": 1 } }),
        chunk("day.\nHow a", 1),
        chunk("re you?", 1),
        done.clone(),
        chunk("Fine.", 1),
        chunk("Other.", 2),
        json!({ "Display": { "content": "News", "session_id": 2 } }),
        chunk("The ", 2),
        chunk("end.", 2),
        json!({ "type": "user", "message": "Go", "isSidechain": true }),
    ];
    let expected = "\
--- session 1

Assistant
  Good day.
  How are you?

Assistant
  Fine.

--- session 2

Assistant
  Other.

Server
  News

Assistant
  The end.

  | User (sub-agent)
  |   Go
";
    assert_eq!(printed(&["show"], &log(&lines)), expected);
}

#[test]
fn sub_agents_are_indented_and_odd_blocks_named() {
    let mut side = said("m2", words("a\n\n\tb\n\n"));
    side["parent_tool_use_id"] = json!("t1");
    let image = json!([{ "type": "image", "source": {} }]);
    let mut silent = said("m3", words(" \n"));
    silent["session_id"] = json!("silent");
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary",
        "session_id": "next",
    });
    let lines = [
        said("m1", call("t1", "Task", json!({ "n": [1], "ok": true }))),
        side,
        answer("t1", image),
        answer("t9", json!("\n\nlate\n")),
        said("m4", json!({ "type": "new_thing" })),
        said("m5", json!({ "type": "thinking", "thinking": "" })),
        silent,
        boundary,
        json!({ "type": "error", "error": { "message": "Overloaded" } }),
        json!({ "type": "result", "total_cost_usd": -0.0,
                    "is_error": true, "session_id": "last" }),
    ];
    let expected = "\
--- session s

Assistant
  > Task n: [1], ok: true

  | Assistant (sub-agent)
  |   a
  |
  |       b

Assistant
  < Task n: [1], ok: true done: (image)
  < a tool done: late
  (new_thing)

--- session next
  (conversation compacted)

Error
  Overloaded

--- session last

Result: error, $0
";
    assert_eq!(printed(&["show"], &log(&lines)), expected);
}

/// A prompt with a timestamp.
fn prompt(timestamp: &str, text: &str) -> Value {
    json!({
        "type": "user", "session_id": "s", "timestamp": timestamp,
        "message": { "content": text },
    })
}

#[test]
fn prompts_have_the_time_of_the_log_and_days_are_named_once() {
    let lines = [
        init(),
        prompt("2026-01-31T09:14:07.120Z", "One"),
        prompt("2026-01-31T09:14:07.990Z", "still one"),
        prompt("2026-01-31T23:59:59+02:00", "Two"),
        said("m1", words("Yes")),
        prompt("2026-02-01T00:00:00Z", "Three"),
        prompt("soon", "Four"),
        prompt("2026-02-01T00:00:01Z", "Five"),
    ];
    let mut other = prompt("2026-02-01T00:00:02Z", "Six");
    other["session_id"] = json!("t");
    let mut lines = lines.to_vec();
    lines.push(other);
    let expected = "\
--- session s
  (model: unknown)

User  2026-01-31 09:14:07
  One
  still one

User  23:59:59
  Two

Assistant
  Yes

User  2026-02-01 00:00:00
  Three

User
  Four

User  00:00:01
  Five

--- session t, 2026-02-01

User  00:00:02
  Six
";
    assert_eq!(printed(&["show"], &log(&lines)), expected);
}

#[test]
fn messages_of_the_program_are_not_shown_as_the_users() {
    let mut caveat = prompt("2026-01-31T09:14:07Z", "Do not answer this.");
    caveat["isMeta"] = json!(true);
    let mut summary = prompt("2026-01-31T09:14:08Z", "What was said before.");
    summary["isCompactSummary"] = json!(true);
    let lines = [caveat, summary, prompt("2026-01-31T09:14:09Z", "Go on.")];
    let expected = "\
--- session s, 2026-01-31

Program
  Do not answer this.
  (summary of the conversation: 1 line)

User  09:14:09
  Go on.
";
    assert_eq!(printed(&["show"], &log(&lines)), expected);
}

#[test]
fn sub_agents_are_distinguished_and_named() {
    let of = |members: Value, mut line: Value| {
        let line_members = line.as_object_mut().unwrap();
        line_members.extend(members.as_object().unwrap().clone());
        line
    };
    let task = |id: &str, input: Value| said("m1", call(id, "Task", input));
    let says = |text: &str| said("m2", words(text));
    let call = |id: &str| json!({ "parent_tool_use_id": id });
    let agent = |id: &str| json!({ "isSidechain": true, "agentId": id });
    let lines = [
        task(
            "t1",
            json!({ "description": "Find it", "prompt": "Find the loop.",
                    "subagent_type": "explorer" }),
        ),
        task("t2", json!({ "prompt": "?", "description": "Guess" })),
        task("t3", json!({ "description": "This starts nobody" })),
        of(call("t1"), says("One")),
        of(call("t1"), says("more")),
        of(call("t2"), says("Two")),
        of(call("t3"), says("Three")),
        of(agent("a1"), says("Four")),
        of(agent("a2"), says("Five")),
        of(
            json!({ "parent_tool_use_id": "t1", "subagent_type": "planner",
                    "task_description": "Plan it" }),
            says("Six"),
        ),
        says("Seven"),
    ];
    let expected = "\
--- session s

Assistant
  > Task Find it (explorer)
  > Task Guess
  > Task This starts nobody

  | Assistant (sub-agent explorer: Find it)
  |   One
  |   more
  |
  | Assistant (sub-agent: Guess)
  |   Two
  |
  | Assistant (sub-agent)
  |   Three
  |
  | Assistant (sub-agent a1)
  |   Four
  |
  | Assistant (sub-agent a2)
  |   Five
  |
  | Assistant (sub-agent planner: Plan it)
  |   Six

Assistant
  Seven
";
    assert_eq!(printed(&["show"], &log(&lines)), expected);
}

#[test]
fn results_of_server_tools_are_shown() {
    let calls = |id: &str, name: &str| {
        let call = json!({ "type": "server_tool_use", "id": id, "name": name,
                           "input": {} });
        said("m1", call)
    };
    let gives = |kind: &str, id: &str, content: Value| {
        let block = json!({ "type": format!("{kind}_tool_result"),
                            "tool_use_id": id, "content": content });
        said("m1", block)
    };
    let page = |title: &str, url: &str| json!({ "title": title, "url": url });
    let ran = |stdout: &str, stderr: &str, code: i64| json!({ "stdout": stdout, "stderr": stderr, "return_code": code });
    let lines = [
        calls("t1", "web_search"),
        gives("web_search", "t1", json!([page("Apples", "http://a"), {}])),
        gives("web_search", "t2", json!({ "error_code": "unavailable" })),
        calls("t3", "code_execution"),
        gives("code_execution", "t3", ran("4\n", "", 0)),
        gives("code_execution", "t3", ran("4\n", "and a half\n", 1)),
        gives("code_execution", "t3", Value::Null),
    ];
    let expected = "\
--- session s

Assistant
  > web_search
  < web_search done: Apples http://a {} [2 lines]
  < a tool failed: unavailable
  > code_execution
  < code_execution done: 4
  < code_execution failed: 4 and a half [2 lines]
  < code_execution done
";
    assert_eq!(printed(&["show"], &log(&lines)), expected);
}

#[test]
fn results_are_folded_to_their_first_words_unless_all_is_asked_for() {
    let text = json!([
        { "type": "text", "text": "\n{\n\t\"a\": 1,\n" },
        { "type": "image" },
        { "type": "text", "text": "  }\n" },
    ]);
    let lines = [
        answer("t1", text),
        answer("t2", json!({ "output": "none" })),
        answer("t3", json!([{ "type": "image" }, {}])),
        answer("t4", json!("word ".repeat(30))),
    ];
    let expected = "\
--- session s

Assistant
  < a tool done: { \"a\": 1, (image) } [5 lines]
  < a tool done: {\"output\":\"none\"}
  < a tool done: (image) (unknown block) [2 lines]
  < a tool done: ";
    let words = "word ".repeat(20);
    let expected = format!("{expected}{}...\n", &words[..95]);
    assert_eq!(printed(&["show"], &log(&lines)), expected);
    let expected = "\
--- session s

Assistant
  < a tool done
    {
        \"a\": 1,

    (image)
      }
  < a tool done
    {\"output\":\"none\"}
";
    let shown = printed(&["show", "--full"], &log(&lines[..2]));
    assert_eq!(shown, expected);
}

#[test]
fn errors_are_shown_with_the_result() {
    let lines = [json!({
        "type": "result", "subtype": "error_during_execution",
        "num_turns": 3, "duration_ms": 1500,
        "errors": ["No room.\nNone at all.", "No time."],
    })];
    let expected = "\
Result: error_during_execution, error, 3 turns, 1.5 s
  No room.
  None at all.
  No time.
";
    assert_eq!(printed(&["show"], &log(&lines)), expected);
}
