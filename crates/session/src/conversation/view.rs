/*!
The public views, with the methods of sessions, turns and steps.
*/

use crate::{
    Conversation,
    conversation::{
        Place, StepKind, Warning,
        entry::{CallEntry, SessionEntry, ThreadEntry, TurnEntry},
        steps::StepEntry,
    },
    ids::Index,
};

/// Defines views: references to a conversation and to an entry of it.
macro_rules! views {
    ($($(#[$doc:meta])+ $view:ident of $entry:ident;)+) => {$(
        $(#[$doc])+
        ///
        /// # Example
        ///
        /// See [`Conversation`].
        #[derive(Clone, Copy)]
        pub struct $view<'c> {
            pub(crate) all: &'c Conversation,
            pub(crate) entry: &'c $entry,
            pub(crate) index: Index,
        }
    )+};
}

views! {
    /// A session of a [`Conversation`].
    Session of SessionEntry;
    /// A prompt of a person, and the steps that it led to; or the same of a
    /// sub-agent.
    Turn of TurnEntry;
    /// A tool call, with its result and the sub-agents that it started.
    Call of CallEntry;
    /// A sub-agent, with its own turns and steps.
    Agent of ThreadEntry;
}

/// A part of a turn: a text, a thought, a tool call, a notification, ...
///
/// # Example
///
/// See [`Conversation`].
#[derive(Clone, Copy)]
pub struct Step<'c> {
    pub(crate) all: &'c Conversation,
    pub(crate) entry: StepEntry,
    pub(crate) index: Index,
}

impl<'c> Session<'c> {
    /// Returns the index of the session in the conversation.
    pub fn index(self) -> usize {
        self.index.get()
    }

    /// Returns the session id. `None` if the lines have none.
    pub fn id(self) -> Option<&'c str> {
        self.all.name(self.entry.id)
    }

    /// Returns the turns of the main conversation, in order. Those of
    /// sub-agents are at their [calls](Call::agents).
    pub fn turns(self) -> impl Iterator<Item = Turn<'c>> {
        let main = self.all.threads.get(self.entry.main.get());
        let turns = main.map(|main| main.turns.as_slice());
        let all = self.all;
        turns.unwrap_or_default().iter().filter_map(move |i| all.turn_at(*i))
    }

    /// Returns all sub-agents, in order of appearance.
    pub fn agents(self) -> impl Iterator<Item = Agent<'c>> {
        let agents = self.entry.threads.iter();
        agents.filter_map(move |index| self.all.agent_at(*index))
    }

    /// Returns all tool calls, also those of sub-agents, in log order.
    pub fn calls(self) -> impl Iterator<Item = Call<'c>> {
        let calls = self.entry.calls.iter();
        calls.filter_map(move |index| self.all.call_at(*index))
    }

    /// Returns the place of the title: the last `custom-title` line, or else
    /// the last `ai-title` line.
    pub fn title(self) -> Option<Place> {
        self.entry.title.map(|(place, _)| place)
    }

    /// Returns the id of the session that this one was forked from.
    pub fn forked_from(self) -> Option<&'c str> {
        self.all.name(self.entry.forked_from)
    }

    /// Returns the id of the session that has the first messages of this one:
    /// its first lines are copies of lines of that session, which was added
    /// before. They are steps of that session only. `None` before
    /// [`finish`](Conversation::finish).
    pub fn begins_as(self) -> Option<&'c str> {
        self.all.name(self.entry.begins_as)
    }

    /// Returns the working directory at the start of the session.
    pub fn cwd(self) -> Option<&'c str> {
        self.all.name(self.entry.cwd)
    }

    /// Returns the id of the session that this one goes on in.
    pub fn continued_in(self) -> Option<&'c str> {
        self.all.name(self.entry.continued_in)
    }

    /// Returns the earliest time of a step, in milliseconds since the Unix epoch.
    pub fn started_at(self) -> Option<i64> {
        self.threads().flat_map(Turn::times).map(|t| t.0).min()
    }

    /// Returns the latest time of a step, in milliseconds since the Unix epoch.
    pub fn ended_at(self) -> Option<i64> {
        self.threads().flat_map(Turn::times).map(|t| t.1).max()
    }

    /// Returns the turns of the main conversation and of all sub-agents.
    fn threads(self) -> impl Iterator<Item = Turn<'c>> {
        self.turns().chain(self.agents().flat_map(Agent::turns))
    }

    /// Returns the reasons not to trust the figures of this session.
    pub fn warnings(self) -> impl Iterator<Item = Warning> {
        let SessionEntry { stated, written, .. } = *self.entry;
        let open = self.calls().filter(|call| call.answer().is_none());
        let open = open.count() as u64;
        [
            // English text has about four bytes a token.
            (written > 2_000 && stated < written / 20)
                .then_some(Warning::PlaceholderTokens { stated, written }),
            (self.entry.missing > 0)
                .then_some(Warning::MissingParents(self.entry.missing)),
            (open > 0).then_some(Warning::CallsWithoutResult(open)),
            (self.entry.unasked > 0)
                .then_some(Warning::ResultsWithoutCall(self.entry.unasked)),
        ]
        .into_iter()
        .flatten()
    }
}

impl<'c> Turn<'c> {
    /// Returns the index of the turn in the conversation.
    pub fn index(self) -> usize {
        self.index.get()
    }

    /// Returns the first text of the prompt or command, or its first block if
    /// it has no text. `None` if the log has no prompt for it.
    pub fn prompt(self) -> Option<Step<'c>> {
        let first = self.steps().next()?;
        let is_block = |step: &Step<'_>| step.kind() == StepKind::Block;
        let text = match self.entry.is_asked {
            true => self.steps().find(|step| !is_block(step)),
            false => Some(first),
        };
        let is_prompt = |step: &Step<'_>| {
            matches!(step.kind(), StepKind::Prompt | StepKind::Command)
        };
        let block = Some(first).filter(|_| self.entry.is_asked);
        text.filter(is_prompt).or(block.filter(is_block))
    }

    /// Returns the steps in reading order, with the prompt. A result is not a
    /// step here, but at its [call](Step::call), unless its call is missing or
    /// has another result.
    pub fn steps(self) -> impl Iterator<Item = Step<'c>> {
        let steps = self.entry.steps.iter();
        let steps = steps.filter_map(move |i| self.all.step_at(*i));
        steps.filter(|step| {
            let call =
                step.call().filter(|_| step.kind() == StepKind::ToolResult);
            call.is_none_or(|call| call.entry.answer != Some(step.index))
        })
    }

    /// Returns the tool calls of the steps.
    pub fn calls(self) -> impl Iterator<Item = Call<'c>> {
        let steps = self.steps();
        steps.filter_map(|step| match step.kind() {
            StepKind::Call => step.call(),
            _ => None,
        })
    }

    /// Returns the earliest time, in milliseconds since the Unix epoch.
    pub fn started_at(self) -> Option<i64> {
        self.entry.times.map(|times| times.0)
    }

    /// Returns the latest time, in milliseconds since the Unix epoch.
    pub fn ended_at(self) -> Option<i64> {
        self.entry.times.map(|times| times.1)
    }

    /// Returns the time from the first to the last step, in milliseconds.
    pub fn duration(self) -> Option<u64> {
        self.entry.times.map(|(first, last)| last.abs_diff(first))
    }

    fn times(self) -> Option<(i64, i64)> {
        self.entry.times
    }

    /// Returns the number of messages of the model.
    pub fn messages(self) -> u64 {
        self.entry.messages
    }

    /// Returns whether the user interrupted the turn.
    pub fn is_interrupted(self) -> bool {
        self.entry.is_interrupted
    }

    /// Returns whether the whole turn was abandoned: the user edited the
    /// prompt, or went back to an earlier message.
    pub fn is_abandoned(self) -> bool {
        self.steps().all(Step::is_abandoned) && self.steps().next().is_some()
    }

    /// Returns the sub-agent that the turn belongs to. `None` in the main
    /// conversation.
    pub fn agent(self) -> Option<Agent<'c>> {
        self.all.agent_at(self.entry.thread)
    }

    /// Returns the session that contains the turn.
    pub fn session(self) -> Option<Session<'c>> {
        self.all.session_of(self.entry.thread)
    }
}

impl<'c> Step<'c> {
    /// Returns the index of the step in the conversation: its position in
    /// [`Conversation::steps`]. It stays the same while the log grows.
    pub fn index(self) -> usize {
        self.index.get()
    }

    /// Returns the kind of the step.
    pub fn kind(self) -> StepKind {
        self.entry.kind
    }

    /// Returns the place of the step's message.
    pub fn place(self) -> Place {
        self.entry.place
    }

    /// Returns the item index of the step's content block in its message.
    pub fn block_index(self) -> usize {
        self.entry.block as usize
    }

    /// Returns the time of the step, in milliseconds since the Unix epoch.
    pub fn time(self) -> Option<i64> {
        self.entry.time
    }

    /// Returns the turn that contains the step.
    pub fn turn(self) -> Option<Turn<'c>> {
        self.all.turn_at(self.entry.turn)
    }

    /// Returns the call of a `Call`; the call that a `ToolResult` belongs to;
    /// the call that began the task of a `Notification`.
    pub fn call(self) -> Option<Call<'c>> {
        match self.kind() {
            StepKind::Agent => None,
            _ => self.all.call_at(self.entry.link?),
        }
    }

    /// Returns the sub-agent of a step of the kind `Agent`.
    pub fn agent(self) -> Option<Agent<'c>> {
        match self.kind() {
            StepKind::Agent => self.all.agent_at(self.entry.link?),
            _ => None,
        }
    }

    /// Returns whether the step is on an abandoned branch.
    pub fn is_abandoned(self) -> bool {
        self.entry.is_abandoned
    }
}
