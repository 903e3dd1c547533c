use std::collections::{HashMap, HashSet};

use crate::session::check::{
    facts::{NONE, Side},
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
    /// Messages of the API that have such a line.
    passed_messages: HashSet<u32>,
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

    pub(crate) fn is_in_circle(&self, place: usize) -> bool {
        self.circles.contains_key(&(place as u32))
    }

    pub(crate) fn closes_circle(&self, place: usize) -> bool {
        self.circles.get(&(place as u32)) == Some(&true)
    }

    pub(crate) fn side(&self, place: usize) -> Side {
        self.sides.get(place).copied().unwrap_or(Side::Main)
    }

    /// Whether the model went on after a call in the message at a place.
    pub(crate) fn is_passed(&self, place: u32, message: u32) -> bool {
        self.passed.get(place as usize) == Some(&true)
            || message != NONE && self.passed_messages.contains(&message)
    }

    /// Those that do not say which side they are on take that of their
    /// parent. Each is looked at once.
    fn find_sides(&mut self, links: &Links) {
        let facts = (0..).map_while(|place| links.facts(place));
        self.sides = facts.map(|facts| facts.side).collect();
        let mut path = vec![];
        for start in 0..self.sides.len() as u32 {
            let mut at = Some(start);
            let found = loop {
                let Some(place) = at else { break Side::Main };
                let Some(side) = self.sides.get_mut(place as usize) else {
                    break Side::Main;
                };
                if *side != Side::Same {
                    break *side;
                }
                // A circle ends here when it comes round.
                *side = Side::Main;
                path.push(place);
                at = links.up(place);
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
        let count = links.len();
        let up: Vec<u32> = (0..count as u32)
            .map(|place| links.up(place).unwrap_or(NONE))
            .collect();
        let mut children = vec![0u32; count];
        for parent in &up {
            if let Some(children) = children.get_mut(*parent as usize) {
                *children += 1;
            }
        }
        let mut below = vec![[Turns::default(); 2]; count];
        self.passed = vec![false; count];
        let mut leaves: Vec<u32> = (0..count as u32).collect();
        leaves.retain(|at| children.get(*at as usize) == Some(&0));
        let mut done = vec![false; count];
        while let Some(place) = leaves.pop() {
            let at = place as usize;
            let Some(facts) = links.facts(place) else { continue };
            let Some(mut turns) = below.get(at).copied() else { continue };
            let side = usize::from(self.side(at) == Side::Sub);
            let own = match facts.message {
                NONE => Turn::Line(place),
                message => Turn::Message(message),
            };
            if let Some(turns) = turns.get_mut(side) {
                if turns.has_other_than(own) {
                    self.passed_by(at, facts.message);
                }
                if facts.is_turn {
                    turns.add(own);
                }
            }
            if let Some(done) = done.get_mut(at) {
                *done = true;
            }
            let parent = up.get(at).map_or(usize::MAX, |up| *up as usize);
            if let Some(sums) = below.get_mut(parent) {
                for (sum, turns) in sums.iter_mut().zip(turns) {
                    turns.0.into_iter().flatten().for_each(|t| sum.add(t));
                }
            }
            if let Some(children) = children.get_mut(parent) {
                *children -= 1;
                if *children == 0 {
                    leaves.push(parent as u32);
                }
            }
        }
        self.find_circles(&up, done);
    }

    fn passed_by(&mut self, place: usize, message: u32) {
        if let Some(passed) = self.passed.get_mut(place) {
            *passed = true;
        }
        if message != NONE {
            self.passed_messages.insert(message);
        }
    }

    /// What is not done after all leaves were taken away is a circle, each a
    /// ring of its own.
    fn find_circles(&mut self, up: &[u32], mut done: Vec<bool>) {
        for start in 0..up.len() {
            let mut ring = vec![];
            let mut at = start;
            while done.get(at) == Some(&false) {
                if let Some(done) = done.get_mut(at) {
                    *done = true;
                }
                ring.push(at as u32);
                at = up.get(at).map_or(usize::MAX, |up| *up as usize);
            }
            let last = ring.iter().copied().max();
            let ring = ring.into_iter().map(|at| (at, Some(at) == last));
            self.circles.extend(ring);
        }
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
