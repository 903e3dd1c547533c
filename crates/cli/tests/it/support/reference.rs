//! Reference implementations on serde_json: records and usage.

use std::collections::BTreeMap;

use linetape::message::server::UiEvent;
use serde_json::{Map, Value, json};

use super::usage::{self, COUNTS, Name, Sum, Tool, Usage, Used};

/// A valid line.
pub struct Record<'a> {
    pub line: &'a [u8],
    /// Its type, and `type/subtype` if there is a subtype.
    pub names: Vec<String>,
    pub session: Option<String>,
    pub object: Value,
}

/// Returns the valid lines of a log, and the number of invalid ones.
pub fn records(log: &[u8]) -> (Vec<Record<'_>>, usize) {
    let (mut records, mut bad) = (vec![], 0);
    for line in log.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(|byte| b" \t\r".contains(byte)) {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(object) => records.push(record(line, &object)),
            Err(_) => bad += 1,
        }
    }
    (records, bad)
}

fn record<'a>(line: &'a [u8], object: &Map<String, Value>) -> Record<'a> {
    let text = |key| object.get(key).and_then(Value::as_str);
    let has = |keys: &[&str]| keys.iter().all(|&key| object.contains_key(key));
    let number = |object: &Map<String, Value>| {
        object.get("session_id")?.as_i64().map(|id| id.to_string())
    };
    let of_a_server = |name: &str, body| {
        let (names, session) = (vec![name.to_string()], number(body));
        Record { line, names, session, object: json!(object) }
    };

    let name = text("type");
    if name.is_none() && !has(&["event_type", "data"]) {
        let mut members = object.iter();
        if let (Some((key, Value::Object(body))), None) =
            (members.next(), members.next())
            && UiEvent::KINDS.contains(&key.as_str())
        {
            return of_a_server(key, body);
        }
        if has(&["session_id", "content", "turn_id"]) {
            return of_a_server("input", object);
        }
    }
    let mut names: Vec<String> =
        name.map(str::to_string).into_iter().collect();
    if let (Some(name), Some(subtype)) = (name, text("subtype")) {
        names.push(format!("{name}/{subtype}"));
    }
    let object = json!(object);
    Record { line, names, session: usage::session(&object), object }
}

/// The row of what results report, and no message has.
pub const IN_NO_MESSAGE: &str = "reported, in no message";

/// Adds the token counts, as the command prints them.
fn counted(mut object: Value, sum: &Sum) -> Value {
    for ((name, _), count) in COUNTS.iter().zip(sum.counts).take(4) {
        object[name] = count.into();
    }
    object
}

/// The usage and cost of logs, as the command prints them.
#[derive(Default)]
pub struct Spending(Usage);

impl Spending {
    pub fn add(&mut self, record: &Record<'_>) {
        let object = &record.object;
        match record.names.first() {
            Some(name) if object["type"].is_null() => {
                self.0.add_event(name, &record.session, &object[name]);
            }
            _ => self.0.add(object),
        }
    }

    pub fn usage(&self) -> Value {
        counted(json!({}), &self.0.total())
    }

    pub fn subagents(&self) -> Value {
        let sum = self.0.subagents();
        counted(json!({"messages": sum.messages}), &sum)
    }

    pub fn placeholders(&self) -> u64 {
        self.0.placeholders()
    }

    pub fn messages(&self) -> u64 {
        self.0.total().messages
    }

    pub fn cost(&self) -> Value {
        self.0.costs().into_values().reduce(|a, b| a + b).into()
    }

    /// Adds the usage of models as the agent reports it, if it does.
    pub fn with_reported(&self, mut report: Value) -> Value {
        let costs = self.0.model_costs();
        let row = |(name, counts): (String, [u64; 4])| {
            let [input, output, written, read] = counts;
            let cost = costs.get(&Some(name.clone()));
            json!({
                "name": name,
                "cost_usd": cost,
                "input_tokens": input,
                "output_tokens": output,
                "cache_creation_input_tokens": written,
                "cache_read_input_tokens": read,
            })
        };
        let models: Vec<Value> =
            self.0.reported().into_iter().map(row).collect();
        if !models.is_empty() {
            report["reported_models"] = models.into();
        }
        let unlogged = self.unlogged();
        if unlogged != Sum::default() {
            report["reported_in_no_message"] = counted(json!({}), &unlogged);
        }
        report
    }

    /// Returns the rows by `model`, `session`, `project`, `day`, `month` or
    /// `tool`.
    pub fn rows(&self, by: &str) -> Vec<Value> {
        let project = |session: &Name| self.0.project(session);
        let costs = match by {
            "tool" => return self.tools(),
            "model" => {
                // `opus[1m]` is `opus` in messages.
                let used = self.0.groups(|used| used.model.clone());
                let mut costs: BTreeMap<Name, f64> = BTreeMap::new();
                for (name, cost) in self.0.model_costs() {
                    let base = name.as_deref().and_then(|name| {
                        name.strip_suffix(']')?.rsplit_once('[')
                    });
                    let base = base.map(|(base, _)| Some(base.to_string()));
                    let base = base.filter(|base| {
                        used.contains_key(base) && !used.contains_key(&name)
                    });
                    *costs.entry(base.unwrap_or(name)).or_default() += cost;
                }
                costs
            }
            "session" => self.0.costs(),
            "project" => {
                // A session without messages is in no project.
                let mut costs: BTreeMap<Name, f64> = BTreeMap::new();
                for (session, cost) in self.0.costs() {
                    let mut used = self.0.messages();
                    let is_used = used.any(|used| used.session == session);
                    let project = project(&session).filter(|_| is_used);
                    *costs.entry(project).or_default() += cost;
                }
                costs
            }
            _ => BTreeMap::new(),
        };
        let name = |used: &Used| match by {
            "model" => used.model.clone(),
            "session" => used.session.clone(),
            "project" => project(&used.session),
            "month" => used.day.as_ref().map(|day| day[..7].to_string()),
            _ => used.day.clone(),
        };
        let groups = self.0.groups(name);
        let mut names: Vec<Name> = self.0.messages().map(name).collect();
        let is_period = ["day", "month"].contains(&by);
        if is_period {
            names.sort();
        }
        if by == "session" {
            let mut days: BTreeMap<&Name, &String> = BTreeMap::new();
            for used in self.0.messages() {
                if let Some(day) = &used.day {
                    let first = days.entry(&used.session).or_insert(day);
                    *first = day.min(first);
                }
            }
            names.sort_by_key(|session| {
                let day = days.get(session);
                (day.is_none(), day.copied(), session.clone())
            });
        }
        names.extend(costs.keys().cloned());
        let mut rows = vec![];
        for (at, group) in names.iter().enumerate() {
            if names[..at].contains(group) {
                continue;
            }
            let sum = groups.get(group).copied().unwrap_or_default();
            let mut row = json!({"name": group, "messages": sum.messages});
            if !is_period {
                row["cost_usd"] = costs.get(group).copied().into();
            }
            rows.push(counted(row, &sum));
        }
        let unlogged = self.unlogged();
        if unlogged != Sum::default() {
            let mut row = json!({"name": IN_NO_MESSAGE, "messages": 0});
            if !is_period {
                row["cost_usd"] = json!(null);
            }
            rows.push(counted(row, &unlogged));
        }
        rows
    }

    /// What the results of streams report, and no message has.
    fn unlogged(&self) -> Sum {
        let mut sum = Sum::default();
        sum.counts[..4].copy_from_slice(&self.0.unlogged());
        sum
    }

    fn tools(&self) -> Vec<Value> {
        let row = |(name, tool): (Name, Tool)| {
            let row = json!({
                "name": name,
                "calls": tool.calls,
                "errors": tool.errors,
                "messages": tool.used.messages,
            });
            counted(row, &tool.used)
        };
        let mut rows: Vec<Value> =
            self.0.tools().into_iter().map(row).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row["calls"].as_u64()));
        rows
    }
}

/// Rounds the costs in a document: sums depend on the order of addition.
pub fn rounded(mut document: Value) -> Value {
    match &mut document {
        Value::Array(items) => {
            items.iter_mut().for_each(|item| *item = rounded(item.take()));
        }
        Value::Object(members) => {
            members.values_mut().for_each(|v| *v = rounded(v.take()));
        }
        Value::Number(n) if n.is_f64() => {
            document = format!("{:.9}", n.as_f64().unwrap()).into();
        }
        _ => {}
    }
    document
}
