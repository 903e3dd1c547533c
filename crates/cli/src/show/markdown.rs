//! The Markdown output of `linetape show`.
//!
//! Nothing in a log is taken for Markdown or HTML. Text is escaped, word by
//! word. A code block of the log is put into a longer fence, with its own
//! fence. Control characters, and those that cannot be seen, are made visible.

use std::io::{self, Write};

use linetape_session::conversation::Summary;

use crate::{
    fit::folded,
    paint::{Page, page},
    show::{
        escape::{
            code, fence_of, fenced, inline, is_end, prose, visible_lines,
        },
        paper::{Form, Outcome, Paper},
        speakers::Speaker,
    },
};

/// How much of a result is shown if it is not in full, in columns.
const FOLD: usize = 100;

/// Markdown on standard output.
pub struct Markdown {
    out: Page,
    /// How many sub-agents are around the next block, which are quotes.
    depth: usize,
    /// How many were around the last block; `None` if there is none yet.
    last_depth: Option<usize>,
}

impl Markdown {
    pub fn new() -> Markdown {
        Markdown { out: page(), depth: 0, last_depth: None }
    }

    /// Writes a block: a heading, a paragraph or a code block.
    fn block(&mut self, block: &str) -> io::Result<()> {
        if let Some(last) = self.last_depth {
            let around = last.min(self.depth);
            writeln!(self.out, "{}", "> ".repeat(around).trim_end())?;
        }
        self.last_depth = Some(self.depth);
        let quote = "> ".repeat(self.depth);
        for line in block.lines() {
            // The spaces at the end of a code line are kept.
            match line {
                "" => writeln!(self.out, "{}", quote.trim_end())?,
                line => writeln!(self.out, "{quote}{line}")?,
            }
        }
        Ok(())
    }

    /// Writes a text: its paragraphs, and its code blocks.
    fn blocks(&mut self, text: &str) -> io::Result<()> {
        let mut lines = text.trim_end().lines().peekable();
        while lines.peek().is_some() {
            let first = lines.peek().copied().unwrap_or_default();
            if let Some(fence) = fence_of(first) {
                let mut part = vec![];
                part.extend(lines.next());
                for line in lines.by_ref() {
                    part.push(line);
                    if is_end(line, fence) {
                        break;
                    }
                }
                self.block(&fenced(&part.join("\n")))?;
            } else {
                let mut part = vec![];
                while let Some(line) = lines.next_if(|line| {
                    !line.trim().is_empty() && fence_of(line).is_none()
                }) {
                    part.push(prose(line));
                }
                if part.is_empty() {
                    // An empty line.
                    lines.next();
                    continue;
                }
                self.block(&part.join("\\\n"))?;
            }
        }
        Ok(())
    }
}

impl Paper for Markdown {
    fn set_depth(&mut self, depth: usize) {
        self.depth = depth;
    }

    fn session(
        &mut self,
        id: &str,
        fork: Option<&str>,
        date: Option<&str>,
    ) -> io::Result<()> {
        self.block(&format!("# Session {}", code(id)))?;
        let date = date.map(inline);
        let fork = fork.map(|from| format!("forked from {}", code(from)));
        let about: Vec<String> = date.into_iter().chain(fork).collect();
        match about.is_empty() {
            true => Ok(()),
            false => self.block(&about.join(", ")),
        }
    }

    fn speaker(
        &mut self,
        speaker: Speaker,
        agent: Option<&str>,
        time: Option<&str>,
    ) -> io::Result<()> {
        let name = speaker.name();
        let agent = agent.map(|a| inline(&format!(" (sub-agent{a})")));
        let agent = agent.unwrap_or_default();
        // A time has digits, colons and hyphens only.
        let time = time.map(|time| format!(" {time}"));
        let time = time.unwrap_or_default();
        let heading = match (self.depth, speaker) {
            (0, Speaker::User) => format!("## {name}{agent}{time}"),
            (0, _) => format!("### {name}{agent}{time}"),
            (_, _) => format!("**{name}**{agent}{time}"),
        };
        self.block(&heading)
    }

    fn text(&mut self, form: Form, text: &str) -> io::Result<()> {
        match form {
            Form::Speech => self.blocks(text),
            Form::Thought => {
                self.block("*Thinking:*")?;
                self.blocks(text)
            }
            Form::Fault => {
                self.block("**Error:**")?;
                self.blocks(text)
            }
        }
    }

    fn line(&mut self, form: Form, line: &str) -> io::Result<()> {
        match line.trim() {
            "" => Ok(()),
            _ => self.text(form, line),
        }
    }

    fn note(&mut self, note: &str) -> io::Result<()> {
        self.block(&format!("*({})*", inline(note)))
    }

    fn call(
        &mut self,
        summary: &Summary,
        input: Option<&str>,
    ) -> io::Result<()> {
        let is_plain = |c: char| c.is_ascii_alphanumeric();
        let is_plain = summary.tool.chars().all(is_plain);
        let tool = match is_plain && !summary.tool.is_empty() {
            true => format!("**{}**", summary.tool),
            false => code(&summary.tool),
        };
        let detail = match (summary.subject.as_str(), &*summary.detail) {
            (_, "") => String::new(),
            (_, detail) => format!(" {}", inline(detail)),
        };
        let subject = match summary.subject.as_str() {
            "" => String::new(),
            subject => format!(" {}", code(subject)),
        };
        self.block(&format!("{tool}{subject}{detail}"))?;
        match input {
            Some(input) => self.block(&fenced(input)),
            None => Ok(()),
        }
    }

    fn result(&mut self, outcome: &Outcome<'_>, full: bool) -> io::Result<()> {
        let head = inline(outcome.head);
        if full {
            self.block(&format!("→ {head}"))?;
            return match outcome.text.trim() {
                "" => Ok(()),
                _ => self.block(&fenced(outcome.text)),
            };
        }
        let text = match outcome.text {
            "" => String::new(),
            text => {
                let short = folded(&visible_lines(text), FOLD);
                format!(": {}", code(&short))
            }
        };
        let tail = inline(outcome.tail);
        self.block(&format!("→ {head}{text}{tail}"))
    }

    fn end(&mut self, figures: &str, is_error: bool) -> io::Result<()> {
        let name =
            if is_error { "**Result (error):**" } else { "**Result:**" };
        self.block(&format!("{name} {}", inline(figures)))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
