//! Session transcripts, as Claude Code saves them.

use crate::log::{Log, Tool};

const COMMAND: [u32; 6] = [0, 10, 310, 2_250, 32_000, 35_000];

const TOOLS: [Tool; 11] = [
    (46, "Read", [30, 450, 2_100, 14_000, 42_500, 107_000]),
    (41, "Edit", [700, 3_700, 19_500, 46_000, 92_000, 260_000]),
    (52, "Bash", COMMAND),
    (4, "Bash.diff", COMMAND),
    (9, "Bash.error", [10, 30, 150, 1_800, 7_500, 15_000]),
    (28, "Grep", [10, 40, 750, 12_000, 33_000, 45_000]),
    (4, "Write", [800, 1_400, 6_000, 25_000, 58_000, 70_000]),
    (5, "TodoWrite", [0; 6]),
    (12, "TaskUpdate", [0; 6]),
    (2, "Task", [3_000, 4_500, 7_000, 15_000, 17_000, 30_000]),
    (1, "Read.image", [1_200, 1_500, 20_000, 150_000, 400_000, 475_000]),
];

const AGENTS_TOOLS: [Tool; 2] = [
    (2, "Read", [90, 360, 1_400, 9_000, 30_000, 40_000]),
    (1, "Grep", [100, 400, 1_500, 10_000, 34_000, 45_000]),
];

/// Plans the lines of one turn.
pub(crate) fn plan(log: &mut Log) {
    if log.begins_session(9) {
        if log.random.chance(20) {
            log.push("summary");
        }
        log.push("session_hook");
    }
    log.push("snapshot");
    log.push("prompt");
    for _ in 0..log.random.between(2, 16) {
        plan_round(log);
    }
    log.message();
    log.push("text");
    if log.random.chance(70) {
        log.push("stop_hooks");
    }
    if log.random.chance(45) {
        log.push("turn_duration");
    }
    if log.random.chance(4) {
        // Only the text of this line mentions its parent.
        log.scope.message = log.scope.parent.take().unwrap_or_default();
        log.push("compact");
    }
}

/// Plans one message of the assistant, and the results of its calls.
fn plan_round(log: &mut Log) {
    log.message();
    if log.random.chance(52) {
        log.push("thinking");
    }
    if log.random.chance(46) {
        log.push("text");
    }
    let mut calls = vec![];
    loop {
        log.call(&TOOLS);
        log.push_call("call");
        calls.push(log.scope.call);
        if calls.len() == 3 || !log.random.chance(20) {
            break;
        }
    }
    for call in calls {
        log.scope.call = call;
        if log.random.chance(44) {
            log.push("tool_hook");
        }
        match call.tool {
            // A few commands run for minutes.
            "Bash" if log.random.chance(12) => {
                for _ in 0..log.random.between(3, 45) {
                    log.push("bash_progress");
                }
            }
            "Task" => plan_agent(log),
            "Edit" | "Write" if log.random.chance(10) => log.push("snapshot"),
            _ => {}
        }
        log.scope.call = call;
        log.push("result");
    }
}

/// Plans the lines of a sub-agent.
fn plan_agent(log: &mut Log) {
    log.scope.owner = Some(log.scope.call.seed);
    for _ in 0..log.random.between(3, 32) {
        log.call(&AGENTS_TOOLS);
        log.message();
        log.push("agent_call");
        log.push("agent_result");
    }
    log.scope.owner = None;
}
