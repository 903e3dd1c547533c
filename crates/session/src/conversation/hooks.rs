/*!
What hooks say: in messages of the agent program, in attachments, and in texts
with the role of the user.
*/

use std::borrow::Cow;

use linetape::{
    Value,
    message::{
        Message,
        system::{HookOutcome, System},
        transcript::AttachmentBody,
    },
};

use crate::{
    Facts,
    conversation::{
        Step,
        text::{as_text, text_of},
    },
};

/// The events after which the model receives what a hook prints.
const GIVEN_TO_THE_MODEL: [&str; 3] =
    ["SessionStart", "UserPromptSubmit", "UserPromptExpansion"];

/// The events whose errors are in a `stop_hook_summary`, too.
const SUMMARISED: [&str; 2] = ["Stop", "SubagentStop"];

/// Returns whether a message of the agent program reports an error of a hook.
pub(super) fn is_told(system: System<'_>) -> bool {
    match system {
        System::HookResponse(hook) => {
            hook.outcome() == Some(HookOutcome::Error)
        }
        System::StopHookSummary(hooks) => {
            let mut errors = hooks.hook_errors().into_iter().flatten();
            hooks.prevented_continuation() == Some(true)
                || errors.next().is_some()
        }
        _ => false,
    }
}

/// Returns what a hook says, or the errors of several.
pub(super) fn text<'a>(step: Step<'_>, facts: &Facts<'a>) -> Cow<'a, str> {
    let text = match facts.message() {
        Message::System(System::HookResponse(hook)) => {
            let parts = [hook.output(), hook.stderr(), hook.stdout()];
            parts.into_iter().flatten().find(|text| !text.trim().is_empty())
        }
        Message::System(System::StopHookSummary(hooks)) => {
            let errors = hooks.hook_errors().into_iter().flatten();
            let errors = errors.map(as_text);
            let reason = hooks.stop_reason().map(str::to_string);
            let all: Vec<String> =
                errors.chain(reason).filter(|t| !t.is_empty()).collect();
            return all.join("\n").into();
        }
        Message::Attachment(attachment) => {
            let body = attachment.attachment();
            return body.and_then(attached).unwrap_or_default().into();
        }
        _ => step.block(facts).and_then(text_of),
    };
    Cow::Borrowed(text.unwrap_or_default())
}

/// Returns what an attachment says of a hook, after the name of the hook.
/// `None` if it is another attachment, or says nothing.
pub(super) fn attached(body: AttachmentBody<'_>) -> Option<String> {
    let value = body.value();
    let field = |key| {
        let text = value.get(key).map(joined).unwrap_or_default();
        (!text.trim().is_empty()).then_some(text)
    };
    let event = value.get("hookEvent").and_then(|event| event.as_str());
    let is_one_of =
        |events: &[&str]| event.is_some_and(|e| events.contains(&e));
    let text = match body.kind()? {
        "hook_success" => {
            field("content").filter(|_| is_one_of(&GIVEN_TO_THE_MODEL))?
        }
        "hook_additional_context" | "hook_system_message" => field("content")?,
        "hook_stopped_continuation" => field("message")?,
        "hook_cancelled" => "cancelled".to_string(),
        "hook_blocking_error"
        | "hook_non_blocking_error"
        | "hook_error_during_execution"
            if is_one_of(&SUMMARISED) =>
        {
            return None;
        }
        "hook_blocking_error" => {
            let error = value.get("blockingError")?;
            joined(error.get("blockingError").unwrap_or(error))
        }
        "hook_non_blocking_error" | "hook_error_during_execution" => {
            let said = field("stderr").or(field("stdout"));
            said.or(field("content")).unwrap_or_else(|| {
                let code = value.get("exitCode").map(as_text);
                format!("failed, exit code {}", code.unwrap_or_default())
            })
        }
        _ => return None,
    };
    let name = value.get("hookName").and_then(|name| name.as_str());
    let name = name.or(event).unwrap_or_default();
    Some(match name {
        "" => text,
        name => format!("{name}: {text}"),
    })
}

/// Returns a text, or several of them in lines.
fn joined(value: Value<'_>) -> String {
    match value.as_array() {
        Some(parts) => {
            let parts = parts.into_iter().map(as_text);
            parts.collect::<Vec<_>>().join("\n")
        }
        None => as_text(value),
    }
}
