//! `linetape convert`.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

#[cfg(unix)]
use crate::support::unread;
use crate::support::{file, folder, linetape, logs, shipped, text};
use linetape::{Decoder, Message};
use serde_json::{Value, json};

/// Runs `convert`, and returns standard output and standard error.
fn convert(to: &str, input: &[u8]) -> (String, String) {
    let output = linetape(&["convert", "--to", to, "-"], input);
    assert_eq!(output.status.code(), Some(0), "{to}");
    (text(&output.stdout).to_string(), text(&output.stderr).to_string())
}

/// The last line of standard error.
fn unwritten(unwritten: usize, records: usize) -> String {
    format!(
        "linetape: {unwritten} of {records} records not written: \
         they have no counterpart, or repeat another record\n"
    )
}

/// Parses the output. Each line must be a record of the right dialect.
fn records(to: &str, written: &str) -> Vec<Value> {
    assert!(written.is_empty() || written.ends_with('\n'), "{written}");
    let mut decoder = Decoder::new();
    let records = written.lines().map(|line| {
        let record = decoder.decode(line.as_bytes()).unwrap();
        let message = record.message();
        let is_right = match to {
            "ui" => matches!(message, Message::Ui(_)),
            "stream-json" => matches!(
                message,
                Message::Assistant(_)
                    | Message::User(_)
                    | Message::Result(_)
                    | Message::System(_)
                    | Message::Error(_)
            ),
            _ => [
                "claude_response",
                "progress_update",
                "sub_agent_progress",
                "permission_request",
            ]
            .iter()
            .any(|kind| message.kind().is(kind)),
        };
        assert!(is_right, "{to}: {line}");
        serde_json::from_str(line).unwrap()
    });
    records.collect()
}

#[test]
fn messages_of_the_sdk_become_frames() {
    let log = fs::read(shipped("sdk.jsonl")).unwrap();
    let (written, said) = convert("wrapper", &log);
    let expected = r#"{"type":"claude_response","content":"On it.","conversationId":"sess-x"}
{"type":"permission_request","toolUseId":"call-1","toolName":"Read","input":{"path":"a.txt"},"conversationId":"sess-x"}
{"type":"claude_response","content":"Off we go. Running test 3 of 12...","conversationId":"sess-y"}
{"type":"progress_update","currentStep":"Running tests","completedSteps":3,"totalSteps":12,"percentage":25.0}
"#;
    assert_eq!(written, expected);
    assert_eq!(records("wrapper", &written).len(), 4);
    assert_eq!(said, unwritten(8, 10));
    // The last lines of the log are the frames of the line before them.
    let lines = text(&log).lines().collect::<Vec<_>>();
    assert_eq!(written.lines().skip(2).collect::<Vec<_>>(), lines[8..]);
}

#[test]
fn messages_of_the_sdk_become_events() {
    let log = fs::read(shipped("sdk.jsonl")).unwrap();
    let (written, said) = convert("ui", &log);
    let expected = r#"{"TextChunk":{"text":"On it.","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}
{"ToolExecuting":{"tool_use_id":"call-1","tool_name":"Read","input":{"path":"a.txt"},"session_id":1}}
{"TokenUpdate":{"input_tokens":21,"output_tokens":8,"session_id":1}}
{"Complete":{"session_id":1,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"ToolUse"}}
{"Error":{"message":"error_max_turns","session_id":1}}
{"Error":{"message":"error_during_execution","session_id":1}}
{"System":{"message":"init","session_id":1}}
{"TextChunk":{"text":"Off we go. Running test 3 of 12...","session_id":2,"turn_id":{"role":"Assistant","sequence":1}}}
"#;
    assert_eq!(written, expected);
    assert_eq!(records("ui", &written).len(), 8);
    assert_eq!(said, unwritten(4, 10));
}

#[test]
fn events_of_a_server_become_messages() {
    let log = fs::read(shipped("agent_server.jsonl")).unwrap();
    let (written, said) = convert("stream-json", &log);
    let expected = r#"{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"call-1","name":"read_file","input":{"path":"a.txt"}}]},"session_id":"2"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call-1","content":"two lines"}]},"session_id":"2"}
{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"Good da"}],"stop_reason":"end_turn"},"session_id":"1"}
{"type":"result","subtype":"success","result":"Good da","stop_reason":"end_turn","session_id":"1","is_error":false}
{"type":"error","error":{"message":"the model is away"},"session_id":"5"}
{"type":"error","error":{"message":"the house is on fire"}}
{"type":"error","error":{"message":"no session at all"}}
{"type":"system","subtype":"informational","content":"warming up","session_id":"6"}
{"type":"system","subtype":"informational","content":"cooling down"}
{"type":"system","subtype":"local_command","content":"<local-command-stdout>Three commands</local-command-stdout>","session_id":"-7"}
{"type":"user","message":{"role":"user","content":"Hi"},"session_id":"1"}
{"type":"user","message":{"role":"user","content":"Hi again"},"session_id":"1"}
{"type":"user","message":{"role":"user","content":""},"session_id":"9"}
"#;
    assert_eq!(written, expected);
    assert_eq!(records("stream-json", &written).len(), 13);
    assert_eq!(said, unwritten(5, 18));
}

/// A turn with a streamed text, a permission, a tool and an end. The message
/// that repeats the streamed text is not written again.
const TURN: &str = r#"{"type":"stream_event","session_id":"s1","event":{"type":"message_start","message":{"id":"m1"}}}
{"type":"stream_event","session_id":"s1","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me "}}}
{"type":"stream_event","session_id":"s1","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"look."}}}
{"type":"assistant","session_id":"s1","message":{"id":"m1","content":[{"type":"text","text":"Let me look."}]}}
{"type":"assistant","session_id":"s1","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls","n":[1,-2,0.5]}}]}}
{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t1","input":{"command":"ls"}}}
{"type":"user","session_id":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt"}]}}
{"type":"assistant","session_id":"s1","message":{"id":"m2","content":[{"type":"text","text":"One file."}],"stop_reason":"max_tokens"}}
{"type":"result","subtype":"success","session_id":"s1","is_error":false}
"#;

#[test]
fn a_turn_becomes_events() {
    let (written, said) = convert("ui", TURN.as_bytes());
    let expected = r#"{"TextChunk":{"text":"Let me ","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}
{"TextChunk":{"text":"look.","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}
{"ToolExecuting":{"tool_use_id":"t1","tool_name":"Bash","input":{"command":"ls","n":[1,-2,0.5]},"session_id":1}}
{"PermissionRequired":{"tool_use_id":"t1","request":{"target_type":"Command","target":"ls","level":"Execute","description":"Bash","recursive":false},"session_id":1}}
{"ToolCompleted":{"tool_use_id":"t1","result":"a.txt","session_id":1}}
{"TextChunk":{"text":"One file.","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}
{"Complete":{"session_id":1,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"MaxTokens"}}
"#;
    assert_eq!(written, expected);
    assert_eq!(said, unwritten(2, 9));
}

#[test]
fn there_and_back_keeps_what_was_said_and_done() {
    let (events, _) = convert("ui", TURN.as_bytes());
    let (messages, said) = convert("stream-json", events.as_bytes());
    let expected = r#"{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"Let me look."}]},"session_id":"1"}
{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls","n":[1,-2,0.5]}}]},"session_id":"1"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt"}]},"session_id":"1"}
{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"One file."}],"stop_reason":"max_tokens"},"session_id":"1"}
{"type":"result","subtype":"success","result":"One file.","stop_reason":"max_tokens","session_id":"1","is_error":false}
"#;
    assert_eq!(messages, expected);
    // The request for permission has no counterpart.
    assert_eq!(said, unwritten(1, 7));
    // Once more, and nothing else is lost: the chunks are joined.
    let (again, said) = convert("ui", messages.as_bytes());
    assert_eq!(said, "");
    let (again, said) = convert("stream-json", again.as_bytes());
    assert_eq!((again, &said[..]), (messages, ""));
}

#[test]
fn logs_become_records_of_the_right_dialect() {
    let mut all = 0;
    for log in logs() {
        let path = log.to_str().unwrap();
        for to in ["ui", "wrapper", "stream-json"] {
            let output = linetape(&["convert", "--to", to, path], b"");
            assert!(output.status.code().unwrap() < 2, "{path}");
            let written = text(&output.stdout);
            let found = records(to, written);
            assert_eq!(found.len(), written.matches('\n').count());
            all += found.len();
        }
    }
    assert!(all > 40, "{all}");
}

#[test]
fn a_bad_line_is_named_and_the_rest_goes_through() {
    let bad = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"a"},,{"type":"text","text":"b"}]}}"#;
    let said = r#"{"type":"assistant","session_id":"s1","message":{"content":"Hello"}}"#;
    let shown = r#"{"Display":{"content":"Hello","session_id":1}}"#;
    let (chunk, frame, message) = (
        r#"{"TextChunk":{"text":"Hello","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}"#,
        r#"{"type":"claude_response","content":"Hello","conversationId":"s1"}"#,
        r#"{"type":"system","subtype":"local_command","content":"<local-command-stdout>Hello</local-command-stdout>","session_id":"1"}"#,
    );
    for (to, good, expected) in [
        ("ui", said, chunk),
        ("wrapper", said, frame),
        ("stream-json", shown, message),
    ] {
        let log = format!("{good}\n{bad}\n\noops\n{good}\n");
        let path = file(&format!("convert_{to}.jsonl"), log.as_bytes());
        let path = path.to_str().unwrap();
        let output = linetape(&["convert", "--to", to, path], b"");
        assert_eq!(output.status.code(), Some(1), "{to}");
        let expected = format!("{expected}\n{expected}\n");
        assert_eq!(text(&output.stdout), expected);
        let comma = log.find(",,").unwrap() + 1;
        let oops = log.find("oops").unwrap();
        let complaints: Vec<&str> = text(&output.stderr).lines().collect();
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        for (complaint, place) in complaints.iter().zip([
            format!("line 2 (byte {comma}): invalid JSON"),
            format!("line 4 (byte {oops}): not a JSON object"),
        ]) {
            let start = format!("linetape: {path}: {place}");
            assert!(complaint.starts_with(&start), "{complaint}");
        }
    }
}

#[test]
fn the_options_of_reading_hold() {
    let line = |text| {
        format!(r#"{{"Display":{{"content":"{text}","session_id":1}}}}"#)
    };
    let (a, long) = (line("a".into()), line("a".repeat(100)));
    for (log, options, without, with) in [
        (format!("{a}{a}\n"), &["--salvage"][..], (0, 1), (2, 0)),
        (format!("noise\n{a}\n"), &["--skip-noise"], (1, 1), (1, 0)),
        (format!("{a}\n{long}\n"), &["--max-line", "80"], (2, 0), (1, 1)),
    ] {
        for (options, expected) in [(&[][..], without), (options, with)] {
            let arguments =
                [&["convert", "--to", "stream-json", "-"], options];
            let output = linetape(&arguments.concat(), log.as_bytes());
            let lines = text(&output.stdout).lines().count();
            let code = output.status.code().unwrap();
            assert_eq!((lines, code), expected, "{options:?} {log}");
        }
    }
}

/// Sessions have the same numbers in all files. A text ends with its file, and
/// so does the session of messages without a session id.
#[test]
fn each_file_of_a_folder_is_a_log() {
    let said = |session: &str| {
        json!({"type": "assistant", "session_id": session,
            "message": {"content": "Hello"}})
    };
    let nameless =
        json!({"type": "assistant", "message": {"content": "Hello"}});
    let chunk = json!({"TextChunk": {"text": "Bye", "session_id": 7}});
    let one = format!("{}\n{}\n{chunk}\n", said("a"), said("b"));
    let two = format!("{nameless}\n{}\n{chunk}\n", said("a"));
    let folder = folder("logs", &[("1.jsonl", &one), ("2.ndjson", &two)]);
    let run = |to| {
        let path = folder.to_str().unwrap();
        let output = linetape(&["convert", "--to", to, path], b"");
        assert_eq!(output.status.code(), Some(0), "{to}");
        records(to, text(&output.stdout))
    };
    let sessions = run("ui");
    let sessions: Vec<_> =
        sessions.iter().map(|e| &e["TextChunk"]["session_id"]).collect();
    assert_eq!(sessions, [1, 2, 0, 1]);
    let conversations = run("wrapper");
    let conversations: Vec<_> =
        conversations.iter().map(|f| f["conversationId"].as_str()).collect();
    assert_eq!(conversations, [Some("a"), Some("b"), None, Some("a")]);
    let texts = run("stream-json");
    let texts: Vec<_> =
        texts.iter().map(|m| &m["message"]["content"][0]["text"]).collect();
    assert_eq!(texts, ["Bye", "Bye"]);
}

#[test]
fn a_file_gets_the_same_as_standard_output() {
    let path = file(
        "convert_out.jsonl",
        b"what was there before\n".repeat(99).as_slice(),
    );
    let path = path.to_str().unwrap();
    let arguments = ["convert", "--to", "ui", "-o", path, "-"];
    let output = linetape(&arguments, TURN.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "");
    assert_eq!(text(&output.stderr), unwritten(2, 9));
    let (expected, _) = convert("ui", TURN.as_bytes());
    assert_eq!(fs::read_to_string(path).unwrap(), expected);

    let output = linetape(&["convert", "--to", "ui", "-o", path, path], b"");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(path).unwrap(), expected);
}

#[test]
fn the_dialect_must_be_given() {
    for arguments in [&["convert", "-"][..], &["convert", "--to", "csv", "-"]]
    {
        let output = linetape(arguments, TURN.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        assert!(text(&output.stderr).contains("--to <FORMAT>"));
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    for to in ["ui", "wrapper"] {
        let arguments = format!("convert --sample --to {to}");
        assert_eq!(unread(&arguments), "0\n", "{to}");
    }
}

/// Sends one line at a time, and waits for its output before the next.
fn assert_comes_at_once(to: &str, lines: &[(&str, &[&str])]) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_linetape"))
        .args(["convert", "--to", to, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = child.stdout.take().unwrap();
    let (sender, written) = mpsc::channel();
    let reader = thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            sender.send(line.unwrap()).unwrap();
        }
    });
    for (line, expected) in lines {
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        for part in *expected {
            let found = written.recv_timeout(Duration::from_secs(60));
            let found = found.unwrap_or_default();
            assert!(found.contains(part), "{to}: {line}: {found}");
        }
    }
    drop(stdin);
    reader.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(written.recv().is_err(), "{to}");
}

#[test]
fn records_of_a_live_pipe_are_not_held_back() {
    let turn: Vec<&str> = TURN.lines().collect();
    let mut events: Vec<(&str, &[&str])> =
        turn.iter().map(|line| (*line, &[][..])).collect();
    events[1].1 = &["Let me "];
    events[2].1 = &["look."];
    events[4].1 = &["ToolExecuting"];
    events[5].1 = &["PermissionRequired"];
    events[6].1 = &["ToolCompleted"];
    events[7].1 = &["One file."];
    events[8].1 = &["Complete"];
    assert_comes_at_once("ui", &events);
    let mut frames: Vec<(&str, &[&str])> =
        turn.iter().map(|line| (*line, &[][..])).collect();
    frames[3].1 = &["Let me look."];
    frames[4].1 = &["permission_request"];
    frames[7].1 = &["One file."];
    assert_comes_at_once("wrapper", &frames);
    // A text is held back until it is complete.
    assert_comes_at_once(
        "stream-json",
        &[
            (r#"{"TextChunk":{"text":"Hel","session_id":1}}"#, &[]),
            (r#"{"TextChunk":{"text":"lo","session_id":1}}"#, &[]),
            (
                r#"{"ToolExecuting":{"tool_use_id":"t1","tool_name":"Read","input":{},"session_id":1}}"#,
                &["\"Hello\"", "tool_use"],
            ),
            (
                r#"{"ToolCompleted":{"tool_use_id":"t1","result":"","session_id":1}}"#,
                &["tool_result"],
            ),
        ],
    );
}
