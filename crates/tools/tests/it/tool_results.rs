//! Tool results: every field of every tool.

use crate::fixture::fields;

const LOG: &str = include_str!("../data/tools.jsonl");

const RESULT: &str = "/toolUseResult";

fields! {
    bash: results::BashResult, 2, RESULT => {
        stdout: "low",
        stderr: "wet",
        raw_output_path: "/tmp/raw",
        interrupted: false,
        is_image: false,
        background_task_id: "b1",
        backgrounded_by_user: true,
        timed_out_after_ms: 5000,
        background_cwd_hint: "The directory is unchanged.",
        background_ends_with_final_response: true,
        background_wakes_owner: true,
        dangerously_disable_sandbox: false,
        return_code_interpretation: "No matches found",
        no_output_expected: true,
        structured_content: [{"type": "text", "text": "low"}],
        persisted_output_path: "/tmp/whole",
        persisted_output_size: 70000,
        stale_read_file_state_hint: "tide.rs has changed.",
        gh_rate_limit_hint: "Wait.",
        git_operation: {
            "commit": {"sha": "c0ffee", "kind": "amended", "branch": "main"},
            "push": {"branch": "main"},
            "branch": {"ref": "survey", "action": "rebased"},
            "pr": {
                "number": 7,
                "url": "https://git.example/7",
                "action": "created",
            },
        },
    }

    read: results::ReadResult, 4, RESULT => {
        kind: "text",
        file: {
            "filePath": "/bay/tide.rs",
            "content": "let tide;\n",
            "numLines": 1,
            "startLine": 10,
            "totalLines": 30,
            "truncatedByTokenCap": true,
        },
        artifact_read: {"slug": "tides", "ver": "3", "seeded": false},
    }

    read_image: results::ReadResult, 6, RESULT => {
        kind: "image",
        file: {
            "base64": "AAAA",
            "type": "image/png",
            "originalSize": 3,
            "dimensions": {
                "originalWidth": 40,
                "originalHeight": 30,
                "displayWidth": 20,
                "displayHeight": 15,
            },
        },
    }

    read_notebook: results::ReadResult, 8, RESULT => {
        kind: "notebook",
        file: {"filePath": "/bay/tide.ipynb", "cells": [{"cellType": "code"}]},
    }

    read_parts: results::ReadResult, 10, RESULT => {
        kind: "parts",
        file: {
            "filePath": "/bay/tide.pdf",
            "originalSize": 900,
            "count": 1,
            "outputDir": "/tmp/pages",
        },
        first_page: 2,
        pages: [{"base64": "", "mediaType": "image/jpeg", "error": "damaged"}],
    }

    edit: results::EditResult, 12, RESULT => {
        file_path: "/bay/tide.rs",
        old_string: "low",
        new_string: "high",
        original_file: "low\n",
        structured_patch: [
            {
                "oldStart": 3,
                "oldLines": 2,
                "newStart": 3,
                "newLines": 3,
                "lines": [" let tide;", "-low", "+high", "+dry"],
            },
        ],
        user_modified: true,
        replace_all: true,
        git_diff: {
            "filename": "tide.rs",
            "status": "modified",
            "additions": 2,
            "deletions": 1,
            "changes": 3,
            "patch": "@@ -3,2 +3,3 @@",
            "repository": "bay/tides",
        },
        staged: false,
        memdir_stamped: false,
        stale_recovered: true,
        content_not_in_model_context: true,
    }

    multi_edit: results::MultiEditResult, 14, RESULT => {
        file_path: "/bay/tide.rs",
        edits: [
            {"old_string": "low", "new_string": "high", "replace_all": false},
        ],
        original_file_contents: "low\n",
        structured_patch: [
            {
                "oldStart": 3,
                "oldLines": 2,
                "newStart": 3,
                "newLines": 3,
                "lines": [" let tide;", "-low", "+high", "+dry"],
            },
        ],
        user_modified: false,
    }

    write: results::WriteResult, 16, RESULT => {
        kind: "create",
        file_path: "/bay/new.rs",
        content: "let tide;\n",
        structured_patch: [],
        original_file: "",
        git_diff: {
            "filename": "tide.rs",
            "status": "modified",
            "additions": 2,
            "deletions": 1,
            "changes": 3,
            "patch": "@@ -3,2 +3,3 @@",
            "repository": "bay/tides",
        },
        user_modified: true,
        staged: true,
        memdir_stamped: true,
    }

    grep: results::GrepResult, 18, RESULT => {
        mode: "content",
        num_files: 1,
        filenames: ["tide.rs"],
        content: "10:tide",
        num_lines: 1,
        num_matches: 2,
        total_files: 3,
        total_lines: 4,
        applied_limit: 10,
        applied_offset: 5,
        timed_out: false,
    }

    grep_count: results::GrepResult, 20, RESULT => {
        mode: "count",
        num_files: 2,
        filenames: [],
        content: "tide.rs:3",
        num_matches: 3,
    }

    glob: results::GlobResult, 22, RESULT => {
        duration_ms: 7.5,
        num_files: 1,
        filenames: ["tide.rs"],
        truncated: true,
        total_matches: 120,
        count_is_complete: false,
        timed_out: true,
    }

    agent: results::AgentResult, 24, RESULT => {
        status: "completed",
        prompt: "Measure every tide.",
        agent_id: "a1",
        agent_type: "explorer",
        content: [{"type": "text", "text": "Low.", "citations": []}],
        resolved_model: "claude-haiku-5",
        models_used: ["claude-haiku-5"],
        total_tool_use_count: 3,
        total_duration_ms: 900,
        total_tokens: 67,
        usage: {
            "input_tokens": 4,
            "output_tokens": 50,
            "cache_creation_input_tokens": 6,
            "cache_read_input_tokens": 7,
        },
        tools_used: ["Read"],
        tool_stats: {
            "readCount": 1,
            "searchCount": 2,
            "bashCount": 3,
            "editFileCount": 4,
            "linesAdded": 5,
            "linesRemoved": 6,
            "otherToolCount": 7,
            "frameCount": 8,
        },
        worktree_path: "/bay/.worktrees/pilot",
        worktree_branch: "pilot",
    }

    agent_in_the_background: results::AgentResult, 26, RESULT => {
        status: "async_launched",
        is_async: true,
        agent_id: "a2",
        description: "Survey the cove",
        prompt: "Go.",
        output_file: "/tmp/a2",
        can_read_output_file: true,
    }

    agent_remote: results::AgentResult, 28, RESULT => {
        status: "remote_launched",
        task_id: "k9",
        session_url: "https://agents.example/k9",
        description: "Survey the sea",
        prompt: "Go.",
        output_file: "/tmp/k9",
    }

    web_fetch: results::WebFetchResult, 30, RESULT => {
        bytes: 2048,
        code: 200,
        code_text: "OK",
        result: "At noon.",
        duration_ms: 812,
        url: "https://tides.example",
        artifact_read: {"slug": "tides", "ver": "4", "seeded": false},
    }

    web_search: results::WebSearchResult, 32, RESULT => {
        query: "tide table",
        results: [
            {
                "tool_use_id": "srv1",
                "content": [
                    {
                        "title": "Tides",
                        "url": "https://tides.example",
                        "snippet": "Noon.",
                    },
                ],
            },
            "The table is on one page.",
        ],
        duration_seconds: 1.25,
        search_count: 1,
    }

    todo_write: results::TodoWriteResult, 34, RESULT => {
        old_todos: [
            {
                "content": "Measure the tide",
                "status": "pending",
                "activeForm": "Measuring the tide",
                "id": "1",
                "priority": "high",
            },
        ],
        new_todos: [
            {
                "content": "Measure the tide",
                "status": "completed",
                "activeForm": "Measuring the tide",
                "id": "1",
                "priority": "high",
            },
        ],
    }

    ask_user_question: results::AskUserQuestionResult, 36, RESULT => {
        questions: [
            {
                "question": "Which bay?",
                "header": "Bay",
                "options": [
                    {
                        "label": "North",
                        "description": "The northern bay",
                        "preview": "~~~",
                    },
                    {
                        "label": "South",
                        "description": "The southern bay",
                        "preview": "---",
                    },
                ],
                "multiSelect": true,
            },
        ],
        answers: {"Which bay?": "North, South"},
        response: "Neither.",
        annotations: {
            "Which bay?": {
                "preview": "~~~",
                "notes": "Both are fine.",
                "unanswered": "skipped",
            },
        },
        afk_timeout_ms: 60000,
    }

    exit_plan_mode: results::ExitPlanModeResult, 38, RESULT => {
        plan: "1. Measure.",
        is_agent: true,
        file_path: "/bay/plan.md",
        has_task_tool: true,
        plan_was_edited: false,
        awaiting_leader_approval: true,
        request_id: "r1",
    }

    git_operation: results::GitOperation, 2, "/toolUseResult/gitOperation" => {
        commit: {"sha": "c0ffee", "kind": "amended", "branch": "main"},
        push: {"branch": "main"},
        branch: {"ref": "survey", "action": "rebased"},
        pr: {"number": 7, "url": "https://git.example/7", "action": "created"},
    }

    git_commit: results::GitCommit, 2,
    "/toolUseResult/gitOperation/commit" => {
        sha: "c0ffee",
        kind: "amended",
        branch: "main",
    }

    git_push: results::GitPush, 2, "/toolUseResult/gitOperation/push" => {
        branch: "main",
    }

    git_branch: results::GitBranch, 2,
    "/toolUseResult/gitOperation/branch" => {
        reference: "survey",
        action: "rebased",
    }

    git_pull_request: results::GitPullRequest, 2,
    "/toolUseResult/gitOperation/pr" => {
        number: 7,
        url: "https://git.example/7",
        action: "created",
    }

    artifact_read: results::ArtifactRead, 4, "/toolUseResult/artifactRead" => {
        slug: "tides",
        version: "3",
        seeded: false,
    }

    read_file: results::ReadFile, 4, "/toolUseResult/file" => {
        file_path: "/bay/tide.rs",
        content: "let tide;\n",
        num_lines: 1,
        start_line: 10,
        total_lines: 30,
        truncated_by_token_cap: true,
    }

    image_dimensions: results::ImageDimensions, 6,
    "/toolUseResult/file/dimensions" => {
        original_width: 40,
        original_height: 30,
        display_width: 20,
        display_height: 15,
    }

    page_image: results::PageImage, 10, "/toolUseResult/pages/0" => {
        base64: "",
        media_type: "image/jpeg",
        error: "damaged",
    }

    hunk: results::Hunk, 12, "/toolUseResult/structuredPatch/0" => {
        old_start: 3,
        old_lines: 2,
        new_start: 3,
        new_lines: 3,
        lines: [" let tide;", "-low", "+high", "+dry"],
    }

    git_diff: results::GitDiff, 12, "/toolUseResult/gitDiff" => {
        filename: "tide.rs",
        status: "modified",
        additions: 2,
        deletions: 1,
        changes: 3,
        patch: "@@ -3,2 +3,3 @@",
        repository: "bay/tides",
    }

    agent_text: results::AgentText, 24, "/toolUseResult/content/0" => {
        kind: "text",
        text: "Low.",
        citations: [],
    }

    tool_stats: results::ToolStats, 24, "/toolUseResult/toolStats" => {
        read_count: 1,
        search_count: 2,
        bash_count: 3,
        edit_file_count: 4,
        lines_added: 5,
        lines_removed: 6,
        other_tool_count: 7,
        frame_count: 8,
    }

    search_result: results::SearchResult, 32, "/toolUseResult/results/0" => {
        tool_use_id: "srv1",
        content: [
            {
                "title": "Tides",
                "url": "https://tides.example",
                "snippet": "Noon.",
            },
        ],
    }

    search_hit: results::SearchHit, 32,
    "/toolUseResult/results/0/content/0" => {
        title: "Tides",
        url: "https://tides.example",
        snippet: "Noon.",
    }

    image_file: results::ReadFile, 6, "/toolUseResult/file" => {
        base64: "AAAA",
        media_type: "image/png",
        original_size: 3,
        dimensions: {
            "originalWidth": 40,
            "originalHeight": 30,
            "displayWidth": 20,
            "displayHeight": 15,
        },
    }

    notebook_file: results::ReadFile, 8, "/toolUseResult/file" => {
        file_path: "/bay/tide.ipynb",
        cells: [{"cellType": "code"}],
    }

    pdf_file: results::ReadFile, 10, "/toolUseResult/file" => {
        file_path: "/bay/tide.pdf",
        original_size: 900,
        count: 1,
        output_dir: "/tmp/pages",
    }
}
