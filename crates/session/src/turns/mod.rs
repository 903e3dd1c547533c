mod calls;
mod prompt;
mod rules;
mod view;

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use linetape::timestamp::milliseconds;
use linetape::{
    Position,
    message::{Message, events::ApiEvent},
};

use crate::names::Names;

use calls::{Call, CallAt};
pub use view::{RunResult, Thread, ToolCall, Turn};

/// The turns of a log: what was asked, what tools were called for it, and
/// how it ended.
///
/// Feed it with messages, from decoding or from peeking, and ask it at any
/// time. All dialects are understood: streams, transcripts, and the events
/// of an agent server. Several sessions may be mixed in one log; each is
/// followed by itself, and so is each sub-agent.
///
/// # Where a turn begins and ends
///
/// A turn begins with a prompt: a message of the user that asks for
/// something. These are no prompts, and the turn goes on with them:
///
/// - the results of tools, even if the user wrote something beside them,
/// - what the program wrote (`isMeta`, or `isSynthetic` without an origin),
///   the output of a command, and what the model shall not answer,
/// - the summary after a compaction: what follows it still answers the same
///   prompt,
/// - an interruption; [`is_interrupted`](Turn::is_interrupted) tells.
///
/// The news that a background task is done sets the model to work again, so
/// it is a prompt. The prompt that a sub-agent is given begins a turn of the
/// sub-agent.
///
/// A turn ends before the next prompt of its thread. One of the main
/// conversation ends with the `result` or `Complete` of its session as well
/// (but not if the model only waits for a tool), or where the run ends without
/// one: before the next `system/init`, or when the session says that it is
/// idle. What comes
/// then without a prompt, or before the first one, is a turn without a
/// prompt. Streams need not have prompts at all.
///
/// # How results find their calls
///
/// By the call's id, within the session, however late. The first result
/// counts, and a call that is on several lines is one. Where calls have no
/// ids (`assistant/tool_use` with `toolName`), the line's uuid is the id. A
/// `system/tool_result` then answers the call that is its parent, or else
/// the oldest that waits in its turn; a `system/error` answers only its
/// parent.
///
/// # What it costs
///
/// Adding a message takes time in proportion to its text. Memory is about
/// 200 bytes for each turn, and with its id 300 for each tool call and 140 for
/// each message of the model. Of sidechains that have no name, the uuid of
/// every line is kept. Nothing else of the text is.
///
/// # Example
///
/// This shows how to list turns with the tools that they took.
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
///     turns.add(line.peek()?, line.position());
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
    turns: Vec<Entry>,
    /// The turn that each thread is in.
    open: HashMap<Place, u32>,
    /// Calls by session and id.
    calls: HashMap<(Option<u32>, u32), CallAt>,
    /// Results without a call.
    unasked: Vec<Position>,
    /// Which message of the model is in which turn.
    said: HashSet<(u32, u32)>,
    /// The lines of sidechains without a name, and the first of each.
    sides: HashMap<(Option<u32>, u32), u32>,
}

/// A conversation: a session's, or one of its sub-agents'.
pub(crate) type Place = (Option<u32>, Side);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    Main,
    Call(u32),
    Agent(u32),
    Root(u32),
}

/// Where and when a line stands.
#[derive(Clone, Copy)]
pub(crate) struct Here {
    place: Place,
    position: Position,
    at: Option<i64>,
}

#[derive(Clone)]
pub(crate) struct Entry {
    place: Place,
    prompt: Option<Position>,
    position: Position,
    /// The earliest and the latest timestamp.
    times: Option<(i64, i64)>,
    stated_duration: Option<f64>,
    messages: u64,
    errors: u64,
    is_interrupted: bool,
    calls: Vec<Call>,
    /// No call before this one waits for a result.
    oldest: usize,
    /// Whether a call of the last group has its result, and the message that
    /// made the last call.
    is_group_answered: bool,
    last_caller: Option<u32>,
    result: Option<Box<Ended>>,
}

/// See [`RunResult`].
#[derive(Clone)]
pub(crate) struct Ended {
    position: Position,
    subtype: Option<u32>,
    is_error: bool,
    duration_ms: Option<f64>,
    duration_api_ms: Option<f64>,
    num_turns: Option<i64>,
}

impl Turns {
    /// Nothing yet.
    pub fn new() -> Turns {
        Turns::default()
    }

    /// Adds a message that stands at a position.
    pub fn add(&mut self, message: Message<'_>, position: Position) {
        let place = self.place(message);
        let at = message.timestamp().and_then(milliseconds);
        let here = Here { place, position, at };
        match message {
            Message::User(user) => self.add_user(here, user),
            Message::Assistant(said) => self.add_said(here, message, said),
            Message::System(system) => self.add_system(here, message, system),
            Message::Result(result) => self.add_result(here, result),
            Message::Input(_) => _ = self.begin(here, Some(position)),
            Message::Ui(ui) => self.add_event(here, ui.event()),
            Message::StreamEvent(event) => {
                // An answer that is cut off may have no other line.
                if let Some(ApiEvent::MessageStart(start)) = event.event() {
                    let id = start.message().and_then(|start| start.id());
                    let turn = self.turn(here);
                    self.count(turn, id);
                }
            }
            _ => {}
        }
    }

    fn place(&mut self, message: Message<'_>) -> Place {
        let session = self.names.session(message);
        let envelope = message.envelope();
        if let Some(call) = envelope.parent_tool_use_id() {
            return (session, Side::Call(self.names.number(call)));
        }
        if envelope.is_sidechain() != Some(true) {
            return (session, Side::Main);
        }
        if let Some(agent) = envelope.agent_id() {
            return (session, Side::Agent(self.names.number(agent)));
        }
        // Without a name, a line is part of the sidechain that it follows.
        let uuid = self.names.number(envelope.uuid().unwrap_or_default());
        let parent = envelope.parent_uuid();
        let parent = parent.map(|parent| self.names.number(parent));
        let root = parent.and_then(|up| self.sides.get(&(session, up)));
        let root = root.copied().unwrap_or(uuid);
        self.sides.insert((session, uuid), root);
        (session, Side::Root(root))
    }

    /// Begins a turn, and ends the one before.
    fn begin(&mut self, here: Here, prompt: Option<Position>) -> u32 {
        let turn = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
        self.open.insert(here.place, turn);
        self.turns.push(Entry {
            place: here.place,
            prompt,
            position: here.position,
            times: here.at.map(|at| (at, at)),
            stated_duration: None,
            messages: 0,
            errors: 0,
            is_interrupted: false,
            calls: vec![],
            oldest: 0,
            is_group_answered: false,
            last_caller: None,
            result: None,
        });
        turn
    }

    /// The turn that a line is part of. It may be the line that begins it.
    fn turn(&mut self, here: Here) -> u32 {
        let Some(&turn) = self.open.get(&here.place) else {
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

    fn with(&mut self, turn: u32, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.turns.get_mut(turn as usize) {
            change(entry);
        }
    }

    /// Counts a message of the model, once for all of its lines.
    fn count(&mut self, turn: u32, id: Option<&str>) -> Option<u32> {
        let id = id.map(|id| self.names.number(id));
        let is_new = id.is_none_or(|id| self.said.insert((id, turn)));
        self.with(turn, |entry| entry.messages += u64::from(is_new));
        id
    }

    /// The turns, in order of appearance.
    pub fn turns(&self) -> impl Iterator<Item = Turn<'_>> {
        self.turns.iter().map(|entry| Turn { turns: self, entry })
    }

    /// A call of a session, by its id.
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
        let call = self.turns.get(turn as usize)?.calls.get(at)?;
        Some(ToolCall::new(self, call))
    }

    /// The calls that have no result, turn by turn: the tool is still at
    /// work, or the user interrupted it, or the log was cut.
    pub fn unanswered(&self) -> impl Iterator<Item = ToolCall<'_>> {
        let calls = self.turns().flat_map(|turn| turn.calls());
        calls.filter(|call| call.answered.is_none())
    }

    /// Where the results stand that no call was seen for, one by one. The
    /// calls may have been before the log began.
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
