//! Records within records: `Message::nested`.

use linetape::{Decoder, Message, message::Nested, message::SessionId};

const PROGRESS: &str = r#"{"type":"progress","isSidechain":false,"sessionId":"s1","uuid":"u1","timestamp":"2026-01-01T00:00:00Z","parentToolUseID":"t1","toolUseID":"agent_1","data":{"type":"agent_progress","agentId":"a1","prompt":"Look.","normalizedMessages":[],"message":{"type":"assistant","uuid":"u2","requestId":"r1","timestamp":"2026-01-01T00:00:01Z","message":{"id":"m1","model":"opus","content":[{"type":"tool_use","id":"t2","name":"Read","input":{}}],"usage":{"input_tokens":3,"output_tokens":5}}}}}"#;

const MIRROR: &str = r#"{"type":"transcript_mirror","filePath":"/a.jsonl","entries":[{"type":"user","sessionId":"s2","uuid":"u3","message":{"content":"Hi"}},7,{"type":"assistant","sessionId":"s2","isSidechain":true,"agentId":"a2","message":{"id":"m2","content":"Hello"}}]}"#;

/// Calls `each` with the message of a line, peeked and decoded.
fn both_ways(line: &str, each: impl Fn(Message<'_>)) {
    let mut decoder = Decoder::new();
    each(decoder.line(line.as_bytes()).peek().unwrap());
    each(decoder.decode(line.as_bytes()).unwrap().message());
}

#[test]
fn a_progress_line_holds_a_message_of_a_sub_agent() {
    both_ways(PROGRESS, |message| {
        let nested: Vec<Nested<'_>> = message.nested().collect();
        let [nested] = nested.as_slice() else { panic!("{nested:?}") };
        assert_eq!(nested.kind().to_string(), "assistant");
        assert_eq!(nested.uuid(), Some("u2"));
        assert_eq!(nested.session_id(), Some(SessionId::Str("s1")));
        assert_eq!(nested.agent_id(), Some("a1"));
        assert_eq!(nested.parent_tool_use_id(), Some("t1"));
        assert_eq!(nested.timestamp(), Some("2026-01-01T00:00:01Z"));
        assert!(nested.is_sidechain(), "whatever the flag of the line is");
        let usage = nested.usage().unwrap();
        assert_eq!(usage.output_tokens(), Some(5));
        assert_eq!(nested.content_blocks().count(), 1);
        assert_eq!(nested.message().nested().count(), 0);
    });
}

#[test]
fn a_mirror_holds_whole_lines_with_their_own_context() {
    both_ways(MIRROR, |message| {
        let nested: Vec<Nested<'_>> = message.nested().collect();
        let [user, agent] = nested.as_slice() else { panic!("{nested:?}") };
        assert_eq!(user.text().to_string(), "Hi");
        assert_eq!(user.session_id(), Some(SessionId::Str("s2")));
        assert!(!user.is_sidechain());
        assert_eq!(agent.agent_id(), Some("a2"));
        assert!(agent.is_sidechain());
    });
}

/// Workflows report messages of their sub-agents as well. They were not read.
#[test]
fn another_report_with_a_whole_message_holds_it() {
    let line = PROGRESS.replace("agent_progress", "workflow_progress");
    both_ways(&line, |message| {
        let nested: Vec<_> = message.nested().collect();
        assert_eq!(nested.len(), 1);
        assert_eq!(nested[0].agent_id(), Some("a1"));
        assert!(nested[0].is_sidechain());
    });
}

#[test]
fn other_lines_hold_none() {
    for line in [
        r#"{"type":"progress","data":{"type":"bash_progress","message":{"type":"user"}}}"#,
        r#"{"type":"progress","data":{"type":"bash_progress","message":{"type":"user","message":"Hi"}}}"#,
        r#"{"type":"progress","data":{"type":"bash_progress","message":{"type":7,"message":{}}}}"#,
        r#"{"type":"progress","data":{"type":"agent_progress","message":"Hi"}}"#,
        r#"{"type":"progress","data":{"type":"agent_progress"}}"#,
        r#"{"type":"progress"}"#,
        r#"{"type":"transcript_mirror","entries":{}}"#,
        r#"{"type":"user","data":{"type":"agent_progress","message":{"type":"user"}}}"#,
    ] {
        both_ways(line, |message| assert_eq!(message.nested().count(), 0));
    }
}
