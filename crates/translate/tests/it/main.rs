//! Translation: the example of the source document, tables of what counts and
//! what does not, straightforward twins on random and on real logs, decoded
//! and peeked, and the way there and back again.

use std::collections::BTreeSet;

use linetape::{Decoder, Message, Reader};

use linetape_translate::{FromUi, ToUi, Wrapper};
use proptest::prelude::*;
use serde_json::{Value, json};

#[allow(dead_code)]
#[path = "../../../../tests/support/logs.rs"]
mod logs;
#[allow(dead_code)]
#[path = "../../../../tests/support/framing.rs"]
mod sources;
#[allow(dead_code)]
#[path = "../../../../tests/support/texts.rs"]
mod texts;
#[path = "reference.rs"]
mod twin;

use twin::{naive_events, naive_frames, naive_mentions, naive_progress};

// ---- ways to run -----------------------------------------------------------

/// Runs the same over decoded lines, over peeked ones, and over decoded ones
/// that come in pieces. All must lead to the same.
fn three_ways<T: PartialEq + std::fmt::Debug>(
    log: &str,
    plan: &[usize],
    run: impl Fn(&mut dyn FnMut(&mut dyn FnMut(Message<'_>))) -> T,
) -> T {
    let decoded = run(&mut |add| {
        let mut lines = linetape::lines(log.as_bytes());
        while let Some(record) = lines.next_record() {
            if let Ok(record) = record {
                add(record.message());
            }
        }
    });
    let peeked = run(&mut |add| {
        let mut lines = linetape::lines(log.as_bytes());
        while let Some(Ok(line)) = lines.next_line() {
            if line.check().is_ok() {
                add(line.peek().unwrap());
            }
        }
    });
    let in_pieces = run(&mut |add| {
        let pieces = sources::InPieces::new(log.as_bytes(), plan);
        let mut reader = Reader::new(pieces);
        while let Some(record) = reader.next_record() {
            if let Ok(record) = record {
                add(record.message());
            }
        }
    });
    assert_eq!(decoded, peeked);
    assert_eq!(decoded, in_pieces);
    decoded
}

/// What is written must be read back, as the message that it is.
fn read_back(written: String, is_right: fn(Message<'_>) -> bool) -> Value {
    let mut decoder = Decoder::new();
    let record = decoder.decode(written.as_bytes()).unwrap();
    assert!(is_right(record.message()), "{written}");
    serde_json::from_str(&written).unwrap()
}

fn frames_in_pieces(log: &str, plan: &[usize]) -> Vec<Value> {
    three_ways(log, plan, |lines| {
        let (mut wrapper, mut frames) = (Wrapper::new(), vec![]);
        lines(&mut |message| {
            for frame in wrapper.translate(message) {
                let written = serde_json::to_string(&frame).unwrap();
                let is_right =
                    |m: Message<'_>| matches!(m, Message::Unknown(_));
                frames.push(read_back(written, is_right));
            }
        });
        frames
    })
}

fn frames(log: &str) -> Vec<Value> {
    frames_in_pieces(log, &[7])
}

fn events(log: &str, plan: &[usize]) -> Vec<Value> {
    three_ways(log, plan, |lines| {
        let (mut to_ui, mut events) = (ToUi::new(), vec![]);
        lines(&mut |message| {
            for event in to_ui.translate(message) {
                let written = serde_json::to_string(&event).unwrap();
                let is_right = |m: Message<'_>| matches!(m, Message::Ui(_));
                events.push(read_back(written, is_right));
            }
        });
        events
    })
}

fn messages(log: &str, plan: &[usize]) -> Vec<Value> {
    three_ways(log, plan, |lines| {
        let (mut from_ui, mut messages) = (FromUi::new(), vec![]);
        let mut add = |list: Vec<linetape::owned::Message>| {
            for message in list {
                let written = serde_json::to_string(&message).unwrap();
                let is_right =
                    |m: Message<'_>| !matches!(m, Message::Unknown(_));
                messages.push(read_back(written, is_right));
            }
        };
        lines(&mut |message| add(from_ui.translate(message)));
        add(from_ui.finish());
        messages
    })
}

fn log(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn says(text: &str) -> Value {
    json!({"type": "assistant", "session_id": "s1", "message": {"content": [
        {"type": "text", "text": text},
    ]}})
}

fn calls(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "assistant", "session_id": "s1", "message": {"content": [
        {"type": "tool_use", "id": id, "name": name, "input": input},
    ]}})
}

fn answers(id: &str, content: Value) -> Value {
    json!({"type": "user", "session_id": "s1", "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "content": content},
    ]}})
}

/// A call that is a line of its own.
fn call_line(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "assistant", "subtype": "tool_use", "uuid": id,
        "session_id": "s1", "toolName": name, "toolArguments": input})
}

/// An answer that is a line of its own.
fn answer_line(id: &str, failed: bool, is_result: bool) -> Value {
    let subtype = if is_result { "tool_result" } else { "error" };
    json!({"type": "system", "subtype": subtype, "parentUuid": id,
        "session_id": "s1", "message": "ok", "isError": failed})
}

// ---- the wrapper, by hand --------------------------------------------------

#[test]
fn the_example_comes_out_byte_for_byte() {
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
    let frames = Wrapper::new().translate(record.message());
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

/// What is found in a text: the step, and the counts.
fn progress(text: &str) -> Vec<(String, u64, u64)> {
    let found = frames(&log(&[says(text)]));
    assert_eq!(found[0]["content"], text);
    let is_progress = |f: &&Value| f["type"] == "progress_update";
    let progress = found.iter().filter(is_progress).map(|frame| {
        let step = frame["currentStep"].as_str().unwrap().to_string();
        let count = |key: &str| frame[key].as_u64().unwrap();
        (step, count("completedSteps"), count("totalSteps"))
    });
    let progress: Vec<_> = progress.collect();
    assert_eq!(naive_progress(text), progress, "{text}");
    progress
}

#[test]
fn progress_is_found() {
    for (text, step, completed, total) in [
        ("Running test 5 of 20", "Running tests", 5, 20),
        ("I am running test 5 out of 20.", "Running tests", 5, 20),
        (
            "Processing source file 3/10: a.rs",
            "Processing source files",
            3,
            10,
        ),
        ("Running entry 1 / 2", "Running entries", 1, 2),
        ("Checking day 1 of 2", "Checking days", 1, 2),
        ("(fetching box 0 of 2)", "Fetching boxes", 0, 2),
        ("Running unit tests: 5/20", "Running unit tests", 5, 20),
        ("Building... 3/7.", "Building", 3, 7),
        // The twin of the test took the colon for a part of the word.
        ("**Ran: 5 / 20 tests", "Tests", 5, 20),
        ("**Uploading files\u{2026} 45%**", "Uploading files", 45, 100),
        ("Downloading (45%)", "Downloading", 45, 100),
        ("Compiling crates [12/40] now", "Compiling crates", 12, 40),
        ("Migrating tables: 45% done", "Migrating tables", 45, 100),
        ("Progress: 45%", "Progress", 45, 100),
        ("progress (3 of 9)", "Progress", 3, 9),
        ("## Step 3 of 5: build", "Step 3", 3, 5),
        ("**Phase 2/4**", "Phase 2", 2, 4),
        ("While at task 7 of 7", "Task 7", 7, 7),
        ("Step 1 of 2 / 3 done", "Step 1", 1, 2),
        ("Only 3 of 14 done here", "Progress", 3, 14),
        ("3 of 14 files processed", "Files", 3, 14),
        ("All 5 of 5 are finished.", "Progress", 5, 5),
        ("It is 45% complete!", "Progress", 45, 100),
        ("[3/7] Linking the app...", "Linking the app", 3, 7),
        ("  [3/7]", "Progress", 3, 7),
        ("[ 3/10] Compiling", "Compiling", 3, 10),
        ("(3/10) installing it", "installing it", 3, 10),
        (" ( 3/10) Fetch it", "Fetch it", 3, 10),
        ("Tests completed: 5/20", "Tests", 5, 20),
        ("- **Files processed:** 3/10", "Files", 3, 10),
        ("All is well. Big unit tests done: 45%", "Big unit tests", 45, 100),
        ("Running tests 5 of 20", "Running tests", 5, 20),
        ("Now running unit tests 5 of 20...", "Running unit tests", 5, 20),
        ("Ran 5 of 20 tests", "Tests", 5, 20),
        ("Ran 5/20 unit tests.", "Unit tests", 5, 20),
        ("Running test **5** of **20**", "Running tests", 5, 20),
        ("**3** of **14** files processed", "Files", 3, 14),
        ("Running 5 of 20 tests", "Running tests", 5, 20),
        ("I'm running 5 out of 20 tests: a", "Running tests", 5, 20),
        ("Processing 3/10 files...", "Processing files", 3, 10),
        ("Processing 3 of 3: a.rs", "Processing", 3, 3),
        (
            "Ok. Testing 3 of 9 big new boxes (a)",
            "Testing big new boxes",
            3,
            9,
        ),
        ("\u{2192} *fixing 1/2 class files* - a", "Fixing class files", 1, 2),
        ("It is still linking 1/2 apps \u{2014} b", "Linking apps", 1, 2),
        ("Downloading 45%", "Downloading", 45, 100),
        ("(downloading 45%, 3 MB)", "Downloading", 45, 100),
        ("**Uploading files:** 3/4", "Uploading files", 3, 4),
        ("**Progress**: 3/4", "Progress", 3, 4),
        ("Completed 3 of 10 tasks", "Tasks", 3, 10),
        ("I have finished 3/10 files so far", "Files", 3, 10),
        ("Processed 120 of 300 big records in 4 s", "Big records", 120, 300),
        ("**Completed:** 3 of 10 tasks", "Tasks", 3, 10),
        ("**Done**: 3 of 10", "Progress", 3, 10),
        ("Completed 3 of 10 so all is well", "Progress", 3, 10),
        ("Completed 3 of 10 so far", "Progress", 3, 10),
        ("Done: 45%", "Progress", 45, 100),
        ("Processed: 3/10 big files", "Big files", 3, 10),
        ("Running 5 of 20", "Running", 5, 20),
        ("Test #5/20", "Test 5", 5, 20),
        ("Pass 2/3: inline", "Pass 2", 2, 3),
        ("Test 5/20: parses dates", "Test 5", 5, 20),
        ("TEST #5 of 20", "TEST 5", 5, 20),
        ("Running test #5/20", "Running tests", 5, 20),
        ("Step 2/5 - build", "Step 2", 2, 5),
        ("Task 3 of 7 complete", "Task 3", 3, 7),
        ("**Step 2 of 5:** build", "Step 2", 2, 5),
        ("On part 2 of 3 it stops", "Part 2", 2, 3),
        ("at module 2/3", "Module 2", 2, 3),
        ("epoch 2/3 loss 0.1", "Epoch 2", 2, 3),
        ("Pass 2 of 3 - inline", "Pass 2", 2, 3),
        ("This is round 2/3.", "Round 2", 2, 3),
        ("## Page 3 of 10", "Page 3", 3, 10),
        ("**Chapter 1/9:** start", "Chapter 1", 1, 9),
        ("Now commit #2 of 4 (fix)", "Commit 2", 2, 4),
        ("Case 2 of 4 done", "Case 2", 2, 4),
        ("1. Example 2/4: sums", "Example 2", 2, 4),
        (
            "step 999999999 of 999999999",
            "Step 999999999",
            999999999,
            999999999,
        ),
    ] {
        let expected = vec![(step.to_string(), completed, total)];
        assert_eq!(progress(text), expected, "{text}");
    }
    let text = "Step 1 of 3\nStep 2 of 3, 1/2 done. Running test 1 of 9";
    let steps = progress(text).into_iter().map(|(step, ..)| step);
    let expected = ["Step 1", "Step 2", "Progress", "Running tests"];
    assert!(steps.eq(expected));
}

#[test]
fn what_is_no_progress_is_left_alone() {
    for text in [
        "it is faster on 3 of 4 tasks",
        "(3/4) of them fail",
        "(3/4)",
        "a (3/4) Fetch",
        "[          3/4] Fetch",
        "[ 3/4)",
        "Test completed: 5/20",
        "Tests completed: 5/20 of it",
        "the tests completed: 5/20",
        "Attempts completed: 2/3",
        "Four big new unit tests completed: 5/20",
        "I suggest running tests 5 of 20",
        "Running tests 5 of 20 fails",
        "Running tests 5/20",
        "Showing tests 5 of 20",
        "Running tests #5 of 20",
        "I ran 5 of 20 tests",
        "Ran 5 of 20",
        "Ran 5 of 20 tests in CI",
        "Running test **5** of 20",
        "Running test **7** of **5**",
        "Running 5 of 20 tests in CI",
        "Running 5 of 20 tests fails",
        "Running 5 of 20 really slow tests",
        "Running 5 of 20 of the tests",
        "Running 5 of 20 very big new red tests",
        "Running the 5 of 20 tests",
        "Running only 5 of 20 tests",
        "I suggest running 5 of 20 tests",
        "It stops, running 5 of 20 tests",
        "not running 5 of 20 tests",
        "prerunning-running 5 of 20 tests",
        "Showing 5 of 20 tests",
        "Saving 45%",
        "Failing 5 of 20 tests",
        "Downloading 45% of it",
        "Downloading 45% files",
        "Running 3/4",
        "Running 3/4.",
        "Completed 3/4",
        "Finished 3/4 of it",
        "Complete 3 of 10 tasks",
        "Completed 45% sooner",
        "Done: 18 of 20 tests passed",
        "**Done:** 3 of 4 so far",
        "Completed 45% tasks",
        "hasn't completed 3 of 10 tasks",
        "I have not yet finished 3 of 10",
        "can be processed 3 of 10 at once",
        "auto-completed 3 of 10",
        "Completed 2 of 3 times",
        "Finished 2 of 3 new attempts",
        "2 of 3 attempts finished",
        "Attempt 2 of 3",
        "Starting attempt 2 of 3",
        "Running 2 of 3 retries",
        "Retrying (2/3)",
        "they pass 3 of 4",
        "Pass 3 of 4 tests",
        "in case 3 of 4 fail",
        "In case 3 of 4, stop",
        "see page 3 of 5",
        "Page 3%",
        "Test ##5 of 20",
        "Test#5 of 20",
        "18 of 20 tests passed",
        "12/12 correct",
        "1/4 of the original",
        "Something like 3 of 4",
        "Rating: 4/5",
        "Testing shows 3 of 4",
        "failing on 3 of 4",
        "Testing: 3/4 of them fail",
        "Testing (3/4 of them)",
        "Taking roughly 3 of 4",
        "1 of the 3",
        "step one of five",
        "Processing file 3/4/2025",
        "see src/1/2 done",
        "step 1.2/3",
        "step 1/2.3",
        "step 1,000 of 2,000",
        "step 05/20",
        "step 5 of 0",
        "step 7 of 5",
        "step 1 of 1000000000",
        "step 99999999999999999999 of 99999999999999999999",
        "step \u{ff15} of 20",
        "step 5 of 2\u{ff10}",
        "step \u{0663} of \u{0665}",
        "misstep 3 of 5",
        "my-step 3 of 5",
        "Step 3  of 5",
        "Step\n3 of 5",
        "Running test\n5 of 20",
        "not 100% done",
        "it isn't 80% complete",
        "if 3/4 done",
        "3 of 4 not done",
        "3 of 4 donetas",
        "100% sure",
        "~95% identical",
        "~95% done",
        "45.5% done",
        "101% done",
        "see [1/2](there)",
        "see [1/2] there",
        "-3 of 5 done",
        "#3/4 done",
    ] {
        assert_eq!(progress(text), [], "{text}");
    }
}

/// Were each count compared with all that follows it, this would take minutes.
#[test]
fn a_long_line_is_read_once() {
    for piece in ["Completed 3 of 10 tasks, ", "Running 5 of 20 tests. "] {
        let times = 8_000_000 / piece.len();
        let line = says(&piece.repeat(times)).to_string();
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let found = Wrapper::new().translate(record.message()).len();
        let expected = if piece.contains("agent") { 1 } else { times };
        assert_eq!(found, 1 + expected, "{piece}");
    }
}

/// The names that a text mentions, after a session that knows `dev`.
fn mentions(text: &str) -> Vec<String> {
    let init = json!({"type": "system", "subtype": "init", "agents": ["dev"]});
    let found = frames(&log(&[init, says(text)]));
    let is_mention = |f: &&Value| f["status"] == "mentioned";
    let names = found.iter().filter(is_mention);
    let names = names.map(|f| f["agent"].as_str().unwrap().to_string());
    let names: Vec<String> = names.collect();
    let known = BTreeSet::from(["dev".to_string()]);
    assert_eq!(naive_mentions(text, &known), names, "{text}");
    names
}

#[test]
fn sub_agents_are_found() {
    for (text, names) in [
        ("ask @agent-foo about it", &["foo"][..]),
        ("(@agent-x:y-z), please", &["x:y-z"]),
        ("@agent-foo_ and @agent-foo-", &["foo"]),
        ("the dev agent's report", &["dev"]),
        ("a \"dev\" Agent", &["dev"]),
        ("the Explore agent, the Plan sub-agent", &["Explore", "Plan"]),
        (
            "A general-purpose\nand general-purpose Subagent",
            &["general-purpose"],
        ),
        ("the `code-reviewer` agent", &["code-reviewer"]),
        ("the code-reviewer sub-agent", &["code-reviewer"]),
        ("The test-runner subagent", &["test-runner"]),
        ("Using the code-reviewer agent", &["code-reviewer"]),
        ("I am launching code-reviewer sub-agent", &["code-reviewer"]),
        ("Delegating to code-reviewer agent", &["code-reviewer"]),
        ("delegating to the \"b-b\" agent", &["b-b"]),
        ("Starting sub-agent: code-reviewer", &["code-reviewer"]),
        ("sub-agent code-reviewer is running", &["code-reviewer"]),
        ("**Subagent:** `dev`, subagent Plan.", &["dev", "Plan"]),
        ("sub-agent \"re-runner\"", &["re-runner"]),
        ("the b-b subagent c-c", &["b-b"]),
        ("the b-b subagent, @agent-a and the b-b subagent", &["b-b", "a"]),
    ] {
        assert_eq!(mentions(text), names, "{text}");
    }
    for text in [
        "the main agent",
        "a per-session agent",
        "the checkpoint-level agent",
        "a long-running subagent",
        "Using a per-session agent",
        "long-running x-y agent",
        "reusing the x-y agent",
        "talking to the x-y agent",
        "Using the main agent",
        "the sub-agent re-reads it",
        "the subagent main",
        "sub-agent: a-b/c",
        "sub-agent: a-b.c",
        "sub-agents a-b",
        "non-subagent a-b",
        "an agent: a-b",
        "sub-agent `a-b",
        "sub-agent\na-b",
        "bathe code-reviewer subagent",
        "the agent",
        "the `main` agent",
        "the \"code-reviewer\" agent",
        "the dev agents",
        "dev agent-based",
        "dev agent/model",
        "a dev  agent",
        "dev\nagent",
        "cross-dev agent",
        "/dev agent",
        "DEV agent",
        "dev AGENT",
        "mail@agent-foo",
        "@agent-foo.com",
        "@agent-a/b",
        "@agent-a@1.0",
        "@agent-9",
        "@Agent-foo",
        "the \u{e9}code-reviewer sub-agent",
    ] {
        assert!(mentions(text).is_empty(), "{text}");
    }
}

#[test]
fn a_name_is_known_once_it_was_called() {
    let call = calls("t1", "Agent", json!({"subagent_type": "fixer"}));
    let found =
        frames(&log(&[says("fixer agent"), call, says("fixer agent")]));
    let kinds: Vec<_> = found.iter().map(|f| f["status"].as_str()).collect();
    assert_eq!(kinds, [None, Some("started"), None, Some("mentioned")]);
}

#[test]
fn a_tool_is_asked_about_once() {
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
    // A request names no session, and there was none before it.
    let both = frames(&log(&[ask.clone(), call.clone()]));
    let mut first = expected(json!({"command": "ls"}), "List files");
    first.as_object_mut().unwrap().remove("conversationId");
    assert_eq!(both, [first]);
    let again = [call.clone(), answers("t1", json!("a.txt")), call];
    assert_eq!(frames(&log(&again)).len(), 2);
}

#[test]
fn a_sub_agent_ends_by_its_result_or_in_the_background() {
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
fn a_call_may_be_a_line() {
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
    // A line of which the blocks are calls is none itself.
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
fn a_text_may_speak_of_a_sub_agent_before_it_is_called() {
    let line = json!({"type": "assistant", "message": {"content": [
        {"type": "text", "text": "The fixer agent will do."},
        {"type": "tool_use", "id": "t1", "name": "Task",
            "input": {"subagent_type": "fixer"}}]}});
    let found = frames(&log(&[line]));
    let kinds: Vec<_> = found.iter().map(|f| f["status"].as_str()).collect();
    assert_eq!(kinds, [None, Some("mentioned"), Some("started")]);
}

#[test]
fn what_is_not_said_to_the_user_is_left_out() {
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

// ---- the wrapper and its twin ----------------------------------------------

fn one_of(list: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    prop::sample::select(list.to_vec()).prop_map(str::to_string)
}

/// Texts that are about progress, or nearly so.
fn about_progress() -> impl Strategy<Value = String> {
    let before = one_of(&[
        "",
        "",
        "",
        "I'm ",
        "Now ",
        "(",
        "**",
        "x",
        "not ",
        "isn't ",
        "  ",
        "unless ",
        "so ",
        "It is ",
        "yet ",
        "- ",
        "\u{2192} ",
        "x, ",
        "\"",
    ]);
    let head = one_of(&[
        "Running test ",
        "running tests ",
        "Running unit tests: ",
        "",
        "",
        "Building... ",
        "Downloading\u{2026} ",
        "Downloading (",
        "Fixing the ",
        "something like ",
        "Rating: ",
        "Step ",
        "a phase ",
        "steps ",
        "[",
        "(",
        "Compiling big crate ",
        "progress: ",
        "Progress (",
        "Seeing a-b c d ",
        "Seeing a b c d ",
        "Passing test ",
        "Doing it early ",
        "Fetching bus ",
        "Testing class ",
        "Reading entry ",
        "only ",
        "is*",
        "Running ",
        "Showing ",
        "Completed ",
        "**Done:** ",
        "complete ",
        "Test #",
        "running test #",
        "Page ",
        "*pass #",
        "Retrying a ",
        "Starting attempt ",
        "**Progress**: ",
        "[ ",
        "( ",
        "Tests completed: ",
        "**Big files processed:** ",
        "the tests done: ",
        "Ran ",
        "Ran: ",
        "Showing tests ",
        "Testing shows ",
        "Running test **",
        "**",
    ]);
    let n =
        one_of(&["0", "5", "5", "20", "05", "1234567890", "\u{ff15}", "-5"]);
    let sign = one_of(&[
        " of ", " of ", "** of **", " out of ", "/", "/", " / ", " of the ",
        "-",
    ]);
    let m = one_of(&[
        "20",
        "20",
        "5",
        "0",
        "999999999",
        "1000000000",
        "2\u{ff10}",
    ]);
    let tail = one_of(&[
        "",
        "",
        "...",
        " done",
        " done.",
        ")",
        "] Linking it.",
        " complete)",
        " files processed",
        " tests passed",
        " are done",
        " not done",
        ".5",
        "/2025",
        "-x",
        " (2 MB)",
        "\u{2026}",
        ": go",
        "%",
        ", 3/4 done",
        "]",
        " tests",
        " new class files: a",
        " big \u{e4}pples",
        " tests in CI",
        " early files",
        " of files",
        " new attempts",
        " attempts done",
        " a-b files",
        " \u{2014} a",
        " - a",
        ") installing it",
        ") Fetch",
        ")fetching",
        "** tests",
        "** done",
        "**.",
    ]);
    let percent = any::<bool>();
    (before, head, n, sign, m, tail, percent).prop_map(
        |(before, head, n, sign, m, tail, percent)| match percent {
            true => format!("{before}{head}{n}%{tail}"),
            false => format!("{before}{head}{n}{sign}{m}{tail}"),
        },
    )
}

/// Texts that mention a sub-agent, or nearly so.
fn about_agents() -> impl Strategy<Value = String> {
    let before = one_of(&[
        "the ",
        "The ",
        "a ",
        "(",
        "",
        "bathe ",
        "\n",
        "@",
        "Using the ",
        "delegating to ",
        "reusing ",
        "sub-agent ",
        "Subagent: ",
        "**Sub-agent:** ",
        "x-subagent ",
        "Running the ",
    ]);
    let quote = one_of(&["", "", "`", "\""]);
    let name = one_of(&[
        "Explore",
        "code-reviewer",
        "main",
        "dev",
        "per-session",
        "re-run",
        "9x-y",
        "a:b-c",
        "@agent-foo",
        "@agent-x-",
        "@agent-a/b",
        "@agent-b.c",
    ]);
    let space = one_of(&[" ", " ", " ", "  ", "\n"]);
    let head = one_of(&[
        "agent",
        "agent",
        "Agent",
        "sub-agent",
        "subagent",
        "Sub-Agent",
        "agents",
        "agent-based",
        "agent/x",
        "AGENT",
        "sub agent",
    ]);
    let tail = one_of(&["", ".", "'s", " x", "_", "\u{e9}"]);
    (before, quote, name, space, head, tail).prop_map(
        |(before, quote, name, space, head, tail)| {
            format!("{before}{quote}{name}{quote}{space}{head}{tail}")
        },
    )
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![about_progress(), about_agents()];
    let pieces = prop::collection::vec((piece, one_of(&[" ", "\n"])), 1..4);
    pieces.prop_map(|pieces| {
        pieces.iter().flat_map(|(a, b)| [&a[..], b]).collect()
    })
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

/// A value as JSON, with its keys in an order that the seed decides.
fn shuffled(value: &Value, seed: u64) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            let count = members.len().max(1);
            members.rotate_left(seed as usize % count);
            if seed & 1 == 1 {
                members.reverse();
            }
            let member = |(key, value): &(&String, &Value)| {
                format!("{}:{}", json!(key), shuffled(value, seed / 2))
            };
            let members: Vec<_> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| shuffled(item, seed / 2));
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// The lines that can be read: not those that were cut, nor those that have
/// two types since.
fn parsed(log: &str) -> Vec<Value> {
    let mut decoder = Decoder::new();
    let lines = log.lines();
    let lines = lines.filter(|line| decoder.decode(line.as_bytes()).is_ok());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

proptest! {
    #![proptest_config(texts::cases(256))]

    #[test]
    fn progress_is_that_of_the_twin(text in any_text()) {
        progress(&text);
    }

    #[test]
    fn mentions_are_those_of_the_twin(text in any_text()) {
        mentions(&text);
    }

    /// Whatever the order of keys, wherever the pieces end, and whatever was
    /// cut out or put in.
    #[test]
    fn frames_are_those_of_the_twin(
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

// ---- events of a server ----------------------------------------------------

fn ended(reason: &str) -> Value {
    json!({"type": "result", "subtype": "success", "session_id": "s1",
        "is_error": false, "stop_reason": reason})
}

fn only(line: Value) -> Vec<Value> {
    events(&log(&[line]), &[9])
}

#[test]
fn a_stream_that_was_cut_off_does_not_come_again() {
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
    // Without an id, the next message is taken for the one that came.
    let nameless = [delta("lo"), says("Hello"), says("Hello")];
    assert_eq!(events(&log(&nameless), &[9]).len(), 2);
    // Another session has a stream of its own.
    let mut other = whole("m1");
    other["session_id"] = json!("s2");
    assert_eq!(events(&log(&[delta("lo"), other]), &[9]).len(), 2);
    // A run that is over takes its stream along.
    let lines = [delta("lo"), ended("end_turn"), whole("m1")];
    assert_eq!(events(&log(&lines), &[9]).len(), 3);
}

#[test]
fn leave_is_asked_for_what_the_tool_would_touch() {
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
fn questions_come_once() {
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
fn errors_say_what_went_wrong() {
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
fn slash_commands_are_shown() {
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

/// A whole stream, a single line, or the end of a run.
fn any_lines() -> impl Strategy<Value = Vec<Value>> {
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

/// What both dialects have, in order: texts, calls and results. Texts that
/// follow each other are one.
fn kept(items: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = vec![];
    for item in items {
        match (kept.last_mut(), &item) {
            (Some(Value::String(last)), Value::String(text)) => {
                last.push_str(text);
            }
            _ => kept.push(item),
        }
    }
    kept
}

fn kept_of_messages(lines: &[Value]) -> Vec<Value> {
    kept(lines.iter().flat_map(twin::blocks).filter_map(|block| {
        match block["type"].as_str()? {
            "text" => Some(block["text"].clone()),
            "tool_use" => {
                Some(json!([block["id"], block["name"], block["input"]]))
            }
            _ => {
                let event =
                    json!({"type": "user", "message": {"content": [block]}});
                let done = &naive_events(&[event])[0]["ToolCompleted"];
                Some(json!([done["tool_use_id"], done["result"]]))
            }
        }
    }))
}

/// An event of those that have a counterpart, of a session and its turn.
fn any_event() -> impl Strategy<Value = (&'static str, String)> {
    let kinds = [
        "TextChunk",
        "TextChunk",
        "ToolExecuting",
        "ToolCompleted",
        "Complete",
        "Error",
        "System",
        "Display",
    ];
    (prop::sample::select(kinds.to_vec()), "[a-z<>/\u{e9}]{1,4}")
}

proptest! {
    #![proptest_config(texts::cases(256))]

    #[test]
    fn events_are_those_of_the_twin(
        lines in prop::collection::vec(any_lines(), 0..12),
        seed in any::<u64>(),
        plan in prop::collection::vec(1..90_usize, 1..5),
    ) {
        let lines = lines.concat();
        let text: String =
            lines.iter().map(|l| shuffled(l, seed) + "\n").collect();
        prop_assert_eq!(events(&text, &plan), naive_events(&lines));
    }

    #[test]
    fn to_a_server_and_back_keeps_what_was_said_and_done(
        lines in prop::collection::vec(any_lines(), 0..12),
    ) {
        let mut lines = lines.concat();
        // One session, in which nothing is said in pieces or aside.
        lines.retain(|line| {
            line["type"] != "stream_event"
                && line["subtype"] != "tool_use"
                && line.get("parentUuid").is_none()
        });
        for line in &mut lines {
            line["session_id"] = json!("s1");
            line.as_object_mut().unwrap().remove("parent_tool_use_id");
        }
        let there = events(&log(&lines), &[9]);
        let back = messages(&log(&there), &[9]);
        prop_assert_eq!(kept_of_messages(&back), kept_of_messages(&lines));
    }

    #[test]
    fn from_a_server_and_back_keeps_the_events(
        list in prop::collection::vec((any_event(), 1..3_i64), 0..20),
    ) {
        let mut turns = [0_u64; 3];
        let mut list_of_events: Vec<Value> = vec![];
        for ((kind, text), session) in list {
            let at = session as usize;
            let turn = json!({"role": "Assistant", "sequence": turns[at] + 1});
            let event = match kind {
                "TextChunk" => json!({"text": text, "session_id": at, "turn_id": turn}),
                "ToolExecuting" => json!({"tool_use_id": text, "tool_name": "Read",
                    "input": {"a": [text]}, "session_id": at}),
                "ToolCompleted" => json!({"tool_use_id": "t", "result": text,
                    "session_id": at}),
                "Complete" => json!({"session_id": at, "turn_id": turn,
                    "stop_reason": "MaxTokens"}),
                "Display" => json!({"content": text, "session_id": at}),
                _ => json!({"message": text, "session_id": at}),
            };
            turns[at] += u64::from(kind == "Complete");
            list_of_events.push(json!({kind: event}));
        }
        let back = messages(&log(&list_of_events), &[9]);
        let again = events(&log(&back), &[9]);
        for session in [1, 2] {
            let of = |events: &[Value], at: &Value| -> Vec<Value> {
                let mine = events.iter().filter(|event| {
                    event.as_object().unwrap().values().all(|e| e["session_id"] == *at)
                });
                joined(mine.cloned())
            };
            // Which number a session gets depends on when it is heard of.
            let first = back.iter().filter_map(|m| m["session_id"].as_str());
            let mut names: Vec<&str> = vec![];
            first.for_each(|name| if !names.contains(&name) { names.push(name) });
            let number = names.iter().position(|n| *n == session.to_string());
            let mut expected = of(&list_of_events, &json!(session));
            for event in &mut expected {
                for event in event.as_object_mut().unwrap().values_mut() {
                    event["session_id"] = json!(number.unwrap() + 1);
                }
            }
            let number = number.map_or(0, |number| number + 1);
            prop_assert_eq!(of(&again, &json!(number)), expected);
        }
    }
}

/// Texts that follow each other become one.
fn joined(events: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut list: Vec<Value> = vec![];
    for event in events {
        let more = event["TextChunk"]["text"].as_str();
        match (list.last_mut(), more) {
            (Some(last), Some(more)) if last.get("TextChunk").is_some() => {
                let text = last["TextChunk"]["text"].as_str().unwrap();
                last["TextChunk"]["text"] = json!(format!("{text}{more}"));
            }
            _ => list.push(event),
        }
    }
    list
}

#[test]
fn what_has_no_counterpart_becomes_nothing() {
    let seeds = include_str!("../../../../tests/data/seed_003.jsonl");
    let without =
        ["Permission", "UserInteraction", "TokenUpdate", "CommandComplete"];
    for line in seeds.lines() {
        let is_without = without.iter().any(|name| line.contains(name));
        assert_eq!(messages(line, &[9]).is_empty(), is_without, "{line}");
    }
    let input = r#"{"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1}}"#;
    let expected = json!({"type": "user", "session_id": "1",
        "message": {"role": "user", "content": "Hi"}});
    assert_eq!(messages(input, &[9]), [expected]);
}

#[test]
fn sessions_keep_their_names() {
    let there = events(&log(&[says("Hello")]), &[9]);
    let mut to_ui = ToUi::new();
    let line = says("Hello").to_string();
    let mut decoder = Decoder::new();
    to_ui.translate(decoder.decode(line.as_bytes()).unwrap().message());
    let mut from_ui = FromUi::with_sessions(to_ui.sessions().clone());
    let line = there[0].to_string();
    let mut decoder = Decoder::new();
    let record = decoder.decode(line.as_bytes()).unwrap();
    assert!(from_ui.translate(record.message()).is_empty());
    let back = serde_json::to_value(from_ui.finish()).unwrap();
    assert_eq!(back[0]["session_id"], "s1");
    assert!(from_ui.finish().is_empty());
}

#[test]
fn real_logs_are_translated_as_the_twin_does() {
    for file in logs::corpus_files() {
        let text = String::from_utf8_lossy(&file);
        let frames = frames_in_pieces(&text, &[4096, 100, 9999]);
        assert_eq!(frames, naive_frames(&parsed(&text)));
        let there = events(&text, &[4096]);
        let back = messages(&log(&there), &[4096]);
        let again = kept_of_messages(&back);
        let expected = kept(there.iter().filter_map(|event| {
            let (name, event) = event.as_object().unwrap().iter().next()?;
            match &name[..] {
                "TextChunk" => Some(event["text"].clone()),
                "ToolExecuting" => Some(json!([
                    event["tool_use_id"],
                    event["tool_name"],
                    event["input"]
                ])),
                "ToolCompleted" => {
                    Some(json!([event["tool_use_id"], event["result"]]))
                }
                _ => None,
            }
        }));
        assert_eq!(again, expected);
    }
}
