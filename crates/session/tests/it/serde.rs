//! The output of the feature `serde`.

use linetape::lines;
use linetape_session::{
    UsageTotals,
    check::{Checker, Dialect, Level, Rule},
};
use serde_json::{json, to_value};

#[test]
fn serialized_totals_and_costs_have_the_keys_of_the_cli() {
    let log = br#"{"type":"assistant","session_id":"s","message":{"id":"m","model":"opus","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}],"usage":{"input_tokens":3,"output_tokens":5}}}
{"type":"result","session_id":"s","total_cost_usd":0.25,"modelUsage":{"opus":{"costUSD":0.25,"outputTokens":5}}}
"#;
    let mut totals = UsageTotals::new();
    let mut lines = lines(log);
    while let Some(line) = lines.next_line() {
        totals.add(line.unwrap().peek().unwrap());
    }
    let tokens = |object: serde_json::Value, input: u64| {
        let mut object = object;
        for key in [
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
            "ephemeral_5m_input_tokens",
            "ephemeral_1h_input_tokens",
            "web_search_requests",
            "web_fetch_requests",
        ] {
            object[key] = 0.into();
        }
        object["input_tokens"] = input.into();
        object["output_tokens"] = 5.into();
        object
    };
    assert_eq!(
        to_value(totals.by_model()).unwrap(),
        json!([tokens(json!({"name": "opus", "messages": 1}), 3)])
    );
    assert_eq!(
        to_value(totals.by_tool()).unwrap(),
        json!([tokens(
            json!({"name": "Read", "calls": 1, "errors": 0, "messages": 1}),
            3
        )])
    );
    assert_eq!(
        to_value(totals.costs()).unwrap(),
        json!([{
            "session": "s", "runs": 1, "results": 1, "cost_usd": 0.25,
            "has_unknown_model_cost": false,
            "models": [tokens(json!({"model": "opus", "cost_usd": 0.25}), 0)],
        }])
    );
}

#[test]
fn serialized_findings_have_line_and_byte() {
    let mut checker = Checker::new();
    let mut lines = lines(b"\n{\"type\":7}\n");
    while let Some(line) = lines.next_line() {
        let line = line.unwrap();
        checker.add(line.peek().unwrap(), line.position());
    }
    assert_eq!(
        to_value(checker.finish()).unwrap(),
        json!([{
            "line": 2, "byte": 1, "rule": "structure", "level": "error",
            "message": "`type` is not a string", "and_more": 0,
        }])
    );
}

#[test]
fn serialized_names_equal_display() {
    assert_eq!(
        to_value(Rule::ALL).unwrap(),
        json!(Rule::ALL.map(|rule| rule.to_string()))
    );
    assert_eq!(to_value(Level::ALL).unwrap(), json!(["note", "error"]));
    assert_eq!(
        to_value(Dialect::ALL).unwrap(),
        json!(["specification", "transcript", "stream", "server"])
    );
}
