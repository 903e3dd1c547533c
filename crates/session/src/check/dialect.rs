/*!
The dialects of logs.
*/

use linetape::{Value, message::Message};

use crate::check::named::named;

/// The format of a log: stream-json, transcript, specification (the early
/// transcript format) or server. Each has its own rules.
///
/// # Example
///
/// This shows how to determine the dialect of a message.
///
/// ```
/// use linetape::lines;
/// use linetape_session::check::Dialect;
///
/// let log = b"{\"type\":\"user\",\"message\":\"Hello\"}\n\
///             {\"type\":\"user\",\"session_id\":\"s\"}\n";
/// let mut lines = lines(log);
/// let line = lines.next_line().unwrap()?;
/// assert_eq!(Dialect::of(line.checked()?), Dialect::Specification);
/// let line = lines.next_line().unwrap()?;
/// assert_eq!(Dialect::of(line.checked()?), Dialect::Stream);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// The early transcript format: `message` is a string, a tool call is an
    /// `assistant` line with `toolName`, and its result is a `system` line.
    Specification,
    /// Transcripts as agents save them, with `sessionId`, `parentUuid`, and a
    /// `message` with content blocks.
    Transcript,
    /// Stream-json, with `session_id` and few required fields. Messages of the
    /// Agent SDK are of this dialect as well.
    Stream,
    /// The events and the input of an agent server.
    Server,
}

named!(Dialect, "dialect", {
    Specification = "specification",
    Transcript = "transcript",
    Stream = "stream",
    Server = "server",
});

/// The subtypes of system messages in the specification dialect.
const SPECIFIED: &[&str] = &["tool_result", "error", "meta"];

/// The types that only transcripts have.
pub(crate) const SAVED: &[&str] = &[
    "summary",
    "file-history-snapshot",
    "progress",
    "queue-operation",
    "attachment",
    "pr-link",
    "ai-title",
    "custom-title",
    "last-prompt",
    "cost-state",
    "mode",
    "permission-mode",
    "atis-latch",
    "bridge-session",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "content-replacement",
    "continued-in",
    "fork-context-ref",
    "relocated",
    "worktree-state",
    "file-history-delta",
    "frame-link",
    "artifact-autoreact-ledger",
    "artifact-comment-monitor",
    "attribution-snapshot",
    "speculation-accept",
    "agent_metadata",
];

impl Dialect {
    /// Returns the dialect of a message, by its shape. If several match,
    /// returns [`Stream`](Dialect::Stream).
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
        let [
            kind,
            subtype,
            said,
            parent,
            sidechain,
            stream,
            saved,
            cwd,
            version,
        ] = value.get_many([
            "type",
            "subtype",
            "message",
            "parentUuid",
            "isSidechain",
            "session_id",
            "sessionId",
            "cwd",
            "version",
        ]);
        let has = |field: Option<Value<'_>>| {
            field.is_some_and(|value| !value.is_null())
        };
        let kind = kind.and_then(|kind| kind.as_str());
        let subtype = subtype.and_then(|subtype| subtype.as_str());
        // Whether the specification dialect has this type.
        let is_early = match kind {
            Some("user" | "assistant") | None => true,
            Some("system") => {
                subtype.is_none_or(|name| SPECIFIED.contains(&name))
            }
            Some(_) => false,
        };
        let says_text = said.is_some_and(|said| said.as_str().is_some());
        let is_saved = parent.is_some()
            || has(sidechain)
            || kind.is_some_and(|name| SAVED.contains(&name));
        if !is_saved && has(stream) {
            return Dialect::Stream;
        }
        if is_early && says_text {
            return Dialect::Specification;
        }
        if !is_saved && !has(saved) {
            return Dialect::Stream;
        }
        // The specification dialect does not have these fields.
        let is_real = has(cwd)
            || has(version)
            || said.is_some_and(|said| said.as_object().is_some());
        if is_early && !is_real {
            Dialect::Specification
        } else {
            Dialect::Transcript
        }
    }
}

/// Returns whether an object looks like an unknown event of an agent server:
/// its only key begins with an uppercase letter, and the value is an object.
fn looks_like_an_event(value: Value<'_>) -> bool {
    let mut members = value.as_object().into_iter().flatten();
    let only = members.next().filter(|_| members.next().is_none());
    only.is_some_and(|(key, value)| {
        key.starts_with(|c: char| c.is_ascii_uppercase())
            && value.as_object().is_some()
    })
}
