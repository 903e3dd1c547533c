//! Tools: calls, failures and durations.

use std::io;

use super::draw::{begin, plural};
use crate::{
    figures::{duration, grouped},
    html::Html,
};

/// The calls of one tool.
#[derive(Clone, Debug, Default)]
pub struct Tool {
    pub name: String,
    pub calls: u64,
    pub failed: u64,
    /// The durations of the calls that have one, in milliseconds.
    pub times: Vec<u64>,
}

/// Puts the tools with most calls first, and the durations of each in order.
pub fn sort(tools: &mut [Tool]) {
    tools.sort_by(|a, b| b.calls.cmp(&a.calls).then(a.name.cmp(&b.name)));
    tools.iter_mut().for_each(|tool| tool.times.sort_unstable());
}

/// Writes the tools, which are [sorted](sort).
pub fn tools(html: &mut Html<'_>, tools: &[Tool]) -> io::Result<()> {
    let Some(most) = tools.iter().map(|tool| tool.calls).max() else {
        return Ok(());
    };
    let calls = tools.iter().map(|tool| tool.calls).sum();
    let failed: u64 = tools.iter().map(|tool| tool.failed).sum();
    let about = format!(
        "{} of {}; {failed} failed. Times of tools that ask a person are \
         times of waiting.",
        plural(calls, "call"),
        plural(tools.len() as u64, "tool"),
    );
    begin(html, "Tools", &about)?;
    html.markup(
        "<div class=\"wide\" tabindex=\"0\"><table class=\"sort\"><thead><tr><th>Tool</th>\
         <th class=\"n\">Calls</th><th class=\"bar\">Share</th>\
         <th class=\"n\">Failed</th><th class=\"n hide\">Median</th>\
         <th class=\"n\">Longest</th></tr></thead><tbody>\n",
    )?;
    for tool in tools {
        html.within("<tr><td>", &tool.name, "</td>")?;
        cell(html, Some(tool.calls), grouped)?;
        let ok = tool.calls.saturating_sub(tool.failed);
        let wide = |calls: u64| calls * 1000 / most.max(1);
        html.markup("<td class=\"bar\"")?;
        html.attribute("data-v", &tool.calls.to_string())?;
        html.markup("><svg role=\"img\"")?;
        let label = format!("{} of {most}", tool.calls);
        html.attribute("aria-label", &label)?;
        html.markup(" preserveAspectRatio=\"none\" viewBox=\"0 0 1000 10\">")?;
        html.markup("<path class=\"f2\" d=\"M0 0h")?;
        html.number(wide(ok))?;
        html.markup("v10H0z\"/><path class=\"fbad\" d=\"M")?;
        html.number(wide(ok))?;
        html.markup(" 0H")?;
        html.number(wide(tool.calls))?;
        html.markup("v10H")?;
        html.number(wide(ok))?;
        html.markup("z\"/></svg></td>")?;
        cell(html, Some(tool.failed), grouped)?;
        let middle = median(&tool.times);
        html.markup("<td class=\"n hide\"")?;
        value(html, middle, duration)?;
        cell(html, tool.times.last().copied(), duration)?;
        html.markup("</tr>\n")?;
    }
    html.markup("</tbody></table></div></figure>\n")
}

/// Returns the median of sorted numbers.
fn median(sorted: &[u64]) -> Option<u64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some(lower + (upper - lower) / 2)
}

fn cell(
    html: &mut Html<'_>,
    number: Option<u64>,
    shown: fn(u64) -> String,
) -> io::Result<()> {
    html.markup("<td class=\"n\"")?;
    value(html, number, shown)
}

fn value(
    html: &mut Html<'_>,
    number: Option<u64>,
    shown: fn(u64) -> String,
) -> io::Result<()> {
    html.attribute("data-v", &number.unwrap_or(0).to_string())?;
    let text = number.map(shown).unwrap_or_default();
    html.within(">", &text, "</td>")
}
