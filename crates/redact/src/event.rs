/*!
The events of a streamed message: the pieces of a block, and its end.
*/

use std::ops::Range;

use linetape::Value;

/// How deep an event is searched: it may be nested in a message.
const DEPTH: usize = 3;

/// An event of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    pub(crate) what: What<'a>,
    /// The index of the block.
    pub(crate) index: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum What<'a> {
    /// A piece of a block: its key, and a string.
    Piece(&'static str, Value<'a>),
    /// A block begins or ends.
    Block,
    /// A message begins or ends.
    Message,
}

impl<'a> Event<'a> {
    /// Returns the event of a line, if it is one that matters here.
    pub(crate) fn of(line: Value<'a>) -> Option<Event<'a>> {
        event(line, DEPTH)
    }

    pub(crate) fn is_piece(self) -> bool {
        matches!(self.what, What::Piece(..))
    }
}

fn event(value: Value<'_>, depth: usize) -> Option<Event<'_>> {
    let [kind, raw_kind, index, delta] =
        value.get_many(["type", "event_type", "index", "delta"]);
    let index = index.and_then(|index| index.as_u64()).unwrap_or(0);
    let name = |value: Option<Value<'_>>| match value?.as_str()? {
        "content_block_delta" => Some(0),
        "content_block_start" | "content_block_stop" => Some(1),
        "message_start" | "message_stop" => Some(2),
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
    let delta = data.and_then(|data| data.get("delta")).or(delta);
    let what = match name {
        Some(0) => piece(delta?),
        Some(1) => Some(What::Block),
        Some(_) => Some(What::Message),
        None => {
            let depth = depth.checked_sub(1)?;
            let inner = value.get_many(["event", "data", "message"]);
            let mut inner = inner.into_iter().flatten();
            return inner.find_map(|inner| event(inner, depth));
        }
    };
    Some(Event { what: what?, index })
}

fn piece(delta: Value<'_>) -> Option<What<'_>> {
    const KEYS: [&str; 3] = ["partial_json", "text", "thinking"];
    let mut texts = KEYS.into_iter().zip(delta.get_many(KEYS));
    texts.find_map(|(key, text)| {
        Some(What::Piece(key, text.filter(|text| text.is_string())?))
    })
}

/// Returns where the text of a string is written, without its quotes.
pub(crate) fn inside(value: Value<'_>) -> Option<Range<usize>> {
    let Range { start, end } = value.span()?;
    Some(start + 1..end.checked_sub(1)?)
}
