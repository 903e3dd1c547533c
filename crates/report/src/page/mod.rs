/*!
The page of a session.

`mod.rs` has the order of the page, `data` gathers the figures, `head` writes
title, warnings and figures, `lists` the files, failures and turns,
`transcript` the steps, `call` the tool calls with their results, and `diff`
what edits changed.
*/

mod call;
mod data;
mod diff;
mod head;
mod lists;
mod notes;
mod parts;
mod transcript;

use std::io::{self, Read, Seek, Write};

use linetape_session::conversation::Recall;

use crate::{
    chart::{by_model, context, timeline, tokens_by_kind, tools},
    frame,
    html::Html,
    lines::{Lines, Sources},
    log::Log,
    overview::Overview,
};

use data::Data;
use parts::Page;

pub use parts::Options;

/// Writes the page of a session.
///
/// `recall` has the same sources as the log, in the same order.
///
/// # Errors
///
/// Returns the error of the output, or of a source.
///
/// # Costs
///
/// Time in proportion to the lines of the session. No text is kept, so memory
/// is that of the longest line.
///
/// # Example
///
/// This shows how to write the page of a session.
///
/// ```
/// use std::io::Cursor;
///
/// use linetape::Limits;
/// use linetape_report::{Log, Options, write_session};
/// use linetape_session::conversation::Recall;
///
/// let bytes = br#"{"type":"user","message":{"content":"Is *it* <b>?"}}"#;
/// let (mut log, mut lines) = (Log::new(), linetape::lines(bytes));
/// while let Some(line) = lines.next_line() {
///     log.add(0, &line?)?;
/// }
/// let mut recall = Recall::new(Limits::default());
/// recall.add_source(Cursor::new(bytes));
/// let mut page = vec![];
/// for session in log.finish() {
///     let options = Options::default();
///     write_session(&mut page, &log, &session, &mut recall, &options)?;
/// }
/// let page = String::from_utf8(page).unwrap();
/// assert!(page.contains("Is <em>it</em> &lt;b&gt;?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_session<R: Read + Seek>(
    to: &mut dyn Write,
    log: &Log,
    overview: &Overview,
    recall: &mut Recall<R>,
    options: &Options,
) -> io::Result<()> {
    let mut sessions = log.conversation.sessions();
    let Some(session) = sessions.nth(overview.index) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let mut lines = Sources { recall };
    let data = Data::gather(log, session, &mut lines)?;
    let page = Page { log, overview, session, options, data };
    let html = &mut Html::new(to);
    frame::page(html, overview.name(), &options.source, |html| {
        page.write(html, &mut lines)
    })
}

impl Page<'_> {
    fn write(
        &self,
        html: &mut Html<'_>,
        lines: &mut dyn Lines,
    ) -> io::Result<()> {
        html.markup("<main id=\"main\">\n")?;
        self.head(html)?;
        self.charts(html)?;
        self.files(html)?;
        self.failures(html)?;
        self.turns(html)?;
        self.transcript(html, lines)?;
        html.markup(
            "<footer>Written by linetape from a log. It may contain \
             confidential text.</footer>\n</main>\n",
        )
    }

    fn charts(&self, html: &mut Html<'_>) -> io::Result<()> {
        let data = &self.data;
        html.markup("<h2 id=\"charts\">Charts</h2>\n")?;
        context(html, data.requests, &data.compactions)?;
        tokens_by_kind(html, data.requests)?;
        timeline(html, &data.clock, &data.lanes)?;
        tools(html, &data.tools)?;
        by_model(html, &data.costs)
    }
}
