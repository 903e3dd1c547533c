/*!
Control: what an agent and its host ask of each other besides the conversation.
*/

use crate::message::{all::*, schema::views};

macro_rules! control {
    ($each:ident) => {
        $each! {
            /// A question or order, of the host or of the agent.
            struct ControlRequest: Envelope {
                /// What is asked, if it stands in an object of its own.
                request: Request = "request",
            }
        }
        $each! {
            /// The answer to a control request.
            struct ControlResponse: Envelope {
                /// What is answered, if it stands in an object of its own.
                response: Response = "response",
            }
        }
        $each! {
            /// A control request is taken back.
            struct ControlCancelRequest: Envelope {}
        }
        $each! {
            /// What is asked.
            union Request by "subtype" else Other(UnknownRequest) {
                /// The host introduces itself.
                Initialize(Initialize) = "initialize",
                /// The agent wants to use a tool.
                CanUseTool(CanUseTool) = "can_use_tool",
                /// The host shall run a hook.
                HookCallback(HookCallback) = "hook_callback",
                /// A message for an MCP server that the host runs.
                McpMessage(McpMessageRequest) = "mcp_message",
                /// An MCP server asks the user something.
                Elicitation(Elicitation) = "elicitation",
                /// The host shall show a dialog.
                RequestUserDialog(RequestUserDialog) = "request_user_dialog",
                /// The agent shall stop.
                Interrupt(Interrupt) = "interrupt",
                /// The agent shall ask for leave in another way.
                SetPermissionMode(SetPermissionMode) = "set_permission_mode",
                /// The agent shall use another model.
                SetModel(SetModel) = "set_model",
                /// The model shall think more or less.
                SetMaxThinkingTokens(SetMaxThinkingTokens) =
                    "set_max_thinking_tokens",
                /// Settings for this run.
                ApplyFlagSettings(ApplyFlagSettings) = "apply_flag_settings",
                /// Settings to keep.
                UpdateSettings(UpdateSettings) = "update_settings",
                /// Files shall be put back as they were.
                RewindFiles(RewindFiles) = "rewind_files",
                /// A task shall be stopped.
                StopTask(StopTask) = "stop_task",
                /// The output of a task is wanted.
                GetTaskOutput(GetTaskOutput) = "get_task_output",
                /// A queued message shall be dropped.
                CancelAsyncMessage(CancelAsyncMessage) =
                    "cancel_async_message",
                /// A file counts as read by the agent.
                SeedReadState(SeedReadState) = "seed_read_state",
                /// The content of a file is wanted.
                ReadFile(ReadFile) = "read_file",
                /// An MCP server shall be connected again.
                McpReconnect(McpReconnect) = "mcp_reconnect",
                /// An MCP server shall be turned on or off.
                McpToggle(McpToggle) = "mcp_toggle",
                /// The agent shall have these MCP servers.
                McpSetServers(McpSetServers) = "mcp_set_servers",
                /// The session gets a title.
                RenameSession(RenameSession) = "rename_session",
            }
        }
        $each! {
            /// The host introduces itself and says what it wants.
            struct Initialize {
                /// The hooks that the host runs, by event.
                hooks: json = "hooks",
                /// The MCP servers that the host runs.
                sdk_mcp_servers: [str] = "sdkMcpServers" | "sdk_mcp_servers",
                /// The form that the answer shall have.
                json_schema: json = "jsonSchema" | "json_schema",
                /// What the model is told first: a string, or a list of them.
                system_prompt: json = "systemPrompt" | "system_prompt",
                /// What the model is told besides.
                append_system_prompt: str =
                    "appendSystemPrompt" | "append_system_prompt",
                /// The sub-agents that the host defines, by name.
                agents: json = "agents",
                /// The skills that the agent shall have.
                skills: json = "skills",
                /// Whether the host wants suggestions for prompts.
                prompt_suggestions: bool =
                    "promptSuggestions" | "prompt_suggestions",
                /// Whether the host wants to know how sub-agents are doing.
                agent_progress_summaries: bool =
                    "agentProgressSummaries" | "agent_progress_summaries",
                /// Whether the host wants what sub-agents say.
                forward_subagent_text: bool =
                    "forwardSubagentText" | "forward_subagent_text",
                /// Whether to leave out what changes from the system prompt.
                exclude_dynamic_sections: bool =
                    "excludeDynamicSections" | "exclude_dynamic_sections",
                /// Whether the host wants to be asked about tools.
                can_use_tool: bool = "can_use_tool",
            }
        }
        $each! {
            /// What requests about a tool call have.
            struct ToolRequest {
                /// The call.
                tool_use_id: str = "tool_use_id",
                /// What the tool or hook is called with.
                input: json = "input" | "tool_input",
            }
        }
        $each! {
            /// The agent wants to use a tool.
            struct CanUseTool: ToolRequest {
                /// The tool's name.
                tool_name: str = "tool_name",
                /// The tool's name for people.
                display_name: str = "display_name",
                /// The question to the user.
                title: str = "title",
                /// What the call does.
                description: str = "description",
                /// The sub-agent that wants it.
                agent_id: str = "agent_id",
                /// The MCP server that has the tool.
                mcp_server: json = "mcp_server",
                /// The path that made the agent ask.
                blocked_path: str = "blocked_path",
                /// Why the agent asks.
                decision_reason: str = "decision_reason",
                /// The kind of reason.
                decision_reason_type: str = "decision_reason_type",
                /// The rule that made the agent ask.
                matched_ask_rule: json = "matched_ask_rule",
                /// Rules that would make asking needless.
                permission_suggestions: [json] = "permission_suggestions",
                /// Whether a model may decide.
                classifier_approvable: bool = "classifier_approvable",
                /// Whether not to offer a rule for ever.
                suppress_always_allow_rule: bool =
                    "suppress_always_allow_rule",
                /// Whether `no` is the answer to offer first.
                default_to_no: bool = "default_to_no",
                /// Whether only the user can answer.
                requires_user_interaction: bool = "requires_user_interaction",
            }
        }
        $each! {
            /// The host shall run one of its hooks.
            struct HookCallback: ToolRequest {
                /// The hook, as named in `initialize`.
                callback_id: str = "callback_id",
            }
        }
        $each! {
            /// A message for an MCP server that the host runs.
            struct McpMessageRequest {
                /// The server's name.
                server_name: str = "server_name",
                /// The MCP message.
                message: json = "message",
            }
        }
        $each! {
            /// An MCP server asks the user something.
            struct Elicitation {
                /// The server's name.
                mcp_server_name: str = "mcp_server_name",
                /// What it asks.
                message: str = "message",
                /// Whether by a form or a page.
                mode: str = "mode",
                /// The page to open.
                url: str = "url",
                /// Identifies the question.
                elicitation_id: str = "elicitation_id",
                /// The JSON schema of the answer.
                requested_schema: json = "requested_schema",
            }
        }
        $each! {
            /// The host shall show a dialog.
            struct RequestUserDialog {
                /// Which dialog.
                dialog_kind: str = "dialog_kind",
            }
        }
        $each! {
            /// The agent shall stop what it does.
            struct Interrupt {
                /// Whether to drop what waits, too.
                cancel_queued: bool = "cancel_queued",
            }
        }
        $each! {
            /// The agent shall ask for leave in another way.
            struct SetPermissionMode {
                /// The way from now on.
                mode: PermissionMode = "mode",
            }
        }
        $each! {
            /// The agent shall use another model.
            struct SetModel {
                /// The model; absent for the usual one.
                model: str = "model",
            }
        }
        $each! {
            /// The model shall think more or less.
            struct SetMaxThinkingTokens {
                /// How many tokens it may think.
                max_thinking_tokens: u64 = "max_thinking_tokens",
            }
        }
        $each! {
            /// What requests about settings have.
            struct SettingsRequest {
                /// The settings.
                settings: json = "settings",
            }
        }
        $each! {
            /// Settings for this run.
            struct ApplyFlagSettings: SettingsRequest {}
        }
        $each! {
            /// Settings to keep.
            struct UpdateSettings: SettingsRequest {
                /// Where to keep them.
                source: str = "source",
            }
        }
        $each! {
            /// Files shall be put back as they were at a message.
            struct RewindFiles {
                /// The message.
                user_message_id: str = "user_message_id",
                /// Whether only to tell what would change.
                dry_run: bool = "dry_run",
            }
        }
        $each! {
            /// What requests about a task have.
            struct TaskRequest {
                /// The task.
                task_id: str = "task_id",
            }
        }
        $each! {
            /// A task shall be stopped.
            struct StopTask: TaskRequest {}
        }
        $each! {
            /// The output of a task is wanted.
            struct GetTaskOutput: TaskRequest {}
        }
        $each! {
            /// A queued message shall be dropped.
            struct CancelAsyncMessage {
                /// The message.
                message_uuid: str = "message_uuid",
            }
        }
        $each! {
            /// What requests about a file have.
            struct FileRequest {
                /// The file.
                path: str = "path",
            }
        }
        $each! {
            /// A file counts as read by the agent.
            struct SeedReadState: FileRequest {
                /// When the file had last been changed.
                mtime: f64 = "mtime",
            }
        }
        $each! {
            /// The content of a file is wanted.
            struct ReadFile: FileRequest {}
        }
        $each! {
            /// What requests about an MCP server have.
            struct McpServerRequest {
                /// The server's name.
                server_name: str = "serverName" | "server_name",
            }
        }
        $each! {
            /// An MCP server shall be connected again.
            struct McpReconnect: McpServerRequest {}
        }
        $each! {
            /// An MCP server shall be turned on or off.
            struct McpToggle: McpServerRequest {
                /// Whether on.
                enabled: bool = "enabled",
            }
        }
        $each! {
            /// The agent shall have these MCP servers.
            struct McpSetServers {
                /// The servers, by name.
                servers: {json} = "servers",
            }
        }
        $each! {
            /// The session gets a title.
            struct RenameSession {
                /// The title.
                title: str = "title",
            }
        }
        $each! {
            /// A request of a subtype that linetape does not know.
            struct UnknownRequest {
                /// What is asked.
                subtype: str = "subtype",
            }
        }
        $each! {
            /// The answer to a control request.
            union Response by "subtype" else Other(UnknownResponse) {
                /// It was done.
                Success(SuccessResponse) = "success",
                /// It was not done.
                Error(ErrorResponse) = "error",
            }
        }
        $each! {
            /// What answers of all kinds have.
            struct ResponseCommon {
                /// The request that is answered.
                request_id: str = "request_id",
            }
        }
        $each! {
            /// What was asked has been done.
            struct SuccessResponse: ResponseCommon {
                /// The answer itself.
                response: json = "response",
                /// Questions about tools that still wait.
                pending_permission_requests: [json] =
                    "pending_permission_requests",
                /// Dialogs that still wait.
                pending_user_dialog_requests: [json] =
                    "pending_user_dialog_requests",
                /// Whether the tool may be used, where it stands here and not
                /// in `response`.
                allowed: bool = "allowed",
                /// Why the tool may not be used, where it stands here and not
                /// in `response`.
                reason: str = "reason",
            }
        }
        $each! {
            /// What was asked has not been done.
            struct ErrorResponse: ResponseCommon {
                /// Why it has not.
                error: str = "error",
            }
        }
        $each! {
            /// An answer of a subtype that linetape does not know.
            struct UnknownResponse: ResponseCommon {
                /// The kind of answer.
                subtype: str = "subtype",
            }
        }
        $each! {
            /// Whether a tool may be used.
            struct PermissionAnswer {
                /// `allow` or `deny`.
                behavior: str = "behavior",
                /// What to call the tool with instead.
                updated_input: json = "updatedInput",
                /// The rules to keep from now on.
                updated_permissions: json = "updatedPermissions",
                /// What the model is told when it may not.
                message: str = "message",
                /// Whether the agent shall stop when it may not.
                interrupt: bool = "interrupt",
                /// The call.
                tool_use_id: str = "toolUseID",
                /// How the user decided.
                decision_classification: str = "decisionClassification",
            }
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use control;
control!(views);
