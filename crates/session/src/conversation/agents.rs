/*!
Sub-agents: what is said about them, and the calls that started them.
*/

use std::hash::BuildHasher;

use linetape::message::transcript::AgentMetadata;

use crate::{
    Facts,
    conversation::{Conversation, Here, Place, ThreadEntry},
    ids::{Index, NameId},
    turns::ThreadId,
};

/// The maximum length in bytes of a description that is kept.
pub(crate) const MAX_NAME: usize = 200;

/// The maximum nesting of sub-agents, which bounds the recursion of callers.
pub(crate) const MAX_DEPTH: usize = 16;

/// What is said about a sub-agent beside its transcript, or before it.
#[derive(Clone, Copy)]
pub(crate) struct Meta {
    pub(super) kind: Option<NameId>,
    pub(super) task: Option<NameId>,
    pub(super) call: Option<NameId>,
}

impl Conversation {
    /// Adds what the file `agent-ID.meta.json` says about the sub-agent `ID`:
    /// its `agentType`, its `description`, and the `toolUseId` of the call
    /// that started it. May be called before or after its messages are added.
    pub fn add_agent(
        &mut self,
        agent: &str,
        kind: Option<&str>,
        task: Option<&str>,
        call: Option<&str>,
    ) {
        let mut name = |text: Option<&str>| text.map(|t| self.names.intern(t));
        let meta =
            Meta { kind: name(kind), task: name(task), call: name(call) };
        let agent = self.names.intern(agent);
        self.metas.insert(agent, meta);
    }

    /// Adds a line that describes a sub-agent. If it does not name it, it is
    /// that of the next message.
    pub(super) fn describe(
        &mut self,
        facts: &Facts<'_>,
        line: AgentMetadata<'_>,
        place: Place,
    ) {
        let mut name = |text: Option<&str>| {
            let text = text.filter(|t| t.len() <= MAX_NAME)?;
            Some(self.names.intern(text))
        };
        let meta = Meta {
            kind: name(line.agent_type()),
            task: name(line.description()),
            call: name(line.tool_use_id()),
        };
        match facts.agent_id().map(|agent| self.names.intern(agent)) {
            Some(agent) => _ = self.metas.insert(agent, meta),
            None => self.described = Some((place.source, meta)),
        }
    }

    /// Gives the description before a message to its sub-agent.
    pub(super) fn take_description(
        &mut self,
        facts: &Facts<'_>,
        place: Place,
    ) {
        if let Some((source, meta)) = self.described.take()
            && source == place.source
            && let Some(agent) = facts.agent_id()
        {
            let agent = self.names.intern(agent);
            self.metas.insert(agent, meta);
        }
    }

    /// Begins the thread of a sub-agent, and ties it to its call if that is
    /// known.
    pub(crate) fn begin_agent(
        &mut self,
        session: Index,
        key: ThreadId,
        facts: &Facts<'_>,
    ) -> Index {
        let thread = Index::next(&self.threads);
        let (id, meta) = match key {
            ThreadId::Main => (None, None),
            ThreadId::Call(id) | ThreadId::Sidechain(id) => (Some(id), None),
            ThreadId::Agent(id) => (Some(id), self.metas.get(&id).copied()),
        };
        let mut entry = ThreadEntry::new(session, id);
        entry.is_agent = key != ThreadId::Main;
        let envelope = facts.message().envelope();
        let mut name = |text: Option<&str>| {
            let text = text.filter(|t| t.len() <= MAX_NAME)?;
            Some(self.names.intern(text))
        };
        entry.kind = name(envelope.subagent_type());
        entry.task = name(envelope.task_description());
        if let Some(Meta { kind, task, .. }) = meta {
            entry.kind = entry.kind.or(kind);
            entry.task = entry.task.or(task);
        }
        let main = self.sessions.get(session.get()).map(|s| s.main);
        let main = main.map(|main| self.open_turn(main));
        entry.born = main.filter(|turn| *turn != Index::OUT_OF_REACH);
        self.threads.push(entry);
        self.by_thread.insert((session, key), thread);
        if let Some(session) = self.sessions.get_mut(session.get()) {
            session.threads.push(thread);
        }
        let stated = facts.parent_tool_use_id();
        let stated = stated.and_then(|call| self.names.find(call));
        let stated = stated.or(meta.and_then(|meta| meta.call));
        let call = stated.and_then(|id| self.by_call.get((session, id)));
        let task = match key {
            ThreadId::Agent(agent) => {
                self.by_task.get(&(session, agent)).copied()
            }
            _ => None,
        };
        if let Some(call) = call.or(task) {
            self.tie(thread, call);
        }
        thread
    }

    /// Ties a sub-agent to the call that a message of it names. Its own file
    /// names none, but a `progress` line does that has the same message.
    pub(crate) fn tie_stated(
        &mut self,
        thread: Index,
        key: ThreadId,
        facts: &Facts<'_>,
    ) {
        let ThreadId::Agent(_) = key else { return };
        let Some(entry) = self.threads.get(thread.get()) else { return };
        if entry.call.is_none()
            && let Some(call) = facts.parent_tool_use_id()
            && let Some(call) = self.names.find(call)
            && let Some(call) = self.by_call.get((entry.session, call))
        {
            self.tie(thread, call);
        }
    }

    /// Notes the prompt of a sub-agent, by which its call may be found.
    pub(crate) fn note_prompt(&mut self, here: Here, text: &str) {
        let Some(thread) = self.threads.get(here.thread.get()) else { return };
        if thread.is_agent && thread.call.is_none() {
            let hash = self.hasher.hash_one(text.trim());
            self.prompts.entry(here.thread).or_insert(hash);
        }
    }

    /// Ties a sub-agent to the call that started it, unless it is tied, or
    /// the call is its own.
    pub(crate) fn tie(&mut self, thread: Index, call: Index) {
        let step = self.calls.get(call.get()).map(|call| call.step);
        let step = step.and_then(|step| self.steps.get(step));
        let turn = step.and_then(|step| self.turns.get(step.turn.get()));
        let mut above = turn.map(|turn| turn.thread);
        let mut depth = 0;
        // A hostile log may tie two sub-agents to calls of each other.
        while let Some(at) = above {
            depth += 1;
            if at == thread || depth > MAX_DEPTH {
                return;
            }
            let entry = self.threads.get(at.get());
            let call = entry.and_then(|entry| entry.call);
            let call = call.and_then(|call| self.calls.get(call.get()));
            let step = call.and_then(|call| self.steps.get(call.step));
            let turn = step.and_then(|s| self.turns.get(s.turn.get()));
            above = turn.map(|turn| turn.thread);
        }
        let Some(entry) = self.threads.get_mut(thread.get()) else { return };
        if entry.call.is_some() {
            return;
        }
        entry.call = Some(call);
        if let Some(rest) = self.rest_mut(call) {
            rest.agents.push(thread);
        }
    }
}
