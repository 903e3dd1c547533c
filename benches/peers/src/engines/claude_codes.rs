//! claude-codes: types for this format, deserialised by serde_json.

use claude_codes::{ClaudeOutput, io::ResultSubtype};

use super::{Engine, split::texts};
use crate::{
    data::Data,
    jobs::{Job, Tally},
    strings,
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("claude-codes", Job::Route, |data, tally| {
        each_message(data, tally, |message, tally| {
            tally.kind(Some(&message.message_type()), subtype(message));
        });
    }),
    Engine::peer("claude-codes", Job::Own, |data, tally| {
        each_message(data, tally, |message, tally| {
            tally.own(message, message.is_assistant_message());
            strings::visit(message, tally);
        });
    }),
];

/// Not `ClaudeOutput::parse_json`, which makes another copy of every line for
/// its errors.
fn each_message(
    data: &Data,
    tally: &mut Tally,
    mut job: impl FnMut(&ClaudeOutput, &mut Tally),
) {
    for text in texts(data) {
        match text.map(serde_json::from_str::<ClaudeOutput>) {
            Some(Ok(message)) => job(&message, tally),
            _ => tally.fail(1),
        }
    }
}

/// Returns the subtype, for the types that have one in this crate.
fn subtype(message: &ClaudeOutput) -> Option<&str> {
    match message {
        ClaudeOutput::System(system) => Some(system.subtype.as_str()),
        ClaudeOutput::Result(result) => {
            Some(ResultSubtype::as_str(&result.subtype))
        }
        _ => None,
    }
}
