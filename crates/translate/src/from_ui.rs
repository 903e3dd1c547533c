use std::collections::BTreeMap;

use linetape::{
    Error,
    message::{
        self,
        server::{ControllerInputPayload, UiEvent},
    },
    owned::{
        ApiMessage, Block, Content, Message, OrString, StopReason, TextBlock,
        ToolResultBlock, ToolUseBlock,
        events::ApiErrorBody,
        results::{ResultMessage, ResultSubtype},
        stream::{Assistant, ErrorMessage, User},
        system::{Informational, LocalCommand, System},
    },
};

use crate::{command::OUTPUT, json::json, sessions::Sessions};

/// Translates events of an agent server, and input for one, into stream-json.
///
/// The [crate documentation](crate#fromui) lists which event becomes which
/// message, and which events have no counterpart.
///
/// Chunks of text are joined until another event of the session comes, or
/// [`finish`](FromUi::finish) is called.
///
/// # Costs
///
/// Memory: the text that is being joined, and the names of sessions.
///
/// # Example
///
/// This shows how chunks of text are joined.
///
/// ```
/// use linetape::lines;
/// use linetape_translate::FromUi;
///
/// let log = br#"{"TextChunk":{"text":"Hello, ","session_id":7}}
/// {"TextChunk":{"text":"world","session_id":7}}
/// {"ToolExecuting":{"tool_use_id":"t1","tool_name":"Read","input":{},"session_id":7}}
/// "#;
/// let mut from_ui = FromUi::new();
/// let mut written = String::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     for message in from_ui.translate(line?.peek()?)? {
///         written += &serde_json::to_string(&message)?;
///         written += "\n";
///     }
/// }
/// assert_eq!(written, r#"{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"Hello, world"}]},"session_id":"7"}
/// {"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]},"session_id":"7"}
/// "#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FromUi {
    sessions: Sessions,
    /// The joined chunks of each session so far.
    texts: BTreeMap<Option<i64>, String>,
}

impl FromUi {
    /// Creates a translator that uses session numbers as session names.
    pub fn new() -> FromUi {
        FromUi::default()
    }

    /// Creates a translator that looks up session names in `sessions`, for
    /// example [`ToUi::sessions`](crate::ToUi::sessions). If a session is not
    /// in it, its number is used as the name.
    pub fn with_sessions(sessions: Sessions) -> FromUi {
        FromUi { sessions, texts: BTreeMap::new() }
    }

    /// Returns the messages of an event, in order. The first one is the joined
    /// text before the event, if there is any.
    ///
    /// # Errors
    ///
    /// Returns the error of [`Line::decode`](linetape::Line::decode), if the
    /// line of the event was not checked before and is invalid. Then the
    /// translator is unchanged.
    pub fn translate(
        &mut self,
        message: message::Message<'_>,
    ) -> Result<Vec<Message>, Error> {
        message.check()?;
        let ui = match message {
            message::Message::Ui(ui) => ui,
            message::Message::Input(input) => return Ok(self.input(input)),
            _ => return Ok(vec![]),
        };
        let session = ui.session_id();
        match ui.event() {
            UiEvent::TextChunk(chunk) => {
                let text = self.texts.entry(session).or_default();
                text.push_str(chunk.text().unwrap_or_default());
                return Ok(vec![]);
            }
            // Servers send these between the chunks of a text.
            UiEvent::TokenUpdate(_) => return Ok(vec![]),
            _ => {}
        }
        let said = self.take_text(session);
        let name = self.name(session);
        let reason = match ui.event() {
            UiEvent::Complete(complete) => complete.stop_reason(),
            _ => None,
        };
        let reason = reason.map(stop_reason);
        let event = match ui.event() {
            UiEvent::Complete(_) => {
                let said = said.clone().unwrap_or_default();
                Some(result(said, reason.clone(), name.clone()))
            }
            other => counterpart(other, name.clone()),
        };
        let said = said.map(|said| assistant(text_block(said), reason, name));
        Ok(said.into_iter().chain(event).collect())
    }

    /// Returns whether a message has a counterpart in stream-json.
    ///
    /// The result of [`translate`](Self::translate) does not show this: for a
    /// message without a counterpart it may return the text before it, and for
    /// a chunk of text it returns nothing.
    ///
    /// # Example
    ///
    /// This shows an event that has no counterpart.
    ///
    /// ```
    /// use linetape_translate::FromUi;
    ///
    /// let log = br#"{"Display":{"content":"Done","session_id":1}}
    /// {"TokenUpdate":{"input_tokens":3,"output_tokens":1,"session_id":1}}
    /// "#;
    /// let mut lines = linetape::lines(log);
    /// let display = lines.next_line().unwrap()?.peek()?;
    /// assert!(FromUi::has_counterpart(display));
    /// let tokens = lines.next_line().unwrap()?.peek()?;
    /// assert!(!FromUi::has_counterpart(tokens));
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn has_counterpart(message: message::Message<'_>) -> bool {
        match message {
            message::Message::Input(_) => true,
            message::Message::Ui(ui) => matches!(
                ui.event(),
                UiEvent::TextChunk(_)
                    | UiEvent::ToolExecuting(_)
                    | UiEvent::ToolCompleted(_)
                    | UiEvent::Complete(_)
                    | UiEvent::Error(_)
                    | UiEvent::System(_)
                    | UiEvent::Display(_)
            ),
            _ => false,
        }
    }

    /// Returns the joined text before an input for a server, and the message
    /// of the input.
    fn input(&mut self, input: ControllerInputPayload<'_>) -> Vec<Message> {
        let session = input.session_id();
        let name = self.name(session);
        let said = self.take_text(session);
        let said = said.map(|said| assistant(text_block(said), None, name));
        let mut user = User::says(input.content().unwrap_or_default());
        user.session_id = self.name(session);
        said.into_iter().chain([user.into()]).collect()
    }

    /// Removes and returns the joined chunks of a session.
    fn take_text(&mut self, session: Option<i64>) -> Option<String> {
        self.texts.remove(&session).filter(|text| !text.is_empty())
    }

    /// Ends a log. Returns the remaining texts, sorted by session number.
    pub fn finish(&mut self) -> Vec<Message> {
        let texts = std::mem::take(&mut self.texts);
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let message = |(session, text)| {
            assistant(text_block(text), None, self.name(session))
        };
        texts.map(message).collect()
    }

    fn name(&self, session: Option<i64>) -> Option<String> {
        let session = session?;
        let name = self.sessions.name(session).map(str::to_string);
        Some(name.unwrap_or_else(|| session.to_string()))
    }
}

/// Returns the message of an event other than text and `Complete`.
fn counterpart(
    event: UiEvent<'_>,
    session: Option<String>,
) -> Option<Message> {
    Some(match event {
        UiEvent::ToolExecuting(call) => tool_use(call, session),
        UiEvent::ToolCompleted(done) => tool_result(done, session),
        UiEvent::Error(error) => {
            let body = ApiErrorBody {
                message: error.message().map(str::to_string),
                ..ApiErrorBody::default()
            };
            let mut error =
                ErrorMessage { error: Some(body), ..ErrorMessage::default() };
            error.session_id = session;
            Message::Error(Box::new(error))
        }
        UiEvent::System(system) => {
            let said = system.message().unwrap_or_default();
            let mut told = Informational::default();
            told.content = Some(said.to_string());
            told.session_id = session;
            let told = System::Informational(Box::new(told));
            Message::System(Box::new(told))
        }
        UiEvent::Display(display) => {
            let shown = display.content().unwrap_or_default();
            let shown = format!("{}{shown}{}", OUTPUT.0, OUTPUT.1);
            let mut command = LocalCommand::default();
            command.content = Some(shown);
            command.session_id = session;
            let shown = System::LocalCommand(Box::new(command));
            Message::System(Box::new(shown))
        }
        _ => return None,
    })
}

fn text_block(text: String) -> Block {
    let text = TextBlock { text: Some(text), ..TextBlock::default() };
    Block::Text(Box::new(text))
}

fn assistant(
    block: Block,
    stop_reason: Option<StopReason>,
    session_id: Option<String>,
) -> Message {
    let mut message = ApiMessage {
        kind: Some("message".to_string()),
        role: Some("assistant".to_string()),
        content: Some(Content::Blocks(vec![block])),
        ..ApiMessage::default()
    };
    message.stop_reason = stop_reason;
    let mut assistant = Assistant::default();
    assistant.message = Some(OrString::Object(message));
    assistant.session_id = session_id;
    Message::Assistant(Box::new(assistant))
}

fn tool_use(
    call: message::server::ToolExecuting<'_>,
    session_id: Option<String>,
) -> Message {
    let mut block = ToolUseBlock::default();
    block.id = call.tool_use_id().map(str::to_string);
    block.name = call.tool_name().map(str::to_string);
    block.input = call.input().map(json);
    assistant(Block::ToolUse(Box::new(block)), None, session_id)
}

fn tool_result(
    done: message::server::ToolCompleted<'_>,
    session_id: Option<String>,
) -> Message {
    let text = done.result().unwrap_or_default().to_string();
    let mut block = ToolResultBlock::default();
    block.tool_use_id = done.tool_use_id().map(str::to_string);
    block.content = Some(Content::Text(text));
    let block = Block::ToolResult(Box::new(block));
    let message = ApiMessage {
        role: Some("user".to_string()),
        content: Some(Content::Blocks(vec![block])),
        ..ApiMessage::default()
    };
    let mut user = User::default();
    user.message = Some(OrString::Object(message));
    user.session_id = session_id;
    user.into()
}

fn result(
    said: String,
    stop_reason: Option<StopReason>,
    session_id: Option<String>,
) -> Message {
    let mut result = ResultMessage {
        subtype: Some(ResultSubtype::Success),
        result: Some(said),
        stop_reason,
        ..ResultMessage::default()
    };
    result.is_error = Some(false);
    result.session_id = session_id;
    Message::Result(Box::new(result))
}

fn stop_reason(reason: message::server::ServerStopReason<'_>) -> StopReason {
    match reason {
        message::server::ServerStopReason::EndTurn => StopReason::EndTurn,
        message::server::ServerStopReason::MaxTokens => StopReason::MaxTokens,
        message::server::ServerStopReason::StopSequence => {
            StopReason::StopSequence
        }
        message::server::ServerStopReason::ToolUse => StopReason::ToolUse,
        other => StopReason::Other(other.as_str().to_string()),
    }
}
