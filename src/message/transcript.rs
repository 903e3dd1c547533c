/*!
Transcripts: the lines that occur only in saved sessions.
*/

use crate::message::{all::*, schema::views};

macro_rules! transcript {
    ($to:ident) => {
        $to! {
            /// The point in another session from which a session was forked.
            struct ForkedFrom {
                /// The uuid of the last line that both sessions share.
                message_uuid: str = "messageUuid",
                /// The identifier of the original session.
                session_id: str = "sessionId",
            }

            /// A title for an earlier conversation.
            struct Summary: Envelope {
                /// The title.
                summary: str = "summary",
            }

            /// A snapshot of the edited files, from which they can be
            /// restored.
            struct FileHistorySnapshot: Envelope {
                /// The identifier of the message before which the snapshot was
                /// taken.
                message_id: str = "messageId",
                /// The files and the paths of their backups.
                snapshot: json = "snapshot",
                /// Whether the snapshot replaces an earlier one of the same
                /// message.
                is_snapshot_update: bool = "isSnapshotUpdate",
            }

            /// A progress report of a tool, hook or sub-agent.
            struct Progress: Envelope {
                /// The data of the report.
                data: ProgressData = "data",
                /// The identifier of the tool use that the work belongs to.
                parent_call: str = "parentToolUseID",
            }

            /// The data of a progress report. Its type determines which of
            /// the other fields it has.
            struct ProgressData {
                /// The type of report, such as `bash_progress`.
                kind: str = "type",
                /// The identifier of the sub-agent.
                agent_id: str = "agentId",
                /// A whole message of the sub-agent. [`Message::nested`]
                /// returns it with the context of this line.
                ///
                /// [`Message::nested`]: crate::Message::nested
                message: json = "message",
                /// The prompt of the sub-agent.
                prompt: str = "prompt",
                /// Messages in the form of an API request.
                normalized_messages: json = "normalizedMessages",
                /// The last lines of a command's output.
                output: str = "output",
                /// The whole output of a command so far.
                full_output: str = "fullOutput",
                /// The number of lines of output so far.
                total_lines: u64 = "totalLines",
                /// The running time of a command in seconds.
                elapsed_seconds: f64 = "elapsedTimeSeconds",
                /// The running time of an MCP call in milliseconds.
                elapsed_ms: f64 = "elapsedTimeMs",
                /// The time limit of a command in milliseconds.
                timeout_ms: u64 = "timeoutMs",
                /// The event that a hook runs for.
                hook_event: str = "hookEvent",
                /// The name of the hook.
                hook_name: str = "hookName",
                /// The command of the hook.
                command: str = "command",
                /// The state of an MCP call.
                status: str = "status",
                /// The name of the MCP server.
                server_name: str = "serverName",
                /// The name of the MCP tool.
                tool_name: str = "toolName",
                /// The description of the task that is waited for.
                task_description: str = "taskDescription",
                /// The type of the task that is waited for.
                task_type: str = "taskType",
            }

            /// An operation on the prompt queue.
            struct QueueOperation: Envelope {
                /// The operation, such as `enqueue`.
                operation: str = "operation",
                /// The prompt.
                content: str = "content",
                /// The reason for the operation.
                reason: str = "reason",
                /// The identifier of the delivery.
                delivery_id: str = "deliveryId",
                /// The uuid of the queued command.
                command_uuid: str = "commandUuid",
            }

            /// An attachment: context added to the conversation.
            struct Attachment: Envelope {
                /// The body of the attachment.
                attachment: AttachmentBody = "attachment",
                /// The messages as which the model receives the attachment.
                rendered: [RenderedAttachment] = "rendered",
                /// Whether the model receives it beside a tool result.
                rendered_beside_tool_result: bool = "renderedBesideToolResult",
                /// The role of those messages, such as `system`.
                rendered_role: str = "renderedRole",
            }

            /// A message as which the model receives an attachment.
            struct RenderedAttachment {
                /// The content of the message.
                content: Content = "content",
            }

            /// The body of an attachment. Its type determines which of the
            /// other fields it has.
            struct AttachmentBody {
                /// The type of attachment, such as `file` or `date`.
                kind: str = "type",
                /// The prompt of a `queued_command`: the user entered it
                /// during a turn, and it has no user message.
                prompt: Content = "prompt",
                /// The way in which a `queued_command` was entered, such as
                /// `prompt`.
                command_mode: str = "commandMode",
                /// The uuid of a `queued_command`, given by its sender.
                source_uuid: str = "source_uuid",
                /// The origin of a `queued_command`.
                origin: MessageOrigin = "origin",
                /// The system prompt of a `prompt_snapshot`, in parts.
                system_prompt: [json] = "systemPrompt",
                /// The tools of a `prompt_snapshot`.
                tools: [json] = "tools",
                /// The prefix of the system prompt of a `prompt_snapshot`.
                cli_prefix: str = "cliPrefix",
                /// The identifier of the delivery of a `queued_command`.
                delivery_id: str = "delivery_id" | "deliveryId",
                /// Whether a `prompt_snapshot` has the reminders in one
                /// message.
                reminder_fold: bool = "reminderFold",
                /// Whether a `prompt_snapshot` keeps the reminders.
                kept_reminders: bool = "keptReminders",
                /// Whether tool inputs are repeated as the API sent them.
                echo_wire_tool_inputs: bool = "echoWireToolInputs",
                /// The way in which the context is told, such as `announced`.
                context_rendering: str = "contextRendering",
                /// Whether the prompt has messages with the role `system`.
                system_turns: bool = "systemTurns",
                /// Whether a header announces a change of the tools.
                tool_change_header: bool = "toolChangeHeader",
                /// Whether the tools are in the prompt.
                inline_tools: bool = "inlineTools",
                /// The `model`.
                identity: ModelIdentity = "identity",
                /// The text, as the model receives it.
                text: str = "text",
                /// The URL of the remote session, in a
                /// `remote_session_change`.
                url: str = "url",
                /// The text to add to commits.
                commit: str = "commit",
                /// The text to add to pull requests.
                pr: str = "pr",
                /// Whether the model is told that it can send files.
                send_user_file_hint: bool = "sendUserFileHint",
                /// Whether managed settings have the text for commits.
                managed_commit: bool = "managedCommit",
                /// Whether managed settings have the text for pull requests.
                managed_pr: bool = "managedPr",
                /// The `environment`.
                snapshot: EnvironmentSnapshot = "snapshot",
                /// The `session_context`, by name.
                context: json = "context",
                /// The `date`, as `YYYY-MM-DD`.
                date: str = "date",
                /// The tools that are new in a `deferred_tools_delta`.
                added_names: [str] = "addedNames",
                /// The descriptions of what is new in a list.
                added_lines: [str] = "addedLines",
                /// The tools that are no longer available.
                removed_names: [str] = "removedNames",
                /// The tools that are available again.
                readded_names: [str] = "readdedNames",
                /// The tools that are hidden from the API.
                wire_hidden_names: [str] = "wireHiddenNames",
                /// The MCP servers that are not connected yet.
                pending_mcp_servers: [str] = "pendingMcpServers",
                /// The MCP servers that require a login.
                needs_auth_mcp_servers: [str] = "needsAuthMcpServers",
                /// The MCP servers that failed.
                failed_mcp_servers: [json] = "failedMcpServers",
                /// The tools of a `deferred_tools_record`.
                entries: [(ToolInfo)] = "entries",
                /// The sub-agents that are new in an `agent_listing_delta`.
                added_types: [str] = "addedTypes",
                /// The sub-agents that are no longer available.
                removed_types: [str] = "removedTypes",
                /// The sub-agents of the agent program.
                built_in_types: [str] = "builtInTypes",
                /// The sub-agents of its plugins.
                built_in_plugin_types: [str] = "builtInPluginTypes",
                /// Whether the list is the first one of the session.
                is_initial: bool = "isInitial",
                /// Whether the model is told to run sub-agents at once.
                show_concurrency_note: bool = "showConcurrencyNote",
                /// The text of a `skill_listing` or of a hook: a string, or a
                /// list of strings.
                content: json = "content",
                /// The names of the skills.
                names: [str] = "names",
                /// The digests of the skills.
                digests: [str] = "digests",
                /// The number of skills.
                skill_count: u64 = "skillCount",
                /// Whether the user is asked to consent to the `auto_mode`.
                auto_mode_consent_flow: bool = "autoModeConsentFlow",
                /// Whether the agent finishes work that others can see.
                finish_exposed_work: bool = "finishExposedWork",
                /// Whether the agent should prefer shell commands.
                bash_first: bool = "bashFirst",
                /// How firmly it should.
                bash_first_steer: str = "bashFirstSteer",
                /// Whether the attachment only guides the agent.
                steer_only: bool = "steerOnly",
                /// Whether the agent uses tools without asking.
                bypass: bool = "bypass",
                /// The length of a `plan_mode` reminder, such as `full`.
                reminder_type: str = "reminderType",
                /// Whether a sub-agent receives the reminder.
                is_sub_agent: bool = "isSubAgent",
                /// The path of the plan.
                plan_file_path: str = "planFilePath",
                /// Whether the plan has been written.
                plan_exists: bool = "planExists",
                /// The data of a `structured_output`.
                data: json = "data",
                /// The tools that `command_permissions` allow.
                allowed_tools: [str] = "allowedTools",
                /// The command of an `unknown_command_fallback`.
                command_name: str = "commandName",
                /// The commands that exist.
                available_command_names: [str] = "availableCommandNames",
                /// The number of commands that exist.
                available_command_count: u64 = "availableCommandCount",
                /// The name of the hook.
                hook_name: str = "hookName",
                /// The event that triggered the hook.
                hook_event: str = "hookEvent",
                /// The identifier of the tool use, or of the run of the hook.
                tool_use_id: str = "toolUseID",
                /// The command of the hook.
                command: str = "command",
                /// The standard output of the hook.
                stdout: str = "stdout",
                /// The standard error of the hook.
                stderr: str = "stderr",
                /// The exit code of the hook's process.
                exit_code: i64 = "exitCode",
                /// The duration of the hook in milliseconds.
                duration_ms: f64 = "durationMs",
            }

            /// A model, as it is introduced to itself.
            struct ModelIdentity {
                /// The name of the model in the API.
                model_id: str = "modelId",
                /// The name of the model for people.
                marketing_name: str = "marketingName",
                /// The month in which its training data ends.
                knowledge_cutoff: str = "knowledgeCutoff",
            }

            /// The environment in which the agent works.
            struct EnvironmentSnapshot {
                /// The working directory.
                working_directory: str = "workingDirectory",
                /// The other directories that the agent may access.
                additional_working_directories: [str] =
                    "additionalWorkingDirectories",
                /// Whether the working directory is in a git repository.
                is_git_repo: bool = "isGitRepo",
                /// Whether it is in a git worktree.
                is_worktree: bool = "isWorktree",
                /// The operating system, such as `linux`.
                platform: str = "platform",
                /// The version of the operating system.
                os_version: str = "osVersion",
                /// The shell.
                shell: str = "shell",
            }

            /// A pull request of the session.
            struct PrLink: Envelope {
                /// The number of the pull request.
                pr_number: u64 = "prNumber",
                /// The URL of the pull request.
                pr_url: str = "prUrl",
                /// The repository, as `owner/name`.
                pr_repository: str = "prRepository",
            }

            /// The title of the session, generated by a model.
            struct AiTitle: Envelope {
                /// The title.
                ai_title: str = "aiTitle",
            }

            /// The title of the session, set by the user.
            struct CustomTitle: Envelope {
                /// The title.
                custom_title: str = "customTitle",
            }

            /// The last prompt of the user.
            struct LastPrompt: Envelope {
                /// The prompt.
                last_prompt: str = "lastPrompt",
            }

            /// A step in compacting or restoring a conversation.
            struct CompactSystem: Envelope {
                /// The step.
                message: CompactOperation = "message",
                /// Metadata of the step.
                metadata: CompactOperationMetadata = "metadata",
            }

            /// A step in compacting or restoring a conversation.
            enum CompactOperation {
                /// The compaction has started.
                Compacting = "conversation_compacting",
                /// The compaction is completed.
                Compacted = "conversation_compacted",
                /// The restoration has started.
                Restoring = "conversation_restoring",
                /// The restoration is completed.
                Restored = "conversation_restored",
            }

            /// Metadata of a compaction or restoration.
            struct CompactOperationMetadata {
                /// The number of preserved messages.
                preserved_messages: u64 = "preservedMessages",
                /// The total number of messages.
                total_messages: u64 = "totalMessages",
                /// The fraction of messages preserved, from 0 to 1.
                compression_ratio: f64 = "compressionRatio",
            }

            /// The cost of the session so far; the last such line applies.
            struct CostState: Header {
                /// The estimated cost in US dollars.
                total_cost_usd: f64 = "totalCostUSD",
                /// The time spent in API requests, in milliseconds.
                total_api_duration: f64 = "totalAPIDuration",
                /// The time spent in API requests without retries, in
                /// milliseconds.
                total_api_duration_without_retries: f64 =
                    "totalAPIDurationWithoutRetries",
                /// The time spent in tools, in milliseconds.
                total_tool_duration: f64 = "totalToolDuration",
                /// The duration of the session in milliseconds.
                total_duration: f64 = "totalDuration",
                /// The start of the session, in milliseconds since the Unix
                /// epoch.
                start_time: u64 = "startTime",
                /// The number of lines added to files.
                total_lines_added: u64 = "totalLinesAdded",
                /// The number of lines removed from files.
                total_lines_removed: u64 = "totalLinesRemoved",
                /// The usage of each model.
                model_usage: {ModelUsage} = "modelUsage",
                /// Whether a model was used whose price is unknown.
                has_unknown_model_cost: bool = "hasUnknownModelCost",
            }

            /// The mode of the session; the last such line applies.
            struct SessionMode: Header {
                /// The mode, such as `normal` or `coordinator`.
                mode: str = "mode",
            }

            /// The permission mode of the session; the last such line
            /// applies.
            struct SessionPermissionMode: Header {
                /// The permission mode.
                permission_mode: PermissionMode =
                    "permissionMode" | "permission_mode",
            }

            /// An opaque value that the agent program keeps for the session.
            struct AtisLatch: Header {
                /// The value.
                atis: str = "atis",
            }

            /// The remote session to which the session is connected.
            struct BridgeSession: Header {
                /// The identifier of the remote session.
                bridge_session_id: str = "bridgeSessionId",
                /// The sequence number of the last message exchanged.
                last_sequence_num: u64 = "lastSequenceNum",
                /// The uuid of the account that owns the remote session.
                owner_account_uuid: str = "ownerAccountUuid",
                /// The uuid of the organisation that owns the remote session.
                owner_organization_uuid: str = "ownerOrganizationUuid",
            }

            /// The name of the session's agent.
            struct AgentName: Header {
                /// The name.
                agent_name: str = "agentName",
            }

            /// The display colour of the session's agent.
            struct AgentColor: Header {
                /// The colour.
                agent_color: str = "agentColor",
            }

            /// The type of agent that the session runs.
            struct AgentSetting: Header {
                /// The type of agent.
                agent_setting: str = "agentSetting",
            }

            /// The user's tag for the session; the last such line applies.
            struct Tag: Header {
                /// The tag; an empty one removes the tag.
                tag: str = "tag",
            }

            /// Tool results that were replaced by shorter ones in the context.
            struct ContentReplacement: Header {
                /// The replacements.
                replacements: [Replacement] = "replacements",
            }

            /// The replacement of a tool result.
            struct Replacement {
                /// The kind of content that is replaced.
                kind: str = "kind",
                /// The identifier of the tool use.
                tool_use_id: str = "toolUseId",
                /// The content that is sent to the API instead.
                replacement: str = "replacement",
            }

            /// The session in which the conversation continues.
            struct ContinuedIn: Header {
                /// The identifier of that session.
                continued_in_session_id: str = "continuedInSessionId",
            }

            /// The conversation from which a sub-agent was forked; the first
            /// line of the sub-agent's transcript.
            struct ForkContextRef: Header {
                /// The identifier of the parent session.
                parent_session_id: str = "parentSessionId",
                /// The uuid of the last line that the sub-agent inherits.
                parent_last_uuid: str = "parentLastUuid",
                /// The number of messages that the sub-agent inherits.
                context_length: u64 = "contextLength",
            }

            /// A move of the session to another working directory.
            struct Relocated: Header {
                /// The new working directory.
                relocated_cwd: str = "relocatedCwd",
            }

            /// The git worktree of the session; the last such line applies.
            struct WorktreeState: Header {
                /// The worktree; absent when the session has left it.
                worktree_session: WorktreeSession = "worktreeSession",
            }

            /// A git worktree that a session uses.
            struct WorktreeSession {
                /// The working directory at the start of the session.
                original_cwd: str = "originalCwd",
                /// The original working directory before the session entered
                /// the worktree.
                pre_enter_original_cwd: str = "preEnterOriginalCwd",
                /// The path of the worktree.
                worktree_path: str = "worktreePath",
                /// The name of the worktree.
                worktree_name: str = "worktreeName",
                /// The branch that is checked out in the worktree.
                worktree_branch: str = "worktreeBranch",
                /// The identifier of the session.
                session_id: str = "sessionId",
                /// Whether the worktree existed before.
                entered_existing: bool = "enteredExisting",
            }

            /// The backup of one file, added to a snapshot of the edited
            /// files.
            struct FileHistoryDelta: Header {
                /// The identifier of the message that edits the file.
                message_id: str = "messageId",
                /// The identifier of the message to which the snapshot
                /// belongs.
                snapshot_message_id: str = "snapshotMessageId",
                /// The path of the file.
                tracking_path: str = "trackingPath",
                /// The backup.
                backup: FileBackup = "backup",
            }

            /// The backup of a file.
            struct FileBackup {
                /// The name of the backup; absent if the file did not exist.
                backup_file_name: str = "backupFileName",
                /// The version of the backup.
                version: u64 = "version",
                /// The time of the backup, in RFC 3339 format.
                backup_time: str = "backupTime",
                /// The directory of the file, with symbolic links resolved.
                real_parent_dir: str = "realParentDir",
            }

            /// An artifact that the session published.
            struct FrameLink: Header {
                /// The path of the file.
                path: str = "path",
                /// The URL of the artifact.
                frame_url: str = "frameUrl",
                /// The title of the artifact.
                title: str = "title",
                /// The number of artifacts that the session has published.
                artifact_count: u64 = "artifactCount",
            }

            /// The fields that lines about comments on artifacts share.
            struct ArtifactLine: Header {
                /// The version of the line's format.
                v: u64 = "v",
                /// The state of each artifact, by its identifier.
                artifacts: {json} = "artifacts",
            }

            /// The comments on artifacts to which the agent has reacted.
            struct ArtifactAutoreactLedger: ArtifactLine {
                /// The uuid of the user's account.
                account_uuid: str = "accountUuid",
            }

            /// The artifacts whose comments the agent monitors.
            struct ArtifactCommentMonitor: ArtifactLine {}

            /// A snapshot of which parts of the edited files the agent wrote.
            struct AttributionSnapshot: Header {
                /// The identifier of the message before which the snapshot was
                /// taken.
                message_id: str = "messageId",
                /// The client of the session, such as `cli`.
                surface: str = "surface",
                /// The state of each file, by path.
                file_states: {json} = "fileStates",
            }

            /// The acceptance of a speculative answer, which the model began
            /// before the prompt was sent.
            struct SpeculationAccept: Header {
                /// The time saved, in milliseconds.
                time_saved_ms: f64 = "timeSavedMs",
            }

            /// Metadata of a sub-agent; written by session stores of the Agent
            /// SDK.
            struct AgentMetadata: Header {
                /// The type of the sub-agent.
                agent_type: str = "agentType",
                /// A short description of the sub-agent's task.
                description: str = "description",
                /// The identifier of the tool use that started the sub-agent.
                tool_use_id: str = "toolUseId",
                /// The number of levels between the sub-agent and the main
                /// agent.
                spawn_depth: u64 = "spawnDepth",
                /// The identifier of the sub-agent that started this one.
                parent_agent_id: str = "parentAgentId",
                /// How the sub-agent was requested.
                request_shape: RequestShape = "requestShape",
                /// Whether the sub-agent was requested without a user who can
                /// answer.
                request_non_interactive: bool = "requestNonInteractive",
                /// The model.
                model: str = "model",
                /// The phase of the workflow that started the sub-agent.
                workflow_phase: str = "workflowPhase",
                /// The path of the sub-agent's git worktree.
                worktree_path: str = "worktreePath",
            }

            /// How a sub-agent is requested.
            enum RequestShape {
                /// The agent continues while the sub-agent runs.
                Background = "background",
                /// The agent waits for the sub-agent.
                Foreground = "foreground",
            }

            /// The start of a workflow, in its journal.
            struct WorkflowLaunched: Header {}

            /// The start of a workflow's sub-agent, in the workflow's journal.
            struct WorkflowStarted: Header {
                /// The key of the call; its result has the same key.
                key: str = "key",
                /// The label of the call.
                label: str = "label",
                /// The phase of the workflow.
                phase: str = "phase",
            }

            /// An API request. Its messages are those of an earlier request
            /// and `tail`; its system prompt and tools are in an
            /// `api-request-shape`.
            struct ApiRequest: Header {
                /// The identifier of the request.
                id: str = "id",
                /// The identifier of the request that begins in the same way.
                earlier: str = "base",
                /// The number of messages that both requests share.
                keep: u64 = "keep",
                /// The hashes of the other messages, each an
                /// `api-request-blob`.
                tail: [str] = "tail",
                /// The parameters of the request, such as the model.
                params: json = "params",
                /// The cache breakpoints of the request.
                cache_control: [CacheMark] = "cacheControl",
                /// The part of the agent program that made the request.
                query_source: str = "querySource",
                /// The digest of the whole request.
                request_digest: str = "requestDigest",
                /// The hash of the `api-request-shape`.
                shape_hash: str = "shapeHash",
                /// The version of the program that wrote the line.
                version: str = "version",
            }

            /// A cache breakpoint of an API request.
            struct CacheMark {
                /// The keys and indexes that lead to it.
                path: [json] = "path",
                /// The breakpoint.
                mark: json = "value",
            }

            /// The system prompt and the tools of API requests.
            struct ApiRequestShape: Header {
                /// The hash of the shape.
                shape_hash: str = "shapeHash",
                /// The system prompt and the tools, as the API receives them.
                shape: json = "shape",
                /// The version of the program that wrote the line.
                version: str = "version",
            }

            /// A message of API requests. It repeats what other lines say, and
            /// is no message of the conversation.
            struct ApiRequestBlob: Header {
                /// The hash of the message.
                hash: str = "hash",
                /// The message, as the API receives it.
                message: json = "message",
            }

            /// The tools that the session has used; the last such line
            /// applies.
            struct ToolsUsed: Header {
                /// The names of the tools.
                tools: [str] = "tools",
            }

            /// Records of where the data of a session came from and went to.
            struct DataFlowRecords: Header {
                /// The version of the line's format.
                v: u64 = "v",
                /// The records.
                records: [json] = "records",
                /// Whether the records replace all earlier ones.
                snapshot: bool = "snapshot",
            }

            /// A gap in the records of the data flow.
            struct DataFlowIncomplete: Header {
                /// The version of the line's format.
                v: u64 = "v",
            }

            /// The sessions from which the session was derived.
            struct DerivedFrom: Header {
                /// The version of the line's format.
                v: u64 = "v",
                /// The sessions.
                sessions: [json] = "sessions",
            }

            /// The account that owns the session; the last such line applies.
            struct SessionOwner: Header {
                /// The uuid of the account.
                account_uuid: str = "accountUuid",
                /// The uuid of the organisation.
                organization_uuid: str = "organizationUuid",
            }

            /// The REPL mode, in which the model writes code; the last such
            /// line applies.
            struct ReplMode: Header {
                /// Whether the session is in this mode.
                repl_mode: bool = "replMode",
                /// Whether the events of the mode are typed.
                typed_events: bool = "typedEvents",
            }

            /// The side on which the session is kept isolated.
            struct IsolationLatch: Header {
                /// The side.
                side: str = "side",
            }

            /// The folder of the session's modifications of the agent program.
            struct DevMods: Header {
                /// The path of the folder.
                folder: str = "folder",
            }

            /// A checksum of what a resumed session begins with.
            struct ResumeHeadVouch: Header {
                /// The checksum.
                sum: json = "sum",
            }

            /// The suppression of the session's history.
            struct HistorySuppression: Header {
                /// The cause.
                cause: str = "cause",
                /// The uuid of the account that may not see the history.
                vetoed_against_account_uuid: str = "vetoedAgainstAccountUuid",
                /// The time, in RFC 3339 format.
                ts: str = "ts",
            }

            /// The end of the session by the model.
            struct EndedByModel: Header {}
        }
    };
}
pub(crate) use transcript;
transcript!(views);
