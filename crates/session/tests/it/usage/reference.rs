//! Totals in a form that is comparable with the reference implementation.

use std::collections::BTreeMap;

use linetape_session::{Tokens, Totals, UsageTotals};
use serde_json::Value;

use crate::usage_reference::{Name, Sum, Tool, Usage};

/// The results of all methods of `UsageTotals`.
#[derive(Debug, Default, PartialEq)]
pub struct Summary {
    total: Sum,
    subagents: Sum,
    placeholders: u64,
    projects: BTreeMap<Name, Sum>,
    sessions: BTreeMap<Name, Sum>,
    models: BTreeMap<Name, Sum>,
    days: BTreeMap<Name, Sum>,
    tools: BTreeMap<Name, Tool>,
    /// Runs and results.
    runs: BTreeMap<Name, (u64, u64)>,
    /// Costs by session and by model, in units of a billionth of a dollar.
    costs: BTreeMap<Name, i64>,
    model_costs: BTreeMap<Name, i64>,
}

impl Summary {
    pub fn of(totals: &UsageTotals) -> Summary {
        let (total, subagents) = (totals.total(), totals.subagents());
        let mut model_costs = BTreeMap::new();
        for cost in totals.costs() {
            for model in cost.models {
                if let Some(cost) = model.cost_usd {
                    let name = Some(model.model.to_owned());
                    *model_costs.entry(name).or_default() += cost;
                }
            }
        }
        let costs = totals.costs().into_iter().filter_map(|cost| {
            Some((cost.session.map(str::to_owned), cost.cost_usd?))
        });
        Summary {
            costs: rounded(costs),
            model_costs: rounded(model_costs),
            subagents: sum(subagents.messages, subagents.tokens),
            placeholders: totals.placeholders(),
            projects: projects(totals),
            total: sum(total.messages, total.tokens),
            sessions: groups(totals.by_session()),
            models: groups(totals.by_model()),
            days: groups(totals.by_day()),
            tools: totals
                .by_tool()
                .into_iter()
                .map(|tool| {
                    let used = sum(tool.messages, tool.tokens);
                    let (calls, errors) = (tool.calls, tool.errors);
                    let name = tool.name.map(str::to_owned);
                    (name, Tool { calls, errors, used })
                })
                .collect(),
            // A session that only states its cost has no runs.
            runs: totals
                .costs()
                .into_iter()
                .filter(|cost| cost.runs > 0)
                .map(|cost| {
                    let session = cost.session.map(str::to_owned);
                    (session, (cost.runs, cost.results))
                })
                .collect(),
        }
    }
}

fn projects(totals: &UsageTotals) -> BTreeMap<Name, Sum> {
    let mut projects: BTreeMap<Name, Sum> = BTreeMap::new();
    for message in totals.messages() {
        let project = message.project.map(str::to_owned);
        let all = projects.entry(project).or_default();
        let one = sum(1, message.tokens);
        all.messages += one.messages;
        for (all, one) in all.counts.iter_mut().zip(one.counts) {
            *all = all.saturating_add(one);
        }
    }
    projects
}

fn rounded(
    costs: impl IntoIterator<Item = (Name, f64)>,
) -> BTreeMap<Name, i64> {
    let round =
        |(name, cost): (Name, f64)| (name, (cost * 1e9).round() as i64);
    costs.into_iter().map(round).collect()
}

fn groups(groups: Vec<Totals<'_>>) -> BTreeMap<Name, Sum> {
    let count = groups.len();
    let group =
        |t: Totals<'_>| (t.name.map(str::to_owned), sum(t.messages, t.tokens));
    let map: BTreeMap<_, _> = groups.into_iter().map(group).collect();
    assert_eq!(map.len(), count, "two groups with one name");
    map
}

/// The counts are in the order of the reference implementation.
fn sum(messages: u64, tokens: Tokens) -> Sum {
    let counts = [
        tokens.input_tokens,
        tokens.output_tokens,
        tokens.cache_creation_input_tokens,
        tokens.cache_read_input_tokens,
        tokens.ephemeral_5m_input_tokens,
        tokens.ephemeral_1h_input_tokens,
        tokens.web_search_requests,
        tokens.web_fetch_requests,
    ];
    Sum { messages, counts }
}

/// Returns the result of the reference implementation. Lines that are not JSON
/// are skipped.
pub fn naive(log: &str) -> Summary {
    let mut usage = Usage::default();
    for line in log.lines() {
        if let Ok(line) = serde_json::from_str::<Value>(line)
            && line.is_object()
        {
            usage.add(&line);
        }
    }
    Summary {
        total: usage.total(),
        subagents: usage.subagents(),
        placeholders: usage.placeholders(),
        projects: usage.groups(|used| usage.project(&used.session)),
        sessions: usage.groups(|used| used.session.clone()),
        models: usage.groups(|used| used.model.clone()),
        days: usage.groups(|used| used.day.clone()),
        tools: usage.tools(),
        runs: usage.runs(),
        costs: rounded(usage.costs()),
        model_costs: rounded(usage.model_costs()),
    }
}
