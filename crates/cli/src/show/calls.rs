//! Calls of tools and what they gave back, each folded to one line.

use std::io;

use linetape::{
    Block, Message, Value,
    message::{AnswerBlock, CallBlock, Content},
};

use linetape_session::ToolCall;

use crate::{
    paint::{BAD, CALL, DIM},
    show::{
        conversation::Conversation,
        sheet::{GIVEN, OneLine},
        speakers::Speaker,
    },
};

/// More of a result is on no line, in bytes.
const MOST_WORDS: usize = 4 << 10;

/// What a tool gave back.
pub struct Answer<'a> {
    /// The call that it answers.
    pub id: Option<&'a str>,
    pub is_error: bool,
    pub text: String,
}

impl<'a> Answer<'a> {
    /// What a tool of the agent's gave back.
    pub fn of_block(block: AnswerBlock<'a>) -> Answer<'a> {
        let pieces: Vec<&str> = block.text().collect();
        let text = match block.content() {
            Some(content) if pieces.is_empty() => other_than_text(content),
            _ => pieces.join("\n"),
        };
        let (id, is_error) = (block.tool_use_id(), block.is_error());
        Answer { id, is_error, text }
    }

    /// What a tool gave back that the API ran itself: the pages that it
    /// found, or what a program wrote.
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

/// What there is instead of text: JSON, or blocks of other kinds.
fn other_than_text(content: Content<'_>) -> String {
    let value = content.value();
    if value.as_array().is_none() {
        return as_text(value);
    }
    let kinds = content.blocks().map(|block| format!("({})", kind(block)));
    kinds.collect::<Vec<_>>().join("\n")
}

/// What kind of block this is.
pub fn kind(block: Block<'_>) -> &str {
    let kind = block.value().get("type").and_then(|kind| kind.as_str());
    kind.unwrap_or("something else")
}

/// A string without its quotes, or JSON.
fn as_text(value: Value<'_>) -> String {
    match value.as_str() {
        Some(text) => text.to_string(),
        None => value.to_string(),
    }
}

/// A colon and the words at the beginning of a text, and how many lines there
/// are if there are several.
fn on_one_line(text: &str) -> (String, String) {
    let mut words = String::new();
    for word in text.split_whitespace() {
        if words.len() > MOST_WORDS {
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

/// How a call went: the tool, and how long it took.
fn answered(call: Option<ToolCall<'_>>, is_error: bool) -> String {
    let name = call.and_then(|call| call.name).unwrap_or("a tool");
    let time = call.and_then(|call| call.duration());
    let time = time.map(|ms| format!(" after {:.1} s", ms as f64 / 1000.0));
    let how = if is_error { "failed" } else { "done" };
    format!("< {name} {how}{}", time.unwrap_or_default())
}

impl Conversation {
    pub fn calls(
        &mut self,
        message: Message<'_>,
        call: CallBlock<'_>,
    ) -> io::Result<()> {
        self.known.call(call.id(), call.input());
        self.call(message, call.name(), call.input())
    }

    pub fn call(
        &mut self,
        message: Message<'_>,
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
        self.speak(Speaker::Assistant, message)?;
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

    pub fn answer(
        &mut self,
        message: Message<'_>,
        answer: &Answer<'_>,
    ) -> io::Result<()> {
        let call = self.find_call(message, answer.id);
        let head = answered(call, answer.is_error);
        let (text, tail) = match self.full {
            true => (String::new(), String::new()),
            false => on_one_line(&answer.text),
        };
        let style = if answer.is_error { BAD } else { DIM };
        // What tools give back is in a message of the user's.
        self.speak(Speaker::Assistant, message)?;
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

    pub fn find_call(
        &self,
        message: Message<'_>,
        id: Option<&str>,
    ) -> Option<ToolCall<'_>> {
        let session = message.session_id().map(|id| id.to_string());
        self.turns.find_call(session.as_deref(), id?)
    }
}
