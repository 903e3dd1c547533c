/*!
Pairing calls with results that have no ids.
*/

use std::collections::{HashMap, HashSet, VecDeque};

use linetape::message::Message;

use crate::{
    Facts,
    check::{
        line::LineFacts,
        links::{Links, Place},
        pairs::Log,
        ways::Ways,
    },
    ids::NameId,
};

/// Calls and results in the form of the early specification, without ids.
///
/// A result belongs to the call that is its parent by `parentUuid`. If its
/// parent is another message, or a call that has a result, it belongs to the
/// first call of its session without a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ordered {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    facts: LineFacts,
    place: Option<Place>,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Call,
    Result,
    /// An error. It is a result only if its parent is a call.
    Failure,
}

impl Ordered {
    pub(crate) fn add(
        &mut self,
        facts: &Facts<'_>,
        line: &LineFacts,
        place: Option<Place>,
    ) {
        let what = match (facts.message(), facts.kind().subtype()) {
            (Message::Assistant(_), Some("tool_use")) => What::Call,
            (Message::System(_), Some("tool_result")) => What::Result,
            (Message::System(_), Some("error")) => What::Failure,
            _ => return,
        };
        self.steps.push(Step { facts: *line, place, what });
    }

    pub(crate) fn check(self, links: &Links, ways: &Ways, log: &mut Log<'_>) {
        let (calls, pairs) = self.match_by_parent(links, log);
        let mut open: HashMap<Option<NameId>, VecDeque<usize>> =
            HashMap::new();
        for (number, step) in self.steps.iter().enumerate() {
            let open = open.entry(step.facts.session).or_default();
            match step.what {
                _ if pairs.contains(&number) => {}
                What::Call => open.push_back(number),
                What::Result if open.pop_front().is_some() => {}
                What::Result => {
                    let facts = &step.facts;
                    let is_known = links.has_beginning(facts);
                    let up = links.parent(facts);
                    let is_call = up.is_some_and(|up| calls.contains_key(&up));
                    if is_call && is_known {
                        log.repeated_result(facts, facts.parent);
                    } else {
                        log.unasked(facts, None, is_known);
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

    /// Returns the calls by their places, and the indexes of all calls and
    /// results that are matched by `parentUuid`.
    fn match_by_parent(
        &self,
        links: &Links,
        log: &mut Log<'_>,
    ) -> (HashMap<Place, usize>, HashSet<usize>) {
        let steps = || self.steps.iter().enumerate();
        let calls = steps().filter(|(_, step)| step.what == What::Call);
        let calls: HashMap<Place, usize> = calls
            .filter_map(|(number, step)| Some((step.place?, number)))
            .collect();
        let mut pairs = HashSet::new();
        for (number, step) in steps() {
            let up = links.parent(&step.facts);
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
