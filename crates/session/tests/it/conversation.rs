//! Conversations as a person reads them: calls with their results, background
//! tasks, sub-agents in all forms, compactions, branches; real logs.

use std::{collections::HashSet, io::Cursor, slice};

use linetape::{Decoder, Limits, lines};
use linetape_session::{
    Conversation, Facts,
    conversation::{Place, Recall, StepKind, Summary, Turn, Warning},
};
use serde_json::{Value, json};

use crate::{conversation_reference::pieces, logs};

/// Returns the conversation of several files, and their text.
pub fn read(files: &[Vec<Value>]) -> (Conversation, Recall<Cursor<Vec<u8>>>) {
    let mut conversation = Conversation::new();
    let mut recall = Recall::new(Limits::default());
    for (source, file) in files.iter().enumerate() {
        let text: String =
            file.iter().map(|line| format!("{line}\n")).collect();
        add(&mut conversation, source, text.as_bytes());
        recall.add_source(Cursor::new(text.into_bytes()));
    }
    conversation.finish();
    (conversation, recall)
}

fn add(conversation: &mut Conversation, source: usize, text: &[u8]) {
    let mut lines = lines(text);
    while let Some(line) = lines.next_line() {
        let Ok(line) = line else { continue };
        let Ok(message) = line.checked() else { continue };
        let place = Place::of_line(source as u32, &line);
        conversation.add_facts(&Facts::of(message), place).unwrap();
    }
}

/// Returns the steps in reading order, each with its depth.
pub fn shown(files: &[Vec<Value>]) -> Vec<String> {
    let (conversation, mut recall) = read(files);
    let mut shown = vec![];
    for session in conversation.sessions() {
        for turn in session.turns() {
            show(turn, 0, &mut recall, &mut shown);
        }
    }
    shown
}

fn show(
    turn: Turn<'_>,
    depth: usize,
    recall: &mut Recall<Cursor<Vec<u8>>>,
    shown: &mut Vec<String>,
) {
    let indent = " ".repeat(depth);
    for step in turn.steps() {
        let text = recall.step(step, |facts| match step.kind() {
            StepKind::Call => Summary::of_step(step, facts).to_string(),
            _ => step.text(facts).into_owned(),
        });
        let text = text.unwrap().unwrap();
        let gone = if step.is_abandoned() { " (abandoned)" } else { "" };
        shown.push(format!("{indent}{:?} {text}{gone}", step.kind()));
        if let Some(agent) = step.agent() {
            agent.turns().for_each(|t| show(t, depth + 1, recall, shown));
        }
        let call = step.call().filter(|_| step.kind() == StepKind::Call);
        let Some(call) = call else { continue };
        for agent in call.agents() {
            agent.turns().for_each(|t| show(t, depth + 1, recall, shown));
        }
        if let Some(answer) = call.answer() {
            let text =
                recall.step(answer, |facts| answer.text(facts).into_owned());
            let how = if call.is_error() { "!" } else { "=" };
            let time = call.duration().map(|ms| format!(" {ms}"));
            let time = time.unwrap_or_default();
            shown.push(format!(
                "{indent}{how} {}{time}",
                text.unwrap().unwrap()
            ));
        }
    }
}

/// Returns a line with a time in seconds.
pub fn at(second: u32, mut line: Value) -> Value {
    line["timestamp"] = json!(format!("2026-01-31T10:00:{second:02}Z"));
    line["sessionId"] = json!("s");
    line
}

pub fn prompt(text: &str) -> Value {
    json!({"type": "user", "message": {"content": text}})
}

pub fn says(text: &str) -> Value {
    json!({"type": "assistant", "message": {"content": [
        {"type": "text", "text": text}]}})
}

pub fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "assistant", "message": {"content": [
        {"type": "tool_use", "id": id, "name": name, "input": input}]}})
}

pub fn answer(id: &str, text: &str) -> Value {
    json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "content": text}]}})
}

pub fn with(mut line: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

#[test]
fn results_are_at_their_calls_in_any_order() {
    let log = vec![
        at(0, prompt("Compare.")),
        at(1, call("t1", "Read", json!({"file_path": "a"}))),
        at(1, call("t2", "Read", json!({"file_path": "b"}))),
        at(1, call("t3", "Bash", json!({"command": "ls"}))),
        at(3, answer("t2", "two")),
        at(
            6,
            with(
                json!({"type": "user", "message": {"content": [{"type": "tool_result",
                "tool_use_id": "t3", "is_error": true, "content": "no"}]}}),
                json!({}),
            ),
        ),
        at(9, answer("t1", "one")),
        at(9, answer("t9", "whose?")),
        at(9, says("Equal.")),
    ];
    let expected = [
        "Prompt Compare.",
        "Call Read a",
        "= one 8000",
        "Call Read b",
        "= two 2000",
        "Call Bash ls",
        "! no 5000",
        "ToolResult whose?",
        "Text Equal.",
    ];
    assert_eq!(shown(std::slice::from_ref(&log)), expected);
    let (conversation, _) = read(&[log]);
    let warnings: Vec<Warning> = conversation.warnings().collect();
    assert_eq!(warnings, [Warning::ResultsWithoutCall(1)]);
}

#[test]
fn a_background_task_ends_with_its_notification() {
    let notice = |id: &str| {
        format!(
            "<task-notification>\n<task-id>{id}</task-id>\n\
             <status>completed</status>\n<summary>Done {id}</summary>\n\
             </task-notification>\nRead the file."
        )
    };
    let launched = |id: &str, more| with(answer(id, "started"), more);
    let log = vec![
        at(0, prompt("Go.")),
        at(
            1,
            call("t1", "Task", json!({"prompt": "x", "description": "Dig"})),
        ),
        at(1, call("t2", "Bash", json!({"command": "make"}))),
        at(
            2,
            launched(
                "t1",
                json!({"toolUseResult": {"isAsync": true,
            "status": "async_launched", "agentId": "a1"}}),
            ),
        ),
        at(
            3,
            launched(
                "t2",
                json!({"toolUseResult": {"stdout": "",
            "backgroundTaskId": "b1"}}),
            ),
        ),
        at(4, says("Waiting.")),
        at(20, prompt(&notice("b1"))),
        at(31, prompt(&notice("a1"))),
        at(32, says("All done.")),
    ];
    let (conversation, _) = read(std::slice::from_ref(&log));
    let calls: Vec<_> = conversation
        .calls()
        .map(|call| (call.is_background(), call.duration()))
        .collect();
    assert_eq!(calls, [(true, Some(30_000)), (true, Some(19_000))]);
    // A notification was shown as if the user had typed it.
    let session = conversation.sessions().next().unwrap();
    assert_eq!(session.turns().count(), 1);
    let notices = conversation.steps();
    let notices = notices.filter(|s| s.kind() == StepKind::Notification);
    let names: Vec<_> =
        notices.map(|step| step.call().unwrap().id().unwrap()).collect();
    assert_eq!(names, ["t2", "t1"]);

    // Without a notification, it may still be running.
    let (conversation, _) = read(&[log[..6].to_vec()]);
    assert!(conversation.calls().all(|call| call.duration().is_none()));
    assert!(conversation.calls().all(|call| call.answer().is_some()));
}

/// A sub-agent that says one thing, started by `t1`.
pub fn started() -> Vec<Value> {
    vec![
        at(0, prompt("Ask around.")),
        at(
            1,
            call(
                "t1",
                "Task",
                json!({"prompt": "Ask.", "description": "Ask",
            "subagent_type": "Explore"}),
            ),
        ),
    ]
}

/// Only the type that was asked for was known.
#[test]
fn a_sub_agent_has_the_type_that_the_result_of_its_call_states() {
    for (stated, wanted) in [("Plan", "Plan"), ("", "Explore")] {
        let inner = at(2, says("Two."));
        let inner = with(inner, json!({"parent_tool_use_id": "t1"}));
        let result = json!({"agentId": "a1", "agentType": stated});
        let end = at(3, answer("t1", "Two."));
        let end = with(end, json!({"toolUseResult": result}));
        let log = [&started()[..], &[inner, end]].concat();
        let (conversation, _) = read(&[log]);
        let call = conversation.calls().next().unwrap();
        let kinds: Vec<_> = call.agents().map(|agent| agent.kind()).collect();
        assert_eq!(kinds, [Some(wanted)]);
    }
}

#[test]
fn sub_agents_are_at_their_calls_in_all_forms() {
    let expected = [
        "Prompt Ask around.",
        "Call Task Ask (Explore)",
        " Prompt Ask.",
        " Text Two.",
        "= Two. 5000",
        "Text They say two.",
    ];
    let end = [at(6, answer("t1", "Two.")), at(7, says("They say two."))];
    let inner = [at(2, prompt("Ask.")), at(3, says("Two."))];
    let log = |inside: Vec<Value>| [&started(), &inside, &end[..]].concat();

    // Streams.
    let call = |line| with(line, json!({"parent_tool_use_id": "t1"}));
    let stream = log(inner.clone().map(call).into());
    assert_eq!(shown(&[stream]), expected, "stream");

    // Nested in progress lines.
    let nested = |(n, line): (usize, Value)| {
        let line = with(line, json!({"uuid": format!("n{n}")}));
        at(
            4,
            json!({"type": "progress", "parentToolUseID": "t1",
            "data": {"type": "agent_progress", "agentId": "a1",
                "message": line}}),
        )
    };
    let nested: Vec<Value> =
        inner.clone().into_iter().enumerate().map(nested).collect();
    assert_eq!(shown(&[log(nested.clone())]), expected, "progress");

    // Sidechains without a name, tied by the prompt.
    let side = |(n, line)| {
        let parent = if n == 0 { Value::Null } else { json!("c0") };
        with(
            line,
            json!({"isSidechain": true, "uuid": format!("c{n}"),
            "parentUuid": parent}),
        )
    };
    let sides: Vec<Value> =
        inner.clone().into_iter().enumerate().map(side).collect();
    assert_eq!(shown(&[log(sides)]), expected, "sidechain");

    // A file of its own, before and after the session's; tied by the result.
    let own = |(n, line)| {
        let line = with(line, json!({"isSidechain": true, "agentId": "a1"}));
        with(line, json!({"uuid": format!("n{n}")}))
    };
    let own: Vec<Value> =
        inner.clone().into_iter().enumerate().map(own).collect();
    let mut main = log(vec![]);
    main[2]["toolUseResult"] = json!({"agentId": "a1"});
    assert_eq!(shown(&[main.clone(), own.clone()]), expected, "own file");
    assert_eq!(shown(&[own.clone(), main]), expected, "own file first");

    // The same messages in progress lines and in a file are shown once.
    assert_eq!(shown(&[log(nested), own]), expected, "both");
}

/// All calls came before all texts, and a prompt that is a string in the file
/// and a list in the `progress` line was there twice.
#[test]
fn a_sub_agent_with_calls_in_progress_lines_is_in_order() {
    let uuid = |n: u32, line| with(line, json!({"uuid": format!("n{n}")}));
    let asked = with(
        prompt("Ask."),
        json!({"message": {"role": "user",
            "content": [{"type": "text", "text": "Ask."}]}}),
    );
    let greps = |id: &str| call(id, "Grep", json!({"pattern": id}));
    let inner = [
        at(20, uuid(0, prompt("Ask."))),
        at(21, uuid(1, says("First."))),
        at(22, uuid(2, greps("g1"))),
        at(23, uuid(3, answer("g1", "one"))),
        at(24, uuid(4, says("Second."))),
        at(25, uuid(5, greps("g2"))),
        at(26, uuid(6, answer("g2", "two"))),
        at(27, uuid(7, says("Third."))),
    ];
    let nested = |line: &Value| {
        json!({"type": "progress", "parentToolUseID": "t1",
            "data": {"type": "agent_progress", "agentId": "a1",
                "message": line}})
    };
    let own = inner
        .clone()
        .map(|line| with(line, json!({"isSidechain": true, "agentId": "a1"})));
    let expected = [
        "Prompt Ask around.",
        "Call Task Ask (Explore)",
        " Prompt Ask.",
        " Text First.",
        " Call Grep g1",
        " = one 1000",
        " Text Second.",
        " Call Grep g2",
        " = two 1000",
        " Text Third.",
        "= Two. 5000",
    ];
    let asked = at(20, uuid(0, asked));
    for is_asked in [false, true] {
        let asked = is_asked.then(|| nested(&asked));
        let calls = [2, 3, 5, 6].map(|n: usize| nested(&inner[n]));
        let mut main = started();
        main.extend(asked);
        main.extend(calls);
        main.push(at(6, answer("t1", "Two.")));
        let own = own.to_vec();
        let files = [main.clone(), own.clone()];
        assert_eq!(shown(&files), expected, "prompt nested: {is_asked}");
        assert_eq!(shown(&[own, main]), expected, "{is_asked}, file first");
    }
}

/// A prompt that was only in a mirror was left out if the stream had other
/// lines of the session.
#[test]
fn a_prompt_that_a_stream_only_mirrors_is_shown() {
    let mirror = |lines: &[Value]| {
        json!({"type": "transcript_mirror", "filePath": "/p/s.jsonl",
            "session_id": "s", "entries": lines})
    };
    let uuid = |n: u32, line| with(line, json!({"uuid": format!("n{n}")}));
    let turn = |n: u32, asked: &str, said: &str| {
        [uuid(n, prompt(asked)), uuid(n + 1, says(said))]
    };
    let [one, two] = [turn(1, "One?", "One."), turn(3, "Two?", "Two.")]
        .map(|turn| turn.map(|line| with(line, json!({"sessionId": "s"}))));
    let live = |line: &Value| with(line.clone(), json!({"session_id": "s"}));
    let expected = ["Prompt One?", "Text One.", "Prompt Two?", "Text Two."];
    let stream = vec![
        mirror(&one[..1]),
        live(&one[1]),
        mirror(&one[1..]),
        mirror(&two[..1]),
        live(&two[1]),
        mirror(&two[1..]),
    ];
    assert_eq!(shown(&[stream]), expected);
    let replayed = [&one, &two]
        .map(|turn| vec![live(&turn[0]), live(&turn[1]), mirror(turn)]);
    assert_eq!(shown(&[replayed.concat()]), expected);
}

/// The messages of a sub-agent in a mirror were taken for lines of their own
/// of the session, and everything mirrored after them was left out.
#[test]
fn mirrored_sub_agents_are_shown_with_their_session() {
    let expected = [
        "Prompt Ask around.",
        "Call Task Ask (Explore)",
        " Prompt Ask.",
        " Text Two.",
        "= Two. 5000",
        "Text They say two.",
    ];
    let mut end = [at(6, answer("t1", "Two.")), at(7, says("They say two."))];
    end[0]["toolUseResult"] = json!({"agentId": "a1"});
    let inner = [at(2, prompt("Ask.")), at(3, says("Two."))];
    let uuid = |(n, line)| with(line, json!({"uuid": format!("n{n}")}));
    let inner: Vec<Value> = inner.into_iter().enumerate().map(uuid).collect();
    let mirror = |lines: &[Value]| {
        json!({"type": "transcript_mirror", "filePath": "f",
            "entries": lines})
    };
    let own = |line: &Value| {
        with(line.clone(), json!({"isSidechain": true, "agentId": "a1"}))
    };
    let own: Vec<Value> = inner.iter().map(own).collect();
    let nested = |line: &Value| {
        at(
            4,
            json!({"type": "progress", "parentToolUseID": "t1",
            "data": {"type": "agent_progress", "agentId": "a1",
                "message": line}}),
        )
    };
    let nested: Vec<Value> = inner.iter().map(nested).collect();
    for inside in [own, nested] {
        // One mirror of everything, and one for each line.
        let lines = [&started()[..], &inside[..], &end[..]].concat();
        assert_eq!(shown(&[vec![mirror(&lines)]]), expected);
        let each: Vec<Value> =
            lines.iter().map(|line| mirror(slice::from_ref(line))).collect();
        assert_eq!(shown(&[each]), expected);
        // The stream has the main conversation, and the mirror all of it.
        let log = [&started()[..], &[mirror(&lines)], &end[..]].concat();
        let log = shown(&[log]);
        assert_eq!(log, expected);
    }
}

/// A sub-agent that was forked from its parent was tied to no call, and the
/// link was shown as one of the main conversation.
#[test]
fn a_forked_sub_agent_is_at_the_call_that_it_copied() {
    let mut main = started();
    main[1]["message"]["id"] = json!("m1");
    let copy = with(
        main[1].clone(),
        json!({"isSidechain": true, "agentId": "a1", "uuid": "f1"}),
    );
    main.extend([at(6, answer("t1", "Two.")), at(7, says("They say two."))]);
    let of_agent = |line: Value, uuid: &str| {
        with(
            line,
            json!({"isSidechain": true, "agentId": "a1",
            "uuid": uuid}),
        )
    };
    let fork = json!({"type": "fork-context-ref", "agentId": "a1",
        "parentSessionId": "s", "parentLastUuid": "u"});
    let begun = of_agent(at(2, answer("t1", "Started.")), "f2");
    let said = of_agent(at(3, says("Two.")), "f3");
    let expected = [
        "Prompt Ask around.",
        "Call Task Ask (Explore)",
        " Link ",
        " Text Two.",
        "= Two. 5000",
        "Text They say two.",
    ];
    let agent = vec![fork, copy, begun, said];
    assert_eq!(shown(&[main, agent.clone()]), expected);
    // Without the session, there is no call to show.
    assert_eq!(shown(&[agent]).len(), 3);
}

#[test]
fn the_description_beside_a_file_ties_a_sub_agent() {
    let inner = at(
        2,
        with(
            says("Two."),
            json!({"isSidechain": true,
        "agentId": "a1"}),
        ),
    );
    let (mut conversation, _) = read(&[started(), vec![inner.clone()]]);
    conversation.add_agent("a1", Some("Plan"), Some("Count"), Some("t1"));
    conversation.finish();
    let agent = conversation.sessions().next().unwrap().agents().next();
    let agent = agent.unwrap();
    assert_eq!(agent.call().and_then(|call| call.id()), Some("t1"));
    assert_eq!((agent.kind(), agent.task()), (Some("Plan"), Some("Count")));
    // Nothing ties it, but it is shown.
    let shown = shown(&[started(), vec![inner]]);
    assert_eq!(shown.last().unwrap(), " Text Two.");
    assert!(shown.iter().any(|line| line.starts_with("Agent")), "{shown:?}");
}

/// A caller that walks sub-agents recursively would overflow its stack.
#[test]
fn sub_agents_are_not_nested_without_end() {
    let mut log = vec![at(0, prompt("Go."))];
    for n in 0..200 {
        let above = format!("t{n}");
        let line =
            call(&format!("t{}", n + 1), "Task", json!({"prompt": "p"}));
        let line = with(line, json!({"parent_tool_use_id": above}));
        log.push(at(
            1,
            if n == 0 { call("t1", "Task", json!({})) } else { line },
        ));
    }
    for order in [log.clone(), log.into_iter().rev().collect()] {
        let shown = shown(&[order]);
        let calls = shown.iter().filter(|line| line.contains("Call")).count();
        assert_eq!(calls, 200);
        let depth = |line: &String| line.len() - line.trim_start().len();
        assert!(shown.iter().map(depth).max().unwrap() <= 17);
    }
    // Two sub-agents that start each other.
    let call = |id: &str, of: &str| {
        let line = call(id, "Task", json!({"prompt": "p"}));
        at(1, with(line, json!({"parent_tool_use_id": of})))
    };
    let circle = shown(&[vec![call("t1", "t2"), call("t2", "t1")]]);
    let calls = circle.iter().filter(|line| line.contains("Call")).count();
    assert_eq!(calls, 2, "{circle:?}");
}

#[test]
fn what_the_program_writes_is_not_the_user() {
    let meta = |text| with(prompt(text), json!({"isMeta": true}));
    let log = vec![
        at(0, prompt("<command-name>/clear</command-name>")),
        at(1, prompt("<local-command-stdout>ok</local-command-stdout>")),
        at(2, meta("Caveat: generated.")),
        at(3, meta("Stop hook feedback: tests fail")),
        at(4, prompt("Stop hook feedback: I typed this")),
        at(5, says("Yes.")),
        at(6, prompt("[Request interrupted by user]")),
        at(
            7,
            json!({"type": "system", "subtype": "compact_boundary",
            "compactMetadata": {"preTokens": 9}}),
        ),
        at(8, with(prompt("So far: ..."), json!({"isCompactSummary": true}))),
        at(9, says("On.")),
        at(9, json!({"type": "continued-in", "continuedInSessionId": "next"})),
    ];
    let expected = [
        "Command <command-name>/clear</command-name>",
        "Output <local-command-stdout>ok</local-command-stdout>",
        "Program Caveat: generated.",
        "Hook Stop hook feedback: tests fail",
        "Prompt Stop hook feedback: I typed this",
        "Text Yes.",
        "Interruption [Request interrupted by user]",
        "Compaction ",
        "Summary So far: ...",
        "Text On.",
        "Link ",
    ];
    assert_eq!(shown(std::slice::from_ref(&log)), expected);
    let (conversation, _) = read(&[log]);
    let session = conversation.sessions().next().unwrap();
    let turns: Vec<_> =
        session.turns().map(|turn| turn.is_interrupted()).collect();
    assert_eq!(turns, [false, true]);
    assert_eq!(session.continued_in(), Some("next"));
}

#[test]
fn abandoned_branches_are_marked() {
    let line = |uuid: &str, parent: Value, line| {
        at(1, with(line, json!({"uuid": uuid, "parentUuid": parent})))
    };
    let log = vec![
        line("a", Value::Null, prompt("One")),
        line("b", json!("a"), says("1")),
        line("c", json!("b"), prompt("Twoo")),
        line("d", json!("c"), says("2?")),
        line("e", json!("b"), prompt("Two")),
        line("f", json!("e"), says("2")),
        line("h", json!("e"), says("two")),
        // A message that is there twice is shown once.
        line("f", json!("e"), says("2")),
        line("g", json!("nowhere"), says("3")),
    ];
    let expected = [
        "Prompt One",
        "Text 1",
        "Prompt Twoo (abandoned)",
        "Text 2? (abandoned)",
        "Prompt Two",
        "Text 2",
        "Text two",
        "Text 3",
    ];
    assert_eq!(shown(std::slice::from_ref(&log)), expected);
    let (conversation, _) = read(&[log]);
    let turns = conversation.sessions().next().unwrap().turns();
    let abandoned: Vec<_> = turns.map(|turn| turn.is_abandoned()).collect();
    assert_eq!(abandoned, [false, true, false]);
    let warnings: Vec<Warning> = conversation.warnings().collect();
    assert_eq!(warnings, [Warning::MissingParents(1)]);
}

/// What is released must not be what the views need, even if the log is ended
/// again.
#[test]
fn closing_a_conversation_changes_nothing_that_is_shown() {
    let line = |uuid: &str, parent: &str, line| {
        at(1, with(line, json!({"uuid": uuid, "parentUuid": parent})))
    };
    let task = json!({"description": "Look", "prompt": "Look around."});
    let inner = json!({"isSidechain": true, "agentId": "a1"});
    let log = vec![
        line("a", "nowhere", prompt("One")),
        line("b", "a", prompt("Twoo")),
        line("c", "a", prompt("Two")),
        line("d", "c", call("t1", "Task", task)),
        with(line("e", "d", prompt("Look around.")), inner),
        line("f", "d", answer("t1", "Seen")),
    ];
    let (mut conversation, mut recall) = read(&[log]);
    let mut all = |conversation: &Conversation| {
        let mut shown = vec![];
        let sessions = conversation.sessions();
        for turn in sessions.flat_map(|session| session.turns()) {
            show(turn, 0, &mut recall, &mut shown);
        }
        let warnings = conversation.warnings();
        shown.extend(warnings.map(|warning| warning.to_string()));
        shown
    };
    let before = all(&conversation);
    let expected = [
        "Prompt One",
        "Prompt Twoo (abandoned)",
        "Prompt Two",
        "Call Task Look",
        " Prompt Look around.",
        "= Seen 0",
        "1 message before the others is not in the log",
    ];
    assert_eq!(before, expected);
    assert_eq!(conversation.close().len(), 0);
    assert_eq!(all(&conversation), before);
    assert_eq!(conversation.finish().len(), 0);
    assert_eq!(all(&conversation), before);
}

#[test]
fn placeholder_tokens_are_detected() {
    let said = |tokens: u64| {
        let text = "word ".repeat(1_000);
        let mut line = says(&text);
        line["message"]["id"] = json!("m1");
        line["message"]["usage"] = json!({"output_tokens": tokens});
        at(1, line)
    };
    let warnings = |log| {
        let (conversation, _) = read(&[vec![log]]);
        conversation.warnings().collect::<Vec<_>>()
    };
    let placeholder = Warning::PlaceholderTokens { stated: 2, written: 5_000 };
    assert_eq!(warnings(said(2)), [placeholder]);
    assert_eq!(warnings(said(1_100)), []);
}

/// The inputs of calls had no length in a decoded line, so that the warning
/// was missing.
#[test]
fn placeholder_tokens_are_detected_in_decoded_lines() {
    let input = json!({"content": "word ".repeat(1_000)});
    let line = json!({"type": "assistant", "message": {"id": "m1",
    "usage": {"output_tokens": 2}, "content": [
        {"type": "tool_use", "id": "t1", "name": "Write", "input": input},
    ]}})
    .to_string();
    let written = input.to_string().len() as u64;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line.as_bytes()).unwrap();
    let mut lines = linetape::lines(line.as_bytes());
    let read = lines.next_line().unwrap().unwrap();
    for message in [record.message(), read.checked().unwrap()] {
        let mut conversation = Conversation::new();
        let place = Place::of_line(0, &read);
        conversation.add(message, place).unwrap();
        conversation.finish();
        let first = conversation.warnings().next();
        let stated = 2;
        let expected = Warning::PlaceholderTokens { stated, written };
        assert_eq!(first, Some(expected));
    }
}

#[test]
fn calls_are_summed_up_in_one_line() {
    let long = format!("/w/{}/name.rs", "deep/".repeat(60));
    for (tool, input, expected) in [
        ("Read", json!({"file_path": "/w/a.rs"}), "Read a.rs"),
        (
            "Read",
            json!({"file_path": "/w/a.rs", "limit": 80}),
            "Read a.rs 1-80",
        ),
        (
            "Read",
            json!({"file_path": "/v/a.rs", "offset": 5, "limit": 2}),
            "Read /v/a.rs 5-6",
        ),
        (
            "Read",
            json!({"file_path": long, "offset": 9}),
            &*format!("Read {} 9-", &long[3..]),
        ),
        (
            "Edit",
            json!({"replace_all": false, "file_path": "/w/a.rs",
            "old_string": "a\nb\nc", "new_string": "a\nx\ny\nc"}),
            "Edit a.rs +2 -1",
        ),
        (
            "Edit",
            json!({"file_path": "/w", "old_string": "a\na",
            "new_string": "a"}),
            "Edit /w -1",
        ),
        (
            "Write",
            json!({"file_path": "/w/n", "content": "1\n2\n"}),
            "Write n +2",
        ),
        (
            "MultiEdit",
            json!({"file_path": "/w/a", "edits": [
            {"old_string": "", "new_string": "n"},
            {"old_string": "o", "new_string": ""}]}),
            "MultiEdit a +1 -1",
        ),
        (
            "Bash",
            json!({"description": "x", "command": "cargo\n  test"}),
            "Bash cargo test",
        ),
        ("Grep", json!({"pattern": "fn", "path": "/w/src"}), "Grep fn in src"),
        (
            "TodoWrite",
            json!({"todos": [{"status": "completed"}, {}]}),
            "TodoWrite 1 of 2 done",
        ),
        ("mcp__x__y", json!({"b": true, "n": 1}), "mcp__x__y b: true, n: 1"),
        ("Sleep", json!({}), "Sleep"),
    ] {
        let mut log = call("t1", tool, input);
        log["cwd"] = json!("/w");
        let call = &shown(&[vec![log]])[0];
        assert_eq!(call, &format!("Call {expected}"));
    }
    // The result knows better than the input.
    let edit = call(
        "t1",
        "Edit",
        json!({"file_path": "a", "old_string": "a",
        "new_string": "b", "replace_all": true}),
    );
    let result = with(
        answer("t1", "ok"),
        json!({"toolUseResult": {
        "structuredPatch": [{"lines": [" x", "-a", "+b"]},
            {"lines": ["-a", "+b", "+b"]}]}}),
    );
    assert_eq!(shown(&[vec![edit, result]])[0], "Call Edit a +3 -2");
}

#[test]
fn every_text_call_and_result_of_real_logs_is_there_once() {
    for (path, log) in logs::corpus_of("transcripts") {
        let (mut conversation, expected) = (Conversation::new(), pieces(&log));
        add(&mut conversation, 0, &log);
        conversation.finish();
        let mut recall = Recall::new(Limits::default());
        recall.add_source(Cursor::new(log));
        let mut steps = vec![];
        for session in conversation.sessions() {
            for turn in session.turns() {
                walk(turn, &mut steps);
            }
        }
        let places: HashSet<_> = steps
            .iter()
            .map(|index| conversation.step(*index).unwrap())
            .map(|step| (step.place(), step.block_index(), step.kind()))
            .collect();
        assert_eq!(
            places.len(),
            steps.len(),
            "{path:?}: a step is there twice"
        );
        let mut got = vec![];
        for index in steps {
            let step = conversation.step(index).unwrap();
            let kind = match step.kind() {
                StepKind::Call => "call",
                StepKind::ToolResult => "result",
                StepKind::Thought => "thought",
                StepKind::Text
                | StepKind::Prompt
                | StepKind::Command
                | StepKind::Output
                | StepKind::Program
                | StepKind::Hook
                | StepKind::Interruption
                | StepKind::Summary
                | StepKind::Notification => "text",
                _ => continue,
            };
            let text = recall.step(step, |facts| match step.kind() {
                StepKind::Call => {
                    step.call().unwrap().id().unwrap_or_default().to_string()
                }
                StepKind::ToolResult => match step.call() {
                    Some(call) => call.id().unwrap_or_default().to_string(),
                    None => "orphan".to_string(),
                },
                _ => step.text(facts).into_owned(),
            });
            let text = text.unwrap().unwrap();
            if !text.trim().is_empty() {
                got.push((kind, text));
            }
        }
        let sorted = |mut list: Vec<(&'static str, String)>| {
            list.sort();
            list
        };
        assert_eq!(sorted(got), sorted(expected), "{path:?}");
    }
}

/// Adds the indexes of all steps of a turn, with results and sub-agents.
fn walk(turn: Turn<'_>, steps: &mut Vec<usize>) {
    for step in turn.steps() {
        steps.push(step.index());
        step.agent()
            .into_iter()
            .flat_map(|agent| agent.turns())
            .for_each(|t| walk(t, steps));
        if step.kind() == StepKind::Call
            && let Some(call) = step.call()
        {
            call.agents()
                .flat_map(|agent| agent.turns())
                .for_each(|t| walk(t, steps));
            steps.extend(call.answer().map(|answer| answer.index()));
        }
    }
}
