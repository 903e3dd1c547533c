/*!
The public types of turns and tool calls.
*/

use std::fmt;

use linetape::Position;

use crate::{
    Thread,
    ids::NameId,
    turns::{CallEntry, ThreadId, TurnEntry, Turns},
};

/// The end of a run, as reported by the agent: a `result` line, or the
/// `Complete` event of an agent server.
///
/// # Example
///
/// See [`Turn`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunResult<'t> {
    /// The position of the line.
    pub position: Position,
    /// The subtype of a `result`, such as `success` or `error_max_turns`, or
    /// the stop reason of a `Complete`.
    pub subtype: Option<&'t str>,
    /// Whether the run ended with an error.
    pub is_error: bool,
    /// The duration of the run in milliseconds.
    pub duration_ms: Option<f64>,
    /// The part of the duration that was spent on API requests.
    pub duration_api_ms: Option<f64>,
    /// The number of requests to the model, as the agent counts them.
    pub num_turns: Option<i64>,
}

/// A tool call and its result.
///
/// # Example
///
/// See [`Turns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ToolCall<'t> {
    /// The id of the call, or the uuid of its line if it has none.
    pub id: Option<&'t str>,
    /// The tool's name.
    pub name: Option<&'t str>,
    /// The position of the line with the call.
    pub position: Position,
    /// The time of the call, in milliseconds since the Unix epoch.
    pub called_at: Option<i64>,
    /// The position of the line with the result. `None` without a result.
    pub answered: Option<Position>,
    /// The time of the result, in milliseconds since the Unix epoch.
    pub answered_at: Option<i64>,
    /// Whether the tool failed. Always `false` for an agent server, whose
    /// events do not contain it.
    pub is_error: bool,
    /// The index of the call's group in the turn. The calls of a group ran in
    /// parallel: they are in one message, or all of them were made before the
    /// first result.
    pub group: u32,
}

impl<'t> ToolCall<'t> {
    pub(crate) fn new(turns: &'t Turns, call: &CallEntry) -> ToolCall<'t> {
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

    /// Returns the time from the call to the result, in milliseconds. `None`
    /// if a timestamp is missing, or the result is earlier than the call.
    pub fn duration(&self) -> Option<u64> {
        let between = self.answered_at?.checked_sub(self.called_at?)?;
        u64::try_from(between).ok()
    }
}

/// A turn of a conversation: a prompt and the messages that answer it.
///
/// # Example
///
/// This shows how to read the end of a turn in a stream.
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
    pub(crate) entry: &'t TurnEntry,
}

impl<'t> Turn<'t> {
    /// Returns the session. `None` if the lines have no session id.
    pub fn session(self) -> Option<&'t str> {
        self.name(self.entry.thread.0)
    }

    /// Returns the thread of the session.
    pub fn thread(self) -> Thread<'t> {
        let name = |id| self.name(Some(id)).unwrap_or_default();
        match self.entry.thread.1 {
            ThreadId::Main => Thread::Main,
            ThreadId::Call(call) => Thread::Call(name(call)),
            ThreadId::Agent(agent) => Thread::Agent(name(agent)),
            ThreadId::Sidechain(uuid) => Thread::Sidechain(name(uuid)),
        }
    }

    /// Returns the position of the prompt. `None` if the log does not have it.
    pub fn prompt(self) -> Option<Position> {
        self.entry.prompt
    }

    /// Returns the position of the turn's prompt, or else of its first line.
    pub fn position(self) -> Position {
        self.entry.position
    }

    /// Returns the earliest timestamp of the turn's lines, in milliseconds
    /// since the Unix epoch.
    pub fn started_at(self) -> Option<i64> {
        self.entry.times.map(|times| times.0)
    }

    /// Returns the latest timestamp of the turn's lines, in milliseconds
    /// since the Unix epoch.
    pub fn ended_at(self) -> Option<i64> {
        self.entry.times.map(|times| times.1)
    }

    /// Returns the time between the earliest and the latest timestamp of the
    /// turn's lines, in milliseconds.
    pub fn duration(self) -> Option<u64> {
        self.entry.times.map(|(first, last)| last.abs_diff(first))
    }

    /// Returns the duration that the agent reports, in milliseconds: in its
    /// result, or in the `system/turn_duration` of a transcript. The latter
    /// does not include the time that the agent waited for the user.
    pub fn stated_duration(self) -> Option<f64> {
        let result = self.entry.result.as_ref();
        let stated = result.and_then(|result| result.duration_ms);
        stated.or(self.entry.stated_duration)
    }

    /// Returns the end of the run, if the log has it.
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

    /// Returns the number of messages of the model. A message that is on
    /// several lines counts once.
    pub fn messages(self) -> u64 {
        self.entry.messages
    }

    /// Returns the number of lines that report an error, other than tool
    /// results and the result of the run.
    pub fn errors(self) -> u64 {
        self.entry.errors
    }

    /// Returns whether the user interrupted the turn.
    pub fn is_interrupted(self) -> bool {
        self.entry.is_interrupted
    }

    /// Returns the tool calls, in order of appearance.
    pub fn calls(self) -> impl Iterator<Item = ToolCall<'t>> {
        let calls = self.entry.calls.iter();
        calls.map(move |call| ToolCall::new(self.turns, call))
    }

    /// Returns the calls that ran in parallel: each [group](ToolCall::group)
    /// with more than one call. A call that another message makes after the
    /// first result of a group is not in that group, even if other calls of
    /// the group are still running.
    pub fn parallel_groups(self) -> Vec<Vec<ToolCall<'t>>> {
        let calls: Vec<_> = self.calls().collect();
        let groups = calls.chunk_by(|one, next| one.group == next.group);
        let groups = groups.filter(|group| group.len() > 1);
        groups.map(|group| group.to_vec()).collect()
    }

    fn name(self, id: Option<NameId>) -> Option<&'t str> {
        self.turns.names.name(id?)
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
