/*!
Records inside of other records.
*/

use std::{fmt, iter::FusedIterator, ops::Deref};

use crate::{
    json::{Items, Value},
    message::{
        Message, SessionId,
        stream::TranscriptMirror,
        transcript::{Progress, ProgressData},
    },
};

impl<'a> Message<'a> {
    /// Returns the records inside of this one, in order.
    ///
    /// | line | nested records |
    /// |---|---|
    /// | `progress` with `data.type` = `agent_progress` or `skill_progress` | `data.message`: a message of a sub-agent |
    /// | `progress` of another `data.type`, such as `workflow_progress` | `data.message`, if it has a `type` and a `message` |
    /// | `transcript_mirror` | `entries`: whole lines of a transcript |
    ///
    /// Other lines have none. A nested record can have nested records in turn.
    ///
    /// # Costs
    ///
    /// Nothing is allocated. For a line of another type, this returns without
    /// reading the line.
    ///
    /// # Example
    ///
    /// This reads the usage of a sub-agent's message, and its session from the
    /// line around it.
    ///
    /// ```
    /// use linetape::{Decoder, message::SessionId};
    ///
    /// let line = br#"{"type":"progress","sessionId":"s1",
    ///     "parentToolUseID":"t1","data":{"type":"agent_progress",
    ///     "agentId":"a1","message":{"type":"assistant","message":
    ///     {"id":"m1","usage":{"output_tokens":5}}}}}"#;
    /// let mut decoder = Decoder::new();
    /// let record = decoder.decode(line)?;
    /// for nested in record.message().nested() {
    ///     assert!(nested.kind().is("assistant"));
    ///     assert_eq!(nested.usage().unwrap().output_tokens(), Some(5));
    ///     assert_eq!(nested.session_id(), Some(SessionId::Str("s1")));
    ///     assert_eq!(nested.agent_id(), Some("a1"));
    ///     assert_eq!(nested.parent_tool_use_id(), Some("t1"));
    ///     assert!(nested.is_sidechain());
    /// }
    /// # assert_eq!(record.message().nested().count(), 1);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    #[inline]
    pub fn nested(self) -> NestedMessages<'a> {
        NestedMessages(match self {
            Message::Progress(progress) => Source::Progress(progress),
            Message::TranscriptMirror(mirror) => Source::of_mirror(mirror),
            _ => Source::Empty,
        })
    }
}

/// An iterator over the records inside of a record: see [`Message::nested`].
#[derive(Clone, Debug)]
pub struct NestedMessages<'a>(Source<'a>);

#[derive(Clone, Debug)]
enum Source<'a> {
    Empty,
    Progress(Progress<'a>),
    Mirror(Items<'a>),
}

impl<'a> Source<'a> {
    fn of_mirror(mirror: TranscriptMirror<'a>) -> Source<'a> {
        let entries = mirror.value().get("entries");
        match entries.and_then(Value::as_array) {
            Some(entries) => Source::Mirror(entries.iter()),
            None => Source::Empty,
        }
    }
}

impl<'a> Iterator for NestedMessages<'a> {
    type Item = Nested<'a>;

    fn next(&mut self) -> Option<Nested<'a>> {
        match &mut self.0 {
            Source::Empty => None,
            Source::Progress(progress) => {
                let nested = Nested::of_progress(*progress);
                self.0 = Source::Empty;
                nested
            }
            Source::Mirror(entries) => {
                let entry = entries.find(|entry| entry.as_object().is_some());
                let message = Message::new(entry?);
                Some(Nested { message, progress: None })
            }
        }
    }
}

impl FusedIterator for NestedMessages<'_> {}

/// A record inside of another record, with the context that the outer line
/// provides.
///
/// [`Message::nested`] returns it, and has an example. It has all methods of a
/// [`Message`] by `Deref`. Those defined here take precedence: a message
/// inside of a `progress` line belongs to a sub-agent, and only the line knows
/// its session, its agent and the tool call that started the agent.
#[derive(Clone, Copy)]
pub struct Nested<'a> {
    message: Message<'a>,
    /// The line around the message, if it is a `progress` line.
    progress: Option<Progress<'a>>,
}

impl<'a> Nested<'a> {
    fn of_progress(progress: Progress<'a>) -> Option<Nested<'a>> {
        let data = progress.data()?;
        let message = data.message();
        let message = message.filter(|value| value.as_object().is_some())?;
        if !matches!(data.kind(), Some("agent_progress" | "skill_progress")) {
            // Other reports have a `message` of their own, such as a text.
            let [kind, said] = message.get_many(["type", "message"]);
            kind?.as_str()?;
            said?.as_object()?;
        }
        let message = Message::new(message);
        Some(Nested { message, progress: Some(progress) })
    }

    /// Returns the message itself.
    pub fn message(self) -> Message<'a> {
        self.message
    }

    /// Returns the identifier of the session.
    pub fn session_id(self) -> Option<SessionId<'a>> {
        let outer = self
            .progress
            .and_then(|progress| Message::Progress(progress).session_id());
        outer.or_else(|| self.message.session_id())
    }

    /// Returns the identifier of the sub-agent.
    pub fn agent_id(self) -> Option<&'a str> {
        let outer = self.progress.and_then(|progress| {
            let agent = progress.data().and_then(ProgressData::agent_id);
            agent.or_else(|| progress.agent_id())
        });
        outer.or_else(|| self.message.envelope().agent_id())
    }

    /// Returns the identifier of the tool call that started the sub-agent.
    pub fn parent_tool_use_id(self) -> Option<&'a str> {
        let outer = self.progress.and_then(Progress::parent_call);
        outer.or_else(|| self.message.envelope().parent_tool_use_id())
    }

    /// Returns the timestamp of the message, or else of the outer line.
    pub fn timestamp(self) -> Option<&'a str> {
        let own = self.message.timestamp();
        own.or_else(|| self.progress?.timestamp())
    }

    /// Returns whether the message belongs to a sub-agent. A message inside
    /// of a `progress` line always does.
    pub fn is_sidechain(self) -> bool {
        self.progress.is_some() || self.message.is_sidechain()
    }
}

impl<'a> Deref for Nested<'a> {
    type Target = Message<'a>;

    fn deref(&self) -> &Message<'a> {
        &self.message
    }
}

impl fmt::Debug for Nested<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.message, f)
    }
}
