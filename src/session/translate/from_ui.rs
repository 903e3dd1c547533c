use std::collections::BTreeMap;

use crate::{
    message::{self, server::UiEvent},
    owned::{
        ApiMessage, Block, Content, Message, OrString, StopReason, TextBlock,
        ToolResultBlock, ToolUseBlock,
        events::ApiErrorBody,
        results::{ResultMessage, ResultSubtype},
        stream::{Assistant, ErrorMessage, User},
        system::{Informational, LocalCommand, System},
    },
    session::translate::{command::OUTPUT, sessions::Sessions},
};

/// Makes messages of stream-json of the events of an agent server, and of
/// what is sent to one.
///
/// The [module](crate::session::translate) says what becomes of which event,
/// and which have no counterpart.
///
/// A text comes in pieces, and is put together until something else comes, or
/// [`finish`](FromUi::finish) is called. Memory: that text, and the names of
/// sessions.
///
/// # Example
///
/// This shows how a text is put together.
///
/// ```
/// use linetape::{lines, session::translate::FromUi};
///
/// let log = br#"{"TextChunk":{"text":"Hello, ","session_id":7}}
/// {"TextChunk":{"text":"world","session_id":7}}
/// {"ToolExecuting":{"tool_use_id":"t1","tool_name":"Read","input":{},"session_id":7}}
/// "#;
/// let mut from_ui = FromUi::new();
/// let mut written = String::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     for message in from_ui.translate(line?.peek()?) {
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
    /// Text that has come in, by session.
    texts: BTreeMap<Option<i64>, String>,
}

impl FromUi {
    /// Sessions are named by their numbers.
    pub fn new() -> FromUi {
        FromUi::default()
    }

    /// Sessions are named as they are here, such as by
    /// [`ToUi::sessions`](crate::session::translate::ToUi::sessions), and by
    /// their numbers if they are not.
    pub fn with_sessions(sessions: Sessions) -> FromUi {
        FromUi { sessions, texts: BTreeMap::new() }
    }

    /// The messages that an event amounts to, in order.
    pub fn translate(
        &mut self,
        message: message::Message<'_>,
    ) -> Vec<Message> {
        let ui = match message {
            message::Message::Ui(ui) => ui,
            message::Message::Input(input) => {
                let said = input.content().unwrap_or_default();
                let mut user = User::says(said);
                user.session_id = self.name(input.session_id());
                return vec![user.into()];
            }
            _ => return vec![],
        };
        let session = ui.session_id();
        if let UiEvent::TextChunk(chunk) = ui.event() {
            let text = self.texts.entry(session).or_default();
            text.push_str(chunk.text().unwrap_or_default());
            return vec![];
        }
        let said = self.texts.remove(&session).filter(|t| !t.is_empty());
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
        said.into_iter().chain(event).collect()
    }

    /// The texts that nothing came after, by session.
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

/// The message that an event amounts to by itself.
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
            Message::Error(Box::new(ErrorMessage {
                error: Some(body),
                session_id: session,
                ..ErrorMessage::default()
            }))
        }
        UiEvent::System(system) => {
            let said = system.message().unwrap_or_default();
            let told = Informational {
                content: Some(said.to_string()),
                session_id: session,
                ..Informational::default()
            };
            let told = System::Informational(Box::new(told));
            Message::System(Box::new(told))
        }
        UiEvent::Display(display) => {
            let shown = display.content().unwrap_or_default();
            let shown = format!("{}{shown}{}", OUTPUT.0, OUTPUT.1);
            let shown = LocalCommand {
                content: Some(shown),
                session_id: session,
                ..LocalCommand::default()
            };
            let shown = System::LocalCommand(Box::new(shown));
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
    let message = ApiMessage {
        kind: Some("message".to_string()),
        role: Some("assistant".to_string()),
        content: Some(Content::Blocks(vec![block])),
        stop_reason,
        ..ApiMessage::default()
    };
    Message::Assistant(Box::new(Assistant {
        message: Some(OrString::Object(message)),
        session_id,
        ..Assistant::default()
    }))
}

fn tool_use(
    call: message::server::ToolExecuting<'_>,
    session_id: Option<String>,
) -> Message {
    let block = ToolUseBlock {
        id: call.tool_use_id().map(str::to_string),
        name: call.tool_name().map(str::to_string),
        input: call.input().and_then(|input| input.try_into().ok()),
        ..ToolUseBlock::default()
    };
    assistant(Block::ToolUse(Box::new(block)), None, session_id)
}

fn tool_result(
    done: message::server::ToolCompleted<'_>,
    session_id: Option<String>,
) -> Message {
    let text = done.result().unwrap_or_default().to_string();
    let block = ToolResultBlock {
        tool_use_id: done.tool_use_id().map(str::to_string),
        content: Some(Content::Text(text)),
        ..ToolResultBlock::default()
    };
    let block = Block::ToolResult(Box::new(block));
    let message = ApiMessage {
        role: Some("user".to_string()),
        content: Some(Content::Blocks(vec![block])),
        ..ApiMessage::default()
    };
    let message = Some(OrString::Object(message));
    User { message, session_id, ..User::default() }.into()
}

fn result(
    said: String,
    stop_reason: Option<StopReason>,
    session_id: Option<String>,
) -> Message {
    Message::Result(Box::new(ResultMessage {
        subtype: Some(ResultSubtype::Success),
        result: Some(said),
        stop_reason,
        session_id,
        is_error: Some(false),
        ..ResultMessage::default()
    }))
}

fn stop_reason(reason: message::server::ServerStopReason<'_>) -> StopReason {
    match reason {
        message::server::ServerStopReason::EndTurn => StopReason::EndTurn,
        message::server::ServerStopReason::MaxTokens => StopReason::MaxTokens,
        message::server::ServerStopReason::StopSequence => {
            StopReason::StopSequence
        }
        message::server::ServerStopReason::ToolUse => StopReason::ToolUse,
        message::server::ServerStopReason::Other(text) => {
            StopReason::Other(text.to_string())
        }
    }
}
