/*!
The events of a streamed message: the pieces of a block, and its end.

Agent servers have events of their own: the text of a message is in
`TextChunk` lines, and many other events end it.
*/

use std::ops::Range;

use linetape::Value;

/// How deep an event is searched: it may be nested in a message.
const DEPTH: usize = 3;

/// An event of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    pub(crate) what: What<'a>,
    /// The index of the block; of a chunk, the number of its turn.
    pub(crate) index: u64,
    /// The object with the id of the session.
    pub(crate) origin: Value<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum What<'a> {
    /// A piece of a block: its key, and a string.
    Piece(&'static str, Value<'a>),
    /// A block begins, perhaps with a text: its key, and a string.
    Start(Option<(&'static str, Value<'a>)>),
    /// A block ends.
    Stop,
    /// A message begins or ends.
    Message,
    /// A piece of a server's text.
    Chunk(Value<'a>),
    /// A server's text ends, of its session or of all.
    TextEnd,
}

impl<'a> Event<'a> {
    /// Returns the event of a line, if it is one that matters here.
    pub(crate) fn of(line: Value<'a>) -> Option<Event<'a>> {
        server_event(line).or_else(|| {
            let (what, index) = event(line, DEPTH)?;
            Some(Event { what, index, origin: line })
        })
    }

    /// Returns the key and the text of a piece.
    pub(crate) fn piece(self) -> Option<(&'static str, Value<'a>)> {
        match self.what {
            What::Piece(key, text) => Some((key, text)),
            What::Start(text) => text,
            What::Chunk(text) => Some(("text", text)),
            _ => None,
        }
    }

    /// Returns what is left of the event without its piece.
    pub(crate) fn without_piece(self) -> Option<Event<'a>> {
        match self.what {
            What::Piece(..) | What::Chunk(_) => None,
            What::Start(_) => Some(Event { what: What::Start(None), ..self }),
            _ => Some(self),
        }
    }
}

/// The events of an agent server that end a text. While a person is asked, or
/// a tool runs, no line waits. Others may come in between, such as the number
/// of tokens.
const ENDS: [&str; 7] = [
    "Complete",
    "ToolExecuting",
    "ToolCompleted",
    "PermissionRequired",
    "BatchPermissionRequired",
    "UserInteractionRequired",
    "Error",
];

/// Returns the event of a line of an agent server.
fn server_event(line: Value<'_>) -> Option<Event<'_>> {
    let [chunk, turn] = line.get_many(["TextChunk", "turn_id"]);
    if let Some(chunk) = chunk.filter(|chunk| chunk.as_object().is_some()) {
        let [text, turn] = chunk.get_many(["text", "turn_id"]);
        let text = text.filter(|text| text.is_string())?;
        let turn = turn.and_then(|turn| turn.get("sequence")?.as_u64());
        let (what, index) = (What::Chunk(text), turn.unwrap_or(0));
        return Some(Event { what, index, origin: chunk });
    }
    let what = What::TextEnd;
    // The input of a user.
    if turn.is_some() && line.get("content").is_some() {
        return Some(Event { what, index: 0, origin: line });
    }
    let mut ends = line.get_many(ENDS).into_iter().flatten();
    let origin = ends.find(|event| event.as_object().is_some())?;
    Some(Event { what, index: 0, origin })
}

/// Returns what the event of a line is, and the index of its block.
fn event(value: Value<'_>, depth: usize) -> Option<(What<'_>, u64)> {
    let [kind, raw_kind, index] =
        value.get_many(["type", "event_type", "index"]);
    let index = index.and_then(|index| index.as_u64()).unwrap_or(0);
    let name = |value: Option<Value<'_>>| match value?.as_str()? {
        "content_block_delta" => Some(0),
        "content_block_start" => Some(1),
        "content_block_stop" => Some(2),
        "message_start" | "message_stop" => Some(3),
        _ => None,
    };
    // In another dialect, the members are in `data`.
    let data = value.get("data").filter(|data| data.as_object().is_some());
    let (name, data) = match (name(kind), name(raw_kind)) {
        (Some(name), _) => (Some(name), None),
        (None, name) => (name, data),
    };
    let index = match data.and_then(|data| data.get("index")) {
        Some(index) => index.as_u64().unwrap_or(0),
        None => index,
    };
    let member = |key| {
        let inner = data.and_then(|data| data.get(key));
        inner.or_else(|| value.get(key))
    };
    let what = match name {
        Some(0) => {
            piece(member("delta")?).map(|(key, text)| What::Piece(key, text))
        }
        Some(1) => {
            let first = member("content_block").and_then(piece);
            // An empty text has nothing to wait for.
            let is_text = |(_, text): &(_, Value<'_>)| {
                text.as_str().is_some_and(|text| !text.is_empty())
            };
            Some(What::Start(first.filter(is_text)))
        }
        Some(2) => Some(What::Stop),
        Some(_) => Some(What::Message),
        None => {
            let depth = depth.checked_sub(1)?;
            let inner = value.get_many(["event", "data", "message"]);
            let mut inner = inner.into_iter().flatten();
            return inner.find_map(|inner| event(inner, depth));
        }
    };
    Some((what?, index))
}

/// Returns the key and the text of a delta or of a block.
fn piece(delta: Value<'_>) -> Option<(&'static str, Value<'_>)> {
    const KEYS: [&str; 3] = ["partial_json", "text", "thinking"];
    let mut texts = KEYS.into_iter().zip(delta.get_many(KEYS));
    texts.find_map(|(key, text)| {
        Some((key, text.filter(|text| text.is_string())?))
    })
}

/// Returns where the text of a string is written, without its quotes.
pub(crate) fn inside(value: Value<'_>) -> Option<Range<usize>> {
    let Range { start, end } = value.span()?;
    Some(start + 1..end.checked_sub(1)?)
}
