//! `linetape usage`: tokens, tool calls and costs.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use clap::ValueEnum;
use linetape::{Error, Escaped};
use linetape_session::{Cost, Tokens, ToolTotals, Totals, UsageTotals};
use serde_json::{Value, json};

use crate::{
    blocks::{self, BlockReader, Part},
    document,
    files::Files,
    input::Input,
    outcome::Outcome,
    output::Prints,
    paint::page,
    table::{Cell, Table, dollars, grouped},
};

/// How usage is grouped.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum By {
    #[default]
    Model,
    Session,
    Day,
    Tool,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            By::Model => "model",
            By::Session => "session",
            By::Day => "day",
            By::Tool => "tool",
        }
    }

    /// Returns whether the agent reports the cost of each group.
    fn has_cost(self) -> bool {
        matches!(self, By::Model | By::Session)
    }
}

/// Prints the usage of all inputs. With `peek`, lines are not checked.
pub fn run(
    files: &Files,
    by: By,
    peek: bool,
    json: bool,
) -> io::Result<Outcome> {
    let mut totals = UsageTotals::new();
    let mut outcome = Outcome::Fine;
    let inputs = files.inputs(Prints::AtTheEnd, &mut outcome);
    let add_up = |_: &Input, reader: &mut BlockReader| add_up(reader, peek);
    blocks::for_each(files, &inputs, add_up, |input, part| match part {
        Part::Block { made: (part, errors), lines_before } => {
            totals.append(part);
            for error in errors {
                outcome.report_error(input, &error.moved_by(lines_before, 0));
            }
        }
        Part::End => {}
        Part::Unopened(error) => {
            outcome.report(input, &error, Outcome::CouldNotRun);
        }
    });
    if json {
        document::print(&report(&totals, by))?;
        return Ok(outcome);
    }
    let mut page = page();
    match (table(&totals, by), by) {
        (Some(table), _) => write!(page, "{table}")?,
        (None, By::Tool) => writeln!(page, "No tool calls.")?,
        (None, _) => writeln!(page, "No token usage.")?,
    }
    if let Some(warning) = placeholder_warning(&totals) {
        writeln!(page, "{warning}")?;
    }
    page.flush()?;
    Ok(outcome)
}

/// Returns the usage in a part of a log, and the errors.
fn add_up(reader: &mut BlockReader, peek: bool) -> (UsageTotals, Vec<Error>) {
    let mut totals = UsageTotals::new();
    let mut errors = vec![];
    while let Some(line) = reader.next_line() {
        let added = line.and_then(|line| {
            let message = if peek { line.peek()? } else { line.checked()? };
            totals.add(message);
            Ok(())
        });
        errors.extend(added.err());
    }
    (totals, errors)
}

/// A row of the table.
struct Row<'t> {
    name: Option<&'t str>,
    messages: u64,
    tokens: Tokens,
    /// Of a tool, the number of calls and of failed calls.
    calls: Option<(u64, u64)>,
    cost_usd: Option<f64>,
}

impl<'t> Row<'t> {
    fn all(totals: &'t UsageTotals, by: By) -> Vec<Row<'t>> {
        let mut costs = costs(&totals.costs(), by);
        let group = |group: Totals<'t>| Row {
            name: group.name,
            messages: group.messages,
            tokens: group.tokens,
            calls: None,
            cost_usd: costs.remove(&group.name),
        };
        let tool = |tool: ToolTotals<'t>| Row {
            name: tool.name,
            messages: tool.messages,
            tokens: tool.tokens,
            calls: Some((tool.calls, tool.errors)),
            cost_usd: None,
        };
        let groups = match by {
            By::Model => totals.by_model(),
            By::Session => totals.by_session(),
            By::Day => totals.by_day(),
            By::Tool => {
                return totals.by_tool().into_iter().map(tool).collect();
            }
        };
        let mut rows: Vec<Row<'t>> = groups.into_iter().map(group).collect();
        // The agent reports the cost of messages that it does not log, too.
        rows.extend(costs.into_iter().map(|(name, cost)| Row {
            name,
            messages: 0,
            tokens: Tokens::default(),
            calls: None,
            cost_usd: Some(cost),
        }));
        rows
    }
}

/// Returns the reported cost of each session or model. Agents report none for
/// a day or a tool.
fn costs<'t>(costs: &[Cost<'t>], by: By) -> BTreeMap<Option<&'t str>, f64> {
    let mut sums = BTreeMap::new();
    let mut add = |name, cost: Option<f64>| {
        if let Some(cost) = cost {
            *sums.entry(name).or_default() += cost;
        }
    };
    for cost in costs {
        match by {
            By::Session => add(cost.session, cost.cost_usd),
            By::Model => {
                let models = cost.models.iter();
                models.for_each(|m| add(Some(m.model), m.cost_usd));
            }
            By::Day | By::Tool => {}
        }
    }
    sums
}

/// Returns the cost of all sessions, if it is reported for any.
pub fn total_cost(totals: &UsageTotals) -> Option<f64> {
    totals.costs().iter().filter_map(|cost| cost.cost_usd).reduce(|a, b| a + b)
}

/// Returns the table, or `None` if it would be empty.
pub fn table(totals: &UsageTotals, by: By) -> Option<Table> {
    let rows = Row::all(totals, by);
    if rows.is_empty() {
        return None;
    }
    let mut head = vec![by.name()];
    if let By::Tool = by {
        head.extend(["calls", "failed"]);
    }
    head.extend(["messages", "input", "output", "cache write", "cache read"]);
    let total_cost = total_cost(totals).filter(|_| by.has_cost());
    let states_cost =
        total_cost.is_some() || rows.iter().any(|row| row.cost_usd.is_some());
    if states_cost {
        head.push("cost, $");
    }
    let mut table = Table::new(&head);
    let cells = |row: &Row<'_>| {
        let name = row.name.unwrap_or("none").as_bytes();
        let mut cells = vec![Cell::Text(Escaped::new(name).to_string())];
        let calls = row.calls.into_iter();
        cells
            .extend(calls.flat_map(|(calls, failed)| {
                [calls, failed].map(Cell::Number)
            }));
        cells.push(row.messages.into());
        let figures = figures(row.tokens);
        cells.extend(figures.map(|(_, count)| Cell::Number(count)));
        cells.extend(row.cost_usd.map(|cost| dollars(cost).into()));
        cells
    };
    rows.iter().for_each(|row| table.row(cells(row)));
    // A message can call several tools, so there is no total.
    if !matches!(by, By::Tool) {
        let Totals { messages, tokens, .. } = totals.total();
        let (name, cost_usd) = (Some("total"), total_cost);
        let row = Row { name, messages, tokens, calls: None, cost_usd };
        table.row(cells(&row));
        let Totals { messages, tokens, .. } = totals.subagents();
        if messages > 0 {
            let name = Some("of which sub-agents");
            let cost_usd = None;
            let row = Row { name, messages, tokens, calls: None, cost_usd };
            table.row(cells(&row));
        }
    }
    Some(table)
}

/// Returns a warning if counts of output tokens are placeholders.
pub fn placeholder_warning(totals: &UsageTotals) -> Option<String> {
    let messages = match totals.placeholders() {
        0 => return None,
        1 => "1 message are placeholders".to_string(),
        count => format!("{} messages are placeholders", grouped(count)),
    };
    Some(format!(
        "Warning: the output tokens of {messages}; the sum is too low."
    ))
}

/// Returns the token counts, with their names in logs.
fn figures(tokens: Tokens) -> [(&'static str, u64); 4] {
    [
        ("input_tokens", tokens.input_tokens),
        ("output_tokens", tokens.output_tokens),
        ("cache_creation_input_tokens", tokens.cache_creation_input_tokens),
        ("cache_read_input_tokens", tokens.cache_read_input_tokens),
    ]
}

/// Adds the token counts to a JSON object.
pub fn with_tokens(mut object: Value, tokens: Tokens) -> Value {
    for (name, count) in figures(tokens) {
        object[name] = count.into();
    }
    object
}

/// Returns the part of the usage that is sub-agents', as JSON.
pub fn subagents(totals: &UsageTotals) -> Value {
    let Totals { messages, tokens, .. } = totals.subagents();
    with_tokens(json!({"messages": messages}), tokens)
}

/// Returns the table as JSON.
fn report(totals: &UsageTotals, by: By) -> Value {
    let key = format!("{}s", by.name());
    let row = |row: &Row<'_>| {
        let mut object = json!({"name": row.name, "messages": row.messages});
        if let Some((calls, errors)) = row.calls {
            object["calls"] = calls.into();
            object["errors"] = errors.into();
        }
        if by.has_cost() {
            object["cost_usd"] = row.cost_usd.into();
        }
        with_tokens(object, row.tokens)
    };
    let total = totals.total();
    json!({
        key: Row::all(totals, by).iter().map(row).collect::<Vec<_>>(),
        "messages": total.messages,
        "usage": with_tokens(json!({}), total.tokens),
        "subagents": subagents(totals),
        "placeholder_messages": totals.placeholders(),
        "cost_usd": total_cost(totals),
    })
}
