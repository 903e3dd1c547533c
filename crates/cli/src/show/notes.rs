//! What `show` says in its own words.

use linetape::{Message, message::system::System};
use linetape_session::{
    Facts,
    conversation::{Step, StepKind},
};

/// Returns the note for a step that has no text of its own.
pub fn note(step: Step<'_>, facts: &Facts<'_>) -> Option<String> {
    match (step.kind(), facts.message()) {
        (StepKind::Init, Message::System(System::Init(init))) => {
            Some(format!("model: {}", init.model().unwrap_or("unknown")))
        }
        (StepKind::Compaction, Message::CompactSystem(step)) => {
            step.message().map(|step| step.as_str().to_string())
        }
        (StepKind::Compaction, message) => Some(compaction(message)),
        (StepKind::Link, Message::ContinuedIn(line)) => {
            let next = line.continued_in_session_id();
            let next = next.unwrap_or("another session");
            Some(format!("continued in {next}"))
        }
        (StepKind::Link, Message::ForkContextRef(line)) => {
            let from = line.parent_session_id();
            let from = from.unwrap_or("that is not named");
            let agent = line.agent_id().unwrap_or("without an id");
            Some(format!("sub-agent {agent} was forked from session {from}"))
        }
        _ => None,
    }
}

/// Returns the note for a compaction, with the tokens before and after it.
fn compaction(message: Message<'_>) -> String {
    let Message::System(System::CompactBoundary(boundary)) = message else {
        return "conversation compacted".to_string();
    };
    let metadata = boundary.compact_metadata();
    let before = metadata.and_then(|metadata| metadata.pre_tokens());
    let after = metadata.and_then(|metadata| metadata.post_tokens());
    match (before, after) {
        (Some(before), Some(after)) => {
            format!("conversation compacted: {before} to {after} tokens")
        }
        (Some(before), None) => {
            format!("conversation compacted: {before} tokens before")
        }
        _ => "conversation compacted".to_string(),
    }
}
