use std::collections::{HashMap, HashSet, VecDeque};

use linetape::message::Message;

use crate::check::{
    facts::{Facts, NONE},
    links::Links,
    pairs::Log,
    ways::Ways,
};

/// Calls and results that have no ids, as the specification writes them.
///
/// A result belongs to the call that it follows by its `parentUuid`. If it
/// follows something else, or a call that has its result, it belongs to the
/// first call of its session that is still open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ordered {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    facts: Facts,
    /// The message's place among the links, or `NONE`.
    place: u32,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Call,
    Result,
    /// What went wrong. It is a result only if it follows a call.
    Failure,
}

impl Ordered {
    pub(crate) fn add(
        &mut self,
        message: Message<'_>,
        facts: &Facts,
        place: u32,
    ) {
        let what = match (message, message.kind().subtype()) {
            (Message::Assistant(_), Some("tool_use")) => What::Call,
            (Message::System(_), Some("tool_result")) => What::Result,
            (Message::System(_), Some("error")) => What::Failure,
            _ => return,
        };
        self.steps.push(Step { facts: *facts, place, what });
    }

    pub(crate) fn check(self, links: &Links, ways: &Ways, log: &mut Log<'_>) {
        let (calls, pairs) = self.match_by_parent(links, log);
        let mut open: HashMap<u32, VecDeque<usize>> = HashMap::new();
        for (number, step) in self.steps.iter().enumerate() {
            let open = open.entry(step.facts.session).or_default();
            match step.what {
                _ if pairs.contains(&number) => {}
                What::Call => open.push_back(number),
                What::Result if open.pop_front().is_some() => {}
                What::Result => {
                    let facts = &step.facts;
                    let is_known = links.has_beginning(facts);
                    let up = links.above(facts);
                    let is_call = up.is_some_and(|up| calls.contains_key(&up));
                    match is_call && is_known {
                        true => log.repeated_result(facts, facts.parent),
                        false => log.unasked(facts, NONE, is_known),
                    }
                }
                What::Failure => {}
            }
        }
        let mut left: Vec<usize> = open.into_values().flatten().collect();
        left.sort_unstable();
        for number in left {
            let Some(step) = self.steps.get(number) else { continue };
            let is_passed = ways.is_passed(step.place, &step.facts);
            log.unanswered(&step.facts, step.facts.uuid, is_passed);
        }
    }

    /// The calls, by their places, and all steps that are matched: calls with
    /// what follows them.
    fn match_by_parent(
        &self,
        links: &Links,
        log: &mut Log<'_>,
    ) -> (HashMap<u32, usize>, HashSet<usize>) {
        let steps = || self.steps.iter().enumerate();
        let calls = steps()
            .filter(|(_, step)| step.what == What::Call && step.place != NONE);
        let calls: HashMap<u32, usize> =
            calls.map(|(number, step)| (step.place, number)).collect();
        let mut pairs = HashSet::new();
        for (number, step) in steps() {
            let up = links.above(&step.facts);
            let call = up.and_then(|up| calls.get(&up));
            if step.what != What::Call
                && let Some(call) = call
                && pairs.insert(*call)
            {
                pairs.insert(number);
                if *call > number {
                    log.early_result(&step.facts, step.facts.parent);
                }
            }
        }
        (calls, pairs)
    }
}
