//! What the agents of 2026 report: goals, background tasks, plugins, lost
//! writes; and the fields that they have added to older messages.
#![cfg(feature = "owned")]

use linetape::{
    Message, Value,
    message::{
        SessionId,
        reports::{
            ControlRequestStatus, DiskError, LostFile, MemoryRecallMode,
            MemoryScope, PluginInstallStatus,
        },
        results::{CostBasis, StartupFailureReason},
        stream::{AssistantError, OriginKind, OriginSubkind, PeerMode},
        system::{ApiKeySource, System, TaskType},
    },
};
use serde_json::json;

use super::fixture::{self, Common, check_common, of_kind, reads};

const LOG: &str = include_str!("../../data/stream_json_reports.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

#[test]
fn every_member_is_read() {
    fixture::check_all_read(LOG);
}

fn json(value: Option<Value<'_>>) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

reads! {
    goal_is_set, [1],
    Message::ActiveGoal(active) => {
        active.goal().map(|goal| (
            goal.condition(),
            goal.iterations(),
            goal.set_at(),
            goal.tokens_at_start(),
            goal.last_reason(),
        )) => Some((
            Some("All roads are drawn"),
            Some(3),
            Some(1_788_000_000_000.0),
            Some(1200),
            Some("One is missing"),
        ));
    }

    goal_is_gone, [2],
    Message::ActiveGoal(active) => { active.goal().is_none() => true; }

    transcript_mirror, [3],
    Message::TranscriptMirror(mirror) => {
        mirror.file_path() => Some("/logs/bay.jsonl");
        mirror.entries().unwrap().iter().map(|entry| {
            json(Some(entry))
        }).collect::<Vec<_>>() =>
            [json!({"type": "mode", "mode": "normal", "sessionId": "bay"})];
    }

    keep_alive, [4],
    Message::KeepAlive(alive) => { alive.startup_mark() => Some("settings"); }

    background_tasks_changed, [5],
    Message::System(System::BackgroundTasksChanged(changed)) => {
        changed.tasks().unwrap().iter().map(|task| (
            task.task_id(),
            task.run_id(),
            task.task_type(),
            task.subagent_type(),
            task.description(),
            task.parent_task_id(),
            task.ambient(),
        )).collect::<Vec<_>>() => [(
            Some("t-1"),
            Some("run-1"),
            Some(TaskType::McpTask),
            Some("Explore"),
            Some("Sound the bay"),
            Some("t-0"),
            Some(true),
        )];
    }

    commands_changed, [6],
    Message::System(System::CommandsChanged(changed)) => {
        changed.commands().unwrap().iter().map(|command| (
            command.name(),
            command.description(),
            command.argument_hint(),
            command.aliases().unwrap().iter().collect::<Vec<_>>(),
            command.builtin(),
        )).collect::<Vec<_>>() => [(
            Some("tides"),
            Some("Shows the tides"),
            Some("[day]"),
            vec!["t"],
            Some(true),
        )];
    }

    control_request_progress, [7],
    Message::System(System::ControlRequestProgress(progress)) => {
        progress.request_id() => Some("req-1");
        progress.status() => Some(ControlRequestStatus::ApiRetry);
        progress.attempt() => Some(2);
        progress.max_retries() => Some(10);
        progress.retry_delay_ms() => Some(500.0);
        progress.error_status() => Some(529);
    }

    elicitation_complete, [8],
    Message::System(System::ElicitationComplete(complete)) => {
        complete.mcp_server_name() => Some("charts");
        complete.elicitation_id() => Some("e-1");
    }

    files_persisted, [9],
    Message::System(System::FilesPersisted(persisted)) => {
        persisted.files().unwrap().iter().map(|file| {
            (file.filename(), file.file_id())
        }).collect::<Vec<_>>() => [(Some("bay.svg"), Some("file-1"))];
        persisted.failed().unwrap().iter().map(|file| {
            (file.filename(), file.error())
        }).collect::<Vec<_>>() => [(Some("sea.svg"), Some("Too large"))];
        persisted.processed_at() => Some("2026-09-04T09:00:00Z");
    }

    local_command_output, [10],
    Message::System(System::LocalCommandOutput(output)) => {
        output.content() => Some("High tide at noon");
    }

    memory_recall, [11],
    Message::System(System::MemoryRecall(recall)) => {
        recall.mode() => Some(MemoryRecallMode::Synthesize);
        recall.memories().unwrap().iter().map(|memory| {
            (memory.path(), memory.scope(), memory.content())
        }).collect::<Vec<_>>() => [(
            Some("/memory/bay.md"),
            Some(MemoryScope::Team),
            Some("The bay is deep"),
        )];
    }

    mirror_error, [12],
    Message::System(System::MirrorError(error)) => {
        error.error() => Some("The store is gone");
        error.key().map(|key| {
            (key.project_key(), key.session_id(), key.subpath())
        }) => Some((Some("maps"), Some("bay"), Some("agent-a1")));
    }

    model_refusal_no_fallback, [13],
    Message::System(System::ModelRefusalNoFallback(refusal)) => {
        refusal.original_model() => Some("claude-opus-5");
        refusal.request_id() => Some("req-2");
        refusal.api_refusal_category() => Some("cyber");
        refusal.api_refusal_explanation() => Some("Not this");
        refusal.refused_user_message_uuid() => Some("u-1");
        refusal.content() => Some("The model refused");
    }

    plugin_install, [14],
    Message::System(System::PluginInstall(install)) => {
        install.status() => Some(PluginInstallStatus::Failed);
        install.name() => Some("tides");
        install.error() => Some("No network");
    }

    session_writes_lost, [15],
    Message::System(System::SessionWritesLost(lost)) => {
        lost.error_code() => Some(DiskError::DiskFull);
        lost.lost().unwrap().iter().collect::<Vec<_>>() =>
            [LostFile::Transcript, LostFile::GlobalConfig];
        lost.transcript_session_ids().unwrap().iter().collect::<Vec<_>>() =>
            ["bay", "cove"];
    }

    worker_shutting_down, [16],
    Message::System(System::WorkerShuttingDown(shutdown)) => {
        shutdown.reason() => Some("idle");
    }

    away_summary, [17],
    Message::System(System::AwaySummary(summary)) => {
        summary.content() => Some("Two charts were drawn");
    }

    bridge_status, [18],
    Message::System(System::BridgeStatus(bridge)) => {
        bridge.content() => Some("The bridge is up");
        bridge.url() => Some("https://example.org/bay");
    }

    scheduled_task_fire, [19],
    Message::System(System::ScheduledTaskFire(fire)) => {
        fire.content() => Some("Time to look at the tides");
        fire.scheduled_task_id() => Some("cron-1");
        fire.task_kind() => Some("loop");
        fire.cron() => Some("7 * * * *");
        fire.prompt() => Some("Look at the tides");
    }

    agents_killed, [20],
    Message::System(System::AgentsKilled(killed)) => {
        killed.content() => None;
    }

    model_consent_fallback, [21],
    Message::System(System::ModelConsentFallback(fallback)) => {
        fallback.content() => Some("Switched");
        fallback.original_model() => Some("claude-opus-5");
        fallback.fallback_model() => Some("claude-sonnet-5");
        fallback.choice() => Some("fallback");
        fallback.persisted_as_default() => Some(true);
    }

    init, [22],
    Message::System(System::Init(init)) => {
        init.api_key_source() => Some(ApiKeySource::Environment);
        init.mcp_servers().unwrap().iter().map(|server| {
            server.source()
        }).collect::<Vec<_>>() => [Some("project")];
        init.plugin_errors().unwrap().iter().map(|error| {
            let lock = error.managed_lock().unwrap();
            (
                error.path(),
                lock.plugin_enabled(),
                lock.name(),
                lock.marketplace(),
            )
        }).collect::<Vec<_>>() => [(
            Some("/plugins/tides"),
            Some(false),
            Some("tides"),
            Some("harbour"),
        )];
    }

    turn_duration, [23],
    Message::System(System::TurnDuration(turn)) => {
        turn.pending_background_agent_count() => Some(2);
        turn.pending_workflow_count() => Some(1);
    }

    stop_hook_summary, [24],
    Message::System(System::StopHookSummary(summary)) => {
        summary.hook_infos().unwrap().iter().map(|hook| {
            (hook.command(), hook.duration_ms())
        }).collect::<Vec<_>>() => [(Some("lint"), Some(12.5))];
        summary.hook_additional_context().unwrap().iter().map(|context| {
            json(Some(context))
        }).collect::<Vec<_>>() => [json!("All is well")];
    }

    result, [25],
    Message::Result(result) => {
        result.startup_failure_reason() =>
            Some(StartupFailureReason::ConfigFileInvalid);
        result.credential_expires_at() => Some("2026-12-31T00:00:00Z");
        result.invalid_config_file().map(|file| (
            file.path(),
            file.is_global(),
            file.backup_searched(),
            file.backup_path(),
        )) => Some((
            Some("/home/config.json"),
            Some(true),
            Some(true),
            Some("/home/config.bak"),
        ));
        result.model_usage().unwrap().get("claude-opus-5").map(|usage| (
            usage.thinking_tokens(),
            usage.cache_creation_ephemeral_5m_input_tokens(),
            usage.cache_creation_ephemeral_1h_input_tokens(),
            usage.cost_basis(),
        )) => Some((Some(3), Some(4), Some(5), Some(CostBasis::Managed)));
    }

    rate_limit_event, [26],
    Message::RateLimitEvent(event) => {
        event.rate_limit_info().unwrap().overage_enabled() => Some(true);
    }

    prompt_of_a_peer, [27],
    Message::User(user) => {
        user.queue_skip_attachments() => Some(true);
        user.origin().map(|origin| (
            origin.kind(),
            origin.from(),
            origin.from_mode(),
            origin.name(),
            origin.from_session(),
            origin.sender_task_id(),
            origin.body(),
            origin.verified_peer_pid(),
        )) => Some((
            Some(OriginKind::Peer),
            Some("agent:cove"),
            Some(PeerMode::Bypass),
            Some("Cove"),
            Some("cove"),
            Some("t-2"),
            Some("Ahoy"),
            Some(4711),
        ));
    }

    prompt_of_a_task, [28],
    Message::User(user) => {
        user.origin().map(|origin| {
            (origin.subkind(), origin.fire_reason(), origin.run_id())
        }) => Some((
            Some(OriginSubkind::ScheduledTrigger),
            Some("cron"),
            Some("run-2"),
        ));
    }

    prompt_of_a_channel, [29],
    Message::User(user) => {
        user.origin().unwrap().server() => Some("post");
    }

    error_instead_of_an_answer, [30],
    Message::Assistant(assistant) => {
        assistant.error() => Some(AssistantError::VerificationRequired);
        json(assistant.wire_ingest_context()) => json!({"seen": 1});
    }

    error_that_is_retried, [31],
    Message::System(System::ApiRetry(retry)) => {
        retry.error() => Some(AssistantError::CloudCredentialError);
    }
}

#[test]
fn every_reason_why_the_start_failed_is_known() {
    let reasons = [
        "org_pin_api_key_conflict",
        "provider_not_allowed",
        "org_verify_failed",
        "org_pin_mismatch",
        "managed_settings_invalid",
        "remote_settings_required_unavailable",
        "gateway_signin_required",
        "gateway_access_denied",
        "proxy_invalid",
        "temp_dir_unusable",
        "cwd_unavailable",
        "shell_tool_missing",
        "session_held_by_background",
        "worktree_resume_refused",
        "worktree_unverified",
        "cli_version_too_old",
        "bypass_root",
        "org_config_required_unavailable",
        "org_config_refused",
        "sandbox_required_unavailable",
        "initialize_not_first",
        "config_file_invalid",
        "managed_settings_not_delivered",
    ];
    for text in reasons {
        let reason = StartupFailureReason::from(text);
        assert!(!matches!(reason, StartupFailureReason::Other(_)), "{text}");
        assert_eq!(reason.as_str(), text);
    }
}

#[test]
fn common_accessors() {
    let line = |kind, uuid| Common {
        session_id: Some(SessionId::Str("bay")),
        uuid: Some(uuid),
        ..of_kind(kind)
    };
    let said = |uuid, text| Common {
        user_uuid: Some(uuid),
        blocks: 1,
        text: vec![text],
        ..line("user", uuid)
    };
    check_common(
        LOG,
        &[
            line("active_goal", "p-1"),
            line("active_goal", "p-2"),
            Common { uuid: None, ..line("transcript_mirror", "") },
            of_kind("keep_alive"),
            line("system/background_tasks_changed", "p-5"),
            line("system/commands_changed", "p-6"),
            line("system/control_request_progress", "p-7"),
            line("system/elicitation_complete", "p-8"),
            line("system/files_persisted", "p-9"),
            line("system/local_command_output", "p-10"),
            line("system/memory_recall", "p-11"),
            line("system/mirror_error", "p-12"),
            line("system/model_refusal_no_fallback", "p-13"),
            line("system/plugin_install", "p-14"),
            line("system/session_writes_lost", "p-15"),
            line("system/worker_shutting_down", "p-16"),
            line("system/away_summary", "p-17"),
            line("system/bridge_status", "p-18"),
            line("system/scheduled_task_fire", "p-19"),
            line("system/agents_killed", "p-20"),
            line("system/model_consent_fallback", "p-21"),
            line("system/init", "p-22"),
            line("system/turn_duration", "p-23"),
            line("system/stop_hook_summary", "p-24"),
            Common {
                is_final: true,
                is_error: true,
                ..line("result/error_during_execution", "p-25")
            },
            line("rate_limit_event", "p-26"),
            said("p-27", "Ahoy"),
            said("p-28", "It is time"),
            said("p-29", "A letter"),
            Common { is_error: true, ..line("assistant", "p-30") },
            line("system/api_retry", "p-31"),
        ],
    );
}
