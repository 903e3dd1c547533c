/*!
The first pass over logs: sessions, figures and names, without text.
*/

use std::collections::{BTreeSet, HashMap};

use linetape::{Error, Line, Message, message::system::System};
use linetape_session::{
    Conversation, Facts, Tokens, UsageTotals,
    conversation::{Place, Session, StepKind},
};

use crate::{
    chart::{Clock, Request},
    cut::first_line,
    overview::Overview,
};

/// The name of the model of messages that state none.
pub(crate) const UNKNOWN_MODEL: &str = "unknown model";

/// Logs that are read together: files with lines of the same sessions.
///
/// Lines are added in the order of the files. Only ids, the positions of
/// messages, and figures are kept; the text is read again when a page is
/// written.
///
/// # Costs
///
/// Memory grows with the messages and calls, not with their text: a log of
/// 65,070 short calls took 350 bytes for each call and its messages.
///
/// # Example
///
/// See [`write_session`](crate::write_session).
#[derive(Debug)]
pub struct Log {
    pub(crate) conversation: Conversation,
    /// Empty once it was taken.
    usage: UsageTotals,
    /// By session.
    notes: HashMap<Option<String>, Notes>,
    /// The session of the last line.
    last: Option<String>,
    /// The number of lines that could not be read.
    lost: u64,
    /// The number of sources.
    sources: u32,
    /// By session, once the log has ended.
    spent: HashMap<Option<String>, Spent>,
}

/// What the requests of a session have used.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    requests: u64,
    tokens: Tokens,
    /// The part of the tokens that the agent reports, and that no message has.
    pub(crate) unlogged: Tokens,
    /// The models.
    used: BTreeSet<String>,
    /// All requests, in the order of the log.
    pub(crate) all: Vec<Request>,
    cost_usd: Option<f64>,
    /// The cost and output tokens of each model whose cost the log states.
    pub(crate) models: Vec<(String, f64, u64)>,
}

/// What the lines of a session say about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// The title that the user gave, and the one that a model made.
    titles: [Option<String>; 2],
    /// The first prompt, and the first text of the model.
    prompt: Option<String>,
    said: Option<String>,
    pub(crate) folder: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) version: Option<String>,
}

impl Notes {
    fn add(&mut self, facts: &Facts<'_>) {
        let message = facts.message();
        match message {
            Message::CustomTitle(line) => {
                keep_last(&mut self.titles[0], line.custom_title());
            }
            Message::AiTitle(line) => {
                keep_last(&mut self.titles[1], line.ai_title());
            }
            Message::System(System::Init(init)) => {
                keep_first(&mut self.version, init.claude_code_version());
                keep_first(&mut self.folder, facts.cwd());
            }
            Message::User(_) | Message::Assistant(_) => {
                let is_whole = self.folder.is_some()
                    && self.version.is_some()
                    && self.branch.is_some();
                if is_whole {
                    return;
                }
                let envelope = message.envelope();
                keep_first(&mut self.folder, facts.cwd());
                keep_first(&mut self.version, envelope.version());
                keep_first(&mut self.branch, envelope.git_branch());
            }
            _ => {}
        }
    }

    fn title(&self) -> Option<&str> {
        let [given, made] = &self.titles;
        let titles = [given, made, &self.prompt, &self.said];
        let titles = titles.into_iter().flatten();
        titles.map(String::as_str).find(|title| !title.is_empty())
    }
}

fn keep_first(slot: &mut Option<String>, text: Option<&str>) {
    let text = text.filter(|text| slot.is_none() && !text.is_empty());
    if let Some(text) = text {
        *slot = Some(text.to_string());
    }
}

fn keep_last(slot: &mut Option<String>, text: Option<&str>) {
    if let Some(text) = text {
        *slot = Some(first_line(text, 120));
    }
}

impl Default for Log {
    fn default() -> Log {
        Log::new()
    }
}

impl Log {
    /// Creates an empty log.
    pub fn new() -> Log {
        Log {
            conversation: Conversation::new(),
            usage: UsageTotals::without_tools(),
            notes: HashMap::new(),
            last: None,
            lost: 0,
            sources: 0,
            spent: HashMap::new(),
        }
    }

    /// Adds a line of the source with the index `source`.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return. The line is not
    /// added then, but counted as lost.
    pub fn add(&mut self, source: u32, line: &Line<'_>) -> Result<(), Error> {
        self.add_at(Place::of_line(source, line), line)
    }

    /// Adds the line at a place, whose number need not be that of the line: if
    /// lines were left out of a copy, pages name the number in the original.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`add`](Log::add).
    pub fn add_at(
        &mut self,
        place: Place,
        line: &Line<'_>,
    ) -> Result<(), Error> {
        self.sources = self.sources.max(place.source.saturating_add(1));
        let added = self.add_checked(place, line);
        if added.is_err() {
            self.add_lost();
        }
        added
    }

    fn add_checked(
        &mut self,
        place: Place,
        line: &Line<'_>,
    ) -> Result<(), Error> {
        let facts = Facts::of(line.checked()?);
        let steps = self.conversation.add_facts(&facts, place)?;
        self.usage.add_facts(&facts);
        let session = facts.session_name();
        if self.last.as_deref() != session.as_deref() {
            self.last = session.map(|name| name.into_owned());
        }
        // Names of sessions are looked up without copying them.
        if !self.notes.contains_key(&self.last) {
            self.notes.insert(self.last.clone(), Notes::default());
        }
        let Some(notes) = self.notes.get_mut(&self.last) else {
            return Ok(());
        };
        notes.add(&facts);
        if notes.prompt.is_none() {
            let steps = steps.filter_map(|at| self.conversation.step(at));
            let mut steps = steps.filter(|step| {
                step.turn().is_some_and(|turn| turn.agent().is_none())
            });
            let step = steps.find(|step| match step.kind() {
                StepKind::Prompt => true,
                StepKind::Text => notes.said.is_none(),
                _ => false,
            });
            if let Some(step) = step
                && let Some(facts) = step.place().find(facts)
            {
                let text = Some(first_line(&step.text(&facts), 120));
                match step.kind() {
                    StepKind::Prompt => notes.prompt = text,
                    _ => notes.said = text,
                }
            }
        }
        Ok(())
    }

    /// Counts a line that could not be read.
    pub fn add_lost(&mut self) {
        self.lost += 1;
        self.conversation.add_lost();
    }

    /// Adds what the file `agent-ID.meta.json` says about the sub-agent `ID`:
    /// see [`Conversation::add_agent`].
    pub fn add_agent(
        &mut self,
        agent: &str,
        kind: Option<&str>,
        task: Option<&str>,
        call: Option<&str>,
    ) {
        self.conversation.add_agent(agent, kind, task, call);
    }

    /// Ends the log, and returns an overview of each session that has a
    /// conversation, in order of appearance. Call it once, after the last
    /// line: it releases memory that is only needed to add lines.
    pub fn finish(&mut self) -> Vec<Overview> {
        self.conversation.close();
        self.spent = spent(&self.usage);
        let sessions = self.conversation.sessions();
        let sessions = sessions.filter(|session| {
            session.turns().next().is_some()
                || session.agents().next().is_some()
        });
        sessions.map(|session| self.overview(session)).collect()
    }

    /// Takes the usage of all messages, for the totals of
    /// [`write_index`](crate::write_index), once the log has ended. Pages do
    /// not need it, so take it in any case to release its memory: about 40
    /// bytes for each message.
    pub fn take_usage(&mut self) -> UsageTotals {
        std::mem::take(&mut self.usage)
    }

    /// Returns the number of lines that could not be read.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns the number of sources.
    pub(crate) fn sources(&self) -> u32 {
        self.sources
    }

    pub(crate) fn notes(&self, session: Option<&str>) -> Notes {
        let notes = self.notes.get(&session.map(str::to_string));
        notes.cloned().unwrap_or_default()
    }

    fn overview(&self, session: Session<'_>) -> Overview {
        let notes = self.notes(session.id());
        let (mut calls, mut failed) = (0, 0);
        for call in session.calls() {
            calls += 1;
            failed += u64::from(call.is_error());
        }
        let prompts = session.turns().filter(|turn| turn.prompt().is_some());
        let mut overview = Overview {
            index: session.index(),
            id: session.id().map(str::to_string),
            title: notes.title().map(str::to_string),
            folder: notes.folder,
            started_at: session.started_at(),
            ended_at: session.ended_at(),
            active_ms: clock(session).total(),
            prompts: prompts.count() as u64,
            calls,
            failed,
            forked_from: session.forked_from().map(str::to_string),
            continued_in: session.continued_in().map(str::to_string),
            ..Overview::default()
        };
        let Some(spent) = self.spent(session) else { return overview };
        overview.requests = spent.requests;
        overview.tokens = spent.tokens;
        overview.models = spent.used.iter().cloned().collect();
        // Some agents state 0 where they do not know the cost.
        overview.cost_usd = spent.cost_usd.filter(|cost| *cost > 0.0);
        overview
    }

    /// Returns what a session has used, if it has used anything.
    pub(crate) fn spent(&self, session: Session<'_>) -> Option<&Spent> {
        self.spent.get(&session.id().map(str::to_string))
    }
}

/// Adds up the requests of all sessions, in one pass.
fn spent(usage: &UsageTotals) -> HashMap<Option<String>, Spent> {
    let mut all: HashMap<Option<String>, Spent> = HashMap::new();
    for message in usage.messages() {
        let session = message.session.map(str::to_string);
        let spent = all.entry(session).or_default();
        spent.requests += 1;
        spent.tokens += message.tokens;
        let model = message.model.unwrap_or(UNKNOWN_MODEL);
        if !spent.used.contains(model) {
            spent.used.insert(model.to_string());
        }
        spent.all.push(Request::new(
            message.time,
            &message.tokens,
            message.is_sidechain,
        ));
    }
    for unlogged in usage.unlogged_by_session() {
        let session = unlogged.name.map(str::to_string);
        let spent = all.entry(session).or_default();
        spent.tokens += unlogged.tokens;
        spent.unlogged = unlogged.tokens;
    }
    for cost in usage.costs() {
        let session = cost.session.map(str::to_string);
        let spent = all.entry(session).or_default();
        spent.cost_usd = cost.cost_usd;
        for model in &cost.models {
            if let Some(cost) = model.cost_usd {
                let tokens = model.tokens.output_tokens;
                spent.models.push((model.model.to_string(), cost, tokens));
            }
        }
    }
    all
}

/// Returns the clock of a session.
pub(crate) fn clock(session: Session<'_>) -> Clock {
    let agents = session.agents().flat_map(|agent| agent.turns());
    let turns = session.turns().chain(agents);
    let times = turns.flat_map(|turn| turn.steps()).filter_map(|s| s.time());
    let calls = session.calls().filter(|call| !asks(call.name()));
    let calls =
        calls.filter_map(|call| Some((call.started_at()?, call.ended_at()?)));
    Clock::new(times, calls)
}

/// Returns whether a tool waits for a person.
pub(crate) fn asks(tool: Option<&str>) -> bool {
    matches!(tool, Some("AskUserQuestion" | "ExitPlanMode"))
}
