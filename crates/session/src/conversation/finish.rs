/*!
What is known only at the end of a log: the calls of sub-agents, abandoned
branches, the origins of copies, and missing messages.
*/

use std::iter;

use crate::{
    conversation::{
        Conversation, Here, SessionEntry, StepEntry, StepKind,
        agents::MAX_DEPTH,
        lineage::{Shown, Vertices},
    },
    ids::Index,
};

impl Conversation {
    /// Ties the sub-agents without a call to the call with the same prompt.
    /// The others become steps of the main conversation, and so do those that
    /// are nested too deeply.
    pub(crate) fn tie_agents(&mut self) {
        for index in 0..self.threads.len() {
            let Some(index) = Index::new(index) else { return };
            if self.depth(index) > MAX_DEPTH {
                self.untie(index);
                self.show_alone(index);
            }
        }
        for index in 0..self.threads.len() {
            let Some(index) = Index::new(index) else { return };
            let Some(thread) = self.threads.get(index.get()) else { return };
            if !thread.is_agent || thread.call.is_some() {
                continue;
            }
            let session = thread.session;
            let meta = thread.id.and_then(|id| self.metas.get(&id)).copied();
            let stated = meta.and_then(|meta| meta.call);
            let stated =
                stated.and_then(|call| self.by_call.get((session, call)));
            let prompt = self.prompts.get(&index);
            let prompt = prompt
                .and_then(|prompt| self.by_prompt.get(&(session, *prompt)));
            if let Some(call) = stated.or(prompt.copied()) {
                self.tie(index, call);
            }
            if let Some(thread) = self.threads.get_mut(index.get())
                && let Some(meta) = meta
            {
                thread.kind = thread.kind.or(meta.kind);
                thread.task = thread.task.or(meta.task);
            }
            self.show_alone(index);
        }
    }

    /// Returns the nesting depth of a thread, counted up to `MAX_DEPTH + 1`.
    fn depth(&self, thread: Index) -> usize {
        let above = |at: &Index| {
            let call = self.threads.get(at.get())?.call?;
            let step = self.calls.get(call.get())?.step;
            let turn = self.steps.get(step)?.turn;
            Some(self.turns.get(turn.get())?.thread)
        };
        let above = iter::successors(Some(thread), above);
        above.take(MAX_DEPTH + 2).count() - 1
    }

    fn untie(&mut self, thread: Index) {
        let Some(entry) = self.threads.get_mut(thread.get()) else { return };
        let call = entry.call.take();
        if let Some(rest) = call.and_then(|call| self.rest_mut(call)) {
            rest.agents.retain(|agent| *agent != thread);
        }
    }

    /// Adds a step for a sub-agent without a call, unless it has one.
    fn show_alone(&mut self, index: Index) {
        let Some(thread) = self.threads.get(index.get()) else { return };
        if thread.call.is_some() {
            return;
        }
        let (session, born) = (thread.session, thread.born);
        let first = thread.turns.first();
        let first = first.and_then(|turn| self.turns.get(turn.get()));
        let first = first.and_then(|turn| turn.steps.first()).copied();
        let Some(first) = first else { return };
        let Some(entry) = self.steps.get(first) else { return };
        if thread.is_shown {
            return;
        }
        let main = self.sessions.get(session.get()).map(|s| s.main);
        let Some(main) = main else { return };
        let born = born.filter(|turn| self.turns.get(turn.get()).is_some());
        let turn = match born {
            Some(turn) => turn,
            None => {
                // Its messages come before the main conversation.
                let here = Here {
                    place: entry.place,
                    time: entry.time,
                    session,
                    thread: main,
                    vertex: None,
                };
                let first = self.threads.get(main.get());
                match first.and_then(|main| main.turns.first().copied()) {
                    Some(turn) => turn,
                    None => {
                        self.begin_turn(here, false);
                        self.open_turn(main)
                    }
                }
            }
        };
        if let Some(thread) = self.threads.get_mut(index.get()) {
            thread.is_shown = true;
        }
        let step = self.steps.next();
        self.steps.push(StepEntry {
            kind: StepKind::Agent,
            link: Some(index),
            turn,
            vertex: None,
            ..entry
        });
        if let Some(turn) = self.turns.get_mut(turn.get()) {
            let at = turn.steps.partition_point(|step| *step < first);
            turn.steps.insert(at, step);
        }
    }

    /// Marks the steps on branches that were abandoned.
    pub(crate) fn mark_abandoned(&mut self) {
        let lineage = &self.lineage;
        if !lineage.has_branches() {
            return self.steps.set_abandoned(|_| false);
        }
        let of = |kinds: fn(StepKind) -> bool| {
            let steps = self.steps.vertices();
            let steps = steps.filter(move |(kind, _)| kinds(*kind));
            Vertices::of(lineage, steps.map(|(_, vertex)| vertex))
        };
        let spoken = of(|kind| kind != StepKind::ToolResult);
        let asked =
            of(|kind| matches!(kind, StepKind::Prompt | StepKind::Command));
        let sessions = (0..self.sessions.len()).filter_map(Index::new);
        let last = sessions.filter_map(|session| {
            Some((session, self.sessions.get(session.get())?.last?))
        });
        let (sessions, last) = (self.session_of_vertices(), last.collect());
        let shown = Shown { sessions, spoken, asked, last };
        let abandoned = lineage.abandoned(&shown);
        self.steps.set_abandoned(|vertex| abandoned.has(vertex));
    }

    /// Returns the session of each vertex that has a step: that of its first
    /// step.
    fn session_of_vertices(&self) -> Vec<Option<Index>> {
        let mut sessions = vec![None; self.lineage.len()];
        for index in 0..self.steps.len() {
            let Some((turn, vertex)) = self.steps.turn(index) else { break };
            let slot = vertex.and_then(|at| sessions.get_mut(at.get()));
            let Some(slot) = slot.filter(|slot| slot.is_none()) else {
                continue;
            };
            *slot = self.session_of_turn(turn);
        }
        sessions
    }

    fn session_of_turn(&self, turn: Index) -> Option<Index> {
        let thread = self.turns.get(turn.get())?.thread;
        Some(self.threads.get(thread.get())?.session)
    }

    /// Links the sessions that begin with copies to the sessions that have
    /// these messages.
    pub(crate) fn link_copies(&mut self) {
        let is_linked = |session: &SessionEntry| session.copied.is_some();
        if !self.sessions.iter().any(is_linked) {
            return;
        }
        let shown = self.session_of_vertices();
        for index in 0..self.sessions.len() {
            let session = self.sessions.get(index);
            let copied = session.and_then(|session| session.copied);
            let of = copied.and_then(|at| shown.get(at.get()).copied());
            let of = of.flatten().filter(|of| of.get() != index);
            let of = of.and_then(|of| self.sessions.get(of.get()));
            let of = of.and_then(|of| of.id);
            if let Some(session) = self.sessions.get_mut(index) {
                session.begins_as = of;
            }
        }
    }

    /// Counts the messages of each session whose parent is missing.
    pub(crate) fn count_missing(&mut self) {
        self.sessions.iter_mut().for_each(|session| session.missing = 0);
        let mut last = None;
        for index in 0..self.steps.len() {
            let Some((turn, vertex)) = self.steps.turn(index) else { return };
            let Some(at) = vertex else { continue };
            let is_known = std::mem::replace(&mut last, vertex) == vertex;
            if is_known || !self.lineage.misses_parent(at) {
                continue;
            }
            let session = self.session_of_turn(turn);
            let session = session.and_then(|s| self.sessions.get_mut(s.get()));
            if let Some(session) = session {
                session.missing += 1;
            }
        }
    }
}
