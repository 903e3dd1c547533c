/*!
Matching tool calls with results that have no ids.
*/

use std::collections::{HashMap, HashSet, VecDeque};

use linetape::message::Message;

use crate::{
    Facts,
    check::{
        ancestry::Ancestry,
        line::LineFacts,
        links::{Links, NodeIndex},
        pairs::Log,
    },
    ids::NameId,
};

/// The calls and results of the specification dialect, which have no ids.
///
/// A result belongs to the call that is its parent by `parentUuid`. If its
/// parent is not a call, or is a call that already has a result, it belongs to
/// the first call of its session without a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ordered {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    facts: LineFacts,
    node: Option<NodeIndex>,
    kind: StepKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepKind {
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
        node: Option<NodeIndex>,
    ) {
        let kind = match (facts.message(), facts.kind().subtype()) {
            (Message::Assistant(_), Some("tool_use")) => StepKind::Call,
            (Message::System(_), Some("tool_result")) => StepKind::Result,
            (Message::System(_), Some("error")) => StepKind::Failure,
            _ => return,
        };
        self.steps.push(Step { facts: *line, node, kind });
    }

    pub(crate) fn check(
        self,
        links: &Links,
        ancestry: &Ancestry,
        log: &mut Log<'_>,
    ) {
        let (calls, pairs) = self.match_by_parent(links, log);
        let mut open: HashMap<Option<NameId>, VecDeque<usize>> =
            HashMap::new();
        for (index, step) in self.steps.iter().enumerate() {
            let open = open.entry(step.facts.session).or_default();
            match step.kind {
                _ if pairs.contains(&index) => {}
                StepKind::Call => open.push_back(index),
                StepKind::Result if open.pop_front().is_some() => {}
                StepKind::Result => {
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
                StepKind::Failure => {}
            }
        }
        let mut left: Vec<usize> = open.into_values().flatten().collect();
        left.sort_unstable();
        for index in left {
            let Some(step) = self.steps.get(index) else { continue };
            let is_continued = ancestry.is_continued(step.node, &step.facts);
            log.unanswered(&step.facts, step.facts.uuid, is_continued);
        }
    }

    /// Matches results with the calls that are their parents. Returns the
    /// indexes of the calls by node, and the indexes of all calls and results
    /// that were matched.
    fn match_by_parent(
        &self,
        links: &Links,
        log: &mut Log<'_>,
    ) -> (HashMap<NodeIndex, usize>, HashSet<usize>) {
        let steps = || self.steps.iter().enumerate();
        let calls = steps().filter(|(_, step)| step.kind == StepKind::Call);
        let calls: HashMap<NodeIndex, usize> = calls
            .filter_map(|(index, step)| Some((step.node?, index)))
            .collect();
        let mut pairs = HashSet::new();
        for (index, step) in steps() {
            let up = links.parent(&step.facts);
            let call = up.and_then(|up| calls.get(&up));
            if step.kind != StepKind::Call
                && let Some(call) = call
                && pairs.insert(*call)
            {
                pairs.insert(index);
                if *call > index {
                    log.early_result(&step.facts, step.facts.parent);
                }
            }
        }
        (calls, pairs)
    }
}
