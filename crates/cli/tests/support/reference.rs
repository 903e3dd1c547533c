//! The slow and obvious way to tell what a line is, and what was spent:
//! serde_json, and the rules once more in other words.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// The names of an agent server's events.
const EVENTS: [&str; 12] = [
    "TextChunk",
    "ToolExecuting",
    "ToolCompleted",
    "Complete",
    "PermissionRequired",
    "BatchPermissionRequired",
    "UserInteractionRequired",
    "TokenUpdate",
    "Error",
    "System",
    "Display",
    "CommandComplete",
];

/// A line that is a record.
pub struct Record<'a> {
    pub line: &'a [u8],
    /// Its type, and its type and subtype.
    pub names: Vec<String>,
    pub session: Option<String>,
    pub object: Value,
}

/// The lines of a log that are records, and how many are not.
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
            && EVENTS.contains(&key.as_str())
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
    let mut keys = ["session_id", "sessionId"];
    if has(&["parentUuid"]) || has(&["isSidechain"]) {
        keys.reverse();
    }
    let session = keys.into_iter().find_map(text).map(str::to_string);
    Record { line, names, session, object: json!(object) }
}

/// What is said about tokens.
const FIGURES: [&str; 4] = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
];

/// What a message of the model used, as the line says that counts.
#[derive(Default)]
struct Spent {
    session: Option<String>,
    model: Option<String>,
    day: Option<String>,
    is_sidechain: bool,
    /// Nothing if no line has told yet.
    usage: Value,
}

/// A call of a tool, and the message that makes it.
#[derive(Clone)]
struct Call {
    tool: Option<String>,
    spent: Option<usize>,
}

/// What the messages of logs used and cost.
#[derive(Default)]
pub struct Spending {
    spent: Vec<Spent>,
    messages: BTreeMap<String, usize>,
    /// The turns of servers that are not complete, by session.
    turns: BTreeMap<Option<String>, usize>,
    calls: BTreeMap<String, Call>,
    /// The calls that failed.
    failed: BTreeSet<String>,
    /// Everything that results said, by session, and by session and model.
    sessions: BTreeMap<Option<String>, Vec<f64>>,
    models: BTreeMap<(Option<String>, String), Vec<f64>>,
}

impl Spending {
    pub fn add(&mut self, record: &Record<'_>) {
        let (line, session) = (&record.object, &record.session);
        match record.names.first().map_or("", |name| name) {
            "assistant" => self.add_said(line, session),
            "user" => self.add_answers(&line["message"]["content"]),
            "system" => {
                let failed = line["isError"] == true
                    || line["isApiErrorMessage"] == true
                    || line["subtype"] == "error"
                    || line["subtype"] == "api_error";
                if failed {
                    self.fail(&line["parentUuid"]);
                }
            }
            "result" => {
                if let Some(cost) = line["total_cost_usd"].as_f64() {
                    let said = self.sessions.entry(session.clone());
                    said.or_default().push(cost);
                }
                let models = line["modelUsage"].as_object();
                for (model, usage) in models.into_iter().flatten() {
                    if let Some(cost) = usage["costUSD"].as_f64() {
                        let key = (session.clone(), model.clone());
                        self.models.entry(key).or_default().push(cost);
                    }
                }
            }
            "TokenUpdate" => {
                let turn = self.turn(session);
                self.spent[turn].usage = line["TokenUpdate"].clone();
                self.spent[turn].session = session.clone();
            }
            "ToolExecuting" => {
                let call = &line["ToolExecuting"];
                let turn = Some(self.turn(session));
                self.add_call(&call["tool_use_id"], &call["tool_name"], turn);
            }
            "Complete" => _ = self.turns.remove(session),
            _ => {}
        }
    }

    /// The turn that a session of a server is in.
    fn turn(&mut self, session: &Option<String>) -> usize {
        let new = self.spent.len();
        let turn = *self.turns.entry(session.clone()).or_insert(new);
        if turn == new {
            self.spent.push(Spent::default());
        }
        turn
    }

    fn add_said(&mut self, line: &Value, session: &Option<String>) {
        let message = &line["message"];
        if !message.is_object() && !message.is_string() {
            if line["toolName"].is_string() {
                self.add_call(&line["uuid"], &line["toolName"], None);
            }
            return;
        }
        let request = ["request_id", "requestId"].map(|key| &line[key]);
        let request = request.iter().find_map(|id| id.as_str()).unwrap_or("");
        let key = match (message["id"].as_str(), line["uuid"].as_str()) {
            (Some(id), _) => json!([id, request]).to_string(),
            (None, Some(uuid)) => json!(uuid).to_string(),
            // This is known by its place, and to nobody else.
            (None, None) => self.spent.len().to_string(),
        };
        let new = self.spent.len();
        let at = *self.messages.entry(key).or_insert(new);
        if at == new {
            self.spent.push(Spent::default());
        }
        if message["usage"].is_object() {
            let time = line["timestamp"].as_str();
            let spent = Spent {
                session: session.clone(),
                model: message["model"].as_str().map(str::to_string),
                day: time.and_then(|time| day(time.split('T').next()?)),
                is_sidechain: line["isSidechain"] == true
                    || line["parent_tool_use_id"].is_string(),
                usage: message["usage"].clone(),
            };
            let known = &mut self.spent[at];
            let is_copy = spent.is_sidechain && !known.is_sidechain;
            if known.usage.is_null() || !is_copy {
                *known = spent;
            }
        }
        for block in message["content"].as_array().into_iter().flatten() {
            let kind = block["type"].as_str().unwrap_or("");
            if ["tool_use", "server_tool_use", "mcp_tool_use"].contains(&kind)
            {
                self.add_call(&block["id"], &block["name"], Some(at));
            }
        }
        self.add_answers(&message["content"]);
    }

    fn add_call(&mut self, id: &Value, tool: &Value, by: Option<usize>) {
        let tool = tool.as_str().map(str::to_string);
        let call = Call { tool, spent: by };
        let id = match id.as_str() {
            Some(id) => format!("id {id}"),
            None => format!("number {}", self.calls.len()),
        };
        self.calls.entry(id).or_insert(call);
    }

    fn add_answers(&mut self, content: &Value) {
        for block in content.as_array().into_iter().flatten() {
            let kind = block["type"].as_str().unwrap_or("");
            if kind.ends_with("tool_result") && block["is_error"] == true {
                self.fail(&block["tool_use_id"]);
            }
        }
    }

    fn fail(&mut self, id: &Value) {
        let id = format!("id {}", id.as_str().unwrap_or("none"));
        self.failed.insert(id);
    }

    /// An object with the sums over some messages.
    fn sum<'s>(
        mut object: Value,
        spent: impl Iterator<Item = &'s Spent> + Clone,
    ) -> Value {
        for figure in FIGURES {
            let figures = spent.clone().map(|s| s.usage[figure].as_u64());
            let sum: u64 = figures.flatten().sum();
            object[figure] = sum.into();
        }
        object
    }

    pub fn usage(&self) -> Value {
        Spending::sum(json!({}), self.told())
    }

    pub fn messages(&self) -> usize {
        self.told().count()
    }

    /// The messages that tell of usage.
    fn told(&self) -> impl Iterator<Item = &Spent> + Clone {
        self.spent.iter().filter(|spent| !spent.usage.is_null())
    }

    pub fn cost(&self) -> Value {
        let costs = self.sessions.values().map(|said| cost(said));
        costs.reduce(|a, b| a + b).into()
    }

    /// The rows by `model`, `session`, `day` or `tool`.
    pub fn rows(&self, by: &str) -> Vec<Value> {
        if by == "tool" {
            return self.tools();
        }
        let name = |spent: &Spent| match by {
            "model" => spent.model.clone(),
            "session" => spent.session.clone(),
            _ => spent.day.clone(),
        };
        let mut costs: BTreeMap<Option<String>, f64> = BTreeMap::new();
        if by == "session" {
            let sessions = self.sessions.iter();
            costs = sessions.map(|(id, c)| (id.clone(), cost(c))).collect();
        } else if by == "model" {
            for ((_, model), said) in &self.models {
                *costs.entry(Some(model.clone())).or_default() += cost(said);
            }
        }
        let mut names: Vec<_> = self.told().map(name).collect();
        if by == "day" {
            names.sort();
        }
        names.extend(costs.keys().cloned());
        let mut rows = vec![];
        for (at, group) in names.iter().enumerate() {
            if names[..at].contains(group) {
                continue;
            }
            let spent = self.told().filter(|s| name(s) == *group);
            let messages = spent.clone().count();
            let mut row = json!({"name": group, "messages": messages});
            if by != "day" {
                row["cost_usd"] = costs.get(group).copied().into();
            }
            rows.push(Spending::sum(row, spent));
        }
        rows
    }

    fn tools(&self) -> Vec<Value> {
        let mut tools: BTreeMap<_, Vec<(&String, &Call)>> = BTreeMap::new();
        for (id, call) in &self.calls {
            tools.entry(&call.tool).or_default().push((id, call));
        }
        let row = |(tool, calls): (_, &Vec<(&String, &Call)>)| {
            let spent = self.spent.iter().enumerate();
            let spent = spent.filter(|(at, spent)| {
                let mut calls = calls.iter();
                !spent.usage.is_null()
                    && calls.any(|(_, call)| call.spent == Some(*at))
            });
            let failed = calls.iter().filter(|c| self.failed.contains(c.0));
            let row = json!({
                "name": tool,
                "calls": calls.len(),
                "errors": failed.count(),
                "messages": spent.clone().count(),
            });
            Spending::sum(row, spent.map(|(_, spent)| spent))
        };
        let mut rows: Vec<Value> = tools.iter().map(row).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row["calls"].as_u64()));
        rows
    }
}

/// What results said in the end, before each time that they began anew.
fn cost(said: &[f64]) -> f64 {
    said.chunk_by(|a, b| a <= b).filter_map(|runs| runs.last()).sum()
}

/// A day, if it is one.
fn day(text: &str) -> Option<String> {
    let digits: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    (digits == "0000-00-00").then(|| text.to_string())
}

/// A document whose amounts of money are rounded: they are added up in one
/// order or another.
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
