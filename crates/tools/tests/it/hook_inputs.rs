//! Hook inputs: every field of every event.

use crate::fixture::fields;

const LOG: &str = include_str!("../data/hook_inputs.jsonl");

fields! {
    pre_tool_use: hooks::PreToolUse, 1, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        tool_name: "Bash",
        tool_input: {"command": "tide --now", "timeout": 500},
        tool_use_id: "t1",
        mcp_server: {"name": "charts", "source": "project"},
    }

    post_tool_use: hooks::PostToolUse, 2, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        tool_name: "Bash",
        tool_input: {"command": "tide --now", "timeout": 500},
        tool_use_id: "t1",
        mcp_server: {"name": "charts", "source": "project"},
        tool_response: {"stdout": "low", "stderr": "", "interrupted": false},
        duration_ms: 12.5,
    }

    post_tool_use_failure: hooks::PostToolUseFailure, 3, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        tool_name: "Bash",
        tool_input: {"command": "tide --now", "timeout": 500},
        tool_use_id: "t1",
        mcp_server: {"name": "charts", "source": "project"},
        error: "no such bay",
        is_interrupt: true,
        duration_ms: 3,
    }

    post_tool_batch: hooks::PostToolBatch, 4, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        tool_calls: [
            {
                "tool_name": "Read",
                "tool_input": {"file_path": "/bay/tide.rs"},
                "tool_use_id": "t2",
                "tool_response": {
                    "type": "text",
                    "file": {"filePath": "/bay/tide.rs"},
                },
            },
            {
                "tool_name": "Glob",
                "tool_input": {"pattern": "*.rs"},
                "tool_use_id": "t3",
            },
        ],
    }

    notification: hooks::Notification, 5, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        message: "The tide is low.",
        title: "Tide",
        notification_type: "idle_prompt",
    }

    user_prompt_submit: hooks::UserPromptSubmit, 6, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        prompt: "When is high tide?",
        source: "schedule_wakeup",
        session_title: "Tides",
    }

    user_prompt_expansion: hooks::UserPromptExpansion, 7, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        expansion_type: "slash_command",
        command_name: "tide",
        command_args: "--high",
        command_source: "project",
        prompt: "/tide --high",
    }

    session_start: hooks::SessionStart, 8, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        source: "fork",
        model: "claude-opus-5",
        session_title: "Tides",
        seconds_since_last_response: 4000.5,
        context_tokens: 52000,
        prompt_cache_likely_expired: true,
        estimated_cache_write_usd: 0.325,
    }

    session_end: hooks::SessionEnd, 9, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        reason: "prompt_input_exit",
    }

    stop: hooks::Stop, 10, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        stop_hook_active: false,
        last_assistant_message: "High tide is at noon.",
        background_tasks: [
            {
                "id": "b1",
                "type": "shell",
                "status": "running",
                "description": "Watch the tide",
                "command": "tide --watch",
                "agent_type": "explorer",
                "server": "charts",
                "tool": "draw",
                "name": "survey",
            },
        ],
        session_crons: [
            {
                "id": "c1",
                "schedule": "0 12 * * *",
                "recurring": true,
                "prompt": "Check the tide",
            },
        ],
    }

    stop_failure: hooks::StopFailure, 11, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        error: "verification_required",
        error_details: "verify the account",
        last_assistant_message: "One moment.",
    }

    subagent_start: hooks::SubagentStart, 12, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
    }

    subagent_stop: hooks::SubagentStop, 13, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        stop_hook_active: false,
        last_assistant_message: "High tide is at noon.",
        background_tasks: [
            {
                "id": "b1",
                "type": "shell",
                "status": "running",
                "description": "Watch the tide",
                "command": "tide --watch",
                "agent_type": "explorer",
                "server": "charts",
                "tool": "draw",
                "name": "survey",
            },
        ],
        session_crons: [
            {
                "id": "c1",
                "schedule": "0 12 * * *",
                "recurring": true,
                "prompt": "Check the tide",
            },
        ],
        agent_transcript_path: "/logs/s1/subagents/agent-a1.jsonl",
    }

    pre_compact: hooks::PreCompact, 14, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        trigger: "manual",
        custom_instructions: "Keep the tide table.",
    }

    post_compact: hooks::PostCompact, 15, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        trigger: "auto",
        compact_summary: "The tides of the bay.",
    }

    pre_model_switch: hooks::PreModelSwitch, 16, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        from_model: "claude-sonnet-5",
        to_model: "claude-opus-5",
        requested_model: "opus",
        context_tokens: 52000,
        prompt_cache_warm: true,
        cache_ttl: "1h",
        estimated_cache_write_usd: 0.5,
        pricing: "catalog",
        source: "picker",
    }

    post_model_switch: hooks::PostModelSwitch, 17, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        from_model: "claude-sonnet-5",
        to_model: "claude-opus-5",
        requested_model: "opus",
        context_tokens: 52000,
        prompt_cache_warm: true,
        cache_ttl: "5m",
        estimated_cache_write_usd: 0.5,
        pricing: "default",
        source: "resume",
    }

    permission_request: hooks::PermissionRequest, 18, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        tool_name: "Bash",
        tool_input: {"command": "tide --now", "timeout": 500},
        tool_use_id: "t1",
        mcp_server: {"name": "charts", "source": "project"},
        permission_suggestions: [
            {
                "type": "addRules",
                "rules": [{"toolName": "Bash", "ruleContent": "tide:*"}],
                "behavior": "allow",
                "mode": "plan",
                "directories": ["/bay", "/cove"],
                "destination": "localSettings",
            },
        ],
    }

    permission_denied: hooks::PermissionDenied, 19, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        tool_name: "Bash",
        tool_input: {"command": "tide --now", "timeout": 500},
        tool_use_id: "t1",
        mcp_server: {"name": "charts", "source": "project"},
        reason: "a rule denies it",
    }

    setup: hooks::Setup, 20, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        trigger: "maintenance",
    }

    teammate_idle: hooks::TeammateIdle, 21, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        teammate_name: "pilot",
        team_name: "harbour",
    }

    task_created: hooks::TaskCreated, 22, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        task_id: "k1",
        task_subject: "Survey",
        task_description: "Survey the bay",
        teammate_name: "pilot",
        team_name: "harbour",
    }

    task_completed: hooks::TaskCompleted, 23, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        task_id: "k1",
        task_subject: "Survey",
        task_description: "Survey the bay",
        teammate_name: "pilot",
        team_name: "harbour",
    }

    elicitation: hooks::Elicitation, 24, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        mcp_server_name: "charts",
        mode: "form",
        elicitation_id: "e1",
        message: "Which bay?",
        url: "https://charts.example/e1",
        requested_schema: {"type": "object"},
    }

    elicitation_result: hooks::ElicitationResult, 25, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        mcp_server_name: "charts",
        mode: "form",
        elicitation_id: "e1",
        action: "accept",
        content: {"bay": "north"},
    }

    config_change: hooks::ConfigChange, 26, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        source: "policy_settings",
        file_path: "/etc/settings.json",
    }

    worktree_create: hooks::WorktreeCreate, 27, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        name: "survey",
    }

    worktree_remove: hooks::WorktreeRemove, 28, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        worktree_path: "/bay/.worktrees/survey",
    }

    instructions_loaded: hooks::InstructionsLoaded, 29, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        file_path: "/bay/rules.md",
        memory_type: "Project",
        load_reason: "path_glob_match",
        globs: ["*.rs", "tide/**"],
        trigger_file_path: "/bay/tide.rs",
        parent_file_path: "/bay/CLAUDE.md",
    }

    cwd_changed: hooks::CwdChanged, 30, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        old_cwd: "/bay",
        new_cwd: "/cove",
    }

    file_changed: hooks::FileChanged, 31, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        file_path: "/bay/tide.rs",
        event: "unlink",
    }

    directory_added: hooks::DirectoryAdded, 32, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        directory: "/cove",
        source: "register_repo_root",
    }

    message_display: hooks::MessageDisplay, 33, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        turn_id: "u1",
        message_id: "m1",
        index: 2,
        is_final: true,
        delta: "High tide\n",
    }

    unknown_event: hooks::OtherHook, 34, "" => {
        session_id: "s1",
        transcript_path: "/logs/s1.jsonl",
        cwd: "/bay",
        prompt_id: "p1",
        permission_mode: "acceptEdits",
        agent_id: "a1",
        agent_type: "explorer",
        effort: {"level": "high"},
        hook_event_name: "TideTurned",
    }

    effort: hooks::Effort, 1, "/effort" => {
        level: "high",
    }

    mcp_server_origin: hooks::McpServerOrigin, 1, "/mcp_server" => {
        name: "charts",
        source: "project",
    }

    batch_tool_call: hooks::BatchToolCall, 4, "/tool_calls/0" => {
        tool_name: "Read",
        tool_input: {"file_path": "/bay/tide.rs"},
        tool_use_id: "t2",
        tool_response: {"type": "text", "file": {"filePath": "/bay/tide.rs"}},
    }

    background_task: hooks::BackgroundTask, 10, "/background_tasks/0" => {
        id: "b1",
        kind: "shell",
        status: "running",
        description: "Watch the tide",
        command: "tide --watch",
        agent_type: "explorer",
        server: "charts",
        tool: "draw",
        name: "survey",
    }

    session_cron: hooks::SessionCron, 10, "/session_crons/0" => {
        id: "c1",
        schedule: "0 12 * * *",
        recurring: true,
        prompt: "Check the tide",
    }

    permission_update: hooks::PermissionUpdate, 18,
    "/permission_suggestions/0" => {
        kind: "addRules",
        rules: [{"toolName": "Bash", "ruleContent": "tide:*"}],
        behavior: "allow",
        mode: "plan",
        directories: ["/bay", "/cove"],
        destination: "localSettings",
    }

    permission_rule: hooks::PermissionRule, 18,
    "/permission_suggestions/0/rules/0" => {
        tool_name: "Bash",
        rule_content: "tide:*",
    }
}
