/*!
Facts about messages that depend on their ancestors and descendants: inherited
sidechain flags, cycles, and whether the model continued.

They are computed once all messages are known.
*/

use std::collections::{HashMap, HashSet};

use crate::{
    check::{
        line::{LineFacts, Side},
        links::{Links, NodeIndex},
    },
    ids::{Index, NameId},
};

/// Facts about messages that depend on their ancestors and descendants.
#[derive(Debug)]
pub(crate) struct Ancestry {
    /// Main or sidechain, per message; messages without the flag inherit it
    /// from their parent.
    sides: Vec<Side>,
    /// The messages of cycles. The value is `true` for the last message of
    /// each cycle, in log order.
    cycles: HashMap<NodeIndex, bool>,
    /// Per message, whether the model continued after it: whether it has a
    /// descendant on the same side that is another turn of the model.
    continued: Vec<bool>,
    /// The API messages, by session, of which some line is `continued`.
    continued_messages: HashSet<(Option<NameId>, NameId)>,
}

impl Ancestry {
    pub(crate) fn new(links: &Links) -> Ancestry {
        let mut ancestry = Ancestry {
            sides: inherited_sides(links),
            cycles: HashMap::new(),
            continued: vec![false; links.len()],
            continued_messages: HashSet::new(),
        };
        let vertices = ancestry.find_continued(links);
        ancestry.find_cycles(vertices);
        ancestry
    }

    pub(crate) fn is_in_cycle(&self, node: NodeIndex) -> bool {
        self.cycles.contains_key(&node)
    }

    /// Returns whether a message is the last of its cycle. Only that message
    /// is reported.
    pub(crate) fn closes_cycle(&self, node: NodeIndex) -> bool {
        self.cycles.get(&node) == Some(&true)
    }

    pub(crate) fn side(&self, node: NodeIndex) -> Side {
        self.sides.get(node.get()).copied().unwrap_or(Side::Main)
    }

    /// Returns whether the model continued after a call in a message.
    pub(crate) fn is_continued(
        &self,
        node: Option<NodeIndex>,
        facts: &LineFacts,
    ) -> bool {
        let is_continued = node
            .and_then(|node| self.continued.get(node.get()))
            .is_some_and(|continued| *continued);
        is_continued
            || facts.message.is_some_and(|message| {
                self.continued_messages.contains(&(facts.session, message))
            })
    }

    /// Collects the descendant turns of each message in topological order,
    /// children before parents (Kahn's algorithm). Messages of cycles are
    /// never reached.
    fn find_continued(&mut self, links: &Links) -> Vec<Vertex> {
        let mut vertices: Vec<Vertex> = links
            .all()
            .map(|(_, facts)| Vertex::below(links.parent(facts)))
            .collect();
        for (_, facts) in links.all() {
            if let Some(parent) = links.parent(facts)
                && let Some(parent) = vertices.get_mut(parent.get())
            {
                parent.children = parent.children.saturating_add(1);
            }
        }
        let mut ready: Vec<NodeIndex> = vertices
            .iter()
            .enumerate()
            .filter(|(_, vertex)| vertex.children == 0)
            .filter_map(|(at, _)| Index::new(at))
            .collect();
        while let Some(node) = ready.pop() {
            let Some(facts) = links.facts(node) else { continue };
            let Some(vertex) = vertices.get_mut(node.get()) else { continue };
            vertex.is_done = true;
            let (parent, mut turns) = (vertex.parent, vertex.turns);
            let own = match facts.message {
                None => Turn::Line(node),
                Some(message) => Turn::Message(message),
            };
            let side = usize::from(self.side(node) == Side::Sub);
            if let Some(turns) = turns.get_mut(side) {
                if turns.has_other_than(own) {
                    self.mark_continued(node, facts);
                }
                if facts.is_turn {
                    turns.add(own);
                }
            }
            let Some(parent_node) = parent else { continue };
            let Some(parent) = vertices.get_mut(parent_node.get()) else {
                continue;
            };
            for (sum, turns) in parent.turns.iter_mut().zip(turns) {
                turns.0.into_iter().flatten().for_each(|t| sum.add(t));
            }
            parent.children -= 1;
            if parent.children == 0 {
                ready.push(parent_node);
            }
        }
        vertices
    }

    fn mark_continued(&mut self, node: NodeIndex, facts: &LineFacts) {
        if let Some(continued) = self.continued.get_mut(node.get()) {
            *continued = true;
        }
        let message = facts.message.map(|message| (facts.session, message));
        self.continued_messages.extend(message);
    }

    /// Finds the cycles. Each vertex has at most one parent, so the vertices
    /// that the topological order did not reach are disjoint cycles.
    fn find_cycles(&mut self, mut vertices: Vec<Vertex>) {
        for start in 0..vertices.len() {
            let mut cycle = vec![];
            let mut at = Index::new(start);
            while let Some(node) = at
                && let Some(vertex) = vertices.get_mut(node.get())
                && !vertex.is_done
            {
                vertex.is_done = true;
                cycle.push(node);
                at = vertex.parent;
            }
            let last = cycle.iter().copied().max();
            let cycle = cycle.into_iter().map(|at| (at, Some(at) == last));
            self.cycles.extend(cycle);
        }
    }
}

/// Returns the side of each message. Messages without the flag inherit the
/// side of their nearest ancestor that has one. Each message is visited once.
fn inherited_sides(links: &Links) -> Vec<Side> {
    let mut sides: Vec<Side> =
        links.all().map(|(_, facts)| facts.side).collect();
    let mut path = vec![];
    for (start, _) in links.all() {
        let mut node = start;
        let found = loop {
            let Some(facts) = links.facts(node) else { break Side::Main };
            let Some(side) = sides.get_mut(node.get()) else {
                break Side::Main;
            };
            if *side != Side::Inherited {
                break *side;
            }
            // Ends the walk if this is a cycle.
            *side = Side::Main;
            path.push(node);
            node = match links.parent(facts) {
                Some(parent) => parent,
                None if facts.parent.is_none() => break Side::Main,
                None => break Side::Unknown,
            };
        };
        for node in path.drain(..) {
            if let Some(side) = sides.get_mut(node.get()) {
                *side = found;
            }
        }
    }
    sides
}

/// A message in the topological order.
#[derive(Debug)]
struct Vertex {
    parent: Option<NodeIndex>,
    /// The number of children that have not been visited.
    children: u32,
    /// The descendant turns, on the main side and in sidechains.
    turns: [Turns; 2],
    is_done: bool,
}

impl Vertex {
    fn below(parent: Option<NodeIndex>) -> Vertex {
        let turns = [Turns::default(); 2];
        Vertex { parent, children: 0, turns, is_done: false }
    }
}

/// A turn of the model: an API message, or a single line if it has no message
/// id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Message(NameId),
    Line(NodeIndex),
}

/// Up to two distinct descendant turns. Two are enough to determine whether
/// there is a turn other than the message's own.
#[derive(Clone, Copy, Debug, Default)]
struct Turns([Option<Turn>; 2]);

impl Turns {
    fn add(&mut self, turn: Turn) {
        match self.0 {
            [None, _] => self.0 = [Some(turn), None],
            [Some(first), None] if first != turn => {
                self.0 = [Some(first), Some(turn)];
            }
            _ => {}
        }
    }

    fn has_other_than(self, own: Turn) -> bool {
        self.0.into_iter().flatten().any(|turn| turn != own)
    }
}
