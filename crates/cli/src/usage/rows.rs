//! The rows of the report: usage by group, with costs.

use std::collections::{BTreeMap, BTreeSet};

use linetape_session::{
    GroupTotals, MessageTotals, Tokens, ToolTotals, Totals, UsageTotals,
};

use crate::usage::{
    calendar::period,
    grouping::{By, Grouping},
    prices::Prices,
};

/// A row of the table.
#[derive(Default)]
pub struct Row {
    pub name: Option<String>,
    pub messages: u64,
    pub tokens: Tokens,
    /// Of a tool, the number of calls and of failed calls.
    pub calls: Option<(u64, u64)>,
    pub cost_usd: Option<f64>,
}

/// The rows, the costs of all sessions, and the models without a price.
#[derive(Default)]
pub struct Rows {
    pub rows: Vec<Row>,
    pub cost_usd: Option<f64>,
    pub unpriced: BTreeSet<String>,
    /// The models with messages that were kept in the cache for an hour, for
    /// which the prices do not have that: it is taken as twice the input.
    pub hours: BTreeSet<String>,
    /// The models with messages in fast mode for which the prices do not have
    /// that mode: they are priced as others.
    pub fast: BTreeSet<String>,
}

impl Rows {
    pub fn new(totals: &UsageTotals, grouping: &Grouping) -> Rows {
        if let By::Tool = grouping.by {
            let rows = totals.by_tool().into_iter().map(tool_row).collect();
            let mut rows = Rows { rows, ..Rows::default() };
            rows.add_total_cost(totals, grouping);
            return rows;
        }
        let mut groups = Groups::default();
        let mut projects = BTreeMap::new();
        let counted = counted(totals, grouping);
        for (message, count) in &counted {
            projects.insert(message.session, message.project);
            let row = groups.row(name(message, grouping));
            row.messages += count;
            row.tokens += message.tokens;
        }
        if let By::Session = grouping.by {
            sort_by_day(&mut groups.rows, &counted);
        }
        let mut costs: BTreeMap<Option<String>, f64> = BTreeMap::new();
        let mut add = |name: Option<&str>, cost: Option<f64>| {
            if let Some(cost) = cost {
                *costs.entry(name.map(str::to_string)).or_default() += cost;
            }
        };
        for cost in totals.costs() {
            match grouping.by {
                By::Session => add(cost.session, cost.cost_usd),
                By::Project => {
                    let project = projects.get(&cost.session).copied();
                    add(project.flatten(), cost.cost_usd);
                }
                By::Model => {
                    let models = cost.models.iter();
                    models.for_each(|model| {
                        let name = name_in_messages(model.model, |name| {
                            groups.has(name)
                        });
                        add(Some(name), model.cost_usd);
                    });
                }
                _ => {}
            }
        }
        let mut rows = Rows { rows: groups.rows, ..Rows::default() };
        rows.price(totals, grouping, |message, cost| {
            let name = name(message, grouping);
            *costs.entry(name).or_default() += cost;
        });
        if grouping.by.is_period() {
            rows.spread(totals, grouping, |name, cost| {
                *costs.entry(name).or_default() += cost;
            });
        }
        for row in &mut rows.rows {
            row.cost_usd = costs.remove(&row.name);
        }
        // The agent reports the cost of messages that it does not log, too.
        rows.rows.extend(costs.into_iter().map(|(name, cost)| Row {
            name,
            cost_usd: Some(cost),
            ..Row::default()
        }));
        if grouping.by.is_period() {
            rows.rows.sort_by(|a, b| a.name.cmp(&b.name));
        }
        rows.rows.extend(unlogged(totals));
        rows.add_total_cost(totals, grouping);
        rows
    }

    /// Prices the messages that no cost includes which the agent reports.
    fn price(
        &mut self,
        totals: &UsageTotals,
        grouping: &Grouping,
        mut add: impl FnMut(&MessageTotals<'_>, f64),
    ) {
        let Some(prices) = &grouping.prices else { return };
        for message in totals.messages() {
            if message.is_cost_reported {
                continue;
            }
            self.note(&message, prices);
            if let Some(cost) = price_of(&message, prices) {
                add(&message, cost);
            }
        }
    }

    /// Spreads the cost that the agent reports for a session over days, weeks
    /// or months, in proportion to the prices of the messages that it includes.
    /// A cost without such messages is under no period.
    fn spread(
        &mut self,
        totals: &UsageTotals,
        grouping: &Grouping,
        mut add: impl FnMut(Option<String>, f64),
    ) {
        let Some(prices) = &grouping.prices else { return };
        let stated = stated(totals);
        let mut shares: BTreeMap<_, BTreeMap<_, f64>> = BTreeMap::new();
        for message in totals.messages() {
            if !message.is_cost_reported {
                continue;
            }
            self.note_unpriced(&message, prices);
            if let Some(price) = price_of(&message, prices) {
                let of_session = shares.entry(message.session).or_default();
                *of_session.entry(name(&message, grouping)).or_default() +=
                    price;
            }
        }
        for (session, cost) in stated {
            let shares = shares.remove(&session).unwrap_or_default();
            let sum: f64 = shares.values().sum();
            if sum > 0.0 {
                shares
                    .into_iter()
                    .for_each(|(name, share)| add(name, cost * share / sum));
            } else if cost > 0.0 {
                add(None, cost);
            }
        }
    }

    /// Notes the model of a message that is priced, if it lacks a price.
    fn note(&mut self, message: &MessageTotals<'_>, prices: &Prices) {
        if self.note_unpriced(message, prices) {
            return;
        }
        let model = message.model.unwrap_or_default();
        let is_hour = message.tokens.ephemeral_1h_input_tokens > 0;
        if is_hour && !prices.has_hour(model) {
            self.hours.insert(model.to_string());
        }
        if message.is_fast && prices.fast(model).is_none() {
            self.fast.insert(model.to_string());
        }
    }

    /// Notes the model of a message if it has no price at all, and returns
    /// whether that is so.
    fn note_unpriced(
        &mut self,
        message: &MessageTotals<'_>,
        prices: &Prices,
    ) -> bool {
        let model = message.model.unwrap_or_default();
        let is_unpriced = prices.cost(model, message.tokens).is_none();
        // Messages that the agent program wrote have no tokens, and cost
        // nothing.
        if is_unpriced && message.tokens != Tokens::default() {
            self.unpriced.insert(model.to_string());
        }
        is_unpriced
    }

    /// Sets the cost of all sessions: reported, or else by price.
    fn add_total_cost(&mut self, totals: &UsageTotals, grouping: &Grouping) {
        let mut total = total_cost(totals);
        self.price(totals, grouping, |_, cost| {
            *total.get_or_insert(0.0) += cost;
        });
        self.cost_usd = total;
    }
}

/// Returns the price of a message, if its model has one.
fn price_of(message: &MessageTotals<'_>, prices: &Prices) -> Option<f64> {
    let model = message.model.unwrap_or_default();
    let cost = prices.cost(model, message.tokens)?;
    let times = prices.fast(model).filter(|_| message.is_fast);
    Some(cost * times.unwrap_or(1.0))
}

/// Returns the row of the tokens in the total that no message has, if there are
/// any. It is no part of a session, day or model: the agent reports sums.
pub fn unlogged(totals: &UsageTotals) -> Option<Row> {
    let tokens = totals.unlogged().counted;
    let name = Some("reported, in no message".to_string());
    let row = Row { name, tokens, ..Row::default() };
    (tokens != Tokens::default()).then_some(row)
}

/// Returns the cost of each session for which the agent reports one.
fn stated(totals: &UsageTotals) -> BTreeMap<Option<&str>, f64> {
    let costs = totals.costs().into_iter();
    costs.filter_map(|cost| Some((cost.session, cost.cost_usd?))).collect()
}

/// Returns the name that messages have for a model with a reported cost. The
/// report names the size of the context as well: `opus[1m]`.
pub fn name_in_messages(
    model: &str,
    is_in_messages: impl Fn(&str) -> bool,
) -> &str {
    let base = model.strip_suffix(']').and_then(|m| m.rsplit_once('['));
    match base {
        Some((base, _)) if !is_in_messages(model) && is_in_messages(base) => {
            base
        }
        _ => model,
    }
}

/// Sorts sessions by the day of their first message, and then by name. With a
/// state, the order in which they were read is another one.
fn sort_by_day(sessions: &mut [Row], counted: &[(MessageTotals<'_>, u64)]) {
    let mut first: BTreeMap<Option<&str>, &str> = BTreeMap::new();
    for (message, _) in counted {
        if let Some(day) = message.day {
            let first = first.entry(message.session).or_insert(day);
            *first = day.min(*first);
        }
    }
    sessions.sort_by_cached_key(|row| {
        let day = first.get(&row.name.as_deref()).copied();
        (day.is_none(), day, row.name.clone())
    });
}

/// Returns messages that may be in different rows, and for how many messages
/// each of them stands.
fn counted<'t>(
    totals: &'t UsageTotals,
    grouping: &Grouping,
) -> Vec<(MessageTotals<'t>, u64)> {
    if grouping.by.is_period() && grouping.zone.is_some() {
        // The period depends on the time of each message.
        return totals.messages().map(|message| (message, 1)).collect();
    }
    let groups = totals.groups().into_iter();
    groups.map(|group| (as_message(&group), group.messages)).collect()
}

/// Returns a group as if it were one message.
fn as_message<'t>(group: &GroupTotals<'t>) -> MessageTotals<'t> {
    let mut message = MessageTotals::default();
    message.session = group.session;
    message.project = group.project;
    message.model = group.model;
    message.day = group.day;
    message.is_sidechain = group.is_sidechain;
    message.tokens = group.tokens;
    message
}

/// Rows by name, in order of first appearance.
#[derive(Default)]
struct Groups {
    rows: Vec<Row>,
    indexes: BTreeMap<Option<String>, usize>,
}

impl Groups {
    fn has(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.name.as_deref() == Some(name))
    }

    fn row(&mut self, name: Option<String>) -> &mut Row {
        let next = self.rows.len();
        let index = *self.indexes.entry(name.clone()).or_insert(next);
        if index == next {
            self.rows.push(Row { name, ..Row::default() });
        }
        &mut self.rows[index]
    }
}

fn tool_row(tool: ToolTotals<'_>) -> Row {
    Row {
        name: tool.name.map(str::to_string),
        messages: tool.messages,
        tokens: tool.tokens,
        calls: Some((tool.calls, tool.errors)),
        cost_usd: None,
    }
}

/// Returns the name of a message's group.
fn name(message: &MessageTotals<'_>, grouping: &Grouping) -> Option<String> {
    let name = match grouping.by {
        By::Model => message.model,
        By::Session => message.session,
        By::Project => message.project,
        By::Day | By::Week | By::Month => {
            return period(message, grouping.by, grouping.zone.as_ref());
        }
        By::Tool => None,
    };
    name.map(str::to_string)
}

/// Returns the cost of all sessions, if it is reported for any.
pub fn total_cost(totals: &UsageTotals) -> Option<f64> {
    totals.costs().iter().filter_map(|cost| cost.cost_usd).reduce(|a, b| a + b)
}

impl From<Totals<'_>> for Row {
    fn from(totals: Totals<'_>) -> Row {
        let Totals { messages, tokens, .. } = totals;
        Row { messages, tokens, ..Row::default() }
    }
}
