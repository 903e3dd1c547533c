//! Lines that a fork has copied from another session: in any order of files,
//! the totals and the rows are the same.

use std::slice;

use linetape_session::UsageTotals;
use serde_json::{Value, json};

use super::{log, totals};

/// A line of a message in a session.
fn line(session: &str, id: &str, output: u64) -> Value {
    json!({"type": "assistant", "sessionId": session, "isSidechain": false,
        "uuid": format!("line {id}"), "requestId": format!("r {id}"),
        "timestamp": "2026-01-31T10:00:00Z", "cwd": "/srv",
        "message": {"id": id, "model": "opus", "stop_reason": "end_turn",
            "usage": {"input_tokens": 9, "output_tokens": output,
                "cache_creation_input_tokens": 20,
                "cache_read_input_tokens": 300,
                "cache_creation": {"ephemeral_5m_input_tokens": 0,
                    "ephemeral_1h_input_tokens": 20}}}})
}

/// The copy of a line in a fork.
fn copied(mut line: Value, fork: &str) -> Value {
    if line.get("requestSessionId").is_none() {
        line["requestSessionId"] = line["sessionId"].clone();
    }
    line["sessionId"] = json!(fork);
    line
}

/// The copy of a line that was carried over a compaction before.
fn zeroed(line: Value, fork: &str) -> Value {
    let mut line = copied(line, fork);
    let usage = &mut line["message"]["usage"];
    for (key, count) in usage.as_object_mut().unwrap() {
        if count.is_u64() && key != "cache_creation" {
            *count = json!(0);
        }
    }
    usage["iterations"] = json!([]);
    line
}

/// A session with a compaction, of which a fork carries a message over, and a
/// fork of the fork. Some files have a sub-agent's message as well.
fn files() -> Vec<Vec<Value>> {
    let boundary = |session: &str| {
        json!({"type": "system", "subtype": "compact_boundary",
            "sessionId": session, "uuid": "boundary", "cwd": "/srv"})
    };
    let [a, b, c, d] = [
        line("first", "msg_a", 50),
        line("first", "msg_b", 60),
        line("first", "msg_c", 70),
        line("fork", "msg_d", 80),
    ];
    let mut side = line("first", "msg_e", 90);
    side["isSidechain"] = json!(true);
    side["agentId"] = json!("x");
    vec![
        vec![a.clone(), b.clone(), boundary("first"), c.clone()],
        vec![
            boundary("fork"),
            zeroed(b.clone(), "fork"),
            copied(c.clone(), "fork"),
            d.clone(),
        ],
        vec![
            boundary("again"),
            zeroed(copied(b, "fork"), "again"),
            zeroed(copied(c, "fork"), "again"),
            copied(d, "again"),
            line("again", "msg_f", 100),
        ],
        vec![side.clone(), copied(side, "fork")],
    ]
}

/// Everything but the order of rows and the project of a session that has no
/// lines.
fn rows(totals: &UsageTotals) -> Vec<String> {
    let mut rows: Vec<String> = totals
        .groups()
        .iter()
        .map(|group| format!("{group:?}"))
        .chain(totals.by_session().iter().map(|row| format!("{row:?}")))
        .collect();
    rows.sort();
    rows.push(format!("{:?} {:?}", totals.total(), totals.subagents()));
    rows
}

fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![vec![]];
    for new in 0..count {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<usize>| {
                (0..=order.len()).map(|place| {
                    let mut order = order.clone();
                    order.insert(place, new);
                    order
                })
            })
            .collect();
    }
    orders
}

/// A folder's total depended on the names of its files: the copy of a message
/// that was carried over a compaction has no tokens, but the parts of what the
/// original wrote to the cache, and replaced the original if it was read later.
/// The messages that a fork has copied were in the row of the file that was read
/// first.
#[test]
fn any_order_of_files_gives_the_same_totals_and_rows() {
    let files = files();
    let expected = rows(&totals(&log(&files.concat())));
    for order in orders(files.len()) {
        let lines: Vec<Value> =
            order.iter().flat_map(|at| files[*at].clone()).collect();
        assert_eq!(rows(&totals(&log(&lines))), expected, "{order:?}");
        // In parts that are added up alone.
        let mut sum = UsageTotals::new();
        for at in &order {
            let part = totals(&log(&files[*at])).save();
            sum.append(UsageTotals::load(part).unwrap());
        }
        assert_eq!(rows(&sum), expected, "{order:?}");
    }
    let sum = totals(&log(&files.concat()));
    let sessions = sum.by_session();
    let outputs: Vec<_> = sessions
        .iter()
        .map(|row| (row.name.unwrap(), row.messages, row.tokens.output_tokens))
        .collect();
    let expected = [("first", 4, 270), ("fork", 1, 80), ("again", 1, 100)];
    assert_eq!(outputs, expected);
    let total = sum.total();
    assert_eq!((total.messages, total.tokens.input_tokens), (6, 54));
    assert_eq!(total.tokens.ephemeral_1h_input_tokens, 120);
}

/// The parts of what the original wrote to the cache were counted.
#[test]
fn a_copy_without_tokens_counts_nothing() {
    let total = |lines: &[Value]| totals(&log(lines)).total().tokens;
    let copy = zeroed(line("first", "msg_a", 50), "fork");
    assert_eq!(total(slice::from_ref(&copy)), Default::default());
    let original = line("first", "msg_a", 50);
    let expected = total(slice::from_ref(&original));
    assert_eq!(total(&[original.clone(), copy.clone()]), expected);
    assert_eq!(total(&[copy, original]), expected);
    // A usage that leaves totals out has the parts.
    let mut parts = line("first", "msg_a", 50);
    parts["message"]["usage"] =
        json!({"cache_creation": {"ephemeral_1h_input_tokens": 7}});
    assert_eq!(total(&[parts]).cache_creation_input_tokens, 7);
}

/// Read alone, a fork has messages of a session whose file is not there. Its
/// own cost includes theirs, and its folder is theirs.
#[test]
fn a_fork_that_is_read_alone_tells_of_the_original() {
    let state = json!({"type": "cost-state", "sessionId": "fork",
        "totalCostUSD": 1.0});
    let mut lines = files().swap_remove(1);
    lines.push(state);
    let totals = totals(&log(&lines));
    for message in totals.messages() {
        assert_eq!(message.project, Some("/srv"));
        assert!(message.is_cost_reported, "{message:?}");
    }
    assert_eq!(totals.by_session()[0].name, Some("first"));
}
