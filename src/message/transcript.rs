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
            }

            /// An attachment: context added to the conversation.
            struct Attachment: Envelope {
                /// The body of the attachment.
                attachment: AttachmentBody = "attachment",
                /// The messages as which the model receives the attachment.
                rendered: [RenderedAttachment] = "rendered",
            }

            /// A message as which the model receives an attachment.
            struct RenderedAttachment {
                /// The content of the message.
                content: Content = "content",
            }

            /// The body of an attachment. The fields depend on the type; those
            /// of most types are only in `value()`.
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
        }
    };
}
pub(crate) use transcript;
transcript!(views);
