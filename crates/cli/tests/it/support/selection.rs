//! The reference implementation of `select`.

use std::{collections::HashSet, process::Output};

use serde_json::Value;

use crate::support::{linetape, reference::Record, usage};

/// The filters of a command line.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub types: Vec<String>,
    pub sessions: Vec<String>,
    pub tools: Vec<String>,
    pub roles: Vec<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    pub texts: Vec<String>,
    pub invert: bool,
}

impl Filter {
    pub fn of_type(name: &str) -> Filter {
        Filter::default().or(name)
    }

    pub fn or(mut self, name: &str) -> Filter {
        self.types.push(name.to_string());
        self
    }

    pub fn and_session(mut self, id: &str) -> Filter {
        self.sessions.push(id.to_string());
        self
    }

    pub fn inverted(self) -> Filter {
        Filter { invert: !self.invert, ..self }
    }

    /// Returns the arguments for the command line.
    pub fn arguments(&self) -> Vec<&str> {
        let mut arguments = vec![];
        for (name, values) in [
            ("--type", &self.types),
            ("--session", &self.sessions),
            ("--tool", &self.tools),
            ("--role", &self.roles),
            ("--contains", &self.texts),
        ] {
            arguments.extend(values.iter().flat_map(|value| [name, value]));
        }
        for (name, time) in
            [("--since", &self.since), ("--until", &self.until)]
        {
            arguments.extend(time.iter().flat_map(|time| [name, time]));
        }
        if self.invert {
            arguments.push("--invert");
        }
        arguments
    }

    pub fn run(&self, paths: &[&str], input: &[u8]) -> Output {
        let mut arguments = vec!["select"];
        arguments.extend(self.arguments());
        arguments.extend(paths);
        linetape(&arguments, input)
    }

    /// Returns the lines that match.
    pub fn select(&self, records: &[Record<'_>]) -> Vec<u8> {
        let mut calls = HashSet::new();
        let mut selected = vec![];
        for record in records {
            let of_tool = self.is_of_tool(record, &mut calls);
            let wanted = (self.tools.is_empty() || of_tool)
                && is_any(&self.types, |name| record.names.contains(name))
                && is_any(&self.sessions, |id| {
                    record.session.as_ref() == Some(id)
                })
                && is_any(&self.roles, |name| {
                    role(record).as_ref() == Some(name)
                })
                && self.is_in_time(&record.object)
                && is_any(&self.texts, |text| contains(&record.object, text));
            if wanted != self.invert {
                selected.extend_from_slice(record.line);
                selected.push(b'\n');
            }
        }
        selected
    }

    fn is_of_tool(
        &self,
        record: &Record<'_>,
        known: &mut HashSet<String>,
    ) -> bool {
        let mut calls = calls(record);
        calls.retain(|(tool, _)| self.tools.contains(tool));
        let is_call = !calls.is_empty();
        known.extend(calls.into_iter().filter_map(|(_, id)| id));
        is_call || answered(record).iter().any(|id| known.contains(id))
    }

    /// Times in the same format are sorted like strings.
    fn is_in_time(&self, line: &Value) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let time = line["timestamp"].as_str().map(with_fraction);
        let since = self.since.as_deref().map(with_fraction);
        let until = self.until.as_deref().map(with_fraction);
        time.is_some_and(|time| {
            since.is_none_or(|since| since <= time)
                && until.is_none_or(|until| match until.len() {
                    10 => time[..10] <= *until,
                    _ => time < until,
                })
        })
    }
}

/// Returns a time with milliseconds, or a date.
fn with_fraction(time: &str) -> String {
    match time.len() {
        10 => time.to_string(),
        20 => time.replace('Z', ".000Z"),
        24 if time.ends_with('Z') => time.to_string(),
        _ => panic!("unsupported time: {time}"),
    }
}

fn is_any(values: &[String], test: impl Fn(&String) -> bool) -> bool {
    values.is_empty() || values.iter().any(test)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_string)
}

fn blocks<'r>(record: &'r Record<'_>) -> impl Iterator<Item = &'r Value> {
    let name = record.names.first().map_or("", |name| name);
    let talks = ["user", "assistant", "system", "compact_system"];
    let content = record.object["message"]["content"].as_array();
    let content = content.filter(|_| talks.contains(&name));
    content.into_iter().flatten()
}

fn is_call(block: &Value) -> bool {
    let kind = block["type"].as_str().unwrap_or_default();
    ["tool_use", "server_tool_use", "mcp_tool_use"].contains(&kind)
}

/// Returns the tools that a line calls, and the ids of the calls.
pub fn calls(record: &Record<'_>) -> Vec<(String, Option<String>)> {
    let line = &record.object;
    let mut calls = vec![];
    let mut add = |tool: &Value, id: &Value| {
        calls.extend(text(tool).map(|tool| (tool, text(id))));
    };
    blocks(record).filter(|b| is_call(b)).for_each(|b| {
        add(&b["name"], &b["id"]);
    });
    if line["type"] == "assistant" {
        let old = line.get("tool_name").filter(|name| name.is_string());
        add(old.unwrap_or(&line["toolName"]), &line["uuid"]);
    }
    let event = &line["ToolExecuting"];
    if record.names == ["ToolExecuting"] {
        add(&event["tool_name"], &event["tool_use_id"]);
    }
    calls.extend(nested(record).iter().flat_map(self::calls));
    calls
}

/// Returns the message of a sub-agent inside of a progress line.
fn nested<'a>(record: &Record<'a>) -> Option<Record<'a>> {
    let object = usage::subagent_message(&record.object)?.clone();
    Some(Record {
        line: record.line,
        names: text(&object["type"]).into_iter().collect(),
        session: record.session.clone(),
        object,
    })
}

/// Returns the ids of the calls that a line can have the results of.
fn answered(record: &Record<'_>) -> Vec<String> {
    let line = &record.object;
    let results = blocks(record).filter(|block| !is_call(block));
    let mut ids: Vec<&Value> = results.map(|b| &b["tool_use_id"]).collect();
    if line["type"] == "system" {
        let failed = line["isError"] == true
            || line["isApiErrorMessage"] == true
            || line["subtype"] == "error"
            || line["subtype"] == "api_error";
        if line["subtype"] == "tool_result" {
            let old = line.get("tool_use_id").filter(|id| id.is_string());
            ids.push(old.unwrap_or(&line["toolUseID"]));
            ids.push(&line["parentUuid"]);
        } else if failed {
            ids.push(&line["parentUuid"]);
        }
    }
    if record.names == ["ToolCompleted"] {
        ids.push(&line["ToolCompleted"]["tool_use_id"]);
    }
    let mut ids: Vec<String> = ids.into_iter().filter_map(text).collect();
    ids.extend(nested(record).iter().flat_map(answered));
    ids
}

/// Returns the role of a line.
pub fn role(record: &Record<'_>) -> Option<String> {
    let line = &record.object;
    if let Some(stated) = text(&line["message"]["role"]) {
        return Some(stated);
    }
    let name = record.names.first()?.as_str();
    let turn = match name {
        "user" | "assistant" | "system" => return Some(name.to_string()),
        "input" => &line["turn_id"],
        "TextChunk" | "Complete" => &line[name]["turn_id"],
        _ => return None,
    };
    // A record with the type `Complete` is not an agent-server event.
    let is_typed = line["type"].is_string();
    let role = text(&turn["role"]).filter(|_| !is_typed)?;
    Some(match role.as_str() {
        "User" | "Assistant" => role.to_lowercase(),
        _ => role,
    })
}

/// Returns whether a text is in a string or a key.
fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| contains(item, text)),
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| key.contains(text) || contains(value, text)),
        _ => false,
    }
}
