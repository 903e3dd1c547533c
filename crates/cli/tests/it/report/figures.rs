//! Figures, charts and lists of the pages of `linetape report`.

use serde_json::{Value, json};

use super::texts::{page, prompt, shown};
use crate::support::lines::{answer, call, said, words};

/// Returns the message of a sub-agent.
fn of_agent(call: &str, mut message: Value) -> Value {
    message["parent_tool_use_id"] = json!(call);
    message
}

/// The charts counted the requests of the main conversation only, and the
/// figures counted all, on the same page and without a word about it.
#[test]
fn charts_count_what_the_figures_count() {
    let task = json!({"description": "Look", "prompt": "Look."});
    let mut large = said("m2", words("Found."));
    large["message"]["usage"]["input_tokens"] = json!(50_000);
    let lines = [
        prompt("Hi"),
        said("m1", call("t1", "Task", task)),
        of_agent("t1", large),
        of_agent("t1", said("m3", call("t2", "Bash", json!({})))),
        of_agent("t1", answer("t2", json!("fine"))),
        answer("t1", json!("Found.")),
        said("m4", words("Done.")),
    ];
    let page = page("counted.jsonl", &lines, &[]);
    let figure = |name: &str| {
        let (_, rest) =
            page.split_once(&format!("<dt>{name}</dt><dd>")).unwrap();
        rest.split_once('<').unwrap().0
    };
    assert_eq!(figure("Requests"), "4");
    assert_eq!(figure("Input tokens"), "53.0 k");
    assert!(page.contains("<p>Input: <b>53.0 k</b></p>"), "{page}");
    assert_eq!(figure("Largest context"), "50.0 k");
    assert!(page.contains("2 requests of the main conversation"), "{page}");
    assert!(page.contains("Calls of sub-agents are not counted"), "{page}");
}

/// It said `1 requests`, and `show` said `1 turns`. Then both said `1 request`
/// for a turn, which can have several.
#[test]
fn one_request_is_not_several() {
    let lines = [
        prompt("Hi"),
        said("m1", words("Hello")),
        json!({"type": "result", "subtype": "success", "session_id": "s",
               "num_turns": 1, "duration_ms": 10, "total_cost_usd": 0.1}),
    ];
    let page = page("one.jsonl", &lines, &[]);
    assert!(page.contains("1 request; the largest"), "{page}");
    assert!(page.contains("success, 1 turn, 10 ms, $0.10"), "{page}");
    let shown = shown("one.jsonl", &lines, &[]);
    assert!(shown.contains("success, 1 turn, 10 ms, $0.10"), "{shown}");
}

/// The reason was the text with which the call began.
#[test]
fn a_call_that_failed_in_the_background_says_why() {
    let make = json!({"command": "make", "run_in_background": true});
    let mut begun = answer("t1", json!("Running in background with ID: b1"));
    begun["toolUseResult"] = json!({"backgroundTaskId": "b1"});
    let lines = [
        prompt("Hi"),
        said("m1", call("t1", "Bash", make)),
        begun,
        prompt(
            "<task-notification>\n<task-id>b1</task-id>\n\
             <status>failed</status>\n<summary>make failed with exit code 2\
             </summary>\n</task-notification>",
        ),
    ];
    let page = page("background.jsonl", &lines, &[]);
    let (_, list) = page.split_once("id=\"failures\"").unwrap();
    let (list, _) = list.split_once("</nav>").unwrap();
    assert!(list.contains("make failed with exit code 2"), "{list}");
    assert!(!list.contains("Running in background"), "{list}");
    // It leads to the notification.
    let (_, id) = list.split_once("href=\"#s").unwrap();
    let (id, _) = id.split_once('"').unwrap();
    assert!(page.contains(&format!(" id=\"s{id}\"")), "{list}");
}

/// Long paths had no file name any more.
#[test]
fn the_end_of_a_path_is_never_cut() {
    let path = format!("/a/{}/{}/last.rs", "d".repeat(200), "e".repeat(200));
    let mut failed = answer("t1", json!("No such file"));
    failed["message"]["content"][0]["is_error"] = json!(true);
    let lines = [
        prompt("Hi"),
        said("m1", call("t1", "Read", json!({"file_path": path}))),
        failed,
    ];
    let page = page("path.jsonl", &lines, &[]);
    let (_, list) = page.split_once("id=\"failures\"").unwrap();
    let (list, _) = list.split_once("</nav>").unwrap();
    assert!(list.contains("e/last.rs</a>"), "{list}");
    let (_, call) = page.split_once("<details class=\"c failed\"").unwrap();
    let (call, _) = call.split_once("</summary>").unwrap();
    assert!(call.contains("<code>..."), "{call}");
    assert!(call.contains("e/last.rs</code>"), "{call}");
}
