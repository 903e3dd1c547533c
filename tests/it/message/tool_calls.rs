//! The tool calls of a line are those of the session's facts, with the nested
//! messages.

use linetape::{Decoder, Message, message::ToolCall};
use linetape_session::Facts;

use crate::support::json::{corpus, show, written_lines};

/// Returns what is known of a call, but for its agent.
fn shown(call: ToolCall<'_>) -> String {
    let input = call.input().map(|input| input.to_string());
    format!("{:?} {:?} {input:?} {}", call.id(), call.name(), call.is_remote())
}

/// Adds each call of a message and the messages inside
/// of it.
fn add_calls(message: Message<'_>, calls: &mut Vec<String>) {
    let facts = Facts::of(message);
    calls.extend(facts.calls().chain(facts.line_call()).map(shown));
    message.nested().for_each(|nested| add_calls(*nested, calls));
}

#[test]
fn all_calls_of_a_line_are_found() {
    let mut lines: Vec<Vec<u8>> = written_lines();
    for log in corpus() {
        lines.extend(log.split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
    }
    let (mut decoder, mut count) = (Decoder::new(), 0);
    for line in lines {
        let line = decoder.line(&line);
        let Ok(message) = line.checked() else { continue };
        let mut expected = vec![];
        add_calls(message, &mut expected);
        let found: Vec<_> = message.tool_calls().map(shown).collect();
        assert_eq!(found, expected, "{}", show(line.as_bytes()));
        count += found.len();
    }
    assert!(count > 10, "{count}");
}

/// A message in a mirrored `progress` line has the agent of that line, and the
/// lines after it have their own.
#[test]
fn each_call_has_its_agent() {
    let call = |id: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[
            {{"type":"tool_use","id":"{id}","name":"Read"}}]}}}}"#
        )
    };
    let progress = |agent: &str, parent: &str, message: &str| {
        format!(
            r#"{{"type":"progress","parentToolUseID":"{parent}","data":{{
            "type":"agent_progress","agentId":"{agent}",
            "message":{message}}}}}"#
        )
    };
    let inner = progress("a2", "c1", &call("c2"));
    let line = format!(
        r#"{{"type":"transcript_mirror","entries":[{},{},{},7,
        {{"type":"assistant","agentId":"a3","message":{{"content":[
        {{"type":"server_tool_use","id":"c4"}}]}}}},{}]}}"#,
        call("c0"),
        progress("a1", "c0", &inner),
        progress("a1", "c0", &call("c3")),
        call("c5"),
    );
    let line = line.replace('\n', " ");
    let mut decoder = Decoder::new();
    let line = decoder.line(line.as_bytes());
    let message = line.checked().unwrap();
    let found: Vec<_> = message
        .tool_calls()
        .map(|call| (call.id(), call.agent_id(), call.parent_tool_use_id()))
        .collect();
    let expected = [
        (Some("c0"), None, None),
        (Some("c2"), Some("a2"), Some("c1")),
        (Some("c3"), Some("a1"), Some("c0")),
        (Some("c4"), Some("a3"), None),
        (Some("c5"), None, None),
    ];
    assert_eq!(found, expected);
    let remote = message.tool_calls().filter(|call| call.is_remote());
    assert_eq!(remote.count(), 1);
}
