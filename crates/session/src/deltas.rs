use std::{
    collections::HashMap,
    fmt::{self, Write},
};

use linetape::{
    Value,
    message::{
        Ending, FromValue, Message, Usage,
        events::{
            AbandonedBlocks, ContentBlockDelta, ContentBlockStart,
            ContentBlockStop, MessageDelta, MessageStart,
        },
    },
};

use crate::{Assembled, AssembledBlock, tokens::Figures};

/// Puts messages of the model together that come in piece by piece, as
/// `stream_event` lines.
///
/// Feed it with all messages, from decoding or from peeking. The line that
/// ends a message gives it out, so that nothing has to be asked for and
/// nothing piles up. Its blocks are those of the `assistant` lines that the
/// agent writes for it.
///
/// Sub-agents may talk at the same time: pieces are told apart by their
/// session and their `parent_tool_use_id`. Events that have `event_type` and
/// `data`, and no `type`, are read in the same way.
///
/// # What is odd in a stream
///
/// - A message that was cut off is given out when the next one of its thread
///   begins, or by [`take_unfinished`](Deltas::take_unfinished).
/// - A block whose index was there before is one more block, and gets the
///   pieces from then on. Indexes may be any numbers.
/// - Blocks that the agent says were abandoned are dropped.
/// - A piece of an unknown kind, or for a message or block that has not
///   begun, is counted, and left out.
///
/// # What it costs
///
/// Each piece is copied once. Memory is that of the messages that have begun
/// and not ended: what their lines say, and about 400 bytes for each block.
/// What a block holds besides text and input is kept as JSON, which can be
/// six times as long as its line has it if every character must be escaped.
///
/// # Example
///
/// This shows how to put a tool call together.
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
///     if let Some(message) = deltas.add(line?.peek()?) {
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
    /// By session and tool call.
    open: HashMap<Box<str>, Open>,
    begun: u64,
    lost: u64,
    /// Where keys are put together.
    key: String,
}

/// A message that has begun.
#[derive(Clone, Default)]
struct Open {
    message: Assembled,
    /// The last block with each index.
    places: HashMap<u64, usize>,
    /// How many messages began before it.
    number: u64,
}

impl Deltas {
    /// No pieces yet.
    pub fn new() -> Deltas {
        Deltas::default()
    }

    /// Adds a piece. Messages that are none change nothing.
    ///
    /// It gives a message out that has ended, or that will never end because
    /// the next one has begun.
    pub fn add(&mut self, message: Message<'_>) -> Option<Assembled> {
        let (name, event) = match message {
            Message::StreamEvent(stream) => {
                let event = stream.event()?.value();
                (event.get("type")?.as_str()?, event)
            }
            Message::Event(raw) => (raw.event_type()?, raw.data()?),
            _ => return None,
        };
        self.set_key(message);
        if let Message::StreamEvent(stream) = message
            && let Some(abandoned) = stream.abandoned_blocks()
            && let Some(open) = self.open.get_mut(self.key.as_str())
        {
            open.abandon(abandoned);
        }
        match name {
            "message_start" => return self.start(message, event),
            "message_stop" => return self.stop(),
            "ping" | "error" => return None,
            _ => {}
        }
        let open = self.open.get_mut(self.key.as_str());
        let is_of_use = open.is_some_and(|open| {
            let is_of_use = open.add(name, event).is_some();
            open.message.lost += u64::from(!is_of_use);
            is_of_use
        });
        self.lost += u64::from(!is_of_use);
        None
    }

    fn set_key(&mut self, message: Message<'_>) {
        self.key.clear();
        let session = message.session_id();
        let call = message.envelope().parent_tool_use_id();
        // As they are shown, strings end where they end. Writing to one does
        // not fail.
        let _ = write!(self.key, "{session:?} {call:?}");
    }

    fn start(
        &mut self,
        message: Message<'_>,
        event: Value<'_>,
    ) -> Option<Assembled> {
        let owned = |text: Option<&str>| text.map(str::to_string);
        let inner =
            MessageStart::from_value(event).and_then(|start| start.message());
        let id = inner.and_then(|inner| inner.id());
        let bare_id = || event.get("message_id")?.as_str();
        let mut open = Open { number: self.begun, ..Open::default() };
        self.begun += 1;
        let begun = &mut open.message;
        begun.session = message.session_id().map(|id| id.to_string());
        begun.parent_tool_use_id =
            owned(message.envelope().parent_tool_use_id());
        begun.id = owned(id.or_else(bare_id));
        begun.role = owned(inner.and_then(|inner| inner.role()));
        begun.model = owned(inner.and_then(|inner| inner.model()));
        if let Some(inner) = inner {
            begun.state(*inner, inner.usage());
        }
        let before = self.open.insert(self.key.as_str().into(), open);
        before.map(|before| before.give_out(false))
    }

    fn stop(&mut self) -> Option<Assembled> {
        let open = self.open.remove(self.key.as_str());
        self.lost += u64::from(open.is_none());
        open.map(|open| open.give_out(true))
    }

    /// Gives out the messages that have begun and not ended, in the order in
    /// which they began. It is for the end of a log.
    pub fn take_unfinished(&mut self) -> Vec<Assembled> {
        let mut open: Vec<_> =
            self.open.drain().map(|(_, open)| open).collect();
        open.sort_unstable_by_key(|open| open.number);
        open.into_iter().map(|open| open.give_out(false)).collect()
    }

    /// How many pieces could not be put to use, of all messages and of none.
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
    /// Adds a piece. It is `None` if that cannot be put to use.
    fn add(&mut self, name: &str, event: Value<'_>) -> Option<()> {
        match name {
            "content_block_start" => {
                let start = ContentBlockStart::from_value(event)?;
                let (index, block) = (start.index()?, start.content_block()?);
                self.places.insert(index, self.message.blocks.len());
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
        self.message.blocks.get_mut(*self.places.get(&index)?)
    }

    /// Drops the blocks from an index on.
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
        self.places = blocks
            .iter()
            .enumerate()
            .map(|(place, block)| (block.index, place))
            .collect();
    }

    fn give_out(mut self, is_finished: bool) -> Assembled {
        self.message.is_finished = is_finished;
        // Those with one index stay in the order in which they came.
        self.message.blocks.sort_by_key(|block| block.index);
        let blocks = self.message.blocks.iter_mut();
        blocks.for_each(AssembledBlock::close);
        self.message
    }
}

impl Assembled {
    /// Takes over what is said about the ending and the usage.
    fn state(&mut self, ending: Ending<'_>, usage: Option<Usage<'_>>) {
        if let Some(reason) = ending.stop_reason() {
            self.stop_reason = Some(reason.as_str().to_string());
        }
        if let Some(sequence) = ending.stop_sequence() {
            self.stop_sequence = Some(sequence.to_string());
        }
        if let Some(usage) = usage {
            let mut figures = Figures::from(self.usage.unwrap_or_default());
            figures.restate(Figures::of(usage));
            self.usage = Some(figures.tokens());
        }
    }
}
