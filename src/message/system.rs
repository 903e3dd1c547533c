/*!
System messages: reports from the agent program.
*/

use crate::message::{all::*, schema::views};

macro_rules! system {
    ($to:ident) => {
        $to! {
            /// A system message: a report from the agent program.
            union System by "subtype" else Other(SystemMessage) {
                /// The start of a turn, with its settings.
                Init(Init) = "init",
                /// A compact boundary: the conversation was replaced by a
                /// summary.
                CompactBoundary(CompactBoundary) = "compact_boundary",
                /// A microcompact boundary: old tool results were removed.
                MicrocompactBoundary(MicrocompactBoundary) =
                    "microcompact_boundary",
                /// The current activity of the agent program.
                Status(Status) = "status",
                /// A failed API request that is retried, in a transcript.
                ApiError(ApiError) = "api_error",
                /// A failed API request that is retried, in stream-json.
                ApiRetry(ApiRetry) = "api_retry",
                /// The start of a hook.
                HookStarted(HookStarted) = "hook_started",
                /// A progress report of a hook.
                HookProgress(HookProgress) = "hook_progress",
                /// The end of a hook.
                HookResponse(HookResponse) = "hook_response",
                /// The start of a task.
                TaskStarted(TaskStarted) = "task_started",
                /// A progress report of a task.
                TaskProgress(TaskProgress) = "task_progress",
                /// A change of a task's properties.
                TaskUpdated(TaskUpdated) = "task_updated",
                /// The end of a task.
                TaskNotification(TaskNotification) = "task_notification",
                /// The duration of a turn.
                TurnDuration(TurnDuration) = "turn_duration",
                /// A summary of the stop hooks.
                StopHookSummary(StopHookSummary) = "stop_hook_summary",
                /// A slash command or its output.
                LocalCommand(LocalCommand) = "local_command",
                /// Information for the user.
                Informational(Informational) = "informational",
                /// A temporary notification for the user.
                Notification(Notification) = "notification",
                /// The number of thinking tokens so far.
                ThinkingTokens(ThinkingTokens) = "thinking_tokens",
                /// A denied tool use.
                PermissionDenied(PermissionDenied) = "permission_denied",
                /// A change of the session's state.
                SessionStateChanged(SessionStateChanged) =
                    "session_state_changed",
                /// A fallback to another model after a refusal.
                ModelRefusalFallback(ModelRefusalFallback) =
                    "model_refusal_fallback",
                /// A tool result.
                ToolResult(SystemToolResult) = "tool_result",
                /// An error.
                Error(SystemError) = "error",
                /// Metadata that is hidden from the user.
                Meta(SystemMeta) = "meta",
                /// A change of the set of background tasks.
                BackgroundTasksChanged(BackgroundTasksChanged) =
                    "background_tasks_changed",
                /// A change of the available slash commands.
                CommandsChanged(CommandsChanged) = "commands_changed",
                /// A progress report of a control request.
                ControlRequestProgress(ControlRequestProgress) =
                    "control_request_progress",
                /// The end of a question from an MCP server.
                ElicitationComplete(ElicitationComplete) =
                    "elicitation_complete",
                /// Files that were stored for the host.
                FilesPersisted(FilesPersisted) = "files_persisted",
                /// The output of a slash command.
                LocalCommandOutput(LocalCommandOutput) =
                    "local_command_output",
                /// Memories that the agent recalled.
                MemoryRecall(MemoryRecall) = "memory_recall",
                /// A failure to mirror the transcript to a session store.
                MirrorError(MirrorError) = "mirror_error",
                /// A refusal without a fallback to another model.
                ModelRefusalNoFallback(ModelRefusalNoFallback) =
                    "model_refusal_no_fallback",
                /// The status of a plugin installation.
                PluginInstall(PluginInstall) = "plugin_install",
                /// A failure to save the session.
                SessionWritesLost(SessionWritesLost) = "session_writes_lost",
                /// The shutdown of the session's worker.
                WorkerShuttingDown(WorkerShuttingDown) =
                    "worker_shutting_down",
                /// A summary for a user who has returned; the text is in
                /// `content`.
                AwaySummary(SystemMessage) = "away_summary",
                /// The status of the connection to a remote session.
                BridgeStatus(BridgeStatus) = "bridge_status",
                /// The start of a scheduled task.
                ScheduledTaskFire(ScheduledTaskFire) = "scheduled_task_fire",
                /// The end of all background sub-agents, at the user's request.
                AgentsKilled(SystemMessage) = "agents_killed",
                /// A switch to another model that needs no usage credits.
                ModelConsentFallback(ModelConsentFallback) =
                    "model_consent_fallback",
                /// A switch to another model after a failure.
                ModelFallback(ModelFallback) = "model_fallback",
                /// A permission that came too late for its tool use.
                LateAllowNotRun(AskReport) = "late_allow_not_run",
                /// A change in the check of a tool use.
                PermissionCheckStatus(AskReport) = "permission_check_status",
                /// The permission requests that a new worker keeps.
                InheritedAsksSettled(AskReport) = "inherited_asks_settled",
                /// The working directory of the shell.
                ShellCwd(CodeReport) = "shell_cwd",
                /// A pull request that the session has created or changed.
                CodeChangePublished(CodeReport) = "code_change_published",
                /// A change of the repository by a command.
                VcsStateChanged(CodeReport) = "vcs_state_changed",
                /// A kind of development that the session does.
                DevIntent(CodeReport) = "dev_intent",
                /// A change of the cloud session.
                CloudSessionDelta(CloudSessionDelta) = "cloud_session_delta",
                /// A draft of feedback for the user to send.
                FeedbackDraftQueued(FeedbackDraft) = "feedback_draft_queued",
                /// Attached files that could not be fetched.
                FileAttachmentsMissing(MissingFiles) =
                    "file_attachments_missing",
                /// A warning that the instruction files are too long.
                InstructionSizeWarning(InstructionSizes) =
                    "instruction_size_warning",
                /// A message of a peer that is held back.
                PeerMessageHold(PeerMessageHold) = "peer_message_hold",
                /// A change of whether the effort applies to one turn.
                PerTurnEffortChanged(TurnReport) = "per_turn_effort_changed",
                /// A turn that was stopped for the next message.
                TurnPreempted(TurnReport) = "turn_preempted",
                /// The offer to hand a turn to another worker.
                TurnHandoffAvailable(TurnHandoff) = "turn_handoff_available",
                /// A new title of the session.
                SessionTitleChanged(SessionTitle) = "session_title_changed",
                /// A change of the focus.
                UiFocus(UiReport) = "ui_focus",
                /// Parts of the interface that must be drawn again.
                UiInvalidate(UiReport) = "ui_invalidate",
                /// A line in the log of a plugin.
                UiLog(UiReport) = "ui_log",
                /// The panes that plugins show.
                UiPanes(UiReport) = "ui_panes",
                /// The rows that plugins have placed.
                UiPlaced(UiReport) = "ui_placed",
                /// A change of the scroll position.
                UiScroll(UiReport) = "ui_scroll",
                /// The status line of a plugin.
                UiStatus(UiReport) = "ui_status",
                /// A short message of a plugin.
                UiToast(UiReport) = "ui_toast",
            }

            /// The fields that system messages share.
            struct SystemMessage: Envelope {
                /// The subtype.
                subtype: str = "subtype",
                /// The text of the message.
                content: str = "content",
                /// The severity.
                level: Level = "level",
                /// The text of the message, in subtypes that have no
                /// `content`.
                message: str = "message",
            }

            /// The severity of a message.
            enum Level {
                /// Information.
                Info = "info",
                /// Something the user should notice.
                Notice = "notice",
                /// A suggestion.
                Suggestion = "suggestion",
                /// A warning.
                Warning = "warning",
                /// An error.
                Error = "error",
            }

            /// The start of a turn, with its settings; the latest message
            /// applies.
            struct Init: SystemMessage {
                /// The model.
                model: str = "model",
                /// The available tools.
                tools: [(ToolInfo)] = "tools",
                /// The configured MCP servers.
                mcp_servers: [McpServer] = "mcp_servers",
                /// The errors of MCP servers.
                mcp_server_errors: [McpServerError] = "mcp_server_errors",
                /// The source of the API key.
                api_key_source: ApiKeySource =
                    "apiKeySource" | "api_key_source",
                /// The version of Claude Code.
                claude_code_version: str = "claude_code_version",
                /// The output style.
                output_style: str = "output_style",
                /// The available sub-agents.
                agents: [str] = "agents",
                /// The available skills.
                skills: [json] = "skills",
                /// The loaded plugins.
                plugins: [PluginInfo] = "plugins",
                /// The errors of plugins.
                plugin_errors: [PluginDiagnostic] = "plugin_errors",
                /// The warnings about plugins.
                plugin_warnings: [PluginDiagnostic] = "plugin_warnings",
                /// The available slash commands.
                slash_commands: [str] = "slash_commands",
                /// The slash commands that require a terminal.
                terminal_slash_commands: [str] = "terminal_slash_commands",
                /// The enabled beta features of the API.
                betas: [str] = "betas",
                /// The capabilities that the agent program offers to its host.
                capabilities: [str] = "capabilities",
                /// The directories besides `cwd` that the agent may access.
                additional_directories: [str] = "additional_directories",
                /// The working directory at the start of the session.
                original_cwd: str = "original_cwd",
                /// The paths of the agent's memory.
                memory_paths: {str} = "memory_paths",
                /// The path of the directory for temporary files.
                scratchpad_path: str = "scratchpad_path",
                /// The path of PowerShell.
                powershell_path: str = "powershell_path",
                /// The path of the socket on which other agents can reach this
                /// one.
                messaging_socket_path: str = "messaging_socket_path",
                /// Whether the reasoning effort applies to this turn only.
                per_turn_effort_active: bool = "per_turn_effort_active",
                /// Whether the model supports extended thinking on request.
                ultrathink_available: bool = "ultrathink_available",
                /// Whether typing its keyword raises the effort.
                ultrathink_typed_raises: bool = "ultrathink_typed_raises",
                /// Whether analytics are disabled.
                analytics_disabled: bool = "analytics_disabled",
                /// Whether requests for product feedback are disabled.
                product_feedback_disabled: bool = "product_feedback_disabled",
                /// The view mode of the conversation.
                view_mode: str = "view_mode",
                /// The indicator in the footer.
                footer_indicator: json = "footer_indicator",
                /// The cloud session.
                cloud_session: json = "cloud_session",
                /// The duration of each phase of the startup.
                startup_timing: json = "startup_timing",
                /// The number of times that the session's worker has been
                /// started.
                worker_epoch: u64 = "worker_epoch",
            }

            /// A tool that is available to the agent.
            struct ToolInfo or "name" {
                /// The name of the tool.
                name: str = "name",
                /// The description of the tool.
                description: str = "description",
                /// The JSON schema of the tool's input.
                input_schema: json = "input_schema",
                /// Whether the model has to search for the tool first.
                defer_loading: bool = "defer_loading",
            }

            /// An MCP server of the agent.
            struct McpServer {
                /// The name of the server.
                name: str = "name",
                /// The connection status, such as `connected`.
                status: str = "status",
                /// The source of the server's configuration.
                source: str = "source",
            }

            /// The fields that errors and warnings of the setup share.
            struct Diagnostic {
                /// The type of problem.
                kind: str = "type",
                /// The message.
                message: str = "message",
            }

            /// An error of an MCP server.
            struct McpServerError: Diagnostic {
                /// The name of the server.
                name: str = "name",
            }

            /// An error of a plugin, or a warning about it.
            struct PluginDiagnostic: Diagnostic {
                /// The name of the plugin.
                plugin: str = "plugin",
                /// The path of the plugin.
                path: str = "path",
                /// The managed setting that determines whether the plugin is
                /// enabled.
                managed_lock: ManagedLock = "managed_lock",
            }

            /// A managed setting that determines whether a plugin is enabled.
            struct ManagedLock {
                /// Whether the plugin is enabled.
                plugin_enabled: bool = "plugin_enabled",
                /// The name of the plugin.
                name: str = "name",
                /// The marketplace of the plugin.
                marketplace: str = "marketplace",
            }

            /// A loaded plugin.
            struct PluginInfo {
                /// The name of the plugin.
                name: str = "name",
                /// The path of the plugin.
                path: str = "path",
                /// The source from which the plugin was installed.
                source: str = "source",
                /// The version of the plugin.
                version: str = "version",
            }

            /// The source of the API key.
            enum ApiKeySource {
                /// No API key is used.
                NoKey = "none",
                /// The environment variable `ANTHROPIC_API_KEY`.
                Environment = "ANTHROPIC_API_KEY",
                /// A helper program named in the settings.
                Helper = "apiKeyHelper",
                /// A key that the login created.
                ManagedKey = "/login managed key",
                /// The user's settings; only old versions write it, and the
                /// following ones.
                User = "user",
                /// The project's settings.
                Project = "project",
                /// The organisation's settings.
                Org = "org",
                /// A temporary API key.
                Temporary = "temporary",
                /// An OAuth login.
                Oauth = "oauth",
            }

            /// The permission mode: when the agent asks for permission to use
            /// a tool.
            enum PermissionMode {
                /// Asks for permission to use tools that can change something.
                Default = "default",
                /// Edits files without asking.
                AcceptEdits = "acceptEdits",
                /// Uses every tool without asking.
                BypassPermissions = "bypassPermissions",
                /// Only plans; changes nothing.
                Plan = "plan",
                /// Denies every tool use that would require asking.
                DontAsk = "dontAsk",
                /// Lets a model decide whether a tool use is permitted.
                Auto = "auto",
            }

            /// A compact boundary: the conversation before it was replaced by
            /// a summary.
            struct CompactBoundary: SystemMessage {
                /// Metadata of the compaction.
                compact_metadata: CompactMetadata =
                    "compact_metadata" | "compactMetadata",
            }

            /// The metadata that compaction and microcompaction share.
            struct Compaction: Summarized {
                /// The trigger of the compaction.
                trigger: CompactTrigger = "trigger",
                /// The number of tokens before the compaction.
                pre_tokens: u64 = "pre_tokens" | "preTokens",
            }

            /// Metadata of a compaction.
            struct CompactMetadata: Compaction {
                /// The number of tokens after the compaction.
                post_tokens: u64 = "post_tokens" | "postTokens",
                /// The number of tokens that compactions have removed in this
                /// session so far.
                cumulative_dropped_tokens: u64 =
                    "cumulative_dropped_tokens" | "cumulativeDroppedTokens",
                /// The duration of the compaction in milliseconds.
                duration_ms: f64 = "duration_ms" | "durationMs",
                /// Whether the summary was computed in advance.
                precomputed: bool = "precomputed",
                /// The tools that the model had discovered before the
                /// compaction.
                pre_compact_discovered_tools: [str] =
                    "pre_compact_discovered_tools"
                    | "preCompactDiscoveredTools",
                /// The versions of the artifacts that the model had read
                /// before the compaction.
                pre_compact_artifact_read_versions: [json] =
                    "pre_compact_artifact_read_versions"
                    | "preCompactArtifactReadVersions",
                /// The range of preserved messages.
                preserved_segment: PreservedSegment =
                    "preserved_segment" | "preservedSegment",
                /// The list of preserved messages.
                preserved_messages: PreservedMessages =
                    "preserved_messages" | "preservedMessages",
                /// The prompt of the turn that was running.
                running_turn_prompt: json =
                    "running_turn_prompt" | "runningTurnPrompt",
            }

            /// The trigger of a compaction.
            enum CompactTrigger {
                /// The agent program, because the context window was full.
                Auto = "auto",
                /// The user.
                Manual = "manual",
            }

            /// The anchor of preserved messages.
            struct Anchor {
                /// The uuid of the message that the preserved ones follow.
                anchor_uuid: str = "anchor_uuid" | "anchorUuid",
            }

            /// A range of preserved messages.
            struct PreservedSegment: Anchor {
                /// The uuid of the first message.
                head_uuid: str = "head_uuid" | "headUuid",
                /// The uuid of the last message.
                tail_uuid: str = "tail_uuid" | "tailUuid",
            }

            /// A list of preserved messages.
            struct PreservedMessages: Anchor {
                /// The uuids of the messages.
                uuids: [str] = "uuids",
                /// The uuids of the messages, including hidden ones.
                all_uuids: [str] = "all_uuids" | "allUuids",
            }

            /// A microcompact boundary: old tool results were removed from the
            /// context.
            struct MicrocompactBoundary: SystemMessage {
                /// Metadata of the microcompaction.
                microcompact_metadata: MicrocompactMetadata =
                    "microcompact_metadata" | "microcompactMetadata",
            }

            /// Metadata of a microcompaction.
            struct MicrocompactMetadata: Compaction {
                /// The number of tokens removed.
                tokens_saved: u64 = "tokens_saved" | "tokensSaved",
                /// The identifiers of the tool uses whose results were
                /// removed.
                compacted_tool_ids: [str] =
                    "compacted_tool_ids" | "compactedToolIds",
                /// The uuids of the attachments that were removed.
                cleared_attachment_uuids: [str] =
                    "cleared_attachment_uuids" | "clearedAttachmentUUIDs",
            }

            /// The current activity of the agent program.
            struct Status: SystemMessage {
                /// The activity; absent when it has ended.
                status: Activity = "status",
                /// The result of the compaction.
                compact_result: str = "compact_result",
                /// The error, if the compaction failed.
                compact_error: str = "compact_error",
                /// The length of the summary so far, in characters.
                compact_output_chars: u64 = "compact_output_chars",
            }

            /// An activity of the agent program.
            enum Activity {
                /// Compacting the conversation.
                Compacting = "compacting",
                /// Waiting for the API.
                Requesting = "requesting",
            }

            /// The fields that reports of retried API requests share.
            struct RetryMessage: SystemMessage {
                /// The number of attempts so far.
                attempt: u64 = "attempt" | "retryAttempt",
                /// The maximum number of retries.
                max_retries: u64 = "max_retries" | "maxRetries",
                /// The delay until the next attempt, in milliseconds.
                retry_delay_ms: f64 = "retry_delay_ms" | "retryInMs",
            }

            /// A failed API request that is retried, in a transcript.
            struct ApiError: RetryMessage {
                /// The error.
                error: json = "error",
                /// The cause of the error.
                cause: json = "cause",
                /// The part of the agent program that reports it.
                source: str = "source",
            }

            /// A failed API request that is retried, in stream-json.
            struct ApiRetry: RetryMessage {
                /// The error.
                error: AssistantError = "error",
                /// The HTTP status code; absent if there was no response.
                error_status: u64 = "error_status",
                /// Details, if there was no response.
                no_response: json = "no_response",
            }

            /// The fields that messages about hooks share.
            struct HookMessage: SystemMessage {
                /// The identifier of this run of the hook.
                hook_id: str = "hook_id",
                /// The name of the hook.
                hook_name: str = "hook_name",
                /// The event that triggered the hook.
                hook_event: str = "hook_event",
                /// The combined output of the hook.
                output: str = "output",
                /// The standard output of the hook.
                stdout: str = "stdout",
                /// The standard error of the hook.
                stderr: str = "stderr",
            }

            /// The start of a hook.
            struct HookStarted: HookMessage {}

            /// A progress report of a hook.
            struct HookProgress: HookMessage {}

            /// The end of a hook.
            struct HookResponse: HookMessage {
                /// The exit code of the hook's process.
                exit_code: i64 = "exit_code",
                /// The outcome of the hook.
                outcome: HookOutcome = "outcome",
            }

            /// The outcome of a hook.
            enum HookOutcome {
                /// The hook succeeded.
                Success = "success",
                /// The hook failed.
                Error = "error",
                /// The hook was cancelled.
                Cancelled = "cancelled",
            }

            /// The fields that messages about background tasks share.
            struct TaskMessage: SystemMessage {
                /// The identifier of this run of the task.
                run_id: str = "run_id",
                /// A short description of the task.
                description: str = "description",
                /// A summary of the work done.
                summary: str = "summary",
                /// The resources used by the task.
                usage: TaskUsage = "usage",
                /// Whether the task runs for as long as the session.
                ambient: bool = "ambient",
                /// Whether the message is excluded from the transcript.
                skip_transcript: bool = "skip_transcript",
            }

            /// The start of a task.
            struct TaskStarted: TaskMessage {
                /// The type of the task.
                task_type: TaskType = "task_type",
                /// The prompt of the sub-agent.
                prompt: str = "prompt",
                /// Whether the agent waits for the task.
                awaited: bool = "awaited",
                /// Whether the task runs in the background.
                is_backgrounded: bool = "is_backgrounded",
                /// The identifier of the task that started this one.
                parent_task_id: str = "parent_task_id",
                /// The number of levels between the task and the main agent.
                spawn_depth: u64 = "spawn_depth",
                /// The name of the workflow.
                workflow_name: str = "workflow_name",
            }

            /// The type of a task.
            enum TaskType {
                /// A sub-agent.
                LocalAgent = "local_agent",
                /// A shell command.
                LocalBash = "local_bash",
                /// A workflow.
                LocalWorkflow = "local_workflow",
                /// A remote agent.
                RemoteAgent = "remote_agent",
                /// A task of an MCP server.
                McpTask = "mcp_task",
            }

            /// A progress report of a task.
            struct TaskProgress: TaskMessage {
                /// The name of the tool that the task used last.
                last_tool_name: str = "last_tool_name",
                /// The steps of a workflow.
                workflow_progress: json = "workflow_progress",
            }

            /// A change of a task's properties.
            struct TaskUpdated: TaskMessage {
                /// The changed properties.
                patch: TaskPatch = "patch",
            }

            /// The changed properties of a task.
            struct TaskPatch {
                /// The status.
                status: TaskStatus = "status",
                /// The time at which the task ended, in milliseconds since the
                /// Unix epoch.
                end_time: u64 = "end_time",
                /// The description.
                description: str = "description",
                /// The total time for which the task was paused, in
                /// milliseconds.
                total_paused_ms: f64 = "total_paused_ms",
                /// The error.
                error: str = "error",
                /// Whether the task runs in the background.
                is_backgrounded: bool = "is_backgrounded",
            }

            /// The end of a task.
            struct TaskNotification: TaskMessage {
                /// The final status.
                status: TaskStatus = "status",
                /// The reason why the task ended.
                reason: str = "reason",
                /// The path of the task's output.
                output_file: str = "output_file",
                /// Whether the summary is the report of the task.
                summary_is_report: bool = "summary_is_report",
                /// The resources that the result links to.
                resource_links: [ResourceLink] = "resource_links",
                /// The state in which the work was handed back.
                handback: json = "handback",
                /// The report on the work that was handed back.
                handback_report: HandbackReport = "handback_report",
            }

            /// The status of a task.
            enum TaskStatus {
                /// The task has not started.
                Pending = "pending",
                /// The task is running.
                Running = "running",
                /// The task is completed.
                Completed = "completed",
                /// The task failed.
                Failed = "failed",
                /// The task was killed.
                Killed = "killed",
                /// The task is paused.
                Paused = "paused",
                /// The task was stopped.
                Stopped = "stopped",
            }

            /// The resources used by a task.
            struct TaskUsage {
                /// The number of tokens.
                total_tokens: u64 = "total_tokens",
                /// The number of tool uses.
                tool_uses: u64 = "tool_uses",
                /// The duration in milliseconds.
                duration_ms: f64 = "duration_ms",
            }

            /// The report of a task that hands its work back.
            struct HandbackReport {
                /// The report.
                text: str = "text",
                /// A warning about the work.
                warning: str = "warning",
            }

            /// The duration of a turn.
            struct TurnDuration: SystemMessage {
                /// The number of messages in the turn.
                message_count: u64 = "messageCount",
                /// The number of sub-agents that still run in the background.
                pending_background_agent_count: u64 =
                    "pendingBackgroundAgentCount",
                /// The number of workflows that still run.
                pending_workflow_count: u64 = "pendingWorkflowCount",
            }

            /// A summary of the stop hooks, which run when the agent stops.
            struct StopHookSummary: SystemMessage {
                /// The number of hooks.
                hook_count: u64 = "hookCount",
                /// The hooks.
                hook_infos: [HookInfo] = "hookInfos",
                /// The errors of the hooks.
                hook_errors: [json] = "hookErrors",
                /// The indexes of those errors that made a hook fail.
                failed_hook_error_indexes: [u64] = "failedHookErrorIndexes",
                /// The context that the hooks added to the conversation.
                hook_additional_context: [json] = "hookAdditionalContext",
                /// Whether a hook prevented the agent from continuing.
                prevented_continuation: bool = "preventedContinuation",
                /// The reason given by the hook.
                stop_reason: str = "stopReason",
                /// Whether the hooks wrote any output.
                has_output: bool = "hasOutput",
            }

            /// A hook that was run.
            struct HookInfo {
                /// The command of the hook.
                command: str = "command",
                /// The duration in milliseconds.
                duration_ms: f64 = "durationMs",
            }

            /// A slash command or its output; the text is in `content`.
            struct LocalCommand: SystemMessage {
                /// The command that was run.
                command_run: LocalCommandRun = "commandRun",
                /// The usage of the context window.
                context_usage: json = "contextUsage",
            }

            /// Information for the user; the text is in `content`.
            struct Informational: SystemMessage {
                /// Whether the agent is prevented from continuing.
                prevent_continuation: bool = "prevent_continuation",
                /// The outcome of submitting the prompt.
                prompt_submit_outcome: json = "prompt_submit_outcome",
                /// The topic of the message.
                tag: str = "tag",
            }

            /// A temporary notification for the user.
            struct Notification: SystemMessage {
                /// The key; a later notification with the same key replaces
                /// this one.
                key: str = "key",
                /// The text.
                text: str = "text",
                /// The priority.
                priority: NotificationPriority = "priority",
                /// The colour of the text.
                color: str = "color",
                /// The display time in milliseconds.
                timeout_ms: f64 = "timeout_ms",
            }

            /// The priority of a notification.
            enum NotificationPriority {
                /// Shown when there is nothing else to show.
                Low = "low",
                /// Shown in the usual order.
                Medium = "medium",
                /// Shown before others.
                High = "high",
                /// Shown immediately.
                Immediate = "immediate",
            }

            /// The number of thinking tokens so far.
            struct ThinkingTokens: SystemMessage {
                /// The estimated number of thinking tokens so far.
                estimated_tokens: u64 = "estimated_tokens",
                /// The estimated number of thinking tokens since the last such
                /// message.
                estimated_tokens_delta: u64 = "estimated_tokens_delta",
            }

            /// A denied tool use.
            struct PermissionDenied: SystemMessage {
                /// The reason for the denial.
                decision_reason: str = "decision_reason",
                /// The code of the reason.
                decision_reason_code: str = "decision_reason_code",
                /// The type of reason.
                decision_reason_type: str = "decision_reason_type",
            }

            /// A change of the session's state.
            struct SessionStateChanged: SystemMessage {
                /// The new state.
                state: SessionState = "state",
                /// Whether the message is meant only for the host.
                sdk_host_only: bool = "sdk_host_only",
            }

            /// The state of a session.
            enum SessionState {
                /// The turn is over and the agent is idle.
                Idle = "idle",
                /// The agent is running.
                Running = "running",
                /// The agent waits for the user.
                RequiresAction = "requires_action",
            }

            /// A refusal without a fallback to another model; the text is in
            /// `content`.
            struct ModelRefusalNoFallback: SystemMessage {
                /// The model that refused.
                original_model: str = "original_model" | "originalModel",
                /// The category of the refusal.
                api_refusal_category: str = "api_refusal_category",
                /// The explanation of the refusal.
                api_refusal_explanation: str = "api_refusal_explanation",
                /// The uuid of the user message that was refused.
                refused_user_message_uuid: str = "refused_user_message_uuid",
            }

            /// A fallback to another model after a refusal.
            struct ModelRefusalFallback: SystemMessage {
                /// The model that refused.
                original_model: str = "original_model" | "originalModel",
                /// The model that is used instead.
                fallback_model: str = "fallback_model" | "fallbackModel",
                /// The direction of the switch: to the fallback model or back.
                direction: str = "direction",
                /// The period for which the fallback model is used.
                scope: str = "scope",
                /// The trigger of the switch.
                trigger: str = "trigger",
                /// The category of the refusal.
                api_refusal_category: str = "api_refusal_category",
                /// The explanation of the refusal.
                api_refusal_explanation: str = "api_refusal_explanation",
                /// The uuid of the user message that was refused.
                refused_user_message_uuid: str = "refused_user_message_uuid",
                /// The uuids of the messages that were retracted.
                retracted_message_uuids: [str] = "retracted_message_uuids",
                /// Whether a refusal concerned cyber security.
                saw_cyber_refusal: bool = "saw_cyber_refusal",
            }

            /// A tool result; the text is in `message`.
            struct SystemToolResult: SystemMessage {}

            /// An error; the text is in `message`.
            struct SystemError: SystemMessage {}

            /// Metadata that is hidden from the user; the text is in
            /// `message`.
            struct SystemMeta: SystemMessage {}

            /// The status of the connection to a remote session; the text is
            /// in `content`.
            struct BridgeStatus: SystemMessage {
                /// The URL of the remote session.
                url: str = "url",
            }

            /// The start of a scheduled task; the text is in `content`.
            struct ScheduledTaskFire: SystemMessage {
                /// The identifier of the scheduled task.
                scheduled_task_id: str = "taskId",
                /// The kind of scheduled task.
                task_kind: str = "taskKind",
                /// The schedule, as a cron expression.
                cron: str = "cron",
                /// The prompt of the scheduled task.
                prompt: str = "prompt",
            }

            /// A switch to another model, because the original one failed; the
            /// text is in `content`.
            struct ModelFallback: SystemMessage {
                /// The model that failed.
                original_model: str = "original_model" | "originalModel",
                /// The model that is used instead.
                fallback_model: str = "fallback_model" | "fallbackModel",
                /// The trigger of the switch.
                trigger: str = "trigger",
            }

            /// A switch to another model, because the original one requires
            /// usage credits; the text is in `content`.
            struct ModelConsentFallback: SystemMessage {
                /// The model that requires credits.
                original_model: str = "original_model" | "originalModel",
                /// The model that is used instead.
                fallback_model: str = "fallback_model" | "fallbackModel",
                /// The user's choice.
                choice: str = "choice",
                /// Whether the new model became the default.
                persisted_as_default: bool =
                    "persisted_as_default" | "persistedAsDefault",
            }
        }
    };
}
pub(crate) use system;
system!(views);
