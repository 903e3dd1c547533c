/*!
Messages that were assembled from deltas.
*/

use std::fmt::{self, Write};

use linetape::{
    Decoder, ErrorKind, Limits, Value, message::events::Delta, value::Quoted,
};

use crate::Tokens;

/// A message of the model, assembled by [`Deltas`](crate::Deltas).
///
/// # Example
///
/// This shows how to write an assembled message as a line and decode it.
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
///     deltas.add(line?.checked()?)?;
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
    /// The session.
    pub session: Option<String>,
    /// The tool call whose sub-agent wrote the message.
    pub parent_tool_use_id: Option<String>,
    /// The API's message id.
    pub id: Option<String>,
    /// The role: `assistant`.
    pub role: Option<String>,
    /// The model that wrote the message.
    pub model: Option<String>,
    /// The reason why the model stopped.
    pub stop_reason: Option<String>,
    /// The stop sequence that the model wrote.
    pub stop_sequence: Option<String>,
    /// The token usage: the last reported value of each count.
    pub usage: Option<Tokens>,
    /// The content blocks, in the order of their indexes.
    pub blocks: Vec<AssembledBlock>,
    /// Whether the message ended with a `message_stop`.
    pub is_finished: bool,
    /// The number of deltas that were dropped, because their type is unknown
    /// or their block was never started.
    pub lost: u64,
}

impl Assembled {
    /// Returns the message as a stream-json line, without a newline.
    ///
    /// The line decodes to an
    /// [`Assistant`](linetape::message::stream::Assistant) with all blocks of
    /// the message. A tool input that is not a JSON object is written as a
    /// string. Blocks may be nested two levels deeper than in the lines that
    /// they came from.
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

/// A content block, assembled from its deltas.
///
/// Its fields depend on the [`kind`](AssembledBlock::kind): a `text` block has
/// a text, a `tool_use` block an id, a name and an input, and so on. Other
/// members of the `content_block_start` event are kept unchanged.
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
    /// The citations, each as JSON.
    citations: Option<Vec<String>>,
    /// The input as JSON.
    input: Option<String>,
    /// The concatenated deltas of the input. [`close`](Self::close) moves it
    /// to `input` if it is a JSON object.
    partial_input: String,
    /// All other members of the `content_block_start` event.
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
                (_, "input") => block.input = Some(value.to_string()),
                (_, "citations") if list.is_some() => {
                    let list = list.into_iter().flatten();
                    block.citations =
                        Some(list.map(|value| value.to_string()).collect());
                }
                _ => block.rest.member(key, value.to_string()),
            }
        }
        block
    }

    /// Appends a delta. Returns `false` if it does not fit and is dropped.
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
                    list.push(citation.value().to_string());
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

    /// Finishes the block after its last delta.
    pub(crate) fn close(&mut self) {
        if is_object(&self.partial_input) {
            // A line must not contain a newline. In valid JSON, newlines occur
            // only between tokens, where a space is equivalent.
            let input = std::mem::take(&mut self.partial_input);
            self.input = Some(input.replace('\n', " "));
        }
    }

    /// Returns the block's index, as given by its events.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Returns whether the block ended with a `content_block_stop`.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns the type, such as `text`, `thinking` or `tool_use`.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Returns the text of a `text` block.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns the text of a `thinking` block.
    pub fn thinking(&self) -> Option<&str> {
        self.thinking.as_deref()
    }

    /// Returns the signature of a `thinking` block.
    pub fn signature(&self) -> Option<&str> {
        self.signature.as_deref()
    }

    /// Returns the id of a tool call.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the name of the called tool.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the input of a tool call: the text of a JSON object. `None` if
    /// there is no input, or if it is [invalid](AssembledBlock::broken_input).
    pub fn input(&self) -> Option<&str> {
        self.input.as_deref().filter(|_| self.partial_input.is_empty())
    }

    /// Returns the input of a tool call if it is not a valid JSON object,
    /// usually because it was truncated. JSON that is nested too deeply for a
    /// line with the default [`Limits::max_depth`] counts as invalid too.
    pub fn broken_input(&self) -> Option<&str> {
        let input = self.partial_input.as_str();
        (!input.is_empty()).then_some(input)
    }

    /// Returns the block as JSON.
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

/// Returns whether a text is a JSON object that can be put into a line at
/// depth four.
fn is_object(text: &str) -> bool {
    let depth = Limits::default().max_depth - 4;
    let limits = Limits { max_depth: depth, ..Limits::default() };
    let mut decoder = Decoder::with_limits(limits);
    match decoder.line(text.as_bytes()).check() {
        Ok(()) => true,
        // A duplicate `type` or `subtype` is an error only in the outermost
        // object of a line, and this object will be nested.
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

/// A JSON writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Json(String);

impl Json {
    fn open(&mut self) {
        self.comma();
        self.0.push('{');
    }

    /// Writes a comma, unless this is the first member or item.
    fn comma(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with(['{', '[']) {
            self.0.push(',');
        }
    }

    /// Appends members that are already JSON text.
    fn raw(&mut self, members: &str) {
        if !members.is_empty() {
            self.comma();
            self.0 += members;
        }
    }

    fn member(&mut self, key: &str, value: impl fmt::Display) {
        self.comma();
        // Writing to a `String` cannot fail.
        let _ = write!(self.0, "{}:{value}", Quoted(key));
    }

    fn text(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.member(key, Quoted(text));
        }
    }
}
