//! `linetape usage`: tokens, tool calls and costs.

mod calendar;
mod figures;
mod grouping;
mod home;
mod prices;
mod reported;
mod rows;
mod warnings;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use jiff::tz::TimeZone;
use linetape::{Error, Escaped, Level};
use linetape_session::{Totals, UsageTotals};
use serde_json::{Value, json};

use crate::{
    blocks::{self, BlockReader, Part},
    complaints::Complaints,
    document,
    files::Files,
    input::Input,
    outcome::{Outcome, print_message},
    output::Prints,
    paint::page,
    recognised::{Recognised, Recognition},
    state::{State, StateFile, is_final},
    table::{Cell, Table, dollars},
};

use calendar::zone;
use figures::figures;
use grouping::{By, Grouping};
use prices::Prices;
use rows::{Row, Rows};
use warnings::{fast_warning, hour_warning, unknown_costs, unpriced_warning};

pub use figures::with_tokens;
pub use reported::{reported_table, with_reported};
pub use rows::{total_cost, unlogged};
pub use warnings::{beside, placeholder_warning, unknown_cost_warning};

/// The arguments of `linetape usage`, other than those of all reports.
#[derive(Args)]
pub struct Grouped {
    /// Group by model, session, project, day, week, month or tool
    ///
    /// A project is the first working directory of a session. A week is an
    /// ISO 8601 week, which begins on Monday.
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// The time zone of days, weeks and months [default: that of each
    /// timestamp]
    ///
    /// A name such as Europe/Berlin, `UTC`, `local`, or an offset such as
    /// +02:00.
    #[arg(
        long,
        value_name = "ZONE",
        value_parser = zone,
        allow_hyphen_values = true
    )]
    timezone: Option<TimeZone>,
    /// A price list, for a cost where the log reports none
    ///
    /// A cost that the log reports is used in any case. By day, week or month,
    /// the cost of a session is spread in proportion to the prices of its
    /// messages.
    ///
    /// A JSON object with an object for each model, with the names of
    /// LiteLLM's model_prices_and_context_window.json: input_cost_per_token,
    /// output_cost_per_token, cache_creation_input_token_cost and
    /// cache_read_input_token_cost, in dollars, also those that end with
    /// _above_200k_tokens and _above_1hr; and `fast` in
    /// provider_specific_entry, by which prices are multiplied in fast mode.
    /// Without a price for what is kept in the cache for an hour, it is twice
    /// that of the input. Web searches have no price.
    /// linetape has no prices of its own.
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Read the transcripts in Claude Code's own folder
    ///
    /// The folder is `projects` in each folder that CLAUDE_CONFIG_DIR lists
    /// (separated by commas). If the variable is not set, all of
    /// ~/.claude/projects and ~/.config/claude/projects that exist are read.
    /// Cannot be combined with PATH.
    #[arg(long, conflicts_with_all = ["paths", "sample"])]
    pub home: bool,
}

impl Grouped {
    fn grouping(&self) -> Result<Grouping, (&Path, io::Error)> {
        let prices = match &self.prices {
            Some(path) => {
                Some(Arc::new(Prices::read(path).map_err(|e| (&**path, e))?))
            }
            None => None,
        };
        Ok(Grouping { by: self.by, zone: self.timezone.clone(), prices })
    }
}

/// Prints the usage of all inputs. With `peek`, lines are not checked. With a
/// state, only new lines are read.
pub fn run(
    grouped: &Grouped,
    files: &mut Files,
    peek: bool,
    json: bool,
    state: &StateFile,
) -> io::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    if grouped.home {
        let folders = home::transcripts();
        if folders.is_empty() {
            let why = "contains no folder";
            outcome.report(&home::VARIABLE, &why, Outcome::CouldNotRun);
            return Ok(outcome);
        }
        files.set_paths(folders);
        // The paths of the command line were compared before.
        if !state.is_apart_from(files.paths()) {
            return Ok(Outcome::CouldNotRun);
        }
    }
    let grouping = match grouped.grouping() {
        Ok(grouping) => grouping,
        Err((path, error)) => {
            let path = path.display();
            outcome.report(&path, &error, Outcome::CouldNotRun);
            return Ok(outcome);
        }
    };
    let arguments = ["usage"].into_iter().chain(peek.then_some("--peek"));
    let arguments = arguments.map(str::to_string).chain(files.arguments());
    let Ok(mut state) = state.open(arguments.collect()) else {
        return Ok(Outcome::CouldNotRun);
    };
    let saved = match state.as_mut().map(load).transpose() {
        Ok(saved) => saved.unwrap_or_default(),
        Err(outcome) => return Ok(outcome),
    };
    let (totals, agents) = read(files, peek, saved, state, &mut outcome);
    // With a state, the records of earlier runs may be of a known agent.
    let is_foreign = match totals.total().messages {
        0 => agents.is_foreign(&mut outcome),
        _ => {
            agents.tell();
            false
        }
    };
    let rows = Rows::new(&totals, &grouping);
    if json {
        if let Some(warning) = hour_warning(&rows) {
            print_message(&warning);
        }
        document::print(&report(&totals, &rows, &grouping))?;
        return Ok(outcome);
    }
    if is_foreign {
        return Ok(outcome);
    }
    let mut page = page();
    match (table(&totals, &rows, &grouping), grouping.by) {
        (Some(table), _) => write!(page, "{table}")?,
        (None, By::Tool) => writeln!(page, "No tool calls.")?,
        (None, _) => writeln!(page, "No token usage.")?,
    }
    if let (By::Model, Some(table)) = (grouping.by, reported_table(&totals)) {
        write!(page, "\n{table}")?;
    }
    // With a price list, the model is priced, or among those without a price.
    let unknown_cost = match &grouping.prices {
        None => unknown_cost_warning(&totals),
        Some(_) => None,
    };
    let is_summed = !matches!(grouping.by, By::Tool);
    let warnings = [
        beside(&totals).filter(|_| is_summed),
        placeholder_warning(&totals, is_summed),
        unknown_cost,
        unpriced_warning(&rows),
        hour_warning(&rows),
        fast_warning(&rows),
    ];
    for warning in warnings.into_iter().flatten() {
        writeln!(page, "{warning}")?;
    }
    page.flush()?;
    Ok(outcome)
}

/// Returns the totals of all runs so far, and whose records they had.
fn load(state: &mut State) -> Result<(UsageTotals, Recognition), Outcome> {
    match state.take_saved() {
        None => Ok((UsageTotals::new(), Recognition::default())),
        Some((document, bytes)) => match UsageTotals::load_verified(bytes) {
            Ok(totals) => {
                let agents = serde_json::from_value(document);
                Ok((totals, agents.unwrap_or_default()))
            }
            Err(error) => Err(state.refuse(&error)),
        },
    }
}

/// Adds the usage of all inputs to the totals. With a state, reads only what is
/// new, and saves the totals.
fn read(
    files: &Files,
    peek: bool,
    (mut totals, mut agents): (UsageTotals, Recognition),
    mut state: Option<State>,
    outcome: &mut Outcome,
) -> (UsageTotals, Recognition) {
    let mut complaints = Complaints::default();
    let mut inputs = files.inputs(Prints::AtTheEnd, outcome);
    if let Some(state) = &mut state {
        let is_anew;
        (inputs, is_anew) = state.plan_totals(inputs, outcome);
        if is_anew {
            (totals, agents) = Default::default();
        }
    }
    // Otherwise, nothing is saved: the next run reads the same lines again.
    let mut is_read = true;
    let mut recognised = Recognised::default();
    let add_up = |_: &Input, reader: &mut BlockReader| add_up(reader, peek);
    let level = if peek { Level::Peek } else { Level::Checked };
    blocks::for_each(
        files,
        &inputs,
        level,
        add_up,
        |input, part| match part {
            Part::Block { made: part, lines_before } => {
                totals.append(part.totals);
                recognised.append(part.recognised);
                for error in part.errors {
                    let error = error.moved_by(lines_before, 0);
                    is_read &= is_final(&error);
                    complaints.error(input, &error, outcome);
                }
            }
            Part::End => {
                complaints.end(input);
                agents.add(input, std::mem::take(&mut recognised));
            }
            Part::Unopened(error) => {
                outcome.report(input, &error, Outcome::CouldNotRun);
                if let Some(state) = &mut state {
                    state.fail(input);
                }
            }
        },
    );
    if let Some(state) = state.as_mut().filter(|_| is_read) {
        state.save(|| (json!(agents), totals.save()), outcome);
    }
    (totals, agents)
}

/// The usage of a part of a log.
#[derive(Default)]
struct Used {
    totals: UsageTotals,
    errors: Vec<Error>,
    recognised: Recognised,
}

fn add_up(reader: &mut BlockReader, peek: bool) -> Used {
    let mut used = Used::default();
    while let Some(line) = reader.next_line() {
        let added = line.and_then(|line| {
            let message = if peek { line.peek()? } else { line.checked()? };
            used.totals.add(message);
            used.recognised.add(message);
            Ok(())
        });
        used.errors.extend(added.err());
    }
    used
}

/// Returns the table of the usage by model, or `None` if it would be empty.
pub fn table_by_model(totals: &UsageTotals) -> Option<Table> {
    let grouping = Grouping::default();
    table(totals, &Rows::new(totals, &grouping), &grouping)
}

/// Returns the table, or `None` if it would be empty.
fn table(
    totals: &UsageTotals,
    rows: &Rows,
    grouping: &Grouping,
) -> Option<Table> {
    let Rows { rows, cost_usd, .. } = rows;
    let by = grouping.by;
    // An agent can report a cost without a model and without messages.
    let has_total = cost_usd.is_some() && !matches!(by, By::Tool);
    if rows.is_empty() && !has_total {
        return None;
    }
    let name = by.name();
    let mut head = vec![&*name];
    if let By::Tool = by {
        head.extend(["calls", "failed"]);
    }
    head.extend(["messages", "input", "output", "cache write", "cache read"]);
    let total_cost = cost_usd.filter(|_| grouping.has_cost());
    let states_cost =
        total_cost.is_some() || rows.iter().any(|row| row.cost_usd.is_some());
    if states_cost {
        head.push("cost, $");
    }
    let mut table = Table::new(&head);
    rows.iter().for_each(|row| table.row(cells(row)));
    // A message can call several tools, so there is no total.
    if !matches!(by, By::Tool) {
        let name = Some("total".to_string());
        let total = Row::from(totals.total());
        table.row(cells(&Row { name, cost_usd: total_cost, ..total }));
        let subagents = totals.subagents();
        if subagents.messages > 0 {
            let name = Some("of which sub-agents".to_string());
            table.row(cells(&Row { name, ..Row::from(subagents) }));
        }
    }
    Some(table)
}

fn cells(row: &Row) -> Vec<Cell> {
    let name = row.name.as_deref().unwrap_or("none").as_bytes();
    let mut cells = vec![Cell::Text(Escaped::new(name).to_string())];
    let calls = row.calls.into_iter();
    cells.extend(
        calls.flat_map(|(calls, failed)| [calls, failed].map(Cell::Number)),
    );
    cells.push(row.messages.into());
    let figures = figures(row.tokens);
    cells.extend(figures.map(|(_, count)| Cell::Number(count)));
    cells.extend(row.cost_usd.map(|cost| dollars(cost).into()));
    cells
}

/// Returns the part of the usage that is sub-agents', as JSON.
pub fn subagents(totals: &UsageTotals) -> Value {
    let Totals { messages, tokens, .. } = totals.subagents();
    with_tokens(json!({"messages": messages}), tokens)
}

/// Returns the table as JSON.
fn report(totals: &UsageTotals, rows: &Rows, grouping: &Grouping) -> Value {
    let key = format!("{}s", grouping.by.name());
    let row = |row: &Row| {
        let mut object = json!({"name": row.name, "messages": row.messages});
        if let Some((calls, errors)) = row.calls {
            object["calls"] = calls.into();
            object["errors"] = errors.into();
        }
        if grouping.has_cost() {
            object["cost_usd"] = row.cost_usd.into();
        }
        with_tokens(object, row.tokens)
    };
    let total = totals.total();
    let report = json!({
        key: rows.rows.iter().map(row).collect::<Vec<_>>(),
        "messages": total.messages,
        "usage": with_tokens(json!({}), total.tokens),
        "subagents": subagents(totals),
        "placeholder_messages": totals.placeholders(),
        "cost_usd": rows.cost_usd,
    });
    let mut report = with_reported(report, totals);
    let unknown = unknown_costs(totals);
    if unknown > 0 {
        report["unknown_cost_sessions"] = unknown.into();
    }
    if grouping.prices.is_some() {
        report["unpriced_models"] = json!(rows.unpriced);
    }
    if !rows.hours.is_empty() {
        report["unpriced_one_hour_models"] = json!(rows.hours);
    }
    if !rows.fast.is_empty() {
        report["unpriced_fast_models"] = json!(rows.fast);
    }
    report
}
