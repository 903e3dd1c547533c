//! The role of a message.

use linetape::{
    Message,
    message::server::{Role, TurnId, UiEvent},
};

/// Returns the role in a message, or else its type if that is a role.
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

/// Returns the role of a turn, in lower case as in other dialects.
fn role_of_turn(turn: TurnId<'_>) -> Option<&str> {
    Some(match turn.role()? {
        Role::User => "user",
        Role::Assistant => "assistant",
        other => other.as_str(),
    })
}
