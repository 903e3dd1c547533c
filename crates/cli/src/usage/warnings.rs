//! Warnings about sums that are too low.

use std::collections::BTreeSet;

use linetape::Escaped;
use linetape_session::{Tokens, UsageTotals};

use crate::{
    table::grouped,
    usage::{figures::figures, rows::Rows},
};

/// Returns a warning if counts of output tokens are placeholders. `has_total`
/// is whether the total is shown, which may have what the counts lack.
pub fn placeholder_warning(
    totals: &UsageTotals,
    has_total: bool,
) -> Option<String> {
    let messages = match totals.placeholders() {
        0 => return None,
        1 => "1 message are placeholders".to_string(),
        count => format!("{} messages are placeholders", grouped(count)),
    };
    let so = match totals.unlogged().placeholders {
        0 if has_total => "the total has the rest, as the agent reports it",
        _ => "the sum is too low",
    };
    Some(format!("Warning: the output tokens of {messages}; {so}."))
}

/// Returns what the agent reports of transcripts, and no message has. That of a
/// fork may be in the log of the original, which was not read.
pub fn beside(totals: &UsageTotals) -> Option<String> {
    let tokens = totals.unlogged().beside;
    if tokens == Tokens::default() {
        return None;
    }
    let [input, output, written, read] =
        figures(tokens).map(|(_, count)| grouped(count));
    Some(format!(
        "Reported, in no message that was read and not in the total: {input} \
         input, {output} output, {written} cache write, {read} cache read."
    ))
}

/// Returns a warning if the agent reports that a cost does not include a
/// model.
pub fn unknown_cost_warning(totals: &UsageTotals) -> Option<String> {
    let sessions = match unknown_costs(totals) {
        0 => return None,
        1 => "1 session does".to_string(),
        count => format!("{} sessions do", grouped(count)),
    };
    Some(format!(
        "Warning: the cost of {sessions} not include a model whose price the \
         agent did not know."
    ))
}

/// Returns the number of sessions whose cost does not include a model.
pub fn unknown_costs(totals: &UsageTotals) -> u64 {
    let costs = totals.costs();
    costs.iter().filter(|cost| cost.has_unknown_model_cost).count() as u64
}

/// Returns a warning if models have no price.
pub fn unpriced_warning(rows: &Rows) -> Option<String> {
    let models = listed(&rows.unpriced)?;
    Some(format!("Warning: no price for {models}."))
}

/// Returns a warning if models have no price for what is kept in the cache for
/// an hour.
pub fn hour_warning(rows: &Rows) -> Option<String> {
    let models = listed(&rows.hours)?;
    Some(format!(
        "Warning: no price for the one-hour cache of {models}; it is \
         priced at twice the input."
    ))
}

/// Returns a warning if models have no price for fast mode.
pub fn fast_warning(rows: &Rows) -> Option<String> {
    let models = listed(&rows.fast)?;
    Some(format!(
        "Warning: no price for fast mode of {models}; the cost is that of the \
         usual speed."
    ))
}

/// Returns the names of models. `None` without any.
fn listed(models: &BTreeSet<String>) -> Option<String> {
    let name = |model: &'_ String| match model.is_empty() {
        true => "messages without a model".to_string(),
        false => model.clone(),
    };
    let names: Vec<String> = models.iter().map(name).collect();
    let names = names.join(", ");
    (!models.is_empty()).then(|| Escaped::new(&names).to_string())
}
