//! The view `tool_calls` has the calls of linetape-session.

use serde_json::{Value, json};

use crate::{copies::Dice, support::Folder, usage::compare_calls};

/// Returns a line with calls, or with results: of the main conversation, of a sub-agent,
/// nested or mirrored. Some have no id, or the id of another line.
fn line(dice: &mut Dice, count: usize) -> Value {
    let mut blocks = vec![];
    let is_call = dice.roll(2) == 0;
    for _ in 0..1 + dice.roll(3) {
        let number = dice.roll(count);
        let name = ["Bash", "Read", "Edit"][number % 3];
        let kind = match (is_call, number % 5) {
            (true, 0) => "server_tool_use",
            (true, _) => "tool_use",
            (false, 0) => "web_search_tool_result",
            (false, _) => "tool_result",
        };
        let mut block = json!({"type": kind});
        let has_id = dice.roll(8) > 0;
        if is_call {
            block["name"] = json!(name);
            if has_id {
                block["id"] = json!(format!("t{number}"));
            }
        } else {
            if has_id {
                block["tool_use_id"] = json!(format!("t{number}"));
            }
            match dice.roll(3) {
                0 => block["is_error"] = json!(true),
                1 => block["is_error"] = json!(false),
                _ => {}
            }
            block["content"] = json!("done");
        }
        blocks.push(block);
    }
    blocks.push(json!({"type": "text", "text": "t1"}));
    let kind = if is_call { "assistant" } else { "user" };
    let mut line = json!({
        "type": kind,
        "sessionId": dice.pick(&["s", "t"]),
        "message": {"content": blocks},
    });
    if dice.roll(4) == 0 {
        line["isSidechain"] = json!(true);
    }
    match dice.roll(8) {
        0 => json!({"type": "transcript_mirror", "entries": [line]}),
        1 => json!({
            "type": "progress",
            "sessionId": "s",
            "data": {"type": "agent_progress", "message": line},
        }),
        _ => line,
    }
}

#[tokio::test]
async fn repeated_calls_and_results_are_those_of_the_totals() {
    let folder = Folder::new();
    for (seed, lines) in [(1, 5), (2, 30), (3, 300), (4, 3_000)] {
        let mut dice = Dice(seed);
        let log: String = (0..lines)
            .map(|_| format!("{}\n", line(&mut dice, lines)))
            .collect();
        let path = folder.write(&format!("{seed}.jsonl"), log);
        assert!(compare_calls(&path).await > 0);
    }
}
