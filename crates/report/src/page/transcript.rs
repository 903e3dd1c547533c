//! The transcript: turns and their steps.

use std::io;

use linetape::{Message, message::system::System};
use linetape_session::{
    Facts,
    conversation::{Agent, Step, StepKind, Turn},
};

use super::{
    head::time,
    parts::{Page, anchor},
};
use crate::{
    cut::first_line,
    html::Html,
    lines::{Lines, found},
};

/// The start of a text that is not Markdown.
const PLAIN: &str = "<pre>";

/// The most characters of a text that its fold shows.
const SUMMARY: usize = 80;

/// Sub-agents can start sub-agents. A conversation has no more levels.
const DEPTH: u8 = 16;

impl Page<'_> {
    pub(super) fn transcript(
        &self,
        html: &mut Html<'_>,
        lines: &mut dyn Lines,
    ) -> io::Result<()> {
        html.markup(
            "<h2>Transcript</h2>\n<div class=\"tools\" id=\"tools\" hidden>\
             <input type=\"search\" id=\"search\" aria-label=\"Search the \
             transcript\" placeholder=\"Search (/)\"><button type=\"button\" \
             id=\"expand\" aria-pressed=\"false\">Expand all</button>\
             <span class=\"soft\">Enter: next match; j, k: next, previous turn</span>\
             <span id=\"count\" class=\"soft\" role=\"status\"></span></div>\n\
             <section id=\"transcript\" aria-label=\"Transcript\">\n",
        )?;
        for (turn, number) in self.session.turns().zip(1u64..) {
            html.markup("<article class=\"turn\" id=\"t")?;
            html.number(number)?;
            html.markup("\"><header><h3>Turn ")?;
            html.number(number)?;
            html.markup("</h3>")?;
            if let Some(at) = turn.started_at() {
                html.markup("<span class=\"soft\">")?;
                time(html, at)?;
                html.markup("</span>")?;
            }
            html.markup("<a class=\"id\" href=\"#t")?;
            html.number(number)?;
            html.markup("\" aria-label=\"Link to turn ")?;
            html.number(number)?;
            html.markup("\">#</a></header>\n")?;
            self.steps(html, lines, turn, 0)?;
            html.markup("</article>\n")?;
        }
        html.markup("</section>\n")
    }

    /// Writes the steps of a turn. Abandoned ones are collapsed.
    fn steps(
        &self,
        html: &mut Html<'_>,
        lines: &mut dyn Lines,
        turn: Turn<'_>,
        depth: u8,
    ) -> io::Result<()> {
        let mut is_folded = false;
        let mut chunks = String::new();
        let mut first = None;
        for step in turn.steps() {
            if step.kind() != StepKind::Chunk
                && let Some(first) = first.take()
            {
                self.chunks(html, first, &chunks)?;
                chunks.clear();
            }
            if step.is_abandoned() != is_folded {
                is_folded = step.is_abandoned();
                html.markup(match is_folded {
                    true => {
                        "<details class=\"fold\"><summary>An abandoned \
                         branch</summary>\n"
                    }
                    false => "</details>\n",
                })?;
            }
            if step.kind() == StepKind::Chunk {
                let text =
                    found(lines, step, |facts| step.text(facts).into_owned())?;
                chunks += &text.unwrap_or_default();
                first = first.or(Some(step));
                continue;
            }
            self.step(html, lines, step, depth)?;
        }
        if let Some(first) = first {
            self.chunks(html, first, &chunks)?;
        }
        html.markup(if is_folded { "</details>\n" } else { "" })
    }

    /// Writes a text of a server, which arrived in chunks.
    fn chunks(
        &self,
        html: &mut Html<'_>,
        first: Step<'_>,
        text: &str,
    ) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        html.markup("<div class=\"m\"")?;
        id(html, first)?;
        html.markup(">")?;
        anchor(html, "s", first.index())?;
        self.said(html, "", text, first.place())
    }

    fn step(
        &self,
        html: &mut Html<'_>,
        lines: &mut dyn Lines,
        step: Step<'_>,
        depth: u8,
    ) -> io::Result<()> {
        match step.kind() {
            StepKind::Call => match step.call() {
                Some(call) => self.call(html, lines, call, depth),
                None => Ok(()),
            },
            StepKind::Agent => match step.agent() {
                Some(agent) => self.agent(html, lines, agent, depth),
                None => Ok(()),
            },
            _ => {
                lines.read(step, &mut |facts| self.message(html, step, facts))
            }
        }
    }

    /// Writes a sub-agent with its own steps.
    pub(super) fn agent(
        &self,
        html: &mut Html<'_>,
        lines: &mut dyn Lines,
        agent: Agent<'_>,
        depth: u8,
    ) -> io::Result<()> {
        html.markup("<div class=\"agent\" id=\"a")?;
        html.number(agent.index() as u64)?;
        html.markup("\"><p class=\"who\">Sub-agent")?;
        if let Some(kind) = agent.kind() {
            html.within(" ", kind, "")?;
        }
        if let Some(task) = agent.task() {
            html.within(": ", task, "")?;
        }
        html.markup(" ")?;
        anchor(html, "a", agent.index())?;
        html.markup("</p>\n")?;
        if depth < DEPTH {
            for turn in agent.turns() {
                self.steps(html, lines, turn, depth + 1)?;
            }
        }
        html.markup("</div>\n")
    }

    /// Writes a step that is not a call.
    fn message(
        &self,
        html: &mut Html<'_>,
        step: Step<'_>,
        facts: &Facts<'_>,
    ) -> io::Result<()> {
        let text = step.words(facts);
        let place = step.place();
        match step.kind() {
            StepKind::Prompt => {
                html.markup(
                    "<div class=\"m user\" role=\"group\" aria-label=\"User\"",
                )?;
                id(html, step)?;
                html.markup(">")?;
                anchor(html, "s", step.index())?;
                self.said(html, "", &text, place)
            }
            StepKind::Text => {
                html.markup(
                    "<div class=\"m\" role=\"group\" aria-label=\"Assistant\"",
                )?;
                id(html, step)?;
                html.markup(">")?;
                anchor(html, "s", step.index())?;
                self.said(html, "", &text, place)
            }
            StepKind::Thought => {
                folded(html, step, "thought", "Thinking", &text)?;
                self.said(html, "<div class=\"m\">", &text, place)?;
                html.markup("</details>\n")
            }
            StepKind::Summary => {
                folded(html, step, "fold", "Summary of the conversation", "")?;
                self.said(html, "<div class=\"m\">", &text, place)?;
                html.markup("</details>\n")
            }
            StepKind::Notification => {
                self.program(html, step, "Notification", &text)
            }
            StepKind::Hook => self.program(html, step, "Hook", &text),
            StepKind::Command => self.program(html, step, "Command", &text),
            StepKind::Output => {
                self.program(html, step, "Output of a command", &text)
            }
            StepKind::Program => {
                self.program(html, step, "Agent program", &text)
            }
            StepKind::Server => self.program(html, step, "Server", &text),
            StepKind::ToolResult => {
                let name = match step.call() {
                    Some(_) => "Another result of a call",
                    None => "Result without a call",
                };
                folded(html, step, "c", name, "")?;
                html.markup("<div>")?;
                self.body(html, PLAIN, &text, place)?;
                html.markup("</div></details>\n")
            }
            StepKind::Error => {
                html.markup("<div class=\"m warn\"")?;
                id(html, step)?;
                html.markup(">")?;
                anchor(html, "s", step.index())?;
                html.markup("<p class=\"bad\">Error</p>")?;
                self.body(html, PLAIN, &text, place)?;
                html.markup("</div>\n")
            }
            StepKind::Compaction => self.compaction(html, step, facts),
            StepKind::Interruption => {
                self.note(html, step, "Interrupted: ", &text)
            }
            StepKind::Truncated => {
                self.note(html, step, "The message is truncated", "")
            }
            StepKind::Init => {
                let model = match facts.message() {
                    Message::System(System::Init(init)) => init.model(),
                    _ => None,
                };
                self.note(html, step, "Model: ", model.unwrap_or("unknown"))
            }
            StepKind::Link => match facts.message() {
                Message::ContinuedIn(line) => {
                    let next = line.continued_in_session_id();
                    self.link(html, step, "Goes on in ", next)
                }
                Message::ForkContextRef(line) => {
                    let from = line.parent_session_id();
                    self.link(
                        html,
                        step,
                        "This sub-agent was forked from session ",
                        from,
                    )
                }
                _ => Ok(()),
            },
            StepKind::Result => self.result(html, step, facts),
            // An image, a document, or another block that is not speech.
            _ => match text.split_once('\n') {
                None => self.note(html, step, "Content: ", &text),
                Some((heading, rest)) => {
                    folded(html, step, "fold", "Content", heading)?;
                    // A long heading is cut above.
                    let is_cut = first_line(heading, SUMMARY) != heading;
                    let body = if is_cut { &*text } else { rest };
                    self.body(html, PLAIN, body, place)?;
                    html.markup("</details>\n")
                }
            },
        }
    }

    /// Writes a text of the agent program, which is not the user's: its first
    /// line, and all of it in a fold if it is long.
    fn program(
        &self,
        html: &mut Html<'_>,
        step: Step<'_>,
        who: &'static str,
        text: &str,
    ) -> io::Result<()> {
        if text.len() <= 200 {
            html.markup("<div class=\"m prog\"")?;
            id(html, step)?;
            html.markup(">")?;
            anchor(html, "s", step.index())?;
            html.within("<span class=\"who\">", who, "</span> ")?;
            return html.within("", text, "</div>\n");
        }
        folded(html, step, "fold", who, text)?;
        self.body(html, PLAIN, text, step.place())?;
        html.markup("</details>\n")
    }
}

/// Writes the id of a step.
pub(super) fn id(html: &mut Html<'_>, step: Step<'_>) -> io::Result<()> {
    html.markup(" id=\"s")?;
    html.number(step.index() as u64)?;
    html.markup("\"")
}

/// Begins a fold, with the first line of its text.
fn folded(
    html: &mut Html<'_>,
    step: Step<'_>,
    class: &'static str,
    name: &'static str,
    text: &str,
) -> io::Result<()> {
    html.within("<details class=\"", class, "\"")?;
    id(html, step)?;
    html.within("><summary>", name, "")?;
    let start = first_line(text, SUMMARY);
    if !start.is_empty() && class != "thought" {
        html.within(": ", &start, "")?;
    }
    html.markup("</summary>")?;
    anchor(html, "s", step.index())
}
