//! The view `usage` has the totals of linetape-session.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use linetape::{Message, Reader};
use linetape_session::{Tokens, UsageTotals};
use serde_json::{Value, json};

use crate::support::{Folder, LOG, bare, corpus, fixtures, logs, rows};

const COUNTS: [&str; 8] = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "ephemeral_5m_input_tokens",
    "ephemeral_1h_input_tokens",
    "web_search_requests",
    "web_fetch_requests",
];

fn counts(tokens: Tokens) -> [u64; 8] {
    [
        tokens.input_tokens,
        tokens.output_tokens,
        tokens.cache_creation_input_tokens,
        tokens.cache_read_input_tokens,
        tokens.ephemeral_5m_input_tokens,
        tokens.ephemeral_1h_input_tokens,
        tokens.web_search_requests,
        tokens.web_fetch_requests,
    ]
}

/// A message: its session, model, folder, day, time, thread and tokens.
pub type Row = (
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<i64>,
    bool,
    [u64; 8],
);

/// Returns the messages of all logs of a path, by `UsageTotals`.
pub fn expected(path: &Path) -> (Vec<Row>, u64) {
    let mut totals = UsageTotals::new();
    for file in linetape_arrow::log_files(path).unwrap() {
        let mut reader = Reader::from_path(file).unwrap();
        while let Some(line) = reader.next_line() {
            let Ok(line) = line else { continue };
            let Ok(message) = line.checked() else { continue };
            totals.add(message);
        }
    }
    let owned = |text: Option<&str>| text.map(str::to_string);
    let mut rows: Vec<Row> = totals
        .messages()
        .map(|message| {
            (
                owned(message.session),
                owned(message.model),
                owned(message.project),
                owned(message.day),
                message.time,
                message.is_sidechain,
                counts(message.tokens),
            )
        })
        .collect();
    rows.sort();
    (rows, totals.total().messages)
}

async fn found(path: &Path, partitions: usize) -> Vec<Row> {
    let context = logs(path.to_str().unwrap(), partitions).await;
    let columns = COUNTS.join(", ");
    let sql = format!(
        "SELECT session_id, model, cwd, day, CAST(\"timestamp\" AS BIGINT) AS \
         time, is_sidechain, {columns} FROM usage"
    );
    let found = rows(&context, &sql).await;
    let text = |row: &Value, key: &str| row[key].as_str().map(str::to_string);
    let mut found: Vec<Row> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                text(row, "session_id"),
                text(row, "model"),
                text(row, "cwd"),
                text(row, "day"),
                row["time"].as_i64(),
                row["is_sidechain"].as_bool().unwrap(),
                COUNTS.map(|key| row[key].as_u64().unwrap_or(0)),
            )
        })
        .collect();
    found.sort();
    found
}

pub async fn compare(path: &Path) -> u64 {
    let (expected, messages) = expected(path);
    assert_eq!(expected.len() as u64, messages);
    for partitions in [1, 7] {
        let found = found(path, partitions).await;
        assert_eq!(found, expected, "{}", path.display());
    }
    messages
}

#[tokio::test]
async fn the_view_has_the_messages_of_the_totals() {
    let mut messages = 0;
    for path in fixtures() {
        messages += compare(&path).await;
    }
    let folder = fixtures()[0].parent().unwrap().to_path_buf();
    messages += compare(&folder).await;
    assert!(messages >= 4, "{messages}");
}

#[tokio::test]
async fn the_view_has_the_messages_of_generated_logs() {
    let folder = Folder::new();
    for shape in linetape_generate::Shape::ALL {
        let log = linetape_generate::generate(shape, 3, 100_000);
        let name = format!("{}.jsonl", shape.name());
        compare(&folder.write(&name, log)).await;
    }
    let messages = compare(&folder.0).await;
    assert!(messages > 10, "{messages}");
}

/// The sums by model are those of `linetape usage --json`, which prints
/// `UsageTotals::by_model`.
#[tokio::test]
#[ignore = "reads the logs of LINETAPE_CORPUS: cargo test -- --ignored"]
async fn the_view_has_the_messages_of_real_logs() {
    let files = corpus();
    let mut messages = 0;
    for file in &files {
        messages += compare(file).await;
        compare_costs(file).await;
        compare_calls(file).await;
    }
    let folders: BTreeSet<&Path> =
        files.iter().filter_map(|file| file.parent()).collect();
    for folder in folders {
        messages += compare(folder).await;
        compare_costs(folder).await;
    }
    assert!(messages > 100, "{messages}");
}

/// Compares `sessions.total_cost_usd` with the costs of `linetape usage --json`,
/// which prints `UsageTotals::costs`. Returns how many sessions have one.
async fn compare_costs(path: &Path) -> usize {
    let mut totals = UsageTotals::new();
    for file in linetape_arrow::log_files(path).unwrap() {
        let mut reader = Reader::from_path(file).unwrap();
        while let Some(line) = reader.next_line() {
            let Ok(line) = line else { continue };
            let Ok(message) = line.checked() else { continue };
            totals.add(message);
        }
    }
    let expected: BTreeMap<String, f64> = totals
        .costs()
        .iter()
        .filter_map(|cost| Some((cost.session?.to_string(), cost.cost_usd?)))
        .collect();
    for partitions in [1, 7] {
        let context = logs(path.to_str().unwrap(), partitions).await;
        let sql = "SELECT session_id, total_cost_usd AS cost FROM sessions \
                   WHERE total_cost_usd IS NOT NULL";
        let found = rows(&context, sql).await;
        let found: BTreeMap<String, f64> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let session = row["session_id"].as_str().unwrap();
                (session.to_string(), row["cost"].as_f64().unwrap())
            })
            .collect();
        let sessions = |costs: &BTreeMap<String, f64>| {
            costs.keys().cloned().collect::<Vec<_>>()
        };
        let name = path.display();
        assert_eq!(sessions(&found), sessions(&expected), "{name}");
        for (session, cost) in &expected {
            let difference = (found[session] - cost).abs();
            assert!(difference < 1e-9, "{name}: {session}: {found:?}");
        }
    }
    expected.len()
}

/// The cost was the last one that a result reports: 0.1 for two runs of 0.5 and
/// 0.1, and none for a transcript. Later, a copy of a result was one more run,
/// and the last `cost-state` counted, even if it was an old one.
#[tokio::test]
async fn the_costs_of_sessions_are_those_of_the_totals() {
    let folder = Folder::new();
    let result = |session: &str, cost: &str| {
        format!(
            "{{\"type\":\"result\",\"session_id\":\"{session}\",\
             \"total_cost_usd\":{cost}}}\n"
        )
    };
    let state = |session: &str, cost: &str| {
        format!(
            "{{\"type\":\"cost-state\",\"sessionId\":\"{session}\",\
             \"totalCostUSD\":{cost}}}\n"
        )
    };
    let costs = [
        result("restarted", "0.5"),
        result("restarted", "0.1"),
        result("grows", "0.5"),
        result("grows", "0.75"),
        result("negative", "0.5"),
        result("negative", "-1"),
        result("negative", "0.25"),
        result("none", "null"),
        state("states", "0.5"),
        state("states", "0.25"),
        state("bad state", "0.5"),
        state("bad state", "-1"),
        result("state is more", "0.5"),
        state("state is more", "0.75"),
        result("state is less", "0.5"),
        state("state is less", "0.25"),
        result("bad state of two", "0.5"),
        state("bad state of two", "null"),
        result("copies", r#"0.5,"uuid":"u1""#),
        result("copies", r#"0.25,"uuid":"u2""#),
        result("copies", r#"0.5,"uuid":"u1""#),
        result("other", r#"0.125,"uuid":"u1""#),
        result("bad copy", r#"-1,"uuid":"u3""#),
        result("bad copy", r#"0.5,"uuid":"u3""#),
        state("old copy", r#"0.75,"totalDuration":9"#),
        state("old copy", r#"0.25,"totalDuration":9"#),
        state("old copy", r#"1.5,"totalDuration":8"#),
        state("old copy", "1.25"),
        state(
            "models",
            r#"null,"modelUsage":{"a":{"costUSD":0.5},"b":{"costUSD":0.25},"c":{"costUSD":-1},"d":{}}"#,
        ),
    ];
    let path = folder.write("a/a.jsonl", costs.concat());
    assert_eq!(compare_costs(&path).await, 11);
    // The next run is in another file.
    let more = [
        result("restarted", "0.05"),
        state("states", "1"),
        result("copies", r#"0.5,"uuid":"u1""#),
        state("old copy", r#"0.5,"totalDuration":7"#),
        state("models", r#"0.125,"totalDuration":1"#),
    ];
    folder.write("a/b.jsonl", more.concat());
    assert_eq!(compare_costs(&folder.0).await, 11);
    for fixture in fixtures() {
        compare_costs(&fixture).await;
    }
    for shape in linetape_generate::Shape::ALL {
        let log = linetape_generate::generate(shape, 3, 50_000);
        let name = format!("{}.jsonl", shape.name());
        compare_costs(&folder.write(&name, log)).await;
    }
}

/// Copies of a message: in the main conversation, of a sub-agent, nested, and
/// of a fork; in any order, and in one file or several.
#[tokio::test]
async fn of_copies_the_one_closest_to_the_original_counts() {
    let line = |kind: &str, id: &str, tokens: &str| match kind {
        "nested" => format!(
            r#"{{"type":"progress","sessionId":"n","data":{{"type":"agent_progress","message":{{"type":"assistant","message":{{"id":"{id}","usage":{tokens}}}}}}}}}"#
        ),
        other => {
            let more = match other {
                "side" => r#""isSidechain":true,"#,
                "fork" => r#""forkedFrom":{"sessionId":"x"},"#,
                _ => "",
            };
            format!(
                r#"{{"type":"assistant",{more}"sessionId":"{other}","message":{{"id":"{id}","usage":{tokens}}}}}"#
            )
        }
    };
    let kinds = ["main", "side", "fork", "nested"];
    let tokens = [
        r#"{"output_tokens":1}"#,
        r#"{"input_tokens":2}"#,
        r#"{"output_tokens":3,"cache_creation":{"ephemeral_1h_input_tokens":5}}"#,
    ];
    let folder = Folder::new();
    let mut one = String::new();
    let mut parts = [const { String::new() }; 3];
    for first in kinds {
        for second in kinds {
            for third in kinds {
                // The id of each case is valid in all sessions.
                let id = format!("msg_{first}-{second}-{third}");
                for (at, kind) in [first, second, third].iter().enumerate() {
                    let line = line(kind, &id, tokens[at]) + "\n";
                    one += &line;
                    parts[at] += &line;
                }
            }
        }
    }
    let one = folder.write("one.jsonl", one);
    assert_eq!(compare(&one).await, 64);
    for (at, part) in parts.iter().enumerate() {
        folder.write(&format!("parts/{at}/log.jsonl"), part);
    }
    assert_eq!(compare(&folder.0.join("parts")).await, 64);
}

/// Paths are ordered part by part, and not as text: `a/x` is before `a-b/x`.
#[tokio::test]
async fn the_last_line_is_that_of_the_last_file() {
    let folder = Folder::new();
    let line = |session: &str, tokens: u64| {
        format!(
            r#"{{"type":"assistant","session_id":"{session}","message":{{"id":"msg_1","usage":{{"output_tokens":{tokens}}}}}}}"#
        )
    };
    folder.write("a/x.jsonl", line("first", 1));
    folder.write("a-b/x.jsonl", line("second", 2));
    let context = logs(folder.path(), 2).await;
    let sql = "SELECT session_id, output_tokens FROM usage";
    let row = json!([{"session_id": "first", "output_tokens": 2}]);
    assert_eq!(rows(&context, sql).await, row);
    compare(&folder.0).await;

    // The order of paths is that of the command line.
    let context = bare(2);
    let paths = ["a-b", "a"].map(|n| folder.0.join(n));
    let paths = paths.map(|path| path.to_str().unwrap().to_string());
    let (settings, meter) = Default::default();
    linetape_sql::register(&context, &paths, &settings, &meter).await.unwrap();
    let row = json!([{"session_id": "second", "output_tokens": 1}]);
    assert_eq!(rows(&context, sql).await, row);
}

/// The function of the view was known only to contexts of this crate.
#[tokio::test]
async fn any_context_can_have_the_views() {
    let folder = Folder::new();
    folder.write("a.jsonl", LOG);
    let context = datafusion::prelude::SessionContext::new();
    let (settings, meter) = Default::default();
    let paths = [folder.path()];
    linetape_sql::register(&context, &paths, &settings, &meter).await.unwrap();
    let sql = "SELECT message_id, request_id, output_tokens, cwd, file IS \
               NOT NULL AS has_file FROM usage ORDER BY message_id";
    let expected = json!([
        {"message_id": "m1", "request_id": "r1", "output_tokens": 9,
         "cwd": "/srv", "has_file": true},
        {"message_id": "m2", "request_id": null, "output_tokens": 4,
         "cwd": null, "has_file": true},
    ]);
    assert_eq!(rows(&context, sql).await, expected);
}

/// The characters that separate the columns were removed from an id, which could then
/// be that of another session.
#[tokio::test]
async fn any_id_is_unchanged() {
    let folder = Folder::new();
    let ids = ["\x1e", "\x1e0", "\x1e1", "\x1f\x1e", "\x1f0", "a\x1fb", "ab"];
    let line = |id: &str| {
        let line = json!({
            "type": "assistant", "sessionId": id, "cwd": id,
            "message": {"usage": {"output_tokens": 3}},
        });
        format!("{line}\n")
    };
    folder.write("a.jsonl", ids.map(line).concat());
    let context = logs(folder.path(), 1).await;
    let sql = "SELECT u.session_id AS id, u.cwd, u.output_tokens AS n FROM \
               usage u JOIN sessions s ON u.session_id = s.session_id \
               ORDER BY id";
    let row = |id: &str| json!({"id": id, "cwd": id, "n": 3});
    assert_eq!(rows(&context, sql).await, json!(ids.map(row)));
}

/// It was the folder of the first answer.
#[tokio::test]
async fn the_folder_is_the_first_one_of_the_session() {
    let folder = Folder::new();
    let line = |kind: &str, more: &str| {
        format!(r#"{{"type":"{kind}","sessionId":"s",{more}}}"#) + "\n"
    };
    let said = r#""cwd":"/b","message":{"usage":{"output_tokens":1}}"#;
    for (kind, more) in [
        ("user", r#""cwd":"/a""#),
        ("attachment", r#""cwd":"/a""#),
        ("system", r#""subtype":"init","cwd":"/a""#),
    ] {
        folder.write("a.jsonl", line(kind, more));
        folder.write("b.jsonl", line("assistant", said));
        let context = logs(folder.path(), 2).await;
        let found = rows(&context, "SELECT cwd FROM usage").await;
        assert_eq!(found, json!([{"cwd": "/a"}]), "{kind}");
        compare(&folder.0).await;
    }
}

/// Without ids, every line is a message.
#[tokio::test]
async fn lines_without_ids_are_separate_messages() {
    let folder = Folder::new();
    let line = "{\"type\":\"assistant\",\"message\":{\"usage\":{\"output_tokens\":2}}}\n";
    let path = folder.write("a.jsonl", line.repeat(3));
    fs::copy(&path, folder.0.join("b.jsonl")).unwrap();
    let context = logs(folder.path(), 2).await;
    let sql = "SELECT count(*) AS n, sum(output_tokens) AS tokens FROM usage";
    let row = json!([{"n": 6, "tokens": 12}]);
    assert_eq!(rows(&context, sql).await, row);
    compare(&folder.0).await;
}

/// Tool calls and errors are those of `UsageTotals::by_tool`.
#[tokio::test]
async fn tool_calls_are_those_of_the_totals() {
    let folder = Folder::new();
    let mut paths = fixtures();
    for shape in linetape_generate::Shape::ALL {
        let log = linetape_generate::generate(shape, 5, 100_000);
        let name = format!("{}.jsonl", shape.name());
        paths.push(folder.write(&name, log));
    }
    let mut calls = 0;
    for path in paths {
        calls += compare_calls(&path).await;
    }
    assert!(calls > 5, "{calls}");
}

pub async fn compare_calls(path: &Path) -> usize {
    let mut totals = UsageTotals::new();
    let mut reader = Reader::from_path(path).unwrap();
    while let Some(line) = reader.next_line() {
        let Ok(line) = line else { continue };
        let Ok(message) = line.checked() else { continue };
        // Calls that are lines or events are not in the view.
        let is_block = match message {
            Message::Ui(_) | Message::System(_) => false,
            Message::Assistant(said) => said.message().is_some(),
            _ => true,
        };
        if is_block {
            totals.add(message);
        }
    }
    let expected: BTreeMap<String, (u64, u64)> = totals
        .by_tool()
        .iter()
        .map(|tool| {
            let name = tool.name.unwrap_or_default().to_string();
            (name, (tool.calls, tool.errors))
        })
        .collect();
    let context = logs(path.to_str().unwrap(), 3).await;
    let sql = "SELECT coalesce(tool_name, '') AS name, count(*) AS calls, \
               count(*) FILTER (WHERE is_error) AS errors FROM tool_calls \
               GROUP BY name";
    let found = rows(&context, sql).await;
    let found: BTreeMap<String, (u64, u64)> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let count = |key: &str| row[key].as_u64().unwrap();
            let name = row["name"].as_str().unwrap().to_string();
            (name, (count("calls"), count("errors")))
        })
        .collect();
    assert_eq!(found, expected, "{}", path.display());
    found.len()
}
