//! Hook answers: every field, for every event.

use crate::fixture::fields;

const LOG: &str = include_str!("../data/hook_answers.jsonl");

const ANSWER: &str = "/response/response";
const OUTPUT: &str = "/response/response/hookSpecificOutput";

fields! {
    decision: answers::HookAnswer, 1, ANSWER => {
        continues: false,
        suppress_output: true,
        stop_reason: "low tide",
        decision: "block",
        system_message: "Wait for the tide.",
        terminal_sequence: "\u{7}",
        reason: "too shallow",
        hook_specific_output: {
            "hookEventName": "Stop",
            "additionalContext": "Wait.",
        },
    }

    in_the_background: answers::HookAnswer, 2, ANSWER => {
        is_async: true,
        async_timeout: 15000,
    }

    pre_tool_use: answers::PreToolUseOutput, 3, OUTPUT => {
        permission_decision: "defer",
        permission_decision_reason: "a pilot decides",
        updated_input: {"command": "tide"},
        additional_context: "The tide is low.",
    }

    post_tool_use: answers::PostToolUseOutput, 4, OUTPUT => {
        additional_context: "Read it again.",
        classifier_context: "The user asked for it.",
        updated_tool_output: {"stdout": "high"},
        updated_mcp_tool_output: ["high"],
    }

    post_tool_use_failure: answers::ContextOutput, 5, OUTPUT => {
        additional_context: "After PostToolUseFailure.",
    }

    post_tool_batch: answers::ContextOutput, 6, OUTPUT => {
        additional_context: "After PostToolBatch.",
    }

    notification: answers::ContextOutput, 7, OUTPUT => {
        additional_context: "After Notification.",
    }

    user_prompt_submit: answers::PromptSubmitOutput, 8, OUTPUT => {
        additional_context: "Tides.",
        session_title: "Tides",
        suppress_original_prompt: true,
    }

    user_prompt_expansion: answers::PromptExpansionOutput, 9, OUTPUT => {
        additional_context: "Tides.",
        suppress_original_prompt: false,
    }

    session_start: answers::SessionStartOutput, 10, OUTPUT => {
        additional_context: "Tides.",
        initial_user_message: "When is high tide?",
        session_title: "Tides",
        watch_paths: ["/bay"],
        reload_skills: true,
    }

    stop: answers::ContextOutput, 11, OUTPUT => {
        additional_context: "After Stop.",
    }

    subagent_start: answers::ContextOutput, 12, OUTPUT => {
        additional_context: "After SubagentStart.",
    }

    subagent_stop: answers::ContextOutput, 13, OUTPUT => {
        additional_context: "After SubagentStop.",
    }

    pre_model_switch: answers::DecisionOutput, 14, OUTPUT => {
        permission_decision: "ask",
        permission_decision_reason: "it costs",
    }

    post_model_switch: answers::ContextOutput, 15, OUTPUT => {
        additional_context: "Another model.",
    }

    permission_request: answers::PermissionRequestOutput, 16, OUTPUT => {
        decision: {
            "behavior": "deny",
            "updatedInput": {"command": "tide"},
            "updatedPermissions": [
                {
                    "type": "addRules",
                    "rules": [{"toolName": "Bash", "ruleContent": "tide:*"}],
                    "behavior": "allow",
                    "mode": "plan",
                    "directories": ["/bay", "/cove"],
                    "destination": "localSettings",
                },
            ],
            "message": "Not at low tide.",
            "interrupt": true,
        },
    }

    permission_denied: answers::PermissionDeniedOutput, 17, OUTPUT => {
        retry: true,
    }

    setup: answers::ContextOutput, 18, OUTPUT => {
        additional_context: "Set up.",
    }

    elicitation: answers::ElicitationOutput, 19, OUTPUT => {
        action: "decline",
        content: {"bay": "north"},
    }

    elicitation_result: answers::ElicitationOutput, 20, OUTPUT => {
        action: "cancel",
        content: {"bay": "south"},
    }

    worktree_create: answers::WorktreeCreateOutput, 21, OUTPUT => {
        worktree_path: "/bay/.worktrees/survey",
    }

    cwd_changed: answers::WatchOutput, 22, OUTPUT => {
        watch_paths: ["/cove"],
    }

    file_changed: answers::WatchOutput, 23, OUTPUT => {
        watch_paths: ["/bay", "/cove"],
    }

    message_display: answers::MessageDisplayOutput, 24, OUTPUT => {
        display_content: "High tide!\n",
    }

    unknown_event: answers::OtherOutput, 25, OUTPUT => {
        hook_event_name: "TideTurned",
        additional_context: "An event of the future.",
    }

    request_decision: answers::RequestDecision, 16,
    "/response/response/hookSpecificOutput/decision" => {
        behavior: "deny",
        updated_input: {"command": "tide"},
        updated_permissions: [
            {
                "type": "addRules",
                "rules": [{"toolName": "Bash", "ruleContent": "tide:*"}],
                "behavior": "allow",
                "mode": "plan",
                "directories": ["/bay", "/cove"],
                "destination": "localSettings",
            },
        ],
        message: "Not at low tide.",
        interrupt: true,
    }
}
