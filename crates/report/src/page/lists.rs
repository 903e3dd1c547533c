//! The lists before the transcript: files, failed calls, turns.

use std::io;

use super::{data::Failure, head::time, parts::Page};
use crate::{
    figures::{duration, grouped},
    html::Html,
};

impl Page<'_> {
    /// Writes the files that were edited.
    pub(super) fn files(&self, html: &mut Html<'_>) -> io::Result<()> {
        if self.data.files.is_empty() {
            return Ok(());
        }
        html.markup(
            "<h2 id=\"files\">Files touched</h2>\n<div class=\"wide\" \
             tabindex=\"0\"><table class=\"sort\"><thead><tr><th>File</th>\
             <th class=\"n\">Edits</th><th class=\"n\">Added</th>\
             <th class=\"n\">Removed</th><th class=\"n\">Failed</th></tr>\
             </thead><tbody>\n",
        )?;
        for file in &self.data.files {
            html.markup("<tr><td><a href=\"#c")?;
            html.number(file.call as u64)?;
            html.markup("\"")?;
            html.attribute("title", &file.path)?;
            let path = self.relative(&file.path);
            html.within(">", path, "</a></td><td class=\"n\"")?;
            html.attribute("data-v", &file.edits.to_string())?;
            html.within(">", &grouped(file.edits), "</td>")?;
            html.markup("<td class=\"n add\"")?;
            html.attribute("data-v", &file.added.to_string())?;
            html.within(">+", &grouped(file.added), "</td>")?;
            html.markup("<td class=\"n del\"")?;
            html.attribute("data-v", &file.removed.to_string())?;
            html.within(">-", &grouped(file.removed), "</td>")?;
            html.markup("<td class=\"n\"")?;
            html.attribute("data-v", &file.failed.to_string())?;
            html.within(">", &grouped(file.failed), "</td></tr>\n")?;
        }
        html.markup("</tbody></table></div>\n")
    }

    /// Returns a path as it is below the working directory.
    fn relative<'a>(&self, path: &'a str) -> &'a str {
        let folder = self.overview.folder.as_deref().unwrap_or_default();
        let below = path.strip_prefix(folder).filter(|_| !folder.is_empty());
        let below = below.and_then(|path| path.strip_prefix(['/', '\\']));
        below.unwrap_or(path)
    }

    /// Writes the calls that failed, each with a link.
    pub(super) fn failures(&self, html: &mut Html<'_>) -> io::Result<()> {
        let all = &self.data.failures;
        if all.is_empty() {
            return Ok(());
        }
        html.markup("<h2 id=\"failures\">Failed calls</h2>\n<nav ")?;
        html.markup("aria-label=\"Failed calls\">")?;
        // A long list is folded after its start.
        let (first, rest) = all.split_at(all.len().min(10));
        self.failed(html, first)?;
        if !rest.is_empty() {
            let more = format!("{} more", rest.len());
            html.within("<details><summary>", &more, "</summary>")?;
            self.failed(html, rest)?;
            html.markup("</details>")?;
        }
        html.markup("</nav>\n")
    }

    fn failed(
        &self,
        html: &mut Html<'_>,
        failures: &[Failure],
    ) -> io::Result<()> {
        html.markup("<ul>")?;
        for failure in failures {
            html.markup("<li><a href=\"#c")?;
            html.number(failure.call as u64)?;
            html.within("\">", &failure.name, "</a>")?;
            html.markup(" <span class=\"soft\">")?;
            match failure.told {
                Some(step) => {
                    html.markup("<a href=\"#s")?;
                    html.number(step as u64)?;
                    html.within("\">", &failure.why, "</a>")?;
                }
                None => html.text(&failure.why)?,
            }
            html.markup("</span>")?;
            html.markup("</li>\n")?;
        }
        html.markup("</ul>")
    }

    /// Writes the list of turns.
    pub(super) fn turns(&self, html: &mut Html<'_>) -> io::Result<()> {
        html.markup(
            "<h2 id=\"turns\">Turns</h2>\n<nav aria-label=\"Turns\"><div \
             class=\"wide\" tabindex=\"0\"><table class=\"sort\"><thead><tr>\
             <th class=\"n\">No.</th><th>Prompt</th><th class=\"hide\">Start\
             </th><th class=\"n\">Active</th><th class=\"n\">Calls</th>\
             <th class=\"n\">Failed</th></tr></thead><tbody>\n",
        )?;
        let turns = &self.data.turns;
        let has_prompts = turns.iter().any(|turn| turn.prompt.is_some());
        for (turn, number) in turns.iter().zip(1u64..) {
            html.markup("<tr><td class=\"n\"")?;
            html.attribute("data-v", &number.to_string())?;
            html.markup(">")?;
            html.number(number)?;
            html.markup("</td><td dir=\"auto\"><a href=\"#t")?;
            html.number(number)?;
            let prompt = match turn.prompt.as_deref() {
                Some("") => "(empty prompt)",
                Some(text) => text,
                None if number == 1 && has_prompts => {
                    "(before the first prompt)"
                }
                None => "(no prompt)",
            };
            html.within("\">", prompt, "</a>")?;
            if turn.is_abandoned {
                html.markup(" <span class=\"soft\">abandoned</span>")?;
            }
            html.markup("</td><td class=\"hide d\">")?;
            if let Some(at) = turn.started_at {
                time(html, at)?;
            }
            html.markup("</td><td class=\"n\"")?;
            html.attribute("data-v", &turn.active_ms.to_string())?;
            let active = match turn.active_ms {
                0 => String::new(),
                ms => duration(ms),
            };
            html.within(">", &active, "</td>")?;
            for count in [turn.calls, turn.failed] {
                html.markup("<td class=\"n\"")?;
                html.attribute("data-v", &count.to_string())?;
                html.within(">", &grouped(count), "</td>")?;
            }
            html.markup("</tr>\n")?;
        }
        html.markup("</tbody></table></div></nav>\n")?;
        match self.session.agents().next() {
            Some(_) => html.markup(
                "<p class=\"soft\">Calls of sub-agents are not counted in \
                 this table.</p>\n",
            ),
            None => Ok(()),
        }
    }
}
