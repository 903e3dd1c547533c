//! Mentions of sub-agents in a text: positive and negative examples.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    reference::naive_mentions,
    run::{calls, frames, log, says},
    texts,
    words::any_text,
};

/// Returns the names that a text mentions, in a session with the known agent
/// `dev`.
fn mentions(text: &str) -> Vec<String> {
    let init = json!({"type": "system", "subtype": "init", "agents": ["dev"]});
    let found = frames(&log(&[init, says(text)]));
    let is_mention = |f: &&Value| f["status"] == "mentioned";
    let names = found.iter().filter(is_mention);
    let names = names.map(|f| f["agent"].as_str().unwrap().to_string());
    let names: Vec<String> = names.collect();
    let known = BTreeSet::from(["dev".to_string()]);
    assert_eq!(naive_mentions(text, &known), names, "{text}");
    names
}

#[test]
fn sub_agent_mentions_are_found() {
    for (text, names) in [
        ("ask @agent-foo about it", &["foo"][..]),
        ("(@agent-x:y-z), please", &["x:y-z"]),
        ("@agent-foo_ and @agent-foo-", &["foo"]),
        ("the dev agent's report", &["dev"]),
        ("a \"dev\" Agent", &["dev"]),
        ("the Explore agent, the Plan sub-agent", &["Explore", "Plan"]),
        (
            "A general-purpose\nand general-purpose Subagent",
            &["general-purpose"],
        ),
        ("the `code-reviewer` agent", &["code-reviewer"]),
        ("the code-reviewer sub-agent", &["code-reviewer"]),
        ("The test-runner subagent", &["test-runner"]),
        ("Using the code-reviewer agent", &["code-reviewer"]),
        ("I am launching code-reviewer sub-agent", &["code-reviewer"]),
        ("Delegating to code-reviewer agent", &["code-reviewer"]),
        ("delegating to the \"b-b\" agent", &["b-b"]),
        ("Starting sub-agent: code-reviewer", &["code-reviewer"]),
        ("sub-agent code-reviewer is running", &["code-reviewer"]),
        ("**Subagent:** `dev`, subagent Plan.", &["dev", "Plan"]),
        ("sub-agent \"re-runner\"", &["re-runner"]),
        ("the b-b subagent c-c", &["b-b"]),
        ("the b-b subagent, @agent-a and the b-b subagent", &["b-b", "a"]),
    ] {
        assert_eq!(mentions(text), names, "{text}");
    }
    for text in [
        "the main agent",
        "a per-session agent",
        "the checkpoint-level agent",
        "a long-running subagent",
        "Using a per-session agent",
        "long-running x-y agent",
        "reusing the x-y agent",
        "talking to the x-y agent",
        "Using the main agent",
        "the sub-agent re-reads it",
        "the subagent main",
        "sub-agent: a-b/c",
        "sub-agent: a-b.c",
        "sub-agents a-b",
        "non-subagent a-b",
        "an agent: a-b",
        "sub-agent `a-b",
        "sub-agent\na-b",
        "bathe code-reviewer subagent",
        "the agent",
        "the `main` agent",
        "the \"code-reviewer\" agent",
        "the dev agents",
        "dev agent-based",
        "dev agent/model",
        "a dev  agent",
        "dev\nagent",
        "cross-dev agent",
        "/dev agent",
        "DEV agent",
        "dev AGENT",
        "mail@agent-foo",
        "@agent-foo.com",
        "@agent-a/b",
        "@agent-a@1.0",
        "@agent-9",
        "@Agent-foo",
        "the \u{e9}code-reviewer sub-agent",
    ] {
        assert!(mentions(text).is_empty(), "{text}");
    }
}

#[test]
fn an_agent_name_is_known_after_its_first_call() {
    let call = calls("t1", "Agent", json!({"subagent_type": "fixer"}));
    let found =
        frames(&log(&[says("fixer agent"), call, says("fixer agent")]));
    let kinds: Vec<_> = found.iter().map(|f| f["status"].as_str()).collect();
    assert_eq!(kinds, [None, Some("started"), None, Some("mentioned")]);
}

#[test]
fn a_text_may_mention_a_sub_agent_before_its_call() {
    let line = json!({"type": "assistant", "message": {"content": [
        {"type": "text", "text": "The fixer agent will do."},
        {"type": "tool_use", "id": "t1", "name": "Task",
            "input": {"subagent_type": "fixer"}}]}});
    let found = frames(&log(&[line]));
    let kinds: Vec<_> = found.iter().map(|f| f["status"].as_str()).collect();
    assert_eq!(kinds, [None, Some("mentioned"), Some("started")]);
}

proptest! {
    #![proptest_config(texts::cases(256))]

    #[test]
    fn mentions_agree_with_the_reference(text in any_text()) {
        mentions(&text);
    }
}
