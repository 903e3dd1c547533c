use std::fmt;

use linetape::{Value, message::Message};

/// A way to write a log. Each has rules of its own.
///
/// # Example
///
/// This shows how to tell what a message is written in.
///
/// ```
/// use linetape::lines;
/// use linetape_session::check::Dialect;
///
/// let log = b"{\"type\":\"user\",\"message\":\"Hello\"}\n\
///             {\"type\":\"user\",\"session_id\":\"s\"}\n";
/// let mut lines = lines(log);
/// let line = lines.next_line().unwrap()?;
/// assert_eq!(Dialect::of(line.peek()?), Dialect::Specification);
/// let line = lines.next_line().unwrap()?;
/// assert_eq!(Dialect::of(line.peek()?), Dialect::Stream);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// Transcripts as an early specification has them: `message` is a string,
    /// a call of a tool is an assistant's message with `toolName`, its result
    /// a system message.
    Specification,
    /// Transcripts as agents save them: `sessionId`, `parentUuid`, and a
    /// `message` with blocks.
    Transcript,
    /// Stream-json: `session_id`, and few fields that are always there.
    Stream,
    /// The events of an agent server, and its input.
    Server,
}

/// The subtypes that system messages have in the specification.
const SPECIFIED: &[&str] = &["tool_result", "error", "meta"];

/// The types that only transcripts have, whatever else is in the line.
const SAVED: &[&str] = &[
    "summary",
    "file-history-snapshot",
    "progress",
    "queue-operation",
    "attachment",
    "pr-link",
    "ai-title",
    "custom-title",
    "last-prompt",
];

impl Dialect {
    /// The dialect that a message is written in, as far as its own shape
    /// tells. In doubt, it is a stream.
    pub fn of(message: Message<'_>) -> Dialect {
        let value = message.value();
        match message {
            Message::Ui(_) | Message::Input(_) => return Dialect::Server,
            Message::CompactSystem(_) => return Dialect::Specification,
            Message::Unknown(_) if looks_like_an_event(value) => {
                return Dialect::Server;
            }
            _ => {}
        }
        let has = |key| value.get(key).is_some_and(|found| !found.is_null());
        let text = |key| value.get(key).and_then(|text| text.as_str());
        // Whether the specification has such a type.
        let is_early = match text("type") {
            Some("user" | "assistant") | None => true,
            Some("system") => {
                text("subtype").is_none_or(|name| SPECIFIED.contains(&name))
            }
            Some(_) => false,
        };
        let says_text = text("message").is_some();
        let is_saved = value.get("parentUuid").is_some()
            || has("isSidechain")
            || text("type").is_some_and(|name| SAVED.contains(&name));
        if !is_saved && has("session_id") {
            return Dialect::Stream;
        }
        if is_early && says_text {
            return Dialect::Specification;
        }
        if !is_saved && !has("sessionId") {
            return Dialect::Stream;
        }
        // What is left is told by what only one of the two writes.
        let is_real = has("cwd")
            || has("version")
            || value.get("message").is_some_and(|m| m.as_object().is_some());
        match is_early && !is_real {
            true => Dialect::Specification,
            false => Dialect::Transcript,
        }
    }
}

/// Whether this could be an event of a newer server: one key that begins like
/// the name of a variant, and an object.
fn looks_like_an_event(value: Value<'_>) -> bool {
    let mut members = value.as_object().into_iter().flatten();
    let only = members.next().filter(|_| members.next().is_none());
    only.is_some_and(|(key, value)| {
        key.starts_with(|c: char| c.is_ascii_uppercase())
            && value.as_object().is_some()
    })
}

impl Dialect {
    /// The dialect's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Specification => "specification",
            Dialect::Transcript => "transcript",
            Dialect::Stream => "stream",
            Dialect::Server => "server",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
