/*!
What the agent itself says that its runs cost.
*/

use std::collections::BTreeMap;

use linetape::message::results::{ModelUsage, ResultMessage};

use crate::{Tokens, names::Names};

/// What the results of a session's runs said about their cost.
///
/// These are the agent's own estimates. They are kept apart from the sums over
/// messages, with which they need not agree: they know of requests that no
/// line tells of, and nothing of a run that was stopped before its result.
///
/// Results count on from one to the next; one that says less than the last has
/// begun anew, and is added.
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
#[non_exhaustive]
pub struct Cost<'t> {
    /// The session. `None` if the lines do not say.
    pub session: Option<&'t str>,
    /// How many runs there are. A run begins when the agent says so, or with
    /// what the model says first, and ends with its result.
    pub runs: u64,
    /// How many of them came to a result. What the others cost is not known.
    pub results: u64,
    /// What they cost, in dollars. `None` if no result says.
    pub cost_usd: Option<f64>,
    /// The same for each model, in the order of their names.
    pub models: Vec<ModelCost<'t>>,
}

/// What results said about one model.
///
/// # Example
///
/// See [`Cost`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelCost<'t> {
    /// The model's name.
    pub model: &'t str,
    /// What it cost, in dollars. `None` if no result says.
    pub cost_usd: Option<f64>,
    /// What it used. Counts beyond 2^53 are rounded.
    pub tokens: Tokens,
}

/// The runs of one session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    /// What the lines began with.
    first: Option<Event>,
    state: State,
    runs: u64,
    results: u64,
    cost: Growing,
    models: BTreeMap<u32, Model>,
}

/// What happens in a run.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The agent says that it begins. It may say so twice.
    Begin,
    /// The model says something.
    GoOn,
    /// There is a result.
    End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// No run has begun since the last result.
    #[default]
    Idle,
    /// The agent has begun a run, and nothing was said.
    Begun,
    /// The model has said something.
    Running,
}

impl State {
    /// Whether an event begins a run.
    fn is_left_by(self, event: Event) -> bool {
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
            let model = self.models.entry(names.number(name)).or_default();
            model.report(usage);
        }
    }

    fn happens(&mut self, event: Event) {
        self.first.get_or_insert(event);
        self.runs += u64::from(self.state.is_left_by(event));
        self.state = match event {
            Event::Begin => State::Begun,
            Event::GoOn => State::Running,
            Event::End => State::Idle,
        };
    }

    /// Adds runs that came later, with the names of models changed as told.
    pub(crate) fn append(
        &mut self,
        later: Runs,
        rename: impl Fn(Option<u32>) -> Option<u32>,
    ) {
        let Some(first) = later.first else { return };
        // The first event may go on with a run that has begun here.
        let goes_on = !self.state.is_left_by(first);
        self.first.get_or_insert(first);
        self.runs += later.runs - u64::from(goes_on);
        self.results += later.results;
        self.state = later.state;
        self.cost.append(later.cost);
        for (name, model) in later.models {
            if let Some(name) = rename(Some(name)) {
                self.models.entry(name).or_default().append(model);
            }
        }
    }

    pub(crate) fn cost<'t>(
        &self,
        session: Option<u32>,
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

/// A figure that grows from one report to the next, unless it begins anew.
#[derive(Clone, Copy, Debug, Default)]
struct Growing {
    /// The first report, and the last.
    ends: Option<(f64, f64)>,
    /// What the last reports before each new beginning add up to, in units
    /// that are so small that nothing is lost. Whole numbers have one sum, in
    /// whatever order they are added.
    before: u128,
}

/// How many units are 1.
const UNITS: f64 = 1e15;

impl Growing {
    fn report(&mut self, now: Option<f64>) {
        // Nothing costs less than nothing.
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
