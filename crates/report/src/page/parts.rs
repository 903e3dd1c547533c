//! What the parts of a page need.

use std::{collections::BTreeMap, io};

use linetape_session::conversation::{Place, Session};

use super::data::Data;
use crate::{
    figures::size, html::Html, log::Log, markdown::markdown,
    overview::Overview,
};

/// Longer texts are cut, in bytes.
pub(super) const BODY: usize = 200_000;

/// How a page is written.
///
/// # Example
///
/// See [`write_session`](crate::write_session).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {
    /// Whether texts of more than 200 KB are written to their end.
    pub full: bool,
    /// The address of the index, for a link to it. It must not come from a
    /// log.
    pub index: Option<String>,
    /// What the page was made from, such as a hash of the log. It is written
    /// to the page, and [`source_of`](crate::source_of) finds it again.
    pub source: String,
    /// The addresses of the pages of other sessions, by session id, for links
    /// to them. The addresses must not come from a log.
    pub pages: BTreeMap<String, String>,
}

/// What the parts of a page need.
pub(crate) struct Page<'p> {
    pub(crate) log: &'p Log,
    pub(crate) overview: &'p Overview,
    pub(crate) session: Session<'p>,
    pub(crate) options: &'p Options,
    pub(crate) data: Data<'p>,
}

impl Page<'_> {
    /// Writes a long text as it is, cut unless `--full` is given.
    pub(super) fn body(
        &self,
        html: &mut Html<'_>,
        begin: &'static str,
        text: &str,
        place: Place,
    ) -> io::Result<()> {
        let shown = self.cut(text);
        html.within(begin, shown, "</pre>")?;
        self.left_out(html, shown, text, place)
    }

    /// Writes a text as Markdown, cut unless `--full` is given, and ends its
    /// element.
    pub(super) fn said(
        &self,
        html: &mut Html<'_>,
        begin: &'static str,
        text: &str,
        place: Place,
    ) -> io::Result<()> {
        html.markup(begin)?;
        let shown = self.cut(text);
        markdown(html, shown)?;
        self.left_out(html, shown, text, place)?;
        html.markup("</div>\n")
    }

    /// Returns the start of a text that is shown.
    pub(super) fn cut<'t>(&self, text: &'t str) -> &'t str {
        if self.options.full || text.len() <= BODY {
            return text;
        }
        let end = (0..=BODY).rev().find(|end| text.is_char_boundary(*end));
        text.get(..end.unwrap_or(0)).unwrap_or_default()
    }

    /// Writes how much of a text is left out, if something is.
    pub(super) fn left_out(
        &self,
        html: &mut Html<'_>,
        shown: &str,
        text: &str,
        place: Place,
    ) -> io::Result<()> {
        let left = text.len() - shown.len();
        if left == 0 {
            return Ok(());
        }
        let (shown, all) = (size(shown.len()), size(text.len()));
        let much = format!("{shown} of {all}, {} are left out.", size(left));
        self.cut_note(html, &much, place)
    }

    /// Writes that something is left out, and where it is.
    pub(super) fn cut_note(
        &self,
        html: &mut Html<'_>,
        much: &str,
        place: Place,
    ) -> io::Result<()> {
        let line = place.line;
        let file = u64::from(place.source) + 1;
        let found = match self.log.sources() {
            // It was put together from the deltas of a stream.
            _ if place.source == Place::ASSEMBLED => {
                "All of it is written by linetape report --full.".to_string()
            }
            0 | 1 => format!(
                "All of it is on line {line} of the log, and linetape report \
                 --full writes it."
            ),
            _ => format!(
                "All of it is on line {line} of file {file} of the log, and \
                 linetape report --full writes it."
            ),
        };
        html.within("<p class=\"note\">", much, " ")?;
        html.within("", &found, "</p>")
    }

    /// Writes the id of a session, with a link to its page if it has one.
    pub(super) fn session_link(
        &self,
        html: &mut Html<'_>,
        id: &str,
    ) -> io::Result<()> {
        let Some(page) = self.options.pages.get(id) else {
            return html.text(id);
        };
        html.markup("<a")?;
        html.attribute("href", page)?;
        html.within(">", id, "</a>")
    }
}

/// Writes the link of a step to itself. `kind` is the first letter of its id.
pub(super) fn anchor(
    html: &mut Html<'_>,
    kind: &'static str,
    index: usize,
) -> io::Result<()> {
    html.markup("<a class=\"id\" aria-label=\"Link\" href=\"#")?;
    html.markup(kind)?;
    html.number(index as u64)?;
    html.markup("\">#</a>")
}
