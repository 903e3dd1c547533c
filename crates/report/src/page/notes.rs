//! Steps of one line: notes, links, compactions and results.

use std::io;

use linetape::{Message, message::system::System};
use linetape_session::{Facts, conversation::Step};

use super::{
    parts::{Page, anchor},
    transcript::id,
};
use crate::{
    figures::{grouped, run_figures},
    html::Html,
};

impl Page<'_> {
    /// Writes a line about a step, with its text, cut unless `--full` is given.
    pub(super) fn note(
        &self,
        html: &mut Html<'_>,
        step: Step<'_>,
        name: &'static str,
        text: &str,
    ) -> io::Result<()> {
        let shown = self.cut(text);
        html.markup("<p class=\"note\"")?;
        id(html, step)?;
        html.within(">", name, "")?;
        html.within("", shown, " ")?;
        anchor(html, "s", step.index())?;
        html.markup("</p>\n")?;
        self.left_out(html, shown, text, step.place())
    }

    /// Writes that the session goes on in another one, or comes from one.
    pub(super) fn link(
        &self,
        html: &mut Html<'_>,
        step: Step<'_>,
        name: &'static str,
        session: Option<&str>,
    ) -> io::Result<()> {
        html.markup("<p class=\"note\"")?;
        id(html, step)?;
        html.within(">", name, "")?;
        self.session_link(html, session.unwrap_or("another session"))?;
        html.markup(" ")?;
        anchor(html, "s", step.index())?;
        html.markup("</p>\n")
    }

    pub(super) fn compaction(
        &self,
        html: &mut Html<'_>,
        step: Step<'_>,
        facts: &Facts<'_>,
    ) -> io::Result<()> {
        let data = match facts.message() {
            Message::System(System::CompactBoundary(cut)) => {
                cut.compact_metadata()
            }
            _ => None,
        };
        let before = data.and_then(|data| data.pre_tokens());
        let after = data.and_then(|data| data.post_tokens());
        let tokens = match (before, after) {
            (Some(before), Some(after)) => {
                format!(": {} to {} tokens", grouped(before), grouped(after))
            }
            (Some(before), None) => {
                format!(" at {} tokens", grouped(before))
            }
            _ => String::new(),
        };
        html.markup("<div class=\"rule\"")?;
        id(html, step)?;
        html.within("><span>Conversation compacted", &tokens, " ")?;
        anchor(html, "s", step.index())?;
        html.markup("</span></div>\n")
    }

    /// Writes the end of a run.
    pub(super) fn result(
        &self,
        html: &mut Html<'_>,
        step: Step<'_>,
        facts: &Facts<'_>,
    ) -> io::Result<()> {
        let Some(result) = facts.run_result() else { return Ok(()) };
        let figures = run_figures(result, facts.is_error());
        let mut errors = result.errors().into_iter().flatten().peekable();
        if errors.peek().is_none() {
            return self.note(html, step, "Result: ", &figures);
        }
        // One element, so that its link leads to the errors as well.
        html.markup("<div")?;
        id(html, step)?;
        html.markup("><p class=\"note\">Result: ")?;
        html.within("", &figures, " ")?;
        anchor(html, "s", step.index())?;
        html.markup("</p>")?;
        for error in errors {
            self.body(html, "<pre class=\"bad\">", error, step.place())?;
        }
        html.markup("</div>\n")
    }
}
