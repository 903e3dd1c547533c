//! Who says something.

use linetape::{
    Message,
    message::server::{Role, TurnId, UiEvent},
};

/// The role that a message states, or that its type is.
pub fn role(message: Message<'_>) -> Option<&str> {
    let inner = message.value().get("message");
    let stated = inner.and_then(|inner| inner.get("role"));
    stated.and_then(|role| role.as_str()).or_else(|| match message {
        Message::User(_) => Some("user"),
        Message::Assistant(_) => Some("assistant"),
        Message::System(_) => Some("system"),
        Message::Input(input) => role_of_turn(input.turn_id()?),
        Message::Ui(ui) => role_of_turn(match ui.event() {
            UiEvent::TextChunk(chunk) => chunk.turn_id()?,
            UiEvent::Complete(complete) => complete.turn_id()?,
            _ => return None,
        }),
        _ => None,
    })
}

/// A server writes roles with a capital. Nobody has to know.
fn role_of_turn(turn: TurnId<'_>) -> Option<&str> {
    Some(match turn.role()? {
        Role::User => "user",
        Role::Assistant => "assistant",
        other => other.as_str(),
    })
}
