/*!
What has been put together of pieces.
*/

use std::fmt::{self, Write};

use linetape::{
    Decoder, ErrorKind, Limits, Quoted, Value, message::events::Delta,
};

use crate::Tokens;

/// A message of the model, put together by [`Deltas`](crate::Deltas).
///
/// # Example
///
/// This shows that it can be read like any other message.
///
/// ```
/// use linetape::{Decoder, lines};
/// use linetape_session::Deltas;
///
/// let log = br#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1"}}}
/// {"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}
/// {"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}}
/// "#;
/// let mut deltas = Deltas::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     deltas.add(line?.peek()?);
/// }
/// let cut_off = deltas.take_unfinished();
/// assert!(!cut_off[0].is_finished);
///
/// let line = cut_off[0].to_line();
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line.as_bytes())?;
/// assert_eq!(record.message().text().to_string(), "Hi");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Assembled {
    /// The session that it is of.
    pub session: Option<String>,
    /// The tool call whose sub-agent says it.
    pub parent_tool_use_id: Option<String>,
    /// The message's identifier.
    pub id: Option<String>,
    /// Who says it: `assistant`.
    pub role: Option<String>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// Why the model stopped.
    pub stop_reason: Option<String>,
    /// The stop sequence that was met.
    pub stop_sequence: Option<String>,
    /// The tokens that it took: for each figure, what was said last.
    pub usage: Option<Tokens>,
    /// What is said, in the order of the blocks' indexes.
    pub blocks: Vec<AssembledBlock>,
    /// Whether it came to its end.
    pub is_finished: bool,
    /// How many pieces could not be put to use: they are of an unknown kind,
    /// or for a block that had not begun.
    pub lost: u64,
}

impl Assembled {
    /// The message as a line of a stream, without a newline.
    ///
    /// It reads as an [`Assistant`](linetape::message::stream::Assistant), with the
    /// blocks that the agent's own lines for the message have. An input that
    /// is no JSON object stands there as a string. What a block holds may be
    /// nested two levels deeper than in the lines that it came from.
    pub fn to_line(&self) -> String {
        let mut line = Json::default();
        line.open();
        line.text("type", Some("assistant"));
        line.text("session_id", self.session.as_deref());
        line.text("parent_tool_use_id", self.parent_tool_use_id.as_deref());
        line.member("message", "{");
        line.text("type", Some("message"));
        line.text("id", self.id.as_deref());
        line.text("role", self.role.as_deref());
        line.text("model", self.model.as_deref());
        line.text("stop_reason", self.stop_reason.as_deref());
        line.text("stop_sequence", self.stop_sequence.as_deref());
        line.member("content", "[");
        self.blocks.iter().for_each(|block| block.write(&mut line));
        line.0.push(']');
        if let Some(usage) = self.usage {
            line.member("usage", usage_json(usage));
        }
        line.0 += "}}";
        line.0
    }
}

/// A block of a message, put together of its deltas.
///
/// What it is made of is told by [`kind`](AssembledBlock::kind): a `text` has
/// a text, a `tool_use` has an id, a name and an input, and so on. Whatever
/// else the block began with is kept as it was.
///
/// # Example
///
/// See [`Deltas`](crate::Deltas).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssembledBlock {
    pub(crate) index: u64,
    pub(crate) is_finished: bool,
    kind: Option<String>,
    id: Option<String>,
    name: Option<String>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    /// Each as JSON.
    citations: Option<Vec<String>>,
    /// As JSON.
    input: Option<String>,
    /// What came piece by piece, until it is known to be JSON.
    partial_input: String,
    /// All other members.
    rest: Json,
}

impl AssembledBlock {
    pub(crate) fn begin(index: u64, start: Value<'_>) -> AssembledBlock {
        let mut block = AssembledBlock { index, ..Default::default() };
        for (key, value) in start.as_object().into_iter().flatten() {
            let slot = match key {
                "type" => Some(&mut block.kind),
                "id" => Some(&mut block.id),
                "name" => Some(&mut block.name),
                "text" => Some(&mut block.text),
                "thinking" => Some(&mut block.thinking),
                "signature" => Some(&mut block.signature),
                _ => None,
            };
            let (text, list) = (value.as_str(), value.as_array());
            match (slot, key) {
                (Some(slot), _) if text.is_some() => {
                    *slot = text.map(str::to_string);
                }
                (_, "input") => block.input = Some(json(value)),
                (_, "citations") if list.is_some() => {
                    let list = list.into_iter().flatten();
                    block.citations = Some(list.map(json).collect());
                }
                _ => block.rest.member(key, json(value)),
            }
        }
        block
    }

    /// Adds a piece, and says whether it could be put to use.
    pub(crate) fn add(&mut self, delta: Delta<'_>) -> bool {
        let (slot, piece) = match delta {
            Delta::Text(delta) => (&mut self.text, delta.text()),
            Delta::Thinking(delta) => (&mut self.thinking, delta.thinking()),
            Delta::Signature(delta) => {
                (&mut self.signature, delta.signature())
            }
            Delta::InputJson(delta) => {
                let piece = delta.partial_json();
                self.partial_input += piece.unwrap_or_default();
                return piece.is_some();
            }
            Delta::Citations(delta) => {
                let citation = delta.citation();
                if let Some(citation) = citation {
                    let list = self.citations.get_or_insert_default();
                    list.push(json(citation.value()));
                }
                return citation.is_some();
            }
            _ => return false,
        };
        if let Some(piece) = piece {
            slot.get_or_insert_default().push_str(piece);
        }
        piece.is_some()
    }

    /// No piece comes any more.
    pub(crate) fn close(&mut self) {
        if is_object(&self.partial_input) {
            // A newline between tokens is as good as a space, and a line has
            // none.
            let input = std::mem::take(&mut self.partial_input);
            self.input = Some(input.replace('\n', " "));
        }
    }

    /// Which block of the message it is, as the pieces say.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Whether it came to its end.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The kind, such as `text`, `thinking` or `tool_use`.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// The text.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The thoughts.
    pub fn thinking(&self) -> Option<&str> {
        self.thinking.as_deref()
    }

    /// The signature of thoughts.
    pub fn signature(&self) -> Option<&str> {
        self.signature.as_deref()
    }

    /// The id of a tool call.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The name of the tool that is called.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What the tool is called with, as the text of a JSON object. `None` if
    /// there is none, or if it is [broken](AssembledBlock::broken_input).
    pub fn input(&self) -> Option<&str> {
        self.input.as_deref().filter(|_| self.partial_input.is_empty())
    }

    /// What came as the tool's input and is not the text of a JSON object:
    /// most of the time because it was cut off. It may be nested
    /// [`Limits::max_depth`] deep by default, with the line around it.
    pub fn broken_input(&self) -> Option<&str> {
        let input = self.partial_input.as_str();
        (!input.is_empty()).then_some(input)
    }

    /// The block as JSON.
    ///
    pub fn to_json(&self) -> String {
        let mut to = Json::default();
        self.write(&mut to);
        to.0
    }

    fn write(&self, to: &mut Json) {
        to.open();
        to.text("type", self.kind());
        to.raw(&self.rest.0);
        to.text("id", self.id());
        to.text("name", self.name());
        to.text("text", self.text());
        to.text("thinking", self.thinking());
        to.text("signature", self.signature());
        to.text("input", self.broken_input());
        if let Some(input) = self.input() {
            to.member("input", input);
        }
        if let Some(citations) = &self.citations {
            to.member("citations", format_args!("[{}]", citations.join(",")));
        }
        to.0.push('}');
    }
}

fn json(value: Value<'_>) -> String {
    value.to_string()
}

/// Whether a text is a JSON object that can stand in a line that is made of
/// it, four levels deep.
fn is_object(text: &str) -> bool {
    let depth = Limits::default().max_depth - 4;
    let limits = Limits { max_depth: depth, ..Limits::default() };
    let mut decoder = Decoder::with_limits(limits);
    match decoder.line(text.as_bytes()).check() {
        Ok(()) => true,
        // Only the outermost object of a line must not repeat these keys.
        Err(error) => error.kind() == ErrorKind::DuplicateKey,
    }
}

fn usage_json(tokens: Tokens) -> String {
    let object = |members: &[(&str, u64)]| {
        let mut object = Json::default();
        object.open();
        members.iter().for_each(|(key, count)| object.member(key, count));
        object
    };
    let mut usage = object(&[
        ("input_tokens", tokens.input_tokens),
        ("output_tokens", tokens.output_tokens),
        ("cache_creation_input_tokens", tokens.cache_creation_input_tokens),
        ("cache_read_input_tokens", tokens.cache_read_input_tokens),
    ]);
    let cache = object(&[
        ("ephemeral_5m_input_tokens", tokens.ephemeral_5m_input_tokens),
        ("ephemeral_1h_input_tokens", tokens.ephemeral_1h_input_tokens),
    ]);
    let tools = object(&[
        ("web_search_requests", tokens.web_search_requests),
        ("web_fetch_requests", tokens.web_fetch_requests),
    ]);
    usage.member("cache_creation", cache.0 + "}");
    usage.member("server_tool_use", tools.0 + "}");
    usage.0 + "}"
}

/// JSON that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Json(String);

impl Json {
    fn open(&mut self) {
        self.comma();
        self.0.push('{');
    }

    /// Writes a comma, if there is something to part from.
    fn comma(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with(['{', '[']) {
            self.0.push(',');
        }
    }

    /// Writes members that have been written before.
    fn raw(&mut self, members: &str) {
        if !members.is_empty() {
            self.comma();
            self.0 += members;
        }
    }

    fn member(&mut self, key: &str, value: impl fmt::Display) {
        self.comma();
        // Writing to a string does not fail.
        let _ = write!(self.0, "{}:{value}", Quoted(key));
    }

    fn text(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.member(key, Quoted(text));
        }
    }
}
