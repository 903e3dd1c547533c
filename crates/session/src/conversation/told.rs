/*!
What the agent program itself says: messages for the user, errors, and the text
of a result.
*/

use std::{borrow::Cow, hash::BuildHasher};

use linetape::{
    Value,
    message::{
        Message,
        system::{System, SystemMessage},
    },
};

use crate::{
    Facts,
    conversation::{
        Conversation, Here, StepKind, entry::ThreadEntry, sort, text::as_text,
    },
};

/// How deep errors may be nested in errors.
const DEPTH: usize = 8;

impl Conversation {
    /// Notes the texts of a message of the model. A result may repeat one of
    /// them, or all of them as one text.
    pub(super) fn note_said(&mut self, here: Here, texts: &[&str]) {
        for text in texts {
            self.note_text(here, text);
        }
        if texts.len() > 1 {
            for between in ["", "\n", "\n\n"] {
                self.note_text(here, &texts.join(between));
            }
        }
    }

    fn note_text(&mut self, here: Here, text: &str) {
        let hash = self.hasher.hash_one(text.trim());
        if let Some(thread) = self.threads.get_mut(here.thread.get()) {
            let times = thread.texts.entry(hash).or_default();
            *times = times.saturating_add(1);
        }
    }

    /// Adds the text of a result, unless the model has said it: a result
    /// repeats the last text of its run, has another text, or says why the run
    /// failed. If the transcript was read before the stream, the texts of later
    /// runs come before the result. The list of errors has the text of an
    /// error, too.
    pub(super) fn add_result_text(&mut self, here: Here, facts: &Facts<'_>) {
        let text = told(facts);
        let hash = self.hasher.hash_one(text.trim());
        let Some(thread) = self.threads.get_mut(here.thread.get()) else {
            return;
        };
        let is_known = thread.has_said(hash)
            || facts.is_error() && is_listed(facts, &text);
        if is_known || text.trim().is_empty() {
            return;
        }
        let kind = match facts.is_error() {
            true => StepKind::Error,
            false => StepKind::Text,
        };
        self.push(here, kind, 0);
    }
}

impl ThreadEntry {
    /// Returns whether the model has said a text that no result has repeated
    /// so far. A result repeats it now.
    fn has_said(&mut self, text: u64) -> bool {
        let Some(times) = self.texts.get_mut(&text) else { return false };
        *times = times.saturating_sub(1);
        if *times == 0 {
            self.texts.remove(&text);
        }
        true
    }
}

/// Returns whether a text is one of the errors of a result.
fn is_listed(facts: &Facts<'_>, text: &str) -> bool {
    let errors = facts.run_result().and_then(|result| result.errors());
    let mut errors = errors.into_iter().flatten();
    errors.any(|error| error.trim() == text.trim())
}

/// Returns what a message of the agent program for the user is. `None` if it
/// is another message, or empty.
pub(super) fn kind_of(
    facts: &Facts<'_>,
    system: System<'_>,
) -> Option<StepKind> {
    let text = told(facts);
    let kind = match system {
        System::LocalCommand(_) | System::LocalCommandOutput(_) => {
            match sort::by_beginning(&text) {
                Some(StepKind::Command) => StepKind::Command,
                _ => StepKind::Output,
            }
        }
        System::Informational(_) | System::Notification(_) => {
            StepKind::Program
        }
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(kind)
}

/// Returns the text of a message of the agent program, or of a result.
pub(super) fn told<'a>(facts: &Facts<'a>) -> Cow<'a, str> {
    let message = facts.message();
    if let Message::Result(result) = message {
        return result.result().unwrap_or_default().into();
    }
    let said = message.text().to_string();
    if !said.trim().is_empty() {
        return said.into();
    }
    let text = SystemMessage::new(message.value()).content();
    let text = text.or(match message {
        Message::System(System::Notification(told)) => told.text(),
        _ => None,
    });
    match text {
        Some(text) => text.into(),
        None => {
            // Messages of several subtypes have one, as text or as an object.
            let error = message.value().get("error");
            let error = error.filter(|error| !error.is_null());
            error.map(reason).unwrap_or_default()
        }
    }
}

/// Returns what an error says: its message, that of the error in it, or all of
/// it.
fn reason<'a>(error: Value<'a>) -> Cow<'a, str> {
    let mut inner = error;
    for _ in 0..DEPTH {
        let message = inner.get("message").and_then(|text| text.as_str());
        let text = inner.as_str().or(message);
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            return text.into();
        }
        match inner.get("error") {
            Some(next) => inner = next,
            None => break,
        }
    }
    as_text(error).into()
}
