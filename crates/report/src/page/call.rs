//! A tool call with its result, its diff and its sub-agents.

use std::io;

use linetape::Value;
use linetape_session::{
    Facts,
    conversation::{Call, Summary},
};

use super::parts::Page;
use crate::{
    figures::{duration, grouped, size},
    html::Html,
    lines::Lines,
    markdown::markdown,
};

/// Longer texts are cut, in bytes.
const BODY: usize = 200_000;

impl Page<'_> {
    /// Writes a call, folded. `depth` is the number of sub-agents around it.
    pub(super) fn call(
        &self,
        html: &mut Html<'_>,
        lines: &mut dyn Lines,
        call: Call<'_>,
        depth: u8,
    ) -> io::Result<()> {
        let failed = call.is_error();
        html.markup(match failed {
            true => "<details class=\"c failed\" id=\"c",
            false => "<details class=\"c\" id=\"c",
        })?;
        html.number(call.index() as u64)?;
        html.markup("\"><summary>")?;
        let mut is_known = false;
        if let Some(step) = call.step() {
            lines.read(step, &mut |facts| {
                is_known = true;
                let told = Summary::of_step(step, facts);
                summary(html, &told)?;
                outcome(html, call, told.detail.contains("background"))?;
                html.markup("</summary><div>")?;
                match step.input(facts) {
                    Some(value) => self.input(html, value),
                    None => Ok(()),
                }
            })?;
        }
        if !is_known {
            let name = call.name().unwrap_or("unnamed tool");
            html.within("<b>", name, "</b>")?;
            outcome(html, call, false)?;
            html.markup("</summary><div>")?;
        }
        for agent in call.agents() {
            self.agent(html, lines, agent, depth)?;
        }
        if let Some(answer) = call.answer() {
            lines.read(answer, &mut |facts| {
                self.diff(html, facts)?;
                let text = answer.result(facts).text;
                // A sub-agent answers as a model does.
                let is_said = matches!(call.name(), Some("Task" | "Agent"));
                match is_said && text.len() <= BODY {
                    true => {
                        html.markup("<div class=\"m out\">")?;
                        markdown(html, &text)?;
                        html.markup("</div>")
                    }
                    false => self.body(
                        html,
                        "<pre class=\"out\" dir=\"auto\">",
                        &text,
                    ),
                }
            })?;
        }
        html.markup("</div></details>\n")
    }

    /// Writes the arguments of a call.
    pub(super) fn input(
        &self,
        html: &mut Html<'_>,
        input: Value<'_>,
    ) -> io::Result<()> {
        let mut text = String::new();
        match input.as_object() {
            Some(members) => {
                for (key, value) in members {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text += key;
                    text += ": ";
                    append(&mut text, value);
                }
            }
            None => append(&mut text, input),
        }
        self.body(html, "<pre class=\"in\" dir=\"auto\">", &text)
    }

    /// Writes a long text as it is, cut unless `--full` is given.
    pub(super) fn body(
        &self,
        html: &mut Html<'_>,
        begin: &'static str,
        text: &str,
    ) -> io::Result<()> {
        if self.options.full || text.len() <= BODY {
            return html.within(begin, text, "</pre>");
        }
        let end = (0..=BODY).rev().find(|end| text.is_char_boundary(*end));
        let shown = text.get(..end.unwrap_or(0)).unwrap_or_default();
        html.within(begin, shown, "</pre>")?;
        let note = format!(
            "{} of {} lines ({} of {}). linetape report --full writes all.",
            grouped(shown.lines().count() as u64),
            grouped(text.lines().count() as u64),
            size(shown.len()),
            size(text.len())
        );
        html.within("<p class=\"note\">", &note, "</p>")
    }

    /// Writes what an edit changed, if the result states it.
    fn diff(&self, html: &mut Html<'_>, facts: &Facts<'_>) -> io::Result<()> {
        let value = facts.message().value();
        let result =
            value.get("toolUseResult").or(value.get("tool_use_result"));
        let hunks = result
            .and_then(|result| result.get("structuredPatch"))
            .and_then(|hunks| hunks.as_array());
        let mut left = if self.options.full { usize::MAX } else { BODY };
        let mut is_begun = false;
        for hunk in hunks.into_iter().flatten() {
            if !is_begun {
                is_begun = true;
                html.markup("<pre class=\"diff\">")?;
            }
            let number = |key| hunk.get(key).and_then(|n| n.as_u64());
            let at = format!(
                "@@ -{} +{} @@",
                number("oldStart").unwrap_or(0),
                number("newStart").unwrap_or(0)
            );
            html.within("<span class=\"at\">", &at, "</span>")?;
            let lines = hunk.get("lines").and_then(|lines| lines.as_array());
            let lines = lines.into_iter().flatten();
            left = changed(html, lines.filter_map(|l| l.as_str()), left)?;
        }
        match is_begun {
            true => html.markup("</pre>"),
            false => Ok(()),
        }
    }
}

/// Writes the lines of a hunk: one element for lines of the same kind. Returns
/// how many of `left` bytes are left.
fn changed<'a>(
    html: &mut Html<'_>,
    lines: impl Iterator<Item = &'a str>,
    mut left: usize,
) -> io::Result<usize> {
    let mut open = None;
    for line in lines {
        if line.len() > left {
            left = 0;
            break;
        }
        left -= line.len();
        let begin = match line.as_bytes().first() {
            Some(b'+') => "<span class=\"p\">",
            Some(b'-') => "<span class=\"r\">",
            _ => "<span>",
        };
        if open == Some(begin) {
            html.markup("\n")?;
        } else {
            html.markup(if open.is_some() { "</span>" } else { "" })?;
            html.markup(begin)?;
            open = Some(begin);
        }
        html.text(line)?;
    }
    html.markup(if open.is_some() { "</span>" } else { "" })?;
    if left == 0 {
        html.markup("<span class=\"at\">(cut)</span>")?;
    }
    Ok(left)
}

/// Adds a string without its quotes, or another value as JSON.
fn append(text: &mut String, value: Value<'_>) {
    match value.as_str() {
        Some(string) => text.push_str(string),
        None => text.push_str(&value.to_string()),
    }
}

/// Writes a call in one line.
fn summary(html: &mut Html<'_>, summary: &Summary) -> io::Result<()> {
    html.within("<b>", &summary.tool, "</b>")?;
    if !summary.subject.is_empty() {
        let subject = crate::log::first_line(&summary.subject, 300);
        html.within("<span class=\"mono\">", &subject, "</span>")?;
    }
    if !summary.detail.is_empty() {
        html.within(" <span class=\"soft\">", &summary.detail, "</span>")?;
    }
    Ok(())
}

/// Writes how a call ended.
fn outcome(
    html: &mut Html<'_>,
    call: Call<'_>,
    is_told: bool,
) -> io::Result<()> {
    if call.is_error() {
        html.markup(" <span class=\"bad\">failed</span>")?;
    }
    if call.is_background() && !is_told {
        html.markup(" <span class=\"soft\">in the background</span>")?;
    }
    match (call.duration(), call.answer()) {
        (Some(ms), _) => {
            html.within(" <span class=\"soft t\">", &duration(ms), "</span>")
        }
        (None, None) => {
            html.markup(" <span class=\"soft t\">no result</span>")
        }
        _ => Ok(()),
    }
}
