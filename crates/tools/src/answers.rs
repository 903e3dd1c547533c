/*!
Hook answers: what a hook returns to the agent program.

# Example

This reads the decision of a hook.

```
use linetape::Decoder;
use linetape_tools::{
    HookAnswer, answers::HookSpecificOutput, hooks::PermissionDecision,
};

let line = br#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
let mut decoder = Decoder::new();
let record = decoder.decode(line)?;
let answer = HookAnswer::new(record.value());
let Some(HookSpecificOutput::PreToolUse(output)) =
    answer.hook_specific_output()
else {
    panic!("not the answer to PreToolUse");
};
assert_eq!(output.permission_decision(), Some(PermissionDecision::Deny));
# Ok::<(), linetape::Error>(())
```
*/

use linetape::message::schema::views;

use crate::hooks::{ElicitationAction, PermissionDecision, PermissionUpdate};

macro_rules! answers {
    ($to:ident) => {
        $to! {
            /// The answer of a hook.
            ///
            /// An answer whose `async` is true has only one other field,
            /// `asyncTimeout`: the hook continues in the background.
            struct HookAnswer {
                /// Whether the agent continues; `true` if absent.
                continues: bool = "continue",
                /// Whether to hide the hook's output from the transcript.
                suppress_output: bool = "suppressOutput",
                /// The reason, for the user, why the agent does not continue.
                stop_reason: str = "stopReason",
                /// The decision about what the event is about.
                decision: Decision = "decision",
                /// A message for the user.
                system_message: str = "systemMessage",
                /// An escape sequence to write to the terminal.
                terminal_sequence: str = "terminalSequence",
                /// The reason for the decision.
                reason: str = "reason",
                /// The part of the answer that depends on the event.
                hook_specific_output: HookSpecificOutput =
                    "hookSpecificOutput",
                /// Whether the hook continues in the background.
                is_async: bool = "async",
                /// The time limit of a hook in the background.
                async_timeout: f64 = "asyncTimeout",
            }

            /// The decision of a hook.
            enum Decision {
                /// The agent may proceed.
                Approve = "approve",
                /// The agent may not proceed.
                Block = "block",
            }

            /// An answer that adds text to the context, or nothing.
            struct ContextOutput {
                /// The text for the model.
                additional_context: str = "additionalContext",
            }

            /// The answer to an event that the schema does not know.
            struct OtherOutput: ContextOutput {
                /// The name of the event.
                hook_event_name: str = "hookEventName",
            }

            /// The fields of an answer that permits or denies something.
            struct DecisionOutput {
                /// The decision.
                permission_decision: PermissionDecision =
                    "permissionDecision",
                /// The reason for the decision.
                permission_decision_reason: str = "permissionDecisionReason",
            }

            /// The answer to [`PreToolUse`](crate::hooks::PreToolUse).
            struct PreToolUseOutput: DecisionOutput {
                /// The input with which the tool runs instead.
                updated_input: json = "updatedInput",
                /// The text for the model.
                additional_context: str = "additionalContext",
            }

            /// The answer to [`PostToolUse`](crate::hooks::PostToolUse).
            struct PostToolUseOutput: ContextOutput {
                /// The text for the permission classifier.
                classifier_context: str = "classifierContext",
                /// The result that the model sees instead.
                updated_tool_output: json = "updatedToolOutput",
                /// The result of an MCP tool that the model sees instead.
                updated_mcp_tool_output: json = "updatedMCPToolOutput",
            }

            /// The answer to
            /// [`UserPromptExpansion`](crate::hooks::UserPromptExpansion).
            struct PromptExpansionOutput: ContextOutput {
                /// Whether the message about a blocked prompt leaves the
                /// prompt out.
                suppress_original_prompt: bool = "suppressOriginalPrompt",
            }

            /// The answer to
            /// [`UserPromptSubmit`](crate::hooks::UserPromptSubmit).
            struct PromptSubmitOutput: PromptExpansionOutput {
                /// The new title of the session.
                session_title: str = "sessionTitle",
            }

            /// The answer to [`SessionStart`](crate::hooks::SessionStart).
            struct SessionStartOutput: ContextOutput {
                /// The first prompt of the session.
                initial_user_message: str = "initialUserMessage",
                /// The new title of the session.
                session_title: str = "sessionTitle",
                /// The paths to watch for changes.
                watch_paths: [str] = "watchPaths",
                /// Whether to load the skills again.
                reload_skills: bool = "reloadSkills",
            }

            /// The answer to
            /// [`PermissionDenied`](crate::hooks::PermissionDenied).
            struct PermissionDeniedOutput {
                /// Whether the model may try again.
                retry: bool = "retry",
            }

            /// The answer to
            /// [`PermissionRequest`](crate::hooks::PermissionRequest).
            struct PermissionRequestOutput {
                /// The decision.
                decision: RequestDecision = "decision",
            }

            /// The decision about a permission request.
            struct RequestDecision {
                /// Whether the tool use is permitted: `allow` or `deny`.
                behavior: PermissionDecision = "behavior",
                /// The input with which the tool runs instead.
                updated_input: json = "updatedInput",
                /// The changes of the permission rules.
                updated_permissions: [PermissionUpdate] =
                    "updatedPermissions",
                /// The reason why the tool use is denied, for the model.
                message: str = "message",
                /// Whether to interrupt the agent.
                interrupt: bool = "interrupt",
            }

            /// The answer to an elicitation or to its result.
            struct ElicitationOutput {
                /// What to do in place of the user.
                action: ElicitationAction = "action",
                /// The content of the form.
                content: json = "content",
            }

            /// An answer with paths to watch.
            struct WatchOutput {
                /// The paths to watch for changes.
                watch_paths: [str] = "watchPaths",
            }

            /// The answer to
            /// [`WorktreeCreate`](crate::hooks::WorktreeCreate).
            struct WorktreeCreateOutput {
                /// The path of the worktree that the hook has created.
                worktree_path: str = "worktreePath",
            }

            /// The answer to
            /// [`MessageDisplay`](crate::hooks::MessageDisplay).
            struct MessageDisplayOutput {
                /// The text to display instead.
                display_content: str = "displayContent",
            }

            /// The part of a hook's answer that depends on the event.
            union HookSpecificOutput by "hookEventName"
            else Other(OtherOutput) {
                /// For [`PreToolUse`](crate::hooks::PreToolUse).
                PreToolUse(PreToolUseOutput) = "PreToolUse",
                /// For [`PostToolUse`](crate::hooks::PostToolUse).
                PostToolUse(PostToolUseOutput) = "PostToolUse",
                /// For
                /// [`PostToolUseFailure`](crate::hooks::PostToolUseFailure).
                PostToolUseFailure(ContextOutput) = "PostToolUseFailure",
                /// For [`PostToolBatch`](crate::hooks::PostToolBatch).
                PostToolBatch(ContextOutput) = "PostToolBatch",
                /// For [`Notification`](crate::hooks::Notification).
                Notification(ContextOutput) = "Notification",
                /// For [`UserPromptSubmit`](crate::hooks::UserPromptSubmit).
                UserPromptSubmit(PromptSubmitOutput) = "UserPromptSubmit",
                /// For
                /// [`UserPromptExpansion`](crate::hooks::UserPromptExpansion).
                UserPromptExpansion(PromptExpansionOutput) =
                    "UserPromptExpansion",
                /// For [`SessionStart`](crate::hooks::SessionStart).
                SessionStart(SessionStartOutput) = "SessionStart",
                /// For [`Stop`](crate::hooks::Stop).
                Stop(ContextOutput) = "Stop",
                /// For [`SubagentStart`](crate::hooks::SubagentStart).
                SubagentStart(ContextOutput) = "SubagentStart",
                /// For [`SubagentStop`](crate::hooks::SubagentStop).
                SubagentStop(ContextOutput) = "SubagentStop",
                /// For [`PreModelSwitch`](crate::hooks::PreModelSwitch).
                PreModelSwitch(DecisionOutput) = "PreModelSwitch",
                /// For [`PostModelSwitch`](crate::hooks::PostModelSwitch).
                PostModelSwitch(ContextOutput) = "PostModelSwitch",
                /// For [`PermissionRequest`](crate::hooks::PermissionRequest).
                PermissionRequest(PermissionRequestOutput) =
                    "PermissionRequest",
                /// For [`PermissionDenied`](crate::hooks::PermissionDenied).
                PermissionDenied(PermissionDeniedOutput) = "PermissionDenied",
                /// For [`Setup`](crate::hooks::Setup).
                Setup(ContextOutput) = "Setup",
                /// For [`Elicitation`](crate::hooks::Elicitation).
                Elicitation(ElicitationOutput) = "Elicitation",
                /// For [`ElicitationResult`](crate::hooks::ElicitationResult).
                ElicitationResult(ElicitationOutput) = "ElicitationResult",
                /// For [`WorktreeCreate`](crate::hooks::WorktreeCreate).
                WorktreeCreate(WorktreeCreateOutput) = "WorktreeCreate",
                /// For [`CwdChanged`](crate::hooks::CwdChanged).
                CwdChanged(WatchOutput) = "CwdChanged",
                /// For [`FileChanged`](crate::hooks::FileChanged).
                FileChanged(WatchOutput) = "FileChanged",
                /// For [`MessageDisplay`](crate::hooks::MessageDisplay).
                MessageDisplay(MessageDisplayOutput) = "MessageDisplay",
            }
        }
    };
}
pub(crate) use answers;
answers!(views);
