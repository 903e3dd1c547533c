/*!
Cost, as the agent itself reports it.
*/

use std::collections::BTreeMap;

use linetape::message::results::{ModelUsage, ResultMessage};

use crate::{
    Tokens,
    ids::{NameId, Names, Renaming},
};

/// The cost of a session, as the `result` lines of its runs report it.
///
/// These are the agent's own estimates. They need not agree with the sums over
/// messages: they include requests that have no line in the log, and lack runs
/// that were stopped before their result.
///
/// Results are cumulative: each includes the ones before. A result with a
/// lower cost than the one before starts a new count, which is added.
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
    /// The session. `None` if the lines name none.
    pub session: Option<&'t str>,
    /// The number of runs. A run begins with a `system/init`, or else with
    /// the first message of the model, and ends with its result.
    pub runs: u64,
    /// The number of runs that have a result. The cost of the others is not
    /// known.
    pub results: u64,
    /// The cost of all runs in dollars. `None` if no result states one.
    pub cost_usd: Option<f64>,
    /// The cost by model, sorted by name.
    pub models: Vec<ModelCost<'t>>,
}

/// The cost of one model, as results report it.
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
    /// The cost in dollars. `None` if no result states one.
    pub cost_usd: Option<f64>,
    /// The tokens that the model used. Counts beyond 2^53 are rounded.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub tokens: Tokens,
}

/// The runs of one session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    /// The first event, which decides how these runs follow earlier ones.
    first: Option<Event>,
    state: State,
    runs: u64,
    results: u64,
    cost: Growing,
    models: BTreeMap<NameId, Model>,
}

/// What happens in a run.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A `system/init`. There may be two in a row.
    Begin,
    /// A message of the model.
    GoOn,
    /// A result.
    End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// No run has begun since the last result.
    #[default]
    Idle,
    /// After a `system/init`, before the first message of the model.
    Begun,
    /// After a message of the model.
    Running,
}

impl State {
    /// Returns whether an event in this state begins a new run.
    fn begins_run(self, event: Event) -> bool {
        match event {
            Event::Begin => self != State::Begun,
            Event::GoOn | Event::End => self == State::Idle,
        }
    }
}

impl Runs {
    pub(crate) fn begin(&mut self) {
        self.happens(Event::Begin);
    }

    pub(crate) fn go_on(&mut self) {
        self.happens(Event::GoOn);
    }

    pub(crate) fn end(
        &mut self,
        result: ResultMessage<'_>,
        names: &mut Names,
    ) {
        self.happens(Event::End);
        self.results += 1;
        self.cost.report(result.total_cost_usd());
        for (name, usage) in result.model_usage().into_iter().flatten() {
            let model = self.models.entry(names.intern(name)).or_default();
            model.report(usage);
        }
    }

    fn happens(&mut self, event: Event) {
        self.first.get_or_insert(event);
        self.runs += u64::from(self.state.begins_run(event));
        self.state = match event {
            Event::Begin => State::Begun,
            Event::GoOn => State::Running,
            Event::End => State::Idle,
        };
    }

    /// Adds runs that came later.
    pub(crate) fn append(&mut self, later: Runs, renaming: &Renaming) {
        let Some(first) = later.first else { return };
        // The first event may belong to the run that is open here.
        let goes_on = !self.state.begins_run(first);
        self.first.get_or_insert(first);
        self.runs += later.runs - u64::from(goes_on);
        self.results += later.results;
        self.state = later.state;
        self.cost.append(later.cost);
        for (name, model) in later.models {
            if let Some(name) = renaming.get(Some(name)) {
                self.models.entry(name).or_default().append(model);
            }
        }
    }

    pub(crate) fn cost<'t>(
        &self,
        session: Option<NameId>,
        names: &'t Names,
    ) -> Cost<'t> {
        let models = self.models.iter();
        let mut models: Vec<_> = models
            .filter_map(|(&name, model)| Some(model.cost(names.name(name)?)))
            .collect();
        models.sort_by_key(|model| model.model);
        Cost {
            session: session.and_then(|session| names.name(session)),
            runs: self.runs,
            results: self.results,
            cost_usd: self.cost.sum(),
            models,
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

/// A cumulative figure: it grows from one report to the next, and starts from
/// zero again when a report is lower than the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Growing {
    /// The first report, and the last.
    ends: Option<(f64, f64)>,
    /// The sum of the last reports before each restart, in units of
    /// `1 / UNITS`. It is an integer, so that the order of additions does not
    /// change the sum.
    before: u128,
}

/// The units of [`Growing::before`] that make 1.
const UNITS: f64 = 1e15;

impl Growing {
    fn report(&mut self, now: Option<f64>) {
        // A negative figure makes no sense, and neither does NaN.
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
