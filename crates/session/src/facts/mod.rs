/*!
The facts of one message: session, thread, ids, role, time, tool calls.

All analyses of this crate read messages through [`Facts`], so that they agree
on the session, thread and calls of a message.
*/

mod said;
mod thread;
mod tools;

use std::{borrow::Cow, cell::OnceCell};

use linetape::{
    Value,
    message::{
        Content, Kind, Message, Nested, SessionId, results::ResultMessage,
    },
    timestamp::milliseconds,
};

pub use said::{Role, Said};
pub use thread::Thread;
pub use tools::Answer;
pub(crate) use tools::{Part, is_call};

/// The session, thread, ids, role, time, tool calls and tool results of one
/// message.
///
/// Every analysis of this crate has a method `add(message, ...)`, and a method
/// `add_facts(&facts, ...)` for a caller that runs several analyses: each fact
/// is then read from the line only once.
///
/// # Costs
///
/// Creating it reads nothing. A fact is read when it is first requested, and
/// then cached. Facts that are needed together are read together, in one pass
/// over the keys of an object. ([`agent_id`](Facts::agent_id) and
/// [`cwd`](Facts::cwd) are rarely needed and not cached.) Nothing is
/// allocated, except that strings with escapes are unescaped into the arena of
/// a line that is not decoded.
///
/// # Example
///
/// This shows how to run two analyses and read each message once.
///
/// ```
/// use linetape::lines;
/// use linetape_session::{Facts, Thread, Turns, UsageTotals};
///
/// let log = br#"{"type":"user","session_id":"s1","message":{"content":"Hi"}}
/// {"type":"assistant","session_id":"s1","parent_tool_use_id":"t1","message":{"id":"m1","content":[{"type":"tool_use","id":"t2","name":"Read","input":{}}],"usage":{"output_tokens":5}}}
/// "#;
/// let (mut usage, mut turns) = (UsageTotals::new(), Turns::new());
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     let line = line?;
///     let facts = Facts::of(line.checked()?);
///     assert_eq!(facts.session_name().as_deref(), Some("s1"));
///     for call in facts.calls() {
///         assert_eq!((call.id(), call.name()), (Some("t2"), Some("Read")));
///         assert!(call.input().is_some());
///         assert_eq!(facts.thread(), Thread::Call("t1"));
///         assert_eq!(facts.message_id(), Some("m1"));
///     }
///     usage.add_facts(&facts);
///     turns.add_facts(&facts, line.position());
/// }
/// assert_eq!(usage.total().messages, 1);
/// assert_eq!(turns.turns().count(), 2);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    message: Message<'a>,
    /// The same message with the context of the line around it, if it is
    /// nested.
    nested: Option<Nested<'a>>,
    around: Option<Around<'a>>,
    /// The number of records around the message.
    depth: u8,
    /// Whether the message is in a `progress` line, which has the envelope.
    is_partial: bool,
    /// Whether a record around the message is a `transcript_mirror`.
    is_mirrored: bool,
    kind: OnceCell<Kind<'a>>,
    session: OnceCell<Option<SessionId<'a>>>,
    origin: OnceCell<Origin<'a>>,
    chain: OnceCell<Chain<'a>>,
    said: OnceCell<Option<Said<'a>>>,
    time: OnceCell<Option<i64>>,
    is_error: OnceCell<bool>,
}

/// What the records around a nested message say, and the message does not.
#[derive(Clone, Copy, Debug)]
struct Around<'a> {
    session: Option<SessionId<'a>>,
    timestamp: Option<&'a str>,
    cwd: Option<&'a str>,
    is_forked: bool,
}

/// The time, thread and request of a line, which are read in one pass.
#[derive(Clone, Copy, Debug)]
struct Origin<'a> {
    timestamp: Option<Value<'a>>,
    is_sidechain: Option<Value<'a>>,
    parent_tool_use_id: Option<Value<'a>>,
    cost: Option<Value<'a>>,
    /// One value for each spelling of the key.
    request_id: [Option<Value<'a>>; 2],
    forked_from: Option<Value<'a>>,
    request_session: Option<Value<'a>>,
}

/// The uuids of a line.
#[derive(Clone, Copy, Debug)]
struct Chain<'a> {
    uuid: Option<Value<'a>>,
    parent: Option<Value<'a>>,
    /// One value for each spelling of the key.
    logical_parent: [Option<Value<'a>>; 2],
}

impl<'a> Facts<'a> {
    /// Creates the facts of a message. Nothing is read yet.
    #[inline]
    pub fn of(message: Message<'a>) -> Facts<'a> {
        Facts {
            message,
            nested: None,
            around: None,
            depth: 0,
            is_partial: false,
            is_mirrored: false,
            kind: OnceCell::new(),
            session: OnceCell::new(),
            origin: OnceCell::new(),
            chain: OnceCell::new(),
            said: OnceCell::new(),
            time: OnceCell::new(),
            is_error: OnceCell::new(),
        }
    }

    /// Returns the facts of the messages inside of this one:
    /// [`Message::nested`]. Their session, agent and tool call are those of
    /// the line around them.
    ///
    /// Agents nest one record in another, and a mirrored line can be one that
    /// nests a record. Deeper than [`MAX_NESTING`](Facts::MAX_NESTING), there
    /// are none: a hostile line cannot exhaust the stack of a recursive
    /// caller.
    #[inline]
    pub fn nested(&self) -> impl Iterator<Item = Facts<'a>> + use<'a> {
        let depth = self.depth + 1;
        let is_partial = matches!(self.message, Message::Progress(_));
        let is_mirrored = self.is_mirrored
            || matches!(self.message, Message::TranscriptMirror(_));
        let nested = self.message.nested();
        let nested = (depth <= Facts::MAX_NESTING).then_some(nested);
        let mut nested = nested.into_iter().flatten().peekable();
        // Most lines have none.
        let around = nested.peek().map(|_| Around {
            session: self.session(),
            timestamp: self.timestamp(),
            cwd: self.cwd(),
            is_forked: self.is_forked(),
        });
        nested.map(move |nested| Facts {
            nested: Some(nested),
            around,
            depth,
            is_partial,
            is_mirrored,
            ..Facts::of(nested.message())
        })
    }

    /// Returns whether the message is [nested](Facts::nested) in another one.
    pub fn is_nested(&self) -> bool {
        self.nested.is_some()
    }

    /// Returns whether the message is in a `transcript_mirror` line, at any
    /// depth. A stream mirrors lines that it may have as lines of their own.
    pub fn is_mirrored(&self) -> bool {
        self.is_mirrored
    }

    /// The greatest number of records around a message that
    /// [`nested`](Facts::nested) returns.
    pub const MAX_NESTING: u8 = 8;

    /// Returns whether this is a message without an envelope, inside of a
    /// `progress` line.
    pub(crate) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Returns the message.
    #[inline]
    pub fn message(&self) -> Message<'a> {
        self.message
    }

    /// Returns the type and subtype: [`Message::kind`].
    pub fn kind(&self) -> Kind<'a> {
        *self.kind.get_or_init(|| self.message.kind())
    }

    /// Returns the author's role.
    pub fn role(&self) -> Role {
        match self.message {
            Message::User(_) => Role::User,
            Message::Assistant(_) => Role::Assistant,
            _ => Role::Other,
        }
    }

    /// Returns the session id: [`Message::session_id`]. A `fork-context-ref`
    /// belongs to the session that its sub-agent was forked from.
    pub fn session(&self) -> Option<SessionId<'a>> {
        *self.session.get_or_init(|| {
            let stated = match self.nested {
                Some(nested) => nested.session_id(),
                None => self.message.session_id(),
            };
            let stated = stated.or(self.around.and_then(|a| a.session));
            match self.message {
                Message::ForkContextRef(line) if stated.is_none() => {
                    line.parent_session_id().map(SessionId::Str)
                }
                _ => stated,
            }
        })
    }

    /// Returns the session that made the request of the message. It is the
    /// session of the line, except for a line that was copied when its session
    /// was forked from another one: some agents note the original there
    /// (`requestSessionId`).
    pub fn request_session(&self) -> Option<SessionId<'a>> {
        self.noted_session().or_else(|| self.session())
    }

    /// The same, if the line notes it.
    pub(crate) fn noted_session(&self) -> Option<SessionId<'a>> {
        self.origin().request_session?.as_str().map(SessionId::Str)
    }

    /// Returns whether the line is one of stream-json and not of a transcript.
    /// Some lines of transcripts have a `session_id`, but not only.
    pub(crate) fn is_streamed(&self) -> bool {
        !self.is_nested()
            // That of most transcripts has been read.
            && self.origin().is_sidechain.is_none()
            && self.message.value().get("sessionId").is_none()
            && self.session().is_some()
    }

    /// Returns the session id as a string. Allocates if the id is a number.
    pub fn session_name(&self) -> Option<Cow<'a, str>> {
        self.session().map(name_of)
    }

    /// The same as [`session_name`](Facts::session_name) for
    /// [`request_session`](Facts::request_session).
    pub(crate) fn request_session_name(&self) -> Option<Cow<'a, str>> {
        self.request_session().map(name_of)
    }

    /// Returns the thread of the session that the message belongs to.
    ///
    /// A sidechain without a name is identified by its first line, which
    /// cannot be found from a later one. So the result is `Thread::Sidechain`
    /// with the uuid of this line, or with an empty string if it has no uuid.
    /// [`Turns`](crate::Turns) finds the first line.
    pub fn thread(&self) -> Thread<'a> {
        // Both are known of a nested message. The sub-agent's own file has
        // only the agent.
        if self.nested.is_some()
            && self.is_sidechain()
            && let Some(agent) = self.agent_id()
        {
            return Thread::Agent(agent);
        }
        if let Some(call) = self.parent_tool_use_id() {
            return Thread::Call(call);
        }
        if let Some(agent) = self.forked_agent() {
            return Thread::Agent(agent);
        }
        if self.sidechain_flag() != Some(true) {
            return Thread::Main;
        }
        match self.agent_id() {
            Some(agent) => Thread::Agent(agent),
            None => Thread::Sidechain(self.uuid().unwrap_or_default()),
        }
    }

    /// Returns whether the message belongs to a sub-agent: whether its
    /// [thread](Facts::thread) is not the main one.
    pub fn is_sidechain(&self) -> bool {
        self.sidechain_flag() == Some(true)
            || self.parent_tool_use_id().is_some()
            || self.forked_agent().is_some()
    }

    /// Returns the sub-agent that a `fork-context-ref` is about. It is the
    /// first line of the sub-agent's transcript. A copy of the message that
    /// started the sub-agent follows.
    pub fn forked_agent(&self) -> Option<&'a str> {
        match self.message {
            Message::ForkContextRef(line) => line.agent_id(),
            _ => None,
        }
    }

    /// Returns the flag `isSidechain` of a transcript line. It is set for a
    /// message inside of a `progress` line.
    pub fn sidechain_flag(&self) -> Option<bool> {
        if self.nested.is_some_and(Nested::is_sidechain) {
            return Some(true);
        }
        self.origin().is_sidechain?.as_bool()
    }

    /// Returns the id of the tool call that started the sub-agent.
    pub fn parent_tool_use_id(&self) -> Option<&'a str> {
        match self.nested {
            Some(nested) => nested.parent_tool_use_id(),
            None => self.origin().parent_tool_use_id?.as_str(),
        }
    }

    /// Returns the id of the sub-agent, in a transcript line. Not cached.
    pub fn agent_id(&self) -> Option<&'a str> {
        match self.nested {
            Some(nested) => nested.agent_id(),
            None => self.message.envelope().agent_id(),
        }
    }

    /// Returns the working directory of the agent. Not cached.
    pub fn cwd(&self) -> Option<&'a str> {
        let own = self.message.value().get("cwd");
        let own = own.and_then(|cwd| cwd.as_str());
        own.or(self.around.and_then(|around| around.cwd))
    }

    /// Returns the uuid of the line.
    pub fn uuid(&self) -> Option<&'a str> {
        self.chain().uuid?.as_str()
    }

    /// Returns the uuid of the parent: the message before this one.
    pub fn parent_uuid(&self) -> Option<&'a str> {
        self.chain().parent?.as_str()
    }

    /// Returns the uuid of the logical parent: the last message before a
    /// compaction. The line after a compaction has no `parentUuid`.
    pub fn logical_parent_uuid(&self) -> Option<&'a str> {
        let spellings = self.chain().logical_parent;
        spellings.into_iter().find_map(|value| value?.as_str())
    }

    /// Returns the API's id of the request that produced the message.
    pub fn request_id(&self) -> Option<&'a str> {
        let spellings = self.origin().request_id;
        spellings.into_iter().find_map(|value| value?.as_str())
    }

    /// Returns the timestamp as it is written in the line.
    pub fn timestamp(&self) -> Option<&'a str> {
        match self.nested {
            Some(nested) => {
                let around = self.around.and_then(|a| a.timestamp);
                nested.timestamp().or(around)
            }
            None => self.origin().timestamp?.as_str(),
        }
    }

    /// Returns the timestamp in milliseconds since the Unix epoch.
    pub fn time(&self) -> Option<i64> {
        *self.time.get_or_init(|| self.timestamp().and_then(milliseconds))
    }

    /// Returns whether the line was copied from another session when its
    /// session was forked from that one.
    pub fn is_forked(&self) -> bool {
        let point = self.origin().forked_from;
        point.is_some_and(|point| point.as_object().is_some())
            || self.around.is_some_and(|around| around.is_forked)
    }

    /// Returns whether the message reports an error: [`Message::is_error`].
    pub fn is_error(&self) -> bool {
        *self.is_error.get_or_init(|| self.message.is_error())
    }

    /// Returns a prompt that the user typed during a turn: an attachment of
    /// the type `queued_command`. It has no `user` line. A notification that
    /// the agent program has queued is not a prompt.
    pub fn queued_prompt(&self) -> Option<Content<'a>> {
        let Message::Attachment(attachment) = self.message else {
            return None;
        };
        let body = attachment.attachment()?;
        let is_typed = body.kind() == Some("queued_command")
            && body.command_mode() != Some("task-notification")
            && attachment.is_meta() != Some(true);
        body.prompt().filter(|_| is_typed)
    }

    /// Returns the result of a run. A `result` in the journal of a workflow is
    /// none, and neither is one of Gemini, which has a `status` and `stats`
    /// instead of a subtype.
    pub fn run_result(&self) -> Option<ResultMessage<'a>> {
        let Message::Result(result) = self.message else { return None };
        result.is_of_run().then_some(result)
    }

    fn origin(&self) -> &Origin<'a> {
        self.origin.get_or_init(|| {
            let [
                timestamp,
                is_sidechain,
                parent_tool_use_id,
                cost,
                request_id,
                saved_request_id,
                forked_from,
                request_session,
            ] = self.message.value().get_many([
                "timestamp",
                "isSidechain",
                "parent_tool_use_id",
                "costUSD",
                "request_id",
                "requestId",
                "forkedFrom",
                "requestSessionId",
            ]);
            Origin {
                timestamp,
                is_sidechain,
                parent_tool_use_id,
                cost,
                request_id: [request_id, saved_request_id],
                forked_from,
                request_session,
            }
        })
    }

    fn chain(&self) -> &Chain<'a> {
        self.chain.get_or_init(|| {
            let [uuid, parent, logical, saved_logical] =
                self.message.value().get_many([
                    "uuid",
                    "parentUuid",
                    "logical_parent_uuid",
                    "logicalParentUuid",
                ]);
            let logical_parent = [logical, saved_logical];
            Chain { uuid, parent, logical_parent }
        })
    }
}

fn name_of(session: SessionId<'_>) -> Cow<'_, str> {
    match session {
        SessionId::Str(id) => Cow::Borrowed(id),
        SessionId::Int(id) => Cow::Owned(id.to_string()),
    }
}
