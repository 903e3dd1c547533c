//! The control requests that hosts and agents have added in 2026, and what
//! they have added to others.
#![cfg(feature = "owned")]

use linetape::{
    Message, Value,
    message::control::{FileEncoding, Request, Response, ThinkingDisplay},
};
use serde_json::{Value as Json, json};

use super::fixture::{self, check_common, of_kind, reads};

const LOG: &str = include_str!("../../data/control_requests.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

#[test]
fn every_member_is_read() {
    fixture::check_all_read(LOG);
}

fn json(value: Option<Value<'_>>) -> Json {
    serde_json::to_value(value).unwrap()
}

/// The body of a request, which must be of the given kind.
macro_rules! body {
    ($message:expr, $variant:path) => {{
        let $variant(body) = $message.body() else {
            panic!("not that body");
        };
        body
    }};
}

reads! {
    background_tasks, [1],
    Message::ControlRequest(request) => {
        body!(request, Request::BackgroundTasks).tool_use_id() =>
            Some("call-1");
    }

    file_suggestions, [2],
    Message::ControlRequest(request) => {
        body!(request, Request::FileSuggestions).query() => Some("bay");
    }

    get_binary_version, [3],
    Message::ControlRequest(request) => {
        matches!(request.body(), Request::GetBinaryVersion(_)) => true;
    }

    get_context_usage, [4],
    Message::ControlRequest(request) => {
        body!(request, Request::GetContextUsage).detail() => Some("full");
    }

    get_hooks_listing, [5],
    Message::ControlRequest(request) => {
        matches!(request.body(), Request::GetHooksListing(_)) => true;
    }

    get_session_cost, [6],
    Message::ControlRequest(request) => {
        matches!(request.body(), Request::GetSessionCost(_)) => true;
    }

    get_settings, [7],
    Message::ControlRequest(request) => {
        matches!(request.body(), Request::GetSettings(_)) => true;
    }

    get_usage, [8],
    Message::ControlRequest(request) => {
        body!(request, Request::GetUsage).skip_behaviors() => Some(true);
    }

    list_models, [9],
    Message::ControlRequest(request) => {
        matches!(request.body(), Request::ListModels(_)) => true;
    }

    list_permission_rules, [10],
    Message::ControlRequest(request) => {
        matches!(request.body(), Request::ListPermissionRules(_)) => true;
    }

    mcp_call, [11],
    Message::ControlRequest(request) => {
        body!(request, Request::McpCall).tool() => Some("draw");
        json(body!(request, Request::McpCall).arguments()) =>
            json!({"what": "bay"});
        json(body!(request, Request::McpCall).expires_at()) =>
            json!(1_788_000_000_000_u64);
        body!(request, Request::McpCall).timeout_ms() => Some(500.0);
        body!(request, Request::McpCall).result_not_for_model() => Some(true);
        body!(request, Request::McpCall).check_permissions() => Some(false);
        body!(request, Request::McpCall).input_files().unwrap().iter().map(
            |file| (file.name(), file.lane_path(), file.if_match()),
        ).collect::<Vec<_>>() => [(Some("bay.txt"), Some("/lane/1"), None)];
        body!(request, Request::McpCall).output_files().unwrap().iter().map(
            |file| (file.name(), file.lane_path(), file.if_match()),
        ).collect::<Vec<_>>() =>
            [(Some("bay.svg"), Some("/lane/2"), Some("v1"))];
    }

    mcp_read_resource, [12],
    Message::ControlRequest(request) => {
        body!(request, Request::McpReadResource).server_name() =>
            Some("charts");
        body!(request, Request::McpReadResource).uri() =>
            Some("chart://bay");
    }

    mcp_status, [13],
    Message::ControlRequest(request) => {
        body!(request, Request::McpStatus).live_reply() => Some(true);
    }

    register_repo_root, [14],
    Message::ControlRequest(request) => {
        body!(request, Request::RegisterRepoRoot).directory() =>
            Some("/maps");
        body!(request, Request::RegisterRepoRoot).reload_claude_md() =>
            Some(true);
        body!(request, Request::RegisterRepoRoot).reload_plugins() =>
            Some(false);
        body!(request, Request::RegisterRepoRoot).reload_skills() =>
            Some(true);
    }

    reload_output_styles, [15],
    Message::ControlRequest(request) => {
        matches!(request.body(), Request::ReloadOutputStyles(_)) => true;
    }

    reload_plugins, [16],
    Message::ControlRequest(request) => {
        body!(request, Request::ReloadPlugins).hold_on_cache_impact() =>
            Some(true);
        json(body!(request, Request::ReloadPlugins).add_plugins()) =>
            json!([{"path": "/plugins/tides"}]);
        body!(request, Request::ReloadPlugins).refuse_if_busy() =>
            Some(false);
    }

    reload_skills, [17],
    Message::ControlRequest(request) => {
        matches!(request.body(), Request::ReloadSkills(_)) => true;
    }

    set_color, [18],
    Message::ControlRequest(request) => {
        body!(request, Request::SetColor).color() => Some("blue");
    }

    set_has_subscribers, [19],
    Message::ControlRequest(request) => {
        body!(request, Request::SetHasSubscribers).has_subscribers() =>
            Some(true);
    }

    initialize, [20],
    Message::ControlRequest(request) => {
        json(body!(request, Request::Initialize).hooks()) => json!({
            "PreToolUse": [{
                "matcher": "Bash",
                "hookCallbackIds": ["hook-1"],
                "timeout": 60,
                "onFailure": "block",
            }],
        });
        json(body!(request, Request::Initialize).sdk_mcp_server_configs()
            .unwrap().get("charts")) =>
            json!({"timeout": 500, "tools": {"draw": {}}});
        json(body!(request, Request::Initialize).sdk_mcp_server_manifests()
            .unwrap().get("charts")) => json!({
                "initializeResult": {"v": 1},
                "toolsListResult": {"tools": []},
            });
        body!(request, Request::Initialize)
            .sdk_mcp_server_manifests_origin() => Some("cache");
        body!(request, Request::Initialize).system_prompt_snapshot() =>
            Some(true);
        body!(request, Request::Initialize).plan_mode_instructions() =>
            Some("Plan first");
        body!(request, Request::Initialize).tool_aliases().unwrap()
            .get("Sketch") => Some("draw");
        body!(request, Request::Initialize).title() => Some("The bay");
        body!(request, Request::Initialize).supported_dialog_kinds().unwrap()
            .iter().collect::<Vec<_>>() => ["refusal"];
        body!(request, Request::Initialize).per_task_stop_affordance() =>
            Some(true);
        body!(request, Request::Initialize).plugins().unwrap().iter().map(
            |plugin| {
                (plugin.kind(), plugin.path(), plugin.skip_mcp_discovery())
            },
        ).collect::<Vec<_>>() =>
            [(Some("local"), Some("/plugins/tides"), Some(true))];
    }

    elicitation, [21],
    Message::ControlRequest(request) => {
        body!(request, Request::Elicitation).property_order().unwrap()
            .iter().collect::<Vec<_>>() => ["name", "depth"];
        body!(request, Request::Elicitation).title() => Some("A question");
        body!(request, Request::Elicitation).display_name() =>
            Some("Charts");
        body!(request, Request::Elicitation).description() =>
            Some("The name of the bay");
    }

    request_user_dialog, [22],
    Message::ControlRequest(request) => {
        json(body!(request, Request::RequestUserDialog).payload()) =>
            json!({"model": "claude-opus-5"});
        body!(request, Request::RequestUserDialog).tool_use_id() =>
            Some("call-2");
    }

    set_max_thinking_tokens, [23],
    Message::ControlRequest(request) => {
        body!(request, Request::SetMaxThinkingTokens).thinking_display() =>
            Some(ThinkingDisplay::Highlights);
    }

    read_file, [24],
    Message::ControlRequest(request) => {
        body!(request, Request::ReadFile).max_bytes() => Some(4096);
        body!(request, Request::ReadFile).encoding() =>
            Some(FileEncoding::Base64);
    }

    rename_session, [25],
    Message::ControlRequest(request) => {
        body!(request, Request::RenameSession).source() => Some("host");
        body!(request, Request::RenameSession).session_id() => Some("bay");
    }

    success, [26],
    Message::ControlResponse(response) => {
        body!(response, Response::Success).pending_elicitation_requests()
            .unwrap().iter().count() => 1;
    }

    error, [27],
    Message::ControlResponse(response) => {
        body!(response, Response::Error).pending_permission_requests()
            .unwrap().iter().count() => 1;
        body!(response, Response::Error).pending_user_dialog_requests()
            .unwrap().iter().count() => 2;
        body!(response, Response::Error).pending_elicitation_requests()
            .unwrap().iter().count() => 3;
    }
}

#[test]
fn common_accessors() {
    let requests = (1..=25).map(|_| of_kind("control_request"));
    let responses = (26..=27).map(|_| of_kind("control_response"));
    check_common(LOG, &requests.chain(responses).collect::<Vec<_>>());
}
