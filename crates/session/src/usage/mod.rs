/*!
Tokens and cost.

An agent writes one line for each block that the model says, and puts the usage
of the whole message on every one of them. So lines are not added up, but
messages: a message is known by the API's id for it, and by the id of the
request if there is one, and its last line counts.
*/

mod append;
mod calls;
mod messages;

use std::{cmp::Reverse, collections::BTreeMap};

use linetape::message::{
    AnswerBlock, Content, Message,
    server::{UiEvent, UiMessage},
    stream::Assistant,
    system::System,
};

use crate::{
    Cost, Tokens,
    blocks::{answer_in, call_in},
    cost::Runs,
    names::Names,
};

use calls::{Call, Calls};
use messages::{Messages, Reply, Spent};

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
/// by their ids alone, which agents do not use twice, and so are the results
/// of calls, wherever they stand.
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
/// use linetape::lines;
/// use linetape_session::UsageTotals;
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
    messages: Messages,
    calls: Calls,
    /// By session.
    runs: BTreeMap<Option<u32>, Runs>,
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
        let names = &mut self.names;
        let number = self.messages.add(said, &reply, session, names);
        for block in reply.content.into_iter().flat_map(Content::blocks) {
            if let Some(call) = call_in(block) {
                self.add_call(call.id(), call.name(), Some(number));
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
        if message.is_error()
            && let Some(call) = message.parent_uuid()
        {
            self.calls.fail(call);
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
                self.messages.update_turn(session, tokens);
            }
            UiEvent::ToolExecuting(call) => {
                let turn = self.messages.turn(session);
                let (id, tool) = (call.tool_use_id(), call.tool_name());
                self.add_call(id, tool, Some(turn));
            }
            UiEvent::Complete(_) => self.messages.end_turn(session),
            _ => {}
        }
    }

    fn add_call(
        &mut self,
        id: Option<&str>,
        tool: Option<&str>,
        spent: Option<usize>,
    ) {
        let tool = tool.map(|tool| self.names.number(tool));
        self.calls.add(id, Call { tool, spent, failed: false });
    }

    fn add_answer(&mut self, answer: AnswerBlock<'_>) {
        if answer.is_error()
            && let Some(call) = answer.tool_use_id()
        {
            self.calls.fail(call);
        }
    }

    /// Everything.
    pub fn total(&self) -> Totals<'_> {
        let mut total = Totals::default();
        self.messages.spent().for_each(|spent| total.add(spent));
        total
    }

    /// By session, in the order in which their messages first came.
    pub fn by_session(&self) -> Vec<Totals<'_>> {
        self.by(|spent| spent.session)
    }

    /// By model, in the order in which their messages first came.
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
        let mut places = BTreeMap::new();
        for spent in self.messages.spent() {
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
        let mut calls: Vec<&Call> = self.calls.iter().collect();
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
                if let Some(spent) = spent.and_then(|at| self.messages.get(at))
                {
                    totals.messages += 1;
                    totals.tokens += spent.tokens();
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
        self.tokens += spent.tokens();
    }
}
