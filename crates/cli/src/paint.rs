//! How text for a person is painted.
//!
//! Whether it is painted at all is decided where it is written, by [`page`]:
//! on a terminal, unless `NO_COLOR` or `--color` say otherwise. So the rest of
//! the command paints always.

use std::io::{self, BufWriter, StdoutLock};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use terminal_size::{Width, terminal_size_of};

use crate::progress;

/// Names, and the heads of tables.
pub const HEAD: Style = Style::new().bold();
/// What is wrong.
pub const BAD: Style = AnsiColor::Red.on_default();
/// What is odd.
pub const ODD: Style = AnsiColor::Yellow.on_default();
/// What is there for who wants to know.
pub const DIM: Style = Style::new().dimmed();
/// Who speaks, if it is the user.
pub const USER: Style = AnsiColor::Green.on_default().bold();
/// Who speaks, if it is the model.
pub const MODEL: Style = AnsiColor::Magenta.on_default().bold();
/// Calls of tools.
pub const CALL: Style = AnsiColor::Cyan.on_default();

/// Standard output, for a person.
pub type Page = BufWriter<AutoStream<StdoutLock<'static>>>;

/// Standard output, for a person, who need not see any more how far reading
/// has come.
pub fn page() -> Page {
    progress::end();
    BufWriter::new(anstream::stdout().lock())
}

/// How many columns a line of the page has, if it is on a terminal.
pub fn columns() -> Option<usize> {
    let (Width(columns), _) = terminal_size_of(io::stdout())?;
    Some(columns.into())
}

/// Standard output for what must not be stripped, and whether to paint it.
pub fn untouched_page() -> (Page, bool) {
    progress::end();
    let out = io::stdout().lock();
    let is_painted = AutoStream::choice(&out) != ColorChoice::Never;
    (BufWriter::new(AutoStream::always_ansi(out)), is_painted)
}

/// A text in a style. It must be one line: a pager that begins to show it in
/// the middle would not know the style.
pub fn painted(style: Style, text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("{style}{text}{style:#}"),
    }
}
