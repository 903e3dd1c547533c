//! A tool call with its result, its diff and its sub-agents.

use std::io;

use linetape::Value;
use linetape_session::{
    Facts,
    conversation::{Call, Place, Summary},
};

use super::parts::{BODY, Page};
use crate::{
    cut::subject,
    figures::{duration, grouped},
    html::Html,
    lines::Lines,
};

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
    pub(super) fn input(
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

    /// Writes what an edit changed, if the result states it.
    fn diff(
        &self,
        html: &mut Html<'_>,
        facts: &Facts<'_>,
        place: Place,
    ) -> io::Result<()> {
        let value = facts.message().value();
        let result =
            value.get("toolUseResult").or(value.get("tool_use_result"));
        let hunks = result
            .and_then(|result| result.get("structuredPatch"))
            .and_then(|hunks| hunks.as_array());
        let most = if self.options.full { usize::MAX } else { BODY };
        let mut room = Room { left: Some(most), ..Room::default() };
        let mut is_begun = false;
        for hunk in hunks.into_iter().flatten() {
            if !is_begun {
                is_begun = true;
                html.markup("<pre class=\"diff\">")?;
            }
            if room.left.is_some() {
                let number = |key| hunk.get(key).and_then(|n| n.as_u64());
                let at = format!(
                    "@@ -{} +{} @@",
                    number("oldStart").unwrap_or(0),
                    number("newStart").unwrap_or(0)
                );
                html.within("<span class=\"at\">", &at, "</span>")?;
            }
            let lines = hunk.get("lines").and_then(|lines| lines.as_array());
            let lines = lines.into_iter().flatten();
            changed(html, lines.filter_map(|l| l.as_str()), &mut room)?;
        }
        html.markup(if is_begun { "</pre>" } else { "" })?;
        if room.left.is_some() {
            return Ok(());
        }
        let [shown, all] = [room.shown, room.all].map(grouped);
        let left = grouped(room.all - room.shown);
        let much = format!(
            "{shown} of {all} lines of the diff, {left} are left out."
        );
        self.cut_note(html, &much, place)
    }
}

/// How much of a diff is written.
#[derive(Default)]
struct Room {
    /// The bytes that are left; `None` once a line was too long for them.
    left: Option<usize>,
    shown: u64,
    all: u64,
}

/// Writes the lines of a hunk, as far as there is room: one element for lines
/// of the same kind.
fn changed<'a>(
    html: &mut Html<'_>,
    lines: impl Iterator<Item = &'a str>,
    room: &mut Room,
) -> io::Result<()> {
    let mut open = None;
    for line in lines {
        room.all += 1;
        room.left = room.left.and_then(|left| left.checked_sub(line.len()));
        if room.left.is_none() {
            continue;
        }
        room.shown += 1;
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
    html.markup(if open.is_some() { "</span>" } else { "" })
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
