//! Costs that messages state, and those of forks.

use linetape_session::UsageTotals;
use serde_json::{Value, json};

use super::{log, said, totals};

/// Returns the cost of each session.
fn costs(totals: &UsageTotals) -> Vec<(Option<&str>, Option<f64>)> {
    let costs = totals.costs().into_iter();
    costs.map(|cost| (cost.session, cost.cost_usd)).collect()
}

/// A cost on the line of a message was not read.
#[test]
fn a_message_may_state_its_cost() {
    let line = |id: &str, session: &str, cost: f64| {
        let mut line = said(
            id,
            5,
            json!({"sessionId": session,
            "requestId": "r", "costUSD": cost}),
        );
        line["message"]["model"] = json!("opus");
        line
    };
    let mut lines = vec![
        line("msg_a", "s", 0.25),
        // More lines of the message, and a copy of it.
        line("msg_a", "s", 0.25),
        line("msg_a", "s", 0.0),
        line("msg_a", "t", 0.25),
        line("msg_b", "s", 0.5),
        line("msg_c", "s", -1.0),
        line("msg_d", "t", 1.0),
    ];
    let both = totals(&log(&lines));
    let expected = [(Some("s"), Some(0.75)), (Some("t"), Some(1.0))];
    assert_eq!(costs(&both), expected);
    let models = &both.costs()[0].models;
    assert_eq!((models.len(), models[0].model), (1, "opus"));
    assert_eq!(models[0].cost_usd, Some(0.75));
    // Those of the messages that state a cost.
    assert_eq!(models[0].tokens.output_tokens, 10);
    let loaded = UsageTotals::load(both.save()).unwrap();
    assert_eq!(loaded.costs(), both.costs());

    // Another cost of the session is one of all messages.
    lines.push(json!({"type": "cost-state", "sessionId": "s",
        "totalCostUSD": 0.5}));
    let expected = [(Some("s"), Some(0.5)), (Some("t"), Some(1.0))];
    assert_eq!(costs(&totals(&log(&lines))), expected);
}

/// The cost of a session counted once more in a session that was forked from
/// it, though its messages count once.
#[test]
fn a_fork_goes_on_counting_the_cost_of_its_session() {
    let line = |id: &str, session: &str| {
        said(id, 5, json!({"sessionId": session, "requestId": "r"}))
    };
    let state = |session: &str, start: u64, cost: f64| {
        json!({"type": "cost-state", "sessionId": session,
            "startTime": start, "totalCostUSD": cost, "modelUsage": {
                "opus": {"costUSD": cost, "inputTokens": (100.0 * cost) as u64}}})
    };
    let fork = |start, id| {
        [
            line("msg_a", "s"),
            state("s", 7, 1.5),
            line(id, "t"),
            state("t", start, 1.5),
            line("msg_c", "t"),
            state("t", start, 2.0),
        ]
    };
    let forked = totals(&log(&fork(7, "msg_a")));
    let expected = [(Some("s"), Some(1.5)), (Some("t"), Some(0.5))];
    assert_eq!(costs(&forked), expected);
    let model = forked.costs()[1].models[0];
    assert_eq!((model.cost_usd, model.tokens.input_tokens), (Some(0.5), 50));

    // In any order, in parts and loaded.
    let lines = fork(7, "msg_a");
    let parts = [&lines[2..], &lines[..2]];
    let [mut first, second] = parts.map(|part| totals(&log(part)));
    first = UsageTotals::load(first.save()).unwrap();
    first.append(second);
    let first = UsageTotals::load(first.save()).unwrap();
    assert_eq!(costs(&first), expected);

    // Sessions that have no message in common, or that began at other times.
    let apart = [(Some("s"), Some(1.5)), (Some("t"), Some(2.0))];
    assert_eq!(costs(&totals(&log(&fork(7, "msg_b")))), apart);
    assert_eq!(costs(&totals(&log(&fork(8, "msg_a")))), apart);
}

#[test]
fn the_cost_of_a_message_changes_no_tokens() {
    let line = |cost: Value| said("msg_a", 5, json!({"costUSD": cost}));
    let [with, without] =
        [json!(0.5), json!(null)].map(|cost| totals(&log(&[line(cost)])));
    assert_eq!(with.total(), without.total());
    assert_eq!(costs(&without), [(None, None)]);
}
