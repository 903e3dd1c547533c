//! `Wrapper`: translation into frames for a client.

use linetape::Decoder;
use linetape_translate::Wrapper;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    logs,
    reference::naive_frames,
    run::{
        answer_line, answers, call_line, calls, events, frames,
        frames_in_pieces, log, parsed, says,
    },
    texts,
    words::{any_text, one_of, shuffled},
};

#[test]
fn frames_of_the_documented_example_byte_for_byte() {
    let line = r#"{
  "type": "assistant",
  "message": {
    "content": [{
      "type": "text",
      "text": "I'll run the test suite now. Running test 5 of 20..."
    }]
  },
  "session_id": "sess_123"
}"#
    .replace('\n', " ");
    let mut decoder = Decoder::new();
    let record = decoder.decode(line.as_bytes()).unwrap();
    let frames = Wrapper::new().translate(record.message()).unwrap();
    let written: Vec<String> = frames
        .iter()
        .map(|frame| serde_json::to_string_pretty(frame).unwrap())
        .collect();
    let expected = [
        r#"{
  "type": "claude_response",
  "content": "I'll run the test suite now. Running test 5 of 20...",
  "conversationId": "sess_123"
}"#,
        r#"{
  "type": "progress_update",
  "currentStep": "Running tests",
  "completedSteps": 5,
  "totalSteps": 20,
  "percentage": 25.0
}"#,
    ];
    assert_eq!(written, expected);
}

#[test]
fn a_tool_call_has_one_permission_request() {
    let ask = json!({"type": "control_request", "request_id": "r1", "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t1",
        "input": {"command": "ls"}, "description": "List files",
    }});
    let bash = json!({"command": "ls", "description": "List"});
    let call = calls("t1", "Bash", bash.clone());
    let expected = |input: Value, description| {
        json!({
            "type": "permission_request", "toolUseId": "t1",
            "toolName": "Bash", "input": input, "description": description,
            "conversationId": "s1",
        })
    };
    let both = frames(&log(&[call.clone(), call.clone(), ask.clone()]));
    assert_eq!(both, [expected(bash, "List")]);
    // The request has no session id, and it is the first line.
    let both = frames(&log(&[ask.clone(), call.clone()]));
    let mut first = expected(json!({"command": "ls"}), "List files");
    first.as_object_mut().unwrap().remove("conversationId");
    assert_eq!(both, [first]);
    let again = [call.clone(), answers("t1", json!("a.txt")), call];
    assert_eq!(frames(&log(&again)).len(), 2);
}

#[test]
fn a_sub_agent_ends_with_its_result_or_notification() {
    let statuses = |lines: &[Value]| -> Vec<String> {
        let start = calls("t1", "Task", json!({"subagent_type": "dev"}));
        let lines = [&[start][..], lines].concat();
        let found = frames(&log(&lines));
        let status = |f: &Value| f["status"].as_str().unwrap().to_string();
        found.iter().map(status).collect()
    };
    let told = |status: &str| {
        json!({"type": "system", "subtype": "task_notification",
            "tool_use_id": "t1", "status": status})
    };
    let result = answers("t1", json!("x"));
    let mut failed = result.clone();
    failed["message"]["content"][0]["is_error"] = json!(true);
    let mut launched = result.clone();
    launched["tool_use_result"] = json!({"status": "async_launched"});
    assert_eq!(statuses(&[]), ["started"]);
    assert_eq!(
        statuses(std::slice::from_ref(&result)),
        ["started", "finished"]
    );
    assert_eq!(statuses(&[failed]), ["started", "failed"]);
    assert_eq!(statuses(std::slice::from_ref(&launched)), ["started"]);
    let background = [launched, told("running"), told("completed")];
    assert_eq!(statuses(&background), ["started", "finished"]);
    assert_eq!(statuses(&[told("killed"), result]), ["started", "failed"]);
}

#[test]
fn tool_calls_that_are_lines_are_translated() {
    let bash = call_line("u1", "Bash", json!({"command": "ls"}));
    let task = call_line("u1", "Task", json!({"subagent_type": "dev"}));
    let ok = answer_line("u1", false, true);
    let asked = json!({"type": "permission_request", "toolUseId": "u1",
        "toolName": "Bash", "input": {"command": "ls"},
        "conversationId": "s1"});
    let lines = [bash.clone(), bash.clone(), ok.clone()];
    assert_eq!(frames(&log(&lines)), [asked]);
    let statuses = |answer: &Value| -> Vec<String> {
        let found = frames(&log(&[task.clone(), answer.clone()]));
        let status = |f: &Value| {
            assert_eq!(
                (&f["agent"], &f["toolUseId"]),
                (&json!("dev"), &json!("u1"))
            );
            f["status"].as_str().unwrap().to_string()
        };
        found.iter().map(status).collect()
    };
    assert_eq!(statuses(&ok), ["started", "finished"]);
    for (failed, is_result) in [(true, true), (true, false), (false, false)] {
        let answer = answer_line("u1", failed, is_result);
        assert_eq!(statuses(&answer), ["started", "failed"]);
    }
    assert_eq!(statuses(&answer_line("u2", true, true)), ["started"]);
    // A line with calls in content blocks is not itself a call.
    let mut both = bash.clone();
    both["message"] = calls("t1", "Read", json!({}))["message"].clone();
    assert_eq!(frames(&log(&[both]))[0]["toolUseId"], "t1");

    let executing = json!({"ToolExecuting": {"tool_use_id": "u1",
        "tool_name": "Bash", "input": {"command": "ls"}, "session_id": 1}});
    let completed = json!({"ToolCompleted": {"tool_use_id": "u1",
        "result": "ok", "session_id": 1}});
    let error = json!({"Error": {"message": "ok", "session_id": 1}});
    assert_eq!(
        events(&log(&[bash.clone(), ok]), &[9]),
        [executing.clone(), completed.clone()]
    );
    let failed = answer_line("u1", true, false);
    let lines = [failed.clone(), bash, failed.clone(), failed];
    assert_eq!(
        events(&log(&lines), &[9]),
        [error.clone(), executing, completed, error]
    );
}

#[test]
fn sub_agent_text_thinking_and_stream_events_have_no_frames() {
    let mut side = says("Step 1 of 2");
    side["parent_tool_use_id"] = json!("t0");
    let mut call = calls("t1", "Bash", json!({}));
    call["parent_tool_use_id"] = json!("t0");
    let thought = json!({"type": "assistant", "message": {"content": [
        {"type": "thinking", "thinking": "Step 1 of 2"},
        {"type": "server_tool_use", "id": "t2", "name": "web_search"},
    ]}});
    let piece = json!({"type": "stream_event", "event": {
        "type": "content_block_delta",
        "delta": {"type": "text_delta", "text": "Step 1 of 2"},
    }});
    let user = json!({"type": "user", "message": {"content": "Step 1 of 2"}});
    let found = frames(&log(&[side, call, thought, piece, user]));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["toolUseId"], "t1");
}

fn any_line() -> impl Strategy<Value = Value> {
    let id = one_of(&["t1", "t2", "t3"]);
    let flags = any::<[bool; 4]>();
    let name = one_of(&["Task", "Agent", "Bash", "Read"]);
    let status = one_of(&["completed", "killed", "running", "async_launched"]);
    (0..11_u8, id, flags, name, status, any_text()).prop_map(
        |(kind, id, [side, session, failed, other], name, status, text)| {
            let mut line = match kind {
                0..=2 => says(&text),
                3 | 4 => {
                    let input = match other {
                        true => {
                            json!({"subagent_type": "dev", "description": "d"})
                        }
                        false => json!({"command": "ls"}),
                    };
                    calls(&id, &name, input)
                }
                5 => {
                    let mut line = answers(&id, json!(text));
                    line["message"]["content"][0]["is_error"] = json!(failed);
                    line["tool_use_result"] = json!({"status": status});
                    line
                }
                6 => json!({"type": "system", "subtype": "task_notification",
                    "tool_use_id": id, "status": status}),
                7 => call_line(&id, &name, json!({"subagent_type": "dev"})),
                8 => answer_line(&id, failed, other),
                9 => json!({"type": "assistant", "message": {"content": [
                    {"type": "text", "text": text},
                    {"type": "tool_use", "id": id, "name": name,
                        "input": {"subagent_type": "main"}}]}}),
                _ => json!({"type": "control_request", "request": {
                    "subtype": "can_use_tool", "tool_name": name,
                    "tool_use_id": id, "input": {"description": "d"}}}),
            };
            if side {
                line["parent_tool_use_id"] = json!("t0");
            }
            match session {
                true => line["session_id"] = json!(id),
                false => {
                    _ = line.as_object_mut().unwrap().remove("session_id")
                }
            }
            line
        },
    )
}

proptest! {
    #![proptest_config(texts::cases(256))]

    /// With shuffled keys, any chunk sizes, and truncated or inserted text.
    #[test]
    fn frames_agree_with_the_reference(
        lines in prop::collection::vec(any_line(), 0..20),
        seed in any::<u64>(),
        cut in any::<[prop::sample::Index; 3]>(),
        plan in prop::collection::vec(1..90_usize, 1..5),
    ) {
        let text: String =
            lines.iter().map(|l| shuffled(l, seed) + "\n").collect();
        prop_assert_eq!(parsed(&text), &lines[..]);
        let frames = frames_in_pieces(&text, &plan);
        prop_assert_eq!(frames, naive_frames(&lines));

        let whole: Vec<char> = text.chars().collect();
        let mut cut = cut.map(|at| at.index(whole.len() + 1));
        cut.sort();
        let parts = [&whole[..cut[1]], &whole[cut[0]..cut[2]], &whole[cut[1]..]];
        let spliced: String = parts.concat().into_iter().collect();
        let frames = frames_in_pieces(&spliced, &plan);
        prop_assert_eq!(frames, naive_frames(&parsed(&spliced)));
    }
}

#[test]
fn frames_of_real_logs_agree_with_the_reference() {
    for file in logs::corpus_files() {
        let text = String::from_utf8_lossy(&file);
        let frames = frames_in_pieces(&text, &[4096, 100, 9999]);
        assert_eq!(frames, naive_frames(&parsed(&text)));
    }
}
