use std::{collections::HashMap, mem};

use linetape::message::{
    Message,
    server::{ServerStopReason, UiEvent},
    system::System,
};

use crate::{
    check::{
        Dialect, Level, Rule,
        facts::{Facts, NONE},
        finding::{Findings, Quoted},
        links::Links,
        table::Part,
        ways::Ways,
    },
    names::Names,
};

/// Calls of tools and their results, where both have an id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    calls: Vec<Call>,
    /// By session and id.
    known: HashMap<(u32, u32), u32>,
    /// Results whose calls have not come.
    early: HashMap<(u32, u32), Claim>,
    /// Results that came before their calls did.
    swapped: Vec<Claim>,
    /// By session and agent.
    threads: HashMap<(u32, u32), Thread>,
    sessions: HashMap<u32, Session>,
    /// The first message of each sub-agent in a stream, by session and call.
    agents: HashMap<(u32, u32), Claim>,
}

#[derive(Clone, Debug)]
struct Call {
    facts: Facts,
    id: u32,
    /// The message's place among the links, or `NONE`.
    place: u32,
    is_remote: bool,
    is_answered: bool,
    /// Whether the model is known to have gone on after it.
    is_passed: bool,
}

/// Something that says that there is a call.
#[derive(Clone, Debug)]
struct Claim {
    facts: Facts,
    id: u32,
    /// Whether the log must have it, as far as the order of lines tells.
    is_known: bool,
}

/// What one agent says, in the order of the log. Where messages name no
/// parent, that order tells what follows what.
#[derive(Clone, Debug, Default)]
struct Thread {
    /// Calls that the model waits for.
    open: Vec<u32>,
    /// The message of the API that it writes.
    message: u32,
    run: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Session {
    /// Goes up with each run that begins or ends. Calls of another run are
    /// not waited for: it may have been stopped.
    run: u64,
    /// Whether the log has the session from its beginning on, if that is
    /// known yet.
    is_whole: Option<bool>,
    /// Whether it has a turn of the main conversation from its beginning on.
    has_begun: bool,
}

impl Session {
    /// Whether the log has what an agent said from its beginning on. A
    /// sub-agent may be at work while turns of the main conversation come
    /// and go.
    fn knows(self, facts: &Facts) -> bool {
        self.is_whole == Some(true) || self.has_begun && facts.agent == NONE
    }
}

impl Pairs {
    /// Takes note of what a message means for the calls before it.
    pub(crate) fn pass(&mut self, message: Message<'_>, facts: &Facts) {
        // A run that is stopped waits for nothing. One that is done should
        // have had all results.
        if matches!(message, Message::Result(_)) && !message.is_error() {
            self.pass_calls(facts);
        }
        let session = self.sessions.entry(facts.session).or_default();
        let mut is_turn = facts.is_turn;
        match message {
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
        let (key, id) = ((facts.session, facts.agent), facts.agent);
        if id != NONE {
            let claim = Claim { facts: *facts, id, is_known };
            self.agents.entry(key).or_insert(claim);
        }
        if !is_turn {
            return;
        }
        let thread = self.thread(facts);
        // Another line of the message that is being written is no new turn.
        if facts.message != NONE && facts.message == thread.message {
            return;
        }
        thread.message = facts.message;
        self.pass_calls(facts);
    }

    /// The model goes on, or is done, without the results that it waits for.
    fn pass_calls(&mut self, facts: &Facts) {
        let open = mem::take(&mut self.thread(facts).open);
        for call in open {
            if let Some(call) = self.calls.get_mut(call as usize) {
                call.is_passed = true;
            }
        }
    }

    fn session(&self, facts: &Facts) -> Session {
        self.sessions.get(&facts.session).copied().unwrap_or_default()
    }

    fn thread(&mut self, facts: &Facts) -> &mut Thread {
        let run = self.session(facts).run;
        let key = (facts.session, facts.agent);
        let thread = self.threads.entry(key).or_default();
        if thread.run != run {
            *thread = Thread { open: vec![], message: NONE, run };
        }
        thread
    }

    /// Adds a call of a message that has a place among the links, or `NONE`.
    pub(crate) fn add_call(
        &mut self,
        part: Part,
        id: u32,
        facts: &Facts,
        place: u32,
        log: &mut Log<'_>,
    ) {
        let key = (facts.session, id);
        let Ok(number) = u32::try_from(self.calls.len()) else { return };
        let known = *self.known.entry(key).or_insert(number);
        if let Some(first) = self.calls.get(known as usize) {
            let (old, new) = (first.facts.message, facts.message);
            if old == new && new != NONE {
                return; // a message may write its blocks again
            }
            let level = match old != NONE && new != NONE {
                true => Level::Error,
                false => facts.profile().repeated,
            };
            let at = first.facts.position.line();
            let call = log.call(id);
            let text = format_args!("the {call} is in line {at}, too");
            log.findings.add(Rule::RepeatedCall, level, facts.position, text);
            return;
        }
        let early = self.early.remove(&key);
        let is_answered = early.is_some();
        self.swapped.extend(early);
        self.calls.push(Call {
            facts: *facts,
            id,
            place,
            is_remote: part == Part::RemoteCall,
            is_answered,
            is_passed: false,
        });
        if !is_answered && goes_by_order(facts) {
            self.thread(facts).open.push(number);
        }
    }

    pub(crate) fn add_result(
        &mut self,
        id: u32,
        facts: &Facts,
        log: &mut Log<'_>,
    ) {
        let key = (facts.session, id);
        let is_known = self.session(facts).knows(facts);
        let known = self.known.get(&key);
        let call = known.and_then(|call| self.calls.get_mut(*call as usize));
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
            log.repeated_result(facts, id);
        }
    }

    /// Checks that each has its like.
    pub(crate) fn check(self, links: &Links, ways: &Ways, log: &mut Log<'_>) {
        for call in self.calls.iter().filter(|call| !call.is_answered) {
            let Call { facts, id, place, .. } = call;
            let is_passed = call.is_passed || ways.is_passed(*place, facts);
            log.unanswered(facts, *id, is_passed && !call.is_remote);
        }
        for Claim { facts, id, is_known } in sorted(self.early.into_values()) {
            let is_known = match goes_by_order(&facts) {
                true => is_known,
                false => links.has_beginning(&facts),
            };
            log.unasked(&facts, id, is_known);
        }
        for Claim { facts, id, .. } in sorted(self.swapped) {
            log.early_result(&facts, id);
        }
        let known = self.known;
        let agents = self.agents.into_iter();
        let lost = agents.filter(|(key, _)| !known.contains_key(key));
        for Claim { facts, id, is_known } in sorted(lost.map(|(_, c)| c)) {
            let level = match is_known {
                true => Level::Error,
                false => Level::Note,
            };
            let call = log.call(id);
            let text = format_args!("the sub-agent's {call} is not there");
            log.findings.add(Rule::Sidechain, level, facts.position, text);
        }
    }
}

/// Whether it is the order of the lines that tells what follows what.
fn goes_by_order(facts: &Facts) -> bool {
    matches!(facts.dialect, Dialect::Stream | Dialect::Server)
}

/// Those of one line keep no order of their own: they differ in the id only.
fn sorted(claims: impl IntoIterator<Item = Claim>) -> Vec<Claim> {
    let mut claims: Vec<_> = claims.into_iter().collect();
    claims.sort_by_key(|claim| {
        (claim.facts.position.line(), claim.facts.position.byte(), claim.id)
    });
    claims
}

/// Where findings about pairs go.
#[derive(Debug)]
pub(crate) struct Log<'l> {
    pub(crate) names: &'l Names,
    pub(crate) findings: &'l mut Findings,
}

impl Log<'_> {
    /// A call, for a message. Not every one has an id.
    fn call(&self, id: u32) -> String {
        let name = self.names.name(id);
        name.map_or("call".into(), |name| format!("call {}", Quoted(name)))
    }

    /// A call without a result is wrong if the model went on without it.
    /// Else the run was stopped, or the log is cut.
    pub(crate) fn unanswered(
        &mut self,
        facts: &Facts,
        id: u32,
        is_passed: bool,
    ) {
        let call = self.call(id);
        let (level, what) = match is_passed {
            true => (Level::Error, "has no result"),
            false => (Level::Note, "has no result, and was not waited for"),
        };
        let text = format_args!("the {call} {what}");
        self.findings.add(Rule::UnansweredCall, level, facts.position, text);
    }

    /// A result without a call is wrong, unless the call can have been in a
    /// part of the session that the log does not have.
    pub(crate) fn unasked(&mut self, facts: &Facts, id: u32, is_known: bool) {
        let call = self.call(id);
        let (level, what) = match is_known && !facts.is_forked {
            true => (Level::Error, "is not in the log"),
            false => (Level::Note, "is from before the log"),
        };
        let text = format_args!("its {call} {what}");
        self.findings.add(Rule::UnaskedResult, level, facts.position, text);
    }

    pub(crate) fn repeated_result(&mut self, facts: &Facts, id: u32) {
        let level = facts.profile().repeated;
        let call = self.call(id);
        let text = format_args!("its {call} has a result already");
        self.findings.add(Rule::RepeatedResult, level, facts.position, text);
    }

    pub(crate) fn early_result(&mut self, facts: &Facts, id: u32) {
        let level = facts.profile().out_of_order;
        let call = self.call(id);
        let text = format_args!("its {call} comes later");
        self.findings.add(Rule::Order, level, facts.position, text);
    }
}
