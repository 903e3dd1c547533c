/*!
Parallel tool calls.

An agent writes a line for each content block. So a message with several tool
calls is a chain of lines, and each result is a child of the line of its call:
the tree forks. The path to the last message contains one of the results, and
only the calls up to that result. This module puts the others back, as the
Agent SDKs do: right after the last line of their message on the path, first
the calls and then the results, each in order of time.
*/

use std::collections::{HashMap, HashSet};

use crate::{
    ids::NameId,
    tree::{
        graph::{Graph, NodeEntry},
        id::NodeId,
        slots::SlotId,
    },
};

/// Adds the parallel calls and results that are not on a path to it.
pub(crate) fn with_parallel_calls(
    graph: &Graph,
    path: Vec<NodeId>,
) -> Vec<NodeId> {
    let mut search = Search::new(graph, &path);
    if search.messages.is_empty() {
        return path;
    }
    search.find_members();
    search.find_results();
    let mut whole = Vec::with_capacity(path.len());
    for id in path {
        whole.push(id);
        let message = graph.entry(id).and_then(|entry| entry.message);
        let message = message.and_then(|name| search.messages.get(&name));
        if let Some(message) = message.filter(|m| m.last_on_path == id) {
            whole.extend(search.missing(message));
        }
    }
    whole
}

struct Search<'g> {
    graph: &'g Graph,
    on_path: HashSet<NodeId>,
    /// The messages of the model that are on the path.
    messages: HashMap<NameId, MessageLines>,
    /// The tool calls that have a result on the path.
    answered: HashSet<SlotId>,
    /// The line with each tool call. `None` if two messages have the call.
    owners: HashMap<SlotId, Option<NodeId>>,
    /// The calls that each result answers.
    answers: HashMap<NodeId, Vec<SlotId>>,
}

/// The lines of one message of the model.
struct MessageLines {
    last_on_path: NodeId,
    /// All of its lines, in order of appearance.
    members: Vec<NodeId>,
    /// For each member, the results that may belong to it. In the order of
    /// the members, and then in order of appearance.
    results: Vec<(usize, NodeId)>,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph, path: &[NodeId]) -> Search<'g> {
        let mut messages: HashMap<NameId, MessageLines> = HashMap::new();
        for &id in path {
            let entry = graph.entry(id);
            if let Some(name) = entry.and_then(|entry| entry.message) {
                let lines = messages.entry(name).or_insert(MessageLines {
                    last_on_path: id,
                    members: vec![],
                    results: vec![],
                });
                lines.last_on_path = id;
            }
        }
        let mut answers: HashMap<NodeId, Vec<SlotId>> = HashMap::new();
        for &(id, call) in &graph.answers {
            answers.entry(id).or_default().push(call);
        }
        let on_path: HashSet<NodeId> = path.iter().copied().collect();
        let answered = path.iter().filter_map(|id| answers.get(id));
        Search {
            graph,
            answered: answered.flatten().copied().collect(),
            on_path,
            messages,
            owners: HashMap::new(),
            answers,
        }
    }

    /// Finds all lines of the messages on the path, and the lines of calls.
    fn find_members(&mut self) {
        for (id, entry) in self.graph.all() {
            let message = entry.message;
            let lines = message.and_then(|name| self.messages.get_mut(&name));
            if let Some(lines) = lines {
                lines.members.push(id);
            }
        }
        for &(id, call) in &self.graph.calls {
            let message = |id| self.graph.entry(id)?.message;
            if message(id).is_none() {
                continue;
            }
            let owner = self.owners.entry(call).or_insert(Some(id));
            *owner = owner.filter(|first| message(*first) == message(id));
            *owner = owner.map(|_| id);
        }
    }

    /// Finds the results that may belong to a message on the path: by their
    /// parent, by the line that they name as their source, and by their calls.
    fn find_results(&mut self) {
        let mut results: Vec<NodeId> = self.answers.keys().copied().collect();
        results.sort();
        for id in results {
            let Some(entry) = self.graph.entry(id) else { continue };
            // The model also writes results, of tools that the API runs.
            let Some(parent) = entry.parent.filter(|_| entry.is_user) else {
                continue;
            };
            let by_same = |owner: &NodeId| {
                let owner = self.graph.entry(*owner);
                owner.is_some_and(|owner| owner.has_writer_of(entry))
            };
            let parent = self.graph.node(parent);
            let source = entry.source.and_then(|uuid| self.graph.find(uuid));
            let calls = self.answers.get(&id).into_iter().flatten();
            let owners = calls.filter_map(|call| *self.owners.get(call)?);
            let named = source.into_iter().chain(owners).filter(by_same);
            let lines: Vec<NodeId> = parent.into_iter().chain(named).collect();
            for line in lines {
                self.add_result(line, id);
            }
        }
        for lines in self.messages.values_mut() {
            lines.results.sort();
            lines.results.dedup();
        }
    }

    fn add_result(&mut self, line: NodeId, result: NodeId) {
        let name = self.graph.entry(line).and_then(|entry| entry.message);
        let lines = name.and_then(|name| self.messages.get_mut(&name));
        if let Some(lines) = lines
            && let Ok(member) = lines.members.binary_search(&line)
        {
            lines.results.push((member, result));
        }
    }

    /// Returns the lines of a message and its results that are not on the
    /// path.
    fn missing(&self, message: &MessageLines) -> Vec<NodeId> {
        let is_missing = |id: &NodeId| !self.on_path.contains(id);
        let mut calls: Vec<NodeId> =
            message.members.iter().copied().filter(is_missing).collect();
        let mut seen = HashSet::new();
        let results = message.results.iter().map(|(_, id)| *id);
        let results = results.filter(|id| is_missing(id) && seen.insert(*id));
        let is_member =
            |id: &NodeId| message.members.binary_search(id).is_ok();
        let (mut own, mut strays): (Vec<NodeId>, Vec<NodeId>) = results
            .partition(|id| {
                let parent = self.graph.entry(*id).and_then(|e| e.parent);
                let parent = parent.and_then(|slot| self.graph.node(slot));
                parent.as_ref().is_some_and(is_member)
            });
        // The parent of a stray is a line of another message. It belongs here
        // only if it answers a call that has no result otherwise.
        let calls_of = |id: &NodeId| {
            self.answers.get(id).map_or(&[][..], Vec::as_slice).iter()
        };
        let mut answered: HashSet<SlotId> =
            own.iter().flat_map(calls_of).copied().collect();
        strays.sort();
        for stray in strays {
            let is_open = |call: &&SlotId| {
                let owner = self.owners.get(call).copied().flatten();
                !self.answered.contains(call)
                    && !answered.contains(call)
                    && owner.as_ref().is_some_and(is_member)
            };
            if calls_of(&stray).any(|call| is_open(&call)) {
                answered.extend(calls_of(&stray));
                own.push(stray);
            }
        }
        let time = |id: &NodeId| self.graph.entry(*id).and_then(|e| e.time);
        calls.sort_by_key(time);
        own.sort_by_key(time);
        calls.extend(own);
        calls
    }
}

impl NodeEntry {
    /// Returns whether the same agent wrote two lines.
    fn has_writer_of(&self, other: &NodeEntry) -> bool {
        (self.is_sidechain, self.agent) == (other.is_sidechain, other.agent)
    }
}
