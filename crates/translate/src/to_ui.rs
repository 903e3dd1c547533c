use std::collections::HashSet;

use linetape::{
    Error,
    message::{Message, SessionId, control::Request},
    owned::server::UiMessage,
};
use linetape_session::Facts;

use crate::{
    events::{Events, State, said_text},
    sessions::Sessions,
};

/// Translates stream-json and transcripts into events of an agent server.
///
/// The [crate documentation](crate#toui) lists which message becomes which
/// event.
///
/// # Costs
///
/// Memory: for each session its name, the id of the message that is being
/// streamed, and a few counters; and the ids of unanswered questions and of
/// unanswered calls that are separate lines.
///
/// # Example
///
/// This shows that streamed text is not repeated.
///
/// ```
/// use linetape::lines;
/// use linetape_translate::ToUi;
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
///     for event in to_ui.translate(line?.peek()?)? {
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
    /// The session of messages without a session id.
    latest: i64,
    /// The state of each session, by number.
    states: Vec<State>,
    /// The ids of the questions that the user was asked.
    asked: HashSet<Box<str>>,
    /// The ids of the lines that are calls without a result so far.
    called: HashSet<Box<str>>,
}

impl ToUi {
    /// Creates a translator without sessions.
    pub fn new() -> ToUi {
        ToUi::default()
    }

    /// Returns the sessions seen so far, with their numbers.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Returns the events of a message, in order. Most messages have none or
    /// one.
    ///
    /// # Errors
    ///
    /// Returns the error of [`Line::decode`](linetape::Line::decode), if the
    /// line of the message was not checked before and is invalid. Then the
    /// translator is unchanged.
    pub fn translate(
        &mut self,
        message: Message<'_>,
    ) -> Result<Vec<UiMessage>, Error> {
        message.check()?;
        let facts = Facts::of(message);
        let own = match facts.session() {
            Some(SessionId::Str(name)) => Some(self.sessions.number(name)),
            _ => None,
        };
        self.latest = own.unwrap_or(self.latest);
        let index = usize::try_from(self.latest).unwrap_or_default();
        if self.states.len() <= index {
            self.states.resize_with(index + 1, State::default);
        }
        let Some(state) = self.states.get_mut(index) else {
            debug_assert!(false, "there is a state for each session");
            return Ok(vec![]);
        };
        let mut events = Events {
            list: vec![],
            session: self.latest,
            own,
            state,
            asked: &mut self.asked,
            called: &mut self.called,
        };
        match message {
            Message::Assistant(said) if facts.is_error() => {
                events.error(said_text(said));
            }
            Message::Assistant(said) => events.assistant(said, &facts),
            Message::StreamEvent(event) if !facts.is_sidechain() => {
                events.stream(event);
            }
            Message::User(user) => events.user(user),
            Message::Result(_) => {
                if let Some(result) = facts.run_result() {
                    events.result(result, facts.is_error());
                }
            }
            Message::ControlRequest(request) => {
                if let Request::CanUseTool(ask) = request.body() {
                    events.can_use_tool(ask);
                }
            }
            Message::System(system) => {
                events.system(system, &facts);
            }
            Message::Error(error) => {
                let value = error.value().get("error");
                let said = error.error().and_then(|error| error.message());
                let said = said.or_else(|| value?.as_str());
                events.error(said.unwrap_or_default().to_string());
            }
            _ => {}
        }
        Ok(events.list)
    }

    /// Ends a log.
    ///
    /// The first messages of the next log do not inherit the session of this
    /// one. Sessions keep their numbers and their turns.
    pub fn finish(&mut self) {
        self.latest = 0;
    }
}
