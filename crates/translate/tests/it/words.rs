//! Random texts that contain progress and mentions of sub-agents, or nearly
//! so.

use proptest::prelude::*;
use serde_json::{Value, json};

pub fn one_of(list: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    prop::sample::select(list.to_vec()).prop_map(str::to_string)
}

/// Generates texts that contain progress, or nearly so.
pub fn about_progress() -> impl Strategy<Value = String> {
    let before = one_of(&[
        "",
        "",
        "",
        "I'm ",
        "Now ",
        "(",
        "**",
        "x",
        "not ",
        "isn't ",
        "  ",
        "unless ",
        "so ",
        "It is ",
        "yet ",
        "- ",
        "\u{2192} ",
        "x, ",
        "\"",
    ]);
    let head = one_of(&[
        "Running test ",
        "running tests ",
        "Running unit tests: ",
        "",
        "",
        "Building... ",
        "Downloading\u{2026} ",
        "Downloading (",
        "Fixing the ",
        "something like ",
        "Rating: ",
        "Step ",
        "a phase ",
        "steps ",
        "[",
        "(",
        "Compiling big crate ",
        "progress: ",
        "Progress (",
        "Seeing a-b c d ",
        "Seeing a b c d ",
        "Passing test ",
        "Doing it early ",
        "Fetching bus ",
        "Testing class ",
        "Reading entry ",
        "only ",
        "is*",
        "Running ",
        "Showing ",
        "Completed ",
        "**Done:** ",
        "complete ",
        "Test #",
        "running test #",
        "Page ",
        "*pass #",
        "Retrying a ",
        "Starting attempt ",
        "**Progress**: ",
        "[ ",
        "( ",
        "Tests completed: ",
        "**Big files processed:** ",
        "the tests done: ",
        "Ran ",
        "Ran: ",
        "Showing tests ",
        "Testing shows ",
        "Running test **",
        "**",
    ]);
    let n =
        one_of(&["0", "5", "5", "20", "05", "1234567890", "\u{ff15}", "-5"]);
    let sign = one_of(&[
        " of ", " of ", "** of **", " out of ", "/", "/", " / ", " of the ",
        "-",
    ]);
    let m = one_of(&[
        "20",
        "20",
        "5",
        "0",
        "999999999",
        "1000000000",
        "2\u{ff10}",
    ]);
    let tail = one_of(&[
        "",
        "",
        "...",
        " done",
        " done.",
        ")",
        "] Linking it.",
        " complete)",
        " files processed",
        " tests passed",
        " are done",
        " not done",
        ".5",
        "/2025",
        "-x",
        " (2 MB)",
        "\u{2026}",
        ": go",
        "%",
        ", 3/4 done",
        "]",
        " tests",
        " new class files: a",
        " big \u{e4}pples",
        " tests in CI",
        " early files",
        " of files",
        " new attempts",
        " attempts done",
        " a-b files",
        " \u{2014} a",
        " - a",
        ") installing it",
        ") Fetch",
        ")fetching",
        "** tests",
        "** done",
        "**.",
    ]);
    let percent = any::<bool>();
    (before, head, n, sign, m, tail, percent).prop_map(
        |(before, head, n, sign, m, tail, percent)| match percent {
            true => format!("{before}{head}{n}%{tail}"),
            false => format!("{before}{head}{n}{sign}{m}{tail}"),
        },
    )
}

/// Generates texts that mention a sub-agent, or nearly so.
pub fn about_agents() -> impl Strategy<Value = String> {
    let before = one_of(&[
        "the ",
        "The ",
        "a ",
        "(",
        "",
        "bathe ",
        "\n",
        "@",
        "Using the ",
        "delegating to ",
        "reusing ",
        "sub-agent ",
        "Subagent: ",
        "**Sub-agent:** ",
        "x-subagent ",
        "Running the ",
    ]);
    let quote = one_of(&["", "", "`", "\""]);
    let name = one_of(&[
        "Explore",
        "code-reviewer",
        "main",
        "dev",
        "per-session",
        "re-run",
        "9x-y",
        "a:b-c",
        "@agent-foo",
        "@agent-x-",
        "@agent-a/b",
        "@agent-b.c",
    ]);
    let space = one_of(&[" ", " ", " ", "  ", "\n"]);
    let head = one_of(&[
        "agent",
        "agent",
        "Agent",
        "sub-agent",
        "subagent",
        "Sub-Agent",
        "agents",
        "agent-based",
        "agent/x",
        "AGENT",
        "sub agent",
    ]);
    let tail = one_of(&["", ".", "'s", " x", "_", "\u{e9}"]);
    (before, quote, name, space, head, tail).prop_map(
        |(before, quote, name, space, head, tail)| {
            format!("{before}{quote}{name}{quote}{space}{head}{tail}")
        },
    )
}

pub fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![about_progress(), about_agents()];
    let pieces = prop::collection::vec((piece, one_of(&[" ", "\n"])), 1..4);
    pieces.prop_map(|pieces| {
        pieces.iter().flat_map(|(a, b)| [&a[..], b]).collect()
    })
}

/// Writes a value as JSON, with its keys shuffled by the seed.
pub fn shuffled(value: &Value, seed: u64) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            let count = members.len().max(1);
            members.rotate_left(seed as usize % count);
            if seed & 1 == 1 {
                members.reverse();
            }
            let member = |(key, value): &(&String, &Value)| {
                format!("{}:{}", json!(key), shuffled(value, seed / 2))
            };
            let members: Vec<_> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| shuffled(item, seed / 2));
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}
