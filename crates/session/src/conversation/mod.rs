/*!
A conversation as a person reads it.

`mod.rs` has [`Conversation`]; `threads` finds the session, thread and turn of
a message; `rules`, `said` and `events` have a method for each type of message;
`calls` joins calls with their results and notifications, and `agents` with
sub-agents; `fork` knows what sub-agents have copied; `sort` recognises what
the agent program wrote with the role of the user; `lineage` has the parents of
messages, and finds abandoned branches; `streamed` adds messages of which only
the parts were sent; `finish` ends a log, and `order` sorts what was in several
files; `view` and `view_calls` have the
public views and their methods; `steps` packs steps; `place` reads lines again;
`summary` describes a call in one line; `text` returns the texts of steps,
`result_text` those of tool results, `content` those of documents, `attached` and
`hooks` what attachments and hooks say, `told` what the agent program says, and
`words` what it writes with tags;
`hidden` knows the characters that cannot be seen.
*/

mod agents;
mod attached;
mod call_ids;
mod calls;
mod content;
mod debug;
mod entry;
mod events;
mod finish;
mod fork;
mod hidden;
mod hooks;
mod kind;
mod lineage;
mod order;
mod place;
mod result_text;
mod rules;
mod said;
mod sort;
mod steps;
mod streamed;
mod summary;
mod text;
mod threads;
mod told;
mod view;
mod view_calls;
mod words;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::RandomState,
    ops::Range,
};

use linetape::{Error, Message};

use crate::{
    Assembled, Deltas, Facts,
    blocks::Blocks,
    ids::{Index, NameId, Names},
    turns::ThreadId,
};

use agents::Meta;
use call_ids::CallIds;
use entry::{CallEntry, CallRest, SessionEntry, ThreadEntry, TurnEntry};
use fork::Fork;
pub use hidden::is_hidden;
pub use kind::{StepKind, Warning};
use lineage::Lineage;
pub use place::{Place, Recall};
pub use result_text::ResultText;
pub use sort::Notice;
use steps::{StepEntry, Steps};
pub use summary::Summary;
use threads::Here;
pub use view::{Agent, Call, Session, Step, Turn};

/// The sessions of a log as a person reads them: turns with prompts, texts,
/// thoughts, tool calls with their results, and sub-agents.
///
/// Unlike [`Turns`](crate::Turns), which keeps the structure of the log, it is
/// for display. What the agent program writes with the role of the user is
/// told apart from what a person writes. A result is at its call, even if
/// several calls ran at once. A task in the background ends when its
/// notification arrives. Sub-agents are at the call that started them: from
/// files of their own, sidechains, `parent_tool_use_id`, and messages that are
/// nested in `progress` lines. Abandoned steps are marked. A message
/// that is there twice (with the same uuid and content) is used once.
///
/// # Two passes
///
/// In the first pass, all lines are added: [`add_facts`](Self::add_facts), in
/// log order, one file after the other. Only ids and [places](Place) are kept.
/// After [`finish`](Self::finish), the sessions, turns and steps are walked in
/// reading order. Their text is read again from the logs, line by line, with
/// [`Recall`]. A caller that prints a log while it grows uses the range of new
/// steps that `add_facts` returns instead.
///
/// # Costs
///
/// Adding a message takes time in proportion to its text. Memory grows with
/// the steps, tool calls and messages: about 320 bytes for a tool call with
/// its result, in two messages. [`close`](Self::close) releases half of that
/// at the end. No text is kept, except that of streamed messages whose
/// complete message is missing: see [`assembled`](Self::assembled).
///
/// # Example
///
/// This shows two calls whose results arrive in another order.
///
/// ```
/// use std::io::Cursor;
///
/// use linetape::{Limits, lines};
/// use linetape_session::{
///     Conversation, Facts,
///     conversation::{Place, Recall, StepKind, Summary},
/// };
///
/// let log = br#"{"type":"user","message":{"content":"Compare them."}}
/// {"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.rs"}}]}}
/// {"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"b.rs"}}]}}
/// {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"bee"}]}}
/// {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}
/// "#;
/// let mut conversation = Conversation::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     let line = line?;
///     let facts = Facts::of(line.checked()?);
///     conversation.add_facts(&facts, Place::of_line(0, &line))?;
/// }
/// conversation.finish();
///
/// let mut recall = Recall::new(Limits::default());
/// recall.add_source(Cursor::new(log));
/// let mut shown = vec![];
/// for turn in conversation.sessions().flat_map(|session| session.turns()) {
///     for step in turn.steps() {
///         let text = recall.step(step, |facts| match step.kind() {
///             StepKind::Call => Summary::of_step(step, facts).to_string(),
///             _ => step.text(facts).into_owned(),
///         });
///         shown.extend(text.unwrap());
///         let answer = step.call().and_then(|call| call.answer());
///         if let Some(answer) = answer {
///             let text = recall
///                 .step(answer, |facts| answer.text(facts).into_owned());
///             shown.extend(text.unwrap());
///         }
///     }
/// }
/// assert_eq!(shown, ["Compare them.", "Read a.rs", "a", "Read b.rs", "bee"]);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Conversation {
    names: Names,
    steps: Steps,
    calls: Blocks<CallEntry>,
    rests: Vec<CallRest>,
    turns: Vec<TurnEntry>,
    threads: Vec<ThreadEntry>,
    sessions: Vec<SessionEntry>,
    by_session: HashMap<Option<NameId>, Index>,
    /// The source and the session of the last message.
    last_session: Option<(u32, Index)>,
    by_thread: HashMap<(Index, ThreadId), Index>,
    /// The calls by session and id: the first one without a result, or else
    /// the last one.
    by_call: CallIds,
    /// The calls whose id is that of an earlier call without a result.
    again: HashMap<(Index, NameId), VecDeque<Index>>,
    /// The prints of calls whose id several calls have.
    prints: HashSet<((Index, NameId), u32)>,
    /// The calls that began sub-agents and tasks, by session and the id of
    /// the agent or task.
    by_task: HashMap<(Index, NameId), Index>,
    /// The calls that may start a sub-agent, by session and prompt.
    by_prompt: HashMap<(Index, u64), Index>,
    hasher: RandomState,
    /// For each line of a sidechain without a name, by session and uuid: the
    /// uuid of its first line.
    sidechains: HashMap<(Index, NameId), NameId>,
    /// The prompts of sub-agents without a call.
    prompts: HashMap<Index, u64>,
    metas: HashMap<NameId, Meta>,
    /// The description of a sub-agent without its id, and its source.
    described: Option<(u32, Meta)>,
    /// What sub-agents that were forked from their parents begin with, by
    /// thread.
    forks: HashMap<Index, Fork>,
    lineage: Lineage,
    deltas: Deltas,
    /// Streamed messages that have ended, and whose complete message has not
    /// been read yet.
    streamed: Vec<Assembled>,
    assembled: Vec<String>,
    lost: u64,
    is_closed: bool,
}

impl Conversation {
    /// Creates an empty conversation.
    pub fn new() -> Conversation {
        Conversation::default()
    }

    /// Adds a message and the place of its line. Returns the indexes of the
    /// new [steps](Self::steps), which are in log order.
    ///
    /// # Errors
    ///
    /// Returns the error of decoding the line, if it is a stream event that
    /// was not checked before and is invalid.
    pub fn add(
        &mut self,
        message: Message<'_>,
        place: Place,
    ) -> Result<Range<usize>, Error> {
        self.add_facts(&Facts::of(message), place)
    }

    /// Adds a message by its facts. Otherwise the same as [`add`](Self::add).
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`add`](Self::add).
    pub fn add_facts(
        &mut self,
        facts: &Facts<'_>,
        place: Place,
    ) -> Result<Range<usize>, Error> {
        let start = self.steps.len();
        match self.deltas.add_facts(facts)? {
            Some(whole) if whole.is_finished => self.streamed.push(whole),
            // The next message has begun.
            Some(truncated) => self.add_streamed(&truncated),
            None => {}
        }
        match facts.message() {
            Message::Assistant(_) => {
                let id = facts.message_id();
                self.streamed.retain(|old| old.id.as_deref() != id);
            }
            // A complete message would have come before.
            Message::Result(_) | Message::User(_) => {
                let session = facts.session().map(|id| id.to_string());
                let call = facts.parent_tool_use_id();
                self.end_streamed(|old| {
                    old.session == session
                        && old.parent_tool_use_id.as_deref() == call
                });
            }
            _ => {}
        }
        self.visit(facts, place, &mut 0);
        if let (Message::Assistant(_), Some(id)) =
            (facts.message(), facts.message_id())
        {
            self.lineage.note_said(id);
        }
        Ok(start..self.steps.len())
    }

    /// Notes that a line could not be read.
    pub fn add_lost(&mut self) {
        self.lost += 1;
    }

    /// Ends the log: adds streamed messages whose complete message is
    /// missing, links sub-agents to their calls, and marks abandoned branches.
    /// Returns the indexes of the new steps. Messages can still be added
    /// afterwards; then call it again.
    pub fn finish(&mut self) -> Range<usize> {
        let start = self.steps.len();
        if self.is_closed {
            return start..start;
        }
        self.end_streamed(|_| true);
        for streamed in self.deltas.take_unfinished() {
            self.add_streamed(&streamed);
        }
        self.tie_agents();
        self.sort_agents();
        self.mark_abandoned();
        self.link_copies();
        self.count_missing();
        start..self.steps.len()
    }

    /// Ends the log for good: the same as [`finish`](Self::finish), but also
    /// releases what is only needed to add messages. Add none afterwards: they
    /// would not be joined with the earlier ones.
    ///
    /// # Costs
    ///
    /// Releases about half of the memory.
    pub fn close(&mut self) -> Range<usize> {
        let new = self.finish();
        self.is_closed = true;
        self.lineage = Lineage::default();
        self.by_call = CallIds::default();
        self.by_task = HashMap::new();
        self.by_prompt = HashMap::new();
        self.again = HashMap::new();
        self.prints = HashSet::new();
        self.sidechains = HashMap::new();
        self.prompts = HashMap::new();
        new
    }

    /// Returns the line of a streamed message whose complete message is
    /// missing: the source of its place is [`Place::ASSEMBLED`].
    pub fn assembled(&self, place: Place) -> Option<&str> {
        let index = usize::try_from(place.byte).ok()?;
        let is_own = place.source == Place::ASSEMBLED;
        self.assembled.get(index).filter(|_| is_own).map(String::as_str)
    }

    /// Returns the sessions, in order of appearance.
    pub fn sessions(&self) -> impl Iterator<Item = Session<'_>> {
        let sessions = (0..self.sessions.len()).filter_map(Index::new);
        sessions.filter_map(|index| self.session_at(index))
    }

    /// Returns all steps in log order. Results are steps here as well.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        (0..self.steps.len()).filter_map(|index| self.step(index))
    }

    /// Returns the step with an index.
    pub fn step(&self, index: usize) -> Option<Step<'_>> {
        self.step_at(Index::new(index)?)
    }

    /// Returns all tool calls in log order.
    pub fn calls(&self) -> impl Iterator<Item = Call<'_>> {
        let calls = (0..self.calls.len()).filter_map(Index::new);
        calls.filter_map(|index| self.call_at(index))
    }

    /// Returns the number of lines that could not be read.
    pub fn lost_lines(&self) -> u64 {
        self.lost
    }

    /// Returns the reasons not to trust the figures: lost lines, and the
    /// warnings of all sessions.
    pub fn warnings(&self) -> impl Iterator<Item = Warning> {
        let lost = (self.lost > 0).then_some(Warning::LostLines(self.lost));
        let sessions = self.sessions().flat_map(Session::warnings);
        lost.into_iter().chain(sessions)
    }

    pub(crate) fn name(&self, id: Option<NameId>) -> Option<&str> {
        self.names.name(id?)
    }

    pub(crate) fn step_at(&self, index: Index) -> Option<Step<'_>> {
        let entry = self.steps.get(index)?;
        Some(Step { all: self, entry, index })
    }

    pub(crate) fn turn_at(&self, index: Index) -> Option<Turn<'_>> {
        let entry = self.turns.get(index.get())?;
        Some(Turn { all: self, entry, index })
    }

    pub(crate) fn call_at(&self, index: Index) -> Option<Call<'_>> {
        let entry = self.calls.get(index.get())?;
        Some(Call { all: self, entry, index })
    }

    pub(crate) fn agent_at(&self, index: Index) -> Option<Agent<'_>> {
        let entry = self.threads.get(index.get())?;
        entry.is_agent.then_some(Agent { all: self, entry, index })
    }

    pub(crate) fn session_at(&self, index: Index) -> Option<Session<'_>> {
        let entry = self.sessions.get(index.get())?;
        Some(Session { all: self, entry, index })
    }

    pub(crate) fn session_of(&self, thread: Index) -> Option<Session<'_>> {
        self.session_at(self.threads.get(thread.get())?.session)
    }
}
