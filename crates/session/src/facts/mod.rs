/*!
What one message says about itself.

All parts of this crate take what they know of a message from [`Facts`], so
that "which session, which thread, which message, which calls" has one answer.
*/

mod thread;
mod tools;

use std::{borrow::Cow, cell::OnceCell};

use linetape::{
    Value,
    message::{
        ApiMessage, Blocks, Content, FromValue, Kind, Message, SessionId,
        Usage,
    },
    timestamp::milliseconds,
};

pub use thread::Thread;
pub use tools::{Answer, Call};
pub(crate) use tools::{Part, is_call};

/// What one message says about itself: its session and thread, its ids, who
/// wrote it and when, the tools that it calls, and the results that it holds.
///
/// Every part of this crate has an `add(message, ...)`, which makes the facts
/// itself, and an `add_facts(&facts, ...)` for a caller that feeds several
/// parts: each fact is then read from the line once for all of them.
///
/// # Costs
///
/// Making it reads nothing. Facts are read when they are first asked for, and
/// kept: those that are asked for together in one pass over the keys of one
/// object. (Only [`agent_id`](Facts::agent_id),
/// [`request_id`](Facts::request_id) and [`is_forked`](Facts::is_forked),
/// which few ask for, are looked up each time.) Nothing is allocated, except that strings with escapes are unescaped
/// into the arena of a line that is not decoded.
///
/// # Example
///
/// This shows how to feed two parts and read each message once.
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
///     let facts = Facts::of(line.peek()?);
///     assert_eq!(facts.session_name().as_deref(), Some("s1"));
///     for call in facts.calls() {
///         assert_eq!((call.id, call.name), (Some("t2"), Some("Read")));
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
    kind: OnceCell<Kind<'a>>,
    session: OnceCell<Option<SessionId<'a>>>,
    origin: OnceCell<Origin<'a>>,
    chain: OnceCell<Chain<'a>>,
    said: OnceCell<Option<Said<'a>>>,
    time: OnceCell<Option<i64>>,
    is_error: OnceCell<bool>,
}

/// When, and in which thread, a line was written.
///
/// Keys are in groups of few, because the time of a pass over an object grows
/// with the number of keys. A message that is nested in another line has its
/// session and its origin from that line: it needs these cells filled, and
/// nothing else changes.
#[derive(Clone, Copy, Debug)]
struct Origin<'a> {
    timestamp: Option<Value<'a>>,
    is_sidechain: Option<Value<'a>>,
    parent_tool_use_id: Option<Value<'a>>,
}

/// The uuids of a line.
#[derive(Clone, Copy, Debug)]
struct Chain<'a> {
    uuid: Option<Value<'a>>,
    parent: Option<Value<'a>>,
    /// In its two spellings.
    logical_parent: [Option<Value<'a>>; 2],
}

/// Who wrote a message.
///
/// # Example
///
/// This shows that a tool's result is written in the user's name.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::{Facts, Role};
///
/// let line = br#"{"type":"user","message":{"content":[
///     {"type":"tool_result","tool_use_id":"t1"}]}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// assert_eq!(Facts::of(record.message()).role(), Role::User);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The user, or a tool.
    User,
    /// The model.
    Assistant,
    /// The program.
    Other,
}

/// The `message` of a line of the user or the model, as the API has it.
///
/// # Example
///
/// This shows what of it is read.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::Facts;
///
/// let line = br#"{"type":"assistant","message":{"id":"m1","model":"opus",
///     "usage":{"output_tokens":5},"content":"Hi"}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let said = Facts::of(record.message()).said().expect("it has one");
/// assert_eq!((said.id, said.model), (Some("m1"), Some("opus")));
/// assert_eq!(said.usage.and_then(|usage| usage.output_tokens()), Some(5));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Said<'a> {
    /// The message's id. Several lines may be parts of one message.
    pub id: Option<&'a str>,
    /// The model that wrote it.
    pub model: Option<&'a str>,
    /// The tokens that it used.
    pub usage: Option<Usage<'a>>,
    /// What is said.
    pub content: Option<Content<'a>>,
}

impl<'a> Facts<'a> {
    /// Returns the facts of a message. Nothing is read before it is asked
    /// for.
    #[inline]
    pub fn of(message: Message<'a>) -> Facts<'a> {
        Facts {
            message,
            kind: OnceCell::new(),
            session: OnceCell::new(),
            origin: OnceCell::new(),
            chain: OnceCell::new(),
            said: OnceCell::new(),
            time: OnceCell::new(),
            is_error: OnceCell::new(),
        }
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

    /// Returns who wrote the message.
    pub fn role(&self) -> Role {
        match self.message {
            Message::User(_) => Role::User,
            Message::Assistant(_) => Role::Assistant,
            _ => Role::Other,
        }
    }

    /// Returns the session that the message names: [`Message::session_id`].
    pub fn session(&self) -> Option<SessionId<'a>> {
        *self.session.get_or_init(|| self.message.session_id())
    }

    /// Returns the session as text. It allocates for a session number.
    pub fn session_name(&self) -> Option<Cow<'a, str>> {
        Some(match self.session()? {
            SessionId::Str(id) => Cow::Borrowed(id),
            SessionId::Int(id) => Cow::Owned(id.to_string()),
        })
    }

    /// Returns the thread of its session that the message says it is part of.
    ///
    /// One line of a sidechain without a name cannot tell which line was the
    /// first: it is `Thread::Sidechain` with its own uuid, or an empty string
    /// if it has none. [`Turns`](crate::Turns) finds the first line.
    pub fn thread(&self) -> Thread<'a> {
        if let Some(call) = self.parent_tool_use_id() {
            return Thread::Call(call);
        }
        if self.sidechain_flag() != Some(true) {
            return Thread::Main;
        }
        match self.agent_id() {
            Some(agent) => Thread::Agent(agent),
            None => Thread::Sidechain(self.uuid().unwrap_or_default()),
        }
    }

    /// Returns whether the message is part of a sub-agent's conversation:
    /// whether its [thread](Facts::thread) is not the main one.
    pub fn is_sidechain(&self) -> bool {
        self.sidechain_flag() == Some(true)
            || self.parent_tool_use_id().is_some()
    }

    /// Returns the `isSidechain` of a transcript's line.
    pub fn sidechain_flag(&self) -> Option<bool> {
        self.origin().is_sidechain?.as_bool()
    }

    /// Returns the call that started the sub-agent which wrote the message.
    pub fn parent_tool_use_id(&self) -> Option<&'a str> {
        self.origin().parent_tool_use_id?.as_str()
    }

    /// Returns the sub-agent that a transcript's line names.
    pub fn agent_id(&self) -> Option<&'a str> {
        self.message.envelope().agent_id()
    }

    /// Returns the message's own identifier.
    pub fn uuid(&self) -> Option<&'a str> {
        self.chain().uuid?.as_str()
    }

    /// Returns the uuid of the message that this one follows.
    pub fn parent_uuid(&self) -> Option<&'a str> {
        self.chain().parent?.as_str()
    }

    /// Returns the uuid of the message that this one follows in meaning,
    /// where a compaction cut the chain.
    pub fn logical_parent_uuid(&self) -> Option<&'a str> {
        let spellings = self.chain().logical_parent;
        spellings.into_iter().find_map(|value| value?.as_str())
    }

    /// Returns the API's id of the request that the message answers.
    pub fn request_id(&self) -> Option<&'a str> {
        self.message.envelope().request_id()
    }

    /// Returns when the message was written, as it says.
    pub fn timestamp(&self) -> Option<&'a str> {
        self.origin().timestamp?.as_str()
    }

    /// Returns the timestamp in milliseconds since 1970.
    pub fn time(&self) -> Option<i64> {
        *self.time.get_or_init(|| self.timestamp().and_then(milliseconds))
    }

    /// Returns whether the line is a copy from the session that its session
    /// was forked from. It is looked up each time.
    pub fn is_forked(&self) -> bool {
        self.message.envelope().forked_from().is_some()
    }

    /// Returns whether the message reports an error: [`Message::is_error`].
    pub fn is_error(&self) -> bool {
        *self.is_error.get_or_init(|| self.message.is_error())
    }

    /// Returns the `message` of a line of the user or the model.
    pub fn said(&self) -> Option<Said<'a>> {
        *self.said.get_or_init(|| {
            let message = match self.message {
                Message::Assistant(said) => said.message(),
                Message::User(said) => said.message(),
                _ => None,
            };
            message.map(Said::of)
        })
    }

    /// Returns the API's id of the message that the line is a part of.
    pub fn message_id(&self) -> Option<&'a str> {
        self.said()?.id
    }

    /// Returns the tokens that the message says were used:
    /// [`Message::usage`].
    pub fn usage(&self) -> Option<Usage<'a>> {
        match self.message {
            Message::Assistant(_) => self.said()?.usage,
            message => message.usage(),
        }
    }

    /// Returns the tool calls of the message, in order. They are blocks of a
    /// message, or an event of an agent server.
    ///
    /// A line that is a call itself is not among them: see
    /// [`line_call`](Facts::line_call).
    pub fn calls(&self) -> impl Iterator<Item = Call<'a>> + use<'a> {
        self.parts().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Answer(_) => None,
        })
    }

    /// Returns the results of tools that the message holds, in order.
    pub fn answers(&self) -> impl Iterator<Item = Answer<'a>> + use<'a> {
        self.parts().filter_map(|part| match part {
            Part::Answer(answer) => Some(answer),
            Part::Call(_) => None,
        })
    }

    /// Returns the calls and results, in the order of the message.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let blocks = self.blocks().into_iter().flatten();
        let event = match self.message {
            Message::Ui(ui) => Part::of_event(ui.event()),
            _ => None,
        };
        blocks.filter_map(Part::of_block).chain(event)
    }

    fn blocks(&self) -> Option<Blocks<'a>> {
        self.said()?.content.map(Content::blocks)
    }

    /// Returns the call that a line of the model may be itself: one with
    /// `toolName` or with the subtype `tool_use`, in the form of the early
    /// specification. Its id is the line's uuid.
    ///
    /// Usage and turns take it for a call under different conditions, so both
    /// ways to write one are here.
    pub fn line_call(&self) -> Option<Call<'a>> {
        let Message::Assistant(said) = self.message else { return None };
        let name = said.tool_name();
        (name.is_some() || is_call(said)).then(|| Call {
            id: self.uuid(),
            name,
            is_remote: false,
            input: (said.value(), "toolArguments"),
        })
    }

    fn origin(&self) -> &Origin<'a> {
        self.origin.get_or_init(|| {
            let [timestamp, is_sidechain, parent_tool_use_id] = self
                .message
                .value()
                .get_many(["timestamp", "isSidechain", "parent_tool_use_id"]);
            Origin { timestamp, is_sidechain, parent_tool_use_id }
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

impl<'a> Said<'a> {
    fn of(message: ApiMessage<'a>) -> Said<'a> {
        let value = message.value();
        let [id, model, usage, content] =
            value.get_many(["id", "model", "usage", "content"]);
        // A message that is a bare string is its content.
        let content = content.or(value.as_str().map(|_| value));
        Said {
            id: id.and_then(FromValue::from_value),
            model: model.and_then(FromValue::from_value),
            usage: usage.and_then(FromValue::from_value),
            content: content.and_then(FromValue::from_value),
        }
    }
}
