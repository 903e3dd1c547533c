//! Stream-json, as it is exchanged between an agent and its host.

use crate::{
    log::{Log, Tool},
    random::{Lengths, Random},
    text,
};

const SIZE: Lengths = [10, 210, 1_050, 3_000, 4_000, 70_000];

const TOOLS: [Tool; 6] = [
    (24, "Read", SIZE),
    (12, "Bash", SIZE),
    (13, "Grep", SIZE),
    (6, "Edit", SIZE),
    (5, "Bash.error", SIZE),
    (40, "Task", SIZE),
];

/// Plans the lines of one turn.
pub(crate) fn plan(log: &mut Log) {
    if log.begins_session(8) {
        log.push("initialize");
        log.push("initialized");
    }
    log.push("user");
    log.push("init");
    log.push("status");
    for _ in 0..log.random.between(2, 6) {
        if log.random.chance(12) {
            log.push("keep_alive");
        }
        if log.random.chance(8) {
            log.push("retry");
        }
        log.call(&TOOLS);
        plan_message(log, true);
        if log.random.chance(15) {
            log.push("rate_limit");
        }
        if log.random.chance(25) {
            log.push("may_use");
            log.push("allowed");
        }
        let call = log.scope.call;
        if call.tool == "Task" {
            plan_agent(log);
        }
        log.scope.call = call;
        log.push("stream_result");
    }
    plan_message(log, false);
    let failed = log.random.chance(6);
    log.push(if failed { "failed" } else { "success" });
}

/// Plans a streamed message: its events, and before the last event of each
/// block the whole block.
fn plan_message(log: &mut Log, has_call: bool) {
    log.message();
    log.push("message_start");
    let has_thinking = log.random.chance(40);
    let has_text = !has_call || log.random.chance(25);
    let kinds =
        [("thinking", has_thinking), ("text", has_text), ("input", has_call)];
    log.scope.index = 0;
    for (kind, _) in kinds.into_iter().filter(|kind| kind.1) {
        let text = block_text(log, kind);
        log.push(&format!("{kind}_start"));
        for part in parts(&mut log.random, &text) {
            log.push_text(&format!("{kind}_delta"), part);
        }
        log.push_text(&format!("{kind}_block"), text);
        log.push("block_stop");
        log.scope.index += 1;
    }
    log.push("message_delta");
    log.push("message_stop");
}

/// Plans the lines of a sub-agent, which have no stream events.
fn plan_agent(log: &mut Log) {
    log.scope.owner = Some(log.scope.call.seed);
    for _ in 0..log.random.between(10, 32) {
        // All but a sub-agent.
        log.call(&TOOLS[..5]);
        log.scope.call.size *= 2;
        log.message();
        if log.random.chance(45) {
            let text = block_text(log, "thinking");
            log.push_text("thinking_block", text);
        }
        log.push("input_block");
        log.push("agents_result");
        if log.random.chance(40) {
            log.push("task_progress");
        }
    }
    log.scope.owner = None;
}

/// Returns the text of a block, which its deltas join to. The input of a call
/// is JSON inside a string.
fn block_text(log: &mut Log, kind: &str) -> String {
    let mut text = String::new();
    if kind == "input" {
        log.scope.fill(&mut text, "$input");
        return text.replace('\\', r"\\").replace('"', r#"\""#);
    }
    let length = log.random.length([20, 60, 300, 1_200, 2_500, 4_000]);
    text::write(&mut text, &mut log.random, "prose", length as usize);
    text
}

/// Divides a text into parts, none of which ends inside an escape.
fn parts(random: &mut Random, text: &str) -> Vec<String> {
    let mut parts = vec![];
    let mut part = String::new();
    let mut length = random.between(20, 150) as usize;
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        part.push(next);
        if next == '\\' {
            part.extend(chars.next());
        }
        if part.len() >= length || chars.as_str().is_empty() {
            parts.push(std::mem::take(&mut part));
            length = random.between(20, 150) as usize;
        }
    }
    parts
}
