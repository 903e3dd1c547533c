//! `linetape usage`: costs that the log states, and prices.

use serde_json::{Value, json};

use crate::{
    support::{
        document, file,
        lines::{self, log, printed},
        linetape, text,
    },
    usage::at,
};

#[test]
fn prices_are_for_sessions_without_a_reported_cost() {
    let prices = file(
        "prices.json",
        br#"{"opus":{"input_cost_per_token":0.001,"output_cost_per_token":1}}"#,
    );
    let prices = prices.to_str().unwrap();
    let mut free = at("c", "2026-03-01T00:00:00Z");
    free["message"]["model"] = json!("unheard-of");
    let lines = [
        at("a", "2026-03-01T00:00:00Z"),
        at("b", "2026-03-01T00:00:00Z"),
        json!({"type": "cost-state", "sessionId": "b", "totalCostUSD": 0.5,
            "modelUsage": {"opus": {"costUSD": 0.5}}}),
        free,
    ];
    let log = log(&lines);
    let report = |by| {
        let arguments =
            ["usage", "--json", "--by", by, "--prices", prices, "-"];
        document(&linetape(&arguments, &log))
    };
    // 1000 input tokens and one output token.
    let sessions = report("session");
    let costs = sessions["sessions"].as_array().unwrap().iter();
    let costs: Vec<_> = costs.map(|row| row["cost_usd"].clone()).collect();
    assert_eq!(costs, [json!(2.0), json!(0.5), json!(null)]);
    assert_eq!(sessions["cost_usd"], 2.5);
    assert_eq!(sessions["unpriced_models"], json!(["unheard-of"]));
    assert_eq!(report("model")["models"][0]["cost_usd"], 2.5);
    // The messages of both sessions were priced, so that it was 4.0.
    assert_eq!(report("day")["days"][0]["cost_usd"], 2.5);
    assert_eq!(report("day")["cost_usd"], 2.5);
    let shown = printed(&["usage", "--prices", prices], &log);
    assert!(shown.ends_with("Warning: no price for unheard-of.\n"), "{shown}");
    let wrong = linetape(&["usage", "--prices", "nowhere.json", "-"], b"");
    assert_eq!(wrong.status.code(), Some(2));
    let list = file("list.json", b"[1]");
    let list = list.to_str().unwrap();
    let wrong = linetape(&["usage", "--prices", list, "-"], b"");
    assert!(text(&wrong.stderr).contains("not a price list"));
}

/// What is kept in the cache for an hour had the price of five minutes if the
/// list has no other, in silence.
#[test]
fn the_one_hour_cache_has_its_own_price_or_a_warning() {
    let mut line = at("a", "2026-03-01T00:00:00Z");
    line["message"]["usage"] = json!({"cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_5m_input_tokens": 10,
            "ephemeral_1h_input_tokens": 20}});
    let log = log(&[line.clone(), line]);
    let list = |name: &str, more: Value| {
        let mut prices = json!({"opus": {"input_cost_per_token": 1.0,
            "output_cost_per_token": 1.0,
            "cache_creation_input_token_cost": 1.25}});
        for (key, price) in more.as_object().unwrap() {
            prices["opus"][key] = price.clone();
        }
        file(name, prices.to_string().as_bytes())
    };
    let warning = "Warning: no price for the one-hour cache of opus; it is \
                   priced at twice the input.\n";
    let without = list("five.json", json!({}));
    let without = ["usage", "--prices", without.to_str().unwrap()];
    let output = linetape(&[&without[..], &["--json", "-"]].concat(), &log);
    assert_eq!(text(&output.stderr), format!("linetape: {warning}"));
    let report = document(&output);
    assert_eq!(report["cost_usd"], 52.5);
    assert_eq!(report["unpriced_one_hour_models"], json!(["opus"]));
    let shown = printed(&without, &log);
    assert!(shown.ends_with(warning), "{shown}");
    assert_eq!(shown.matches("Warning").count(), 1);

    let hour = json!({"cache_creation_input_token_cost_above_1hr": 3.0});
    let with = list("hour.json", hour);
    let with = ["usage", "--prices", with.to_str().unwrap()];
    assert!(!printed(&with, &log).contains("Warning"));
    let output = linetape(&[&with[..], &["--json", "-"]].concat(), &log);
    assert_eq!(document(&output)["cost_usd"], 72.5);

    // Twice nothing is nothing, and the warning was noise.
    let free = list("free.json", json!({"input_cost_per_token": 0.0}));
    let free = ["usage", "--prices", free.to_str().unwrap()];
    assert!(!printed(&free, &log).contains("Warning"));

    // So it was where the agent states the whole cost.
    let result = json!({"type": "result", "session_id": "a",
        "total_cost_usd": 2.0});
    let stated = [log, lines::log(&[result])].concat();
    let shown = printed(&[&without[..], &["--by", "day"]].concat(), &stated);
    assert!(shown.contains("2.00"), "{shown}");
    assert!(!shown.contains("Warning"), "{shown}");
}

/// Messages in fast mode were priced as others, in silence.
#[test]
fn fast_mode_has_its_own_price_or_a_warning() {
    let mut fast = at("a", "2026-03-01T00:00:00Z");
    fast["message"]["usage"]["speed"] = json!("fast");
    let log = log(&[fast]);
    let run = |name, more: &str| {
        let list = format!(
            r#"{{"opus":{{"input_cost_per_token":0.001,
            "output_cost_per_token":1{more}}}}}"#
        );
        let prices = file(name, list.as_bytes());
        let prices = prices.to_str().unwrap();
        let arguments = ["usage", "--json", "--prices", prices, "-"];
        let report = document(&linetape(&arguments, &log));
        (report, printed(&["usage", "--prices", prices], &log))
    };
    let (report, shown) = run("usual.json", "");
    assert_eq!(report["cost_usd"], 2.0);
    assert_eq!(report["unpriced_fast_models"], json!(["opus"]));
    let warning = "Warning: no price for fast mode of opus; the cost is that \
                   of the usual speed.\n";
    assert!(shown.ends_with(warning), "{shown}");
    assert_eq!(shown.matches("Warning").count(), 1);
    let more = r#","provider_specific_entry":{"us":1.1,"fast":6.0}"#;
    let (report, shown) = run("fast.json", more);
    assert_eq!(report["cost_usd"], 12.0);
    assert!(report.get("unpriced_fast_models").is_none());
    assert!(!shown.contains("Warning"), "{shown}");
}

/// By day, the messages of a session were priced even if it states a cost, so
/// that one log had two costs.
#[test]
fn the_cost_of_a_session_is_spread_over_its_days() {
    let prices = file(
        "spread.json",
        br#"{"opus":{"input_cost_per_token":0.001,"output_cost_per_token":1}}"#,
    );
    let prices = prices.to_str().unwrap();
    let mut unpriced = at("c", "2026-03-01T00:00:00Z");
    unpriced["message"]["model"] = json!("unheard-of");
    let state = |session: &str, cost: f64| {
        json!({"type": "cost-state", "sessionId": session,
            "totalCostUSD": cost})
    };
    let lines = [
        at("a", "2026-03-01T00:00:00Z"),
        at("b", "2026-03-01T00:00:01Z"),
        at("b", "2026-03-02T00:00:00Z"),
        at("b", "2026-03-02T00:00:01Z"),
        state("b", 4.5),
        unpriced,
        state("c", 0.25),
    ];
    let log = log(&lines);
    let report = |by: &str| {
        let arguments =
            ["usage", "--json", "--by", by, "--prices", prices, "-"];
        document(&linetape(&arguments, &log))
    };
    let costs = |by: &str| {
        let report = report(by);
        let rows = report[format!("{by}s")].as_array().unwrap().iter();
        let cost =
            |row: &Value| (row["name"].clone(), row["cost_usd"].clone());
        rows.map(cost).collect::<Vec<_>>()
    };
    // A message costs 2.0. The cost of the session without prices is under no
    // day.
    let days = [
        (json!(null), json!(0.25)),
        (json!("2026-03-01"), json!(3.5)),
        (json!("2026-03-02"), json!(3.0)),
    ];
    assert_eq!(costs("day"), days);
    let months = [(json!(null), json!(0.25)), (json!("2026-03"), json!(6.5))];
    assert_eq!(costs("month"), months);
    for by in ["model", "session", "project", "day", "week", "month", "tool"] {
        assert_eq!(report(by)["cost_usd"], 6.75, "{by}");
    }
    assert_eq!(report("day")["unpriced_models"], json!(["unheard-of"]));
    assert_eq!(report("session")["unpriced_models"], json!([]));
}

/// A cost that is stated on the lines of messages was not read, and with
/// prices, another one was printed.
#[test]
fn a_message_may_state_its_cost() {
    let prices = file(
        "stated.json",
        br#"{"opus":{"input_cost_per_token":0.001,"output_cost_per_token":1}}"#,
    );
    let prices = prices.to_str().unwrap();
    let mut line = at("a", "2026-03-01T00:00:00Z");
    line["costUSD"] = json!(0.25);
    let log = log(&[line]);
    for by in ["model", "session", "project", "day"] {
        let arguments =
            ["usage", "--json", "--by", by, "--prices", prices, "-"];
        let report = document(&linetape(&arguments, &log));
        assert_eq!(report["cost_usd"], 0.25, "{by}");
        let rows = &report[format!("{by}s")];
        assert_eq!(rows[0]["cost_usd"], 0.25, "{by}");
    }
    let shown = printed(&["usage"], &log);
    assert_eq!(shown.matches("0.25").count(), 2, "{shown}");
}

/// One message with a stated cost made its whole session a stated one: the
/// messages after it cost nothing.
#[test]
fn messages_beside_one_that_states_its_cost_are_priced() {
    let prices = file(
        "beside.json",
        br#"{"opus":{"input_cost_per_token":0.001,"output_cost_per_token":1}}"#,
    );
    let prices = prices.to_str().unwrap();
    let mut stated = at("a", "2026-03-01T00:00:00Z");
    stated["costUSD"] = json!(0.25);
    let lines = [stated, at("a", "2026-03-02T00:00:00Z")];
    let report = |by: &str, lines: &[Value]| {
        let arguments =
            ["usage", "--json", "--by", by, "--prices", prices, "-"];
        document(&linetape(&arguments, &log(lines)))
    };
    // A message costs 2.0.
    for by in ["model", "session", "project"] {
        let report = report(by, &lines);
        assert_eq!(report["cost_usd"], 2.25, "{by}");
        let rows = &report[format!("{by}s")];
        assert_eq!(rows[0]["cost_usd"], 2.25, "{by}");
    }
    let days = report("day", &lines);
    assert_eq!(days["cost_usd"], 2.25);
    assert_eq!(days["days"][0]["cost_usd"], 0.25);
    assert_eq!(days["days"][1]["cost_usd"], 2.0);
    // A cost of the session includes all of its messages.
    let [first, second] = lines;
    let state = json!({"type": "cost-state", "sessionId": "a",
        "totalCostUSD": 0.5});
    let whole = report("session", &[first, second, state]);
    assert_eq!(whole["cost_usd"], 0.5);
}

/// A model whose price the agent did not know was free, although the list has
/// its price.
#[test]
fn a_model_that_the_reported_cost_leaves_out_is_priced() {
    let prices = file(
        "left-out.json",
        br#"{"known": {"input_cost_per_token": 9, "output_cost_per_token": 9},
            "unknown": {"input_cost_per_token": 0.25,
                "output_cost_per_token": 9}}"#,
    );
    let prices = prices.to_str().unwrap();
    let said = |id: &str, model: &str| {
        json!({"type": "assistant", "sessionId": "s", "requestId": id,
            "timestamp": "2026-03-01T10:00:00Z", "message": {"id": id,
                "model": model, "usage": {"input_tokens": 4}}})
    };
    let state = json!({"type": "cost-state", "sessionId": "s", "startTime": 1,
        "totalCostUSD": 0.5, "hasUnknownModelCost": true, "modelUsage": {
            "known": {"inputTokens": 4, "costUSD": 0.5},
            "unknown": {"inputTokens": 4, "costUSD": 0}}});
    let log = log(&[said("msg_1", "known"), said("msg_2", "unknown"), state]);
    for by in ["model", "day", "session"] {
        let arguments =
            ["usage", "--json", "--by", by, "--prices", prices, "-"];
        let report = document(&linetape(&arguments, &log));
        assert_eq!(report["cost_usd"], 1.5, "{by}: {report}");
    }
    // It was said that the cost does not include the model.
    let warning = "a model whose price the agent did not know";
    let shown = linetape(&["usage", "--prices", prices, "-"], &log);
    assert!(!text(&shown.stdout).contains(warning));
    assert!(text(&linetape(&["usage", "-"], &log).stdout).contains(warning));
}
