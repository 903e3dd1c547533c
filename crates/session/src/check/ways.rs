use std::collections::{HashMap, HashSet};

use crate::check::{
    facts::{Facts, NONE, Side},
    links::Links,
};

/// What can be known of the messages when all are there.
#[derive(Debug)]
pub(crate) struct Ways {
    /// The side of each, with those that do not say on that of their parent.
    sides: Vec<Side>,
    /// Those that are part of a circle, and whether they are the last of it.
    circles: HashMap<u32, bool>,
    /// Whether the model goes on below a message, on its side.
    passed: Vec<bool>,
    /// Messages of the API that have such a line, with their sessions.
    passed_messages: HashSet<(u32, u32)>,
}

impl Ways {
    pub(crate) fn new(links: &Links) -> Ways {
        let mut ways = Ways {
            sides: vec![],
            circles: HashMap::new(),
            passed: vec![],
            passed_messages: HashSet::new(),
        };
        ways.find_sides(links);
        ways.go_up(links);
        ways
    }

    pub(crate) fn is_in_circle(&self, place: u32) -> bool {
        self.circles.contains_key(&place)
    }

    pub(crate) fn closes_circle(&self, place: u32) -> bool {
        self.circles.get(&place) == Some(&true)
    }

    pub(crate) fn side(&self, place: u32) -> Side {
        self.sides.get(place as usize).copied().unwrap_or(Side::Main)
    }

    /// Whether the model went on after a call in a message, which has a place
    /// or `NONE`.
    pub(crate) fn is_passed(&self, place: u32, facts: &Facts) -> bool {
        let message = (facts.session, facts.message);
        self.passed.get(place as usize) == Some(&true)
            || self.passed_messages.contains(&message)
    }

    /// Those that do not say which side they are on take that of their
    /// parent. Each is looked at once.
    fn find_sides(&mut self, links: &Links) {
        self.sides = links.all().map(|(_, facts)| facts.side).collect();
        let mut path = vec![];
        for start in 0..self.sides.len() as u32 {
            let mut place = start;
            let found = loop {
                let Some(facts) = links.facts(place) else { break Side::Main };
                let Some(side) = self.sides.get_mut(place as usize) else {
                    break Side::Main;
                };
                if *side != Side::Same {
                    break *side;
                }
                // A circle ends here when it comes round.
                *side = Side::Main;
                path.push(place);
                place = match links.above(facts) {
                    Some(up) => up,
                    None if facts.parent == NONE => break Side::Main,
                    None => break Side::Unknown,
                };
            };
            for place in path.drain(..) {
                if let Some(side) = self.sides.get_mut(place as usize) {
                    *side = found;
                }
            }
        }
    }

    /// Goes from the leaves to the roots. What is never reached is a circle.
    fn go_up(&mut self, links: &Links) {
        let places = 0..links.len() as u32;
        let up = |place| links.up(place).unwrap_or(NONE);
        let mut nodes: Vec<Node> =
            places.clone().map(|place| Node::below(up(place))).collect();
        for place in places.clone() {
            if let Some(parent) = nodes.get_mut(up(place) as usize) {
                parent.children += 1;
            }
        }
        let mut leaves: Vec<u32> = places.collect();
        leaves.retain(|place| {
            nodes.get(*place as usize).is_some_and(|n| n.children == 0)
        });
        self.passed = vec![false; nodes.len()];
        while let Some(place) = leaves.pop() {
            let at = place as usize;
            let Some(facts) = links.facts(place) else { continue };
            let Some(node) = nodes.get_mut(at) else { continue };
            node.is_done = true;
            let (up, mut turns) = (node.up, node.turns);
            let own = match facts.message {
                NONE => Turn::Line(place),
                message => Turn::Message(message),
            };
            let side = usize::from(self.side(place) == Side::Sub);
            if let Some(turns) = turns.get_mut(side) {
                if turns.has_other_than(own) {
                    self.pass(at, facts);
                }
                if facts.is_turn {
                    turns.add(own);
                }
            }
            let Some(parent) = nodes.get_mut(up as usize) else { continue };
            for (sum, turns) in parent.turns.iter_mut().zip(turns) {
                turns.0.into_iter().flatten().for_each(|t| sum.add(t));
            }
            parent.children -= 1;
            if parent.children == 0 {
                leaves.push(up);
            }
        }
        self.find_circles(nodes);
    }

    fn pass(&mut self, place: usize, facts: &Facts) {
        if let Some(passed) = self.passed.get_mut(place) {
            *passed = true;
        }
        if facts.message != NONE {
            self.passed_messages.insert((facts.session, facts.message));
        }
    }

    /// What is left after all leaves were taken away is circles, each a ring
    /// of its own.
    fn find_circles(&mut self, mut nodes: Vec<Node>) {
        for start in 0..nodes.len() {
            let mut ring = vec![];
            let mut at = start as u32;
            while let Some(node) = nodes.get_mut(at as usize)
                && !node.is_done
            {
                node.is_done = true;
                ring.push(at);
                at = node.up;
            }
            let last = ring.iter().copied().max();
            let ring = ring.into_iter().map(|at| (at, Some(at) == last));
            self.circles.extend(ring);
        }
    }
}

/// A message on the way up.
#[derive(Debug)]
struct Node {
    up: u32,
    /// How many below it have not been done.
    children: u32,
    /// The turns below it, on the main side and on that of sub-agents.
    turns: [Turns; 2],
    is_done: bool,
}

impl Node {
    fn below(up: u32) -> Node {
        let turns = [Turns::default(); 2];
        Node { up, children: 0, turns, is_done: false }
    }
}

/// A time that the model speaks: a message of the API, or if that has no id,
/// a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Message(u32),
    Line(u32),
}

/// Two of the turns that stand below a message, if there are so many. That
/// is enough to know of one that is not the message's own.
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
