/*!
Hook inputs: what the agent program passes to a hook.
*/

use linetape::message::{
    schema::views,
    stream::AssistantError,
    system::{CompactTrigger, PermissionMode},
};

macro_rules! hooks {
    ($to:ident) => {
        $to! {
            /// The fields that all hook inputs share.
            struct HookBase {
                /// The identifier of the session.
                session_id: str = "session_id",
                /// The path of the session's transcript.
                transcript_path: str = "transcript_path",
                /// The working directory.
                cwd: str = "cwd",
                /// The identifier of the prompt that is being answered.
                prompt_id: str = "prompt_id",
                /// The permission mode.
                permission_mode: PermissionMode = "permission_mode",
                /// The identifier of the sub-agent for which the hook runs.
                agent_id: str = "agent_id",
                /// The type of the sub-agent, or of the agent that the
                /// session runs.
                agent_type: str = "agent_type",
                /// The effort of the model.
                effort: Effort = "effort",
            }

            /// The effort of the model.
            struct Effort {
                /// The level, such as `low` or `max`.
                level: str = "level",
            }

            /// The input of an event that the schema does not know.
            struct OtherHook: HookBase {
                /// The name of the event.
                hook_event_name: str = "hook_event_name",
            }

            /// The fields that events of a tool use share.
            struct ToolHook: HookBase {
                /// The name of the tool.
                tool_name: str = "tool_name",
                /// The input of the tool.
                tool_input: json = "tool_input",
                /// The identifier of the tool use.
                tool_use_id: str = "tool_use_id",
                /// The MCP server that provides the tool.
                mcp_server: McpServerOrigin = "mcp_server",
            }

            /// The MCP server that provides a tool.
            struct McpServerOrigin {
                /// The name of the server.
                name: str = "name",
                /// The place where the server is configured.
                source: str = "source",
            }

            /// Before a tool runs.
            struct PreToolUse: ToolHook {}

            /// After a tool has succeeded.
            struct PostToolUse: ToolHook {
                /// The result of the tool, in the agent program's own format.
                tool_response: json = "tool_response",
                /// The duration of the tool in milliseconds.
                duration_ms: f64 = "duration_ms",
            }

            /// After a tool has failed.
            struct PostToolUseFailure: ToolHook {
                /// The error message.
                error: str = "error",
                /// Whether the tool was interrupted.
                is_interrupt: bool = "is_interrupt",
                /// The duration of the tool in milliseconds.
                duration_ms: f64 = "duration_ms",
            }

            /// After all tools of one answer have run.
            struct PostToolBatch: HookBase {
                /// The tool uses of the batch.
                tool_calls: [BatchToolCall] = "tool_calls",
            }

            /// A tool use of a batch.
            struct BatchToolCall {
                /// The name of the tool.
                tool_name: str = "tool_name",
                /// The input of the tool.
                tool_input: json = "tool_input",
                /// The identifier of the tool use.
                tool_use_id: str = "tool_use_id",
                /// The result of the tool.
                tool_response: json = "tool_response",
            }

            /// Before the user is asked for permission to use a tool.
            struct PermissionRequest: ToolHook {
                /// The changes of the permission rules that would make asking
                /// unnecessary.
                permission_suggestions: [PermissionUpdate] =
                    "permission_suggestions",
            }

            /// A change of the permission rules.
            struct PermissionUpdate {
                /// The type of change.
                kind: PermissionUpdateKind = "type",
                /// The rules to add, replace or remove.
                rules: [PermissionRule] = "rules",
                /// The behaviour of the rules: `allow`, `deny` or `ask`.
                behavior: PermissionDecision = "behavior",
                /// The permission mode to set.
                mode: PermissionMode = "mode",
                /// The directories to add or remove.
                directories: [str] = "directories",
                /// The place where the change is stored.
                destination: PermissionDestination = "destination",
            }

            /// The type of a change of the permission rules.
            enum PermissionUpdateKind {
                /// Adds rules.
                AddRules = "addRules",
                /// Replaces all rules with the same behaviour.
                ReplaceRules = "replaceRules",
                /// Removes rules.
                RemoveRules = "removeRules",
                /// Sets the permission mode.
                SetMode = "setMode",
                /// Adds working directories.
                AddDirectories = "addDirectories",
                /// Removes working directories.
                RemoveDirectories = "removeDirectories",
            }

            /// A permission rule.
            struct PermissionRule {
                /// The name of the tool.
                tool_name: str = "toolName",
                /// The tool inputs to which the rule applies; all if absent.
                rule_content: str = "ruleContent",
            }

            /// What happens to a tool use.
            enum PermissionDecision {
                /// It is permitted.
                Allow = "allow",
                /// It is denied.
                Deny = "deny",
                /// The user is asked.
                Ask = "ask",
                /// The decision is deferred.
                Defer = "defer",
            }

            /// The place where a change of the permission rules is stored.
            enum PermissionDestination {
                /// The user's settings.
                UserSettings = "userSettings",
                /// The project's settings.
                ProjectSettings = "projectSettings",
                /// The project's settings that are not shared.
                LocalSettings = "localSettings",
                /// The session only.
                Session = "session",
                /// The arguments of the agent program.
                CliArg = "cliArg",
            }

            /// After a tool use was denied.
            struct PermissionDenied: ToolHook {
                /// The reason.
                reason: str = "reason",
            }

            /// When the agent program notifies the user.
            struct Notification: HookBase {
                /// The text of the notification.
                message: str = "message",
                /// The title of the notification.
                title: str = "title",
                /// The type of notification.
                notification_type: str = "notification_type",
            }

            /// When a prompt is submitted.
            struct UserPromptSubmit: HookBase {
                /// The prompt.
                prompt: str = "prompt",
                /// Who submits the prompt.
                source: PromptSource = "source",
                /// The title of the session.
                session_title: str = "session_title",
            }

            /// Who submits a prompt.
            enum PromptSource {
                /// The user.
                User = "user",
                /// A host program.
                Sdk = "sdk",
                /// The agent program.
                System = "system",
                /// A loop, at its next iteration.
                LoopWakeup = "loop_wakeup",
                /// A schedule.
                ScheduleWakeup = "schedule_wakeup",
                /// An event that the agent polls for.
                PollEvent = "poll_event",
            }

            /// When a command is expanded to a prompt.
            struct UserPromptExpansion: HookBase {
                /// The type of command.
                expansion_type: ExpansionType = "expansion_type",
                /// The name of the command.
                command_name: str = "command_name",
                /// The arguments of the command.
                command_args: str = "command_args",
                /// The place where the command is defined.
                command_source: str = "command_source",
                /// The prompt that the user typed.
                prompt: str = "prompt",
            }

            /// The type of a command that is expanded to a prompt.
            enum ExpansionType {
                /// A slash command.
                SlashCommand = "slash_command",
                /// A prompt of an MCP server.
                McpPrompt = "mcp_prompt",
            }

            /// When a session starts. `agent_type` is the agent that it runs.
            struct SessionStart: HookBase {
                /// How the session starts.
                source: SessionSource = "source",
                /// The model.
                model: str = "model",
                /// The title of the session.
                session_title: str = "session_title",
                /// The time since the last answer in seconds.
                seconds_since_last_response: f64 =
                    "seconds_since_last_response",
                /// The number of tokens in the context.
                context_tokens: u64 = "context_tokens",
                /// Whether the prompt cache has probably expired.
                prompt_cache_likely_expired: bool =
                    "prompt_cache_likely_expired",
                /// The estimated cost of writing the context to the cache, in
                /// US dollars.
                estimated_cache_write_usd: f64 = "estimated_cache_write_usd",
            }

            /// How a session starts.
            enum SessionSource {
                /// As a new session.
                Startup = "startup",
                /// By resuming an earlier session.
                Resume = "resume",
                /// After the conversation was cleared.
                Clear = "clear",
                /// After a compaction.
                Compact = "compact",
                /// As a copy of another session.
                Fork = "fork",
            }

            /// When a session ends.
            struct SessionEnd: HookBase {
                /// The reason.
                reason: ExitReason = "reason",
            }

            /// The reason why a session ends.
            enum ExitReason {
                /// The conversation is cleared.
                Clear = "clear",
                /// Another session is resumed.
                Resume = "resume",
                /// The user logs out.
                Logout = "logout",
                /// The user leaves at the prompt.
                PromptInputExit = "prompt_input_exit",
                /// Another reason.
                Unspecified = "other",
            }

            /// The fields that the end of a turn and of a sub-agent share.
            struct StopHook: HookBase {
                /// Whether the agent continues because of an earlier hook of
                /// this kind.
                stop_hook_active: bool = "stop_hook_active",
                /// The text of the last answer.
                last_assistant_message: str = "last_assistant_message",
                /// The tasks that run in the background.
                background_tasks: [BackgroundTask] = "background_tasks",
                /// The schedules of the session.
                session_crons: [SessionCron] = "session_crons",
            }

            /// A task that runs in the background.
            struct BackgroundTask {
                /// The identifier of the task.
                id: str = "id",
                /// The type of task.
                kind: str = "type",
                /// The status of the task.
                status: str = "status",
                /// A description of the task.
                description: str = "description",
                /// The shell command.
                command: str = "command",
                /// The type of the sub-agent.
                agent_type: str = "agent_type",
                /// The name of the MCP server.
                server: str = "server",
                /// The name of the MCP server's tool.
                tool: str = "tool",
                /// The name of the workflow.
                name: str = "name",
            }

            /// A schedule of a session.
            struct SessionCron {
                /// The identifier of the schedule.
                id: str = "id",
                /// The times at which the prompt is submitted, as a cron
                /// expression.
                schedule: str = "schedule",
                /// Whether it is submitted more than once.
                recurring: bool = "recurring",
                /// The prompt.
                prompt: str = "prompt",
            }

            /// When the agent ends a turn.
            struct Stop: StopHook {}

            /// When an error ends a turn.
            struct StopFailure: HookBase {
                /// The error.
                error: AssistantError = "error",
                /// Details of the error.
                error_details: str = "error_details",
                /// The text of the last answer.
                last_assistant_message: str = "last_assistant_message",
            }

            /// When a sub-agent starts. `agent_id` and `agent_type` are its
            /// own.
            struct SubagentStart: HookBase {}

            /// When a sub-agent ends. `agent_id` and `agent_type` are its own.
            struct SubagentStop: StopHook {
                /// The path of the sub-agent's transcript.
                agent_transcript_path: str = "agent_transcript_path",
            }

            /// Before a compaction.
            struct PreCompact: HookBase {
                /// The trigger of the compaction.
                trigger: CompactTrigger = "trigger",
                /// The user's instructions for the summary.
                custom_instructions: str = "custom_instructions",
            }

            /// After a compaction.
            struct PostCompact: HookBase {
                /// The trigger of the compaction.
                trigger: CompactTrigger = "trigger",
                /// The summary.
                compact_summary: str = "compact_summary",
            }

            /// The fields that events of a model switch share.
            struct ModelSwitch: HookBase {
                /// The old model.
                from_model: str = "from_model",
                /// The new model.
                to_model: str = "to_model",
                /// The model as the user wrote it.
                requested_model: str = "requested_model",
                /// What switches the model.
                source: SwitchSource = "source",
                /// The number of tokens in the context.
                context_tokens: u64 = "context_tokens",
                /// Whether the old model's prompt cache has not expired.
                prompt_cache_warm: bool = "prompt_cache_warm",
                /// The time to live of the prompt cache.
                cache_ttl: CacheTtl = "cache_ttl",
                /// The estimated cost of writing the context to the cache, in
                /// US dollars.
                estimated_cache_write_usd: f64 = "estimated_cache_write_usd",
                /// The source of the price that the estimate uses.
                pricing: Pricing = "pricing",
            }

            /// What switches the model.
            enum SwitchSource {
                /// A slash command.
                Command = "command",
                /// The model picker.
                Picker = "picker",
                /// A host program.
                Sdk = "sdk",
                /// The agent program.
                Auto = "auto",
                /// Resuming a session.
                Resume = "resume",
            }

            /// The time to live of the prompt cache.
            enum CacheTtl {
                /// Five minutes.
                FiveMinutes = "5m",
                /// One hour.
                OneHour = "1h",
            }

            /// The source of a model's price.
            enum Pricing {
                /// The settings.
                Configured = "configured",
                /// The list of models.
                Catalog = "catalog",
                /// A default, because the model's price is unknown.
                Default = "default",
            }

            /// Before the model is switched.
            struct PreModelSwitch: ModelSwitch {}

            /// After the model was switched.
            struct PostModelSwitch: ModelSwitch {}

            /// When a project is set up.
            struct Setup: HookBase {
                /// The trigger.
                trigger: SetupTrigger = "trigger",
            }

            /// The trigger of a setup.
            enum SetupTrigger {
                /// The first setup.
                Init = "init",
                /// Maintenance.
                Maintenance = "maintenance",
            }

            /// When a teammate becomes idle.
            struct TeammateIdle: HookBase {
                /// The name of the teammate.
                teammate_name: str = "teammate_name",
                /// The name of the team.
                team_name: str = "team_name",
            }

            /// The fields that events of a task share.
            struct TaskHook: TeammateIdle {
                /// The identifier of the task.
                task_id: str = "task_id",
                /// The subject of the task.
                task_subject: str = "task_subject",
                /// The description of the task.
                task_description: str = "task_description",
            }

            /// When a task is created.
            struct TaskCreated: TaskHook {}

            /// When a task is completed.
            struct TaskCompleted: TaskHook {}

            /// The fields that events of an elicitation share.
            struct ElicitationHook: HookBase {
                /// The name of the MCP server.
                mcp_server_name: str = "mcp_server_name",
                /// How the user answers.
                mode: ElicitationMode = "mode",
                /// The identifier of the elicitation.
                elicitation_id: str = "elicitation_id",
            }

            /// How the user answers an elicitation.
            enum ElicitationMode {
                /// In a form.
                Form = "form",
                /// On a web page.
                Url = "url",
            }

            /// When an MCP server asks the user a question.
            struct Elicitation: ElicitationHook {
                /// The question.
                message: str = "message",
                /// The address of the web page.
                url: str = "url",
                /// The JSON schema of the form.
                requested_schema: json = "requested_schema",
            }

            /// When the user has answered an MCP server's question.
            struct ElicitationResult: ElicitationHook {
                /// What the user did.
                action: ElicitationAction = "action",
                /// The content of the form.
                content: json = "content",
            }

            /// What the user does with an elicitation.
            enum ElicitationAction {
                /// Answers it.
                Accept = "accept",
                /// Declines to answer.
                Decline = "decline",
                /// Cancels it.
                Cancel = "cancel",
            }

            /// When the configuration changes.
            struct ConfigChange: HookBase {
                /// What changes.
                source: ConfigSource = "source",
                /// The path of the file that changes.
                file_path: str = "file_path",
            }

            /// A part of the configuration.
            enum ConfigSource {
                /// The user's settings.
                UserSettings = "user_settings",
                /// The project's settings.
                ProjectSettings = "project_settings",
                /// The project's settings that are not shared.
                LocalSettings = "local_settings",
                /// The organisation's settings.
                PolicySettings = "policy_settings",
                /// The skills.
                Skills = "skills",
            }

            /// When a git worktree is to be created.
            struct WorktreeCreate: HookBase {
                /// The name of the worktree.
                name: str = "name",
            }

            /// When a git worktree is to be removed.
            struct WorktreeRemove: HookBase {
                /// The path of the worktree.
                worktree_path: str = "worktree_path",
            }

            /// When a file with instructions is loaded.
            struct InstructionsLoaded: HookBase {
                /// The path of the file.
                file_path: str = "file_path",
                /// The type of instructions.
                memory_type: MemoryType = "memory_type",
                /// The reason.
                load_reason: LoadReason = "load_reason",
                /// The patterns of the paths to which the file applies.
                globs: [str] = "globs",
                /// The path of the file whose use loads this one.
                trigger_file_path: str = "trigger_file_path",
                /// The path of the file that includes this one.
                parent_file_path: str = "parent_file_path",
            }

            /// The type of instructions.
            enum MemoryType {
                /// The user's.
                User = "User",
                /// The project's.
                Project = "Project",
                /// The project's that are not shared.
                Local = "Local",
                /// The organisation's.
                Managed = "Managed",
            }

            /// The reason why a file with instructions is loaded.
            enum LoadReason {
                /// The session starts.
                SessionStart = "session_start",
                /// The agent uses a file in its directory.
                NestedTraversal = "nested_traversal",
                /// The agent uses a file that matches its patterns.
                PathGlobMatch = "path_glob_match",
                /// Another file includes it.
                Include = "include",
                /// The conversation was compacted.
                Compact = "compact",
            }

            /// When the working directory changes.
            struct CwdChanged: HookBase {
                /// The old working directory.
                old_cwd: str = "old_cwd",
                /// The new working directory.
                new_cwd: str = "new_cwd",
            }

            /// When a watched file changes.
            struct FileChanged: HookBase {
                /// The path of the file.
                file_path: str = "file_path",
                /// What happens to the file.
                event: FileEvent = "event",
            }

            /// What happens to a file.
            enum FileEvent {
                /// It is changed.
                Change = "change",
                /// It is created.
                Add = "add",
                /// It is removed.
                Unlink = "unlink",
            }

            /// When a working directory is added.
            struct DirectoryAdded: HookBase {
                /// The path of the directory.
                directory: str = "directory",
                /// What adds the directory.
                source: DirectorySource = "source",
            }

            /// What adds a working directory.
            enum DirectorySource {
                /// A slash command.
                SlashCommand = "slash_command",
                /// A control request of a host program.
                RegisterRepoRoot = "register_repo_root",
            }

            /// Before a piece of an answer is displayed.
            struct MessageDisplay: HookBase {
                /// The identifier of the turn.
                turn_id: str = "turn_id",
                /// The identifier of the message.
                message_id: str = "message_id",
                /// The zero-based index of the piece in the message.
                index: u64 = "index",
                /// Whether it is the last piece.
                is_final: bool = "final",
                /// The text of the piece.
                delta: str = "delta",
            }

            /// The input of a hook: one variant for each event.
            union HookInput by "hook_event_name" else Other(OtherHook) {
                /// Before a tool runs.
                PreToolUse(PreToolUse) = "PreToolUse",
                /// After a tool has succeeded.
                PostToolUse(PostToolUse) = "PostToolUse",
                /// After a tool has failed.
                PostToolUseFailure(PostToolUseFailure) = "PostToolUseFailure",
                /// After all tools of one answer have run.
                PostToolBatch(PostToolBatch) = "PostToolBatch",
                /// When the agent program notifies the user.
                Notification(Notification) = "Notification",
                /// When a prompt is submitted.
                UserPromptSubmit(UserPromptSubmit) = "UserPromptSubmit",
                /// When a command is expanded to a prompt.
                UserPromptExpansion(UserPromptExpansion) =
                    "UserPromptExpansion",
                /// When a session starts.
                SessionStart(SessionStart) = "SessionStart",
                /// When a session ends.
                SessionEnd(SessionEnd) = "SessionEnd",
                /// When the agent ends a turn.
                Stop(Stop) = "Stop",
                /// When an error ends a turn.
                StopFailure(StopFailure) = "StopFailure",
                /// When a sub-agent starts.
                SubagentStart(SubagentStart) = "SubagentStart",
                /// When a sub-agent ends.
                SubagentStop(SubagentStop) = "SubagentStop",
                /// Before a compaction.
                PreCompact(PreCompact) = "PreCompact",
                /// After a compaction.
                PostCompact(PostCompact) = "PostCompact",
                /// Before the model is switched.
                PreModelSwitch(PreModelSwitch) = "PreModelSwitch",
                /// After the model was switched.
                PostModelSwitch(PostModelSwitch) = "PostModelSwitch",
                /// Before the user is asked for permission to use a tool.
                PermissionRequest(PermissionRequest) = "PermissionRequest",
                /// After a tool use was denied.
                PermissionDenied(PermissionDenied) = "PermissionDenied",
                /// When a project is set up.
                Setup(Setup) = "Setup",
                /// When a teammate becomes idle.
                TeammateIdle(TeammateIdle) = "TeammateIdle",
                /// When a task is created.
                TaskCreated(TaskCreated) = "TaskCreated",
                /// When a task is completed.
                TaskCompleted(TaskCompleted) = "TaskCompleted",
                /// When an MCP server asks the user a question.
                Elicitation(Elicitation) = "Elicitation",
                /// When the user has answered an MCP server's question.
                ElicitationResult(ElicitationResult) = "ElicitationResult",
                /// When the configuration changes.
                ConfigChange(ConfigChange) = "ConfigChange",
                /// When a git worktree is to be created.
                WorktreeCreate(WorktreeCreate) = "WorktreeCreate",
                /// When a git worktree is to be removed.
                WorktreeRemove(WorktreeRemove) = "WorktreeRemove",
                /// When a file with instructions is loaded.
                InstructionsLoaded(InstructionsLoaded) = "InstructionsLoaded",
                /// When the working directory changes.
                CwdChanged(CwdChanged) = "CwdChanged",
                /// When a watched file changes.
                FileChanged(FileChanged) = "FileChanged",
                /// When a working directory is added.
                DirectoryAdded(DirectoryAdded) = "DirectoryAdded",
                /// Before a piece of an answer is displayed.
                MessageDisplay(MessageDisplay) = "MessageDisplay",
            }
        }
    };
}
pub(crate) use hooks;
hooks!(views);
