//! Token totals: small logs, and a reference implementation on random and real
//! logs, decoded and peeked.

mod copied;
mod costs;
mod counts;
mod one_id;
mod reference;
pub(crate) mod saved;
mod streamed;

use linetape_session::{GroupTotals, UsageTotals};
use proptest::prelude::*;
use reference::{Summary, naive};
use serde_json::{Value, json};

use crate::{logs, texts};

/// Returns the totals of a log. Asserts that decoded and peeked messages give
/// the same totals.
fn totals(log: &str) -> UsageTotals {
    let (mut decoded, mut peeked) = (UsageTotals::new(), UsageTotals::new());
    let mut lines = linetape::lines(log.as_bytes());
    while let Some(record) = lines.next_record() {
        if let Ok(record) = record {
            decoded.add(record.message());
        }
    }
    let mut lines = linetape::lines(log.as_bytes());
    while let Some(Ok(line)) = lines.next_line() {
        if line.check().is_ok() {
            peeked.add(line.peek().unwrap());
        }
    }
    assert_eq!(Summary::of(&decoded), Summary::of(&peeked));
    decoded
}

/// Returns an assistant line that used `output` tokens.
fn said(id: &str, output: u64, more: Value) -> Value {
    let mut line = json!({
        "type": "assistant",
        "message": {"id": id, "usage": {"output_tokens": output}},
    });
    for (key, value) in more.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

fn log(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn output(lines: &[Value]) -> (u64, u64) {
    let totals = totals(&log(lines));
    let total = totals.total();
    (total.messages, total.tokens.output_tokens)
}

/// Sums are kept until a line changes them.
#[test]
fn a_report_between_two_lines_changes_nothing() {
    let lines = [
        said("a", 1, json!({})),
        said("b", 5, json!({})),
        // More of a known message, and one that does not fit into a row.
        said("a", 70_000, json!({})),
        said("c", 1 << 30, json!({})),
        said("c", (1 << 30) + 1, json!({})),
    ];
    let mut asked = UsageTotals::new();
    for (count, line) in lines.iter().enumerate() {
        let text = line.to_string();
        let mut lines_of = linetape::lines(text.as_bytes());
        asked.add(lines_of.next_line().unwrap().unwrap().checked().unwrap());
        let whole = totals(&log(&lines[..=count]));
        assert_eq!(Summary::of(&asked), Summary::of(&whole), "{count}");
    }
    assert_eq!(asked.total().tokens.output_tokens, (1 << 30) + 70_006);
}

#[test]
fn the_last_line_of_a_message_counts() {
    let none = || json!({});
    let lines =
        [said("a", 1, none()), said("b", 5, none()), said("a", 3, none())];
    assert_eq!(output(&lines), (2, 8));
    // The last line is used even if it has fewer tokens.
    assert_eq!(output(&[said("a", 9, none()), said("a", 2, none())]), (1, 2));
}

#[test]
fn counts_missing_in_the_last_line_are_kept() {
    let mut first =
        said("msg_a", 3, json!({"timestamp": "2026-01-31T00:00:00Z"}));
    first["message"]["model"] = json!("opus");
    first["message"]["usage"]["input_tokens"] = json!(7);
    let lines = [first, said("msg_a", 5, json!({}))];
    let totals = totals(&log(&lines));
    let tokens = totals.total().tokens;
    assert_eq!((tokens.input_tokens, tokens.output_tokens), (7, 5));
    assert_eq!(totals.by_model()[0].name, Some("opus"));
    assert_eq!(totals.by_day()[0].name, Some("2026-01-31"));
}

#[test]
fn request_ids_distinguish_messages() {
    let request = |id: &str| json!({"requestId": id});
    let lines = [
        said("a", 1, request("r1")),
        said("a", 2, request("r2")),
        said("a", 4, json!({})),
        said("a", 8, json!({"request_id": "r1"})),
    ];
    assert_eq!(output(&lines), (3, 14));
    // The concatenation of two ids must not be ambiguous.
    let lines = [said("ab", 1, request("c")), said("a", 2, request("bc"))];
    assert_eq!(output(&lines), (2, 3));
}

#[test]
fn a_sidechain_line_never_replaces_a_line_of_the_main_thread() {
    let main = |tokens| said("a", tokens, json!({"isSidechain": false}));
    let side = |tokens| said("a", tokens, json!({"isSidechain": true}));
    let task = |n| said("a", n, json!({"parent_tool_use_id": "t"}));
    assert_eq!(output(&[main(1), side(2)]), (1, 1));
    assert_eq!(output(&[main(1), task(2)]), (1, 1));
    assert_eq!(output(&[side(1), main(2)]), (1, 2));
    assert_eq!(output(&[side(1), side(2)]), (1, 2));
    assert_eq!(output(&[side(1), main(2), side(3), main(4)]), (1, 4));
}

/// A sub-agent repeats the messages of its parent with a new request id (a
/// question beside the task, `/btw`): they were counted twice.
#[test]
fn a_sub_agents_message_with_another_request_id_is_a_copy() {
    let line = |request: &str, tokens, side: bool| {
        said(
            "msg_a",
            tokens,
            json!({"sessionId": "s", "requestId": request,
            "isSidechain": side}),
        )
    };
    let main = |request, tokens| line(request, tokens, false);
    let side = |request, tokens| line(request, tokens, true);
    assert_eq!(output(&[main("r", 1), side("q", 9)]), (1, 1));
    assert_eq!(output(&[side("q", 9), main("r", 1)]), (1, 1));
    // Of sub-agents' messages, the one with more tokens counts.
    assert_eq!(output(&[side("q", 9), side("r", 1)]), (1, 9));
    assert_eq!(output(&[side("q", 1), side("r", 9)]), (1, 9));
    // Two messages of the main conversation are two.
    assert_eq!(output(&[main("r", 1), main("q", 2)]), (2, 3));
    assert_eq!(
        output(&[side("x", 9), main("r", 1), main("q", 2), side("y", 5)]),
        (2, 3)
    );
    // A later line shows that the message is of the main conversation.
    assert_eq!(output(&[main("r", 1), side("q", 9), main("q", 2)]), (2, 3));

    // In another session it is another message, unless that session repeats
    // the original.
    let other = |mut line: Value| {
        line["sessionId"] = json!("t");
        line
    };
    assert_eq!(output(&[main("r", 1), other(side("q", 2))]), (2, 3));
    let copied = other(main("r", 1));
    assert_eq!(output(&[main("r", 1), copied, other(side("q", 2))]), (1, 1));

    // Without a request id, and nested.
    let mut none = side("", 9);
    none.as_object_mut().unwrap().remove("requestId");
    assert_eq!(output(&[main("r", 1), none.clone()]), (1, 1));
    let nested = |line: Value| {
        let mut nested = progress(line);
        nested["sessionId"] = json!("s");
        nested
    };
    assert_eq!(output(&[nested(none), side("r", 9)]), (1, 9));
    assert_eq!(output(&[main("r", 1), nested(side("q", 9))]), (1, 1));
}

/// Of two messages of the main conversation with one id, a sub-agent's message
/// was a copy of the one whose line in this session was read first, not of the
/// first message.
#[test]
fn a_copy_belongs_to_the_first_message_of_the_main_conversation() {
    let line = |call: Option<&str>, more: Value| {
        let mut line = said("msg_a", 1, more);
        if let Some(id) = call {
            let call = json!({"type": "tool_use", "id": id, "name": "Read"});
            message_content(&mut line, call);
        }
        line
    };
    let lines = [
        line(None, json!({"sessionId": "t", "requestId": "p"})),
        line(Some("1"), json!({"sessionId": "s", "requestId": "r"})),
        line(
            Some("2"),
            json!({"sessionId": "s", "requestId": "q", "isSidechain": true}),
        ),
        // The first message, in the session of the others.
        line(None, json!({"sessionId": "s", "requestId": "p"})),
    ];
    let log = log(&lines);
    let totals = totals(&log);
    let tool = totals.by_tool()[0];
    assert_eq!((tool.calls, tool.messages), (2, 2));
    assert_eq!(Summary::of(&totals), naive(&log));
}

/// The tokens of the messages that call a tool were those of the copy as well.
#[test]
fn a_call_of_a_copy_is_one_of_the_original() {
    let call = json!({"type": "tool_use", "id": "t", "name": "Read"});
    let mut side = said(
        "msg_a",
        9,
        json!({"sessionId": "s",
        "requestId": "q", "isSidechain": true}),
    );
    message_content(&mut side, call.clone());
    let mut main = said(
        "msg_a",
        1,
        json!({"sessionId": "s",
        "requestId": "r"}),
    );
    message_content(&mut main, call);
    let totals = totals(&log(&[side, main]));
    let tool = totals.by_tool()[0];
    assert_eq!((tool.calls, tool.messages), (1, 1));
    assert_eq!(tool.tokens.output_tokens, 1);
    assert_eq!(totals.messages().count(), 1);
    assert_eq!(totals.subagents().messages, 0);
}

/// A stream without request ids and the mirror of its transcript, which has
/// them, were two messages.
#[test]
fn a_mirrored_line_is_a_copy_of_the_line_itself() {
    let own = said("msg_a", 1, json!({"session_id": "s"}));
    let entry = |id: &str, request: &str| {
        said(id, 1, json!({"sessionId": "s", "requestId": request}))
    };
    let mirror = |entries: Value| json!({"type": "transcript_mirror", "entries": entries});
    let mirrored = mirror(json!([entry("msg_a", "r")]));
    assert_eq!(output(&[own.clone(), mirrored.clone()]), (1, 1));
    assert_eq!(output(&[mirrored.clone(), own]), (1, 1));
    // Without the line itself, it counts.
    assert_eq!(output(&[mirrored]), (1, 1));
    let two = mirror(json!([entry("msg_a", "r"), entry("msg_a", "q")]));
    assert_eq!(output(&[two]), (2, 2));
}

/// Gateways to other models use one id for all messages, without request
/// ids. All of them counted as one message.
#[test]
fn an_id_of_a_gateway_is_not_unique() {
    let line = |id: &str, session: &str, input: u64| {
        let mut line = said(id, 1, json!({"sessionId": session}));
        line["message"]["usage"]["input_tokens"] = json!(input);
        line
    };
    let input = |lines: &[Value]| {
        let totals = totals(&log(lines));
        (totals.total().messages, totals.total().tokens.input_tokens)
    };
    let lines = [
        line("ocgo", "s1", 100),
        line("ocgo", "s1", 100),
        line("ocgo", "s1", 20),
        line("ocgo", "s2", 3),
    ];
    assert_eq!(input(&lines), (3, 123));
    // A message that is written several times counts once.
    let lines = [line("chatcmpl-1", "s1", 7), line("chatcmpl-1", "s1", 7)];
    assert_eq!(input(&lines), (1, 7));
    // The API's own ids are unique.
    let lines = [line("msg_1", "s1", 7), line("msg_1", "s2", 8)];
    assert_eq!(input(&lines), (1, 8));
}

#[test]
fn messages_without_an_id_are_identified_by_uuid() {
    let mut line = said("a", 1, json!({"uuid": "u1"}));
    line["message"].as_object_mut().unwrap().remove("id");
    let mut other = line.clone();
    other["uuid"] = json!("u2");
    assert_eq!(output(&[line.clone(), other, line.clone()]), (2, 2));
    line.as_object_mut().unwrap().remove("uuid");
    assert_eq!(output(&[line.clone(), line]), (2, 2));
}

#[test]
fn totals_by_session_model_and_day() {
    let line = |id: &str, model: &str, session: &str, time: &str| {
        let mut line = said(id, 1, json!({"sessionId": session}));
        line["message"]["model"] = json!(model);
        line["timestamp"] = json!(time);
        line["parentUuid"] = Value::Null;
        line
    };
    let log = log(&[
        line("1", "opus", "s1", "2026-02-01T23:59:59.999Z"),
        line("2", "haiku", "s1", "2026-01-31T00:00:00Z"),
        line("3", "opus", "s2", "2026-02-01T00:00:00Z"),
        line("4", "opus", "s2", "yesterday, or so"),
        said("5", 1, json!({})),
    ]);
    let totals = totals(&log);
    let counts = |groups: Vec<linetape_session::Totals<'_>>| {
        let count = |t: &linetape_session::Totals<'_>| {
            (t.name.unwrap_or("none").to_owned(), t.messages)
        };
        groups.iter().map(count).collect::<Vec<_>>()
    };
    let expected = |list: &[(&str, u64)]| {
        list.iter().map(|(n, c)| ((*n).to_owned(), *c)).collect::<Vec<_>>()
    };
    assert_eq!(
        counts(totals.by_session()),
        expected(&[("s1", 2), ("s2", 2), ("none", 1)])
    );
    assert_eq!(
        counts(totals.by_model()),
        expected(&[("opus", 3), ("haiku", 1), ("none", 1)])
    );
    assert_eq!(
        counts(totals.by_day()),
        expected(&[("none", 2), ("2026-01-31", 1), ("2026-02-01", 2)])
    );
}

#[test]
fn tool_calls_are_counted_once_with_their_errors() {
    let call = |message: &str, calls: &[(&str, &str)]| {
        let mut line = said(message, 10, json!({}));
        let block = |(id, name): &(&str, &str)| json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        line["message"]["content"] = calls.iter().map(block).collect();
        line
    };
    let answer = |id: &str, failed: Value| {
        json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": id, "is_error": failed},
        ]}})
    };
    let lines = [
        call("a", &[("t1", "Read"), ("t2", "Read"), ("t3", "Bash")]),
        call("a", &[("t1", "Read")]),
        call("b", &[("t4", "Read")]),
        answer("t1", json!(true)),
        answer("t1", json!(true)),
        answer("t2", json!(false)),
        answer("t3", Value::Null),
        answer("nobody", json!(true)),
    ];
    let totals = totals(&log(&lines));
    let tools: Vec<_> = totals
        .by_tool()
        .iter()
        .map(|tool| {
            let output = tool.tokens.output_tokens;
            (tool.name, tool.calls, tool.errors, tool.messages, output)
        })
        .collect();
    let expected = [(Some("Read"), 3, 1, 2, 20), (Some("Bash"), 1, 0, 1, 10)];
    assert_eq!(tools, expected);
}

#[test]
fn costs_are_cumulative_until_they_restart() {
    let result = |session: &str, cost: f64, opus: f64, tokens: u64| {
        json!({
            "type": "result", "session_id": session, "total_cost_usd": cost,
            "usage": {"output_tokens": 99},
            "modelUsage": {"opus": {"costUSD": opus, "outputTokens": tokens}},
        })
    };
    let lines = [
        result("s1", 0.25, 0.25, 5),
        result("s2", 1.0, 0.5, 7),
        result("s1", 0.75, 0.5, 9),
        // A new process of the same session restarts the count.
        result("s1", 0.5, 0.125, 6),
        json!({"type": "result"}),
        json!({"type": "result", "session_id": "s2", "total_cost_usd": -1}),
    ];
    let totals = totals(&log(&lines));
    let costs: Vec<_> = totals
        .costs()
        .into_iter()
        .map(|cost| {
            let models = cost.models.iter();
            let models: Vec<_> = models
                .map(|m| (m.model, m.cost_usd, m.tokens.output_tokens))
                .collect();
            (cost.session, cost.results, cost.cost_usd, models)
        })
        .collect();
    let expected = [
        (None, 1, None, vec![]),
        (Some("s1"), 3, Some(1.25), vec![("opus", Some(0.625), 15)]),
        (Some("s2"), 2, Some(1.0), vec![("opus", Some(0.5), 7)]),
    ];
    assert_eq!(costs, expected);
    // The usage in a result is not added to the usage of messages.
    assert_eq!(totals.total().messages, 0);
}

#[test]
fn runs_are_counted_with_and_without_a_result() {
    let init = || json!({"type": "system", "subtype": "init"});
    let result = || json!({"type": "result", "total_cost_usd": 1.0});
    let says = || said("a", 1, json!({}));
    let runs = |lines: &[Value]| {
        let totals = totals(&log(lines));
        let cost = &totals.costs()[0];
        (cost.runs, cost.results)
    };
    assert_eq!(runs(&[init(), says(), result()]), (1, 1));
    assert_eq!(runs(&[init(), init(), says(), says(), result()]), (1, 1));
    assert_eq!(runs(&[init(), says(), init(), says(), result()]), (2, 1));
    assert_eq!(runs(&[result(), says(), result(), result()]), (3, 3));
    assert_eq!(runs(&[says(), says()]), (1, 0));
    assert_eq!(runs(&[init(), result(), init()]), (2, 1));
}

#[test]
fn tool_calls_of_the_early_transcript_format_are_counted() {
    let call = |uuid: &str| {
        json!({
            "type": "assistant", "subtype": "tool_use", "uuid": uuid,
            "toolName": "Write", "toolArguments": {},
        })
    };
    let answer = |to: &str, subtype: &str, failed: bool| {
        json!({
            "type": "system", "subtype": subtype, "uuid": "x",
            "parentUuid": to, "isError": failed, "message": "so it went",
        })
    };
    let lines = [
        call("u1"),
        answer("u1", "tool_result", false),
        call("u2"),
        answer("u2", "error", true),
    ];
    let totals = totals(&log(&lines));
    let tool = totals.by_tool()[0];
    assert_eq!((tool.name, tool.calls), (Some("Write"), 2));
    assert_eq!(tool.errors, 1);
}

#[test]
fn an_agent_server_turn_counts_its_last_token_update() {
    let update = |session: i64, output: u64| {
        json!({"TokenUpdate": {
            "input_tokens": 1, "output_tokens": output, "session_id": session,
        }})
    };
    let tool = json!({"ToolExecuting": {
        "tool_use_id": "t1", "tool_name": "read", "session_id": 1,
    }});
    let complete = json!({"Complete": {"session_id": 1}});
    let lines = [
        update(1, 5),
        update(2, 100),
        update(1, 9),
        tool,
        complete,
        update(1, 20),
    ];
    let totals = totals(&log(&lines));
    assert_eq!(totals.total().messages, 3);
    assert_eq!(totals.total().tokens.output_tokens, 129);
    assert_eq!(totals.by_session()[0].name, Some("1"));
    assert_eq!(totals.by_session()[0].tokens.output_tokens, 29);
    let tool = totals.by_tool()[0];
    assert_eq!((tool.name, tool.tokens.output_tokens), (Some("read"), 9));
}

/// A line of a main session that contains a message of a sub-agent.
fn progress(message: Value) -> Value {
    json!({
        "type": "progress", "sessionId": "main", "parentToolUseID": "t1",
        "timestamp": "2026-01-31T00:00:00Z",
        "data": {
            "type": "agent_progress", "agentId": "a1", "message": message,
        },
    })
}

/// Usage was low by the tokens of every sub-agent, because a nested message
/// was read as a progress report and nothing else.
#[test]
fn messages_nested_in_progress_lines_count() {
    let mut message = said("m", 5, json!({"requestId": "r"}));
    let call = json!({"type": "tool_use", "id": "t2", "name": "Grep"});
    message_content(&mut message, call);
    let answer = json!({"type": "user", "message": {"content": [{
        "type": "tool_result", "tool_use_id": "t2", "is_error": true,
    }]}});
    let own = said("o", 2, json!({"sessionId": "main", "isSidechain": false}));
    let totals = totals(&log(&[own, progress(message), progress(answer)]));
    assert_eq!(totals.total().tokens.output_tokens, 7);
    let subagents = totals.subagents();
    assert_eq!((subagents.messages, subagents.tokens.output_tokens), (1, 5));
    assert_eq!(totals.by_session().len(), 1);
    assert_eq!(totals.by_session()[0].name, Some("main"));
    let tool = totals.by_tool()[0];
    assert_eq!((tool.name, tool.calls, tool.errors), (Some("Grep"), 1, 1));
    let day = totals.by_day()[1];
    assert_eq!((day.name, day.messages), (Some("2026-01-31"), 1));
}

#[test]
fn a_message_counts_once_however_often_it_is_written() {
    let request = json!({"requestId": "r"});
    let nested = |n| progress(said("m", n, request.clone()));
    let mut own_file = said("m", 3, request.clone());
    own_file["isSidechain"] = json!(true);
    let main = said("m", 4, request.clone());
    let mirror = json!({"type": "transcript_mirror", "entries": [own_file]});
    assert_eq!(output(&[nested(1), nested(2)]), (1, 2));
    assert_eq!(output(&[nested(2), own_file.clone()]), (1, 3));
    assert_eq!(output(&[own_file.clone(), mirror]), (1, 3));
    // The main conversation comes before a sub-agent.
    assert_eq!(output(&[main.clone(), nested(2), own_file]), (1, 4));
    assert_eq!(output(&[nested(2), main]), (1, 4));
}

#[test]
fn implausible_counts_of_output_tokens_are_placeholders() {
    let with_text = |id: &str, tokens, length| {
        let mut line = said(id, tokens, json!({}));
        let text = "x".repeat(length);
        message_content(&mut line, json!({"type": "text", "text": text}));
        line
    };
    let count = |lines: &[Value]| totals(&log(lines)).placeholders();
    assert_eq!(count(&[with_text("a", 3, 301), with_text("b", 3, 300)]), 1);
    // An error that the agent itself writes uses no tokens. It was called a
    // placeholder.
    assert_eq!(count(&[with_text("a", 0, 101)]), 0);
    // Each of the lines is short, but the message is not.
    assert_eq!(count(&[with_text("a", 1, 60), with_text("a", 1, 60)]), 1);
    let with = |block: Value| {
        let mut line = said("a", 1, json!({}));
        message_content(&mut line, block);
        line
    };
    // Only texts were measured.
    let text = "x".repeat(101);
    let thought = json!({"type": "thinking", "thinking": text});
    assert_eq!(count(&[with(thought)]), 1);
    let call = json!({"type": "tool_use", "id": "t", "name": "Write",
        "input": {"content": text}});
    assert_eq!(count(&[with(call)]), 1);
    // The input of any block was measured, whatever its type.
    let other = json!({"type": "thing", "input": {"content": text}});
    assert_eq!(count(&[with(other)]), 0);
    // The final count is on a later line.
    assert_eq!(count(&[with_text("a", 1, 900), with_text("a", 300, 900)]), 0);
}

/// The journal of a workflow has results of sub-agents, which are no runs.
#[test]
fn the_results_of_a_journal_are_no_runs() {
    let journal = json!({"type": "result", "key": "v2:1", "agentId": "a",
        "result": "done", "total_cost_usd": 1.0});
    assert!(totals(&log(&[journal])).costs().is_empty());
}

#[test]
fn the_last_cost_state_of_a_session_is_its_cost() {
    let state = |cost: f64| {
        json!({"type": "cost-state", "sessionId": "s", "totalCostUSD": cost,
            "modelUsage": {"opus": {"costUSD": cost, "inputTokens": 7}}})
    };
    let result = |cost: f64| {
        json!({"type": "result", "session_id": "s", "total_cost_usd": cost,
            "modelUsage": {"haiku": {"costUSD": cost}}})
    };
    let cost = |lines: &[Value]| {
        let totals = totals(&log(lines));
        let [cost] = &totals.costs()[..] else { panic!("not one session") };
        (cost.cost_usd.unwrap(), cost.models[0].model.to_owned())
    };
    let opus = || "opus".to_string();
    // It may be lower than the one before.
    assert_eq!(cost(&[state(0.5), state(0.25)]), (0.25, opus()));
    // An older copy of the transcript, which is read later, was used.
    let at = |mut state: Value, duration: u64| {
        state["totalDuration"] = json!(duration);
        state
    };
    let copies = [at(state(0.5), 9), at(state(0.25), 7)];
    assert_eq!(cost(&copies), (0.5, opus()));
    assert_eq!(cost(&[at(state(0.5), 9), at(state(0.25), 9)]), (0.5, opus()));
    assert_eq!(cost(&[at(state(0.5), 7), at(state(0.25), 9)]), (0.25, opus()));
    // It had no cost without a total, although its models have.
    let mut untotalled = state(0.5);
    untotalled.as_object_mut().unwrap().remove("totalCostUSD");
    assert_eq!(cost(&[untotalled]), (0.5, opus()));
    // Both report the same requests.
    assert_eq!(cost(&[result(0.25), state(0.5)]), (0.5, opus()));
    assert_eq!(cost(&[state(0.5), result(0.25)]), (0.5, opus()));
    assert_eq!(cost(&[state(0.5), result(1.0)]), (1.0, "haiku".to_string()));
    let totals = totals(&log(&[state(0.5)]));
    let cost = &totals.costs()[0];
    assert_eq!((cost.runs, cost.models[0].tokens.input_tokens), (0, 7));
    assert!(!cost.has_unknown_model_cost);
    let mut unknown = state(0.5);
    unknown["hasUnknownModelCost"] = json!(true);
    let costs = UsageTotals::load(self::totals(&log(&[unknown])).save());
    assert!(costs.unwrap().costs()[0].has_unknown_model_cost);
}

/// The cost of a part of a log without runs was dropped.
#[test]
fn the_cost_of_a_part_without_runs_is_kept() {
    let state = json!({"type": "cost-state", "sessionId": "s",
        "totalCostUSD": 0.5});
    let mut whole = totals(&log(&[said("m", 1, json!({"sessionId": "s"}))]));
    whole.append(totals(&log(&[state])));
    assert_eq!(whole.costs()[0].cost_usd, Some(0.5));
    assert_eq!(whole.costs()[0].runs, 1);
}

/// A sub-agent's log has the final count, and the `progress` line of its
/// caller has a placeholder. The one that was read last counted.
#[test]
fn a_line_of_its_own_counts_before_a_nested_message() {
    let line = |output| {
        said("m", output, json!({"isSidechain": true, "requestId": "r"}))
    };
    let [own, nested] = [line(427), progress(line(1))];
    let orders = [[own.clone(), nested.clone()], [nested, own]];
    for lines in orders {
        assert_eq!(output(&lines), (1, 427));
    }
}

/// A nested line with the final counts lost to the line of the sub-agent's own
/// log, which had the counts of the start.
#[test]
fn the_largest_counts_of_a_sub_agents_message_are_used() {
    let line = |output, at: &str| {
        let more = json!({"isSidechain": true, "requestId": "r",
            "timestamp": at});
        said("m", output, more)
    };
    let own = line(1, "2026-10-01T10:00:00Z");
    let nested = progress(line(400, "2026-10-01T10:00:05Z"));
    let orders = [[own.clone(), nested.clone()], [nested, own]];
    for lines in &orders {
        assert_eq!(output(lines), (1, 400));
        let [first, second] = lines;
        let mut whole = totals(&log(std::slice::from_ref(first)));
        whole.append(totals(&log(std::slice::from_ref(second))));
        assert_eq!(whole.total().tokens.output_tokens, 400);
    }
}

/// The messages of a session moved to its fork, so that the session had a cost
/// and no messages.
#[test]
fn a_message_belongs_to_the_session_that_it_was_written_in() {
    let first = said("msg_m", 7, json!({"sessionId": "first"}));
    let mut copy = said("msg_m", 1, json!({"sessionId": "fork"}));
    let resumed = [first.clone(), copy.clone()];
    assert_eq!(totals(&log(&resumed)).by_session()[0].name, Some("first"));
    copy["forkedFrom"] = json!({"sessionId": "first", "messageUuid": "u"});
    for lines in [[first.clone(), copy.clone()], [copy, first]] {
        let totals = totals(&log(&lines));
        let [session] = totals.by_session()[..] else { panic!() };
        assert_eq!(session.name, Some("first"));
        assert_eq!(session.tokens.output_tokens, 7);
    }
}

/// They were not counted.
#[test]
fn answers_of_an_advisor_count_for_its_model() {
    let line = |output: u64| {
        let mut line = said("m", 5, json!({"sessionId": "s"}));
        line["message"]["model"] = json!("sonnet");
        line["message"]["usage"]["iterations"] = json!([
            {"type": "message", "output_tokens": 5},
            {"type": "advisor_message", "model": "opus", "input_tokens": 70,
                "output_tokens": output},
        ]);
        line
    };
    // The later line of the same message replaces the earlier one.
    let totals = totals(&log(&[line(20), line(30)]));
    let models = totals.by_model();
    let models: Vec<_> = models
        .iter()
        .map(|m| (m.name, m.tokens.input_tokens, m.tokens.output_tokens))
        .collect();
    assert_eq!(models, [(Some("sonnet"), 0, 5), (Some("opus"), 70, 30)]);
    assert_eq!(totals.total().messages, 2);
}

/// A log that was read twice cost twice as much, if its costs did not only
/// grow: the first result of the copy was taken for a new process.
#[test]
fn a_copy_of_a_result_does_not_count() {
    let run = |uuid: Option<&str>, cost: f64| {
        let mut result = json!({"type": "result", "session_id": "s",
            "total_cost_usd": cost,
            "modelUsage": {"opus": {"costUSD": cost, "inputTokens": 7}}});
        if let Some(uuid) = uuid {
            result["uuid"] = json!(uuid);
        }
        [
            json!({"type": "system", "subtype": "init", "session_id": "s"}),
            said("m", 1, json!({"session_id": "s"})),
            result,
        ]
    };
    let cost = |lines: &[Value]| {
        let totals = totals(&log(lines));
        let [cost] = &totals.costs()[..] else { panic!("not one session") };
        let opus = cost.models[0];
        assert_eq!(opus.cost_usd, cost.cost_usd);
        (cost.runs, cost.results, cost.cost_usd.unwrap())
    };
    let once = [run(Some("a"), 0.25), run(Some("b"), 0.75)].concat();
    assert_eq!(cost(&once), (2, 2, 0.75));
    let twice = [once.clone(), once.clone()].concat();
    assert_eq!(cost(&twice), (2, 2, 0.75));
    // Each file is read on a thread of its own.
    let mut parts = totals(&log(&once));
    parts.append(totals(&log(&twice)));
    assert_eq!(parts.costs()[0].cost_usd, Some(0.75));
    assert_eq!((parts.costs()[0].runs, parts.costs()[0].results), (2, 2));
    // The copy in another file goes on where the first one ends.
    let longer = [once, twice, run(Some("c"), 1.0).to_vec()].concat();
    assert_eq!(cost(&longer), (3, 3, 1.0));
    // Another session may have the same uuid.
    let other = json!({"type": "result", "session_id": "t", "uuid": "a",
        "total_cost_usd": 0.5});
    let both = totals(&log(&[longer, vec![other]].concat()));
    assert_eq!(both.costs()[1].cost_usd, Some(0.5));
    // Without a uuid, nothing tells a copy from a second run.
    let once = [run(None, 0.25), run(None, 0.75)].concat();
    assert_eq!(cost(&[once.clone(), once].concat()), (4, 4, 1.5));
}

/// A session that was forked while the model wrote has the first lines of the
/// last message. The count on these lines was used, because they were last.
#[test]
fn a_copy_that_ends_within_a_message_does_not_count() {
    let line = |n: u64, second: u64| {
        let time = format!("2026-01-31T00:00:0{second}Z");
        said("msg_a", n, json!({"timestamp": time, "sessionId": "first"}))
    };
    let copy = |n, second| {
        let mut line = line(n, second);
        line["sessionId"] = json!("fork");
        line
    };
    let whole = [line(1, 1), line(427, 2)];
    assert_eq!(output(&[&whole[..], &[copy(1, 1)]].concat()), (1, 427));
    assert_eq!(output(&[&[copy(1, 1)], &whole[..]].concat()), (1, 427));
    // A count is the last one that is there, whichever line has it.
    let mut partial = line(0, 3);
    partial["message"]["usage"] = json!({"input_tokens": 5});
    let lines = [line(427, 2), partial, copy(1, 1)];
    let tokens = totals(&log(&lines)).total().tokens;
    assert_eq!((tokens.input_tokens, tokens.output_tokens), (5, 427));
}

/// A session whose first line is the user's had the working directory of the
/// first answer as its project, or none.
#[test]
fn the_project_is_the_working_directory_of_the_first_line() {
    let line = |kind: &str, folder: &str| {
        let mut line = said("m", 1, json!({"sessionId": "s", "cwd": folder}));
        line["type"] = json!(kind);
        line
    };
    let project = |lines: &[Value]| {
        let totals = totals(&log(lines));
        let message = totals.messages().next().unwrap();
        message.project.map(String::from)
    };
    let lines = [line("user", "/a"), line("assistant", "/b")];
    assert_eq!(project(&lines).as_deref(), Some("/a"));
    let lines = [line("attachment", "/a"), line("assistant", "/b")];
    assert_eq!(project(&lines).as_deref(), Some("/a"));
}

#[test]
fn token_sums_saturate() {
    let lines = [said("a", u64::MAX, json!({})), said("b", 2, json!({}))];
    assert_eq!(output(&lines), (2, u64::MAX));
}

fn any_line() -> impl Strategy<Value = Value> {
    let names = || prop::sample::select(vec!["a", "b", "c"]);
    let ids = prop::sample::select(vec!["a", "msg_b", "msg_c"]);
    let line = (ids, names(), any::<[bool; 6]>(), 0..9_u64, 0..6_u8);
    line.prop_map(|(id, name, flags, n, kind)| {
        let [side, request, timed, failed, uuid, empty] = flags;
        let mut line = said(id, n, json!({"sessionId": name}));
        let message = &mut line["message"];
        message["model"] = json!(name);
        message["usage"]["cache_creation"] =
            json!({"ephemeral_5m_input_tokens": n});
        match n {
            6 => message["usage"]["output_tokens"] = json!(n as f64),
            7 => message["usage"]["cache_creation_input_tokens"] = json!(0),
            _ => {}
        }
        if n % 3 == 1 {
            line["costUSD"] = json!(n as f64 / 8.0);
        }
        let message = &mut line["message"];
        if n > 4 {
            let kinds = ["message", "advisor_message", "advisor_message"];
            message["usage"]["iterations"] = kinds[..n as usize % 4]
                .iter()
                .map(|kind| {
                    json!({"type": kind, "model": id,
                    "output_tokens": n})
                })
                .collect();
        }
        // A line without tokens: an original or a copy, with or without a
        // model.
        if empty && n % 2 == 1 {
            message["usage"] = json!({"output_tokens": 0});
        }
        if n == 5 {
            message.as_object_mut().unwrap().remove("model");
        }
        let call = format!("call {id} {}", n % 3);
        match kind {
            0 => {
                line["type"] = json!("user");
                message_content(
                    &mut line,
                    json!({
                        "type": "tool_result", "tool_use_id": call,
                        "is_error": failed,
                    }),
                );
            }
            1 => message_content(
                &mut line,
                json!({
                    "type": "tool_use", "id": call, "name": name, "input": {},
                }),
            ),
            2 => _ = message.as_object_mut().unwrap().remove("usage"),
            4 => line["type"] = json!("result"),
            5 => {
                line["type"] = json!("system");
                line["subtype"] = json!("init");
            }
            _ if uuid => _ = message.as_object_mut().unwrap().remove("id"),
            _ => {}
        }
        line["isSidechain"] = json!(side);
        if request {
            line["requestId"] = json!(format!("r{}", n % 2));
        }
        if timed {
            line["timestamp"] = json!(format!("2026-01-0{}T00:00:00Z", n + 1));
        }
        line["uuid"] = json!(format!("u{n}"));
        if n % 4 == 1 {
            line["forkedFrom"] = json!({"sessionId": "a", "messageUuid": id});
        }
        if n % 3 == 0 {
            line["cwd"] = json!(format!("/{n}"));
            let text = "x".repeat(250 * n as usize);
            message_content(&mut line, json!({"type": "text", "text": text}));
        }
        line
    })
}

fn message_content(line: &mut Value, block: Value) {
    line["message"]["content"] = json!([block]);
}

/// Generates lines that contain another line.
fn any_nesting() -> impl Strategy<Value = Value> {
    let names = || prop::sample::select(vec!["a", "b", "c"]);
    (any_line(), any_line(), names(), 0..6_u8).prop_map(
        |(mut line, other, session, kind)| match kind {
            0 => json!({"type": "transcript_mirror", "entries": [
                line, 7, {"type": "progress", "data": {
                    "type": "agent_progress", "message": other}},
            ]}),
            // A message only if it has one.
            1 => json!({"type": "progress", "sessionId": session, "data": {
                "type": "workflow_progress", "message": line}}),
            2 => json!({"type": "progress", "sessionId": session, "data": {
                "type": "agent_progress", "message": "none"}}),
            3 => json!({"type": "progress", "sessionId": session, "data": {
                "type": "skill_progress", "message": line}}),
            kind => {
                for key in ["sessionId", "isSidechain"] {
                    line.as_object_mut().unwrap().remove(key);
                }
                let data = json!({"type": "agent_progress", "message": line});
                let mut line = json!({"type": "progress", "data": data});
                line["timestamp"] = json!("2026-01-31T00:00:00Z");
                if kind > 3 {
                    line["sessionId"] = json!(session);
                }
                line
            }
        },
    )
}

/// Generates lines of a stream: messages that are complete or have just begun,
/// events, results, and lines that are copied from another session.
fn any_streamed() -> impl Strategy<Value = Value> {
    let names = || prop::sample::select(vec!["a", "b", "msg_c"]);
    let flags = any::<[bool; 4]>();
    (any_line(), names(), names(), 0..9_u64, 0..9_u8, flags).prop_map(
        |(mut line, id, session, n, kind, [side, open, named, some])| {
            let usage = json!({"input_tokens": n / 3, "output_tokens": n,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0});
            let mut event = json!({"type": "stream_event",
                "session_id": session});
            if side {
                event["parent_tool_use_id"] = json!("t");
            }
            match kind {
                0 => {
                    event["event"] = json!({"type": "message_start",
                        "message": {"id": id, "usage": usage}});
                    event
                }
                1 | 2 => {
                    if named {
                        event["api_message_id"] = json!(id);
                    }
                    event["event"] =
                        json!({"type": "message_delta", "usage": usage});
                    if some {
                        event["event"]["usage"] = json!({"output_tokens": n});
                    }
                    event
                }
                3 => {
                    let models = json!({id: {"inputTokens": n * 9,
                        "outputTokens": n * 11, "costUSD": n as f64}});
                    let mut result = json!({"type": "result",
                        "session_id": session, "modelUsage": models,
                        "total_cost_usd": n as f64});
                    if some {
                        result["model_usage_since_last_result"] =
                            json!({id: {"outputTokens": n * 2}});
                    }
                    result
                }
                4 | 5 => {
                    line["requestSessionId"] = json!(session);
                    if open {
                        line["message"]["usage"] = json!({"input_tokens": 0,
                            "output_tokens": 0,
                            "cache_creation_input_tokens": 0,
                            "cache_read_input_tokens": 0,
                            "cache_creation": {
                                "ephemeral_5m_input_tokens": n}});
                    }
                    line
                }
                _ => {
                    for key in ["sessionId", "isSidechain"] {
                        line.as_object_mut().unwrap().remove(key);
                    }
                    line["session_id"] = json!(session);
                    line["message"]["id"] = json!(id);
                    if side {
                        line["parent_tool_use_id"] = json!("t");
                    }
                    if some {
                        line["message"]["usage"] = usage;
                    }
                    let stop = if open { Value::Null } else { json!("x") };
                    line["message"]["stop_reason"] = stop;
                    if n == 8 {
                        line["uuid"] = json!(id);
                    }
                    line
                }
            }
        },
    )
}

/// Generates costs of results, of sessions, and of a workflow's journal.
fn any_cost() -> impl Strategy<Value = Value> {
    let names = || prop::sample::select(vec!["a", "b", "c"]);
    (names(), names(), 0..9_u64, 0..9_u64, 0..4_u8).prop_map(
        |(session, model, n, part, kind)| {
            let (cost, part) = (n as f64 / 10.0, part as f64 / 7.0);
            let models = json!({model: {"costUSD": part, "inputTokens": n}});
            match kind {
                0 => json!({"type": "result", "key": model,
                    "sessionId": session, "total_cost_usd": cost}),
                1 => json!({"type": "cost-state", "sessionId": session,
                    "modelUsage": models}),
                2 if n > 5 => json!({"type": "cost-state",
                    "sessionId": session, "totalCostUSD": cost,
                    "startTime": 1,
                    "modelUsage": models, "totalDuration": n % 3}),
                2 => json!({"type": "cost-state", "sessionId": session,
                    "startTime": n % 2, "totalCostUSD": cost,
                    "modelUsage": models}),
                _ => json!({"type": "result", "session_id": session,
                    "total_cost_usd": cost, "modelUsage": models}),
            }
        },
    )
}

proptest! {
    #![proptest_config(texts::cases(256))]

    /// Totals equal those of the reference for any lines in any order.
    #[test]
    fn totals_agree_with_the_reference(
        lines in prop::collection::vec(
            prop_oneof![
                3 => any_line(),
                1 => any_nesting(),
                1 => any_cost(),
                2 => any_streamed(),
            ],
            0..40,
        ),
    ) {
        let log = log(&lines);
        let totals = totals(&log);
        prop_assert_eq!(Summary::of(&totals), naive(&log));

        // Groups are sums of messages, in the order of their first ones.
        let mut groups: Vec<GroupTotals<'_>> = vec![];
        for message in totals.messages() {
            let is_same = |group: &&mut GroupTotals<'_>| {
                group.session == message.session
                    && group.model == message.model
                    && group.day == message.day
                    && group.is_sidechain == message.is_sidechain
            };
            let group = match groups.iter_mut().find(is_same) {
                Some(group) => group,
                None => {
                    let mut group = GroupTotals::default();
                    group.session = message.session;
                    group.project = message.project;
                    group.model = message.model;
                    group.day = message.day;
                    group.is_sidechain = message.is_sidechain;
                    groups.push(group);
                    groups.last_mut().unwrap()
                }
            };
            group.messages += 1;
            group.tokens += message.tokens;
        }
        prop_assert_eq!(totals.groups(), groups);
    }
}

/// Generates lines that lack some fields, and events of an agent server.
fn any_part() -> impl Strategy<Value = Value> {
    let names = || prop::sample::select(vec!["a", "b", "c"]);
    let figures = prop::sample::select(vec![
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
    ]);
    let event = (names(), 0..3_i64, figures, 0..9_u64, 0..6_u8);
    let event =
        event.prop_map(|(name, session, figure, n, kind)| match kind {
            0 => json!({"TokenUpdate": {"session_id": session, "turn_id": 1,
            "input_tokens": n, "output_tokens": n + 1}}),
            1 => json!({"ToolExecuting": {"session_id": session, "turn_id": 1,
            "tool_use_id": format!("call {name} {n}"), "tool_name": name}}),
            2 => json!({"Complete": {"session_id": session, "turn_id": 1}}),
            3 => json!({"type": "result", "session_id": name,
            "total_cost_usd": n as f64 / 10.0,
            "modelUsage": {name: {"costUSD": n as f64 / 7.0,
            "inputTokens": n}}}),
            4 => json!({"type": "system", "subtype": "error", "isError": true,
            "parentUuid": format!("call {name} {}", n % 3)}),
            _ => {
                let mut line = said(name, n, json!({"sessionId": name}));
                line["message"]["usage"] = json!({figure: n});
                line
            }
        });
    prop_oneof![any_line(), event, any_nesting(), any_cost(), any_streamed()]
}

proptest! {
    #![proptest_config(texts::cases(256))]

    /// The parts of a log, summed separately and then merged in any grouping
    /// that keeps their order, give the totals of the whole log.
    #[test]
    fn appended_totals_equal_the_totals_of_all_lines(
        parts in prop::collection::vec(
            prop::collection::vec(any_part(), 0..12), 1..6,
        ),
        order in any::<[prop::sample::Index; 6]>(),
    ) {
        let everything = |totals: &UsageTotals| format!(
            "{:#?}", (
                totals.total(), totals.by_session(), totals.by_model(),
                totals.by_day(), totals.by_tool(), totals.costs(),
                totals.subagents(), totals.placeholders(),
                totals.unlogged(),
            ),
        );
        let whole = totals(&log(&parts.concat()));
        let mut parts: Vec<UsageTotals> =
            parts.iter().map(|lines| totals(&log(lines))).collect();
        for place in order {
            if parts.len() > 1 {
                let at = place.index(parts.len() - 1);
                let later = parts.remove(at + 1);
                parts[at].append(later);
            }
        }
        prop_assert_eq!(everything(&parts[0]), everything(&whole));
    }
}

#[test]
fn a_failed_result_before_its_call_counts() {
    // The lines of two writers are not always in order.
    let answer = json!({"type": "user", "message": {"content": [{
        "type": "tool_result", "tool_use_id": "t", "is_error": true,
    }]}});
    let mut call = said("m", 1, json!({}));
    let block = json!({"type": "tool_use", "id": "t", "name": "Read"});
    message_content(&mut call, block);
    let totals = totals(&log(&[answer, call]));
    assert_eq!(
        (totals.by_tool()[0].calls, totals.by_tool()[0].errors),
        (1, 1)
    );
}

#[test]
fn totals_of_real_logs_agree_with_the_reference() {
    for file in logs::corpus_files() {
        let text = String::from_utf8_lossy(&file);
        assert_eq!(Summary::of(&totals(&text)), naive(&text));
    }
}
