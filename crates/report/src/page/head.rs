//! Title, warnings and figures.

use std::io;

use super::parts::Page;
use crate::{
    chart::plural,
    figures::{Utc, dollars, duration, grouped, short},
    html::Html,
    index::{figures_item, unlogged_item},
};

impl Page<'_> {
    pub(super) fn head(&self, html: &mut Html<'_>) -> io::Result<()> {
        html.markup("<header class=\"top\">")?;
        if let Some(index) = &self.options.index {
            html.markup("<p class=\"crumb\"><a")?;
            html.attribute("href", index)?;
            html.markup(">All sessions</a></p>")?;
        }
        html.within("<h1 dir=\"auto\">", self.overview.name(), "</h1>\n")?;
        self.origin(html)?;
        html.markup("</header>\n")?;
        self.warnings(html)?;
        self.figures(html)
    }

    /// Writes where the session comes from.
    fn origin(&self, html: &mut Html<'_>) -> io::Result<()> {
        let Page { overview, session, .. } = self;
        let notes = self.log.notes(session.id());
        let models = overview.models.join(", ");
        let wall = match (overview.started_at, overview.ended_at) {
            (Some(start), Some(end)) => Some(duration(end.abs_diff(start))),
            _ => None,
        };
        let known = |text: &Option<String>| text.clone().unwrap_or_default();
        let items = [
            ("Project", known(&overview.folder)),
            ("Branch", known(&notes.branch)),
            ("Models", models),
            ("Agent version", known(&notes.version)),
            ("Active", duration(overview.active_ms)),
            ("From start to end", wall.unwrap_or_default()),
            ("Forked from", known(&overview.forked_from)),
            ("Goes on in", known(&overview.continued_in)),
            ("Session", known(&overview.id)),
        ];
        html.markup("<ul class=\"meta\">")?;
        if let Some(start) = overview.started_at {
            html.markup("<li>Start <b>")?;
            time(html, start)?;
            html.markup("</b> UTC</li>")?;
        }
        for (name, value) in items {
            if !value.is_empty() {
                html.within("<li>", name, " <b>")?;
                match name {
                    "Forked from" | "Goes on in" => {
                        self.session_link(html, &value)?;
                    }
                    _ => html.text(&value)?,
                }
                html.markup("</b></li>")?;
            }
        }
        html.markup("</ul>")
    }

    fn warnings(&self, html: &mut Html<'_>) -> io::Result<()> {
        let mut warnings: Vec<String> =
            self.session.warnings().map(|one| one.to_string()).collect();
        if self.log.lost() > 0 {
            let lines = plural(self.log.lost(), "line");
            warnings.push(format!("{lines} could not be read"));
        }
        if warnings.is_empty() {
            return Ok(());
        }
        html.markup(
            "<ul class=\"warn\" role=\"note\" aria-label=\"Warnings\">",
        )?;
        for warning in warnings {
            let first = warning.chars().next().map(|c| c.to_uppercase());
            let first: String = first.into_iter().flatten().collect();
            let mut rest = warning.chars();
            rest.next();
            html.within("<li>", &first, "")?;
            html.within("", rest.as_str(), ".</li>")?;
        }
        html.markup("</ul>\n")
    }

    fn figures(&self, html: &mut Html<'_>) -> io::Result<()> {
        let of = self.overview;
        let figures = [
            ("Prompts", grouped(of.prompts)),
            ("Requests", grouped(of.requests)),
            ("Tool calls", grouped(of.calls)),
            ("Failed calls", grouped(of.failed)),
            ("Sub-agents", grouped(self.session.agents().count() as u64)),
            ("Input tokens", short(of.tokens.input_tokens)),
            ("Output tokens", short(of.tokens.output_tokens)),
            ("Cache written", short(of.tokens.cache_creation_input_tokens)),
            ("Cache read", short(of.tokens.cache_read_input_tokens)),
            (
                "Largest context",
                short(crate::chart::largest(self.data.requests)),
            ),
        ];
        html.markup("<h2 id=\"figures\">Figures</h2>\n")?;
        html.markup("<dl class=\"figures\">")?;
        for (name, figure) in figures {
            figures_item(html, name, &figure)?;
        }
        if let Some(spent) = self.log.spent(self.session) {
            unlogged_item(html, spent.unlogged)?;
        }
        if let Some(cost) = of.cost_usd {
            figures_item(html, "Stated cost", &dollars(cost))?;
        }
        html.markup("</dl>\n")
    }
}

/// Writes a time, for people and for machines.
pub(super) fn time(html: &mut Html<'_>, at: i64) -> io::Result<()> {
    html.markup("<time")?;
    html.attribute("datetime", &Utc(at).stamp())?;
    html.within(">", &Utc(at).shown(), "</time>")
}
