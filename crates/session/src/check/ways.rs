/*!
What follows from the links between messages, once all messages are known.
*/

use std::collections::{HashMap, HashSet};

use crate::{
    check::{
        line::{LineFacts, Side},
        links::{Links, Place},
    },
    ids::{Index, NameId},
};

/// Facts about messages that depend on their ancestors and descendants.
#[derive(Debug)]
pub(crate) struct Ways {
    /// Main or sidechain, per message; messages without the flag inherit it
    /// from their parent.
    sides: Vec<Side>,
    /// The messages of cycles, and whether each is the last of its cycle.
    cycles: HashMap<Place, bool>,
    /// Per message, whether the model continued after it: whether there is a
    /// descendant turn on the same side that is not the message's own.
    passed: Vec<bool>,
    /// Messages of the API with a line that is `passed`, by session.
    passed_messages: HashSet<(Option<NameId>, NameId)>,
}

impl Ways {
    pub(crate) fn new(links: &Links) -> Ways {
        let mut ways = Ways {
            sides: inherited_sides(links),
            cycles: HashMap::new(),
            passed: vec![false; links.len()],
            passed_messages: HashSet::new(),
        };
        let vertices = ways.find_passed(links);
        ways.find_cycles(vertices);
        ways
    }

    pub(crate) fn is_in_cycle(&self, place: Place) -> bool {
        self.cycles.contains_key(&place)
    }

    /// Returns whether a message is the last of its cycle, which is the one
    /// that is reported.
    pub(crate) fn closes_cycle(&self, place: Place) -> bool {
        self.cycles.get(&place) == Some(&true)
    }

    pub(crate) fn side(&self, place: Place) -> Side {
        self.sides.get(place.get()).copied().unwrap_or(Side::Main)
    }

    /// Returns whether the model continued after a call in a message.
    pub(crate) fn is_passed(
        &self,
        place: Option<Place>,
        facts: &LineFacts,
    ) -> bool {
        let is_passed = place
            .and_then(|place| self.passed.get(place.get()))
            .is_some_and(|passed| *passed);
        is_passed
            || facts.message.is_some_and(|message| {
                self.passed_messages.contains(&(facts.session, message))
            })
    }

    /// Collects the turns below each message in topological order: a message
    /// is visited after all of its children (Kahn's algorithm). Messages of
    /// cycles are never reached.
    fn find_passed(&mut self, links: &Links) -> Vec<Vertex> {
        let mut vertices: Vec<Vertex> = links
            .all()
            .map(|(_, facts)| Vertex::below(links.parent(facts)))
            .collect();
        for (_, facts) in links.all() {
            if let Some(parent) = links.parent(facts)
                && let Some(parent) = vertices.get_mut(parent.get())
            {
                parent.children += 1;
            }
        }
        let mut ready: Vec<Place> = vertices
            .iter()
            .enumerate()
            .filter(|(_, vertex)| vertex.children == 0)
            .filter_map(|(at, _)| Index::new(at))
            .collect();
        while let Some(place) = ready.pop() {
            let Some(facts) = links.facts(place) else { continue };
            let Some(vertex) = vertices.get_mut(place.get()) else { continue };
            vertex.is_done = true;
            let (parent, mut turns) = (vertex.parent, vertex.turns);
            let own = match facts.message {
                None => Turn::Line(place),
                Some(message) => Turn::Message(message),
            };
            let side = usize::from(self.side(place) == Side::Sub);
            if let Some(turns) = turns.get_mut(side) {
                if turns.has_other_than(own) {
                    self.pass(place, facts);
                }
                if facts.is_turn {
                    turns.add(own);
                }
            }
            let Some(parent_place) = parent else { continue };
            let Some(parent) = vertices.get_mut(parent_place.get()) else {
                continue;
            };
            for (sum, turns) in parent.turns.iter_mut().zip(turns) {
                turns.0.into_iter().flatten().for_each(|t| sum.add(t));
            }
            parent.children -= 1;
            if parent.children == 0 {
                ready.push(parent_place);
            }
        }
        vertices
    }

    fn pass(&mut self, place: Place, facts: &LineFacts) {
        if let Some(passed) = self.passed.get_mut(place.get()) {
            *passed = true;
        }
        let message = facts.message.map(|message| (facts.session, message));
        self.passed_messages.extend(message);
    }

    /// Finds the cycles. Each vertex has one parent at most, so the vertices
    /// that the topological order did not reach are disjoint cycles.
    fn find_cycles(&mut self, mut vertices: Vec<Vertex>) {
        for start in 0..vertices.len() {
            let mut cycle = vec![];
            let mut at = Index::new(start);
            while let Some(place) = at
                && let Some(vertex) = vertices.get_mut(place.get())
                && !vertex.is_done
            {
                vertex.is_done = true;
                cycle.push(place);
                at = vertex.parent;
            }
            let last = cycle.iter().copied().max();
            let cycle = cycle.into_iter().map(|at| (at, Some(at) == last));
            self.cycles.extend(cycle);
        }
    }
}

/// Returns the side of each message, where messages without the flag have the
/// side of their nearest ancestor with one. Each message is visited once.
fn inherited_sides(links: &Links) -> Vec<Side> {
    let mut sides: Vec<Side> =
        links.all().map(|(_, facts)| facts.side).collect();
    let mut path = vec![];
    for (start, _) in links.all() {
        let mut place = start;
        let found = loop {
            let Some(facts) = links.facts(place) else { break Side::Main };
            let Some(side) = sides.get_mut(place.get()) else {
                break Side::Main;
            };
            if *side != Side::Inherited {
                break *side;
            }
            // Ends the walk if this is a cycle.
            *side = Side::Main;
            path.push(place);
            place = match links.parent(facts) {
                Some(parent) => parent,
                None if facts.parent.is_none() => break Side::Main,
                None => break Side::Unknown,
            };
        };
        for place in path.drain(..) {
            if let Some(side) = sides.get_mut(place.get()) {
                *side = found;
            }
        }
    }
    sides
}

/// A message in the topological order.
#[derive(Debug)]
struct Vertex {
    parent: Option<Place>,
    /// The number of children that have not been visited.
    children: u32,
    /// The descendant turns, on the main side and in sidechains.
    turns: [Turns; 2],
    is_done: bool,
}

impl Vertex {
    fn below(parent: Option<Place>) -> Vertex {
        let turns = [Turns::default(); 2];
        Vertex { parent, children: 0, turns, is_done: false }
    }
}

/// A turn of the model: a message of the API, or a line if that has no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Message(NameId),
    Line(Place),
}

/// Up to two distinct descendant turns: enough to tell whether any turn other
/// than the message's own exists.
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
