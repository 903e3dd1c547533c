/*!
Assembling streamed messages from their deltas.
*/

use std::{
    collections::HashMap,
    fmt::{self, Write},
};

use linetape::{
    Error, Value,
    message::{
        Ending, FromValue, Message, Usage,
        events::{
            AbandonedBlocks, ContentBlockDelta, ContentBlockStart,
            ContentBlockStop, MessageDelta, MessageStart,
        },
    },
};

use crate::{Assembled, AssembledBlock, Facts, tokens::Figures};

/// Assembles messages of the model from `stream_event` lines.
///
/// Add all messages of a log, decoded or peeked. [`add`](Deltas::add) returns
/// a message as soon as it is complete, so memory does not grow with the log.
/// An assembled message has the same blocks as the `assistant` lines that the
/// agent writes for it.
///
/// Several agents may stream at the same time: the session and the
/// `parent_tool_use_id` of a line identify its message. Events with
/// `event_type` and `data` in place of `type` are read in the same way.
///
/// # Irregular streams
///
/// - A truncated message is returned when the next message of its thread
///   begins, or by [`take_unfinished`](Deltas::take_unfinished).
/// - A second block with the same index is a separate block, and later deltas
///   with that index belong to it. Indexes may have gaps.
/// - Blocks that the agent reports as abandoned are dropped.
/// - A delta of an unknown type, or for a message or block that was never
///   started, is dropped and [counted](Deltas::lost).
///
/// # Costs
///
/// The text of each delta is copied once. Memory is that of the unfinished
/// messages: the text of their lines, and about 400 bytes for each block.
/// Members of a block other than text and input are kept as JSON, which can be
/// six times as long as in the line if every character must be escaped.
///
/// # Example
///
/// This shows how to assemble a tool call.
///
/// ```
/// use linetape::lines;
/// use linetape_session::Deltas;
///
/// let log = br#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1","model":"opus"}}}
/// {"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"Read","input":{}}}}
/// {"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}}
/// {"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"a.txt\"}"}}}
/// {"type":"stream_event","event":{"type":"content_block_stop","index":0}}
/// {"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}}
/// {"type":"stream_event","event":{"type":"message_stop"}}
/// "#;
/// let mut deltas = Deltas::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     if let Some(message) = deltas.add(line?.checked()?)? {
///         assert_eq!(message.id.as_deref(), Some("m1"));
///         assert_eq!(message.stop_reason.as_deref(), Some("tool_use"));
///         let call = &message.blocks[0];
///         assert_eq!(call.name(), Some("Read"));
///         assert_eq!(call.input(), Some(r#"{"path":"a.txt"}"#));
///     }
/// }
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Deltas {
    /// The unfinished messages, by session and tool call.
    ///
    /// Keys are not interned: an interner never removes a string, and a
    /// stream may run forever.
    open: HashMap<Box<str>, Open>,
    begun: u64,
    lost: u64,
    /// A reused buffer for building keys.
    key: String,
}

/// An unfinished message.
#[derive(Clone, Default)]
struct Open {
    message: Assembled,
    /// For each block index, the position in `message.blocks` of the last
    /// block with it.
    positions: HashMap<u64, usize>,
    /// The number of messages that began before this one.
    order: u64,
}

impl Deltas {
    /// Creates an assembler without messages.
    pub fn new() -> Deltas {
        Deltas::default()
    }

    /// Adds a message. Messages other than stream events are ignored.
    ///
    /// Returns the assembled message if this event ends it. If this event
    /// begins the next message of a thread, returns the previous message of
    /// the thread, if that is unfinished.
    ///
    /// # Errors
    ///
    /// Returns the error of decoding the line, if it is a stream event that
    /// was not checked before and is invalid. Nothing is added then, since the
    /// message could lack some of its text.
    pub fn add(
        &mut self,
        message: Message<'_>,
    ) -> Result<Option<Assembled>, Error> {
        self.add_facts(&Facts::of(message))
    }

    /// Adds a message by its facts. Otherwise the same as
    /// [`add`](Deltas::add).
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`add`](Deltas::add).
    pub fn add_facts(
        &mut self,
        facts: &Facts<'_>,
    ) -> Result<Option<Assembled>, Error> {
        let message = facts.message();
        if !matches!(message, Message::StreamEvent(_) | Message::Event(_)) {
            return Ok(None);
        }
        message.check()?;
        Ok(self.add_event(facts))
    }

    /// Adds a stream event of a line that has passed the full check.
    fn add_event(&mut self, facts: &Facts<'_>) -> Option<Assembled> {
        let message = facts.message();
        let (name, event) = match message {
            Message::StreamEvent(stream) => {
                let event = stream.event()?.value();
                (event.get("type")?.as_str()?, event)
            }
            Message::Event(raw) => (raw.event_type()?, raw.data()?),
            _ => return None,
        };
        self.set_key(facts);
        if let Message::StreamEvent(stream) = message
            && let Some(abandoned) = stream.abandoned_blocks()
            && let Some(open) = self.open.get_mut(self.key.as_str())
        {
            open.abandon(abandoned);
        }
        match name {
            "message_start" => return self.start(facts, event),
            "message_stop" => return self.stop(),
            "ping" | "error" => return None,
            _ => {}
        }
        let open = self.open.get_mut(self.key.as_str());
        let is_used = open.is_some_and(|open| {
            let is_used = open.add(name, event).is_some();
            let lost = &mut open.message.lost;
            *lost = lost.saturating_add(u64::from(!is_used));
            is_used
        });
        self.lost = self.lost.saturating_add(u64::from(!is_used));
        None
    }

    /// Sets `self.key` to the key of a line's thread. Unlike
    /// [`Facts::thread`], it does not need `isSidechain`, which stream events
    /// do not have.
    fn set_key(&mut self, facts: &Facts<'_>) {
        self.key.clear();
        let session = facts.session();
        let call = facts.parent_tool_use_id();
        // `Debug` quotes the strings, so that different pairs have different
        // keys. Writing to a `String` cannot fail.
        let _ = write!(self.key, "{session:?} {call:?}");
    }

    fn start(
        &mut self,
        facts: &Facts<'_>,
        event: Value<'_>,
    ) -> Option<Assembled> {
        let owned = |text: Option<&str>| text.map(str::to_string);
        let inner =
            MessageStart::from_value(event).and_then(|start| start.message());
        let id = inner.and_then(|inner| inner.id());
        let bare_id = || event.get("message_id")?.as_str();
        let mut open = Open { order: self.begun, ..Open::default() };
        self.begun = self.begun.saturating_add(1);
        let begun = &mut open.message;
        begun.session = facts.session().map(|id| id.to_string());
        begun.parent_tool_use_id = owned(facts.parent_tool_use_id());
        begun.id = owned(id.or_else(bare_id));
        begun.role = owned(inner.and_then(|inner| inner.role()));
        begun.model = owned(inner.and_then(|inner| inner.model()));
        if let Some(inner) = inner {
            begun.state(*inner, inner.usage());
        }
        let before = self.open.insert(self.key.as_str().into(), open);
        before.map(|before| before.finish(false))
    }

    fn stop(&mut self) -> Option<Assembled> {
        let open = self.open.remove(self.key.as_str());
        self.lost = self.lost.saturating_add(u64::from(open.is_none()));
        open.map(|open| open.finish(true))
    }

    /// Removes and returns the unfinished messages, in the order in which they
    /// began. Call it at the end of a log.
    pub fn take_unfinished(&mut self) -> Vec<Assembled> {
        let mut open: Vec<_> =
            self.open.drain().map(|(_, open)| open).collect();
        open.sort_unstable_by_key(|open| open.order);
        open.into_iter().map(|open| open.finish(false)).collect()
    }

    /// Returns the number of dropped deltas, including those that belong to no
    /// message.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

impl fmt::Debug for Deltas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deltas")
            .field("open", &self.open.len())
            .field("lost", &self.lost)
            .finish_non_exhaustive()
    }
}

impl Open {
    /// Adds an event. Returns `None` if it does not fit and is dropped.
    fn add(&mut self, name: &str, event: Value<'_>) -> Option<()> {
        match name {
            "content_block_start" => {
                let start = ContentBlockStart::from_value(event)?;
                let (index, block) = (start.index()?, start.content_block()?);
                self.positions.insert(index, self.message.blocks.len());
                let block = AssembledBlock::begin(index, block.value());
                self.message.blocks.push(block);
            }
            "content_block_delta" => {
                let piece = ContentBlockDelta::from_value(event)?;
                let block = self.block(piece.index()?)?;
                return block.add(piece.delta()?).then_some(());
            }
            "content_block_stop" => {
                let index = ContentBlockStop::from_value(event)?.index()?;
                self.block(index)?.is_finished = true;
            }
            "message_delta" => {
                let delta = MessageDelta::from_value(event)?;
                let ending = match delta.delta() {
                    Some(delta) => *delta,
                    None => Ending::from_value(event)?,
                };
                self.message.state(ending, delta.usage());
            }
            _ => return None,
        }
        Some(())
    }

    fn block(&mut self, index: u64) -> Option<&mut AssembledBlock> {
        self.message.blocks.get_mut(*self.positions.get(&index)?)
    }

    /// Drops the blocks that the agent reports as abandoned: all from an
    /// index on.
    fn abandon(&mut self, abandoned: AbandonedBlocks<'_>) {
        let is_other = abandoned.api_message_id().is_some_and(|id| {
            self.message.id.as_deref().is_some_and(|own| own != id)
        });
        let Some(from) = abandoned.from_block_index() else { return };
        if is_other {
            return;
        }
        let blocks = &mut self.message.blocks;
        blocks.retain(|block| block.index < from);
        self.positions = blocks
            .iter()
            .enumerate()
            .map(|(position, block)| (block.index, position))
            .collect();
    }

    fn finish(mut self, is_finished: bool) -> Assembled {
        self.message.is_finished = is_finished;
        // A stable sort: blocks with the same index keep their order.
        self.message.blocks.sort_by_key(|block| block.index);
        let blocks = self.message.blocks.iter_mut();
        blocks.for_each(AssembledBlock::close);
        self.message
    }
}

impl Assembled {
    /// Updates the stop reason, stop sequence and usage.
    fn state(&mut self, ending: Ending<'_>, usage: Option<Usage<'_>>) {
        if let Some(reason) = ending.stop_reason() {
            self.stop_reason = Some(reason.as_str().to_string());
        }
        if let Some(sequence) = ending.stop_sequence() {
            self.stop_sequence = Some(sequence.to_string());
        }
        if let Some(usage) = usage {
            let mut figures = Figures::from(self.usage.unwrap_or_default());
            figures.update(Figures::of(usage.value()));
            self.usage = Some(figures.tokens());
        }
    }
}
