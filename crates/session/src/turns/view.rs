use std::fmt;

use linetape::Position;

use crate::turns::{Call, Entry, Side, Turns};

/// Which conversation of a session a [`Turn`] is part of.
///
/// # Example
///
/// This shows how to tell a sub-agent from the main conversation.
///
/// ```
/// use linetape::lines;
/// use linetape_session::{Thread, Turns};
///
/// let log = br#"{"type":"user","message":{"content":"Ask around."}}
/// {"type":"user","parent_tool_use_id":"t1","message":{"content":"Ask."}}
/// "#;
/// let mut turns = Turns::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     let line = line?;
///     turns.add(line.peek()?, line.position());
/// }
/// let threads: Vec<_> = turns.turns().map(|turn| turn.thread()).collect();
/// assert_eq!(threads, [Thread::Main, Thread::Call("t1")]);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Thread<'t> {
    /// The main conversation.
    Main,
    /// The sub-agent that a tool call started: `parent_tool_use_id`.
    Call(&'t str),
    /// The sub-agent of a transcript: `agentId`.
    Agent(&'t str),
    /// A sidechain without a name, known by the uuid of its first line.
    Sidechain(&'t str),
}

/// How a run ended, as the agent says: its `result`, or the `Complete` of an
/// agent server.
///
/// # Example
///
/// See [`Turn`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunResult<'t> {
    /// Where it stands.
    pub position: Position,
    /// The kind of ending: the subtype of a `result`, such as `success` or
    /// `error_max_turns`, or why the model stopped, in a `Complete`.
    pub subtype: Option<&'t str>,
    /// Whether it was an error.
    pub is_error: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<f64>,
    /// How much of that was spent on the API.
    pub duration_api_ms: Option<f64>,
    /// How often the model was asked, as the agent counts.
    pub num_turns: Option<i64>,
}

/// A call of a tool, and what is known about its result.
///
/// # Example
///
/// See [`Turns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall<'t> {
    /// Identifies the call: its own id, or the uuid of its line.
    pub id: Option<&'t str>,
    /// The tool's name.
    pub name: Option<&'t str>,
    /// Where the call stands.
    pub position: Position,
    /// When the call was made, in milliseconds since 1970.
    pub called_at: Option<i64>,
    /// Where the result stands. `None` if there is none.
    pub answered: Option<Position>,
    /// When the result was there, in milliseconds since 1970.
    pub answered_at: Option<i64>,
    /// Whether the tool failed. An agent server does not say.
    pub is_error: bool,
    /// Which group of the turn the call is in, from 0. The calls of a group
    /// were made at once: by one message of the model, or before any of them
    /// had a result.
    pub group: u32,
}

impl<'t> ToolCall<'t> {
    pub(crate) fn new(turns: &'t Turns, call: &Call) -> ToolCall<'t> {
        ToolCall {
            id: call.id.and_then(|id| turns.names.name(id)),
            name: call.name.and_then(|name| turns.names.name(name)),
            position: call.position,
            called_at: call.called_at,
            answered: call.answered,
            answered_at: call.answered_at,
            is_error: call.is_error,
            group: call.group,
        }
    }

    /// How long it took until the result was there, in milliseconds. `None`
    /// if the lines do not say, or say that the result was there before.
    pub fn duration(&self) -> Option<u64> {
        let between = self.answered_at?.checked_sub(self.called_at?)?;
        u64::try_from(between).ok()
    }
}

/// A turn of a conversation: a prompt, and what was done about it.
///
/// # Example
///
/// This shows how a turn of a stream ended.
///
/// ```
/// use linetape::lines;
/// use linetape_session::Turns;
///
/// let log = br#"{"type":"assistant","session_id":"s1","message":{"id":"m1","content":[{"type":"text","text":"Done."}]}}
/// {"type":"result","subtype":"success","session_id":"s1","duration_ms":1500,"num_turns":1}
/// "#;
/// let mut turns = Turns::new();
/// let mut lines = lines(log);
/// while let Some(record) = lines.next_record() {
///     let record = record?;
///     turns.add(record.message(), record.position());
/// }
/// let turn = turns.turns().next().unwrap();
/// assert_eq!(turn.session(), Some("s1"));
/// assert!(turn.prompt().is_none());
/// assert_eq!(turn.stated_duration(), Some(1500.0));
///
/// let result = turn.result().unwrap();
/// assert_eq!((result.subtype, result.is_error), (Some("success"), false));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Turn<'t> {
    pub(crate) turns: &'t Turns,
    pub(crate) entry: &'t Entry,
}

impl<'t> Turn<'t> {
    /// The session. `None` if the lines do not say.
    pub fn session(self) -> Option<&'t str> {
        self.name(self.entry.place.0)
    }

    /// The conversation of the session.
    pub fn thread(self) -> Thread<'t> {
        let name = |number| self.name(Some(number)).unwrap_or_default();
        match self.entry.place.1 {
            Side::Main => Thread::Main,
            Side::Call(call) => Thread::Call(name(call)),
            Side::Agent(agent) => Thread::Agent(name(agent)),
            Side::Root(uuid) => Thread::Sidechain(name(uuid)),
        }
    }

    /// Where the prompt stands. `None` if it is not in the log.
    pub fn prompt(self) -> Option<Position> {
        self.entry.prompt
    }

    /// Where the turn begins: its prompt, or the first line that is there.
    pub fn position(self) -> Position {
        self.entry.position
    }

    /// The earliest time that a line of the turn states, in milliseconds
    /// since 1970.
    pub fn started_at(self) -> Option<i64> {
        self.entry.times.map(|times| times.0)
    }

    /// The latest time that a line of the turn states, in milliseconds since
    /// 1970.
    pub fn ended_at(self) -> Option<i64> {
        self.entry.times.map(|times| times.1)
    }

    /// From the first to the last line of the turn, in milliseconds, as their
    /// timestamps have it.
    pub fn duration(self) -> Option<u64> {
        self.entry.times.map(|(first, last)| last.abs_diff(first))
    }

    /// How long the turn took as the agent says, in milliseconds: in its
    /// result, or in the `system/turn_duration` of a transcript. The latter
    /// leaves out how long the agent waited for the user.
    pub fn stated_duration(self) -> Option<f64> {
        let result = self.entry.result.as_ref();
        let stated = result.and_then(|result| result.duration_ms);
        stated.or(self.entry.stated_duration)
    }

    /// How the run ended, if that was said.
    pub fn result(self) -> Option<RunResult<'t>> {
        let ended = self.entry.result.as_ref()?;
        Some(RunResult {
            position: ended.position,
            subtype: self.name(ended.subtype),
            is_error: ended.is_error,
            duration_ms: ended.duration_ms,
            duration_api_ms: ended.duration_api_ms,
            num_turns: ended.num_turns,
        })
    }

    /// How many messages of the model there are. One that is on several
    /// lines counts once.
    pub fn messages(self) -> u64 {
        self.entry.messages
    }

    /// How many lines tell of an error, other than the results of tools and
    /// of the run.
    pub fn errors(self) -> u64 {
        self.entry.errors
    }

    /// Whether the user broke the turn off.
    pub fn is_interrupted(self) -> bool {
        self.entry.is_interrupted
    }

    /// The calls of tools, in order of appearance.
    pub fn calls(self) -> impl Iterator<Item = ToolCall<'t>> {
        let calls = self.entry.calls.iter();
        calls.map(move |call| ToolCall::new(self.turns, call))
    }

    /// The calls that were made at once: each [group](ToolCall::group) that
    /// has more than one. A call that is made while a slow one of an earlier
    /// group is still at work is not in that group.
    pub fn parallel_groups(self) -> Vec<Vec<ToolCall<'t>>> {
        let calls: Vec<_> = self.calls().collect();
        let groups = calls.chunk_by(|one, next| one.group == next.group);
        let groups = groups.filter(|group| group.len() > 1);
        groups.map(|group| group.to_vec()).collect()
    }

    fn name(self, number: Option<u32>) -> Option<&'t str> {
        self.turns.names.name(number?)
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("session", &self.session())
            .field("thread", &self.thread())
            .field("position", &self.position())
            .field("calls", &self.entry.calls.len())
            .finish_non_exhaustive()
    }
}
