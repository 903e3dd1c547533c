//! Where lines are written for a person: painted, indented, escaped, and no
//! longer than a row of the terminal.

use std::io::{self, Write};

use anstyle::Style;
use clap::Args;
use linetape::Escaped;

use crate::{
    fit::{columns, folded, wrapped},
    paint::{self, BAD, DIM, Page, page, painted, untouched_page},
};

/// How much of a tool's input or result is shown where rows have no end, in
/// columns.
const FOLD: usize = 100;
/// Rows are never narrower.
const NARROWEST: usize = 20;
/// What every line of a sub-agent begins with.
const GUTTER: &str = "  | ";
const INDENT: &str = "  ";

/// How a session is shown.
#[derive(Args)]
pub struct Look {
    /// Print all of what tools are given, and give back
    #[arg(long)]
    pub full: bool,
    /// Break lines at so many columns, or never if it is 0; without it, at
    /// the width of the terminal, if it is printed to one
    #[arg(long, value_name = "COLUMNS")]
    width: Option<u16>,
    /// Print strings as the log has them, even where they can drive the
    /// terminal: only for logs that you trust
    #[arg(long)]
    raw: bool,
}

/// How a text is told apart from others: by its style, and by a mark before
/// each row, for who sees no colours.
#[derive(Clone, Copy)]
pub struct Form {
    style: Style,
    mark: &'static str,
}

pub const SPEECH: Form = Form { style: Style::new(), mark: "" };
pub const THOUGHT: Form = Form { style: DIM, mark: "~ " };
pub const NOTE: Form = Form { style: DIM, mark: "" };
pub const FAULT: Form = Form { style: BAD, mark: "" };
/// What a tool gave back.
pub const GIVEN: Form = Form { style: Style::new(), mark: "  " };

/// Lines on standard output.
pub struct Sheet {
    out: Page,
    /// Whether strings are printed as the log has them.
    raw: bool,
    is_painted: bool,
    /// How many columns a row has, if it has an end.
    width: Option<usize>,
    /// Whether what is written is of a sub-agent.
    is_side: bool,
    /// Whether the line above is; none if there is no line.
    was_side: Option<bool>,
}

/// A line that must not become several.
#[derive(Default)]
pub struct OneLine<'a> {
    pub style: Style,
    pub is_indented: bool,
    /// What it begins with.
    pub head: &'a str,
    /// What is cut if there is no room for all of it.
    pub text: &'a str,
    /// What it ends with.
    pub tail: &'a str,
    pub tail_style: Style,
}

impl Sheet {
    pub fn new(look: &Look) -> Sheet {
        let (out, is_painted) = match look.raw {
            // What the log says is not stripped.
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

    /// Whether what comes now is of a sub-agent.
    pub fn set_side(&mut self, is_side: bool) {
        self.is_side = is_side;
    }

    /// Shows what has been written so far.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// An empty line, if there is something above it.
    pub fn gap(&mut self) -> io::Result<()> {
        let Some(was_side) = self.was_side else { return Ok(()) };
        let gutter = gutter(was_side && self.is_side);
        writeln!(self.out, "{}", gutter.trim_end())
    }

    /// A line of any length.
    pub fn line(&mut self, form: Form, text: &str) -> io::Result<()> {
        let Form { style, mark } = form;
        let text = self.shown(&text.replace('\t', "    "));
        let rows = match self.room() {
            Some(room) => wrapped(&text, room - INDENT.len() - mark.len()),
            None => vec![text],
        };
        for row in rows {
            let row = format!("{mark}{row}");
            self.row(INDENT, &[(style, row.trim_end())])?;
        }
        Ok(())
    }

    /// A line that is cut if it is too long.
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

    /// One row, of parts that are safe to print.
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

    /// How many columns of a row are left for what is of one agent.
    fn room(&self) -> Option<usize> {
        Some(self.width? - gutter(self.is_side).len())
    }

    /// Words of the log, so that they cannot drive the terminal. All of them
    /// go through here.
    fn shown(&self, text: &str) -> String {
        match self.raw {
            // A line stays a line.
            true => text.replace('\n', r"\n"),
            false => Escaped::new(&text).to_string(),
        }
    }

    /// The same, but no more of them than there is room for.
    fn folded(&self, text: &str, room: usize) -> String {
        // Most of a long text is not even looked at.
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
