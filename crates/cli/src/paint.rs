//! Colours and styles.
//!
//! The rest of the command always adds styles. [`page`] removes them, unless
//! it is a terminal; `NO_COLOR` and `--color` override that.

use std::io::{self, BufWriter, StdoutLock};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use terminal_size::{Height, Width, terminal_size_of};

use crate::progress;

/// Names, and the headings of tables.
pub const HEAD: Style = Style::new().bold();
/// Errors.
pub const BAD: Style = AnsiColor::Red.on_default();
/// Notes.
pub const ODD: Style = AnsiColor::Yellow.on_default();
/// Secondary information.
pub const DIM: Style = Style::new().dimmed();
/// The user, as a speaker.
pub const USER: Style = AnsiColor::Green.on_default().bold();
/// The model, as a speaker.
pub const MODEL: Style = AnsiColor::Magenta.on_default().bold();
/// Tool calls.
pub const CALL: Style = AnsiColor::Cyan.on_default();

/// Buffered standard output, with or without styles.
pub type Page = BufWriter<AutoStream<StdoutLock<'static>>>;

/// Returns standard output, and removes the progress bar.
pub fn page() -> Page {
    progress::end();
    BufWriter::new(anstream::stdout().lock())
}

/// Returns the width of the terminal, if standard output is one.
pub fn columns() -> Option<usize> {
    let (Width(columns), _) = terminal_size_of(io::stdout())?;
    Some(columns.into())
}

/// Returns the number of rows of the terminal, if standard output is one.
pub fn rows() -> Option<usize> {
    let (_, Height(rows)) = terminal_size_of(io::stdout())?;
    Some(rows.into())
}

/// Returns standard output for text whose escape sequences are kept, and
/// whether to add styles.
pub fn untouched_page() -> (Page, bool) {
    progress::end();
    let out = io::stdout().lock();
    let is_painted = AutoStream::choice(&out) != ColorChoice::Never;
    (BufWriter::new(AutoStream::always_ansi(out)), is_painted)
}

/// Adds a style to a text. The text must be one line: a pager can start in the
/// middle of a longer text, and would not see the style.
pub fn painted(style: Style, text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("{style}{text}{style:#}"),
    }
}
