//! The analyses of linetape-session, on peeked lines.

use std::collections::HashSet;

use criterion::Criterion;
use linetape::{Level, Reader};
use linetape_session::{Tree, UsageTotals};
use serde_json::Value;

use crate::{
    Job,
    data::Data,
    usage::{self, Usage},
};

/// The result is the number of messages of the model, and the sum of their
/// output tokens, with each message counted once.
const USAGE: &[Job<(u64, u64)>] = &[("usage", |data| {
    let mut totals = UsageTotals::new();
    let mut lines = linetape::lines(&data.bytes);
    while let Some(line) = lines.next_line() {
        totals.add(line.unwrap().peek().unwrap());
    }
    let total = totals.total();
    (total.messages, total.tokens.output_tokens)
})];

/// The result is the sum of the input and output tokens of all lines of the
/// model. This is job J2 of `benches/peers`, for comparison with `usage`.
const TOKENS: &[Job<u64>] = &[("j2", |data| {
    let mut sum = 0;
    let mut lines = Reader::builder().level(Level::Kind).lines(&data.bytes);
    while let Some(line) = lines.next_line() {
        let line = line.unwrap();
        if line.kind().unwrap().is("assistant")
            && let Some(usage) = line.peek().unwrap().usage()
        {
            sum += usage.input_tokens().unwrap_or(0);
            sum += usage.output_tokens().unwrap_or(0);
        }
    }
    sum
})];

/// The result is the number of messages in the tree.
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
    crate::step(c, "session", expected_tokens, TOKENS);
    crate::step(c, "session", expected_usage, USAGE);
    crate::step(c, "session", expected_nodes, TREE);
}

fn expected_tokens(data: &Data) -> u64 {
    let said = data.values().iter().filter(|v| v["type"] == "assistant");
    said.map(|line| {
        let usage = &line["message"]["usage"];
        let count = |key| usage[key].as_u64().unwrap_or(0);
        count("input_tokens") + count("output_tokens")
    })
    .sum()
}

fn expected_usage(data: &Data) -> (u64, u64) {
    let mut usage = Usage::default();
    data.values().iter().for_each(|line| usage.add(line));
    let total = usage.total();
    let [_, output, ..] = total.counts;
    (total.messages, output)
}

fn expected_nodes(data: &Data) -> usize {
    let lines = || {
        data.values().iter().flat_map(|line| {
            [Some(line), usage::subagent_message(line)].into_iter().flatten()
        })
    };
    let uuids = lines().filter_map(|line| line["uuid"].as_str());
    let is_said = |line: &&Value| {
        line["uuid"].is_null()
            && (line["type"] == "user" || line["type"] == "assistant")
    };
    uuids.collect::<HashSet<_>>().len() + lines().filter(is_said).count()
}
