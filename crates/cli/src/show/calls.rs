//! Tool calls and their results, each folded to one line.

use std::io;

use linetape::{
    Block, Value,
    message::{AnswerBlock, CallBlock, Content},
};

use linetape_session::{Facts, ToolCall};

use crate::{
    paint::{BAD, CALL, DIM},
    show::{
        conversation::Conversation,
        sheet::{GIVEN, OneLine},
        speakers::Speaker,
    },
};

/// About how much of a result is folded into one line, in bytes. No line is
/// that long.
const MAX_FOLDED: usize = 4 << 10;

/// The result of a tool call.
pub struct Answer<'a> {
    /// The id of the call.
    pub id: Option<&'a str>,
    pub is_error: bool,
    pub text: String,
}

impl<'a> Answer<'a> {
    /// Returns the result of a tool that the agent ran.
    pub fn of_block(block: AnswerBlock<'a>) -> Answer<'a> {
        let pieces: Vec<&str> = block.text().collect();
        let text = match block.content() {
            Some(content) if pieces.is_empty() => other_than_text(content),
            _ => pieces.join("\n"),
        };
        let (id, is_error) = (block.tool_use_id(), block.is_error());
        Answer { id, is_error, text }
    }

    /// Returns the result of a tool that the API ran: the pages of a search,
    /// or the output of a program.
    pub fn of_server(block: AnswerBlock<'a>) -> Answer<'a> {
        let Some(content) = block.content().map(Content::value) else {
            return Answer::of_block(block);
        };
        let text = |of: Value<'a>, key| of.get(key)?.as_str();
        let code = content.get("return_code").and_then(|code| code.as_i64());
        let error = text(content, "error_code");
        let written = ["stdout", "stderr"].map(|key| text(content, key));
        let mut lines: Vec<String> = [error, written[0], written[1]]
            .into_iter()
            .flatten()
            .map(|text| text.trim_end().to_string())
            .filter(|text| !text.is_empty())
            .collect();
        for page in content.as_array().into_iter().flatten() {
            let title = text(page, "title").unwrap_or("a page");
            let address = text(page, "url").unwrap_or_default();
            lines.push(format!("{title} {address}"));
        }
        let failed = error.is_some() || code.is_some_and(|code| code != 0);
        Answer {
            id: block.tool_use_id(),
            is_error: failed || block.is_error(),
            text: lines.join("\n"),
        }
    }
}

/// Returns a result without text: JSON, or the kinds of its blocks.
fn other_than_text(content: Content<'_>) -> String {
    let value = content.value();
    if value.as_array().is_none() {
        return as_text(value);
    }
    let kinds = content.blocks().map(|block| format!("({})", kind(block)));
    kinds.collect::<Vec<_>>().join("\n")
}

/// Returns the type of a block.
pub fn kind(block: Block<'_>) -> &str {
    let kind = block.value().get("type").and_then(|kind| kind.as_str());
    kind.unwrap_or("unknown block")
}

/// Returns a string without its quotes, or another value as JSON.
fn as_text(value: Value<'_>) -> String {
    match value.as_str() {
        Some(text) => text.to_string(),
        None => value.to_string(),
    }
}

/// Folds a text into one line. Returns a colon and the first words, and the
/// number of lines if there are several.
fn on_one_line(text: &str) -> (String, String) {
    let mut words = String::new();
    for word in text.split_whitespace() {
        if words.len() > MAX_FOLDED {
            break;
        }
        words += if words.is_empty() { ": " } else { " " };
        words += word;
    }
    let lines = match text.trim().lines().count() {
        0 | 1 => String::new(),
        lines => format!(" [{lines} lines]"),
    };
    (words, lines)
}

/// Returns the tool, the outcome of the call, and its duration.
fn headline(call: Option<ToolCall<'_>>, is_error: bool) -> String {
    let name = call.and_then(|call| call.name).unwrap_or("a tool");
    let time = call.and_then(|call| call.duration());
    let time = time.map(|ms| format!(" after {:.1} s", ms as f64 / 1000.0));
    let how = if is_error { "failed" } else { "done" };
    format!("< {name} {how}{}", time.unwrap_or_default())
}

impl Conversation {
    /// Prints a tool call, and remembers the sub-agent that it starts.
    pub fn call_block(
        &mut self,
        facts: &Facts<'_>,
        call: CallBlock<'_>,
    ) -> io::Result<()> {
        self.known.call(call.id(), call.input());
        self.call(facts, call.name(), call.input())
    }

    /// Prints a tool call.
    pub fn call(
        &mut self,
        facts: &Facts<'_>,
        name: Option<&str>,
        input: Option<Value<'_>>,
    ) -> io::Result<()> {
        let name = name.unwrap_or("unnamed tool");
        let input = match input.and_then(|input| input.as_object()) {
            Some(members) => {
                let members = members.into_iter();
                let members = members
                    .map(|(key, value)| format!("{key}: {}", as_text(value)));
                let between = if self.full { "\n" } else { ", " };
                members.collect::<Vec<_>>().join(between)
            }
            None => input.map(as_text).unwrap_or_default(),
        };
        self.speak(Speaker::Assistant, facts)?;
        let (head, text, tail) = match self.full {
            true => (format!("> {name}"), "", ""),
            false => (format!("> {name}("), input.as_str(), ")"),
        };
        self.one_line(OneLine {
            style: CALL,
            is_indented: true,
            head: &head,
            text,
            tail,
            tail_style: CALL,
        })?;
        match self.full {
            true => self.text(GIVEN, &input),
            false => Ok(()),
        }
    }

    /// Prints the result of a tool call.
    pub fn answer(
        &mut self,
        facts: &Facts<'_>,
        answer: &Answer<'_>,
    ) -> io::Result<()> {
        let call = self.find_call(facts, answer.id);
        let head = headline(call, answer.is_error);
        let (text, tail) = match self.full {
            true => (String::new(), String::new()),
            false => on_one_line(&answer.text),
        };
        let style = if answer.is_error { BAD } else { DIM };
        // Results are in messages of the user, but belong to the assistant.
        self.speak(Speaker::Assistant, facts)?;
        self.one_line(OneLine {
            style,
            is_indented: true,
            head: &head,
            text: &text,
            tail: &tail,
            tail_style: style,
        })?;
        match self.full {
            true => self.text(GIVEN, &answer.text),
            false => Ok(()),
        }
    }

    /// Finds the call with this id in the session of the message.
    pub fn find_call(
        &self,
        facts: &Facts<'_>,
        id: Option<&str>,
    ) -> Option<ToolCall<'_>> {
        let session = facts.session_name();
        self.turns.find_call(session.as_deref(), id?)
    }
}
