/*!
Token totals.

An agent writes one line for each content block of a message, and repeats the
usage of the whole message on every one of these lines. So usage is summed by
message and not by line. A message is identified by the API's message id
together with the request id, if there is one. The usage on the last line of a
message is used: see [`UsageTotals`] for copies of a message, and
[`MessageKeys`] for what identifies one.
*/

mod append;
mod calls;
mod class;
mod copies;
mod costs;
mod covered;
mod ends;
mod groups;
mod join;
mod key;
mod keys;
mod messages;
mod packed;
mod rank;
mod repeated;
mod rows;
mod saved;
mod spent;
mod sums;
mod text;
mod tools;
mod unlogged;

use std::collections::{BTreeMap, HashMap};

use linetape::message::{
    Message, ToolCall,
    server::{UiEvent, UiMessage},
    system::System,
};

use crate::{
    Facts, Tokens,
    cost::Runs,
    facts::{Answer, Part},
    ids::{NameId, Names},
};

use calls::{CallTotals, Calls};
use messages::Messages;

pub use groups::GroupTotals;
pub use keys::MessageKeys;
pub use tools::ToolTotals;
pub use unlogged::Unlogged;

/// The token usage of the messages of one session, model or day, or of all
/// messages.
///
/// # Example
///
/// See [`UsageTotals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Totals<'t> {
    /// The session, model or day. `None` for messages without one, and for
    /// the total.
    pub name: Option<&'t str>,
    /// The number of messages of the model.
    pub messages: u64,
    /// The tokens that these messages used.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub tokens: Tokens,
}

/// The token usage of one message of the model.
///
/// # Example
///
/// This shows how to sum the usage by month.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use linetape::lines;
/// use linetape_session::{Tokens, UsageTotals};
///
/// let log = br#"{"type":"assistant","cwd":"/srv","sessionId":"s1","timestamp":"2026-01-31T10:00:00Z","message":{"id":"m1","usage":{"output_tokens":5}}}"#;
/// let mut totals = UsageTotals::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     totals.add(line?.checked()?);
/// }
/// let mut months: BTreeMap<Option<&str>, Tokens> = BTreeMap::new();
/// for message in totals.messages() {
///     assert_eq!(message.project, Some("/srv"));
///     let month = message.day.and_then(|day| day.get(..7));
///     *months.entry(month).or_default() += message.tokens;
/// }
/// assert_eq!(months[&Some("2026-01")].output_tokens, 5);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MessageTotals<'t> {
    /// Its number among all messages that were added, copies included, in order
    /// of first appearance. See [`UsageTotals::next_index`].
    pub index: usize,
    /// The session.
    pub session: Option<&'t str>,
    /// The project of the session: the first working directory that a line
    /// of the session has.
    pub project: Option<&'t str>,
    /// The model.
    pub model: Option<&'t str>,
    /// The date in the timestamp, such as `2026-01-31`.
    pub day: Option<&'t str>,
    /// The timestamp in milliseconds since the Unix epoch.
    pub time: Option<i64>,
    /// Whether the message belongs to a sub-agent.
    pub is_sidechain: bool,
    /// Whether the model ran in fast mode, which has other prices.
    pub is_fast: bool,
    /// Whether the reported cost of its session includes it: the session has
    /// a cost by its results or its `cost-state`, which does not leave out the
    /// model, or the message states its own (`costUSD`).
    pub is_cost_reported: bool,
    /// The tokens.
    pub tokens: Tokens,
}

/// Sums token usage: in total, and by session, model, day and tool.
///
/// Add all messages of a log; messages without usage change nothing. A message
/// that is on several lines counts once, with the usage of its last line and
/// the session of its first line, or the one that the line names as that of the
/// request: see [`Facts::request_session`]. The last line is the one with the latest
/// timestamp, so that a copy of an earlier line does not count. If lines have
/// the same time, or none, it is the last one in the log. If a log has copies
/// of a message, only the lines closest to the original are used: lines of the
/// main conversation are preferred to lines of a sub-agent, separate lines to
/// [nested](Message::nested) messages, and originals to the copies of a fork.
/// What these lines lack, such as the model, is from the next closest ones.
/// Of a sub-agent's message, the largest counts on any of its lines are used:
/// its own line or the nested one may have only the counts of its start.
///
/// A line whose counts are all 0 never replaces one with tokens, however close
/// to the original it is. It still says the session, the model and the day. If
/// the four totals of a line are 0, all its counts are: a fork may set the
/// totals of a copy to 0, and keep the parts of what was written to the cache.
///
/// A fork of an old agent states neither its origin (`forkedFrom`) nor the
/// session of each request: it has lines that are the same as those of the
/// original, with the same times, but for the session. So the session that is
/// added first keeps the messages that both have. The sum is correct in any
/// order; for the usage by session, add the original first.
///
/// The lines of a stream have the counts of the start of a message, of which
/// those of the output are placeholders: the agent writes them before the
/// message is complete, and with `"stop_reason":null`. The counts at its end
/// are in its `message_delta`, in any order with the lines, and are used if
/// there is one. They do not count without a line of the message. Where the
/// results of the session report more than its messages have,
/// [`total`](UsageTotals::total) includes the difference: see
/// [`Unlogged`].
///
/// Two lines are parts of one message if they have the same message id and
/// request id, even in different sessions: a session that was resumed or
/// forked may repeat lines. Some gateways write the same message id on every
/// message, so without a request id, an id that does not begin with `msg_` is
/// valid in one session only, and together with the counts of the input. A
/// message without an id is identified by the `uuid` of its line, and a line
/// without either is a separate message.
///
/// A sub-agent may repeat messages of its parent with new request ids. So
/// within one session, a sub-agent's message with the same message id and
/// another request id is a copy, and does not count. Of two sub-agents'
/// messages, the one with more tokens counts. The same holds for a message of
/// a `transcript_mirror` beside the line itself, and for a message without a
/// request id beside one with it, if the id begins with `msg_`: a saved stream
/// has no request ids, and the transcript of its session has them. The message
/// with the request id then counts even if it has fewer tokens, but not if it
/// has none. Two messages of the main conversation with different request ids
/// are two.
///
/// A tool call is identified by its id alone, since agents never reuse an id. A
/// result may come before its call.
///
/// The answers of an advisor count as separate messages of another model. The
/// usage of the message that asked for them lists their tokens, but the token
/// counts of that message do not include them.
///
/// Messages of sub-agents that are [nested](Message::nested) in `progress`
/// lines are included.
///
/// The cost of a session is reported by its `result` and `cost-state` lines, or
/// else by those of its messages: see [`Cost`](crate::Cost).
///
/// # Costs
///
/// Adding a message takes time in proportion to its text. Memory is 40 to 55
/// bytes for each message of a transcript, 20 for each tool call and 170 for
/// each result; a message that is also in a stream takes about 150, one with a
/// `message_delta` 120 more, and one that states its cost about 270. A later line may refer to any message or call, so
/// none is ever removed.
///
/// # Example
///
/// This shows how to sum a log. Two of its lines are one message.
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
///     totals.add(line?.checked()?);
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
    runs: BTreeMap<Option<NameId>, Runs>,
    /// The first working directory of each session.
    projects: BTreeMap<Option<NameId>, NameId>,
    /// The working directory of the sessions of copied messages, by the copies.
    /// Of several, the first one in the alphabet, in any order of files.
    copied_projects: BTreeMap<Option<NameId>, NameId>,
    /// Whether tool calls are not counted.
    is_without_tools: bool,
}

impl UsageTotals {
    /// Creates empty totals.
    pub fn new() -> UsageTotals {
        UsageTotals::default()
    }

    /// Adds a message.
    #[inline]
    pub fn add(&mut self, message: Message<'_>) {
        self.add_facts(&Facts::of(message));
    }

    /// Adds a message by its facts.
    pub fn add_facts(&mut self, facts: &Facts<'_>) {
        match facts.message() {
            Message::Assistant(_) => self.add_assistant(facts),
            Message::User(_) => {
                let session = self.session(facts);
                self.add_project(facts, session);
                facts.answers().for_each(|answer| self.add_answer(answer));
            }
            Message::Attachment(_) => {
                let session = self.session(facts);
                self.add_project(facts, session);
            }
            Message::System(system) => self.add_system(facts, system),
            Message::Result(_) => {
                if let Some(result) = facts.run_result() {
                    let session = self.session(facts);
                    let at = self.messages.len();
                    let runs = self.runs.entry(session).or_default();
                    runs.end(result, at, &mut self.names);
                }
            }
            Message::CostState(state) => {
                let session = self.session(facts);
                let runs = self.runs.entry(session).or_default();
                runs.set_state(state, &mut self.names);
            }
            Message::Ui(event) => self.add_event(facts, event),
            Message::StreamEvent(event) => {
                self.messages.add_event(facts, event);
            }
            _ => facts.nested().for_each(|nested| self.add_facts(&nested)),
        }
    }

    fn session(&mut self, facts: &Facts<'_>) -> Option<NameId> {
        facts.session().map(|session| self.names.intern_session(session))
    }

    /// Notes the working directory of a session, if it is not known yet.
    fn add_project(&mut self, facts: &Facts<'_>, session: Option<NameId>) {
        if !self.projects.contains_key(&session)
            && let Some(folder) = facts.cwd()
        {
            self.projects.insert(session, self.names.intern(folder));
        }
    }

    /// Returns the working directory of a session.
    fn project(&self, session: Option<NameId>) -> Option<&str> {
        let own = self.projects.get(&session);
        let project = own.or_else(|| self.copied_projects.get(&session));
        self.names.name(*project?)
    }

    /// Notes the working directory of a session of which another one has a
    /// copy.
    fn add_copied_project(
        &mut self,
        session: Option<NameId>,
        project: NameId,
    ) {
        let known = self.copied_projects.entry(session).or_insert(project);
        if self.names.name(project) < self.names.name(*known) {
            *known = project;
        }
    }

    /// Returns the session that a message belongs to, and notes that another
    /// one has a copy, if the line is one.
    fn owner(
        &mut self,
        facts: &Facts<'_>,
        session: Option<NameId>,
    ) -> Option<NameId> {
        let Some(owner) = facts.noted_session() else { return session };
        let owner = Some(self.names.intern_session(owner));
        if owner != session {
            if facts.usage().is_some() {
                self.messages.relate(owner, session);
            }
            if let Some(folder) = facts.cwd() {
                let folder = self.names.intern(folder);
                self.add_copied_project(owner, folder);
            }
        }
        owner
    }

    fn add_assistant(&mut self, facts: &Facts<'_>) {
        let session = self.session(facts);
        self.add_project(facts, session);
        self.runs.entry(session).or_default().add_message();
        let Some(said) = facts.said() else {
            // In the early transcript format, a call is a line.
            let call = facts.line_call().filter(|call| call.name().is_some());
            if let Some(call) = call {
                self.add_call(call, None);
            }
            return;
        };
        let owner = self.owner(facts, session);
        let names = &mut self.names;
        let message = self.messages.add(facts, &said, owner, names);
        for part in facts.parts() {
            match part {
                Part::Call(call) => self.add_call(call, Some(message)),
                Part::Answer(answer) => self.add_answer(answer),
            }
        }
    }

    fn add_system(&mut self, facts: &Facts<'_>, system: System<'_>) {
        if let System::Init(_) = system {
            let session = self.session(facts);
            self.add_project(facts, session);
            let at = self.messages.len();
            self.runs.entry(session).or_default().begin(at);
        }
        // In the early transcript format, a system line that reports an error
        // is the result of the call that is its parent.
        if facts.is_error()
            && !self.is_without_tools
            && let Some(call) = facts.parent_uuid()
        {
            self.calls.fail(call);
        }
    }

    /// Adds an event of an agent server. A server reports the usage of a turn
    /// several times; the last report is used. A turn counts as one message.
    fn add_event(&mut self, facts: &Facts<'_>, event: UiMessage<'_>) {
        let session = self.session(facts);
        match event.event() {
            UiEvent::TokenUpdate(_) => {
                let tokens = facts.usage().map(Tokens::of);
                let tokens = tokens.unwrap_or_default();
                self.messages.update_turn(session, tokens);
            }
            UiEvent::ToolExecuting(_) => {
                let turn = self.messages.turn(session);
                facts.calls().for_each(|call| self.add_call(call, Some(turn)));
            }
            UiEvent::Complete(_) => self.messages.end_turn(session),
            _ => {}
        }
    }

    fn add_call(&mut self, call: ToolCall<'_>, message: Option<usize>) {
        if self.is_without_tools {
            return;
        }
        let tool = call.name().map(|tool| self.names.intern(tool));
        let totals = CallTotals { tool, message, failed: false };
        self.calls.add(call.id(), totals);
    }

    fn add_answer(&mut self, answer: Answer<'_>) {
        if answer.is_error
            && !self.is_without_tools
            && let Some(call) = answer.call
        {
            self.calls.fail(call);
        }
    }

    /// Returns the [`index`](MessageTotals::index) of the next message that is
    /// new. If it is larger after a line was added, the line has begun messages:
    /// its own, or answers of an advisor. Use it to keep more of each message
    /// than the totals do.
    pub fn next_index(&self) -> usize {
        self.messages.len()
    }

    /// Returns the usage of each message, in order of first appearance. Use it
    /// to group the usage in other ways than the methods below.
    pub fn messages(&self) -> impl Iterator<Item = MessageTotals<'_>> {
        let name = |id: Option<NameId>| self.names.name(id?);
        let runs = self.runs.iter().filter(|(_, runs)| runs.has_cost());
        let mut reported: HashMap<_, Vec<NameId>> = runs
            .map(|(session, runs)| (*session, runs.models_without_cost()))
            .collect();
        // Of a session that was not read, there are the messages that its
        // forks have copies of, and whose cost they include.
        for (one, other) in self.messages.related() {
            for (session, fork) in [(one, other), (other, one)] {
                if !self.runs.contains_key(&session)
                    && let Some(without) = reported.get(&fork).cloned()
                {
                    reported.entry(session).or_insert(without);
                }
            }
        }
        self.messages.indexed().map(move |(index, spent)| MessageTotals {
            index,
            session: name(spent.session),
            project: self.project(spent.session),
            model: name(spent.model),
            day: name(spent.day),
            time: spent.time,
            is_sidechain: spent.rank.is_sidechain(),
            is_fast: spent.figures.is_fast,
            is_cost_reported: spent.cost.is_some()
                || reported.get(&spent.session).is_some_and(|without| {
                    spent.model.is_none_or(|model| !without.contains(&model))
                }),
            tokens: spent.tokens(),
        })
    }
}
