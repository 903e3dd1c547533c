//! `linetape usage` and `stats` of live streams, whose lines have the counts of
//! the start of each message.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    document, folder,
    lines::{log, printed},
    linetape,
    reference::IN_NO_MESSAGE,
};

const COUNTS: [&str; 4] = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
];

/// Returns the lines of a message, of which the last has the last counts.
fn message(id: &str, output: u64) -> Vec<Value> {
    let usage = json!({"input_tokens": 10, "output_tokens": 1,
        "cache_creation_input_tokens": 200, "cache_read_input_tokens": 3000});
    let line = |part: &str| {
        json!({"type": "assistant", "session_id": "s", "uuid": part,
            "request_id": format!("r {id}"), "parent_tool_use_id": null,
            "message": {"id": id, "model": "opus", "stop_reason": null,
                "content": [{"type": "text", "text": part}], "usage": usage}})
    };
    let event = |event: Value| {
        json!({"type": "stream_event", "session_id": "s",
            "parent_tool_use_id": null, "event": event})
    };
    vec![
        event(json!({"type": "message_start",
            "message": {"id": id, "model": "opus", "usage": usage}})),
        line("one"),
        line("two"),
        event(json!({"type": "message_delta",
            "usage": {"output_tokens": output}})),
    ]
}

fn result(input: u64, output: u64) -> Value {
    json!({"type": "result", "subtype": "success", "session_id": "s",
        "uuid": "result", "total_cost_usd": 0.5,
        "modelUsage": {"opus[1m]": {"inputTokens": input,
            "outputTokens": output, "cacheCreationInputTokens": 400,
            "cacheReadInputTokens": 6000, "costUSD": 0.5}}})
}

fn counts(object: &Value) -> [u64; 4] {
    COUNTS.map(|key| object[key].as_u64().unwrap())
}

/// Two messages with their events, and a result that reports a compaction.
fn stream() -> Vec<Value> {
    let mut lines = message("msg_a", 70);
    lines.extend(message("msg_b", 800));
    lines.push(result(25, 900));
    lines
}

/// `usage` of `usage --json` had the counts of the start of each message; only a
/// second table had those that the agent reports.
#[test]
fn the_total_is_that_of_the_agent_and_the_rows_add_up_to_it() {
    let log = log(&stream());
    let wanted = [25, 900, 400, 6000];
    for more in [&[][..], &["--peek"], &["--threads", "3"]] {
        let report = |command: &[&str]| {
            document(&linetape(&[command, more, &["-"]].concat(), &log))
        };
        let stats = report(&["stats", "--json"]);
        assert_eq!(counts(&stats["usage"]), wanted);
        for by in ["model", "session", "project", "day", "month"] {
            let usage = report(&["usage", "--json", "--by", by]);
            assert_eq!(usage["usage"], stats["usage"], "{by}");
            assert_eq!(usage["placeholder_messages"], 0);
            let rows = usage[format!("{by}s")].as_array().unwrap();
            assert_eq!(rows.len(), 2, "{by}");
            assert_eq!(counts(&rows[0]), [20, 870, 400, 6000], "{by}");
            assert_eq!(rows[1]["name"], IN_NO_MESSAGE);
            assert_eq!(counts(&rows[1]), [5, 30, 0, 0], "{by}");
            let unlogged = &usage["reported_in_no_message"];
            assert_eq!(counts(unlogged), [5, 30, 0, 0]);
        }
        assert_eq!(stats["models"][1]["model"], IN_NO_MESSAGE);
        assert_eq!(counts(&stats["models"][1]), [5, 30, 0, 0]);
    }
    let shown = printed(&["usage"], &log);
    let row = |name: &str| {
        let row = shown.lines().find(|line| line.starts_with(name)).unwrap();
        let words = row[name.len()..].split_whitespace();
        words.map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(row("opus ")[..3], ["2", "20", "870"]);
    assert_eq!(row(IN_NO_MESSAGE)[..3], ["0", "5", "30"]);
    assert_eq!(row("total")[..3], ["2", "25", "900"]);
    assert!(!shown.contains("Warning"), "{shown}");
    // The total says what the agent reports.
    assert!(!shown.contains("as reported"), "{shown}");
}

/// The warning says whether the total is too low.
#[test]
fn a_stream_without_events_has_placeholders() {
    let mut lines = message("msg_a", 70);
    lines.retain(|line| line["type"] != "stream_event");
    let shown = printed(&["usage"], &log(&lines));
    assert!(shown.contains("1 message are placeholders; the sum is too low"));
    lines.push(result(10, 70));
    let whole = log(&lines);
    let shown = printed(&["usage"], &whole);
    assert!(shown.contains("the total has the rest"), "{shown}");
    // No total is shown.
    let shown = printed(&["usage", "--by", "tool"], &whole);
    assert!(!shown.contains("the total has the rest"), "{shown}");
    assert!(shown.contains("; the sum is too low."), "{shown}");
    let report = document(&linetape(&["usage", "--json", "-"], &whole));
    assert_eq!(report["usage"]["output_tokens"], 70);
    assert_eq!(report["placeholder_messages"], 1);
}

/// A process that was killed has no result, and the one of the next is not about
/// its messages. The total was that of the messages, and called complete.
#[test]
fn a_killed_process_is_not_in_the_result_of_the_next() {
    let mut lines = message("msg_a", 600);
    lines.extend(message("msg_b", 0).into_iter().skip(1).take(1));
    let mut end = result(10, 500);
    end["model_usage_since_last_result"] = json!({"opus[1m]": {
        "inputTokens": 10, "outputTokens": 500,
        "cacheCreationInputTokens": 200, "cacheReadInputTokens": 3000}});
    lines.push(end);
    let whole = log(&lines);
    let report = document(&linetape(&["usage", "--json", "-"], &whole));
    assert_eq!(counts(&report["usage"]), [20, 1100, 400, 6000]);
    // Without the deltas, nothing tells what the killed process has used.
    lines.retain(|line| line["type"] != "stream_event");
    lines.insert(
        2,
        json!({"type": "system", "subtype": "init",
        "session_id": "s"}),
    );
    let shown = printed(&["usage"], &log(&lines));
    assert!(shown.contains("2 messages are placeholders; the sum is too low"));
}

/// The placeholder of a stream was the sum of its page.
#[test]
fn the_report_of_a_stream_has_what_its_results_report() {
    let prompt = json!({"type": "user", "session_id": "s", "uuid": "prompt",
        "message": {"role": "user", "content": "Go on."}});
    let mut lines = vec![prompt];
    lines.extend(message("msg_a", 0));
    lines.retain(|line| line["type"] != "stream_event");
    let mut end = result(10, 300);
    let used = &mut end["modelUsage"]["opus[1m]"];
    used["cacheCreationInputTokens"] = json!(200);
    used["cacheReadInputTokens"] = json!(3000);
    lines.push(end);
    let logs = folder("streamed-report", &[("a.ndjson", "")]);
    fs::write(logs.join("a.ndjson"), log(&lines)).unwrap();
    let out = folder("streamed-report-out", &[]);
    let [from, to] = [&logs, &out].map(|path| path.to_str().unwrap());
    let output = linetape(&["report", from, "-o", to], b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let pages = fs::read_dir(&out).unwrap();
    let pages = pages.map(|page| page.unwrap().path());
    let pages: Vec<_> =
        pages.filter(|page| page.extension().is_some()).collect();
    assert_eq!(pages.len(), 2, "{pages:?}");
    for page in pages {
        let page = fs::read_to_string(page).unwrap();
        for figure in [
            "<dt>Output tokens</dt><dd>300</dd>",
            "<dt>Of which in no message</dt><dd>299</dd>",
        ] {
            assert!(page.contains(figure), "{figure}: {page}");
        }
    }
}

/// A transcript has the sum of its messages, as ccusage counts it.
#[test]
fn what_a_transcript_reports_is_beside_its_total() {
    let mut line = message("msg_a", 0).swap_remove(1);
    line["sessionId"] = line["session_id"].take();
    line.as_object_mut().unwrap().remove("session_id");
    let mut state = result(10, 31);
    state["type"] = json!("cost-state");
    state["sessionId"] = state["session_id"].take();
    state.as_object_mut().unwrap().remove("session_id");
    let log = log(&[line, state]);
    let report = document(&linetape(&["usage", "--json", "-"], &log));
    assert_eq!(counts(&report["usage"]), [10, 1, 200, 3000]);
    assert_eq!(counts(&report["reported_beside"]), [0, 30, 200, 3000]);
    assert_eq!(report["models"].as_array().unwrap().len(), 1);
    let beside = "Reported, in no message that was read and not in the \
                  total: 0 input, 30 output, 200 cache write, 3,000 cache read.";
    for command in ["usage", "stats"] {
        let shown = printed(&[command], &log);
        assert!(shown.contains(beside), "{shown}");
    }
}

/// A state has the messages that have begun, and the counts of those whose lines
/// are still to come.
#[test]
fn a_stream_can_grow_between_two_runs() {
    let lines = stream();
    let whole = log(&lines);
    for command in ["usage", "stats"] {
        let expected = linetape(&[command, "--json", "-"], &whole);
        let expected = document(&expected);
        for cut in 0..=lines.len() {
            let folder = folder(&format!("streamed-{command}-{cut}"), &[]);
            let [path, state] =
                ["live.jsonl", "state"].map(|name| folder.join(name));
            let (path, state) =
                (path.to_str().unwrap(), state.to_str().unwrap());
            let arguments = [command, "--json", "--state", state, path];
            fs::write(path, log(&lines[..cut])).unwrap();
            linetape(&arguments, b"");
            fs::write(path, &whole).unwrap();
            let report = document(&linetape(&arguments, b""));
            for key in ["usage", "models", "placeholder_messages"] {
                assert_eq!(report[key], expected[key], "{key} {cut}");
            }
        }
    }
}
