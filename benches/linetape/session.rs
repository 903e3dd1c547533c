//! What messages mean together, peeked at.

use std::collections::{HashMap, HashSet};

use criterion::Criterion;
use linetape::session::{Tree, UsageTotals};
use serde_json::Value;

use crate::{Job, data::Data};

/// The answer: how many messages of the model there are, and the sum of their
/// output tokens, each message once.
const USAGE: &[Job<(u64, u64)>] = &[("usage", |data| {
    let mut totals = UsageTotals::new();
    let mut lines = linetape::lines(&data.bytes);
    while let Some(line) = lines.next_line() {
        totals.add(line.unwrap().peek().unwrap());
    }
    let total = totals.total();
    (total.messages, total.tokens.output_tokens)
})];

/// The answer: how many messages have a place in the tree.
const TREE: &[Job<usize>] = &[("tree", |data| {
    let mut tree = Tree::new();
    let mut lines = linetape::lines(&data.bytes);
    while let Some(line) = lines.next_line() {
        let line = line.unwrap();
        tree.add(line.peek().unwrap(), line.position());
    }
    tree.len()
})];

pub fn step(c: &mut Criterion) {
    crate::step(c, "session", expected_usage, USAGE);
    crate::step(c, "session", expected_nodes, TREE);
}

/// The last line of a message counts, unless it is of a sub-agent and an
/// earlier one is not.
fn expected_usage(data: &Data) -> (u64, u64) {
    let mut messages: HashMap<String, (bool, u64)> = HashMap::new();
    for line in data.values().iter().filter(|v| v["type"] == "assistant") {
        let message = &line["message"];
        if !message["usage"].is_object() {
            continue;
        }
        let request = line.get("request_id").or(line.get("requestId"));
        let key = match message["id"].as_str() {
            Some(id) => format!("{id} {:?}", request.and_then(Value::as_str)),
            None => line["uuid"].to_string(),
        };
        let is_main = line["isSidechain"] != true
            && !line["parent_tool_use_id"].is_string();
        let tokens = message["usage"]["output_tokens"].as_u64().unwrap_or(0);
        let known = messages.entry(key).or_insert((is_main, tokens));
        if is_main || !known.0 {
            *known = (is_main, tokens);
        }
    }
    let tokens = messages.values().map(|(_, tokens)| tokens).sum();
    (messages.len() as u64, tokens)
}

fn expected_nodes(data: &Data) -> usize {
    let uuids = data.values().iter().filter_map(|line| line["uuid"].as_str());
    uuids.collect::<HashSet<_>>().len()
}
