/*!
What attachments say: the words of hooks, and files that the model was shown.

The kinds and their members are those that Claude Code 2.1 writes.
*/

use std::borrow::Cow;

use linetape::{
    Value,
    message::{Message, transcript::AttachmentBody},
};

use crate::{
    Facts,
    conversation::{StepKind, text::as_text},
};

/// The events after which the model receives what a hook prints.
const GIVEN_TO_THE_MODEL: [&str; 3] =
    ["SessionStart", "UserPromptSubmit", "UserPromptExpansion"];

/// The events whose errors are in a `stop_hook_summary`, too.
const STOPS: [&str; 2] = ["Stop", "SubagentStop"];

/// What an attachment says, and as which kind of step.
pub(super) struct Attached {
    pub(super) kind: StepKind,
    /// Whether a summary of stop hooks may repeat it.
    pub(super) is_of_stop_hook: bool,
    /// The name of the hook, or what the attachment is.
    name: String,
    /// The rest: in the same line if it is a hook's, and otherwise below.
    pub(super) text: String,
}

impl Attached {
    /// Returns `None` if the attachment says nothing to a person.
    pub(super) fn of(body: AttachmentBody<'_>) -> Option<Attached> {
        let value = body.value();
        let text = |key| text_at(value, key);
        match body.kind()? {
            "file" => Some(Attached {
                kind: StepKind::Block,
                is_of_stop_hook: false,
                name: named("file", text("displayPath").or(text("filename"))),
                text: content_of_file(value).unwrap_or_default(),
            }),
            "edited_text_file" => Some(Attached {
                kind: StepKind::Block,
                is_of_stop_hook: false,
                name: named("edited file", text("filename")),
                text: text("snippet")?,
            }),
            kind => {
                let event = text("hookEvent");
                let is_stop = |event: &str| STOPS.contains(&event);
                let name = text("hookName").or(event.clone());
                Some(Attached {
                    kind: StepKind::Hook,
                    is_of_stop_hook: event.as_deref().is_some_and(is_stop),
                    text: said_by_hook(kind, value)?,
                    name: name.unwrap_or_default(),
                })
            }
        }
    }

    fn joined(self) -> String {
        let Attached { kind, name, text, .. } = self;
        match (&*name, &*text) {
            ("", _) => text,
            (_, "") => name,
            _ if kind == StepKind::Hook => format!("{name}: {text}"),
            _ => format!("{name}\n{text}"),
        }
    }
}

/// Returns what the attachment of a message says.
pub(super) fn text<'a>(facts: &Facts<'a>) -> Cow<'a, str> {
    let body = match facts.message() {
        Message::Attachment(attachment) => attachment.attachment(),
        _ => None,
    };
    let said = body.and_then(Attached::of).map(Attached::joined);
    said.unwrap_or_default().into()
}

/// Returns what an attachment says of a hook. `None` if it is another
/// attachment, or says nothing.
fn said_by_hook(kind: &str, value: Value<'_>) -> Option<String> {
    let text = |key| text_at(value, key);
    match kind {
        "hook_success" => {
            let event = text("hookEvent")?;
            let is_given = GIVEN_TO_THE_MODEL.contains(&&*event);
            text("content").filter(|_| is_given)
        }
        "hook_additional_context" | "hook_system_message" => text("content"),
        "hook_stopped_continuation" => text("message"),
        "hook_cancelled" => Some("cancelled".to_string()),
        "hook_blocking_error" => {
            let error = value.get("blockingError")?;
            let text = error.as_str().map(str::to_string);
            text_at(error, "blockingError").or(text)
        }
        "hook_non_blocking_error" | "hook_error_during_execution" => {
            let said = text("stderr").or(text("stdout")).or(text("content"));
            said.or_else(|| {
                let code = value.get("exitCode").and_then(|c| c.as_i64())?;
                Some(format!("Exit code {code}"))
            })
        }
        "async_hook_response" => {
            let response = value.get("response")?;
            let output = response.get("hookSpecificOutput");
            let context =
                output.and_then(|output| text_at(output, "additionalContext"));
            let part = |key| text_at(response, key);
            let parts = [
                part("systemMessage"),
                part("reason"),
                part("stopReason"),
                context,
            ];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            (!parts.is_empty()).then(|| parts.join("\n"))
        }
        _ => None,
    }
}

/// Returns the text of a file that the user mentioned.
fn content_of_file(value: Value<'_>) -> Option<String> {
    let content = value.get("content")?;
    let file = content.get("file").unwrap_or(content);
    text_at(file, "content").or(content.as_str().map(str::to_string))
}

fn named(kind: &str, name: Option<String>) -> String {
    match name {
        Some(name) => format!("{kind}: {}", name.replace('\n', " ")),
        None => kind.to_string(),
    }
}

/// Returns a member that is a text, or a list of texts. `None` if it is empty.
fn text_at(value: Value<'_>, key: &str) -> Option<String> {
    let member = value.get(key).filter(|member| !member.is_null())?;
    let text = joined(member);
    (!text.trim().is_empty()).then_some(text)
}

/// Returns a text, or several of them in lines.
fn joined(value: Value<'_>) -> String {
    match value.as_array() {
        Some(parts) => {
            let parts = parts.into_iter().filter(|part| !part.is_null());
            parts.map(as_text).collect::<Vec<_>>().join("\n")
        }
        None => as_text(value),
    }
}
