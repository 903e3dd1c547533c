//! Translating lines of the maximum depth on a small stack.

use linetape::{Limits, Message, Reader};
use linetape_translate::{FromUi, ToUi, Wrapper};

use crate::stack::{nested, on_a_small_stack};

/// Lines with a placeholder for a value, the depth of the placeholder, and the
/// translators whose output contains the value.
const HOSTS: [(&str, usize, &[&str]); 7] = [
    (
        r#"{"type":"assistant","message":{"content":[
        {"type":"tool_use","id":"t","name":"Bash","input":@}]}}"#,
        4,
        &["to_ui", "wrapper"],
    ),
    (
        r#"{"type":"assistant","subtype":"tool_use","uuid":"u",
        "toolName":"Bash","toolArguments":@}"#,
        1,
        &["to_ui", "wrapper"],
    ),
    (
        r#"{"type":"control_request","request":{"subtype":"can_use_tool",
        "tool_name":"Bash","tool_use_id":"t","input":@}}"#,
        2,
        &["wrapper"],
    ),
    (
        r#"{"ToolExecuting":{"tool_use_id":"t","tool_name":"Bash","input":@,
        "session_id":1}}"#,
        2,
        &["from_ui"],
    ),
    // These values are searched for texts, and contain none.
    (
        r#"{"type":"user","message":{"content":[
        {"type":"tool_result","tool_use_id":"t","content":@}]}}"#,
        4,
        &[],
    ),
    (
        r#"{"type":"assistant","message":{"content":[
        {"type":"tool_use","id":"q","name":"AskUserQuestion",
        "input":{"questions":@}}]}}"#,
        5,
        &["to_ui", "wrapper"],
    ),
    (r#"{"type":"system","subtype":"novel","content":@}"#, 1, &[]),
];

/// Returns the serialised output of each translator for a message.
fn translated(message: Message<'_>) -> [(&'static str, String); 3] {
    let mut from_ui = FromUi::new();
    let mut messages = from_ui.translate(message).unwrap();
    messages.extend(from_ui.finish());
    let events = ToUi::new().translate(message).unwrap();
    let frames = Wrapper::new().translate(message).unwrap();
    [
        ("from_ui", serde_json::to_string(&messages.clone()).unwrap()),
        ("to_ui", serde_json::to_string(&events.clone()).unwrap()),
        ("wrapper", serde_json::to_string(&frames.clone()).unwrap()),
    ]
}

#[test]
fn the_deepest_lines_are_translated_on_a_small_stack() {
    on_a_small_stack(|| {
        for max_depth in [128, Limits::MAX_DEPTH_CAP] {
            let limits = Limits { max_depth, ..Limits::default() };
            for (host, above, copied) in HOSTS {
                for (name, value) in nested(max_depth - above) {
                    let line = host.replace("\n        ", "");
                    let line = line.replace('@', &value);
                    let builder = Reader::builder().limits(limits);
                    let mut reader = builder.build(line.as_bytes());
                    let line = reader.next_line().unwrap().unwrap();
                    let peeked = translated(line.peek().unwrap());
                    let record = line.decode().unwrap();
                    assert_eq!(peeked, translated(record.message()));
                    for (way, written) in peeked {
                        assert_eq!(
                            written.contains(&value),
                            copied.contains(&way),
                            "{way}, {name} in {host}"
                        );
                    }
                }
            }
        }
    });
}
