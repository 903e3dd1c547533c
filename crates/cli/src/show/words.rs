//! The words for steps: speakers, outcomes, folded texts.

use linetape::{Message, Value};
use linetape_session::{
    Facts,
    conversation::{Call, Step, StepKind},
};

use crate::show::speakers::Speaker;

/// About how much of a text is folded into one line, in bytes. No line is that
/// long.
const MAX_FOLDED: usize = 4 << 10;

/// Returns the speaker of a step.
pub fn speaker_of(step: Step<'_>, facts: &Facts<'_>) -> Speaker {
    match step.kind() {
        StepKind::Prompt | StepKind::Command => Speaker::User,
        StepKind::Block => match facts.message() {
            Message::User(_) => Speaker::User,
            Message::Attachment(_) if step.block(facts).is_some() => {
                Speaker::User
            }
            Message::Attachment(_) => Speaker::Program,
            _ => Speaker::Assistant,
        },
        StepKind::Output
        | StepKind::Program
        | StepKind::Interruption
        | StepKind::Summary => Speaker::Program,
        StepKind::Notification => Speaker::Notification,
        StepKind::Hook => Speaker::Hook,
        StepKind::Server => Speaker::Server,
        StepKind::Error => match facts.message() {
            Message::Ui(_) => Speaker::Server,
            Message::System(_) => Speaker::System,
            _ => Speaker::Error,
        },
        _ => Speaker::Assistant,
    }
}

/// Returns the tool, the outcome of the call, and its duration.
pub fn headline(
    call: Option<Call<'_>>,
    subject: Option<&str>,
    is_error: bool,
) -> String {
    let name = call.and_then(|call| call.name()).unwrap_or("a tool");
    let subject = subject.map(|subject| format!(" {subject}"));
    let is_background = call.is_some_and(|call| call.is_background());
    let time = call.filter(|_| !is_background);
    let time = time.and_then(|call| call.duration());
    let how = match (is_error, is_background) {
        (_, true) => "started in the background",
        (true, _) => "failed",
        (false, _) => "done",
    };
    let time = time.map(after).unwrap_or_default();
    format!("{name}{} {how}{time}", subject.unwrap_or_default())
}

/// Returns a duration in seconds.
pub fn after(ms: u64) -> String {
    format!(" after {:.1} s", ms as f64 / 1000.0)
}

/// Returns the first words of a text.
pub fn on_one_line(text: &str) -> String {
    let mut words = String::new();
    for word in text.split_whitespace() {
        if words.len() > MAX_FOLDED {
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words += word;
    }
    words
}

/// Returns the arguments of a call, each on a line.
pub fn arguments(input: Value<'_>) -> String {
    let text = |value: Value<'_>| match value.as_str() {
        Some(text) => text.to_string(),
        None => value.to_string(),
    };
    match input.as_object() {
        Some(members) => {
            let members = members.into_iter();
            let members =
                members.map(|(key, value)| format!("{key}: {}", text(value)));
            members.collect::<Vec<_>>().join("\n")
        }
        None => text(input),
    }
}
