//! The text output of `linetape show`: lines that are styled, indented,
//! escaped, and wrapped to the width of the terminal.

use std::io::{self, Write};

use anstyle::Style;
use clap::Args;
use linetape_session::conversation::Summary;

use crate::{
    fit::{columns, folded, folded_start, wrapped},
    paint::{self, BAD, CALL, DIM, HEAD, Page, page, painted, untouched_page},
    show::{
        escape::visible,
        flow::Flow,
        paper::{Form, Outcome, Paper},
        speakers::Speaker,
    },
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
    /// Print everything in full: the input and the result of tools, summaries
    /// after compactions, notifications, and abandoned branches
    #[arg(long)]
    pub full: bool,
    /// Write Markdown; nothing in the log is taken for Markdown or HTML.
    /// Standard input is read to its end first
    #[arg(long, conflicts_with_all = ["follow", "raw", "width"])]
    pub markdown: bool,
    /// Wrap lines at this width, or never if it is 0 [default: the width of
    /// the terminal, if there is one]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<u16>,
    /// Do not escape control characters; use this only for logs that you
    /// trust, since they can control the terminal
    #[arg(long)]
    raw: bool,
}

/// The style of a text, and a prefix for each row, which does not depend on
/// colours.
#[derive(Clone, Copy)]
struct Rows {
    style: Style,
    prefix: &'static str,
}

const NOTE: Rows = Rows { style: DIM, prefix: "" };
/// The input or the result of a tool.
const GIVEN: Rows = Rows { style: Style::new(), prefix: "  " };

fn rows_of(form: Form) -> Rows {
    match form {
        Form::Speech => Rows { style: Style::new(), prefix: "" },
        Form::Thought => Rows { style: DIM, prefix: "~ " },
        Form::Fault => Rows { style: BAD, prefix: "" },
    }
}

/// Lines on standard output.
pub struct Sheet {
    out: Page,
    /// Whether control characters are not escaped.
    raw: bool,
    is_painted: bool,
    /// The width of a row, if lines are wrapped.
    width: Option<usize>,
    /// How many sub-agents are around the next line.
    depth: usize,
    /// How many were around the last line; `None` if there is no line yet.
    last_depth: Option<usize>,
}

/// A line that is truncated, not wrapped.
#[derive(Default)]
struct OneLine<'a> {
    style: Style,
    is_indented: bool,
    head: &'a str,
    /// The part that is truncated first.
    text: &'a str,
    /// Whether its start is cut off, not its end.
    is_path: bool,
    tail: &'a str,
    tail_style: Style,
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
            depth: 0,
            last_depth: None,
        }
    }

    /// Writes an empty line, unless it would be the first.
    fn gap(&mut self) -> io::Result<()> {
        let Some(last) = self.last_depth else { return Ok(()) };
        let gutter = gutter(last.min(self.depth));
        writeln!(self.out, "{}", gutter.trim_end())
    }

    /// Writes a line, wrapped into rows.
    fn wrapped(&mut self, rows: Rows, text: &str) -> io::Result<()> {
        let Rows { style, prefix } = rows;
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

    /// Writes a text of several lines.
    fn lines(&mut self, rows: Rows, text: &str) -> io::Result<()> {
        let mut flow = Flow::default();
        flow.add(text, |line| self.wrapped(rows, line))?;
        flow.end(|line| self.wrapped(rows, line))
    }

    /// Writes a line, truncated to one row.
    fn one_line(&mut self, line: &OneLine<'_>) -> io::Result<()> {
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
                (head, self.cut(line, room), tail)
            }
            None => (self.shown(line.head), self.cut(line, FOLD), tail),
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
        self.last_depth = Some(self.depth);
        let before = format!("{}{indent}", gutter(self.depth));
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
        Some(self.width? - gutter(self.depth).len())
    }

    /// Escapes control characters, unless `--raw` is given. All text from the
    /// log goes through here.
    fn shown(&self, text: &str) -> String {
        match self.raw {
            // A line feed would start a new row.
            true => text.replace('\n', r"\n"),
            false => visible(text),
        }
    }

    /// Escapes the text of a line and truncates it to `room` columns.
    fn cut(&self, line: &OneLine<'_>, room: usize) -> String {
        match line.is_path {
            true => folded_start(&self.shown(line.text), room),
            false => self.folded(line.text, room),
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

fn gutter(depth: usize) -> String {
    // More would leave too little room for words.
    GUTTER.repeat(depth.min(2))
}

impl Paper for Sheet {
    fn set_depth(&mut self, depth: usize) {
        self.depth = depth;
    }

    fn session(
        &mut self,
        id: &str,
        fork: Option<&str>,
        date: Option<&str>,
    ) -> io::Result<()> {
        self.gap()?;
        let date = date.map(|date| format!(", {date}"));
        let fork = fork.map(|from| format!(", forked from {from}"));
        self.one_line(&OneLine {
            style: DIM,
            head: &format!("--- session {id}"),
            text: &fork.unwrap_or_default(),
            tail: &date.unwrap_or_default(),
            tail_style: DIM,
            ..OneLine::default()
        })
    }

    fn speaker(
        &mut self,
        speaker: Speaker,
        agent: Option<&str>,
        time: Option<&str>,
    ) -> io::Result<()> {
        self.gap()?;
        let agent = agent.map(|agent| format!(" (sub-agent{agent})"));
        let time = time.map(|time| format!("  {time}"));
        self.one_line(&OneLine {
            style: speaker.style(),
            head: speaker.name(),
            text: &agent.unwrap_or_default(),
            tail: &time.unwrap_or_default(),
            tail_style: DIM,
            ..OneLine::default()
        })
    }

    fn text(&mut self, form: Form, text: &str) -> io::Result<()> {
        self.lines(rows_of(form), text)
    }

    fn line(&mut self, form: Form, line: &str) -> io::Result<()> {
        self.wrapped(rows_of(form), line)
    }

    fn note(&mut self, note: &str) -> io::Result<()> {
        self.wrapped(NOTE, &format!("({note})"))
    }

    fn call(
        &mut self,
        summary: &Summary,
        input: Option<&str>,
    ) -> io::Result<()> {
        let space = if summary.subject.is_empty() { "" } else { " " };
        let head = format!("> {}{space}", summary.tool);
        let tail = match summary.detail.as_str() {
            "" => String::new(),
            detail => format!(" {detail}"),
        };
        self.one_line(&OneLine {
            style: CALL,
            is_indented: true,
            head: &head,
            text: &summary.subject,
            is_path: summary.is_path,
            tail: &tail,
            tail_style: CALL,
        })?;
        match input {
            Some(input) => self.lines(GIVEN, input),
            None => Ok(()),
        }
    }

    fn result(&mut self, outcome: &Outcome<'_>, full: bool) -> io::Result<()> {
        let style = if outcome.is_error { BAD } else { DIM };
        let text = match (full, outcome.text) {
            (true, _) | (_, "") => String::new(),
            (false, text) => format!(": {text}"),
        };
        self.one_line(&OneLine {
            style,
            is_indented: true,
            head: &format!("< {}", outcome.head),
            text: &text,
            is_path: false,
            tail: outcome.tail,
            tail_style: style,
        })?;
        match full {
            true => self.lines(GIVEN, outcome.text),
            false => Ok(()),
        }
    }

    fn end(&mut self, figures: &str, is_error: bool) -> io::Result<()> {
        self.gap()?;
        let style = if is_error { BAD.bold() } else { HEAD };
        self.one_line(&OneLine {
            style,
            tail_style: style,
            head: "Result: ",
            text: figures,
            ..OneLine::default()
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
