/*!
Pairing calls with results by their ids.
*/

use std::{collections::HashMap, mem};

use linetape::message::{
    Message,
    server::{ServerStopReason, UiEvent},
    system::System,
};

use crate::{
    Facts,
    check::{
        Dialect, Level, Rule,
        finding::{Findings, Quoted},
        line::{Agent, LineFacts},
        links::{Links, Place},
        table::Pairing,
        ways::Ways,
    },
    ids::{Index, NameId, Names},
};

/// An id within a session.
type InSession = (Option<NameId>, NameId);

/// Tool calls and results that have ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    calls: Vec<PairedCall>,
    /// Indexes of calls by id.
    known: HashMap<InSession, Index>,
    /// Results whose calls have not come yet.
    early: HashMap<InSession, Claim>,
    /// Results that came before their calls.
    swapped: Vec<Claim>,
    agents: HashMap<(Option<NameId>, Agent), AgentState>,
    sessions: HashMap<Option<NameId>, SessionState>,
    /// The first message of each sub-agent in a stream, by its call.
    sub_agents: HashMap<InSession, Claim>,
}

#[derive(Clone, Debug)]
struct PairedCall {
    facts: LineFacts,
    id: NameId,
    place: Option<Place>,
    is_remote: bool,
    is_answered: bool,
    /// Whether the model is known to have continued after the call.
    is_passed: bool,
}

/// A line that implies that there is a call.
#[derive(Clone, Debug)]
struct Claim {
    facts: LineFacts,
    id: NameId,
    /// Whether the log must have the call, as far as the order of lines
    /// tells.
    is_known: bool,
}

/// The state of one agent, in the order of the log. Where messages name no
/// parent, that order decides which message follows which.
#[derive(Clone, Debug, Default)]
struct AgentState {
    /// Calls without a result.
    open: Vec<Index>,
    /// The message of the API that the agent is writing.
    message: Option<NameId>,
    run: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct SessionState {
    /// Incremented when a run begins or ends. A later run does not wait for
    /// calls of an earlier one, which may have been stopped.
    run: u64,
    /// Whether the log has the beginning of the session. `None` if that is
    /// not known yet.
    is_whole: Option<bool>,
    /// Whether the log has the beginning of some turn of the main
    /// conversation.
    has_begun: bool,
}

impl SessionState {
    /// Returns whether the log has all that an agent said before this line.
    /// A sub-agent may run across turns of the main conversation, so for a
    /// sub-agent the log must have the whole session.
    fn knows(self, facts: &LineFacts) -> bool {
        let is_main = facts.agent == Agent::Main;
        self.is_whole == Some(true) || self.has_begun && is_main
    }
}

impl Pairs {
    /// Records what a message means for the calls before it.
    pub(crate) fn pass(&mut self, message: &Facts<'_>, facts: &LineFacts) {
        // A run that succeeded should have all results. One that was stopped
        // need not.
        if matches!(message.message(), Message::Result(_))
            && !message.is_error()
        {
            self.pass_calls(facts);
        }
        let session = self.sessions.entry(facts.session).or_default();
        let mut is_turn = facts.is_turn;
        match message.message() {
            Message::System(System::Init(_)) => {
                session.is_whole.get_or_insert(true);
                session.has_begun = true;
                session.run += 1;
            }
            Message::Result(_) => {
                session.is_whole.get_or_insert(false);
                session.has_begun = true;
                session.run += 1;
            }
            Message::User(_) | Message::Assistant(_) => {
                session.is_whole.get_or_insert(false);
            }
            Message::Input(_) => session.has_begun = true,
            Message::Ui(ui) => {
                if let UiEvent::Complete(turn) = ui.event()
                    && turn.stop_reason() != Some(ServerStopReason::ToolUse)
                {
                    session.has_begun = true;
                    is_turn = true;
                }
            }
            _ => {}
        }
        if !goes_by_order(facts) {
            return;
        }
        let is_known = session.knows(facts);
        if let Agent::Named(id) = facts.agent {
            let claim = Claim { facts: *facts, id, is_known };
            self.sub_agents.entry((facts.session, id)).or_insert(claim);
        }
        if !is_turn {
            return;
        }
        let agent = self.agent(facts);
        // Another line of the message that is being written is no new turn.
        if facts.message.is_some() && facts.message == agent.message {
            return;
        }
        agent.message = facts.message;
        self.pass_calls(facts);
    }

    /// Marks the open calls of an agent: the model continued, or the run
    /// succeeded, without their results.
    fn pass_calls(&mut self, facts: &LineFacts) {
        let open = mem::take(&mut self.agent(facts).open);
        for call in open {
            if let Some(call) = self.calls.get_mut(call.get()) {
                call.is_passed = true;
            }
        }
    }

    fn session(&self, facts: &LineFacts) -> SessionState {
        self.sessions.get(&facts.session).copied().unwrap_or_default()
    }

    fn agent(&mut self, facts: &LineFacts) -> &mut AgentState {
        let run = self.session(facts).run;
        let key = (facts.session, facts.agent);
        let agent = self.agents.entry(key).or_default();
        if agent.run != run {
            *agent = AgentState { open: vec![], message: None, run };
        }
        agent
    }

    /// Adds a call of a message, which may have a place among the links.
    pub(crate) fn add_call(
        &mut self,
        pairing: Pairing,
        id: NameId,
        facts: &LineFacts,
        place: Option<Place>,
        log: &mut Log<'_>,
    ) {
        let key = (facts.session, id);
        let Some(index) = Index::new(self.calls.len()) else { return };
        let known = *self.known.entry(key).or_insert(index);
        if let Some(first) = self.calls.get(known.get()) {
            let (old, new) = (first.facts.message, facts.message);
            if old == new && new.is_some() {
                return; // a message may repeat its blocks on a later line
            }
            let level = if old.is_some() && new.is_some() {
                Level::Error
            } else {
                facts.profile().repeated
            };
            let at = first.facts.position.line();
            let call = log.call(Some(id));
            let text = format_args!("the {call} is in line {at}, too");
            log.findings.add(Rule::RepeatedCall, level, facts.position, text);
            return;
        }
        let early = self.early.remove(&key);
        let is_answered = early.is_some();
        self.swapped.extend(early);
        self.calls.push(PairedCall {
            facts: *facts,
            id,
            place,
            is_remote: pairing == Pairing::RemoteCall,
            is_answered,
            is_passed: false,
        });
        if !is_answered && goes_by_order(facts) {
            self.agent(facts).open.push(index);
        }
    }

    pub(crate) fn add_result(
        &mut self,
        id: NameId,
        facts: &LineFacts,
        log: &mut Log<'_>,
    ) {
        let key = (facts.session, id);
        let is_known = self.session(facts).knows(facts);
        let known = self.known.get(&key);
        let call = known.and_then(|call| self.calls.get_mut(call.get()));
        let is_second = match call {
            Some(call) => mem::replace(&mut call.is_answered, true),
            None => {
                let is_second = self.early.contains_key(&key);
                let claim = Claim { facts: *facts, id, is_known };
                self.early.entry(key).or_insert(claim);
                is_second
            }
        };
        if is_second {
            log.repeated_result(facts, Some(id));
        }
    }

    /// Reports calls without a result, results without a call, results before
    /// their calls, and sub-agents without a call.
    pub(crate) fn check(self, links: &Links, ways: &Ways, log: &mut Log<'_>) {
        for call in self.calls.iter().filter(|call| !call.is_answered) {
            let PairedCall { facts, id, place, .. } = call;
            let is_passed = call.is_passed || ways.is_passed(*place, facts);
            log.unanswered(facts, Some(*id), is_passed && !call.is_remote);
        }
        for Claim { facts, id, is_known } in sorted(self.early.into_values()) {
            let is_known = if goes_by_order(&facts) {
                is_known
            } else {
                links.has_beginning(&facts)
            };
            log.unasked(&facts, Some(id), is_known);
        }
        for Claim { facts, id, .. } in sorted(self.swapped) {
            log.early_result(&facts, Some(id));
        }
        let known = self.known;
        let sub_agents = self.sub_agents.into_iter();
        let lost = sub_agents.filter(|(key, _)| !known.contains_key(key));
        for Claim { facts, id, is_known } in sorted(lost.map(|(_, c)| c)) {
            let level = if is_known { Level::Error } else { Level::Note };
            let call = log.call(Some(id));
            let text = format_args!("the sub-agent's {call} is not there");
            log.findings.add(Rule::Sidechain, level, facts.position, text);
        }
    }
}

/// Returns whether the order of lines decides which message follows which.
fn goes_by_order(facts: &LineFacts) -> bool {
    matches!(facts.dialect, Dialect::Stream | Dialect::Server)
}

/// Sorts claims by line, and those of one line by id.
fn sorted(claims: impl IntoIterator<Item = Claim>) -> Vec<Claim> {
    let mut claims: Vec<_> = claims.into_iter().collect();
    claims.sort_by_key(|claim| {
        (claim.facts.position.line(), claim.facts.position.byte(), claim.id)
    });
    claims
}

/// Collects the findings about pairs.
#[derive(Debug)]
pub(crate) struct Log<'l> {
    pub(crate) names: &'l Names,
    pub(crate) findings: &'l mut Findings,
}

impl Log<'_> {
    /// Returns the words for a call, which may have no id.
    fn call(&self, id: Option<NameId>) -> String {
        let name = id.and_then(|id| self.names.name(id));
        name.map_or("call".into(), |name| format!("call {}", Quoted(name)))
    }

    /// Reports a call without a result. It is an error if the model continued
    /// without the result. Otherwise the run was stopped, or the log is cut.
    pub(crate) fn unanswered(
        &mut self,
        facts: &LineFacts,
        id: Option<NameId>,
        is_passed: bool,
    ) {
        let call = self.call(id);
        let (level, what) = if is_passed {
            (Level::Error, "has no result")
        } else {
            (Level::Note, "has no result, and was not waited for")
        };
        let text = format_args!("the {call} {what}");
        self.findings.add(Rule::UnansweredCall, level, facts.position, text);
    }

    /// Reports a result without a call. It is an error, unless the call may
    /// be in a part of the session that the log does not have.
    pub(crate) fn unasked(
        &mut self,
        facts: &LineFacts,
        id: Option<NameId>,
        is_known: bool,
    ) {
        let call = self.call(id);
        let (level, what) = if is_known && !facts.is_forked {
            (Level::Error, "is not in the log")
        } else {
            (Level::Note, "is from before the log")
        };
        let text = format_args!("its {call} {what}");
        self.findings.add(Rule::UnaskedResult, level, facts.position, text);
    }

    pub(crate) fn repeated_result(
        &mut self,
        facts: &LineFacts,
        id: Option<NameId>,
    ) {
        let level = facts.profile().repeated;
        let call = self.call(id);
        let text = format_args!("its {call} has a result already");
        self.findings.add(Rule::RepeatedResult, level, facts.position, text);
    }

    pub(crate) fn early_result(
        &mut self,
        facts: &LineFacts,
        id: Option<NameId>,
    ) {
        let level = facts.profile().out_of_order;
        let call = self.call(id);
        let text = format_args!("its {call} comes later");
        self.findings.add(Rule::Order, level, facts.position, text);
    }
}
