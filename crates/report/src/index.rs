/*!
The page that lists all sessions.
*/

use std::{
    collections::{BTreeMap, HashSet},
    io::{self, Write},
};

use linetape_session::{Tokens, UsageTotals};

use crate::{
    chart::{Day, plural, tokens_per_day},
    figures::{Utc, dollars, duration, grouped, short},
    frame,
    html::Html,
    log::UNKNOWN_MODEL,
    overview::Overview,
};

/// Writes the index: figures, tokens per day, and a table of all sessions that
/// can be sorted and filtered.
///
/// Each session with a [`page`](Overview::page) is a link to it. The name of a
/// page must not come from a log.
///
/// `usage` has the messages of all logs: [`Log::take_usage`](crate::Log) of
/// each, put together with [`append`](UsageTotals::append). A fork repeats the
/// messages of its original, so requests, tokens and costs are those of
/// `usage`, where each message counts once, and not the sums of the table.
/// Messages of sessions that are not in the table are left out. Prompts, calls
/// and times are sums of the table.
///
/// # Errors
///
/// Returns the error of the output.
///
/// # Example
///
/// This shows an index without sessions.
///
/// ```
/// use linetape_session::UsageTotals;
///
/// let mut page = vec![];
/// linetape_report::write_index(&mut page, &[], &UsageTotals::new())?;
/// assert!(page.starts_with(b"<!doctype html>"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_index(
    to: &mut dyn Write,
    sessions: &[Overview],
    usage: &UsageTotals,
) -> io::Result<()> {
    let html = &mut Html::new(to);
    let spent = Spent::of(sessions, usage);
    frame::page(html, "Sessions", "index", |html| {
        html.markup(
            "<main id=\"main\" class=\"dense\"><header class=\"top\"><h1>Sessions</h1>",
        )?;
        let all = plural(sessions.len() as u64, "session");
        let mut projects: Vec<_> =
            sessions.iter().map(|one| &one.folder).collect();
        projects.sort_unstable();
        projects.dedup();
        let projects = plural(projects.len() as u64, "project");
        let about = format!("{all} of {projects}. Times are in UTC.");
        html.within("<p class=\"soft\">", &about, "</p></header>\n")?;
        totals(html, sessions, &spent)?;
        html.markup("<h2>Charts</h2>\n")?;
        tokens_per_day(html, &spent.days)?;
        html.markup(
            "<h2 id=\"list\">All sessions</h2>\n<div class=\"tools\" \
             id=\"tools\" hidden><input type=\"search\" id=\"search\" \
             aria-label=\"Filter sessions\" placeholder=\"Filter\">\
             <span id=\"count\" class=\"soft\" role=\"status\"></span></div>\n\
             <div class=\"wide\" tabindex=\"0\"><table class=\"sort\" \
             id=\"sessions\"><thead><tr><th>Session</th>\
             <th class=\"hide\">Project</th><th>Start</th>\
             <th class=\"n\">Active</th><th class=\"hide\">Model</th>\
             <th class=\"n hide\">Prompts</th><th class=\"n\">Tokens</th>\
             <th class=\"n hide\">Cost</th>\
             <th class=\"n hide\">Failed</th></tr></thead><tbody>\n",
        )?;
        for session in sessions {
            row(html, session)?;
        }
        html.markup("</tbody></table></div>\n</main>\n")
    })
}

/// What all sessions have used together.
#[derive(Default)]
struct Spent {
    requests: u64,
    tokens: Tokens,
    /// The part of the tokens that the agents report, and that no message has.
    unlogged: Tokens,
    cost_usd: Option<f64>,
    /// By day and model, in order.
    days: Vec<Day>,
}

impl Spent {
    fn of(sessions: &[Overview], usage: &UsageTotals) -> Spent {
        let listed: HashSet<Option<&str>> =
            sessions.iter().map(|one| one.id.as_deref()).collect();
        let mut spent = Spent::default();
        let mut days: BTreeMap<(&str, &str), Tokens> = BTreeMap::new();
        for group in usage.groups() {
            if listed.contains(&group.session) {
                spent.requests += group.messages;
                spent.tokens += group.tokens;
                let day = group.day.unwrap_or("no date");
                let model = group.model.unwrap_or(UNKNOWN_MODEL);
                *days.entry((day, model)).or_default() += group.tokens;
            }
        }
        for unlogged in usage.unlogged_by_session() {
            if listed.contains(&unlogged.name) {
                spent.tokens += unlogged.tokens;
                spent.unlogged += unlogged.tokens;
            }
        }
        for cost in usage.costs() {
            let usd = cost.cost_usd.filter(|cost| *cost > 0.0);
            if let Some(usd) = usd.filter(|_| listed.contains(&cost.session)) {
                spent.cost_usd = Some(spent.cost_usd.unwrap_or(0.0) + usd);
            }
        }
        let days = days.into_iter().map(|((day, model), tokens)| Day {
            day: day.to_string(),
            model: model.to_string(),
            tokens,
        });
        spent.days = days.collect();
        spent
    }
}

fn totals(
    html: &mut Html<'_>,
    sessions: &[Overview],
    spent: &Spent,
) -> io::Result<()> {
    let sum = |read: fn(&Overview) -> u64| {
        sessions.iter().fold(0u64, |sum, one| sum.saturating_add(read(one)))
    };
    let figures = [
        ("Sessions", grouped(sessions.len() as u64)),
        ("Active", duration(sum(|one| one.active_ms))),
        ("Prompts", grouped(sum(|one| one.prompts))),
        ("Requests", grouped(spent.requests)),
        ("Tool calls", grouped(sum(|one| one.calls))),
        ("Failed calls", grouped(sum(|one| one.failed))),
        ("Output tokens", short(spent.tokens.output_tokens)),
        ("Tokens", short(tokens(spent.tokens))),
    ];
    html.markup("<dl class=\"figures\">")?;
    for (name, figure) in figures {
        figures_item(html, name, &figure)?;
    }
    unlogged_item(html, spent.unlogged)?;
    if let Some(cost) = spent.cost_usd {
        figures_item(html, "Stated cost", &dollars(cost))?;
    }
    html.markup("</dl>\n")
}

pub(crate) fn figures_item(
    html: &mut Html<'_>,
    name: &'static str,
    figure: &str,
) -> io::Result<()> {
    html.within("<div><dt>", name, "</dt><dd>")?;
    html.within("", figure, "</dd></div>")
}

/// Writes how many of the tokens no message has, if there are any.
pub(crate) fn unlogged_item(
    html: &mut Html<'_>,
    of: Tokens,
) -> io::Result<()> {
    match tokens(of) {
        0 => Ok(()),
        sum => figures_item(html, "Of which in no message", &short(sum)),
    }
}

fn tokens(of: Tokens) -> u64 {
    [
        of.input_tokens,
        of.output_tokens,
        of.cache_creation_input_tokens,
        of.cache_read_input_tokens,
    ]
    .into_iter()
    .fold(0, u64::saturating_add)
}

fn row(html: &mut Html<'_>, session: &Overview) -> io::Result<()> {
    html.markup("<tr><td dir=\"auto\">")?;
    match &session.page {
        Some(page) => {
            html.markup("<a")?;
            html.attribute("href", page)?;
            html.within(">", session.name(), "</a>")?;
        }
        None => html.text(session.name())?,
    }
    let folder = session.folder.as_deref().unwrap_or_default();
    let project = folder.rsplit(['/', '\\']).find(|part| !part.is_empty());
    html.markup("</td><td class=\"hide\"")?;
    html.attribute("title", folder)?;
    html.within(">", project.unwrap_or_default(), "</td>")?;
    html.markup("<td class=\"d\"")?;
    html.attribute("data-v", &session.started_at.unwrap_or(0).to_string())?;
    let start = session.started_at.map(|at| Utc(at).shown());
    html.within(">", &start.unwrap_or_default(), "</td>")?;
    let active = match session.active_ms {
        0 => String::new(),
        ms => duration(ms),
    };
    number(html, "n", session.active_ms as f64, &active)?;
    html.within("<td class=\"hide\">", &session.models.join(", "), "</td>")?;
    number(html, "n hide", session.prompts as f64, &grouped(session.prompts))?;
    let all = tokens(session.tokens);
    number(html, "n", all as f64, &short(all))?;
    let cost = session.cost_usd.map(dollars).unwrap_or_default();
    number(html, "n hide", session.cost_usd.unwrap_or(-1.0), &cost)?;
    number(html, "n hide", session.failed as f64, &grouped(session.failed))?;
    html.markup("</tr>\n")
}

/// Writes a cell that is sorted by a number.
fn number(
    html: &mut Html<'_>,
    class: &'static str,
    by: f64,
    shown: &str,
) -> io::Result<()> {
    html.within("<td class=\"", class, "\"")?;
    html.attribute("data-v", &by.to_string())?;
    html.within(">", shown, "</td>")
}
