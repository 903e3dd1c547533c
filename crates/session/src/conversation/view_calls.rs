/*!
The methods of calls and sub-agents.
*/

use crate::{
    conversation::{Agent, Call, Session, Step, Turn, entry::CallRest},
    ids::NameId,
};

impl<'c> Call<'c> {
    /// Returns the index of the call in the conversation.
    pub fn index(self) -> usize {
        self.index.get()
    }

    /// Returns the id of the call.
    pub fn id(self) -> Option<&'c str> {
        self.all.name(self.entry.id)
    }

    /// Returns the name of the tool, unless it is empty.
    pub fn name(self) -> Option<&'c str> {
        self.all.name(self.entry.name).filter(|name| !name.trim().is_empty())
    }

    /// Returns the step of the call.
    pub fn step(self) -> Option<Step<'c>> {
        self.all.step_at(self.entry.step)
    }

    /// Returns the step of the call's result. `None` if there is none.
    pub fn answer(self) -> Option<Step<'c>> {
        self.all.step_at(self.entry.answer?)
    }

    /// Returns the step of the notification that the call's background task
    /// has ended.
    pub fn notification(self) -> Option<Step<'c>> {
        self.all.step_at(self.rest()?.notification?)
    }

    /// Returns whether the tool failed.
    pub fn is_error(self) -> bool {
        self.entry.is_error
    }

    /// Returns whether the call began a task in the background. Then its
    /// result only says that the task was started.
    pub fn is_background(self) -> bool {
        self.entry.is_background
    }

    /// Returns the time of the call, in milliseconds since the Unix epoch.
    pub fn started_at(self) -> Option<i64> {
        self.step()?.time()
    }

    /// Returns the time of the call's result, in milliseconds since the Unix epoch. For a task
    /// in the background, the time of the notification, or else of the last
    /// step of its sub-agents. `None` if it is still running as far as the
    /// logs say.
    pub fn ended_at(self) -> Option<i64> {
        if !self.is_background() {
            return self.answer()?.time();
        }
        let agents = self.agents().flat_map(Agent::turns);
        let last = agents.filter_map(|turn| turn.ended_at()).max();
        self.notification().map_or(last, |told| told.time())
    }

    /// Returns the time from the call to its end, in milliseconds.
    pub fn duration(self) -> Option<u64> {
        let time = self.ended_at()?.checked_sub(self.started_at()?)?;
        u64::try_from(time).ok()
    }

    /// Returns the number of lines that the call added and removed, if its
    /// result states them.
    pub fn changed_lines(self) -> Option<(u32, u32)> {
        self.rest()?.changed
    }

    /// Returns the sub-agents that the call started.
    pub fn agents(self) -> impl Iterator<Item = Agent<'c>> {
        let agents = self.rest().map(|rest| rest.agents.as_slice());
        let agents = agents.unwrap_or_default().iter();
        agents.filter_map(move |index| self.all.agent_at(*index))
    }

    fn rest(self) -> Option<&'c CallRest> {
        self.all.rests.get(self.entry.rest?.get())
    }

    /// Returns the session that contains the call.
    pub fn session(self) -> Option<Session<'c>> {
        let turn = self.step().and_then(Step::turn);
        self.all.session_of(turn?.entry.thread)
    }
}

impl<'c> Agent<'c> {
    /// Returns the index of the sub-agent in the conversation.
    pub fn index(self) -> usize {
        self.index.get()
    }

    /// Returns the id of the sub-agent, or the uuid of its first message.
    pub fn id(self) -> Option<&'c str> {
        self.all.name(self.entry.id)
    }

    /// Returns the type of the sub-agent, such as `Explore`.
    pub fn kind(self) -> Option<&'c str> {
        self.told(self.entry.kind, |call| call.kind)
    }

    /// Returns the description of the sub-agent's task.
    pub fn task(self) -> Option<&'c str> {
        self.told(self.entry.task, |call| call.task)
    }

    /// Returns the sub-agent's own name, or else the one that its call has.
    fn told(
        self,
        own: Option<NameId>,
        of_call: impl Fn(&CallRest) -> Option<NameId>,
    ) -> Option<&'c str> {
        let call = self.call().and_then(Call::rest).and_then(of_call);
        self.all.name(own.or(call))
    }

    /// Returns the call that started the sub-agent. `None` if it is not in the
    /// logs.
    pub fn call(self) -> Option<Call<'c>> {
        self.all.call_at(self.entry.call?)
    }

    /// Returns the turns of the sub-agent.
    pub fn turns(self) -> impl Iterator<Item = Turn<'c>> {
        let turns = self.entry.turns.iter();
        turns.filter_map(move |index| self.all.turn_at(*index))
    }

    /// Returns the session that contains the sub-agent.
    pub fn session(self) -> Option<Session<'c>> {
        self.all.session_of(self.index)
    }
}
