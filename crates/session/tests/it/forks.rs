//! Sessions and sub-agents that begin with lines of others, and sub-agents
//! that are described or nested elsewhere.

use serde_json::{Value, json};

use crate::conversation::{
    answer, at, call, prompt, read, says, shown, started, with,
};

/// A line of a session in a chain of lines.
fn line(session: &str, uuid: &str, parent: &str, line: Value) -> Value {
    let parent = Some(parent).filter(|parent| !parent.is_empty());
    let chain =
        json!({"sessionId": session, "uuid": uuid, "parentUuid": parent});
    with(at(0, line), chain)
}

/// A line of the sub-agent `a1`.
fn of_agent(uuid: &str, line: Value) -> Value {
    let origin = json!({"isSidechain": true, "agentId": "a1", "uuid": uuid});
    with(at(2, line), origin)
}

/// Gives a message of the model an id.
fn with_id(mut line: Value, id: &str) -> Value {
    line["message"]["id"] = json!(id);
    line
}

/// Two sessions with the same first lines, and lines of their own.
fn forked() -> (Vec<Value>, Vec<Value>) {
    let start = |session| {
        vec![
            line(session, "u0", "", prompt("Go.")),
            line(session, "u1", "u0", with_id(says("One."), "m1")),
        ]
    };
    let (mut first, mut fork) = (start("s1"), start("s2"));
    first.extend([
        line("s1", "u2", "u1", prompt("Go on.")),
        line("s1", "u3", "u2", with_id(says("Two."), "m2")),
    ]);
    fork.extend([
        line("s2", "y2", "u1", prompt("Another way.")),
        line("s2", "y3", "y2", with_id(says("Three."), "m3")),
    ]);
    (first, fork)
}

/// What followed in the session that was read first was hidden, as if the user
/// had gone back to an earlier message.
#[test]
fn a_fork_abandons_nothing_of_its_origin() {
    let (first, fork) = forked();
    for files in [[first.clone(), fork.clone()], [fork, first]] {
        let shown = shown(&files);
        assert_eq!(shown.len(), 6);
        let is_gone = |line: &String| line.ends_with("(abandoned)");
        assert!(!shown.iter().any(is_gone), "{shown:?}");
    }
}

/// The last message of a fork decided which branch of its origin was kept.
#[test]
fn each_session_has_its_own_last_message() {
    let (mut first, fork) = forked();
    // The user goes back to before the fork.
    first.extend([
        line("s1", "u4", "u0", says("Again.")),
        line("s1", "v1", "u1", prompt("Go back.")),
    ]);
    let expected = [
        "Prompt Go.",
        "Text One.",
        "Prompt Go on. (abandoned)",
        "Text Two. (abandoned)",
        "Text Again.",
        "Prompt Go back.",
        "Prompt Another way.",
        "Text Three.",
    ];
    assert_eq!(shown(&[first, fork]), expected);
    // The fork follows a branch that the session has abandoned.
    let (mut first, _) = forked();
    let mut fork: Vec<Value> = first
        .iter()
        .map(|line| with(line.clone(), json!({"sessionId": "s2"})))
        .collect();
    fork.push(line("s2", "y4", "u3", prompt("Further.")));
    first.push(line("s1", "v1", "u1", prompt("Go back.")));
    let expected = [
        "Prompt Go.",
        "Text One.",
        "Prompt Go on. (abandoned)",
        "Text Two. (abandoned)",
        "Prompt Go back.",
        "Prompt Further.",
    ];
    assert_eq!(shown(&[first, fork]), expected);
}

/// A session whose lines were all in another one was not there at all.
#[test]
fn a_session_that_begins_as_another_one_names_it() {
    let (first, fork) = forked();
    let begins = |files: &[Vec<Value>]| {
        let (conversation, _) = read(files);
        let sessions = conversation.sessions().map(|session| {
            let name = |id: Option<&str>| id.unwrap_or("none").to_string();
            let turns = session.turns().count();
            (name(session.id()), name(session.begins_as()), turns)
        });
        sessions.collect::<Vec<_>>()
    };
    let expected = |expected: [(&str, &str, usize); 2]| {
        expected.map(|(id, from, n)| (id.to_string(), from.to_string(), n))
    };
    let files = [first.clone(), fork.clone()];
    let both = expected([("s1", "none", 2), ("s2", "s1", 1)]);
    assert_eq!(begins(&files), both);
    let files = [fork.clone(), first[..2].to_vec()];
    let both = expected([("s2", "none", 2), ("s1", "s2", 0)]);
    assert_eq!(begins(&files), both);
    // It begins in the middle of the other one, as after a compaction.
    let middle = with(first[2].clone(), json!({"sessionId": "s3"}));
    let both = expected([("s1", "none", 2), ("s3", "s1", 0)]);
    assert_eq!(begins(&[first.clone(), vec![middle]]), both);
    // A file that is read twice begins as nothing else.
    let (conversation, _) = read(&[first.clone(), first]);
    let session = conversation.sessions().next().unwrap();
    assert_eq!(session.begins_as(), None);
}

/// The copies that state their origin were passed over, and so was the origin.
#[test]
fn copies_state_the_origin_of_a_session() {
    let (first, fork) = forked();
    let mut fork = fork;
    fork[0]["forkedFrom"] = json!({"sessionId": "s1", "messageUuid": "u0"});
    let (conversation, _) = read(&[first, fork]);
    let session = conversation.sessions().nth(1).unwrap();
    assert_eq!(session.forked_from(), Some("s1"));
}

/// All that a forked sub-agent said before the next line of the user was taken
/// for the copy that it begins with, and was not shown.
#[test]
fn a_forked_sub_agent_speaks_after_the_copy() {
    let mut main = started();
    main[1] = with(with_id(main[1].clone(), "m1"), json!({"uuid": "u1"}));
    let fork = json!({"type": "fork-context-ref", "agentId": "a1",
        "parentSessionId": "s", "parentLastUuid": "u1"});
    let text = with_id(says("I ask."), "m1");
    let said = of_agent("f3", with_id(says("Two."), "m2"));
    let rest = [at(6, answer("t1", "Two.")), at(7, says("They say two."))];
    let expected = [
        "Prompt Ask around.",
        "Call Task Ask (Explore)",
        " Link ",
        " Text Two.",
        "= Two. 5000",
        "Text They say two.",
    ];
    main.extend(rest);
    for copies in [
        vec![],
        vec![of_agent("u1", main[1].clone())],
        vec![of_agent("f1", main[1].clone())],
        vec![of_agent("f1", text), of_agent("f2", main[1].clone())],
    ] {
        let mut agent = vec![fork.clone()];
        agent.extend(copies.iter().chain([&said]).cloned());
        let mut shown = shown(&[main.clone(), agent]);
        // Nothing but the copy ties it.
        if copies.is_empty() {
            shown.retain(|line| !line.starts_with("Agent"));
            shown.sort();
            let mut expected = expected.to_vec();
            expected.sort();
            assert_eq!(shown, expected);
            continue;
        }
        assert_eq!(shown, expected, "{copies:?}");
    }
    // Without the session, the first message is the copy.
    let agent = vec![fork, of_agent("f1", main[1].clone()), said];
    let shown = shown(&[agent]);
    assert_eq!(shown.last().unwrap(), " Text Two.");
    assert_eq!(shown.len(), 3);
}

/// The message in the `progress` line was passed over as a copy, together
/// with the call that its line names.
#[test]
fn a_nested_copy_ties_a_sub_agent_to_its_call() {
    let said = of_agent("n1", says("Two."));
    let mut progress = json!({"type": "progress", "uuid": "p1",
        "parentToolUseID": "t1",
        "data": {"type": "agent_progress", "agentId": "a1"}});
    let expected =
        ["Prompt Ask around.", "Call Task Ask (Explore)", " Text Two."];
    progress["data"]["message"] = said.clone();
    let main = [started(), vec![at(3, progress)]].concat();
    for files in [[vec![said.clone()], main.clone()], [main, vec![said]]] {
        assert_eq!(shown(&files), expected);
    }
}

/// The line has no id of its sub-agent, and was passed over.
#[test]
fn a_line_describes_the_sub_agent_of_the_next_one() {
    let meta = json!({"type": "agent_metadata", "agentType": "Plan",
        "description": "Count", "toolUseId": "t1", "spawnDepth": 1});
    let said = of_agent("n1", says("Two."));
    let file = vec![meta.clone(), said.clone()];
    let mirror = json!({"type": "transcript_mirror",
        "filePath": "/s/subagents/agent-a1.jsonl", "entries": file});
    let mirrored = [started(), vec![mirror]].concat();
    for files in [vec![started(), file.clone()], vec![mirrored]] {
        let (conversation, _) = read(&files);
        let session = conversation.sessions().next().unwrap();
        let agent = session.agents().next().unwrap();
        assert_eq!(agent.call().and_then(|call| call.id()), Some("t1"));
        assert_eq!(
            (agent.kind(), agent.task()),
            (Some("Plan"), Some("Count"))
        );
    }
    // The next message is not of a sub-agent.
    let files = [started(), vec![meta, at(2, says("Hm.")), said.clone()]];
    let (conversation, _) = read(&files);
    let session = conversation.sessions().next().unwrap();
    assert!(session.agents().next().unwrap().call().is_none());
    // A line that names its sub-agent.
    let meta = json!({"type": "agent_metadata", "agentId": "a1",
        "toolUseId": "t1"});
    let (conversation, _) = read(&[started(), vec![meta], vec![said]]);
    let session = conversation.sessions().next().unwrap();
    assert!(session.agents().next().unwrap().call().is_some());
}

/// A line of Gemini was taken for the result of a run.
#[test]
fn a_result_of_another_program_is_no_step() {
    let result = json!({"type": "result", "status": "success",
        "stats": {"total_tokens": 5}, "timestamp": "2026-01-31T10:00:00Z"});
    assert_eq!(shown(&[vec![result]]), [""; 0]);
    let call = call("t1", "Read", json!({}));
    let run = json!({"type": "result", "subtype": "success"});
    assert_eq!(shown(&[vec![at(0, call), run]]).len(), 2);
}
