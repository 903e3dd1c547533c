/*!
Turns: a log grouped by prompts, with tool calls and results.

`mod.rs` begins and ends turns, `rules` has a method for each type of message,
`calls` matches results with calls, `prompt` recognises prompts, `thread` finds
the thread of a message, and `view` has the public types.
*/

mod calls;
mod prompt;
mod rules;
mod thread;
mod view;

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use linetape::{
    Position,
    message::{Message, events::ApiEvent},
};

use crate::{
    Facts,
    ids::{Index, NameId, Names},
};

use calls::{CallAt, CallEntry};
pub(crate) use prompt::is_prompt;
pub(crate) use thread::ThreadId;
pub use view::{RunResult, ToolCall, Turn};

/// The turns of a log: a prompt, the tool calls that it led to, and how the
/// turn ended.
///
/// Add messages in log order, decoded or peeked, and query the turns at any
/// time. All dialects are supported: streams, transcripts, and the events of
/// an agent server. A log may mix several sessions; each session and each
/// sub-agent is tracked separately.
///
/// # Where a turn begins and ends
///
/// A turn begins with a prompt: a message in which the user asks for
/// something. These messages are not prompts, and the turn continues with
/// them:
///
/// - tool results, even if the same message has text of the user,
/// - messages that the agent program wrote (`isMeta`, or `isSynthetic` without
///   an origin), the output of a command, and messages whose `shouldQuery` is
///   `false`,
/// - the summary after a compaction: the messages after it still answer the
///   same prompt,
/// - an interruption: see [`is_interrupted`](Turn::is_interrupted).
///
/// A notification that a background task is done is a prompt, since the model
/// answers it. A prompt that the user types during a turn is an attachment
/// (`queued_command`). The prompt of a sub-agent begins a turn of the
/// sub-agent.
///
/// A turn ends before the next prompt of its thread. A turn of the main
/// conversation also ends with the `result` or `Complete` of its session
/// (unless its stop reason is `ToolUse`). If the run has neither, the turn
/// ends before the next `system/init`, or when the session reports that it is
/// idle. Messages that follow without a prompt, and those before the first
/// prompt, form a turn without a prompt. Streams may have no prompts at all.
///
/// # How results are matched with calls
///
/// By the call's id within the session, however late the result is. The first
/// result is used, and a call that is on several lines counts once. Where
/// calls have no ids (`assistant/tool_use` with `toolName`), the line's uuid
/// is the id. Then a `system/tool_result` is the result of the call that is
/// its parent, or else of the first call of its turn without a result. A
/// `system/error` can only be the result of its parent.
///
/// # Costs
///
/// Adding a message takes time in proportion to its text. Memory is about
/// 200 bytes for each turn, 300 for each tool call and 140 for each message of
/// the model, including ids. For sidechains without a name, the uuid of every
/// line is kept. No other text is kept.
///
/// # Example
///
/// This shows how to list turns with their tool calls.
///
/// ```
/// use linetape::lines;
/// use linetape_session::Turns;
///
/// let log = br#"{"type":"user","timestamp":"2026-01-31T10:00:00Z","message":{"content":"Is it raining?"}}
/// {"type":"assistant","timestamp":"2026-01-31T10:00:02Z","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Look"}]}}
/// {"type":"assistant","timestamp":"2026-01-31T10:00:02Z","message":{"id":"m1","content":[{"type":"tool_use","id":"t2","name":"Listen"}]}}
/// {"type":"user","timestamp":"2026-01-31T10:00:05Z","message":{"content":[{"type":"tool_result","tool_use_id":"t2","is_error":true}]}}
/// {"type":"user","timestamp":"2026-01-31T10:00:06Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}
/// {"type":"assistant","timestamp":"2026-01-31T10:00:08Z","message":{"id":"m2","content":[{"type":"text","text":"It is."}]}}
/// "#;
/// let mut turns = Turns::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     let line = line?;
///     turns.add(line.checked()?, line.position());
/// }
///
/// let turn = turns.turns().next().unwrap();
/// assert_eq!(turn.prompt().unwrap().line(), 1);
/// assert_eq!((turn.messages(), turn.duration()), (2, Some(8_000)));
///
/// let calls: Vec<_> = turn
///     .calls()
///     .map(|call| (call.name.unwrap(), call.duration(), call.is_error))
///     .collect();
/// assert_eq!(calls[0], ("Look", Some(4_000), false));
/// assert_eq!(calls[1], ("Listen", Some(3_000), true));
/// assert_eq!(turn.parallel_groups()[0].len(), 2);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Turns {
    /// Sessions, threads, tools, and the ids of messages and calls.
    names: Names,
    turns: Vec<TurnEntry>,
    /// The open turn of each thread.
    open: HashMap<ThreadKey, Index>,
    /// Calls by session and id.
    calls: HashMap<(Option<NameId>, NameId), CallAt>,
    /// Results without a call.
    unasked: Vec<Position>,
    /// The messages of the model that were counted, with their turns.
    said: HashSet<(NameId, Index)>,
    /// For each line of a sidechain without a name, by session and uuid: the
    /// uuid of the first line of the sidechain.
    sidechains: HashMap<(Option<NameId>, NameId), NameId>,
}

/// A session, and a thread of it.
pub(crate) type ThreadKey = (Option<NameId>, ThreadId);

/// The thread, position and time of a line.
#[derive(Clone, Copy)]
pub(crate) struct Here {
    thread: ThreadKey,
    position: Position,
    at: Option<i64>,
}

/// See [`Turn`].
#[derive(Clone)]
pub(crate) struct TurnEntry {
    thread: ThreadKey,
    prompt: Option<Position>,
    position: Position,
    /// The earliest and the latest timestamp.
    times: Option<(i64, i64)>,
    stated_duration: Option<f64>,
    messages: u64,
    errors: u64,
    is_interrupted: bool,
    calls: Vec<CallEntry>,
    /// All calls before this index have a result.
    first_unanswered: usize,
    /// Whether any call of the last group has a result.
    is_group_answered: bool,
    /// The message that made the last call.
    last_caller: Option<NameId>,
    result: Option<Box<Ended>>,
}

/// See [`RunResult`].
#[derive(Clone, Default)]
pub(crate) struct Ended {
    position: Position,
    subtype: Option<NameId>,
    is_error: bool,
    duration_ms: Option<f64>,
    duration_api_ms: Option<f64>,
    num_turns: Option<i64>,
}

impl Turns {
    /// Creates an empty list of turns.
    pub fn new() -> Turns {
        Turns::default()
    }

    /// Adds a message and the position of its line.
    pub fn add(&mut self, message: Message<'_>, position: Position) {
        self.add_facts(&Facts::of(message), position);
    }

    /// Adds a message by its facts.
    pub fn add_facts(&mut self, facts: &Facts<'_>, position: Position) {
        let thread = self.thread_of(facts);
        let here = Here { thread, position, at: facts.time() };
        match facts.message() {
            Message::User(user) => self.add_user(here, facts, user),
            Message::Assistant(said) => self.add_assistant(here, facts, said),
            Message::System(system) => self.add_system(here, facts, system),
            Message::Result(_) => {
                if let Some(result) = facts.run_result() {
                    self.add_result(here, facts, result);
                }
            }
            Message::Input(_) => _ = self.begin(here, Some(position)),
            Message::Ui(ui) => self.add_event(here, facts, ui.event()),
            Message::Attachment(_) => {
                if facts.queued_prompt().is_some() {
                    self.begin(here, Some(position));
                }
            }
            Message::StreamEvent(event) => {
                // A truncated message may have no other line.
                if let Some(ApiEvent::MessageStart(start)) = event.event() {
                    let id = start.message().and_then(|start| start.id());
                    let turn = self.turn(here);
                    self.count(turn, id);
                }
            }
            _ => facts
                .nested()
                .for_each(|nested| self.add_facts(&nested, position)),
        }
    }

    /// Returns the session and thread of a message.
    fn thread_of(&mut self, facts: &Facts<'_>) -> ThreadKey {
        let session = facts.session();
        let session = session.map(|id| self.names.intern_session(id));
        let sidechains = &mut self.sidechains;
        let thread = ThreadId::of(session, facts, &mut self.names, sidechains);
        (session, thread)
    }

    /// Begins a turn, and so ends the open turn of the thread.
    fn begin(&mut self, here: Here, prompt: Option<Position>) -> Index {
        let turn = Index::next(&self.turns);
        self.open.insert(here.thread, turn);
        self.turns.push(TurnEntry {
            thread: here.thread,
            prompt,
            position: here.position,
            times: here.at.map(|at| (at, at)),
            stated_duration: None,
            messages: 0,
            errors: 0,
            is_interrupted: false,
            calls: vec![],
            first_unanswered: 0,
            is_group_answered: false,
            last_caller: None,
            result: None,
        });
        turn
    }

    /// Returns the open turn of a line's thread. Begins a turn if none is
    /// open.
    fn turn(&mut self, here: Here) -> Index {
        let Some(&turn) = self.open.get(&here.thread) else {
            return self.begin(here, None);
        };
        self.with(turn, |entry| {
            let first = entry.times.or(here.at.map(|at| (at, at)));
            entry.times = first.map(|(first, last)| {
                let at = here.at.unwrap_or(last);
                (first.min(at), last.max(at))
            });
        });
        turn
    }

    fn with(&mut self, turn: Index, change: impl FnOnce(&mut TurnEntry)) {
        if let Some(entry) = self.turns.get_mut(turn.get()) {
            change(entry);
        }
    }

    /// Counts a message of the model, unless an earlier line of it was
    /// counted. Returns the id of the message.
    fn count(&mut self, turn: Index, id: Option<&str>) -> Option<NameId> {
        let id = id.map(|id| self.names.intern(id));
        let is_new = id.is_none_or(|id| self.said.insert((id, turn)));
        self.with(turn, |entry| {
            let new = u64::from(is_new);
            entry.messages = entry.messages.saturating_add(new);
        });
        id
    }

    /// Returns the turns, in order of appearance.
    pub fn turns(&self) -> impl Iterator<Item = Turn<'_>> {
        self.turns.iter().map(|entry| Turn { turns: self, entry })
    }

    /// Returns the tool call with an id in a session. Pass `None` as `session`
    /// for calls on lines without a session id.
    pub fn find_call(
        &self,
        session: Option<&str>,
        id: &str,
    ) -> Option<ToolCall<'_>> {
        let session = match session {
            Some(session) => Some(self.names.find(session)?),
            None => None,
        };
        let id = self.names.find(id)?;
        let (turn, at) = *self.calls.get(&(session, id))?;
        let call = self.turns.get(turn.get())?.calls.get(at)?;
        Some(ToolCall::new(self, call))
    }

    /// Returns the calls without a result, turn by turn: the tool is still
    /// running, the user interrupted it, or the log is incomplete.
    pub fn unanswered(&self) -> impl Iterator<Item = ToolCall<'_>> {
        let calls = self.turns().flat_map(|turn| turn.calls());
        calls.filter(|call| call.answered.is_none())
    }

    /// Returns the positions of the results without a call. The calls may
    /// precede the log.
    pub fn unasked(&self) -> &[Position] {
        &self.unasked
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turns")
            .field("turns", &self.turns.len())
            .field("calls", &self.calls.len())
            .field("unasked", &self.unasked.len())
            .finish_non_exhaustive()
    }
}
