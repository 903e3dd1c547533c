/*!
Matching tool calls with results by their ids.
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
        ancestry::Ancestry,
        finding::{Findings, Quoted},
        forks::Forks,
        line::{Agent, LineFacts},
        links::{Links, NodeIndex},
        table::Pairing,
    },
    ids::{Index, NameId, Names},
};

/// A session and an id in it.
type InSession = (Option<NameId>, NameId);

/// Tool calls and results that have ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    calls: Vec<PairedCall>,
    /// Indexes of calls by id.
    known: HashMap<InSession, Index>,
    /// The first result of each call that has not occurred yet.
    early: HashMap<InSession, Claim>,
    /// Results that came before their calls.
    swapped: Vec<Claim>,
    agents: HashMap<(Option<NameId>, Agent), AgentState>,
    sessions: HashMap<Option<NameId>, SessionState>,
    /// The first message of each sub-agent in a stream, by its call.
    sub_agents: HashMap<InSession, Claim>,
    pub(crate) forks: Forks,
}

#[derive(Clone, Debug)]
struct PairedCall {
    facts: LineFacts,
    id: NameId,
    node: Option<NodeIndex>,
    is_remote: bool,
    is_answered: bool,
    /// Whether the model is known to have continued without the result.
    is_continued: bool,
}

/// A line that refers to a tool call.
#[derive(Clone, Debug)]
struct Claim {
    facts: LineFacts,
    id: NameId,
    /// Whether the call must be in the log, judging by the order of lines.
    is_known: bool,
}

/// The state of one agent after the lines so far. In streams, the order of
/// lines replaces links to parents.
#[derive(Clone, Debug, Default)]
struct AgentState {
    /// Calls without a result.
    open: Vec<Index>,
    /// The API message that the agent is writing.
    message: Option<NameId>,
    run: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct SessionState {
    /// Incremented when a run begins or ends. A later run does not need the
    /// results of an earlier one, which may have been stopped.
    run: u64,
    /// Whether the log has the beginning of the session. `None` if that is
    /// not known yet.
    is_whole: Option<bool>,
    /// Whether the log has the beginning of some turn of the main
    /// conversation.
    has_begun: bool,
}

impl SessionState {
    /// Returns whether the log has everything that an agent wrote before this
    /// line. A sub-agent may run across turns of the main conversation, so for
    /// a sub-agent the log must have the whole session.
    fn knows(self, facts: &LineFacts) -> bool {
        let is_main = facts.agent == Agent::Main;
        self.is_whole == Some(true) || self.has_begun && is_main
    }
}

impl Pairs {
    /// Updates the state of runs and open calls with a message.
    pub(crate) fn observe(&mut self, message: &Facts<'_>, facts: &LineFacts) {
        // A successful run must have all results. A run that was stopped
        // need not.
        let ends_run = message.run_result().is_some();
        if ends_run && !message.is_error() {
            self.mark_open_calls(facts);
        }
        let session = self.sessions.entry(facts.session).or_default();
        let mut is_turn = facts.is_turn;
        match message.message() {
            Message::System(System::Init(_)) => {
                session.is_whole.get_or_insert(true);
                session.has_begun = true;
                session.run = session.run.saturating_add(1);
            }
            Message::Result(_) if ends_run => {
                session.is_whole.get_or_insert(false);
                session.has_begun = true;
                session.run = session.run.saturating_add(1);
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
        if !uses_line_order(facts) {
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
        // Another line of the same API message is not a new turn.
        if facts.message.is_some() && facts.message == agent.message {
            return;
        }
        agent.message = facts.message;
        self.mark_open_calls(facts);
    }

    /// Marks the open calls of an agent as continued: the model went on, or
    /// the run succeeded, without their results.
    fn mark_open_calls(&mut self, facts: &LineFacts) {
        let open = mem::take(&mut self.agent(facts).open);
        for call in open {
            if let Some(call) = self.calls.get_mut(call.get()) {
                call.is_continued = true;
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

    /// Adds a call. `node` is its message, if the message has a uuid.
    pub(crate) fn add_call(
        &mut self,
        pairing: Pairing,
        id: NameId,
        facts: &LineFacts,
        node: Option<NodeIndex>,
        log: &mut Log<'_>,
    ) {
        let key = (facts.session, id);
        let Some(index) = Index::new(self.calls.len()) else { return };
        let known = *self.known.entry(key).or_insert(index);
        if let Some(first) = self.calls.get(known.get()) {
            let (old, new) = (first.facts.message, facts.message);
            if old == new && new.is_some() {
                return; // A message may repeat its blocks on a later line.
            }
            let level = if old.is_some() && new.is_some() {
                Level::Error
            } else {
                facts.profile().repeated
            };
            let at = first.facts.position.line();
            let call = log.call(Some(id));
            let text = format_args!("the {call} is already on line {at}");
            log.findings.add(Rule::RepeatedCall, level, facts.position, text);
            return;
        }
        let early = self.early.remove(&key);
        let is_answered = early.is_some();
        self.swapped.extend(early);
        self.calls.push(PairedCall {
            facts: *facts,
            id,
            node,
            is_remote: pairing == Pairing::RemoteCall,
            is_answered,
            is_continued: false,
        });
        if !is_answered && uses_line_order(facts) {
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
    pub(crate) fn check(
        self,
        links: &Links,
        ancestry: &Ancestry,
        log: &mut Log<'_>,
    ) {
        for call in self.calls.iter().filter(|call| !call.is_answered) {
            let PairedCall { facts, id, node, .. } = call;
            let is_continued =
                call.is_continued || ancestry.is_continued(*node, facts);
            log.unanswered(facts, Some(*id), is_continued && !call.is_remote);
        }
        for Claim { facts, id, is_known } in sorted(self.early.into_values()) {
            let is_known = if uses_line_order(&facts) {
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
            let text =
                format_args!("the sub-agent's {call} is not in the log");
            log.findings.add(Rule::Sidechain, level, facts.position, text);
        }
    }
}

/// Returns whether a dialect has no links to parents, so that the order of
/// lines is used.
fn uses_line_order(facts: &LineFacts) -> bool {
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

/// Reports findings about calls and results.
#[derive(Debug)]
pub(crate) struct Log<'l> {
    pub(crate) names: &'l Names,
    pub(crate) findings: &'l mut Findings,
}

impl Log<'_> {
    /// Describes a call, which may have no id.
    fn call(&self, id: Option<NameId>) -> String {
        let name = id.and_then(|id| self.names.name(id));
        name.map_or("call".into(), |name| format!("call {}", Quoted(name)))
    }

    /// Reports a call without a result. It is an error if the model continued
    /// without the result. Otherwise the run was stopped, the log is
    /// incomplete, or the API runs the tool.
    pub(crate) fn unanswered(
        &mut self,
        facts: &LineFacts,
        id: Option<NameId>,
        is_continued: bool,
    ) {
        let call = self.call(id);
        let (level, what) = if is_continued {
            (Level::Error, "has no result")
        } else {
            (
                Level::Note,
                "has no result (run stopped, log incomplete, or run by the API)",
            )
        };
        let text = format_args!("the {call} {what}");
        self.findings.add(Rule::UnansweredCall, level, facts.position, text);
    }

    /// Reports a result without a call. It is an error, unless the call may
    /// be in a part of the session that is not in the log.
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
            (Level::Note, "precedes the log")
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
        let text = format_args!("its {call} already has a result");
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
