/*!
Who speaks in a message, and what: the API message in it, its tool calls and
results.
*/

use linetape::message::{
    ApiMessage, Blocks, Content, FromValue, Message, ToolCall, Usage,
};

use crate::facts::{Answer, Facts, Part};

/// The author of a message.
///
/// # Example
///
/// This shows that tool results have the role of the user.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::{Facts, Role};
///
/// let line = br#"{"type":"user","message":{"content":[
///     {"type":"tool_result","tool_use_id":"t1"}]}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// assert_eq!(Facts::of(record.message()).role(), Role::User);
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The user, or a tool.
    User,
    /// The model.
    Assistant,
    /// The agent program itself, for example a `system` line.
    Other,
}

/// The API message in a `user` or `assistant` line: the object `message`.
///
/// # Example
///
/// This shows how to read its fields.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::Facts;
///
/// let line = br#"{"type":"assistant","message":{"id":"m1","model":"opus",
///     "usage":{"output_tokens":5},"content":"Hi"}}"#;
/// let mut decoder = Decoder::new();
/// let record = decoder.decode(line)?;
/// let said = Facts::of(record.message()).said().expect("it has one");
/// assert_eq!((said.id, said.model), (Some("m1"), Some("opus")));
/// assert_eq!(said.usage.and_then(|usage| usage.output_tokens()), Some(5));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Said<'a> {
    /// The message's id. Several lines may be parts of one message.
    pub id: Option<&'a str>,
    /// The model that wrote the message.
    pub model: Option<&'a str>,
    /// The token usage.
    pub usage: Option<Usage<'a>>,
    /// The content: a string or content blocks.
    pub content: Option<Content<'a>>,
}

impl<'a> Facts<'a> {
    /// Returns the API message of a `user` or `assistant` line.
    pub fn said(&self) -> Option<Said<'a>> {
        *self.said.get_or_init(|| {
            let message = match self.message {
                Message::Assistant(said) => said.message(),
                Message::User(said) => said.message(),
                _ => None,
            };
            message.map(Said::of)
        })
    }

    /// Returns the API's id of the message. Its content blocks may be spread
    /// over several lines.
    pub fn message_id(&self) -> Option<&'a str> {
        self.said()?.id
    }

    /// Returns whether a line of a stream was written before the message was
    /// complete: the message has no reason to stop yet (`"stop_reason":null`).
    pub(crate) fn is_open(&self) -> bool {
        let Message::Assistant(said) = self.message else { return false };
        // Lines of transcripts are told first, without reading more of them.
        self.is_streamed()
            && said.message().is_some_and(|message| {
                let stop = message.value().get("stop_reason");
                stop.is_some_and(|stop| stop.is_null())
            })
    }

    /// Returns the cost of the message in dollars, which only old agents write.
    pub(crate) fn cost(&self) -> Option<f64> {
        self.origin().cost?.as_f64().filter(|cost| *cost >= 0.0)
    }

    /// Returns the token usage of the message: [`Message::usage`].
    pub fn usage(&self) -> Option<Usage<'a>> {
        match self.message {
            Message::Assistant(_) => self.said()?.usage,
            message => message.usage(),
        }
    }

    /// Returns the tool calls of the message, in order: its content blocks
    /// that are calls, or the event of an agent server.
    ///
    /// A line that is itself a call is not included: see
    /// [`line_call`](Facts::line_call).
    pub fn calls(&self) -> impl Iterator<Item = ToolCall<'a>> + use<'a> {
        self.parts().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Answer(_) => None,
        })
    }

    /// Returns the tool results in the message, in order.
    pub fn answers(&self) -> impl Iterator<Item = Answer<'a>> + use<'a> {
        self.parts().filter_map(|part| match part {
            Part::Answer(answer) => Some(answer),
            Part::Call(_) => None,
        })
    }

    /// Returns the calls and results, in the order of the message.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let blocks = self.blocks().into_iter().flatten();
        let line = Part::of_line(self.message);
        blocks.filter_map(Part::of_block).chain(line)
    }

    fn blocks(&self) -> Option<Blocks<'a>> {
        self.said()?.content.map(Content::blocks)
    }

    /// Returns the tool call if the line itself is one, as in the early
    /// transcript format: an `assistant` line with `toolName` or with the
    /// subtype `tool_use`. The id of the call is the line's uuid.
    ///
    /// Either is enough here. [`UsageTotals`](crate::UsageTotals) requires
    /// `toolName`, and [`Turns`](crate::Turns) the subtype.
    pub fn line_call(&self) -> Option<ToolCall<'a>> {
        let is_said = matches!(self.message, Message::Assistant(_));
        is_said.then(|| ToolCall::of_line(self.message))?
    }
}

impl<'a> Said<'a> {
    fn of(message: ApiMessage<'a>) -> Said<'a> {
        let value = message.value();
        let [id, model, usage, content] =
            value.get_many(["id", "model", "usage", "content"]);
        // If `message` is a string, that string is the content.
        let content = content.or(value.as_str().map(|_| value));
        Said {
            id: id.and_then(FromValue::from_value),
            model: model.and_then(FromValue::from_value),
            usage: usage.and_then(FromValue::from_value),
            content: content.and_then(FromValue::from_value),
        }
    }
}
