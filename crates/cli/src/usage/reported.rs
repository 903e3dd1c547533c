//! Usage as the agent itself reports it.

use std::collections::BTreeMap;

use linetape::Escaped;
use linetape_session::{Tokens, UsageTotals};
use serde_json::{Value, json};

use crate::{
    table::{Cell, Table, dollars},
    usage::{
        figures::{figures, with_tokens},
        rows::{Row, name_in_messages},
    },
};

/// Adds the usage of each model as the agent itself reports it, in `cost-state`
/// and `result` lines, to a JSON object, and what of it no message has: in the
/// total or beside it. Adds nothing if there is none.
pub fn with_reported(mut object: Value, totals: &UsageTotals) -> Value {
    let models = reported(totals).into_iter().map(|row| {
        let head = json!({"name": row.name, "cost_usd": row.cost_usd});
        with_tokens(head, row.tokens)
    });
    let models: Vec<Value> = models.collect();
    if !models.is_empty() {
        object["reported_models"] = models.into();
    }
    let unlogged = totals.unlogged();
    for (key, tokens) in [
        ("reported_in_no_message", unlogged.counted),
        ("reported_beside", unlogged.beside),
    ] {
        if tokens != Tokens::default() {
            object[key] = with_tokens(json!({}), tokens);
        }
    }
    object
}

/// Returns the usage of each model as the agent itself reports it, as a table.
/// `None` if it reports no tokens, or the same as its messages or the total.
pub fn reported_table(totals: &UsageTotals) -> Option<Table> {
    let rows = reported(totals);
    let mut table = Table::new(&[
        "model, as reported",
        "input",
        "output",
        "cache write",
        "cache read",
        "cost, $",
    ]);
    for row in &rows {
        let name = row.name.as_deref().unwrap_or("none").as_bytes();
        let mut cells = vec![Cell::Text(Escaped::new(name).to_string())];
        let figures = figures(row.tokens);
        cells.extend(figures.map(|(_, count)| Cell::Number(count)));
        cells.extend(row.cost_usd.map(|cost| dollars(cost).into()));
        table.row(cells);
    }
    let counted = totals.by_model();
    let find = |name: &str| counted.iter().find(|m| m.name == Some(name));
    let is_other = |row: &Row| {
        let name = row.name.as_deref().unwrap_or_default();
        let name = name_in_messages(name, |name| find(name).is_some());
        let tokens = find(name).map(|model| model.tokens);
        figures(row.tokens) != figures(tokens.unwrap_or_default())
    };
    let is_used = |row: &Row| row.tokens != Tokens::default();
    let total = figures(totals.total().tokens);
    let is_total = matches!(&rows[..], [row] if figures(row.tokens) == total);
    let is_told = rows.iter().any(is_used) && rows.iter().any(is_other);
    (is_told && !is_total).then_some(table)
}

/// Returns the usage of each model as the agent itself reports it, with the
/// sums of all sessions, sorted by name.
fn reported(totals: &UsageTotals) -> Vec<Row> {
    let mut models: BTreeMap<&str, Row> = BTreeMap::new();
    let costs = totals.costs();
    for model in costs.iter().flat_map(|cost| &cost.models) {
        let row = models.entry(model.model).or_default();
        row.tokens += model.tokens;
        if let Some(cost) = model.cost_usd {
            *row.cost_usd.get_or_insert(0.0) += cost;
        }
    }
    let named =
        |(name, row): (&str, Row)| Row { name: Some(name.to_string()), ..row };
    models.into_iter().map(named).collect()
}
