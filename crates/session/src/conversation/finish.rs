/*!
What is known only at the end of a log: the calls of sub-agents, branches that
were given up, and missing messages.
*/

use std::{collections::HashSet, iter};

use crate::{
    Node, NodeId,
    conversation::{
        Conversation, Here, StepEntry, StepKind, calls::MAX_DEPTH,
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
                stated.and_then(|call| self.by_call.get(&(session, call)));
            let prompt = self.prompts.get(&index);
            let prompt = prompt
                .and_then(|prompt| self.by_prompt.get(&(session, *prompt)));
            if let Some(call) = stated.or(prompt).copied() {
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

    /// Returns how many sub-agents are around a thread, with itself. Counts
    /// only as far as is needed.
    fn depth(&self, thread: Index) -> usize {
        let above = |at: &Index| {
            let call = self.threads.get(at.get())?.call?;
            let step = self.calls.get(call.get())?.step;
            let turn = self.steps.get(step.get())?.turn;
            Some(self.turns.get(turn.get())?.thread)
        };
        let above = iter::successors(Some(thread), above);
        above.take(MAX_DEPTH + 2).count() - 1
    }

    fn untie(&mut self, thread: Index) {
        let Some(entry) = self.threads.get_mut(thread.get()) else { return };
        let call = entry.call.take();
        let call = call.and_then(|call| self.calls.get_mut(call.get()));
        if let Some(call) = call {
            call.agents.retain(|agent| *agent != thread);
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
        let Some(entry) = self.steps.get(first.get()).cloned() else { return };
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
                    node: None,
                };
                let first = self.threads.get(main.get());
                match first.and_then(|main| main.turns.first().copied()) {
                    Some(turn) => turn,
                    None => {
                        self.begin_turn(here);
                        self.open_turn(main)
                    }
                }
            }
        };
        if let Some(thread) = self.threads.get_mut(index.get()) {
            thread.is_shown = true;
        }
        let step = Index::next(&self.steps);
        self.steps.push(StepEntry {
            kind: StepKind::Agent,
            link: Some(index),
            turn,
            node: None,
            ..entry
        });
        if let Some(turn) = self.turns.get_mut(turn.get()) {
            let at = turn.steps.partition_point(|step| *step < first);
            turn.steps.insert(at, step);
        }
    }

    /// Marks the steps on branches that were given up.
    ///
    /// A branch begins where a message has several children that a person or
    /// the model wrote. The one that leads to the last message is kept, or
    /// else the last one. If it is a prompt, the others were given up.
    pub(crate) fn give_up(&mut self) {
        let nodes = |kinds: fn(StepKind) -> bool| -> HashSet<NodeId> {
            let steps = self.steps.iter().filter(|step| kinds(step.kind));
            steps.filter_map(|step| step.node).collect()
        };
        let spoken = nodes(|kind| kind != StepKind::Answer);
        let asked =
            nodes(|kind| matches!(kind, StepKind::Prompt | StepKind::Command));
        let branch = self.tree.active_branch();
        let active: HashSet<NodeId> =
            branch.into_iter().map(Node::id).collect();
        let mut given_up = HashSet::new();
        for point in self.tree.branch_points() {
            if given_up.contains(&point.id()) {
                continue;
            }
            let children: Vec<Node<'_>> = point
                .children()
                .filter(|node| {
                    !node.is_sidechain() && spoken.contains(&node.id())
                })
                .collect();
            let kept = children
                .iter()
                .rposition(|child| active.contains(&child.id()))
                .unwrap_or(children.len().saturating_sub(1));
            // Early transcripts give one parent to all parts of an answer.
            let is_asked = |child: &&Node<'_>| asked.contains(&child.id());
            if children.get(kept).filter(is_asked).is_none() {
                continue;
            }
            for (at, child) in children.iter().enumerate() {
                if at != kept && given_up.insert(child.id()) {
                    let below = self.tree.below(child.id());
                    given_up.extend(below.map(Node::id));
                }
            }
        }
        given_up.retain(|node| !active.contains(node));
        for step in &mut self.steps {
            let node = step.node;
            step.is_given_up =
                node.is_some_and(|node| given_up.contains(&node));
        }
    }

    /// Counts the messages of each session whose parent is missing.
    pub(crate) fn count_missing(&mut self) {
        self.sessions.iter_mut().for_each(|session| session.missing = 0);
        let mut last = None;
        for index in 0..self.steps.len() {
            let Some(step) = self.step(index) else { return };
            let node = step.entry.node;
            if node.is_none() || std::mem::replace(&mut last, node) == node {
                continue;
            }
            let parent = node.and_then(|node| self.tree.get(node));
            let parent = parent.and_then(|node| node.parent_uuid());
            let is_missing =
                parent.is_some_and(|parent| self.tree.find(parent).is_none());
            let session = step.turn().and_then(|turn| turn.session());
            let session = session.filter(|_| is_missing);
            let session = session.map(|session| session.index());
            let session = session.and_then(|at| self.sessions.get_mut(at));
            if let Some(session) = session {
                session.missing += 1;
            }
        }
    }
}
