//! The lines with which the agents of 2026 save the state of a session: cost,
//! modes, names, links to other sessions. Also the journal of a workflow.
#![cfg(feature = "owned")]

use linetape::{
    Message, Value,
    message::{
        SessionId, stream::OriginKind, system::PermissionMode,
        transcript::RequestShape,
    },
};
use serde_json::json;

use super::fixture::{self, Common, check_common, of_kind, reads};

const LOG: &str = include_str!("../../data/transcript_metadata.jsonl");

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
    cost_state, [1],
    Message::CostState(cost) => {
        cost.total_cost_usd() => Some(0.75);
        cost.total_api_duration() => Some(4100.0);
        cost.total_api_duration_without_retries() => Some(4000.0);
        cost.total_tool_duration() => Some(250.5);
        cost.total_duration() => Some(9000.0);
        cost.start_time() => Some(1_788_000_000_000);
        cost.total_lines_added() => Some(12);
        cost.total_lines_removed() => Some(3);
        cost.has_unknown_model_cost() => Some(false);
        cost.model_usage().unwrap().get("claude-opus-5").map(|usage| (
            usage.input_tokens(),
            usage.output_tokens(),
            usage.thinking_tokens(),
            usage.cache_read_input_tokens(),
            usage.cache_creation_input_tokens(),
            usage.web_search_requests(),
            usage.cost_usd(),
        )) => Some((
            Some(10), Some(20), Some(5), Some(300), Some(40), Some(1),
            Some(0.75),
        ));
    }

    mode, [2],
    Message::Mode(mode) => { mode.mode() => Some("coordinator"); }

    permission_mode, [3],
    Message::PermissionMode(mode) => {
        mode.permission_mode() => Some(PermissionMode::AcceptEdits);
    }

    atis_latch, [4],
    Message::AtisLatch(latch) => { latch.atis() => Some("armed"); }

    bridge_session, [5],
    Message::BridgeSession(bridge) => {
        bridge.bridge_session_id() => Some("b-1");
        bridge.last_sequence_num() => Some(17);
        bridge.owner_account_uuid() => Some("acc-1");
        bridge.owner_organization_uuid() => Some("org-1");
    }

    agent_name, [6],
    Message::AgentName(name) => { name.agent_name() => Some("map-drawer"); }

    agent_color, [7],
    Message::AgentColor(color) => { color.agent_color() => Some("green"); }

    agent_setting, [8],
    Message::AgentSetting(setting) => {
        setting.agent_setting() => Some("cartographer");
    }

    tag, [9],
    Message::Tag(tag) => { tag.tag() => Some("maps"); }

    content_replacement, [10],
    Message::ContentReplacement(content) => {
        content.agent_id() => Some("a1");
        content.replacements().unwrap().iter().map(|replacement| (
            replacement.kind(),
            replacement.tool_use_id(),
            replacement.replacement(),
        )).collect::<Vec<_>>() => [(
            Some("tool-result"),
            Some("call-1"),
            Some("(a long list of roads)"),
        )];
    }

    continued_in, [11],
    Message::ContinuedIn(next) => {
        next.continued_in_session_id() => Some("hike-2");
    }

    fork_context_ref, [12],
    Message::ForkContextRef(fork) => {
        fork.agent_id() => Some("a2");
        fork.parent_session_id() => Some("hike");
        fork.parent_last_uuid() => Some("r-08");
        fork.context_length() => Some(42);
    }

    relocated, [13],
    Message::Relocated(moved) => {
        moved.relocated_cwd() => Some("/maps/north");
    }

    worktree_is_entered, [14],
    Message::WorktreeState(state) => {
        state.worktree_session().map(|worktree| (
            worktree.original_cwd(),
            worktree.pre_enter_original_cwd(),
            worktree.worktree_path(),
            worktree.worktree_name(),
            worktree.worktree_branch(),
            worktree.session_id(),
            worktree.entered_existing(),
        )) => Some((
            Some("/maps"),
            Some("/home"),
            Some("/maps/.trees/rivers"),
            Some("rivers"),
            Some("draw-rivers"),
            Some("hike"),
            Some(true),
        ));
    }

    worktree_is_left, [15],
    Message::WorktreeState(state) => {
        state.worktree_session().is_none() => true;
    }

    file_history_delta, [16],
    Message::FileHistoryDelta(delta) => {
        delta.message_id() => Some("r-05");
        delta.snapshot_message_id() => Some("r-02");
        delta.tracking_path() => Some("maps/roads.svg");
        delta.backup().map(|backup| (
            backup.backup_file_name(),
            backup.version(),
            backup.backup_time(),
            backup.real_parent_dir(),
        )) => Some((
            Some("c0ffee@v2"),
            Some(2),
            Some("2026-09-04T08:00:15.000Z"),
            Some("/maps/maps"),
        ));
    }

    frame_link, [17],
    Message::FrameLink(link) => {
        link.path() => Some("/maps/roads.html");
        link.frame_url() => Some("https://example.org/frames/1");
        link.title() => Some("The roads");
        link.artifact_count() => Some(2);
    }

    artifact_autoreact_ledger, [18],
    Message::ArtifactAutoreactLedger(ledger) => {
        ledger.v() => Some(1);
        ledger.account_uuid() => Some("acc-1");
        json(ledger.artifacts().unwrap().get("art-1")) => json!({"seen": 3});
    }

    artifact_comment_monitor, [19],
    Message::ArtifactCommentMonitor(monitor) => {
        monitor.v() => Some(1);
        json(monitor.artifacts().unwrap().get("art-1")) =>
            json!({"state": "armed"});
    }

    attribution_snapshot, [20],
    Message::AttributionSnapshot(snapshot) => {
        snapshot.message_id() => Some("r-05");
        snapshot.surface() => Some("cli");
        json(snapshot.file_states().unwrap().get("maps/roads.svg")) =>
            json!({"claudeContribution": 120});
    }

    speculation_accept, [21],
    Message::SpeculationAccept(speculation) => {
        speculation.time_saved_ms() => Some(1800.5);
    }

    agent_metadata, [22],
    Message::AgentMetadata(agent) => {
        agent.agent_type() => Some("Explore");
        agent.description() => Some("Count the bridges");
        agent.tool_use_id() => Some("call-2");
        agent.spawn_depth() => Some(1);
        agent.parent_agent_id() => Some("a0");
        agent.request_shape() => Some(RequestShape::Background);
        agent.request_non_interactive() => Some(true);
        agent.model() => Some("claude-opus-5");
        agent.workflow_phase() => Some("Survey");
        agent.worktree_path() => Some("/maps/.trees/rivers");
    }

    workflow_launched, [23],
    Message::WorkflowLaunched(launched) => {
        launched.value().as_object().unwrap().len() => 1;
    }

    workflow_started, [24],
    Message::WorkflowStarted(started) => {
        started.key() => Some("v2:c0ffee");
        started.agent_id() => Some("a3");
        started.label() => Some("survey:bridges");
        started.phase() => Some("Survey");
    }

    workflow_result, [25],
    Message::Result(result) => {
        result.key() => Some("v2:c0ffee");
        result.agent_id() => Some("a3");
        result.result() => Some("Seven bridges");
        result.subtype() => None;
        result.is_journal() => true;
    }

    prompt_during_a_turn, [26],
    Message::Attachment(attachment) => {
        attachment.attachment().map(|body| (
            body.kind(),
            body.prompt().and_then(|prompt| prompt.as_str()),
            body.command_mode(),
            body.source_uuid(),
            body.origin().and_then(|origin| origin.kind()),
        )) => Some((
            Some("queued_command"),
            Some("And the ferries"),
            Some("prompt"),
            Some("q-1"),
            Some(OriginKind::Human),
        ));
        attachment.rendered().unwrap().iter().map(|rendered| {
            rendered.content().unwrap().as_str()
        }).collect::<Vec<_>>() => [Some("The user says: And the ferries")];
    }

    prompt_snapshot, [27],
    Message::Attachment(attachment) => {
        attachment.attachment().map(|body| (
            body.kind(),
            body.system_prompt().unwrap().iter().map(|part| {
                part.as_str()
            }).collect::<Vec<_>>(),
            body.tools().unwrap().iter().count(),
            body.cli_prefix(),
        )) => Some((
            Some("prompt_snapshot"),
            vec![Some("Draw maps")],
            1,
            Some("You draw"),
        ));
    }
}

/// A row of the session, without a uuid.
fn of_session(kind: &str) -> Common<'_> {
    Common { session_id: Some(SessionId::Str("hike")), ..of_kind(kind) }
}

fn timed<'a>(row: Common<'a>, timestamp: &'a str) -> Common<'a> {
    Common { timestamp: Some(timestamp), ..row }
}

#[test]
fn common_accessors() {
    check_common(
        LOG,
        &[
            of_session("cost-state"),
            of_session("mode"),
            of_session("permission-mode"),
            of_session("atis-latch"),
            of_session("bridge-session"),
            of_session("agent-name"),
            of_session("agent-color"),
            of_session("agent-setting"),
            Common {
                uuid: Some("m-09"),
                timestamp: Some("2026-09-04T08:00:09.000Z"),
                ..of_session("tag")
            },
            Common {
                uuid: Some("m-10"),
                timestamp: Some("2026-09-04T08:00:10.000Z"),
                ..of_session("content-replacement")
            },
            timed(of_session("continued-in"), "2026-09-04T08:00:11.000Z"),
            of_kind("fork-context-ref"),
            of_session("relocated"),
            of_session("worktree-state"),
            of_session("worktree-state"),
            timed(of_kind("file-history-delta"), "2026-09-04T08:00:16.000Z"),
            timed(of_session("frame-link"), "2026-09-04T08:00:17.000Z"),
            of_session("artifact-autoreact-ledger"),
            of_session("artifact-comment-monitor"),
            of_kind("attribution-snapshot"),
            timed(of_kind("speculation-accept"), "2026-09-04T08:00:21.000Z"),
            of_kind("agent_metadata"),
            of_kind("launched"),
            of_kind("started"),
            of_kind("result"),
            Common {
                uuid: Some("m-26"),
                parent_uuid: Some("r-08"),
                timestamp: Some("2026-09-04T08:00:26.000Z"),
                ..of_session("attachment")
            },
            Common {
                uuid: Some("m-27"),
                parent_uuid: Some("m-26"),
                timestamp: Some("2026-09-04T08:00:27.000Z"),
                ..of_session("attachment")
            },
        ],
    );
}
