//! The reference implementation of usage: tokens, tool calls and cost, by
//! message. It reads values of serde_json.
//!
//! The rules:
//! - A message is identified by its id and its request id. A message without
//!   an id is identified by its line's uuid, and a line without either is a
//!   separate message. Without a request id, an id that does not begin with
//!   `msg_` needs the same session, input and cache counts as well.
//! - In one session, messages of one message id are compared (an id that does
//!   not begin with `msg_` needs the same input and cache counts as well, if
//!   one of the two has no request id): a message of a sub-agent is a copy of
//!   any message of the main conversation, and of a sub-agent's with more
//!   tokens, or an earlier one with as many. A message that is only mirrored
//!   is a copy of one of the main conversation. One with an id that begins
//!   with `msg_` and without a request id is a copy of one with a request id,
//!   if both are mirrored or neither is. But beside messages with tokens, one
//!   without any is a copy whatever it is, unless it is like these. They then
//!   have its session, model and day, if it counts for more. Copies do not
//!   count.
//! - The last line of a message is used: the one with the latest time, and the
//!   last one in the log among these. A line without a time comes after the
//!   others. Counts that it lacks are those of the line before. A line without
//!   any count above 0 does not count beside one that has some. The session is
//!   that of the first line. Only the lines of the best rank that have a field
//!   are used: a line of the main conversation before one of a sub-agent, a
//!   line of its own before a nested one, an original before a copy with
//!   `forkedFrom`. Of counts that are a sub-agent's, the largest of all its
//!   lines are used.
//! - A line that names the session of its request belongs to that one. If that
//!   is another session than its own, the message is one of both sessions.
//! - If the four totals of a usage are there and 0, all its counts are.
//! - A line of stream-json (without `sessionId` and `isSidechain`) whose
//!   `stop_reason` is null has the counts of the
//!   start of its message, unless it is one of Qwen Code: then the message has
//!   the id of its line or a sum of its tokens. It does not count beside a line
//!   with other counts. The last counts are in `message_delta` events, which
//!   name the message or follow its `message_start` in the same session and for
//!   the same call. They replace those of the message, but for counts of the
//!   input that are 0.
//! - What the results of a session report beyond its messages is in the total.
//!   A result states what was used since the one before, or the sum so far,
//!   which begins at 0 again if a count of a model falls, or if other counts
//!   have grown, but not one of the input that all messages since then have.
//!   A result is about the lines of stream-json before it and after the one
//!   before it. If these have more input than it reports, it is about those
//!   after the first `system/init` with which they do not. If there is none,
//!   it is about all but those of the main conversation that alone have more
//!   than it reports. The other messages of a stream do not count for this;
//!   those of transcripts all do.
//! - A `progress` line of a sub-agent contains a message of that sub-agent, in
//!   the session of the line. So does another one whose message has a type and
//!   a message. A `transcript_mirror` contains whole lines.
//! - Without a sum, or with one of 0, the tokens written to the cache are the
//!   sum of their parts. A count may be a floating-point number: `5.0`.
//! - An answer of an advisor in the usage of a message is a message of its own.
//! - A turn of an agent server is a message, and its last update counts.
//! - A call counts once, with the values of its first line. It failed if any
//!   result reports an error, even a result before the call.
//! - The cost in results is cumulative until it falls: then a new process has
//!   begun. The last costs of all processes are added up.
//! - The last `cost-state` of a session states the cost of the session, and so
//!   do its results. The larger of the two counts. Without a total, it is the
//!   sum of its models. The last one is that with the longest duration, and of
//!   equal ones that with the highest cost; without a duration, the last line.
//! - Sessions that have a message in common, directly or by way of others, and
//!   whose costs are those of states with one `startTime`, have one count. In
//!   the order of their costs, each has what is more than in the one before. A
//!   model has the highest cost of these sessions.
//! - If a session reports no cost, it is that of its messages. A message costs
//!   the highest `costUSD` of its lines.
//! - A result with the session and the uuid of an earlier one is a copy. It
//!   does not count, nor does the run that it ends.
//! - A `result` with a key and without a subtype is not the result of a run.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::{Value, json};

/// The name of a group. `None` is for messages that do not state it.
pub type Name = Option<String>;

/// The counts of a usage object: their names and their paths.
pub const COUNTS: [(&str, &str); 8] = [
    ("input_tokens", "/input_tokens"),
    ("output_tokens", "/output_tokens"),
    ("cache_creation_input_tokens", "/cache_creation_input_tokens"),
    ("cache_read_input_tokens", "/cache_read_input_tokens"),
    ("ephemeral_5m_input_tokens", "/cache_creation/ephemeral_5m_input_tokens"),
    ("ephemeral_1h_input_tokens", "/cache_creation/ephemeral_1h_input_tokens"),
    ("web_search_requests", "/server_tool_use/web_search_requests"),
    ("web_fetch_requests", "/server_tool_use/web_fetch_requests"),
];

/// Whether a line is one of the main conversation, not nested, and not a
/// copy. The greatest counts.
type Rank = (bool, bool, bool);

/// Marks a message that was nested in a line. Real keys contain no NUL.
const NESTED: &str = "\0nested";

/// The usage of one message.
#[derive(Clone, Debug, Default)]
pub struct Used {
    pub session: Name,
    pub model: Name,
    pub day: Name,
    rank: Rank,
    /// Whether it has an id of the API, and no request id.
    lacks_request: bool,
    /// The highest cost on its lines.
    cost: Option<f64>,
    /// The length of what is written on lines with few output tokens.
    text: usize,
    /// One value for each of [`COUNTS`], if it is present. `None` if no line
    /// reports usage.
    counts: Option<[Option<u64>; 8]>,
    /// The greatest for a line without a time.
    time: i64,
    /// Whether the counts are those of the start of the message.
    is_open: bool,
    /// Whether the first line is one of stream-json.
    is_streamed: bool,
}

/// The usage of several messages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    pub messages: u64,
    /// One sum for each of [`COUNTS`].
    pub counts: [u64; 8],
}

impl Sum {
    pub fn add(&mut self, used: &Used) {
        let Some(counts) = used.counts else { return };
        self.messages += 1;
        for (sum, count) in self.counts.iter_mut().zip(counts) {
            *sum = sum.saturating_add(count.unwrap_or(0));
        }
    }
}

/// The calls of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tool {
    pub calls: u64,
    pub errors: u64,
    /// The usage of the messages that call it.
    pub used: Sum,
}

#[derive(Debug)]
struct Call {
    tool: Name,
    /// The index of the message that makes the call.
    message: Option<usize>,
}

/// The usage of logs.
#[derive(Debug, Default)]
pub struct Usage {
    /// The lines of each message that report usage.
    lines: Vec<Vec<Used>>,
    /// For each message, its message id and session, in the forms in which
    /// they are compared.
    within: BTreeMap<usize, BTreeSet<String>>,
    /// The sessions of the lines of each message.
    sessions: BTreeMap<usize, BTreeSet<Name>>,
    by_key: BTreeMap<String, usize>,
    /// What the events of a stream know each message by.
    streamed: BTreeMap<usize, String>,
    /// The last counts of streamed messages.
    ends: BTreeMap<String, [Option<u64>; 8]>,
    /// The message that began last, by session and call.
    begun: BTreeMap<(Name, Name), Option<String>>,
    /// What each result reports: by model, and since the one before.
    /// The number of messages before it comes last.
    reports: BTreeMap<Name, Vec<(Value, Value, usize)>>,
    /// The number of messages before each `system/init`, by session.
    inits: BTreeMap<Name, Vec<usize>>,
    /// The working directories of copies, by the session of the original.
    copied_projects: BTreeMap<Name, BTreeSet<String>>,
    /// The open turns of agent servers, by session.
    turns: BTreeMap<Name, usize>,
    calls: BTreeMap<String, Call>,
    failed: BTreeSet<String>,
    /// The costs of all results, by session, and by session and model.
    costs: BTreeMap<Name, Vec<f64>>,
    model_costs: BTreeMap<(Name, String), Vec<f64>>,
    /// What the results report of each model, by session and model.
    model_usage: BTreeMap<(Name, String), Vec<Value>>,
    projects: BTreeMap<Name, String>,
    /// The last `cost-state` of each session.
    states: BTreeMap<Name, Value>,
    /// For each session, its lines that begin, continue and end a run, as `i`,
    /// `a` and `r`. A copy of a result is a `c`.
    stories: BTreeMap<Name, String>,
    /// The session and uuid of each result.
    results: BTreeSet<(Name, String)>,
    /// The messages that count, once they have been asked for.
    messages: OnceCell<Vec<(usize, Used)>>,
}

/// Returns the session of a line with a type. In transcripts, `sessionId`
/// takes precedence.
pub fn session(line: &Value) -> Name {
    let mut keys = ["session_id", "sessionId"];
    if ["parentUuid", "isSidechain"].iter().any(|k| line.get(k).is_some()) {
        keys.reverse();
    }
    let stated = keys.iter().find_map(|key| line[key].as_str());
    // A forked sub-agent belongs to the session of its parent.
    let parent = line["parentSessionId"].as_str();
    let parent = parent.filter(|_| line["type"] == "fork-context-ref");
    stated.or(parent).map(String::from)
}

/// Returns the message of a sub-agent that a `progress` line contains.
pub fn subagent_message(line: &Value) -> Option<&Value> {
    let data = &line["data"];
    let kinds = ["agent_progress", "skill_progress"];
    let message = &data["message"];
    let is_nested = line["type"] == "progress"
        && message.is_object()
        && (kinds.iter().any(|kind| data["type"] == *kind)
            || message["type"].is_string() && message["message"].is_object());
    is_nested.then_some(&data["message"])
}

impl Usage {
    /// Adds a line that has a type.
    pub fn add(&mut self, line: &Value) {
        self.messages.take();
        let session = session(line);
        let letter = match line["type"].as_str() {
            Some("assistant") => {
                self.add_assistant(line, &session);
                "a"
            }
            Some("result") => {
                if line.get("key").is_some() && line.get("subtype").is_none() {
                    return;
                }
                let uuid = line["uuid"].as_str().map(String::from);
                let id = uuid.map(|uuid| (session.clone(), uuid));
                if id.is_none_or(|id| self.results.insert(id)) {
                    self.add_result(line, &session);
                    "r"
                } else {
                    "c"
                }
            }
            Some("cost-state") => {
                let age = |state: &Value| {
                    let duration = state["totalDuration"].as_f64();
                    let cost = duration.and_then(|_| state_cost(state));
                    (duration, cost)
                };
                let known = self.states.get(&session);
                if known.is_none_or(|known| age(line) >= age(known)) {
                    self.states.insert(session, line.clone());
                }
                return;
            }
            Some("user") => {
                self.add_project(line, &session);
                return self.add_answers(&line["message"]["content"]);
            }
            Some("attachment") => return self.add_project(line, &session),
            Some("system") => {
                let failed = line["isError"] == true
                    || line["isApiErrorMessage"] == true
                    || line["subtype"] == "error"
                    || line["subtype"] == "api_error";
                if failed && let Some(id) = line["parentUuid"].as_str() {
                    self.failed.insert(id.to_string());
                }
                if line["subtype"] != "init" {
                    return;
                }
                self.add_project(line, &session);
                let inits = self.inits.entry(session.clone()).or_default();
                inits.push(self.lines.len());
                "i"
            }
            Some("progress") => return self.add_progress(line, session),
            Some("stream_event") => return self.add_stream(line, &session),
            Some("transcript_mirror") => {
                let entries = line["entries"].as_array();
                return entries
                    .into_iter()
                    .flatten()
                    .filter(|entry| entry.is_object())
                    .for_each(|entry| {
                        let mut entry = entry.clone();
                        entry[NESTED] = true.into();
                        self.add(&entry);
                    });
            }
            _ => return,
        };
        self.stories.entry(session).or_default().push_str(letter);
    }

    /// Adds the message of a sub-agent that a `progress` line contains.
    fn add_progress(&mut self, line: &Value, session: Name) {
        let Some(message) = subagent_message(line) else { return };
        let mut message = message.clone();
        message["isSidechain"] = true.into();
        message[NESTED] = true.into();
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        if !message["timestamp"].is_string() {
            message["timestamp"] = line["timestamp"].clone();
        }
        self.add(&message);
    }

    /// Adds an event of an agent server.
    pub fn add_event(&mut self, name: &str, session: &Name, body: &Value) {
        self.messages.take();
        match name {
            "TokenUpdate" => {
                let turn = self.turn(session);
                self.lines[turn] = vec![Used {
                    rank: (true, true, true),
                    session: session.clone(),
                    counts: Some(counts(body)),
                    ..Used::default()
                }];
            }
            "ToolExecuting" => {
                let turn = self.turn(session);
                let (id, tool) = (&body["tool_use_id"], &body["tool_name"]);
                self.add_call(id, tool, Some(turn));
            }
            "Complete" => _ = self.turns.remove(session),
            _ => {}
        }
    }

    /// Returns the open turn of a session of an agent server.
    fn turn(&mut self, session: &Name) -> usize {
        let new = self.lines.len();
        let turn = *self.turns.entry(session.clone()).or_insert(new);
        if turn == new {
            self.lines.push(vec![]);
        }
        turn
    }

    fn add_project(&mut self, line: &Value, session: &Name) {
        if let Some(folder) = line["cwd"].as_str() {
            let project = self.projects.entry(session.clone());
            project.or_insert_with(|| folder.to_string());
        }
    }

    fn add_assistant(&mut self, line: &Value, session: &Name) {
        self.add_project(line, session);
        let message = &line["message"];
        if !message.is_object() && !message.is_string() {
            if line["toolName"].is_string() {
                self.add_call(&line["uuid"], &line["toolName"], None);
            }
            return;
        }
        let own = session;
        let owner = line["requestSessionId"].as_str().map(String::from);
        let session = &owner.or_else(|| session.clone());
        if session != own
            && let Some(folder) = line["cwd"].as_str()
        {
            let folders = self.copied_projects.entry(session.clone());
            folders.or_default().insert(folder.to_string());
        }
        let request = ["request_id", "requestId"].map(|key| &line[key]);
        let request = request.iter().find_map(|id| id.as_str()).unwrap_or("");
        let usage = &message["usage"];
        let id = message["id"].as_str();
        let is_unique = id.is_some_and(|id| id.starts_with("msg_"));
        let input = counts(usage);
        let input = [0, 2, 3].map(|at| input[at].unwrap_or(0));
        let key = match (id, line["uuid"].as_str()) {
            (Some(id), _) if request.is_empty() && !is_unique => {
                json!([id, session, input]).to_string()
            }
            (Some(id), _) => json!([id, request]).to_string(),
            (None, Some(uuid)) => json!(uuid).to_string(),
            (None, None) => self.lines.len().to_string(),
        };
        let at = self.message(key.clone());
        if let Some(id) = id
            && (is_unique || request.is_empty())
        {
            self.streamed.insert(at, streamed(id, session, usage));
        }
        let mut within = vec![];
        if let Some(id) = id {
            if is_unique || !request.is_empty() {
                within.push(json!([id, session]).to_string());
            }
            if !is_unique {
                within.push(json!([id, session, input]).to_string());
            }
        }
        if usage.is_object() {
            self.within.entry(at).or_default().extend(within.clone());
            let sessions = self.sessions.entry(at).or_default();
            sessions.extend([session.clone(), own.clone()]);
            let is_of_qwen = usage.get("total_tokens").is_some()
                || id.is_some() && id == line["uuid"].as_str();
            let is_streamed = line["session_id"].is_string()
                && line.get("sessionId").is_none()
                && line.get("isSidechain").is_none()
                && line[NESTED] != true;
            let is_short = counts(usage)[1].unwrap_or(0) <= 64;
            let used = Used {
                text: if is_short { text_length(message) } else { 0 },
                session: session.clone(),
                model: message["model"].as_str().map(String::from),
                day: line["timestamp"].as_str().and_then(day),
                lacks_request: is_unique && request.is_empty(),
                cost: line["costUSD"].as_f64().filter(|cost| *cost >= 0.0),
                rank: (
                    line["isSidechain"] != true
                        && !line["parent_tool_use_id"].is_string(),
                    line[NESTED] != true,
                    !line["forkedFrom"].is_object(),
                ),
                counts: Some(counts(usage)),
                time: time(line),
                is_streamed,
                is_open: message.get("stop_reason") == Some(&Value::Null)
                    && is_streamed
                    && !is_of_qwen
                    && counts(usage).iter().flatten().any(|n| *n > 0),
            };
            self.lines[at].push(used.clone());
            let iterations = usage["iterations"].as_array();
            let answers = iterations
                .into_iter()
                .flatten()
                .filter(|answer| answer["type"] == "advisor_message");
            for (number, answer) in answers.enumerate() {
                let at = self.message(format!("{key} advisor {number}"));
                let within = within.iter().map(|k| format!("{k} {number}"));
                self.within.entry(at).or_default().extend(within);
                self.lines[at].push(Used {
                    text: 0,
                    cost: None,
                    is_open: false,
                    model: answer["model"].as_str().map(String::from),
                    counts: Some(counts(answer)),
                    ..used.clone()
                });
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

    /// Adds an event of a stream.
    fn add_stream(&mut self, line: &Value, session: &Name) {
        let call = line["parent_tool_use_id"].as_str().map(String::from);
        let thread = (session.clone(), call);
        let event = &line["event"];
        let message = &event["message"];
        match event["type"].as_str() {
            Some("message_start") if !message.is_object() => {
                self.begun.insert(thread, None);
            }
            Some("message_start") => {
                let id = message["id"].as_str();
                let key =
                    id.map(|id| streamed(id, session, &message["usage"]));
                self.begun.insert(thread, key);
            }
            Some("message_delta") if event["usage"].is_object() => {
                let id = line["api_message_id"].as_str();
                let id = id.filter(|id| id.starts_with("msg_"));
                let key = match id {
                    Some(id) => Some(streamed(id, session, &Value::Null)),
                    None => self.begun.get(&thread).cloned().flatten(),
                };
                let last = counts(&event["usage"]);
                if let Some(key) = key
                    && last.iter().flatten().any(|count| *count > 0)
                {
                    // They only grow.
                    let known = self.ends.entry(key).or_default();
                    for (slot, new) in known.iter_mut().zip(last) {
                        *slot = (*slot).max(new);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the index of the message with a key.
    fn message(&mut self, key: String) -> usize {
        let new = self.lines.len();
        let at = *self.by_key.entry(key).or_insert(new);
        if at == new {
            self.lines.push(vec![]);
        }
        at
    }

    fn add_call(&mut self, id: &Value, tool: &Value, by: Option<usize>) {
        let call = Call { tool: tool.as_str().map(String::from), message: by };
        // Ids contain no NUL.
        let unnamed = || format!("\0{}", self.calls.len());
        let id = id.as_str().map_or_else(unnamed, String::from);
        self.calls.entry(id).or_insert(call);
    }

    fn add_answers(&mut self, content: &Value) {
        for block in content.as_array().into_iter().flatten() {
            let kind = block["type"].as_str().unwrap_or("");
            if kind.ends_with("tool_result")
                && block["is_error"] == true
                && let Some(id) = block["tool_use_id"].as_str()
            {
                self.failed.insert(id.to_string());
            }
        }
    }

    fn add_result(&mut self, line: &Value, session: &Name) {
        let report = ["modelUsage", "model_usage_since_last_result"];
        let [sums, since] = report.map(|key| line[key].clone());
        self.reports.entry(session.clone()).or_default().push((
            sums,
            since,
            self.lines.len(),
        ));
        if let Some(cost) = line["total_cost_usd"].as_f64() {
            self.costs.entry(session.clone()).or_default().push(cost);
        }
        for (model, used) in
            line["modelUsage"].as_object().into_iter().flatten()
        {
            let key = (session.clone(), model.clone());
            if used.is_object() {
                self.model_usage.entry(key).or_default().push(used.clone());
            }
            if let Some(cost) = used["costUSD"].as_f64() {
                let key = (session.clone(), model.clone());
                self.model_costs.entry(key).or_default().push(cost);
            }
        }
    }

    /// The messages that report usage, in the order of their first lines,
    /// without copies.
    pub fn messages(&self) -> impl Iterator<Item = &Used> + Clone {
        self.indexed().iter().map(|(_, used)| used)
    }

    fn indexed(&self) -> &[(usize, Used)] {
        self.messages.get_or_init(|| self.counted())
    }

    fn counted(&self) -> Vec<(usize, Used)> {
        let (copies, mut all) = (self.copies(), self.all());
        for (at, by) in self.named(&all, &copies) {
            // It counts in place of one that has no tokens, whose cost counts
            // once.
            let is_copy = copies.get(&by) == Some(&at);
            let (one, by) = (&all[at], &all[by]);
            all[at] = Used {
                rank: by.rank,
                session: by.session.clone().or(one.session.clone()),
                model: by.model.clone().or(one.model.clone()),
                day: by.day.clone().or(one.day.clone()),
                cost: highest([one.cost, by.cost.filter(|_| is_copy)]),
                ..one.clone()
            };
        }
        let all = all.into_iter().enumerate();
        all.filter(|(at, used)| {
            used.counts.is_some() && !copies.contains_key(at)
        })
        .collect()
    }

    /// All messages, put together from their lines.
    fn all(&self) -> Vec<Used> {
        let all = self.lines.iter().map(|lines| Used::of(lines)).enumerate();
        let with_end = |(at, mut used): (usize, Used)| {
            let key = self.streamed.get(&at);
            if let Some(last) = key.and_then(|key| self.ends.get(key))
                && let Some(counts) = &mut used.counts
            {
                end(counts, *last);
                (used.is_open, used.text) = (false, 0);
            }
            used
        };
        all.map(with_end).collect()
    }

    /// What the results of each session report beyond its messages: input,
    /// output, written to the cache and read from it.
    pub fn unlogged(&self) -> [u64; 4] {
        let mut unlogged = [0; 4];
        for (session, reports) in &self.reports {
            let of_session = self.indexed().iter();
            let of_session = of_session.filter(|(_, u)| u.session == *session);
            let (streamed, others): (Vec<_>, Vec<_>) =
                of_session.partition(|(_, used)| used.is_streamed);
            let (mut reported, mut known) = ([0; 4], Sum::default());
            others.iter().for_each(|(_, used)| known.add(used));
            let mut before: BTreeMap<&String, [u64; 4]> = BTreeMap::new();
            let mut start = 0;
            for (sums, since, end) in reports {
                let mut growth = [0; 4];
                for (model, used) in sums.as_object().into_iter().flatten() {
                    let now = REPORTED.map(|k| used[k].as_u64().unwrap_or(0));
                    let before = before.entry(model).or_default();
                    let falls = (0..4).any(|at| now[at] < before[at]);
                    for at in 0..4 {
                        let from = if falls { 0 } else { before[at] };
                        growth[at] += now[at] - from;
                    }
                    *before = now;
                }
                let has_models =
                    sums.as_object().is_some_and(|models| !models.is_empty());
                if !has_models && !since.is_object() {
                    continue;
                }
                let is_in =
                    |(at, _): &&&(usize, Used)| (start..*end).contains(at);
                let run: Vec<_> = streamed.iter().filter(is_in).collect();
                let restarts = !run.is_empty()
                    && growth != [0; 4]
                    && [0, 2, 3].iter().any(|at| {
                        let mut all = run.iter().map(|(_, used)| four(used));
                        growth[*at] == 0 && all.all(|counts| counts[*at] > 0)
                    });
                let used = match (since.is_object(), restarts) {
                    (true, _) => reported_counts(since),
                    (false, true) => reported_counts(sums),
                    (false, false) => growth,
                };
                for at in 0..4 {
                    reported[at] += used[at];
                }
                let inits = self.inits.get(session).into_iter().flatten();
                let mut starts = vec![start];
                starts.extend(inits.filter(|at| (start..*end).contains(at)));
                let from = starts.into_iter().find(|from| {
                    let mut sum = Sum::default();
                    let later = run.iter().filter(|(at, _)| at >= from);
                    later.for_each(|(_, used)| sum.add(used));
                    [0, 2, 3].iter().all(|at| sum.counts[*at] <= used[*at])
                });
                for (at, one) in run {
                    let is_about = match from {
                        Some(from) => *at >= from,
                        None => {
                            let counts = four(one);
                            !one.rank.0
                                || (0..4).all(|at| counts[at] <= used[at])
                        }
                    };
                    if is_about {
                        known.add(one);
                    }
                }
                start = *end;
            }
            for (at, more) in unlogged.iter_mut().enumerate() {
                *more += reported[at].saturating_sub(known.counts[at]);
            }
        }
        unlogged
    }

    /// For each key within a session, the messages that have it.
    fn by_key(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut by_key: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, keys) in &self.within {
            for key in keys {
                by_key.entry(key).or_default().push(*at);
            }
        }
        by_key
    }

    /// Returns each message that is a copy, with what it is a copy of.
    fn copies(&self) -> BTreeMap<usize, usize> {
        let (all, by_key) = (self.all(), self.by_key());
        // Greater than another one: it counts for more.
        let weight = |at: usize| {
            let used = &all[at];
            let tokens = if used.level() == 0 { used.tokens() } else { 0 };
            (used.is_spent(), used.level(), tokens, usize::MAX - at)
        };
        let mut copies: BTreeMap<usize, _> = BTreeMap::new();
        for same in by_key.values() {
            let most = same.iter().map(|at| weight(*at)).max().unwrap();
            for at in same {
                let own = weight(*at);
                if own.1 != most.1 || own.1 == 0 && own < most {
                    let known = copies.entry(*at).or_insert(most);
                    *known = most.max(*known);
                }
            }
        }
        let copies = copies.into_iter();
        copies.map(|(at, most)| (at, usize::MAX - most.3)).collect()
    }

    /// Returns messages that count in place of a message without tokens that
    /// is of a higher level: each with it. The highest ones are last.
    fn named(
        &self,
        all: &[Used],
        copies: &BTreeMap<usize, usize>,
    ) -> Vec<(usize, usize)> {
        let mut named = BTreeSet::new();
        for same in self.by_key().values() {
            for (one, by) in same
                .iter()
                .flat_map(|one| same.iter().map(move |by| (*one, *by)))
            {
                let level = all[by].level();
                if !copies.contains_key(&one)
                    && all[one].is_spent()
                    && level > all[one].level()
                {
                    assert!(!all[by].is_spent());
                    named.insert((one, level, usize::MAX - by));
                }
            }
        }
        let named = named.into_iter();
        named.map(|(one, _, by)| (one, usize::MAX - by)).collect()
    }

    pub fn subagents(&self) -> Sum {
        let mut total = Sum::default();
        let used = self.messages().filter(|used| !used.rank.0);
        used.for_each(|used| total.add(used));
        total
    }

    pub fn total(&self) -> Sum {
        let mut total = Sum::default();
        self.messages().for_each(|used| total.add(used));
        for (sum, more) in total.counts.iter_mut().zip(self.unlogged()) {
            *sum += more;
        }
        total
    }

    /// The sums of messages that have the same name.
    pub fn groups(&self, name: impl Fn(&Used) -> Name) -> BTreeMap<Name, Sum> {
        let mut groups: BTreeMap<Name, Sum> = BTreeMap::new();
        for used in self.messages() {
            groups.entry(name(used)).or_default().add(used);
        }
        groups
    }

    /// The first working directory of a session.
    pub fn project(&self, session: &Name) -> Name {
        let copied = || self.copied_projects.get(session)?.first().cloned();
        self.projects.get(session).cloned().or_else(copied)
    }

    /// The number of messages with over 100 bytes of text for each output
    /// token.
    pub fn placeholders(&self) -> u64 {
        let is_placeholder = |used: &&Used| {
            let tokens = used.counts.and_then(|counts| counts[1]);
            let tokens = tokens.unwrap_or(0);
            used.is_open || tokens > 0 && used.text as u64 > 100 * tokens
        };
        self.messages().filter(is_placeholder).count() as u64
    }

    pub fn tools(&self) -> BTreeMap<Name, Tool> {
        let mut tools: BTreeMap<Name, Tool> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let (copies, all) = (self.copies(), self.all());
        for (id, call) in &self.calls {
            let tool = tools.entry(call.tool.clone()).or_default();
            tool.calls += 1;
            tool.errors += u64::from(self.failed.contains(id));
            let mut message = call.message;
            while let Some(of) = message.and_then(|at| copies.get(&at)) {
                message = Some(*of);
            }
            if let Some(at) = message
                && seen.insert((&call.tool, at))
            {
                tool.used.add(&all[at]);
            }
        }
        tools
    }

    /// Returns the cost of each session, if the agent reports one.
    pub fn costs(&self) -> BTreeMap<Name, f64> {
        let sessions = self.costs.keys().chain(self.states.keys());
        let costs = sessions.filter_map(|session| {
            let [results, state] = self.both_costs(session);
            let cost = match (results, state) {
                (Some(results), Some(state)) => results.max(state),
                (one, other) => one.or(other)?,
            };
            Some((session.clone(), cost))
        });
        let mut costs: BTreeMap<Name, f64> = costs.collect();
        for fork in self.forks() {
            let mut sessions: Vec<(f64, Name)> =
                fork.into_iter().map(|name| (costs[&name], name)).collect();
            sessions.sort_by(|a, b| a.partial_cmp(b).unwrap());
            for pair in sessions.windows(2) {
                costs.insert(pair[1].1.clone(), pair[1].0 - pair[0].0);
            }
        }
        for (session, models) in self.stated() {
            costs.insert(session, models.values().sum());
        }
        costs
    }

    /// Returns the costs that messages state by model, of the sessions that
    /// report no other cost.
    fn stated(&self) -> BTreeMap<Name, BTreeMap<Name, f64>> {
        let mut sessions: BTreeMap<Name, BTreeMap<Name, f64>> =
            BTreeMap::new();
        for used in self.messages() {
            if let Some(cost) = used.cost
                && self.both_costs(&used.session) == [None; 2]
            {
                let models = sessions.entry(used.session.clone()).or_default();
                *models.entry(used.model.clone()).or_default() += cost;
            }
        }
        sessions
    }

    /// Returns the sessions that have one count of costs.
    fn forks(&self) -> Vec<BTreeSet<Name>> {
        let mut families: Vec<BTreeSet<Name>> = vec![];
        for sessions in self.sessions.values() {
            let mut family = sessions.clone();
            families.retain(|other| {
                let is_apart = other.is_disjoint(&family);
                if !is_apart {
                    family.extend(other.iter().cloned());
                }
                is_apart
            });
            families.push(family);
        }
        let mut forks: BTreeMap<(usize, u64), BTreeSet<Name>> =
            BTreeMap::new();
        for (session, state) in &self.states {
            let [results, cost] = self.both_costs(session);
            let family = families.iter().position(|f| f.contains(session));
            if let (Some(family), Some(start)) =
                (family, state["startTime"].as_u64())
                && cost.is_some()
                && cost >= results
            {
                let fork = forks.entry((family, start)).or_default();
                fork.insert(session.clone());
            }
        }
        forks.into_values().collect()
    }

    /// Returns the cost of a session by its results, and by its last state.
    fn both_costs(&self, session: &Name) -> [Option<f64>; 2] {
        let results = self.costs.get(session).map(|said| sum(said));
        let state = self.states.get(session);
        let state = state.and_then(state_cost);
        [results, state.filter(|cost| *cost >= 0.0)]
    }

    /// Returns the tokens of each model as the agent reports them: input,
    /// output, written to the cache and read from it.
    pub fn reported(&self) -> BTreeMap<String, [u64; 4]> {
        let mut models: BTreeMap<String, [u64; 4]> = BTreeMap::new();
        let keys = REPORTED;
        let by_state = |session: &Name| {
            let [results, state] = self.both_costs(session);
            self.states.contains_key(session) && state >= results
        };
        for ((session, model), said) in &self.model_usage {
            if by_state(session) {
                continue;
            }
            let counts = models.entry(model.clone()).or_default();
            for (count, key) in counts.iter_mut().zip(keys) {
                let said = said.iter().filter_map(|used| used[key].as_u64());
                let said: Vec<f64> = said.map(|n| n as f64).collect();
                *count += sum(&said) as u64;
            }
        }
        for (session, state) in &self.states {
            let used = state["modelUsage"].as_object();
            for (model, used) in used.into_iter().flatten() {
                if by_state(session) && used.is_object() {
                    let counts = models.entry(model.clone()).or_default();
                    for (count, key) in counts.iter_mut().zip(keys) {
                        *count += used[key].as_u64().unwrap_or(0);
                    }
                }
            }
        }
        models
    }

    /// Returns the cost of each model, over all sessions.
    pub fn model_costs(&self) -> BTreeMap<Name, f64> {
        let mut models = BTreeMap::new();
        let by_state = |session: &Name| {
            let [results, state] = self.both_costs(session);
            self.states.contains_key(session) && state >= results
        };
        for ((session, model), said) in &self.model_costs {
            if !by_state(session) {
                *models.entry(Some(model.clone())).or_default() += sum(said);
            }
        }
        let mut forks = self.forks();
        let known: BTreeSet<Name> = forks.iter().flatten().cloned().collect();
        let others = self.states.keys().filter(|name| !known.contains(name));
        forks.extend(others.map(|name| BTreeSet::from([name.clone()])));
        for fork in forks {
            let mut highest: BTreeMap<&String, f64> = BTreeMap::new();
            for session in fork.iter().filter(|session| by_state(session)) {
                let used = self.states[session]["modelUsage"].as_object();
                for (model, used) in used.into_iter().flatten() {
                    let cost = used["costUSD"].as_f64();
                    if let Some(cost) = cost.filter(|cost| *cost >= 0.0) {
                        let known = highest.entry(model).or_default();
                        *known = known.max(cost);
                    }
                }
            }
            for (model, cost) in highest {
                *models.entry(Some(model.clone())).or_default() += cost;
            }
        }
        for (model, cost) in self.stated().into_values().flatten() {
            if model.is_some() {
                *models.entry(model).or_default() += cost;
            }
        }
        models
    }

    /// Returns the number of runs and results of each session. A run ends with
    /// its result, and the next line begins another run.
    pub fn runs(&self) -> BTreeMap<Name, (u64, u64)> {
        let runs = self.stories.iter().map(|(session, story)| {
            let results = story.matches('r').count();
            let runs = story.split_inclusive(['r', 'c']).map(|part| {
                let is_copy = part.ends_with('c');
                let is_ended = is_copy || part.ends_with('r');
                let part = part.trim_end_matches(['r', 'c']);
                let runs = runs_without_result(part);
                runs.max(u64::from(is_ended)) - u64::from(is_copy)
            });
            let runs: u64 = runs.sum();
            (session.clone(), (runs, results as u64))
        });
        runs.collect()
    }
}

impl Used {
    /// 4 for a message of the main conversation, 3 if it is only mirrored, two
    /// less if it lacks a request id, and 0 for a sub-agent's.
    fn level(&self) -> u8 {
        match self.rank {
            (false, ..) => 0,
            (true, is_own, _) => {
                3 + u8::from(is_own) - 2 * u8::from(self.lacks_request)
            }
        }
    }

    fn tokens(&self) -> u128 {
        let counts = self.counts.unwrap_or_default();
        counts[..4].iter().map(|n| u128::from(n.unwrap_or(0))).sum()
    }

    /// Whether any count is above 0.
    fn is_spent(&self) -> bool {
        let counts = self.counts.into_iter().flatten();
        counts.flatten().any(|count| count > 0)
    }

    /// Puts a message together from its lines.
    fn of(lines: &[Used]) -> Used {
        let Some(rank) = lines.iter().map(|line| line.rank).max() else {
            return Used::default();
        };
        // The lines that have a field, by rank and time: the last one counts.
        let sorted = |has: &dyn Fn(&&Used) -> bool| {
            let mut lines: Vec<&Used> = lines.iter().filter(has).collect();
            lines.sort_by_key(|line| (line.rank, line.time));
            lines
        };
        let models = sorted(&|line| line.model.is_some());
        let days = sorted(&|line| line.day.is_some());
        let best = lines.iter().filter(|line| line.session.is_some());
        let best = best.map(|line| line.rank).max();
        let session = lines
            .iter()
            .find(|line| line.session.is_some() && Some(line.rank) == best);
        let has_tokens = lines.iter().any(Used::is_spent);
        let mut alike = lines.iter().filter(|l| l.is_spent() == has_tokens);
        let is_open = alike.all(|line| line.is_open);
        let figures = sorted(&|line| {
            line.is_spent() == has_tokens && line.is_open == is_open
        });
        let best = figures.last().unwrap().rank;
        let of_best = figures.iter().filter(|line| line.rank == best);
        let count = |line: &Used, at: usize| line.counts.unwrap()[at];
        let counts = std::array::from_fn(|at| match best {
            (false, ..) => figures.iter().map(|line| count(line, at)).max()?,
            _ => {
                of_best.clone().filter_map(|line| count(line, at)).next_back()
            }
        });
        Used {
            rank,
            lacks_request: lines[0].lacks_request,
            session: session.and_then(|line| line.session.clone()),
            model: models.last().and_then(|line| line.model.clone()),
            day: days.last().and_then(|line| line.day.clone()),
            cost: highest(lines.iter().map(|line| line.cost)),
            text: of_best.map(|line| line.text).sum(),
            counts: Some(counts),
            time: 0,
            is_open,
            is_streamed: lines[0].is_streamed,
        }
    }
}

/// The counts that a result reports of a model.
const REPORTED: [&str; 4] = [
    "inputTokens",
    "outputTokens",
    "cacheCreationInputTokens",
    "cacheReadInputTokens",
];

/// Returns what a result reports of all models.
fn reported_counts(models: &Value) -> [u64; 4] {
    let models = models.as_object();
    REPORTED.map(|key| {
        let used = models.into_iter().flatten();
        used.filter_map(|(_, used)| used[key].as_u64()).sum()
    })
}

/// What a message has of the counts that a result reports.
fn four(used: &Used) -> [u64; 4] {
    let counts = used.counts.unwrap_or_default();
    std::array::from_fn(|at| counts[at].unwrap_or(0))
}

/// What the events of a stream know a message by.
fn streamed(id: &str, session: &Name, usage: &Value) -> String {
    if id.starts_with("msg_") {
        return json!([id]).to_string();
    }
    let input = counts(usage);
    let input = [0, 2, 3].map(|at| input[at].unwrap_or(0));
    json!([id, session, input]).to_string()
}

/// Replaces counts by the last ones.
fn end(counts: &mut [Option<u64>; 8], last: [Option<u64>; 8]) {
    for (at, (count, last)) in counts.iter_mut().zip(last).enumerate() {
        if last.is_some_and(|last| last > 0 || at == 1) {
            *count = last;
        }
    }
}

fn highest(costs: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    costs.into_iter().flatten().reduce(f64::max)
}

/// The time of a line in milliseconds. The greatest without one.
fn time(line: &Value) -> i64 {
    let time = line["timestamp"].as_str();
    let time = time.and_then(linetape::timestamp::milliseconds);
    time.unwrap_or(i64::MAX)
}

/// The length of the texts, thoughts and inputs of an API message. A message that is a string has
/// no usage.
fn text_length(message: &Value) -> usize {
    let content = &message["content"];
    let blocks = content.as_array().into_iter().flatten();
    let lengths = blocks.map(|block| match block["type"].as_str() {
        Some("text") => block["text"].as_str().map_or(0, str::len),
        Some("thinking") => block["thinking"].as_str().map_or(0, str::len),
        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
            strings(&block["input"], 0)
        }
        _ => 0,
    });
    let length: usize = lengths.chain(content.as_str().map(str::len)).sum();
    length.min(6401)
}

/// The length of the strings in a value, down to a depth of four.
fn strings(value: &Value, depth: u8) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) if depth < 4 => {
            items.iter().map(|item| strings(item, depth + 1)).sum()
        }
        Value::Object(fields) if depth < 4 => {
            fields.values().map(|value| strings(value, depth + 1)).sum()
        }
        _ => 0,
    }
}

/// The cost that a `cost-state` states.
fn state_cost(state: &Value) -> Option<f64> {
    let models = state["modelUsage"].as_object().into_iter().flatten();
    let models = models.filter_map(|(_, model)| model["costUSD"].as_f64());
    let models = models.filter(|cost| *cost >= 0.0).reduce(|a, b| a + b);
    state["totalCostUSD"].as_f64().or(models)
}

fn counts(usage: &Value) -> [Option<u64>; 8] {
    let mut counts =
        COUNTS.map(|(_, place)| usage.pointer(place).and_then(whole));
    if counts[..4] == [Some(0); 4] {
        return counts.map(|count| count.and(Some(0)));
    }
    // A line may have only the parts of what was written to the cache.
    let has_sum = counts[2].is_some_and(|sum| sum > 0);
    if !has_sum && (counts[4].is_some() || counts[5].is_some()) {
        let [five_minutes, hour] = [counts[4], counts[5]];
        let hour = hour.unwrap_or(0);
        counts[2] = Some(five_minutes.unwrap_or(0).saturating_add(hour));
    }
    counts
}

/// A count that is a whole number, even if it is written with a point.
fn whole(value: &Value) -> Option<u64> {
    let whole = |number: f64| {
        let count = number as u64;
        (count as f64 == number && count <= 1 << 53).then_some(count)
    };
    value.as_u64().or_else(|| value.as_f64().and_then(whole))
}

/// The date that a timestamp begins with.
fn day(time: &str) -> Name {
    let day = time.get(..10)?;
    let digit = |c: char| if c.is_ascii_digit() { '0' } else { c };
    let shape: String = day.chars().map(digit).collect();
    (shape == "0000-00-00").then(|| day.to_string())
}

/// Returns the sum of the last cost and of all costs before a fall.
fn sum(costs: &[f64]) -> f64 {
    costs.chunk_by(|a, b| a <= b).filter_map(|run| run.last()).sum()
}

/// Returns the number of runs in a sequence of lines without a result. A run
/// that has only begun counts if it is the last one.
fn runs_without_result(story: &str) -> u64 {
    let mut parts = story.split('i');
    let first = parts.next().is_some_and(|part| !part.is_empty());
    let others: Vec<&str> = parts.collect();
    let said = others.iter().filter(|part| !part.is_empty()).count();
    let last = others.last().is_some_and(|part| part.is_empty());
    u64::from(first) + said as u64 + u64::from(last)
}
