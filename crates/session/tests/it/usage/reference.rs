//! The reference implementation of usage: it keeps all lines, and looks
//! through them again and again.

use std::collections::{BTreeMap, BTreeSet};

use linetape_session::{Tokens, UsageTotals};
use serde_json::{Value, json};

/// Everything that is said, in a form that can be compared.
#[derive(Debug, Default, PartialEq)]
pub struct Summary {
    total: (u64, Tokens),
    sessions: BTreeMap<Option<String>, (u64, Tokens)>,
    models: BTreeMap<Option<String>, (u64, Tokens)>,
    days: BTreeMap<Option<String>, (u64, Tokens)>,
    /// Calls, errors, and what the messages used that call it.
    tools: BTreeMap<Option<String>, (u64, u64, u64, Tokens)>,
    /// Runs and results.
    runs: BTreeMap<Option<String>, (u64, u64)>,
}

impl Summary {
    pub fn of(totals: &UsageTotals) -> Summary {
        let groups = |groups: Vec<linetape_session::Totals<'_>>| {
            let count = groups.len();
            let group = |t: linetape_session::Totals<'_>| {
                (t.name.map(str::to_owned), (t.messages, t.tokens))
            };
            let map: BTreeMap<_, _> = groups.into_iter().map(group).collect();
            assert_eq!(map.len(), count, "a name is there twice");
            map
        };
        let total = totals.total();
        Summary {
            total: (total.messages, total.tokens),
            sessions: groups(totals.by_session()),
            models: groups(totals.by_model()),
            days: groups(totals.by_day()),
            tools: totals
                .by_tool()
                .into_iter()
                .map(|tool| {
                    let name = tool.name.map(str::to_owned);
                    let (calls, errors) = (tool.calls, tool.errors);
                    (name, (calls, errors, tool.messages, tool.tokens))
                })
                .collect(),
            runs: totals
                .costs()
                .into_iter()
                .map(|cost| {
                    let session = cost.session.map(str::to_owned);
                    (session, (cost.runs, cost.results))
                })
                .collect(),
        }
    }
}

/// The reference: lines are kept whole, and looked through again and again.
pub fn naive(log: &str) -> Summary {
    let lines: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(Value::is_object)
        .collect();
    let is = |line: &Value, name: &str| line["type"] == name;
    // The line that counts for each message.
    let mut messages: Vec<(Value, Value)> = vec![];
    for line in lines.iter().filter(|line| is(line, "assistant")) {
        if !line["message"]["usage"].is_object() {
            continue;
        }
        let key = message_key(line);
        let known =
            messages.iter_mut().find(|(k, _)| !k.is_null() && *k == key);
        match known {
            Some((_, old)) if is_sidechain(line) && !is_sidechain(old) => {}
            Some((_, old)) => {
                let is_alike = is_sidechain(line) == is_sidechain(old);
                let before = std::mem::replace(old, line.clone());
                // The only thing that some of these lines do not say.
                if old.get("timestamp").is_none() && is_alike {
                    old["timestamp"] = before["timestamp"].clone();
                }
            }
            None => messages.push((key, line.clone())),
        }
    }
    let mut summary = Summary::default();
    for (_, line) in &messages {
        let tokens = tokens(&line["message"]["usage"]);
        let add = |to: &mut (u64, Tokens)| {
            to.0 += 1;
            to.1 += tokens;
        };
        add(&mut summary.total);
        add(summary.sessions.entry(session(line)).or_default());
        let model = line["message"]["model"].as_str().map(str::to_owned);
        add(summary.models.entry(model).or_default());
        let day = line["timestamp"].as_str().map(|time| time[..10].to_owned());
        add(summary.days.entry(day).or_default());
    }
    // The first line with a call tells what it is.
    let mut calls: BTreeMap<String, (Option<String>, Value)> = BTreeMap::new();
    let mut failed = BTreeSet::new();
    let mut users: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for line in &lines {
        let blocks = line["message"]["content"].as_array();
        for block in blocks.into_iter().flatten() {
            let text = |key: &str| block[key].as_str().map(str::to_owned);
            if is(line, "assistant") && block["type"] == "tool_use" {
                let call = (text("name"), message_key(line));
                calls.entry(text("id").unwrap()).or_insert(call);
            }
            if is(line, "user")
                && block["type"] == "tool_result"
                && block["is_error"] == true
            {
                failed.insert(text("tool_use_id").unwrap());
            }
        }
    }
    for (id, (name, key)) in calls {
        let tool = summary.tools.entry(name.clone()).or_default();
        tool.0 += 1;
        tool.1 += u64::from(failed.contains(&id));
        let spent = messages.iter().find(|(known, _)| *known == key);
        let first = users.entry(name).or_default().insert(key.to_string());
        if let (Some((_, line)), true) = (spent, first) {
            tool.2 += 1;
            tool.3 += tokens(&line["message"]["usage"]);
        }
    }
    // A run ends with its result, and another begins with what comes next.
    let mut stories: BTreeMap<Option<String>, String> = BTreeMap::new();
    for line in &lines {
        let init = is(line, "system") && line["subtype"] == "init";
        let letter = match line["type"].as_str() {
            Some("assistant") => "a",
            Some("result") => "r",
            _ if init => "i",
            _ => continue,
        };
        stories.entry(session(line)).or_default().push_str(letter);
    }
    for (session, story) in stories {
        let results = story.matches('r').count();
        let mut runs = 0;
        let stories: Vec<&str> = story.split('r').collect();
        for (at, story) in stories.iter().enumerate() {
            let ended = at + 1 < stories.len();
            let parts = story.split('i').collect::<Vec<_>>();
            let (first, others) = parts.split_first().unwrap();
            let said = others.iter().filter(|part| !part.is_empty()).count();
            // The last that begins is one even if nothing was said.
            let last = others.last().is_some_and(|part| part.is_empty());
            let count = usize::from(!first.is_empty()) + said;
            let count = count + usize::from(last);
            runs += count.max(usize::from(ended));
        }
        summary.runs.insert(session, (runs as u64, results as u64));
    }
    summary
}

fn message_key(line: &Value) -> Value {
    match line["message"]["id"].as_str() {
        Some(id) => json!([id, line.get("requestId")]),
        None if line["uuid"].is_string() => line["uuid"].clone(),
        None => Value::Null,
    }
}

fn session(line: &Value) -> Option<String> {
    let id = line.get("sessionId").or(line.get("session_id"))?;
    id.as_str().map(str::to_owned)
}

fn is_sidechain(line: &Value) -> bool {
    line["isSidechain"] == true || line["parent_tool_use_id"].is_string()
}

fn tokens(usage: &Value) -> Tokens {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let (cache, tools) = (&usage["cache_creation"], &usage["server_tool_use"]);
    Tokens {
        input_tokens: count(&usage["input_tokens"]),
        output_tokens: count(&usage["output_tokens"]),
        cache_creation_input_tokens: count(
            &usage["cache_creation_input_tokens"],
        ),
        cache_read_input_tokens: count(&usage["cache_read_input_tokens"]),
        ephemeral_5m_input_tokens: count(&cache["ephemeral_5m_input_tokens"]),
        ephemeral_1h_input_tokens: count(&cache["ephemeral_1h_input_tokens"]),
        web_search_requests: count(&tools["web_search_requests"]),
        web_fetch_requests: count(&tools["web_fetch_requests"]),
    }
}
