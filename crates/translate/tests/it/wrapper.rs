//! `Wrapper` agrees with a reference implementation on random and real logs.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    logs,
    reference::naive_frames,
    run::{
        answer_line, answers, call_line, calls, frames, one_of, parsed, says,
        shuffled,
    },
    texts,
};

/// Asserts that the frames of a log are those of the reference, but for what
/// its texts report.
fn assert_agrees(text: &str, plan: &[usize]) {
    let mut frames = frames(text, plan);
    frames.retain(|frame| {
        frame["type"] != "progress_update" && frame["status"] != "mentioned"
    });
    assert_eq!(frames, naive_frames(&parsed(text)));
}

fn any_line() -> impl Strategy<Value = Value> {
    let id = one_of(&["t1", "t2", "t3"]);
    let flags = any::<[bool; 4]>();
    let name = one_of(&["Task", "Agent", "Bash", "Read"]);
    let status = one_of(&["completed", "killed", "running", "async_launched"]);
    let text = one_of(&["Hello", "Step 1 of 2\n\u{e9}", ""]);
    (0..11_u8, id, flags, name, status, text).prop_map(
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
        assert_agrees(&text, &plan);

        let whole: Vec<char> = text.chars().collect();
        let mut cut = cut.map(|at| at.index(whole.len() + 1));
        cut.sort();
        let parts = [&whole[..cut[1]], &whole[cut[0]..cut[2]], &whole[cut[1]..]];
        let spliced: String = parts.concat().into_iter().collect();
        assert_agrees(&spliced, &plan);
    }
}

#[test]
fn frames_of_real_logs_agree_with_the_reference() {
    for file in logs::corpus_files() {
        assert_agrees(&String::from_utf8_lossy(&file), &[4096, 100, 9999]);
    }
}
