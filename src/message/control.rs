/*!
Control messages: requests and responses between the agent and its host, beside
the conversation.
*/

use crate::message::{all::*, schema::views};

macro_rules! control {
    ($to:ident) => {
        $to! {
            /// A control request, from the host or from the agent.
            struct ControlRequest: Envelope {
                /// The request body, if it is a nested object.
                request: Request = "request",
            }

            /// The response to a control request.
            struct ControlResponse: Envelope {
                /// The response body, if it is a nested object.
                response: Response = "response",
            }

            /// The cancellation of a control request.
            struct ControlCancelRequest: Envelope {}

            /// The body of a control request.
            union Request by "subtype" else Other(UnknownRequest) {
                /// Registers the host and its settings.
                Initialize(Initialize) = "initialize",
                /// Asks for permission to use a tool.
                CanUseTool(CanUseTool) = "can_use_tool",
                /// Asks the host to run a hook.
                HookCallback(HookCallback) = "hook_callback",
                /// Sends a message to an MCP server that runs in the host.
                McpMessage(McpMessageRequest) = "mcp_message",
                /// Forwards a question from an MCP server to the user.
                Elicitation(Elicitation) = "elicitation",
                /// Asks the host to show a dialog.
                RequestUserDialog(RequestUserDialog) = "request_user_dialog",
                /// Interrupts the agent.
                Interrupt(Interrupt) = "interrupt",
                /// Changes the permission mode.
                SetPermissionMode(SetPermissionMode) = "set_permission_mode",
                /// Changes the model.
                SetModel(SetModel) = "set_model",
                /// Changes the maximum number of thinking tokens.
                SetMaxThinkingTokens(SetMaxThinkingTokens) =
                    "set_max_thinking_tokens",
                /// Applies settings to this run.
                ApplyFlagSettings(ApplyFlagSettings) = "apply_flag_settings",
                /// Saves settings.
                UpdateSettings(UpdateSettings) = "update_settings",
                /// Restores files to an earlier state.
                RewindFiles(RewindFiles) = "rewind_files",
                /// Stops a task.
                StopTask(StopTask) = "stop_task",
                /// Requests the output of a task.
                GetTaskOutput(GetTaskOutput) = "get_task_output",
                /// Drops a queued message.
                CancelAsyncMessage(CancelAsyncMessage) =
                    "cancel_async_message",
                /// Registers a file as read by the agent.
                SeedReadState(SeedReadState) = "seed_read_state",
                /// Requests the content of a file.
                ReadFile(ReadFile) = "read_file",
                /// Reconnects an MCP server.
                McpReconnect(McpReconnect) = "mcp_reconnect",
                /// Enables or disables an MCP server.
                McpToggle(McpToggle) = "mcp_toggle",
                /// Replaces the set of MCP servers.
                McpSetServers(McpSetServers) = "mcp_set_servers",
                /// Sets the title of the session.
                RenameSession(RenameSession) = "rename_session",
                /// Moves running tools to the background.
                BackgroundTasks(BackgroundTasksRequest) = "background_tasks",
                /// Requests paths that match what the user has typed.
                FileSuggestions(FileSuggestions) = "file_suggestions",
                /// Requests the version of the agent program.
                GetBinaryVersion(PlainRequest) = "get_binary_version",
                /// Requests the usage of the context window.
                GetContextUsage(GetContextUsage) = "get_context_usage",
                /// Requests the configured hooks.
                GetHooksListing(PlainRequest) = "get_hooks_listing",
                /// Requests the cost of the session.
                GetSessionCost(PlainRequest) = "get_session_cost",
                /// Requests the settings.
                GetSettings(PlainRequest) = "get_settings",
                /// Requests the user's usage.
                GetUsage(GetUsage) = "get_usage",
                /// Requests the available models.
                ListModels(PlainRequest) = "list_models",
                /// Requests the permission rules.
                ListPermissionRules(PlainRequest) = "list_permission_rules",
                /// Calls a tool of an MCP server.
                McpCall(McpCall) = "mcp_call",
                /// Reads a resource of an MCP server.
                McpReadResource(McpReadResource) = "mcp_read_resource",
                /// Requests the status of the MCP servers.
                McpStatus(McpStatus) = "mcp_status",
                /// Adds the root directory of a repository.
                RegisterRepoRoot(RegisterRepoRoot) = "register_repo_root",
                /// Reloads the output styles.
                ReloadOutputStyles(PlainRequest) = "reload_output_styles",
                /// Reloads the plugins.
                ReloadPlugins(ReloadPlugins) = "reload_plugins",
                /// Reloads the skills.
                ReloadSkills(PlainRequest) = "reload_skills",
                /// Sets the display colour of the session.
                SetColor(SetColor) = "set_color",
                /// Reports whether anybody follows the session.
                SetHasSubscribers(SetHasSubscribers) = "set_has_subscribers",
            }

            /// Registers the host and its settings.
            struct Initialize {
                /// The hooks that run in the host, by event.
                hooks: json = "hooks",
                /// The names of the MCP servers that run in the host.
                sdk_mcp_servers: [str] = "sdkMcpServers" | "sdk_mcp_servers",
                /// The settings of the MCP servers that run in the host, by
                /// name.
                sdk_mcp_server_configs: {json} =
                    "sdkMcpServerConfigs" | "sdk_mcp_server_configs",
                /// The manifests of the MCP servers that run in the host, by
                /// name. With them, the agent need not ask the servers.
                sdk_mcp_server_manifests: {json} =
                    "sdkMcpServerManifests" | "sdk_mcp_server_manifests",
                /// The MCP servers to run or to connect to, by name.
                mcp_servers: {json} = "mcpServers" | "mcp_servers",
                /// The origin of the manifests.
                sdk_mcp_server_manifests_origin: str =
                    "sdkMcpServerManifestsOrigin"
                    | "sdk_mcp_server_manifests_origin",
                /// The JSON schema of the structured output.
                json_schema: json = "jsonSchema" | "json_schema",
                /// The system prompt: a string, or a list of strings.
                system_prompt: json = "systemPrompt" | "system_prompt",
                /// The text to append to the system prompt.
                append_system_prompt: str =
                    "appendSystemPrompt" | "append_system_prompt",
                /// The sub-agents defined by the host, by name.
                agents: json = "agents",
                /// The skills to enable.
                skills: json = "skills",
                /// Whether the host wants prompt suggestions.
                prompt_suggestions: bool =
                    "promptSuggestions" | "prompt_suggestions",
                /// Whether the host wants progress summaries of sub-agents.
                agent_progress_summaries: bool =
                    "agentProgressSummaries" | "agent_progress_summaries",
                /// Whether the host wants the text of sub-agents.
                forward_subagent_text: bool =
                    "forwardSubagentText" | "forward_subagent_text",
                /// Whether to exclude the sections of the system prompt that
                /// change.
                exclude_dynamic_sections: bool =
                    "excludeDynamicSections" | "exclude_dynamic_sections",
                /// Whether the host wants to receive permission requests for
                /// tools.
                can_use_tool: bool = "can_use_tool",
                /// Whether the host wants a snapshot of the system prompt.
                system_prompt_snapshot: bool =
                    "systemPromptSnapshot" | "system_prompt_snapshot",
                /// The instructions for plan mode.
                plan_mode_instructions: str =
                    "planModeInstructions" | "plan_mode_instructions",
                /// Other names for tools.
                tool_aliases: {str} = "toolAliases" | "tool_aliases",
                /// The title of the session.
                title: str = "title",
                /// The kinds of dialogs that the host can show.
                supported_dialog_kinds: [str] =
                    "supportedDialogKinds" | "supported_dialog_kinds",
                /// Whether the host offers to stop single tasks.
                per_task_stop_affordance: bool =
                    "perTaskStopAffordance" | "per_task_stop_affordance",
                /// The plugins to load.
                plugins: [PluginSource] = "plugins",
            }

            /// A plugin to load.
            struct PluginSource {
                /// The type of source, such as `local`.
                kind: str = "type",
                /// The path of the plugin.
                path: str = "path",
                /// Whether to ignore the MCP servers of the plugin.
                skip_mcp_discovery: bool =
                    "skipMcpDiscovery" | "skip_mcp_discovery",
            }

            /// The fields that requests about a tool use share.
            struct ToolRequest {
                /// The identifier of the tool use.
                tool_use_id: str = "tool_use_id",
                /// The input of the tool or hook.
                input: json = "input" | "tool_input",
            }

            /// Asks for permission to use a tool.
            struct CanUseTool: ToolRequest {
                /// The name of the tool.
                tool_name: str = "tool_name",
                /// The display name of the tool.
                display_name: str = "display_name",
                /// The question to the user.
                title: str = "title",
                /// A description of the tool use.
                description: str = "description",
                /// The identifier of the sub-agent that wants to use the tool.
                agent_id: str = "agent_id",
                /// The MCP server that provides the tool.
                mcp_server: json = "mcp_server",
                /// The path for which permission is missing.
                blocked_path: str = "blocked_path",
                /// The reason why permission is required.
                decision_reason: str = "decision_reason",
                /// The type of reason.
                decision_reason_type: str = "decision_reason_type",
                /// The permission rule that requires asking.
                matched_ask_rule: json = "matched_ask_rule",
                /// The permission rules that would make asking unnecessary.
                permission_suggestions: [json] = "permission_suggestions",
                /// Whether the permission classifier may approve the tool use.
                classifier_approvable: bool = "classifier_approvable",
                /// Whether to suppress the offer of an "always allow" rule.
                suppress_always_allow_rule: bool =
                    "suppress_always_allow_rule",
                /// Whether `no` should be preselected.
                default_to_no: bool = "default_to_no",
                /// Whether only the user can answer.
                requires_user_interaction: bool = "requires_user_interaction",
                /// Whether only the policy of the server requires asking.
                server_policy_ask_only: bool = "server_policy_ask_only",
            }

            /// Asks the host to run a hook.
            struct HookCallback: ToolRequest {
                /// The identifier of the hook, as registered with
                /// `initialize`.
                callback_id: str = "callback_id",
            }

            /// Sends a message to an MCP server that runs in the host.
            struct McpMessageRequest {
                /// The name of the server.
                server_name: str = "server_name",
                /// The JSON-RPC message.
                message: json = "message",
            }

            /// Forwards a question from an MCP server to the user.
            struct Elicitation {
                /// The name of the server.
                mcp_server_name: str = "mcp_server_name",
                /// The question.
                message: str = "message",
                /// The mode of the answer: a form or a page.
                mode: str = "mode",
                /// The URL of the page.
                url: str = "url",
                /// The identifier of the question.
                elicitation_id: str = "elicitation_id",
                /// The JSON schema of the answer.
                requested_schema: json = "requested_schema",
                /// The order of the properties in the form.
                property_order: [str] = "property_order",
                /// The title of the question.
                title: str = "title",
                /// The display name of the server.
                display_name: str = "display_name",
                /// A description of the question.
                description: str = "description",
            }

            /// Asks the host to show a dialog.
            struct RequestUserDialog {
                /// The kind of dialog.
                dialog_kind: str = "dialog_kind",
                /// The content of the dialog.
                payload: json = "payload",
                /// The identifier of the tool use.
                tool_use_id: str = "tool_use_id",
            }

            /// Interrupts the agent.
            struct Interrupt {
                /// Whether to cancel queued messages as well.
                cancel_queued: bool = "cancel_queued",
            }

            /// Changes the permission mode.
            struct SetPermissionMode {
                /// The new permission mode.
                mode: PermissionMode = "mode",
            }

            /// Changes the model.
            struct SetModel {
                /// The new model; absent for the default model.
                model: str = "model",
            }

            /// Changes the maximum number of thinking tokens.
            struct SetMaxThinkingTokens {
                /// The maximum number of thinking tokens.
                max_thinking_tokens: u64 = "max_thinking_tokens",
                /// The display mode of the model's thinking.
                thinking_display: ThinkingDisplay = "thinking_display",
            }

            /// The display mode of the model's thinking.
            enum ThinkingDisplay {
                /// A summary is shown.
                Summarized = "summarized",
                /// Nothing is shown.
                Omitted = "omitted",
                /// Highlights are shown.
                Highlights = "highlights",
            }

            /// The fields that requests about settings share.
            struct SettingsRequest {
                /// The settings.
                settings: json = "settings",
            }

            /// Applies settings to this run.
            struct ApplyFlagSettings: SettingsRequest {}

            /// Saves settings.
            struct UpdateSettings: SettingsRequest {
                /// The settings file to save to.
                source: str = "source",
            }

            /// Restores files to their state at a user message.
            struct RewindFiles {
                /// The identifier of the user message.
                user_message_id: str = "user_message_id",
                /// Whether only to report the changes.
                dry_run: bool = "dry_run",
            }

            /// The fields that requests about a task share.
            struct TaskRequest {
                /// The identifier of the task.
                task_id: str = "task_id",
            }

            /// Stops a task.
            struct StopTask: TaskRequest {}

            /// Requests the output of a task.
            struct GetTaskOutput: TaskRequest {}

            /// Drops a queued message.
            struct CancelAsyncMessage {
                /// The uuid of the message.
                message_uuid: str = "message_uuid",
            }

            /// The fields that requests about a file share.
            struct FileRequest {
                /// The path of the file.
                path: str = "path",
            }

            /// Registers a file as read by the agent.
            struct SeedReadState: FileRequest {
                /// The modification time of the file.
                mtime: f64 = "mtime",
            }

            /// Requests the content of a file.
            struct ReadFile: FileRequest {
                /// The maximum number of bytes to read.
                max_bytes: u64 = "max_bytes",
                /// The requested encoding.
                encoding: FileEncoding = "encoding",
            }

            /// The encoding of a file's content.
            enum FileEncoding {
                /// UTF-8.
                Utf8 = "utf-8",
                /// Base64.
                Base64 = "base64",
            }

            /// The fields that requests about an MCP server share.
            struct McpServerRequest {
                /// The name of the server.
                server_name: str = "serverName" | "server_name",
            }

            /// Reconnects an MCP server.
            struct McpReconnect: McpServerRequest {}

            /// Enables or disables an MCP server.
            struct McpToggle: McpServerRequest {
                /// Whether to enable the server.
                enabled: bool = "enabled",
            }

            /// Replaces the set of MCP servers.
            struct McpSetServers {
                /// The servers, by name.
                servers: {json} = "servers",
            }

            /// Sets the title of the session.
            struct RenameSession {
                /// The title.
                title: str = "title",
                /// The source of the title: `remote` or `host`.
                source: str = "source",
                /// The identifier of the session.
                session_id: str = "session_id",
            }

            /// A request without members, apart from the subtype.
            struct PlainRequest {}

            /// Moves running tools to the background.
            struct BackgroundTasksRequest {
                /// The tool use to move; absent for all.
                tool_use_id: str = "tool_use_id",
            }

            /// Requests paths that match what the user has typed.
            struct FileSuggestions {
                /// The text that the user has typed.
                query: str = "query",
            }

            /// Requests the usage of the context window.
            struct GetContextUsage {
                /// The level of detail: `summary` or `full`.
                detail: str = "detail",
            }

            /// Requests the user's usage.
            struct GetUsage {
                /// Whether to skip the analysis of the user's habits.
                skip_behaviors: bool = "skip_behaviors",
            }

            /// Calls a tool of an MCP server.
            struct McpCall {
                /// The name of the tool.
                tool: str = "tool",
                /// The arguments of the tool.
                arguments: json = "arguments",
                /// The time after which the call must not be made.
                expires_at: json = "expires_at",
                /// The timeout in milliseconds.
                timeout_ms: f64 = "timeout_ms",
                /// Whether the result is hidden from the model.
                result_not_for_model: bool = "result_not_for_model",
                /// Whether to check the permissions first.
                check_permissions: bool = "check_permissions",
                /// The files that the tool reads.
                input_files: [LaneFile] = "input_files",
                /// The files that the tool writes.
                output_files: [LaneFile] = "output_files",
            }

            /// A file that an MCP tool reads or writes.
            struct LaneFile {
                /// The name of the file.
                name: str = "name",
                /// The path at which host and agent exchange the file.
                lane_path: str = "lane_path",
                /// The version that the file must have to be replaced.
                if_match: str = "if_match",
            }

            /// Reads a resource of an MCP server.
            struct McpReadResource: McpServerRequest {
                /// The URI of the resource.
                uri: str = "uri",
            }

            /// Requests the status of the MCP servers.
            struct McpStatus {
                /// Whether to ask the servers, and not to answer from memory.
                live_reply: bool = "liveReply" | "live_reply",
            }

            /// Adds the root directory of a repository.
            struct RegisterRepoRoot {
                /// The directory.
                directory: str = "directory",
                /// Whether to reload the memory files.
                reload_claude_md: bool = "reload_claude_md",
                /// Whether to reload the plugins.
                reload_plugins: bool = "reload_plugins",
                /// Whether to reload the skills.
                reload_skills: bool = "reload_skills",
            }

            /// Reloads the plugins.
            struct ReloadPlugins {
                /// Whether to wait if the change would invalidate the prompt
                /// cache.
                hold_on_cache_impact: bool = "hold_on_cache_impact",
                /// The plugins to add.
                add_plugins: json = "add_plugins",
                /// Whether to refuse while a turn is running.
                refuse_if_busy: bool = "refuse_if_busy",
            }

            /// Sets the display colour of the session.
            struct SetColor {
                /// The colour.
                color: str = "color",
            }

            /// Reports whether anybody follows the session.
            struct SetHasSubscribers {
                /// Whether anybody does; absent if it is unknown.
                has_subscribers: bool = "has_subscribers",
            }

            /// A request of an unknown subtype.
            struct UnknownRequest {
                /// The subtype.
                subtype: str = "subtype",
            }

            /// The body of a control response.
            union Response by "subtype" else Other(UnknownResponse) {
                /// The request succeeded.
                Success(SuccessResponse) = "success",
                /// The request failed.
                Error(ErrorResponse) = "error",
            }

            /// The fields that responses share.
            struct ResponseCommon {
                /// The identifier of the request.
                request_id: str = "request_id",
                /// The permission requests that are still pending.
                pending_permission_requests: [json] =
                    "pending_permission_requests",
                /// The dialogs that are still pending.
                pending_user_dialog_requests: [json] =
                    "pending_user_dialog_requests",
                /// The questions of MCP servers that are still pending.
                pending_elicitation_requests: [json] =
                    "pending_elicitation_requests",
            }

            /// The response to a request that succeeded.
            struct SuccessResponse: ResponseCommon {
                /// The result.
                response: json = "response",
                /// Whether the tool use is allowed, in hosts that write it
                /// here and not in `response`.
                allowed: bool = "allowed",
                /// The reason for a denial, in hosts that write it here and
                /// not in `response`.
                reason: str = "reason",
            }

            /// The response to a request that failed.
            struct ErrorResponse: ResponseCommon {
                /// The error message.
                error: str = "error",
                /// The code of the error.
                error_code: str = "error_code",
            }

            /// A response of an unknown subtype.
            struct UnknownResponse: ResponseCommon {
                /// The subtype.
                subtype: str = "subtype",
            }

            /// The answer to a permission request.
            struct PermissionAnswer {
                /// `allow` or `deny`.
                behavior: str = "behavior",
                /// The input to use instead of the requested one.
                updated_input: json = "updatedInput",
                /// The permission rules to add.
                updated_permissions: json = "updatedPermissions",
                /// The message for the model, if the tool use is denied.
                message: str = "message",
                /// Whether to interrupt the agent, if the tool use is denied.
                interrupt: bool = "interrupt",
                /// The identifier of the tool use.
                tool_use_id: str = "toolUseID",
                /// The classification of the user's decision.
                decision_classification: str = "decisionClassification",
            }
        }
    };
}
pub(crate) use control;
control!(views);
