//! Lines of small sessions, a digest of their turns, and a slow and simple
//! reference implementation of `Turns`. It keeps all lines and searches them
//! linearly.

use std::collections::BTreeSet;

use linetape_session::{Thread, Turns};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use crate::usage_reference;

/// 2026-01-01.
const BASE: i64 = 1_767_225_600_000;

/// Returns everything that `Turns` reports: for each turn `session/thread
/// prompt@line first..last` and so on, and for each of its calls
/// `id=name@line+time>line+time#group`, with `!` for an error.
pub fn digest(turns: &Turns) -> Vec<String> {
    let time = |at: Option<i64>| {
        at.map_or("?".to_string(), |at| (at - BASE).to_string())
    };
    let mut shown: Vec<String> = vec![];
    for turn in turns.turns() {
        let thread = match turn.thread() {
            Thread::Main => String::new(),
            Thread::Call(id) => format!("/call {id}"),
            Thread::Agent(id) => format!("/agent {id}"),
            Thread::Sidechain(uuid) => format!("/side {uuid}"),
            other => panic!("{other:?}"),
        };
        let calls = turn.calls().map(|call| {
            let answer = call.answered.map_or("-".to_string(), |at| {
                format!("{}+{}", at.line(), time(call.answered_at))
            });
            let bad = if call.is_error { "!" } else { "" };
            format!(
                "{}={}@{}+{}>{answer}{bad}#{}",
                call.id.unwrap_or("-"),
                call.name.unwrap_or("-"),
                call.position.line(),
                time(call.called_at),
                call.group
            )
        });
        let calls: Vec<_> = calls.collect();
        let mut out = format!(
            "{}{thread} {}@{} {}..{} m{}",
            turn.session().unwrap_or("-"),
            turn.prompt().map_or("-".into(), |at| at.line().to_string()),
            turn.position().line(),
            time(turn.started_at()),
            time(turn.ended_at()),
            turn.messages(),
        );
        if turn.errors() > 0 {
            out += &format!(" e{}", turn.errors());
        }
        if turn.is_interrupted() {
            out += " interrupted";
        }
        if let Some(stated) = turn.stated_duration() {
            out += &format!(" {stated}ms");
        }
        if let Some(result) = turn.result() {
            let bad = if result.is_error { "!" } else { "" };
            let (at, kind) = (result.position.line(), result.subtype);
            out += &format!(" {}{bad}@{at}", kind.unwrap_or("-"));
        }
        if !calls.is_empty() {
            out += &format!(": {}", calls.join(", "));
        }
        shown.push(out);
    }
    let unasked: Vec<_> = turns.unasked().iter().map(|at| at.line()).collect();
    if !unasked.is_empty() {
        shown.push(format!("unasked {unasked:?}"));
    }
    let calls = turns.turns().flat_map(|turn| turn.calls());
    let waiting = calls.filter(|call| call.answered.is_none());
    assert!(turns.unanswered().eq(waiting));
    shown
}

// ---- lines -----------------------------------------------------------------

/// Adds missing timestamps and session ids to lines: line 3 was written in
/// second 3 of 2026, in session `s`. Members that are `null` are removed.
pub fn log(lines: &[Value]) -> String {
    let mut log = String::new();
    for (at, line) in lines.iter().enumerate() {
        let mut line = line.as_object().unwrap().clone();
        let is_typed = line.contains_key("type");
        let time = format!("2026-01-01T00:00:{:02}Z", at + 1);
        for (key, value) in
            [("timestamp", json!(time)), ("sessionId", json!("s"))]
        {
            if is_typed && !line.contains_key(key) {
                line.insert(key.to_string(), value);
            }
        }
        line.retain(|_, value| !value.is_null());
        log += &(Value::Object(line).to_string() + "\n");
    }
    log
}

pub fn with(mut line: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

pub fn user(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

pub fn said(id: &str) -> Value {
    let text = json!({"type": "text", "text": "Well."});
    json!({"type": "assistant", "message": {"id": id, "content": [text]}})
}

pub fn calls(message: &str, ids: &[&str]) -> Value {
    let mut line = said(message);
    let block =
        |id: &&str| json!({"type": "tool_use", "id": id, "name": "Read"});
    line["message"]["content"] = ids.iter().map(block).collect();
    line
}

pub fn answers(ids: &[&str]) -> Value {
    let mut line = user("");
    let block = |id: &&str| {
        let failed = id.starts_with('!');
        let id = id.trim_start_matches('!');
        json!({"type": "tool_result", "tool_use_id": id, "is_error": failed})
    };
    line["message"]["content"] = ids.iter().map(block).collect();
    line
}

/// Returns a line in the early transcript format: the message is a string, and
/// calls are identified by the uuids of their lines.
pub fn spec(kind: &str, uuid: &str, parent: &str) -> Value {
    let (name, subtype) = kind.split_once('/').unwrap_or((kind, ""));
    let subtype = Some(subtype).filter(|subtype| !subtype.is_empty());
    let tool = (subtype == Some("tool_use")).then_some("Write");
    let text = tool.is_none().then_some("Hm.");
    json!({"type": name, "subtype": subtype, "uuid": uuid, "message": text,
        "parentUuid": parent, "toolName": tool})
}

/// Returns an object with its members in another order.
pub fn shuffled(value: &Value, seed: &mut usize) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members
                .iter()
                .map(|(key, value)| {
                    format!("{}:{}", json!(key), shuffled(value, seed))
                })
                .collect();
            for at in (1..members.len()).rev() {
                *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
                members.swap(at, (*seed >> 33) % (at + 1));
            }
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<_> =
                items.iter().map(|item| shuffled(item, seed)).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}

fn any_line() -> impl Strategy<Value = Value> {
    let id = || (0..6u8).prop_map(|n| format!("t{n}"));
    let ids = vec(id(), 1..3);
    let what =
        (0..16u8, ids, 0..4u8, any::<bool>(), prop::bool::weighted(0.2));
    let place = (any::<bool>(), 0..8u8, 0..30u8, 0..60u8);
    (what, place).prop_map(|((kind, ids, number, yes, nested), (other, side, up, second))| {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let id = format!("m{number}");
        let mut line = match kind {
            0 | 1 => user("Go"),
            2 => with(user("Hm"), json!({"isMeta": yes})),
            3 => with(user("So"), json!({"isCompactSummary": true})),
            4 => user("[Request interrupted by user]"),
            5 => said(&id),
            6 | 7 => calls(&id, &ids),
            8 | 9 => answers(&ids),
            10 => spec("assistant/tool_use", "", ""),
            11 => spec("system/tool_result", "", ""),
            12 => with(spec("system/error", "", ""), json!({"isError": true})),
            13 if yes => json!({"type": "result", "subtype": "success", "duration_ms": 1.5}),
            13 => json!({"type": "system", "subtype": "init"}),
            14 => json!({"type": "attachment", "attachment":
                {"type": "queued_command", "prompt": "And?"}}),
            _ => json!({"type": "stream_event", "event":
                {"type": "message_start", "message": {"id": id}}}),
        };
        if nested {
            line["uuid"] = json!(id);
            line = json!({"type": "progress", "parentToolUseID": ids[0],
                "data": {"type": "agent_progress", "message": line}});
            if yes {
                line["data"]["agentId"] = json!("a");
            }
        }
        line["sessionId"] = json!(if other { "r" } else { "s" });
        line["parentUuid"] = json!(format!("u{up}"));
        match side {
            0 => line["parent_tool_use_id"] = json!("t1"),
            1 | 2 => line["isSidechain"] = json!(true),
            _ => {}
        }
        if side == 1 {
            line["agentId"] = json!("a");
        }
        let time = format!("2026-01-01T00:00:{second:02}Z");
        line["timestamp"] = if second > 50 { json!("later") } else { json!(time) };
        line
    })
}

/// Generates lines with uuids, so that one can be the parent of another.
pub fn any_log() -> impl Strategy<Value = String> {
    vec(any_line(), 0..40).prop_map(|lines| {
        let lines = lines.into_iter().enumerate();
        let named = lines
            .map(|(at, line)| with(line, json!({"uuid": format!("u{at}")})));
        log(&named.collect::<Vec<_>>())
    })
}

// ---- the reference --------------------------------------------------------------

#[derive(Default)]
struct NaiveTurn {
    place: (Option<String>, String),
    prompt: Option<usize>,
    line: usize,
    times: Vec<i64>,
    messages: BTreeSet<String>,
    errors: u64,
    interrupted: bool,
    ending: String,
    is_over: bool,
    calls: Vec<NaiveCall>,
}

#[derive(Default)]
struct NaiveCall {
    id: String,
    name: String,
    line: usize,
    at: Option<i64>,
    message: String,
    /// The number of calls and results of all turns before it.
    order: usize,
    answer: Option<(usize, Option<i64>, bool)>,
    answer_order: usize,
}

#[derive(Default)]
struct Naive {
    turns: Vec<NaiveTurn>,
    unasked: Vec<usize>,
    order: usize,
}

impl Naive {
    fn open(&self, place: &(Option<String>, String)) -> Option<usize> {
        self.turns
            .iter()
            .rposition(|turn| turn.place == *place)
            .filter(|at| !self.turns[*at].is_over)
    }

    /// Returns the open turn, or begins one.
    fn turn(&mut self, here: &NaiveHere) -> &mut NaiveTurn {
        let at = self.open(&here.place).unwrap_or_else(|| {
            self.begin(here, None);
            self.turns.len() - 1
        });
        self.turns[at].times.extend(here.at);
        &mut self.turns[at]
    }

    fn begin(&mut self, here: &NaiveHere, prompt: Option<usize>) {
        let (place, line) = (here.place.clone(), here.line);
        let times = here.at.into_iter().collect();
        let turn =
            NaiveTurn { place, prompt, line, times, ..Default::default() };
        self.turns.push(turn);
    }

    fn call(&mut self, here: &NaiveHere, [id, name]: [&Value; 2], by: &str) {
        self.order += 1;
        let order = self.order;
        if self.find(here, id).is_none() {
            let [id, name] =
                [id, name].map(|v| v.as_str().unwrap_or("-").to_string());
            let (line, at, message) = (here.line, here.at, by.to_string());
            let call = NaiveCall {
                id,
                name,
                line,
                at,
                message,
                order,
                ..Default::default()
            };
            self.turn(here).calls.push(call);
        }
    }

    fn find(
        &mut self,
        here: &NaiveHere,
        id: &Value,
    ) -> Option<&mut NaiveCall> {
        let session = &here.place.0;
        let turns = self.turns.iter_mut().filter(|t| t.place.0 == *session);
        turns.flat_map(|turn| &mut turn.calls).find(|call| *id == *call.id)
    }

    fn answer(&mut self, here: &NaiveHere, id: &Value, failed: bool) {
        self.order += 1;
        let order = self.order;
        match self.find(here, id) {
            None => self.unasked.push(here.line),
            Some(call) if call.answer.is_some() => {}
            Some(call) => {
                call.answer = Some((here.line, here.at, failed));
                call.answer_order = order;
            }
        }
    }

    fn add(&mut self, here: &NaiveHere, value: &Value) {
        let message = &value["message"];
        let mut blocks: Vec<Value> =
            message["content"].as_array().cloned().unwrap_or_default();
        let bare = message.as_str().or(message["content"].as_str());
        blocks.extend(bare.map(|text| json!({"type": "text", "text": text})));
        let id = message["id"].as_str().or(value["uuid"].as_str());
        // A message without any id is a separate message.
        let id = id.map_or(format!("line {}", here.line), str::to_string);
        let failed = value["isError"] == true;
        let subtype = value["subtype"].as_str().unwrap_or("");
        let kind = value["type"].as_str().unwrap_or("");
        if let "user" | "assistant" = kind {
            for block in blocks.iter().filter(|b| b["type"] == "tool_result") {
                let failed = block["is_error"] == true;
                self.turn(here);
                self.answer(here, &block["tool_use_id"], failed);
            }
        }
        match (kind, subtype) {
            ("user", _) => {
                let mut texts =
                    blocks.iter().filter_map(|b| b["text"].as_str());
                if texts.any(|text| {
                    text.starts_with("[Request interrupted by user")
                }) {
                    if self.open(&here.place).is_some() {
                        self.turn(here).interrupted = true;
                    }
                } else if !blocks.is_empty()
                    && blocks.iter().all(|b| b["type"] != "tool_result")
                    && !blocks[0]["text"]
                        .as_str()
                        .is_some_and(|t| t.starts_with("<local-command-std"))
                    && value["isMeta"] != true
                    && value["isCompactSummary"] != true
                {
                    self.begin(here, Some(here.line));
                }
            }
            ("assistant", _) => {
                let turn = self.turn(here);
                turn.messages.insert(id.clone());
                turn.errors += u64::from(failed || subtype == "error");
                let mut calls: Vec<[&Value; 2]> = blocks
                    .iter()
                    .filter(|b| b["type"] == "tool_use")
                    .map(|b| [&b["id"], &b["name"]])
                    .collect();
                if calls.is_empty() && subtype == "tool_use" {
                    calls.push([&value["uuid"], &value["toolName"]]);
                }
                for call in calls {
                    self.call(here, call, &id);
                }
            }
            ("stream_event", _)
                if value["event"]["type"] == "message_start" =>
            {
                let id = &value["event"]["message"]["id"];
                let id = id.as_str().unwrap_or("none").to_string();
                self.turn(here).messages.insert(id);
            }
            ("attachment", _) => self.begin(here, Some(here.line)),
            ("result", _) => {
                let bad = failed
                    || value["is_error"] == true
                    || subtype.starts_with("error");
                let turn = self.turn(here);
                turn.is_over = true;
                if let Some(time) = value["duration_ms"].as_f64() {
                    turn.ending += &format!(" {time}ms");
                }
                let subtype = value["subtype"].as_str().unwrap_or("-");
                let bad = if bad { "!" } else { "" };
                turn.ending += &format!(" {subtype}{bad}@{}", here.line);
            }
            ("system", "turn_duration") => {
                if let Some(at) = self.open(&here.place) {
                    let stated = value["durationMs"].as_f64().unwrap();
                    self.turns[at].ending = format!(" {stated}ms");
                }
            }
            ("system", "init") => {
                if let Some(at) = self.open(&here.place) {
                    let turn = &mut self.turns[at];
                    turn.is_over = !turn.messages.is_empty();
                }
            }
            ("system", _) => {
                let parent = self.find(here, &value["parentUuid"]);
                let parent = parent.filter(|call| call.answer.is_none());
                let mut call = parent.map(|call| call.id.clone());
                if subtype == "tool_result" {
                    let calls = &self.turn(here).calls;
                    let oldest = calls.iter().find(|c| c.answer.is_none());
                    call = call.or(oldest.map(|call| call.id.clone()));
                    self.answer(here, &json!(call), failed);
                } else if !failed && subtype != "error" {
                } else if let Some(call) = call {
                    self.turn(here);
                    self.answer(here, &json!(call), true);
                } else if let Some(at) = self.open(&here.place) {
                    self.turns[at].errors += 1;
                }
            }
            _ => {}
        }
    }

    fn digest(&self) -> Vec<String> {
        let time = |at: Option<&i64>| {
            at.map_or("?".to_string(), |at| (at - BASE).to_string())
        };
        let mut shown = vec![];
        for turn in &self.turns {
            let session = turn.place.0.as_deref().unwrap_or("-");
            let prompt =
                turn.prompt.map_or("-".to_string(), |p| p.to_string());
            let (first, last) =
                (turn.times.iter().min(), turn.times.iter().max());
            let mut out = format!(
                "{session}{} {prompt}@{} {}..{} m{}",
                turn.place.1,
                turn.line,
                time(first),
                time(last),
                turn.messages.len()
            );
            if turn.errors > 0 {
                out += &format!(" e{}", turn.errors);
            }
            out += if turn.interrupted { " interrupted" } else { "" };
            out += &turn.ending;
            let mut groups: Vec<Vec<&NaiveCall>> = vec![];
            for call in &turn.calls {
                let joins = groups.last().is_some_and(|group| {
                    group.last().unwrap().message == call.message
                        || group.iter().all(|other| {
                            other.answer.is_none()
                                || other.answer_order > call.order
                        })
                });
                match groups.last_mut() {
                    Some(group) if joins => group.push(call),
                    _ => groups.push(vec![call]),
                }
                let answer =
                    call.answer.map_or("-".to_string(), |(line, at, bad)| {
                        let bad = if bad { "!" } else { "" };
                        format!("{line}+{}{bad}", time(at.as_ref()))
                    });
                let sign =
                    if call.order == turn.calls[0].order { ":" } else { "," };
                out += &format!(
                    "{sign} {}={}@{}+{}>{answer}#{}",
                    call.id,
                    call.name,
                    call.line,
                    time(call.at.as_ref()),
                    groups.len() - 1
                );
            }
            shown.push(out);
        }
        if !self.unasked.is_empty() {
            shown.push(format!("unasked {:?}", self.unasked));
        }
        shown
    }
}

struct NaiveHere {
    place: (Option<String>, String),
    line: usize,
    at: Option<i64>,
}

/// Returns the turns of a log in the format of `digest`.
pub fn naive(log: &str) -> Vec<String> {
    let lines: Vec<(usize, Value)> = (1..)
        .zip(log.lines())
        .filter_map(|(at, line)| Some((at, serde_json::from_str(line).ok()?)))
        .flat_map(|(at, line): (usize, Value)| {
            let nested = nested(&line);
            [Some(line), nested].into_iter().flatten().map(move |l| (at, l))
        })
        .collect();
    let mut naive = Naive::default();
    for (line, value) in &lines {
        let place = naive_place(&lines, *line, value);
        let here = NaiveHere { place, line: *line, at: naive_time(value) };
        naive.add(&here, value);
    }
    naive.digest()
}

/// Returns the message of a sub-agent in a `progress` line as a line of its
/// own.
fn nested(line: &Value) -> Option<Value> {
    let mut message = usage_reference::subagent_message(line)?.clone();
    let data = &line["data"];
    message["isSidechain"] = json!(true);
    message["sessionId"] = line["sessionId"].clone();
    let agents = [&data["agentId"], &line["agentId"]];
    if let Some(agent) = agents.into_iter().find(|agent| agent.is_string()) {
        message["agentId"] = agent.clone();
        message["parent_tool_use_id"] = Value::Null;
    } else {
        message["parent_tool_use_id"] = line["parentToolUseID"].clone();
    }
    if !message["timestamp"].is_string() {
        message["timestamp"] = line["timestamp"].clone();
    }
    Some(message)
}

fn naive_place(
    lines: &[(usize, Value)],
    at: usize,
    line: &Value,
) -> (Option<String>, String) {
    let session = line["sessionId"].as_str().or(line["session_id"].as_str());
    let session = session.map(str::to_string);
    let thread = match (&line["parent_tool_use_id"], &line["agentId"]) {
        (Value::String(call), _) => format!("/call {call}"),
        _ if line["isSidechain"] != true => String::new(),
        (_, Value::String(agent)) => format!("/agent {agent}"),
        _ => {
            let above = lines.iter().rfind(|(other, above)| {
                *other < at
                    && above["uuid"].is_string()
                    && above["uuid"] == line["parentUuid"]
                    && above["sessionId"] == line["sessionId"]
                    && above["isSidechain"] == true
                    && above["agentId"].is_null()
                    && above["parent_tool_use_id"].is_null()
            });
            match above {
                Some((other, above)) => {
                    return naive_place(lines, *other, above);
                }
                None => {
                    format!("/side {}", line["uuid"].as_str().unwrap_or(""))
                }
            }
        }
    };
    (session, thread)
}

/// Parses a timestamp in UTC, counting the days since 1970 one by one.
fn naive_time(line: &Value) -> Option<i64> {
    let time = line["timestamp"].as_str()?;
    let digits: String = time.chars().filter(char::is_ascii_digit).collect();
    let form = time.replace(|c: char| c.is_ascii_digit(), "0");
    let (day, clock) = ("0000-00-00", "T00:00:00");
    if !["", ".000"].iter().any(|ms| form == format!("{day}{clock}{ms}Z")) {
        return None;
    }
    let digits = format!("{digits:0<17}");
    let n = |from, to| digits[from..to].parse::<i64>().unwrap();
    let (year, month, day) = (n(0, 4), n(4, 6) as usize, n(6, 8));
    let (mut y, mut m, mut d, mut days) = (1970, 1, 1, 0);
    while (y, m, d) < (year, month, day) {
        let leaps = y % 4 == 0 && y % 100 != 0 || y % 400 == 0;
        let february = 28 + i64::from(leaps);
        let last = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        (days, d) = (days + 1, d + 1);
        if d > last[m - 1] {
            (m, d) = (m + 1, 1);
        }
        if m > 12 {
            (y, m) = (y + 1, 1);
        }
    }
    let seconds = days * 86_400 + n(8, 10) * 3600 + n(10, 12) * 60 + n(12, 14);
    Some(seconds * 1000 + n(14, 17))
}
