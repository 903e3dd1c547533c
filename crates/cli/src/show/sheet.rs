//! The output of `linetape show`: lines that are styled, indented, escaped,
//! and wrapped to the width of the terminal.

use std::io::{self, Write};

use anstyle::Style;
use clap::Args;
use linetape::Escaped;

use crate::{
    fit::{columns, folded, wrapped},
    paint::{self, BAD, DIM, Page, page, painted, untouched_page},
};

/// How much of a tool's input or result is shown if there is no width, in
/// columns.
const FOLD: usize = 100;
/// The minimum width of a row.
const NARROWEST: usize = 20;
/// The start of every line of a sub-agent.
const GUTTER: &str = "  | ";
const INDENT: &str = "  ";

/// The options of `linetape show`.
#[derive(Args)]
pub struct Look {
    /// Print the input and the result of tools in full
    #[arg(long)]
    pub full: bool,
    /// Wrap lines at this width, or never if it is 0 [default: the width of
    /// the terminal, if there is one]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<u16>,
    /// Do not escape control characters; use this only for logs that you
    /// trust, since they can control the terminal
    #[arg(long)]
    raw: bool,
}

/// How a kind of text is shown: its style, and a prefix for each row, which
/// does not depend on colours.
#[derive(Clone, Copy)]
pub struct Form {
    style: Style,
    prefix: &'static str,
}

pub const SPEECH: Form = Form { style: Style::new(), prefix: "" };
pub const THOUGHT: Form = Form { style: DIM, prefix: "~ " };
pub const NOTE: Form = Form { style: DIM, prefix: "" };
pub const FAULT: Form = Form { style: BAD, prefix: "" };
/// The input or the result of a tool.
pub const GIVEN: Form = Form { style: Style::new(), prefix: "  " };

/// Lines on standard output.
pub struct Sheet {
    out: Page,
    /// Whether control characters are not escaped.
    raw: bool,
    is_painted: bool,
    /// The width of a row, if lines are wrapped.
    width: Option<usize>,
    /// Whether the next line belongs to a sub-agent.
    is_side: bool,
    /// Whether the last line did; `None` if there is no line yet.
    was_side: Option<bool>,
}

/// A line that is truncated, not wrapped.
#[derive(Default)]
pub struct OneLine<'a> {
    pub style: Style,
    pub is_indented: bool,
    pub head: &'a str,
    /// The part that is truncated first.
    pub text: &'a str,
    pub tail: &'a str,
    pub tail_style: Style,
}

impl Sheet {
    pub fn new(look: &Look) -> Sheet {
        let (out, is_painted) = match look.raw {
            // Escape sequences of the log are kept.
            true => untouched_page(),
            false => (page(), true),
        };
        let width = look.width.map(usize::from).or_else(paint::columns);
        let width = width.filter(|&columns| columns > 0);
        Sheet {
            out,
            raw: look.raw,
            is_painted,
            width: width.map(|columns| columns.max(NARROWEST)),
            is_side: false,
            was_side: None,
        }
    }

    /// Sets whether the next lines belong to a sub-agent.
    pub fn set_side(&mut self, is_side: bool) {
        self.is_side = is_side;
    }

    /// Flushes standard output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes an empty line, unless it would be the first.
    pub fn gap(&mut self) -> io::Result<()> {
        let Some(was_side) = self.was_side else { return Ok(()) };
        let gutter = gutter(was_side && self.is_side);
        writeln!(self.out, "{}", gutter.trim_end())
    }

    /// Writes a line, wrapped into rows.
    pub fn line(&mut self, form: Form, text: &str) -> io::Result<()> {
        let Form { style, prefix } = form;
        let text = self.shown(&text.replace('\t', "    "));
        let rows = match self.room() {
            Some(room) => wrapped(&text, room - INDENT.len() - prefix.len()),
            None => vec![text],
        };
        for row in rows {
            let row = format!("{prefix}{row}");
            self.row(INDENT, &[(style, row.trim_end())])?;
        }
        Ok(())
    }

    /// Writes a line, truncated to one row.
    pub fn one_line(&mut self, line: OneLine<'_>) -> io::Result<()> {
        let indent = if line.is_indented { INDENT } else { "" };
        let tail = self.shown(line.tail);
        let (head, text, tail) = match self.room() {
            Some(room) => {
                let room = room - indent.len();
                let head = self.folded(line.head, room);
                let room = room - columns(&head);
                let has_room = columns(&tail) <= room;
                let tail = if has_room { tail } else { String::new() };
                let room = room - columns(&tail);
                (head, self.folded(line.text, room), tail)
            }
            None => {
                (self.shown(line.head), self.folded(line.text, FOLD), tail)
            }
        };
        let mut text = format!("{head}{text}");
        if line.tail_style == line.style {
            text += &tail;
            return self.row(indent, &[(line.style, text.trim_end())]);
        }
        self.row(indent, &[(line.style, &text), (line.tail_style, &tail)])
    }

    /// Writes one row, of parts that are already escaped.
    fn row(
        &mut self,
        indent: &str,
        parts: &[(Style, &str)],
    ) -> io::Result<()> {
        self.was_side = Some(self.is_side);
        let before = format!("{}{indent}", gutter(self.is_side));
        let is_blank = parts.iter().all(|(_, text)| text.is_empty());
        let before = if is_blank { before.trim_end() } else { &before };
        write!(self.out, "{before}")?;
        for (style, text) in parts {
            let style = if self.is_painted { *style } else { Style::new() };
            write!(self.out, "{}", painted(style, text))?;
        }
        writeln!(self.out)
    }

    /// Returns the width of a row without the gutter, if lines are wrapped.
    fn room(&self) -> Option<usize> {
        Some(self.width? - gutter(self.is_side).len())
    }

    /// Escapes control characters, unless `--raw` is given. All text from the
    /// log goes through here.
    fn shown(&self, text: &str) -> String {
        match self.raw {
            // A line feed would start a new row.
            true => text.replace('\n', r"\n"),
            false => Escaped::new(&text).to_string(),
        }
    }

    /// Escapes a text and truncates it to `room` columns.
    fn folded(&self, text: &str, room: usize) -> String {
        // The rest of a long text is not even escaped.
        let enough = text.char_indices().nth(FOLD.max(room) * 10);
        match enough {
            Some((end, _)) => {
                folded(&(self.shown(&text[..end]) + "..."), room)
            }
            None => folded(&self.shown(text), room),
        }
    }
}

fn gutter(is_side: bool) -> &'static str {
    if is_side { GUTTER } else { "" }
}
