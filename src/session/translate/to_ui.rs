use std::collections::HashSet;

use crate::{
    message::{Message, SessionId, control::Request},
    owned::server::UiMessage,
    session::translate::{
        events::{Events, State, said_text},
        sessions::Sessions,
    },
};

/// Makes the events of an agent server of what an agent writes.
///
/// The [module](crate::session::translate) says what becomes of which
/// message.
///
/// Memory: for each session its name, the message that is coming in, and a
/// few numbers; and the ids of questions, and of calls that are lines of their
/// own, that have no answer yet.
///
/// # Example
///
/// This shows that a text which came in pieces does not come again.
///
/// ```
/// use linetape::{lines, session::translate::ToUi};
///
/// let log = br#"{"type":"stream_event","session_id":"s1","event":{"type":"message_start","message":{"id":"m1"}}}
/// {"type":"stream_event","session_id":"s1","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}}
/// {"type":"assistant","session_id":"s1","message":{"id":"m1","content":[{"type":"text","text":"Hello"}]}}
/// {"type":"result","subtype":"success","session_id":"s1","stop_reason":"end_turn"}
/// "#;
/// let mut to_ui = ToUi::new();
/// let mut written = String::new();
/// let mut lines = lines(log);
/// while let Some(line) = lines.next_line() {
///     for event in to_ui.translate(line?.peek()?) {
///         written += &serde_json::to_string(&event)?;
///         written += "\n";
///     }
/// }
/// assert_eq!(written, r#"{"TextChunk":{"text":"Hello","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}
/// {"Complete":{"session_id":1,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"EndTurn"}}
/// "#);
/// assert_eq!(to_ui.sessions().name(1), Some("s1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToUi {
    sessions: Sessions,
    /// The session of messages that name none.
    latest: i64,
    /// How each session stands, by number.
    states: Vec<State>,
    /// Questions that the user has been asked.
    asked: HashSet<Box<str>>,
    /// Lines that are calls, and have no answer yet.
    called: HashSet<Box<str>>,
}

impl ToUi {
    /// No session yet.
    pub fn new() -> ToUi {
        ToUi::default()
    }

    /// The sessions that have come, and their numbers.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// The events that a message amounts to, in order.
    pub fn translate(&mut self, message: Message<'_>) -> Vec<UiMessage> {
        let own = match message.session_id() {
            Some(SessionId::Str(name)) => Some(self.sessions.number(name)),
            _ => None,
        };
        self.latest = own.unwrap_or(self.latest);
        let index = usize::try_from(self.latest).unwrap_or_default();
        if self.states.len() <= index {
            self.states.resize_with(index + 1, State::default);
        }
        let Some(state) = self.states.get_mut(index) else { return vec![] };
        let mut events = Events {
            list: vec![],
            session: self.latest,
            own,
            state,
            asked: &mut self.asked,
            called: &mut self.called,
        };
        let is_sidechain = message.is_sidechain();
        match message {
            Message::Assistant(said) if message.is_error() => {
                events.error(said_text(said));
            }
            Message::Assistant(said) => events.assistant(said, is_sidechain),
            Message::StreamEvent(event) if !is_sidechain => {
                events.stream(event);
            }
            Message::User(user) => events.user(user),
            Message::Result(result) => {
                events.result(result, message.is_error());
            }
            Message::ControlRequest(request) => {
                if let Request::CanUseTool(ask) = request.body() {
                    events.can_use_tool(ask);
                }
            }
            Message::System(system) => {
                events.system(system, message.is_error());
            }
            Message::Error(error) => {
                let value = error.value().get("error");
                let said = error.error().and_then(|error| error.message());
                let said = said.or_else(|| value?.as_str());
                events.error(said.unwrap_or_default().to_string());
            }
            _ => {}
        }
        events.list
    }
}
