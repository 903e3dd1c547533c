/*!
Tokens and cost.

An agent writes one line for each block that the model says, and puts the usage
of the whole message on every one of them. So lines are not added up, but
messages: a message is known by the API's id for it, and by the id of the
request if there is one, and its last line counts.
*/

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use crate::{
    message::{
        AnswerBlock, ApiMessage, Assistant, Content, Message, System, UiEvent,
        UiMessage, Usage, schema::FromValue,
    },
    session::{
        Cost, Tokens,
        blocks::{answer_in, call_in},
        cost::Runs,
        names::Names,
    },
};

/// What the messages of one session, model or day used, or all of them.
///
/// # Example
///
/// See [`UsageTotals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals<'t> {
    /// The session, model or day. `None` for messages that do not say.
    pub name: Option<&'t str>,
    /// How many messages of the model there are.
    pub messages: u64,
    /// What they used.
    pub tokens: Tokens,
}

/// How often a tool was called, and what the messages that call it used.
///
/// # Example
///
/// See [`UsageTotals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolTotals<'t> {
    /// The tool's name. `None` for calls without one.
    pub name: Option<&'t str>,
    /// How many calls there are. A call that is on several lines is one.
    pub calls: u64,
    /// How many of them failed.
    pub errors: u64,
    /// How many messages call it.
    pub messages: u64,
    /// What those messages used. A message that calls several tools counts
    /// for each of them, so these do not add up to the total.
    pub tokens: Tokens,
}

/// Adds up what messages used: all of them, and by session, model, day and
/// tool.
///
/// Every message of a log can be added; those that say nothing about usage
/// change nothing. A message that is on several lines counts once, with what
/// its last line says. But a line of a sub-agent never takes the place of one
/// of the main conversation. Messages are the same if their ids are, and those
/// of their requests, whatever the session: a session that was resumed or
/// forked may repeat them. A message without an id is known by its line's
/// `uuid`, and if it has none, it is taken for one of its own. Calls are known
/// by their ids alone, which agents do not use twice.
///
/// What a session cost is what its last result says, as results count on: see
/// [`Cost`].
///
/// Memory: for each message and each tool call its id and a few numbers. A
/// later line may come back to any of them, so none can be forgotten.
///
/// # Example
///
/// This shows how to add up a log. Two of its lines are one message.
///
/// ```
/// use linetape::{lines, session::UsageTotals};
///
/// let log = br#"{"type":"assistant","session_id":"s1","message":{"id":"m1","model":"opus","content":[{"type":"text","text":"Let me look."}],"usage":{"output_tokens":1}}}
/// {"type":"assistant","session_id":"s1","message":{"id":"m1","model":"opus","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}],"usage":{"output_tokens":9}}}
/// {"type":"user","session_id":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true}]}}
/// {"type":"result","session_id":"s1","total_cost_usd":0.25}
/// "#;
/// let mut totals = UsageTotals::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     totals.add(line?.peek()?);
/// }
/// assert_eq!(totals.total().messages, 1);
/// assert_eq!(totals.total().tokens.output_tokens, 9);
/// assert_eq!(totals.by_model()[0].name, Some("opus"));
/// let read = totals.by_tool()[0];
/// assert_eq!((read.name, read.calls, read.errors), (Some("Read"), 1, 1));
/// assert_eq!(totals.costs()[0].cost_usd, Some(0.25));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct UsageTotals {
    names: Names,
    /// By the message's id and the request's.
    known: HashMap<Box<[u8]>, usize>,
    spent: Vec<Spent>,
    /// By the call's id.
    calls: HashMap<Box<str>, Call>,
    /// Calls without an id.
    nameless_calls: Vec<Call>,
    /// The turns in progress of servers, which are `spent`, by session.
    turns: HashMap<Option<u32>, usize>,
    /// By session.
    runs: BTreeMap<Option<u32>, Runs>,
    /// Where keys are put together.
    key: Vec<u8>,
}

/// What one message used.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    tokens: Tokens,
    session: Option<u32>,
    model: Option<u32>,
    day: Option<u32>,
    is_sidechain: bool,
}

/// A call of a tool, by a message that is `spent`.
#[derive(Clone, Copy, Debug)]
struct Call {
    tool: Option<u32>,
    spent: Option<usize>,
    failed: bool,
}

/// What is asked of every message of the model. It is looked up in one pass,
/// because there are so many.
struct Reply<'m> {
    id: Option<&'m str>,
    model: Option<&'m str>,
    usage: Option<Usage<'m>>,
    content: Option<Content<'m>>,
}

impl<'m> Reply<'m> {
    fn of(message: ApiMessage<'m>) -> Reply<'m> {
        let [id, model, usage, content] =
            message.value().get_all(["id", "model", "usage", "content"]);
        Reply {
            id: id.and_then(FromValue::from_value),
            model: model.and_then(FromValue::from_value),
            usage: usage.and_then(FromValue::from_value),
            content: content.and_then(FromValue::from_value),
        }
    }
}

impl UsageTotals {
    /// Nothing yet.
    pub fn new() -> UsageTotals {
        UsageTotals::default()
    }

    /// Adds what a message says about usage, tools and cost.
    pub fn add(&mut self, message: Message<'_>) {
        match message {
            Message::Assistant(said) => self.add_assistant(message, said),
            Message::User(user) => {
                let answers = user.content().filter_map(answer_in);
                answers.for_each(|answer| self.add_answer(answer));
            }
            Message::System(system) => self.add_system(message, system),
            Message::Result(result) => {
                let session = self.names.session(message);
                let runs = self.runs.entry(session).or_default();
                runs.end(result, &mut self.names);
            }
            Message::Ui(event) => self.add_event(message, event),
            _ => {}
        }
    }

    fn add_assistant(&mut self, message: Message<'_>, said: Assistant<'_>) {
        let session = self.names.session(message);
        self.runs.entry(session).or_default().go_on();
        let Some(inner) = said.message() else {
            // The old form of a call has a line to itself.
            if let Some(tool) = said.tool_name() {
                self.add_call(message.uuid(), Some(tool), None);
            }
            return;
        };
        let reply = Reply::of(inner);
        let number = self.spent(said, &reply, session);
        for block in reply.content.into_iter().flat_map(Content::blocks) {
            if let Some(call) = call_in(block) {
                self.add_call(call.id(), call.name(), number);
            } else if let Some(answer) = answer_in(block) {
                self.add_answer(answer);
            }
        }
    }

    fn add_system(&mut self, message: Message<'_>, system: System<'_>) {
        if let System::Init(_) = system {
            let session = self.names.session(message);
            self.runs.entry(session).or_default().begin();
        }
        // The answer to a call in the old form.
        if message.is_error() {
            self.fail(message.parent_uuid());
        }
    }

    /// A server tells again and again what a turn has used so far. The last
    /// of it counts, and the turn counts as one message.
    fn add_event(&mut self, message: Message<'_>, event: UiMessage<'_>) {
        let session = self.names.session(message);
        match event.event() {
            UiEvent::TokenUpdate(_) => {
                let tokens = message.usage().map(Tokens::of);
                let tokens = tokens.unwrap_or_default();
                let turn = self.turns.entry(session);
                let turn = *turn.or_insert(self.spent.len());
                match self.spent.get_mut(turn) {
                    Some(spent) => spent.tokens = tokens,
                    None => {
                        let spent =
                            Spent { tokens, session, ..Spent::default() };
                        self.spent.push(spent);
                    }
                }
            }
            UiEvent::ToolExecuting(call) => {
                let turn = self.turns.get(&session).copied();
                self.add_call(call.tool_use_id(), call.tool_name(), turn);
            }
            UiEvent::Complete(_) => _ = self.turns.remove(&session),
            _ => {}
        }
    }

    /// The message that a line is of, with its usage brought up to date.
    /// `None` if the line says nothing about usage and is the first.
    fn spent(
        &mut self,
        said: Assistant<'_>,
        reply: &Reply<'_>,
        session: Option<u32>,
    ) -> Option<usize> {
        self.key.clear();
        if let Some(id) = reply.id {
            self.key.extend(id.bytes());
            self.key.extend(said.request_id().unwrap_or_default().bytes());
            // So that an id ends where it ends, whatever is in it.
            self.key.extend(id.len().to_le_bytes());
        } else if let Some(uuid) = said.uuid() {
            self.key.extend(uuid.bytes());
            // This is in no text, nor at the end of a length.
            self.key.push(0xFF);
        }
        let known = self.known.get(self.key.as_slice()).copied();
        let Some(usage) = reply.usage else { return known };
        let is_sidechain = Message::Assistant(said).is_sidechain();
        let model = self.number(reply.model);
        let day = self.number(said.timestamp().and_then(day));
        let number = known.unwrap_or(self.spent.len());
        if known.is_none() {
            if !self.key.is_empty() {
                self.known.insert(self.key.as_slice().into(), number);
            }
            self.spent.push(Spent { is_sidechain, ..Spent::default() });
        }
        let spent = self.spent.get_mut(number)?;
        match (spent.is_sidechain, is_sidechain) {
            (false, true) => return known,
            (true, false) => *spent = Spent::default(),
            _ => {}
        }
        // What the last line does not say stays as it was.
        spent.tokens.restate(usage);
        spent.session = session.or(spent.session);
        spent.model = model.or(spent.model);
        spent.day = day.or(spent.day);
        Some(number)
    }

    fn number(&mut self, name: Option<&str>) -> Option<u32> {
        Some(self.names.number(name?))
    }

    /// A call that is on several lines is one, and the first of them tells
    /// what it is.
    fn add_call(
        &mut self,
        id: Option<&str>,
        tool: Option<&str>,
        spent: Option<usize>,
    ) {
        let tool = self.number(tool);
        let call = Call { tool, spent, failed: false };
        match id {
            None => self.nameless_calls.push(call),
            Some(id) if self.calls.contains_key(id) => {}
            Some(id) => _ = self.calls.insert(id.into(), call),
        }
    }

    fn add_answer(&mut self, answer: AnswerBlock<'_>) {
        if answer.is_error() {
            self.fail(answer.tool_use_id());
        }
    }

    /// Notes that a call has failed, if there is such a call.
    fn fail(&mut self, call: Option<&str>) {
        if let Some(id) = call
            && let Some(call) = self.calls.get_mut(id)
        {
            call.failed = true;
        }
    }

    /// Everything.
    pub fn total(&self) -> Totals<'_> {
        let mut total = Totals::default();
        self.spent.iter().for_each(|spent| total.add(spent));
        total
    }

    /// By session, in the order in which they first came.
    pub fn by_session(&self) -> Vec<Totals<'_>> {
        self.by(|spent| spent.session)
    }

    /// By model, in the order in which they first came.
    pub fn by_model(&self) -> Vec<Totals<'_>> {
        self.by(|spent| spent.model)
    }

    /// By day, from the first to the last, behind messages that have none. A
    /// day is the first part of a message's timestamp, `2026-01-31`, in the
    /// time zone that it states.
    pub fn by_day(&self) -> Vec<Totals<'_>> {
        let mut days = self.by(|spent| spent.day);
        days.sort_by_key(|day| day.name);
        days
    }

    fn by(&self, group: impl Fn(&Spent) -> Option<u32>) -> Vec<Totals<'_>> {
        let mut groups: Vec<Totals<'_>> = vec![];
        let mut places = HashMap::new();
        for spent in &self.spent {
            let number = group(spent);
            let place = *places.entry(number).or_insert(groups.len());
            if place == groups.len() {
                let name = number.and_then(|number| self.names.name(number));
                groups.push(Totals { name, ..Totals::default() });
            }
            if let Some(totals) = groups.get_mut(place) {
                totals.add(spent);
            }
        }
        groups
    }

    /// By tool, the most called first.
    pub fn by_tool(&self) -> Vec<ToolTotals<'_>> {
        let mut calls: Vec<&Call> = self.calls.values().collect();
        calls.extend(&self.nameless_calls);
        // A message that calls a tool twice counts once.
        calls.sort_by_key(|call| (call.tool, call.spent));
        let mut tools: Vec<ToolTotals<'_>> = vec![];
        for of_tool in calls.chunk_by(|a, b| a.tool == b.tool) {
            let tool = of_tool.first().and_then(|call| call.tool);
            let name = tool.and_then(|tool| self.names.name(tool));
            let mut totals = ToolTotals { name, ..ToolTotals::default() };
            for of_message in of_tool.chunk_by(|a, b| a.spent == b.spent) {
                totals.calls += of_message.len() as u64;
                let failed = of_message.iter().filter(|call| call.failed);
                totals.errors += failed.count() as u64;
                let spent = of_message.first().and_then(|call| call.spent);
                if let Some(spent) = spent.and_then(|at| self.spent.get(at)) {
                    totals.messages += 1;
                    totals.tokens += spent.tokens;
                }
            }
            tools.push(totals);
        }
        tools.sort_by_key(|tool| (Reverse(tool.calls), tool.name));
        tools
    }

    /// What the results say that sessions cost, in the order of their names.
    /// A session without results is there as well, without a cost.
    pub fn costs(&self) -> Vec<Cost<'_>> {
        let runs = self.runs.iter();
        let mut costs: Vec<Cost<'_>> = runs
            .map(|(session, runs)| runs.cost(*session, &self.names))
            .collect();
        costs.sort_by_key(|cost| cost.session);
        costs
    }
}

impl Totals<'_> {
    fn add(&mut self, spent: &Spent) {
        self.messages += 1;
        self.tokens += spent.tokens;
    }
}

/// The day of a timestamp, if it begins with one.
fn day(timestamp: &str) -> Option<&str> {
    let day = timestamp.get(..10)?;
    let is_good = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_good.then_some(day)
}
