/*!
System: what the program that runs the agent has to say.
*/

use crate::message::{all::*, schema::views};

macro_rules! system {
    ($each:ident) => {
        $each! {
            /// A message of the program that runs the agent.
            union System by "subtype" else Other(SystemMessage) {
                /// A turn begins, under these settings.
                Init(Init) = "init",
                /// The conversation was shortened.
                CompactBoundary(CompactBoundary) = "compact_boundary",
                /// Results of tools were dropped.
                MicrocompactBoundary(MicrocompactBoundary) =
                    "microcompact_boundary",
                /// What the program is busy with.
                Status(Status) = "status",
                /// A request failed and is tried again, as transcripts tell
                /// it.
                ApiError(ApiError) = "api_error",
                /// A request failed and is tried again.
                ApiRetry(ApiRetry) = "api_retry",
                /// A hook begins.
                HookStarted(HookStarted) = "hook_started",
                /// A hook is at work.
                HookProgress(HookProgress) = "hook_progress",
                /// A hook ended.
                HookResponse(HookResponse) = "hook_response",
                /// A task begins.
                TaskStarted(TaskStarted) = "task_started",
                /// A task is at work.
                TaskProgress(TaskProgress) = "task_progress",
                /// Something about a task changed.
                TaskUpdated(TaskUpdated) = "task_updated",
                /// A task ended.
                TaskNotification(TaskNotification) = "task_notification",
                /// How long a turn took.
                TurnDuration(TurnDuration) = "turn_duration",
                /// What the stop hooks did.
                StopHookSummary(StopHookSummary) = "stop_hook_summary",
                /// A slash command or its output.
                LocalCommand(LocalCommand) = "local_command",
                /// Something to tell the user.
                Informational(Informational) = "informational",
                /// Something to show the user for a while.
                Notification(Notification) = "notification",
                /// How much the model has thought.
                ThinkingTokens(ThinkingTokens) = "thinking_tokens",
                /// A tool call was not allowed.
                PermissionDenied(PermissionDenied) = "permission_denied",
                /// The agent began to work, to wait or to rest.
                SessionStateChanged(SessionStateChanged) =
                    "session_state_changed",
                /// A model declined and another one was asked.
                ModelRefusalFallback(ModelRefusalFallback) =
                    "model_refusal_fallback",
                /// What a tool gave back.
                ToolResult(SystemToolResult) = "tool_result",
                /// An error.
                Error(SystemError) = "error",
                /// Something that the user does not see.
                Meta(SystemMeta) = "meta",
            }
        }
        $each! {
            /// What messages of the program that runs the agent may have.
            struct SystemMessage: Envelope {
                /// What the message is about.
                subtype: str = "subtype",
                /// The message in words.
                content: str = "content",
                /// How much it matters.
                level: Level = "level",
                /// The message in words.
                message: str = "message",
            }
        }
        $each! {
            /// How much a message matters.
            enum Level {
                /// It is good to know.
                Info = "info",
                /// It should be seen.
                Notice = "notice",
                /// It is a piece of advice.
                Suggestion = "suggestion",
                /// Something may go wrong.
                Warning = "warning",
                /// Something went wrong.
                Error = "error",
            }
        }
        $each! {
            /// A turn begins, under these settings; the newest counts.
            struct Init: SystemMessage {
                /// The model.
                model: str = "model",
                /// The tools that the agent has.
                tools: [(ToolInfo)] = "tools",
                /// The MCP servers that the agent has.
                mcp_servers: [McpServer] = "mcp_servers",
                /// What is wrong with MCP servers.
                mcp_server_errors: [McpServerError] = "mcp_server_errors",
                /// Where the key for the API comes from.
                api_key_source: ApiKeySource =
                    "apiKeySource" | "api_key_source",
                /// The version of the program.
                claude_code_version: str = "claude_code_version",
                /// The style of the answers.
                output_style: str = "output_style",
                /// The sub-agents that can be called.
                agents: [str] = "agents",
                /// The skills that the agent has.
                skills: [json] = "skills",
                /// The plugins that are loaded.
                plugins: [PluginInfo] = "plugins",
                /// What is wrong with plugins.
                plugin_errors: [PluginDiagnostic] = "plugin_errors",
                /// What may be wrong with plugins.
                plugin_warnings: [PluginDiagnostic] = "plugin_warnings",
                /// The slash commands that there are.
                slash_commands: [str] = "slash_commands",
                /// The slash commands that need a terminal.
                terminal_slash_commands: [str] = "terminal_slash_commands",
                /// The trial features of the API that are on.
                betas: [str] = "betas",
                /// What the program can do for its host.
                capabilities: [str] = "capabilities",
                /// Directories besides `cwd` that the agent may use.
                additional_directories: [str] = "additional_directories",
                /// The directory that the session began in.
                original_cwd: str = "original_cwd",
                /// Where the agent keeps what it remembers.
                memory_paths: {str} = "memory_paths",
                /// Where the agent may put passing files.
                scratchpad_path: str = "scratchpad_path",
                /// Where PowerShell is.
                powershell_path: str = "powershell_path",
                /// Where other agents can reach this one.
                messaging_socket_path: str = "messaging_socket_path",
                /// Whether the effort is for this turn only.
                per_turn_effort_active: bool = "per_turn_effort_active",
                /// Whether the model can be made to think longer.
                ultrathink_available: bool = "ultrathink_available",
                /// Whether the program sends no statistics.
                analytics_disabled: bool = "analytics_disabled",
                /// Whether the program asks for no opinions.
                product_feedback_disabled: bool = "product_feedback_disabled",
                /// How much of the conversation is shown.
                view_mode: str = "view_mode",
                /// What the footer shows.
                footer_indicator: json = "footer_indicator",
                /// The session in the cloud.
                cloud_session: json = "cloud_session",
                /// How long the parts of starting took.
                startup_timing: json = "startup_timing",
                /// Counts the starts of the session's worker.
                worker_epoch: u64 = "worker_epoch",
            }
        }
        $each! {
            /// A tool that the agent has.
            struct ToolInfo or "name" {
                /// The tool's name.
                name: str = "name",
                /// What the tool does.
                description: str = "description",
                /// The JSON schema of the tool's input.
                input_schema: json = "input_schema",
            }
        }
        $each! {
            /// An MCP server that the agent has.
            struct McpServer {
                /// The server's name.
                name: str = "name",
                /// Whether the server can be used, such as `connected`.
                status: str = "status",
            }
        }
        $each! {
            /// Something that is or may be wrong.
            struct Diagnostic {
                /// The kind of trouble.
                kind: str = "type",
                /// The trouble in words.
                message: str = "message",
            }
        }
        $each! {
            /// What is wrong with an MCP server.
            struct McpServerError: Diagnostic {
                /// The server's name.
                name: str = "name",
            }
        }
        $each! {
            /// What is or may be wrong with a plugin.
            struct PluginDiagnostic: Diagnostic {
                /// The plugin's name.
                plugin: str = "plugin",
            }
        }
        $each! {
            /// A plugin that is loaded.
            struct PluginInfo {
                /// The plugin's name.
                name: str = "name",
                /// Where it is.
                path: str = "path",
                /// Where it came from.
                source: str = "source",
                /// Its version.
                version: str = "version",
            }
        }
        $each! {
            /// Where the key for the API comes from.
            enum ApiKeySource {
                /// There is no key.
                NoKey = "none",
                /// The user's settings.
                User = "user",
                /// The project's settings.
                Project = "project",
                /// The organisation's settings.
                Org = "org",
                /// A key for a short time.
                Temporary = "temporary",
                /// A login.
                Oauth = "oauth",
            }
        }
        $each! {
            /// How the agent asks for leave to use tools.
            enum PermissionMode {
                /// It asks before anything that matters.
                Default = "default",
                /// It edits files without asking.
                AcceptEdits = "acceptEdits",
                /// It does not ask.
                BypassPermissions = "bypassPermissions",
                /// It only plans.
                Plan = "plan",
                /// What would need asking is denied.
                DontAsk = "dontAsk",
                /// A model decides what needs asking.
                Auto = "auto",
            }
        }
        $each! {
            /// The conversation before this line was shortened to a summary.
            struct CompactBoundary: SystemMessage {
                /// What was done.
                compact_metadata: CompactMetadata =
                    "compact_metadata" | "compactMetadata",
            }
        }
        $each! {
            /// What both ways of shortening a conversation tell.
            struct Compaction: Summarized {
                /// Who wanted it.
                trigger: CompactTrigger = "trigger",
                /// The tokens before.
                pre_tokens: u64 = "pre_tokens" | "preTokens",
            }
        }
        $each! {
            /// How a conversation was shortened to a summary.
            struct CompactMetadata: Compaction {
                /// The tokens after.
                post_tokens: u64 = "post_tokens" | "postTokens",
                /// The tokens dropped in the session so far.
                cumulative_dropped_tokens: u64 =
                    "cumulative_dropped_tokens" | "cumulativeDroppedTokens",
                /// How long it took, in milliseconds.
                duration_ms: f64 = "duration_ms" | "durationMs",
                /// Whether the summary was made beforehand.
                precomputed: bool = "precomputed",
                /// The tools that the model had found before.
                pre_compact_discovered_tools: [str] =
                    "pre_compact_discovered_tools"
                    | "preCompactDiscoveredTools",
                /// The versions of artifacts that the model had read.
                pre_compact_artifact_read_versions: [json] =
                    "pre_compact_artifact_read_versions"
                    | "preCompactArtifactReadVersions",
                /// The lines that were kept, by their ends.
                preserved_segment: PreservedSegment =
                    "preserved_segment" | "preservedSegment",
                /// The lines that were kept, one by one.
                preserved_messages: PreservedMessages =
                    "preserved_messages" | "preservedMessages",
            }
        }
        $each! {
            /// Who wanted a conversation to be shortened.
            enum CompactTrigger {
                /// The program, as the context was full.
                Auto = "auto",
                /// The user.
                Manual = "manual",
            }
        }
        $each! {
            /// Where kept lines hang on.
            struct Anchor {
                /// The line that the kept ones follow.
                anchor_uuid: str = "anchor_uuid" | "anchorUuid",
            }
        }
        $each! {
            /// The lines that were kept, by their ends.
            struct PreservedSegment: Anchor {
                /// The first line.
                head_uuid: str = "head_uuid" | "headUuid",
                /// The last line.
                tail_uuid: str = "tail_uuid" | "tailUuid",
            }
        }
        $each! {
            /// The lines that were kept, one by one.
            struct PreservedMessages: Anchor {
                /// The lines.
                uuids: [str] = "uuids",
                /// The lines, with those that are not shown.
                all_uuids: [str] = "all_uuids" | "allUuids",
            }
        }
        $each! {
            /// Results of tools before this line were dropped.
            struct MicrocompactBoundary: SystemMessage {
                /// What was done.
                microcompact_metadata: MicrocompactMetadata =
                    "microcompact_metadata" | "microcompactMetadata",
            }
        }
        $each! {
            /// What was dropped from a conversation.
            struct MicrocompactMetadata: Compaction {
                /// The tokens that were dropped.
                tokens_saved: u64 = "tokens_saved" | "tokensSaved",
                /// The tool calls whose results were dropped.
                compacted_tool_ids: [str] =
                    "compacted_tool_ids" | "compactedToolIds",
                /// The attachments that were dropped.
                cleared_attachment_uuids: [str] =
                    "cleared_attachment_uuids" | "clearedAttachmentUUIDs",
            }
        }
        $each! {
            /// What the program is busy with.
            struct Status: SystemMessage {
                /// What it does; absent when it is done.
                status: Activity = "status",
                /// How shortening the conversation went.
                compact_result: str = "compact_result",
                /// Why shortening the conversation failed.
                compact_error: str = "compact_error",
                /// How long the summary is so far.
                compact_output_chars: u64 = "compact_output_chars",
            }
        }
        $each! {
            /// What the program is busy with.
            enum Activity {
                /// It shortens the conversation.
                Compacting = "compacting",
                /// It waits for the API.
                Requesting = "requesting",
            }
        }
        $each! {
            /// A request failed and is tried again.
            struct RetryMessage: SystemMessage {
                /// How often it was tried.
                attempt: u64 = "attempt" | "retryAttempt",
                /// How often it may be tried.
                max_retries: u64 = "max_retries" | "maxRetries",
                /// The time until the next try, in milliseconds.
                retry_delay_ms: f64 = "retry_delay_ms" | "retryInMs",
            }
        }
        $each! {
            /// A request failed and is tried again, as transcripts tell it.
            struct ApiError: RetryMessage {
                /// What went wrong.
                error: json = "error",
                /// What was behind it.
                cause: json = "cause",
            }
        }
        $each! {
            /// A request failed and is tried again.
            struct ApiRetry: RetryMessage {
                /// What went wrong.
                error: AssistantError = "error",
                /// The HTTP status; absent when there was no answer.
                error_status: u64 = "error_status",
                /// How there came to be no answer.
                no_response: json = "no_response",
            }
        }
        $each! {
            /// What messages about hooks have.
            struct HookMessage: SystemMessage {
                /// Identifies this run of the hook.
                hook_id: str = "hook_id",
                /// The hook's name.
                hook_name: str = "hook_name",
                /// What made the hook run.
                hook_event: str = "hook_event",
                /// All that the hook wrote.
                output: str = "output",
                /// What the hook wrote to standard output.
                stdout: str = "stdout",
                /// What the hook wrote to standard error.
                stderr: str = "stderr",
            }
        }
        $each! {
            /// A hook begins.
            struct HookStarted: HookMessage {}
        }
        $each! {
            /// A hook is at work.
            struct HookProgress: HookMessage {}
        }
        $each! {
            /// A hook ended.
            struct HookResponse: HookMessage {
                /// The exit code of the hook's process.
                exit_code: i64 = "exit_code",
                /// How it ended.
                outcome: HookOutcome = "outcome",
            }
        }
        $each! {
            /// How a hook ended.
            enum HookOutcome {
                /// It worked.
                Success = "success",
                /// It failed.
                Error = "error",
                /// It was stopped.
                Cancelled = "cancelled",
            }
        }
        $each! {
            /// What messages about background tasks have.
            struct TaskMessage: SystemMessage {
                /// Identifies this run of the task.
                run_id: str = "run_id",
                /// What the task is to do, in short.
                description: str = "description",
                /// What the task has done.
                summary: str = "summary",
                /// What the task has used.
                usage: TaskUsage = "usage",
                /// Whether the task goes on for as long as the session.
                ambient: bool = "ambient",
                /// Whether the message is not for the transcript.
                skip_transcript: bool = "skip_transcript",
            }
        }
        $each! {
            /// A task begins.
            struct TaskStarted: TaskMessage {
                /// What kind of task it is.
                task_type: TaskType = "task_type",
                /// What a sub-agent was asked.
                prompt: str = "prompt",
                /// Whether the agent waits for it.
                awaited: bool = "awaited",
                /// Whether it runs in the background.
                is_backgrounded: bool = "is_backgrounded",
                /// The task that started it.
                parent_task_id: str = "parent_task_id",
                /// How deep below the main agent it is.
                spawn_depth: u64 = "spawn_depth",
                /// The workflow that it runs.
                workflow_name: str = "workflow_name",
            }
        }
        $each! {
            /// What kind of task it is.
            enum TaskType {
                /// A sub-agent.
                LocalAgent = "local_agent",
                /// A command of the shell.
                LocalBash = "local_bash",
                /// A workflow.
                LocalWorkflow = "local_workflow",
                /// An agent elsewhere.
                RemoteAgent = "remote_agent",
            }
        }
        $each! {
            /// A task is at work.
            struct TaskProgress: TaskMessage {
                /// The tool that it called last.
                last_tool_name: str = "last_tool_name",
            }
        }
        $each! {
            /// Something about a task changed.
            struct TaskUpdated: TaskMessage {
                /// What changed.
                patch: TaskPatch = "patch",
            }
        }
        $each! {
            /// What changed about a task.
            struct TaskPatch {
                /// How it is doing.
                status: TaskStatus = "status",
                /// When it ended, in milliseconds since 1970.
                end_time: u64 = "end_time",
                /// What it is to do.
                description: str = "description",
                /// How long it was paused, in milliseconds.
                total_paused_ms: f64 = "total_paused_ms",
                /// What went wrong.
                error: str = "error",
                /// Whether it runs in the background.
                is_backgrounded: bool = "is_backgrounded",
            }
        }
        $each! {
            /// A task ended.
            struct TaskNotification: TaskMessage {
                /// How it ended.
                status: TaskStatus = "status",
                /// Why it ended.
                reason: str = "reason",
                /// Where its output is.
                output_file: str = "output_file",
                /// What its result points to.
                resource_links: [ResourceLink] = "resource_links",
                /// How it gave the work back.
                handback: json = "handback",
                /// What it says about the work.
                handback_report: HandbackReport = "handback_report",
            }
        }
        $each! {
            /// How a task is doing.
            enum TaskStatus {
                /// It has not begun.
                Pending = "pending",
                /// It is at work.
                Running = "running",
                /// It is done.
                Completed = "completed",
                /// It failed.
                Failed = "failed",
                /// It was killed.
                Killed = "killed",
                /// It waits to go on.
                Paused = "paused",
                /// It was stopped.
                Stopped = "stopped",
            }
        }
        $each! {
            /// What a task has used.
            struct TaskUsage {
                /// The tokens.
                total_tokens: u64 = "total_tokens",
                /// The tool calls.
                tool_uses: u64 = "tool_uses",
                /// The time, in milliseconds.
                duration_ms: f64 = "duration_ms",
            }
        }
        $each! {
            /// What a task says about its work.
            struct HandbackReport {
                /// The report.
                text: str = "text",
                /// What to be careful about.
                warning: str = "warning",
            }
        }
        $each! {
            /// How long a turn took.
            struct TurnDuration: SystemMessage {
                /// The messages of the turn.
                message_count: u64 = "messageCount",
            }
        }
        $each! {
            /// What the hooks did that run when the agent stops.
            struct StopHookSummary: SystemMessage {
                /// How many there were.
                hook_count: u64 = "hookCount",
                /// The hooks.
                hook_infos: [HookInfo] = "hookInfos",
                /// What went wrong.
                hook_errors: [json] = "hookErrors",
                /// Whether they kept the agent from going on.
                prevented_continuation: bool = "preventedContinuation",
                /// Why they did.
                stop_reason: str = "stopReason",
                /// Whether they wrote anything.
                has_output: bool = "hasOutput",
            }
        }
        $each! {
            /// A hook that was run.
            struct HookInfo {
                /// Its command.
                command: str = "command",
            }
        }
        $each! {
            /// A slash command or its output, in `content`.
            struct LocalCommand: SystemMessage {}
        }
        $each! {
            /// Something to tell the user, in `content`.
            struct Informational: SystemMessage {
                /// Whether the agent does not go on.
                prevent_continuation: bool = "prevent_continuation",
                /// What became of the prompt.
                prompt_submit_outcome: json = "prompt_submit_outcome",
                /// What the message is about.
                tag: str = "tag",
            }
        }
        $each! {
            /// Something to show the user for a while.
            struct Notification: SystemMessage {
                /// A newer one with the same key takes its place.
                key: str = "key",
                /// What to show.
                text: str = "text",
                /// How soon to show it.
                priority: NotificationPriority = "priority",
                /// The color to show it in.
                color: str = "color",
                /// How long to show it, in milliseconds.
                timeout_ms: f64 = "timeout_ms",
            }
        }
        $each! {
            /// How soon to show something.
            enum NotificationPriority {
                /// When there is nothing else.
                Low = "low",
                /// As usual.
                Medium = "medium",
                /// Before others.
                High = "high",
                /// At once.
                Immediate = "immediate",
            }
        }
        $each! {
            /// How much the model has thought.
            struct ThinkingTokens: SystemMessage {
                /// About how many tokens so far.
                estimated_tokens: u64 = "estimated_tokens",
                /// About how many tokens since the last message.
                estimated_tokens_delta: u64 = "estimated_tokens_delta",
            }
        }
        $each! {
            /// A tool call was not allowed.
            struct PermissionDenied: SystemMessage {
                /// Why it was not.
                decision_reason: str = "decision_reason",
                /// The code of the reason.
                decision_reason_code: str = "decision_reason_code",
                /// The kind of reason.
                decision_reason_type: str = "decision_reason_type",
            }
        }
        $each! {
            /// The agent began to work, to wait or to rest.
            struct SessionStateChanged: SystemMessage {
                /// What it does now.
                state: SessionState = "state",
            }
        }
        $each! {
            /// What the agent does.
            enum SessionState {
                /// It rests; the turn is over.
                Idle = "idle",
                /// It works.
                Running = "running",
                /// It waits for the user.
                RequiresAction = "requires_action",
            }
        }
        $each! {
            /// A model declined to answer and another one was asked.
            struct ModelRefusalFallback: SystemMessage {
                /// The model that declined.
                original_model: str = "original_model" | "originalModel",
                /// The model that was asked instead.
                fallback_model: str = "fallback_model" | "fallbackModel",
                /// Whether to the other model or back.
                direction: str = "direction",
                /// How long the other model stays.
                scope: str = "scope",
                /// What made the change.
                trigger: str = "trigger",
                /// The kind of refusal.
                api_refusal_category: str = "api_refusal_category",
                /// The refusal in words.
                api_refusal_explanation: str = "api_refusal_explanation",
                /// The user message that was not answered.
                refused_user_message_uuid: str = "refused_user_message_uuid",
                /// The messages that no longer count.
                retracted_message_uuids: [str] = "retracted_message_uuids",
                /// Whether the refusal was about security.
                saw_cyber_refusal: bool = "saw_cyber_refusal",
            }
        }
        $each! {
            /// What a tool gave back, in `message`.
            struct SystemToolResult: SystemMessage {}
        }
        $each! {
            /// An error, in `message`.
            struct SystemError: SystemMessage {}
        }
        $each! {
            /// Something that the user does not see, in `message`.
            struct SystemMeta: SystemMessage {}
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use system;
system!(views);
