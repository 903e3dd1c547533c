//! What a conversation is written on: text for a terminal, or Markdown.

use std::io;

use linetape_session::conversation::Summary;

use crate::show::speakers::Speaker;

/// How a kind of text is shown.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    Speech,
    Thought,
    Fault,
}

/// The outcome of a tool call.
pub struct Outcome<'a> {
    /// The tool, how it ended, and after how long.
    pub head: &'a str,
    pub is_error: bool,
    /// The result: all of it in full, or else its first words.
    pub text: &'a str,
    /// The number of lines.
    pub tail: &'a str,
}

/// A form of output. All text from the log is escaped here.
pub trait Paper {
    /// Sets how many sub-agents are around the next lines.
    fn set_depth(&mut self, depth: usize);
    /// Writes the heading of a session.
    fn session(
        &mut self,
        id: &str,
        fork: Option<&str>,
        date: Option<&str>,
    ) -> io::Result<()>;
    /// Writes the speaker of the next texts.
    fn speaker(
        &mut self,
        speaker: Speaker,
        agent: Option<&str>,
        time: Option<&str>,
    ) -> io::Result<()>;
    /// Writes a text. With several lines, they are one text.
    fn text(&mut self, form: Form, text: &str) -> io::Result<()>;
    /// Writes a line of a text that arrives in parts; it may be empty.
    fn line(&mut self, form: Form, line: &str) -> io::Result<()>;
    /// Writes a note of `show` itself, which may quote the log.
    fn note(&mut self, note: &str) -> io::Result<()>;
    /// Writes a tool call, with its input if that is given.
    fn call(
        &mut self,
        summary: &Summary,
        input: Option<&str>,
    ) -> io::Result<()>;
    /// Writes the result of a tool call.
    fn result(&mut self, outcome: &Outcome<'_>, full: bool) -> io::Result<()>;
    /// Writes the end of a run.
    fn end(&mut self, figures: &str, is_error: bool) -> io::Result<()>;
    fn flush(&mut self) -> io::Result<()>;
}
