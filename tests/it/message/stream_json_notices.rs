//! The lines of stream-json that are not part of the conversation: progress,
//! login, queued commands, keep-alives.
#![cfg(feature = "owned")]

use linetape::{
    Message,
    message::{
        SessionId,
        stream::{CommandState, ResetTrigger},
    },
};
use serde_json::json;

use super::fixture::{self, Common, check_common, of_kind, reads};

const LOG: &str = include_str!("../../data/stream_json_notices.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

reads! {
    keep_alive, [1],
    Message::KeepAlive(alive) => {
        alive.value().as_object().unwrap().len() => 1;
    }

    cancelled_request, [2],
    Message::ControlCancelRequest(cancel) => {
        cancel.request_id() => Some("req-1");
    }

    tool_progress, [3],
    Message::ToolProgress(progress) => {
        progress.tool_use_id() => Some("call-1");
        progress.tool_name() => Some("Bash");
        progress.elapsed_time_seconds() => Some(3.5);
        progress.heartbeat() => Some(true);
        serde_json::to_value(progress.subagent_retry()).unwrap() =>
            json!({ "attempt": 2 });
    }

    tool_use_summary, [4],
    Message::ToolUseSummary(summary) => {
        summary.summary() => Some("Read two charts");
        summary.preceding_tool_use_ids().unwrap().iter().collect::<Vec<_>>() =>
            ["call-1", "call-2"];
    }

    login_begins, [5],
    Message::AuthStatus(status) => {
        status.is_authenticating() => Some(true);
        status.output().unwrap().iter().collect::<Vec<_>>() =>
            ["Open the page", "Wait"];
        status.error() => None;
    }

    login_fails, [6],
    Message::AuthStatus(status) => {
        status.is_authenticating() => Some(false);
        status.output().unwrap().iter().count() => 0;
        status.error() => Some("The page is gone");
    }

    command_is_queued, [7],
    Message::CommandLifecycle(command) => {
        command.command_uuid() => Some("c-1");
        command.state() => Some(CommandState::Queued);
        command.ran_ahead() => None;
        command.scheduled_for() => Some(1_760_000_000.0);
        command.wakeup_source() => None;
    }

    command_is_done, [8],
    Message::CommandLifecycle(command) => {
        command.command_uuid() => Some("c-1");
        command.state() => Some(CommandState::Completed);
        command.ran_ahead() => Some(true);
        command.scheduled_for() => None;
        command.wakeup_source() => Some("timer");
    }

    conversation_reset, [9],
    Message::ConversationReset(reset) => {
        reset.new_conversation_id() => Some("cove");
        reset.trigger() => Some(ResetTrigger::Clear);
        reset.user_message_uuid() => Some("u-1");
    }

    prompt_suggestion, [10],
    Message::PromptSuggestion(suggestion) => {
        suggestion.suggestion() => Some("Show me the tides");
    }

    error, [11],
    Message::Error(error) => {
        error.error().unwrap().kind() => Some("overloaded_error");
        error.error().unwrap().message() => Some("Come back at low tide");
        error.request_id() => Some("req-2");
    }
}

#[test]
fn common_accessors() {
    let line = |kind, uuid| Common {
        session_id: Some(SessionId::Str("bay")),
        uuid: Some(uuid),
        ..of_kind(kind)
    };
    check_common(
        LOG,
        &[
            of_kind("keep_alive"),
            of_kind("control_cancel_request"),
            line("tool_progress", "n-3"),
            line("tool_use_summary", "n-4"),
            line("auth_status", "n-5"),
            line("auth_status", "n-6"),
            line("command_lifecycle", "n-7"),
            line("command_lifecycle", "n-8"),
            Common {
                timestamp: Some("2026-03-04T09:00:00Z"),
                ..line("conversation_reset", "n-9")
            },
            Common {
                session_id: Some(SessionId::Str("cove")),
                ..line("prompt_suggestion", "n-10")
            },
            Common { is_error: true, ..of_kind("error") },
        ],
    );
}
