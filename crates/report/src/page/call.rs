//! A tool call with its arguments, its result and its sub-agents.

use std::io;

use linetape::Value;
use linetape_session::conversation::{Call, Place, Summary};

use super::parts::Page;
use crate::{cut::subject, figures::duration, html::Html, lines::Lines};

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
                outcome(html, call, is_told(&told))?;
                html.markup("</summary><div>")?;
                link(html, call)?;
                match step.input(facts) {
                    Some(value) => self.input(html, value, step.place()),
                    None => Ok(()),
                }
            })?;
        }
        if !is_known {
            let name = call.name().unwrap_or("unnamed tool");
            html.within("<b>", name, "</b>")?;
            outcome(html, call, false)?;
            html.markup("</summary><div>")?;
            link(html, call)?;
        }
        for agent in call.agents() {
            self.agent(html, lines, agent, depth)?;
        }
        if let Some(answer) = call.answer() {
            lines.read(answer, &mut |facts| {
                let place = answer.place();
                self.diff(html, facts, place)?;
                let text = answer.result(facts).text;
                // A sub-agent answers as a model does.
                let is_said = matches!(call.name(), Some("Task" | "Agent"));
                match is_said {
                    true => {
                        let begin = "<div class=\"m out\">";
                        self.said(html, begin, &text, place)
                    }
                    false => {
                        let begin = "<pre class=\"out\">";
                        self.body(html, begin, &text, place)
                    }
                }
            })?;
        }
        html.markup("</div></details>\n")
    }

    /// Writes the arguments of a call.
    fn input(
        &self,
        html: &mut Html<'_>,
        input: Value<'_>,
        place: Place,
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
        self.body(html, "<pre class=\"in\">", &text, place)
    }
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
        let subject = subject(summary, 300);
        html.within("<code>", &subject, "</code>")?;
    }
    if !summary.detail.is_empty() {
        html.within(" <span class=\"soft\">", &summary.detail, "</span>")?;
    }
    Ok(())
}

/// Writes the link of a call to itself. A log can have very many calls, so it
/// is shorter than that of a text, and known by its place.
fn link(html: &mut Html<'_>, call: Call<'_>) -> io::Result<()> {
    html.markup("<a href=\"#c")?;
    html.number(call.index() as u64)?;
    html.markup("\">#</a>")
}

/// Returns whether a summary says that a call runs in the background.
fn is_told(summary: &Summary) -> bool {
    summary.detail.ends_with("(in the background)")
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
        (Some(ms), _) => html.within(" <i>", &duration(ms), "</i>"),
        (None, None) => html.markup(" <i>no result</i>"),
        _ => Ok(()),
    }
}
