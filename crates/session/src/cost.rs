/*!
Cost, as reported by the agent.
*/

use std::collections::{BTreeMap, HashSet};

use linetape::message::{
    results::{ModelUsage, ResultMessage},
    transcript::CostState,
};

use crate::{
    Tokens,
    figures::Model,
    growing::Growing,
    ids::{NameId, Names, Renaming},
    state::{
        codec::{saved, saved_enum},
        hash::Sip,
    },
};

/// The cost of a session, as the agent reports it: in the `result` lines of a
/// stream, or in the `cost-state` lines of a transcript.
///
/// These are the agent's own estimates. They may differ from the sums over
/// messages: they include requests that have no line in the log, and exclude
/// runs that were stopped before their result.
///
/// The cost in a result is cumulative over the session. A cost that is lower
/// than the previous one means that the count restarted at zero; the cost
/// before the restart is then added to the total.
///
/// A result is identified by its session and its `uuid`. A copy of a result,
/// for example in a file that is read twice, does not count, and neither does
/// the run that it ends. A result without a `uuid` always counts, since a copy
/// of it cannot be told from a second run.
///
/// A `cost-state` is the cost of the whole session so far, so the last one is
/// used. An older copy of a transcript may be read later, so the last one is
/// that with the longest `totalDuration`, and of equal ones that with the
/// highest cost; without a duration, it is the last one in the log. If a
/// session has results as well, both report the same requests, so they are not
/// added: the larger cost is used, with its models. A `cost-state` without a
/// total costs as much as its models.
///
/// A session that was forked goes on with the count of the original. So if
/// sessions have a message in common, and a `cost-state` with the same
/// `startTime`, only the highest cost counts: of the others, each session has
/// what is more than in the one before, by their cost. If the original or
/// several of its forks went on, the costs after the fork are taken for one
/// count too, so the sum is too low, and so are those of these sessions.
///
/// Old agents state the cost of each message (`costUSD`) instead. The sum is
/// used if the session reports no other cost. It does not include messages that
/// state none: see
/// [`is_cost_reported`](crate::MessageTotals::is_cost_reported).
///
/// # Example
///
/// This shows a session with two runs, of which the second was stopped.
///
/// ```
/// use linetape::lines;
/// use linetape_session::UsageTotals;
///
/// let log = br#"{"type":"system","subtype":"init","session_id":"s1"}
/// {"type":"result","session_id":"s1","total_cost_usd":0.25}
/// {"type":"system","subtype":"init","session_id":"s1"}
/// {"type":"assistant","session_id":"s1","message":{"id":"m1"}}
/// "#;
/// let mut totals = UsageTotals::new();
/// let mut lines = lines(log);
/// while let Some(record) = lines.next_record() {
///     totals.add(record?.message());
/// }
/// let cost = &totals.costs()[0];
/// assert_eq!((cost.runs, cost.results), (2, 1));
/// assert_eq!(cost.cost_usd, Some(0.25));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Cost<'t> {
    /// The session. `None` if the lines have no session id.
    pub session: Option<&'t str>,
    /// The number of runs. A run begins with a `system/init`, or else with
    /// the first message of the model, and ends with its result.
    pub runs: u64,
    /// The number of runs that have a result. The cost of the others is not
    /// known.
    pub results: u64,
    /// The cost of all runs in dollars. `None` if the agent reports none.
    pub cost_usd: Option<f64>,
    /// Whether the agent has no price for a model of the session, so that the
    /// cost does not include it: `hasUnknownModelCost`.
    pub has_unknown_model_cost: bool,
    /// The cost by model, sorted by name.
    pub models: Vec<ModelCost<'t>>,
}

/// The cost of one model, as the agent reports it.
///
/// # Example
///
/// See [`Cost`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ModelCost<'t> {
    /// The model's name.
    pub model: &'t str,
    /// The cost in dollars. `None` if the agent reports none.
    pub cost_usd: Option<f64>,
    /// The tokens that the model used. Counts beyond 2^53 are rounded.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub tokens: Tokens,
}

/// The runs and the cost of one session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    /// The first event. [`append`](Runs::append) needs it to determine whether
    /// the first run continues the last run of an earlier part of the log.
    first: Option<Event>,
    phase: Phase,
    runs: u64,
    /// One for each result, without copies. They are kept, because only then
    /// copies in a later part of the log can be left out.
    results: Vec<Report>,
    /// The ids of the results that have one.
    ids: HashSet<u64>,
    /// The numbers of messages before each `system/init`, in ascending order.
    inits: Vec<usize>,
    /// By the last `cost-state`.
    state: Option<Report>,
}

/// What one line reports.
#[derive(Clone, Debug)]
struct Report {
    /// The hash of the line's uuid. `None` if it has none.
    id: Option<u64>,
    cost: Option<f64>,
    models: Vec<(NameId, Model<Option<f64>>)>,
    /// What was used since the result before, if the result states it.
    since: Option<Tokens>,
    /// Whether the cost does not include a model.
    is_partial: bool,
    /// Of a `cost-state`, the duration of the session so far.
    duration: Option<f64>,
    /// Of a `cost-state`, the start of the session.
    start: Option<u64>,
    /// Of a result, the number of messages before it.
    at: usize,
}

/// The tokens that one result reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// The number of messages before it.
    pub(crate) at: usize,
    /// What was used since the result before, if it states that.
    pub(crate) since: Option<Tokens>,
    /// The sums, and what they are more than those before.
    pub(crate) sums: Tokens,
    pub(crate) growth: Tokens,
}

/// An event that changes the [`Phase`] of a run.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A `system/init`. There may be two in a row.
    Begin,
    /// A message of the model.
    Message,
    /// A result.
    End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Phase {
    /// No run has begun since the last result.
    #[default]
    Idle,
    /// After a `system/init`, before the first message of the model.
    Begun,
    /// After a message of the model.
    Running,
}

saved! {
    Runs { first, phase, runs, results, ids, inits, state }
    Report { id, cost, models, since, is_partial, duration, start, at }
}
saved_enum! {
    Event { Begin = 0, Message = 1, End = 2 }
    Phase { Idle = 0, Begun = 1, Running = 2 }
}

impl Phase {
    /// Returns whether an event in this phase begins a new run.
    fn begins_run(self, event: Event) -> bool {
        match event {
            Event::Begin => self != Phase::Begun,
            Event::Message | Event::End => self == Phase::Idle,
        }
    }
}

impl Runs {
    /// Adds a `system/init`, which has a number of messages before it.
    pub(crate) fn begin(&mut self, at: usize) {
        self.apply(Event::Begin);
        self.add_init(at);
    }

    fn add_init(&mut self, at: usize) {
        if self.inits.last() != Some(&at) {
            self.inits.push(at);
        }
    }

    pub(crate) fn add_message(&mut self) {
        self.apply(Event::Message);
    }

    /// Adds a result, which has a number of messages before it.
    pub(crate) fn end(
        &mut self,
        result: ResultMessage<'_>,
        at: usize,
        names: &mut Names,
    ) {
        let report = Report {
            id: result.uuid().map(hash_of),
            cost: result.total_cost_usd(),
            models: models(result.model_usage(), names),
            since: result.model_usage_since_last_result().map(|models| {
                let models = models.into_iter();
                models.map(|(_, usage)| tokens_of(&Model::of(usage))).sum()
            }),
            is_partial: false,
            duration: None,
            start: None,
            at,
        };
        self.apply(Event::End);
        if !self.add_result(report) {
            self.runs = self.runs.saturating_sub(1);
        }
    }

    /// Adds a result, unless it is a copy. Returns whether it was added.
    fn add_result(&mut self, report: Report) -> bool {
        let is_new = report.id.is_none_or(|id| self.ids.insert(id));
        if is_new {
            self.results.push(report);
        }
        is_new
    }

    /// Sets the cost of the whole session so far.
    pub(crate) fn set_state(
        &mut self,
        state: CostState<'_>,
        names: &mut Names,
    ) {
        let models = models(state.model_usage(), names);
        let of_models = models.iter().filter_map(|(_, model)| model.usd());
        self.keep_state(Report {
            id: None,
            cost: state
                .total_cost_usd()
                .or_else(|| of_models.reduce(|a, b| a + b)),
            models,
            since: None,
            is_partial: state.has_unknown_model_cost() == Some(true),
            duration: state.total_duration(),
            start: state.start_time(),
            at: 0,
        });
    }

    /// Keeps a `cost-state`, unless the known one is later.
    fn keep_state(&mut self, state: Report) {
        let age = |report: &Report| {
            let cost = report.cost.filter(|_| report.duration.is_some());
            (report.duration, cost)
        };
        let known = self.state.as_ref();
        if known.is_none_or(|known| age(&state) >= age(known)) {
            self.state = Some(state);
        }
    }

    fn apply(&mut self, event: Event) {
        self.first.get_or_insert(event);
        let runs = u64::from(self.phase.begins_run(event));
        self.runs = self.runs.saturating_add(runs);
        self.phase = match event {
            Event::Begin => Phase::Begun,
            Event::Message => Phase::Running,
            Event::End => Phase::Idle,
        };
    }

    /// Adds the runs of a later part of the log. `end_of` returns the number of
    /// all messages for a number of those of the later part.
    pub(crate) fn append(
        &mut self,
        later: Runs,
        renaming: &Renaming,
        end_of: impl Fn(usize) -> usize,
    ) {
        if let Some(first) = later.first {
            // The first event may belong to the run that is still open.
            let goes_on = !self.phase.begins_run(first);
            self.first.get_or_insert(first);
            let runs = later.runs.saturating_sub(u64::from(goes_on));
            self.runs = self.runs.saturating_add(runs);
            self.phase = later.phase;
        }
        for at in later.inits {
            self.add_init(end_of(at));
        }
        for mut result in later.results {
            result.at = end_of(result.at);
            if !self.add_result(result.renamed(renaming)) {
                self.runs = self.runs.saturating_sub(1);
            }
        }
        if let Some(state) = later.state {
            self.keep_state(state.renamed(renaming));
        }
    }

    /// Returns the cost, and when its count started if that is known.
    pub(crate) fn cost<'t>(
        &self,
        session: Option<NameId>,
        names: &'t Names,
    ) -> (Cost<'t>, Option<u64>) {
        let spending = self.spending();
        let models = spending.models.iter();
        let mut models: Vec<_> = models
            .filter_map(|(&name, model)| {
                Some(model_cost(model, names.name(name)?))
            })
            .collect();
        models.sort_by_key(|model| model.model);
        let cost = Cost {
            session: session.and_then(|session| names.name(session)),
            runs: self.runs,
            results: self.results.len() as u64,
            cost_usd: spending.cost.sum(),
            has_unknown_model_cost: spending.is_partial,
            models,
        };
        (cost, spending.start)
    }

    /// Returns whether a result reports tokens.
    pub(crate) fn has_told(&self) -> bool {
        self.results.iter().any(Report::has_tokens)
    }

    /// Returns what each result reports, without results that report no
    /// tokens.
    ///
    /// A process that resumes a session goes on with its sums, and one that was
    /// forked from it with those of the original. So only the first results of
    /// old agents, which did not, are read as sums from 0, and those of which a
    /// figure of a model is lower than before.
    pub(crate) fn told(&self) -> Vec<Told> {
        let mut told = vec![];
        let mut before: BTreeMap<NameId, Tokens> = BTreeMap::new();
        for result in &self.results {
            let (mut sums, mut growth) =
                (Tokens::default(), Tokens::default());
            for (name, figures) in &result.models {
                let now = tokens_of(figures);
                let before = before.entry(*name).or_default();
                let has_fallen =
                    before.without(now).four() != Tokens::default();
                sums += now;
                growth += match has_fallen {
                    true => now,
                    false => now.without(*before),
                };
                *before = now;
            }
            if result.has_tokens() {
                let (at, since) = (result.at, result.since);
                told.push(Told { at, since, sums, growth });
            }
        }
        told
    }

    /// Returns the numbers of messages before each `system/init`.
    pub(crate) fn inits(&self) -> &[usize] {
        &self.inits
    }

    /// Returns whether there is a `cost-state`.
    pub(crate) fn has_state(&self) -> bool {
        self.state.is_some()
    }

    /// Returns whether a result or a `cost-state` reports a cost.
    pub(crate) fn has_cost(&self) -> bool {
        self.spending().cost.sum().is_some()
    }

    /// Returns the models that the reported cost does not include.
    pub(crate) fn models_without_cost(&self) -> Vec<NameId> {
        let Spending { is_partial, models, .. } = self.spending();
        let is_free = |figures: &Model<Growing>| {
            let [cost, ..] = figures.0;
            cost.sum().is_none_or(|cost| cost <= 0.0)
        };
        let models = models.into_iter().filter(|_| is_partial);
        let free = models.filter(|(_, figures)| is_free(figures));
        free.map(|(model, _)| model).collect()
    }

    /// Returns what the results report or what the last `cost-state` reports,
    /// whichever is more.
    fn spending(&self) -> Spending {
        let reported = Spending::of(&self.results);
        let state = self.state.as_ref().map(|state| Spending::of([state]));
        let more = state.filter(|s| s.cost.sum() >= reported.cost.sum());
        more.unwrap_or(reported)
    }
}

impl Report {
    fn has_tokens(&self) -> bool {
        self.since.is_some() || !self.models.is_empty()
    }

    fn renamed(mut self, renaming: &Renaming) -> Report {
        self.models.retain_mut(|(name, _)| {
            let new = renaming.get(Some(*name));
            *name = new.unwrap_or(*name);
            new.is_some()
        });
        self
    }
}

fn models<'a>(
    usage: Option<impl IntoIterator<Item = (&'a str, ModelUsage<'a>)>>,
    names: &mut Names,
) -> Vec<(NameId, Model<Option<f64>>)> {
    let models = usage.into_iter().flatten();
    models
        .map(|(name, usage)| (names.intern(name), Model::of(usage)))
        .collect()
}

fn hash_of(uuid: &str) -> u64 {
    let mut hash = Sip::new();
    hash.text(Some(uuid));
    hash.finish()
}

/// The cost of several reports, and its parts by model.
#[derive(Default)]
struct Spending {
    is_partial: bool,
    start: Option<u64>,
    cost: Growing,
    models: BTreeMap<NameId, Model<Growing>>,
}

impl Spending {
    /// Adds up reports, whose figures are cumulative.
    fn of<'r>(reports: impl IntoIterator<Item = &'r Report>) -> Spending {
        let mut spending = Spending::default();
        for report in reports {
            spending.is_partial |= report.is_partial;
            spending.start = report.start;
            spending.cost.report(report.cost);
            for (name, figures) in &report.models {
                spending.models.entry(*name).or_default().report(figures);
            }
        }
        spending
    }
}

fn model_cost<'t>(figures: &Model<Growing>, model: &'t str) -> ModelCost<'t> {
    let [cost, ..] = figures.0;
    let tokens = tokens_in(figures);
    ModelCost { model, cost_usd: cost.sum(), tokens }
}

/// Returns the tokens that one report states.
fn tokens_of(figures: &Model<Option<f64>>) -> Tokens {
    let mut growing = Model::<Growing>::default();
    growing.report(figures);
    tokens_in(&growing)
}

fn tokens_in(figures: &Model<Growing>) -> Tokens {
    let [_, counts @ ..] = figures.0;
    let count = |figure: Growing| figure.sum().unwrap_or(0.0) as u64;
    let [input, output, written, read, searches] = counts.map(count);
    Tokens {
        input_tokens: input,
        output_tokens: output,
        cache_creation_input_tokens: written,
        cache_read_input_tokens: read,
        web_search_requests: searches,
        ..Tokens::default()
    }
}
