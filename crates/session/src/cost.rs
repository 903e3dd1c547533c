/*!
Cost, as reported by the agent.
*/

use std::collections::BTreeMap;

use linetape::message::{
    results::{ModelUsage, ResultMessage},
    transcript::CostState,
};

use crate::{
    Tokens,
    ids::{NameId, Names, Renaming},
    state::codec::{saved, saved_enum},
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
/// The last `cost-state` of a session is the cost of the whole session. If a
/// session has results as well, both report the same requests, so they are not
/// added: the larger cost is used, with its models.
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
    results: u64,
    /// By the results.
    reported: Spending,
    /// By the last `cost-state`.
    state: Option<Spending>,
}

/// Cost, and its parts by model.
#[derive(Clone, Debug, Default)]
struct Spending {
    cost: Growing,
    models: BTreeMap<NameId, Model>,
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
    Runs { first, phase, runs, results, reported, state }
    Spending { cost, models }
    Model { cost, input, output, cache_creation, cache_read, web_searches }
    Growing { ends, before }
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
    pub(crate) fn begin(&mut self) {
        self.apply(Event::Begin);
    }

    pub(crate) fn add_message(&mut self) {
        self.apply(Event::Message);
    }

    pub(crate) fn end(
        &mut self,
        result: ResultMessage<'_>,
        names: &mut Names,
    ) {
        self.apply(Event::End);
        self.results = self.results.saturating_add(1);
        let models = result.model_usage().into_iter().flatten();
        self.reported.report(result.total_cost_usd(), models, names);
    }

    /// Sets the cost of the whole session. The last `cost-state` is used.
    pub(crate) fn set_state(
        &mut self,
        state: CostState<'_>,
        names: &mut Names,
    ) {
        let mut spending = Spending::default();
        let models = state.model_usage().into_iter().flatten();
        spending.report(state.total_cost_usd(), models, names);
        self.state = Some(spending);
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

    /// Adds the runs of a later part of the log.
    pub(crate) fn append(&mut self, later: Runs, renaming: &Renaming) {
        if let Some(first) = later.first {
            // The first event may belong to the run that is still open.
            let goes_on = !self.phase.begins_run(first);
            self.first.get_or_insert(first);
            let runs = later.runs.saturating_sub(u64::from(goes_on));
            self.runs = self.runs.saturating_add(runs);
            self.results = self.results.saturating_add(later.results);
            self.phase = later.phase;
        }
        self.reported.append(later.reported, renaming);
        if let Some(state) = later.state {
            let mut renamed = Spending::default();
            renamed.append(state, renaming);
            self.state = Some(renamed);
        }
    }

    pub(crate) fn cost<'t>(
        &self,
        session: Option<NameId>,
        names: &'t Names,
    ) -> Cost<'t> {
        let spending = self.spending();
        let models = spending.models.iter();
        let mut models: Vec<_> = models
            .filter_map(|(&name, model)| Some(model.cost(names.name(name)?)))
            .collect();
        models.sort_by_key(|model| model.model);
        Cost {
            session: session.and_then(|session| names.name(session)),
            runs: self.runs,
            results: self.results,
            cost_usd: spending.cost.sum(),
            models,
        }
    }

    /// Returns what the results report or what the last `cost-state` reports,
    /// whichever is more.
    fn spending(&self) -> &Spending {
        match &self.state {
            Some(state) if state.cost.sum() >= self.reported.cost.sum() => {
                state
            }
            _ => &self.reported,
        }
    }
}

impl Spending {
    /// Adds a report. Its figures are cumulative.
    fn report<'a>(
        &mut self,
        cost_usd: Option<f64>,
        models: impl Iterator<Item = (&'a str, ModelUsage<'a>)>,
        names: &mut Names,
    ) {
        self.cost.report(cost_usd);
        for (name, usage) in models {
            let model = self.models.entry(names.intern(name)).or_default();
            model.report(usage);
        }
    }

    /// Adds the reports of a later part of the log.
    fn append(&mut self, later: Spending, renaming: &Renaming) {
        self.cost.append(later.cost);
        for (name, model) in later.models {
            if let Some(name) = renaming.get(Some(name)) {
                self.models.entry(name).or_default().append(model);
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Model {
    cost: Growing,
    input: Growing,
    output: Growing,
    cache_creation: Growing,
    cache_read: Growing,
    web_searches: Growing,
}

impl Model {
    fn report(&mut self, usage: ModelUsage<'_>) {
        let count = |count: Option<u64>| count.map(|count| count as f64);
        self.cost.report(usage.cost_usd());
        self.input.report(count(usage.input_tokens()));
        self.output.report(count(usage.output_tokens()));
        let created = usage.cache_creation_input_tokens();
        self.cache_creation.report(count(created));
        self.cache_read.report(count(usage.cache_read_input_tokens()));
        self.web_searches.report(count(usage.web_search_requests()));
    }

    fn append(&mut self, later: Model) {
        self.cost.append(later.cost);
        self.input.append(later.input);
        self.output.append(later.output);
        self.cache_creation.append(later.cache_creation);
        self.cache_read.append(later.cache_read);
        self.web_searches.append(later.web_searches);
    }

    fn cost<'t>(&self, model: &'t str) -> ModelCost<'t> {
        let count = |figure: Growing| figure.sum().unwrap_or(0.0) as u64;
        let tokens = Tokens {
            input_tokens: count(self.input),
            output_tokens: count(self.output),
            cache_creation_input_tokens: count(self.cache_creation),
            cache_read_input_tokens: count(self.cache_read),
            web_search_requests: count(self.web_searches),
            ..Tokens::default()
        };
        ModelCost { model, cost_usd: self.cost.sum(), tokens }
    }
}

/// A cumulative figure. It grows from one report to the next; a report that is
/// lower than the previous one means that it restarted at zero.
#[derive(Clone, Copy, Debug, Default)]
struct Growing {
    /// The first and the last report.
    ends: Option<(f64, f64)>,
    /// The sum of the last reports before each restart, in units of
    /// `1 / UNITS`. It is an integer, so that the order of additions does not
    /// change the sum.
    before: u128,
}

/// The number of units of [`Growing::before`] per dollar or token.
const UNITS: f64 = 1e15;

impl Growing {
    fn report(&mut self, now: Option<f64>) {
        // Ignores negative figures and NaN.
        let Some(now) = now.filter(|now| *now >= 0.0) else { return };
        self.append(Growing { ends: Some((now, now)), before: 0 });
    }

    fn append(&mut self, later: Growing) {
        let Some((next, end)) = later.ends else { return };
        let (first, last) = self.ends.unwrap_or((next, 0.0));
        if next < last {
            let units = (last * UNITS).round() as u128;
            self.before = self.before.saturating_add(units);
        }
        self.before = self.before.saturating_add(later.before);
        self.ends = Some((first, end));
    }

    fn sum(self) -> Option<f64> {
        self.ends.map(|(_, last)| self.before as f64 / UNITS + last)
    }
}
