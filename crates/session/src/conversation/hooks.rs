/*!
What hooks say: in messages of the agent program, in attachments, and in texts
with the role of the user.
*/

use std::{borrow::Cow, hash::BuildHasher};

use linetape::message::{
    Message,
    system::{HookOutcome, StopHookSummary, System},
};

use crate::{
    Facts,
    conversation::{
        Conversation, Here, Step,
        text::{as_text, text_of},
    },
};

impl Conversation {
    /// Notes what a stop hook has said. The summary of all stop hooks, which
    /// comes after them in the same turn, may repeat it.
    pub(super) fn note_stop_hook(&mut self, here: Here, text: &str) {
        let hash = self.hasher.hash_one(text.trim());
        if let Some(thread) = self.threads.get_mut(here.thread.get()) {
            thread.stop_hooks.insert(hash);
        }
    }

    /// Returns whether a message of the agent program reports an error of a
    /// hook that the hook has not reported itself.
    pub(super) fn is_hook_error(
        &self,
        here: Here,
        system: System<'_>,
    ) -> bool {
        match system {
            System::HookResponse(hook) => {
                hook.outcome() == Some(HookOutcome::Error)
            }
            System::StopHookSummary(hooks) => {
                let thread = self.threads.get(here.thread.get());
                let known = thread.map(|thread| &thread.stop_hooks);
                let is_known = |text: &String| {
                    let hash = self.hasher.hash_one(text.trim());
                    known.is_some_and(|known| known.contains(&hash))
                };
                let said = errors(hooks);
                match said.is_empty() {
                    // It may have stopped the turn without a reason.
                    true => {
                        hooks.prevented_continuation() == Some(true)
                            && known.is_none_or(|known| known.is_empty())
                    }
                    false => !said.iter().all(is_known),
                }
            }
            _ => false,
        }
    }
}

/// Returns the errors of stop hooks, and the reason why one ended the turn.
fn errors(hooks: StopHookSummary<'_>) -> Vec<String> {
    let errors = hooks.hook_errors().into_iter().flatten().map(as_text);
    let reason = hooks.stop_reason().map(str::to_string);
    errors.chain(reason).filter(|text| !text.trim().is_empty()).collect()
}

/// Returns what a hook says, or the errors of several.
pub(super) fn text<'a>(step: Step<'_>, facts: &Facts<'a>) -> Cow<'a, str> {
    let text = match facts.message() {
        Message::System(System::HookResponse(hook)) => {
            let parts = [hook.output(), hook.stderr(), hook.stdout()];
            parts.into_iter().flatten().find(|text| !text.trim().is_empty())
        }
        Message::System(System::StopHookSummary(hooks)) => {
            return errors(hooks).join("\n").into();
        }
        _ => step.block(facts).and_then(text_of),
    };
    Cow::Borrowed(text.unwrap_or_default())
}
