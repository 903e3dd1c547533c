/*!
System messages outside of the conversation: they have a header of four fields
instead of the whole envelope.
*/

use crate::message::{all::*, schema::views};

macro_rules! reports {
    ($to:ident) => {
        $to! {
            /// The fields that reports outside of the conversation share.
            struct Report: Header {
                /// The subtype.
                subtype: str = "subtype",
            }

            /// A change of the set of background tasks.
            struct BackgroundTasksChanged: Report {
                /// All background tasks.
                tasks: [BackgroundTask] = "tasks",
            }

            /// A background task.
            struct BackgroundTask {
                /// The identifier of the task.
                task_id: str = "task_id",
                /// The identifier of this run of the task.
                run_id: str = "run_id",
                /// The type of the task.
                task_type: TaskType = "task_type",
                /// The type of the sub-agent.
                subagent_type: str = "subagent_type",
                /// A short description of the task.
                description: str = "description",
                /// The identifier of the task that started this one.
                parent_task_id: str = "parent_task_id",
                /// Whether the task runs for as long as the session.
                ambient: bool = "ambient",
            }

            /// A change of the available slash commands.
            struct CommandsChanged: Report {
                /// All slash commands.
                commands: [SlashCommand] = "commands",
            }

            /// A slash command.
            struct SlashCommand {
                /// The name of the command, without the slash.
                name: str = "name",
                /// The description of the command.
                description: str = "description",
                /// A hint for the arguments of the command.
                argument_hint: str = "argumentHint" | "argument_hint",
                /// Other names of the command.
                aliases: [str] = "aliases",
                /// Whether the command is part of the agent program.
                builtin: bool = "builtin",
            }

            /// A progress report of a control request.
            struct ControlRequestProgress: Report {
                /// The identifier of the control request.
                request_id: str = "request_id",
                /// The number of attempts so far.
                attempt: u64 = "attempt",
                /// The maximum number of retries.
                max_retries: u64 = "max_retries",
                /// The delay until the next attempt, in milliseconds.
                retry_delay_ms: f64 = "retry_delay_ms",
                /// The status of the request.
                status: ControlRequestStatus = "status",
                /// The HTTP status code; absent if there was no response.
                error_status: u64 = "error_status",
            }

            /// The status of a control request.
            enum ControlRequestStatus {
                /// The request is being processed.
                Started = "started",
                /// An API request failed and is retried.
                ApiRetry = "api_retry",
            }

            /// The end of a question from an MCP server.
            struct ElicitationComplete: Report {
                /// The name of the server.
                mcp_server_name: str = "mcp_server_name",
                /// The identifier of the question.
                elicitation_id: str = "elicitation_id",
            }

            /// Files that were stored for the host.
            struct FilesPersisted: Report {
                /// The files that were stored.
                files: [PersistedFile] = "files",
                /// The files that could not be stored.
                failed: [FailedFile] = "failed",
                /// The time at which the files were processed.
                processed_at: str = "processed_at",
            }

            /// A file that was stored.
            struct PersistedFile {
                /// The name of the file.
                filename: str = "filename",
                /// The identifier of the stored file.
                file_id: str = "file_id",
            }

            /// A file that could not be stored.
            struct FailedFile {
                /// The name of the file.
                filename: str = "filename",
                /// The error.
                error: str = "error",
            }

            /// The output of a slash command.
            struct LocalCommandOutput: Report {
                /// The output.
                content: str = "content",
            }

            /// Memories that the agent recalled.
            struct MemoryRecall: Report {
                /// The way in which the memories were recalled.
                mode: MemoryRecallMode = "mode",
                /// The memories.
                memories: [Memory] = "memories",
            }

            /// The way in which memories are recalled.
            enum MemoryRecallMode {
                /// Memories were selected.
                Select = "select",
                /// Memories were summarised in a new text.
                Synthesize = "synthesize",
            }

            /// A memory of the agent.
            struct Memory {
                /// The path of the memory.
                path: str = "path",
                /// The scope of the memory.
                scope: MemoryScope = "scope",
                /// The text of the memory.
                content: str = "content",
            }

            /// The scope of a memory.
            enum MemoryScope {
                /// The user.
                Personal = "personal",
                /// The user's team.
                Team = "team",
                /// The user's organisation.
                Organization = "organization",
            }

            /// A failure to mirror the transcript to a session store. The
            /// stored transcript is incomplete.
            struct MirrorError: Report {
                /// The error.
                error: str = "error",
                /// The key of the transcript in the session store.
                key: SessionStoreKey = "key",
            }

            /// The key of a transcript in a session store.
            struct SessionStoreKey {
                /// The key of the project.
                project_key: str = "projectKey" | "project_key",
                /// The identifier of the session.
                session_id: str = "sessionId" | "session_id",
                /// The path below the session, if the transcript is of a
                /// sub-agent.
                subpath: str = "subpath",
            }

            /// The status of a plugin installation.
            struct PluginInstall: Report {
                /// The status.
                status: PluginInstallStatus = "status",
                /// The name of the plugin.
                name: str = "name",
                /// The error.
                error: str = "error",
            }

            /// The status of a plugin installation.
            enum PluginInstallStatus {
                /// The installation of all plugins has started.
                Started = "started",
                /// The plugin is installed.
                Installed = "installed",
                /// The installation of the plugin failed.
                Failed = "failed",
                /// The installation of all plugins has ended.
                Completed = "completed",
            }

            /// A failure to save the session, because the disk is full. The
            /// transcript is incomplete.
            struct SessionWritesLost: Report {
                /// The error of the file system.
                error_code: DiskError = "error_code",
                /// The files that are incomplete.
                lost: [LostFile] = "lost",
                /// The sessions whose transcripts are incomplete.
                transcript_session_ids: [str] = "transcript_session_ids",
            }

            /// An error of the file system.
            enum DiskError {
                /// The disk is full.
                DiskFull = "ENOSPC",
                /// The disk quota of the user is exceeded.
                QuotaExceeded = "EDQUOT",
            }

            /// A file that could not be written.
            enum LostFile {
                /// The transcript.
                Transcript = "transcript",
                /// The configuration of the agent program.
                GlobalConfig = "global_config",
            }

            /// The shutdown of the session's worker.
            struct WorkerShuttingDown: Report {
                /// The reason.
                reason: str = "reason",
            }

            /// A report about permission requests. The subtype determines
            /// which fields it has.
            struct AskReport: Report {
                /// The identifier of the permission request.
                request_id: str = "request_id",
                /// The identifier of the tool use.
                tool_use_id: str = "tool_use_id",
                /// The state of the check.
                status: str = "status",
                /// The reason why the tool is not run.
                reason: str = "reason",
                /// The permission requests that are still open.
                kept_request_ids: [str] = "kept_request_ids",
            }

            /// A report about the code and its repository. The subtype
            /// determines which fields it has.
            struct CodeReport: Report {
                /// The working directory.
                cwd: str = "cwd",
                /// The kind of change or of development.
                kind: str = "kind",
                /// What showed that kind of development.
                trigger: str = "trigger",
                /// The branch.
                branch: str = "branch",
                /// The service that has the pull request, such as `github`.
                provider: str = "provider",
                /// The URL of the pull request.
                url: str = "url",
                /// The repository, as `owner/name`.
                repo: str = "repo",
                /// The number of the pull request.
                identifier: str = "identifier",
                /// What the session did with it, such as `created`.
                action: str = "action",
            }

            /// A change of the cloud session.
            struct CloudSessionDelta: Report {
                /// The number of the change.
                seq: u64 = "seq",
                /// The members of `cloud_session` that have changed.
                changed: [str] = "changed",
                /// The cloud session.
                cloud_session: json = "cloud_session",
            }

            /// A draft of feedback for the user to send.
            struct FeedbackDraft: Report {
                /// The identifier of the draft.
                draft_id: str = "draft_id",
                /// The type of feedback.
                draft_type: str = "draft_type",
                /// The title.
                title: str = "title",
                /// The beginning of the text.
                details_preview: str = "details_preview",
            }

            /// Attached files that could not be fetched.
            struct MissingFiles: Report {
                /// The uuid of the message.
                message_uuid: str = "message_uuid",
                /// The number of files attached to the message.
                sent_count: u64 = "sent_count",
                /// The files that are missing.
                missing: [MissingFile] = "missing",
            }

            /// An attached file that could not be fetched.
            struct MissingFile {
                /// The uuid of the file.
                file_uuid: str = "file_uuid",
                /// The reason.
                reason: str = "reason",
            }

            /// A warning that the instruction files are too long.
            struct InstructionSizes: Report {
                /// The number of characters of all files.
                total_chars: u64 = "total_chars",
                /// The number of characters from which the agent program
                /// warns.
                total_limit_chars: u64 = "total_limit_chars",
                /// The number of files.
                file_count: u64 = "file_count",
                /// The number of characters of the largest file.
                largest_chars: u64 = "largest_chars",
            }

            /// A message of a peer that is held back.
            struct PeerMessageHold: Report {
                /// The state: `held`, `released` or `dropped`.
                state: str = "state",
                /// The uuid of the message.
                message_uuid: str = "message_uuid",
                /// The way on which the message arrived.
                lane: str = "lane",
                /// The address of the peer.
                from: str = "from",
                /// The name of the peer.
                from_name: str = "from_name",
                /// The reason why the message is held.
                cause: str = "cause",
                /// The reason why the message was dropped.
                outcome: str = "outcome",
            }

            /// A report about a turn. The subtype determines which fields it
            /// has.
            struct TurnReport: Report {
                /// Whether the reasoning effort applies to this turn only.
                per_turn_effort_active: bool = "per_turn_effort_active",
                /// The reason why the turn was stopped.
                reason: str = "reason",
                /// The uuid of the message for which the turn was stopped.
                preempted_by_uuid: str = "preempted_by_uuid",
                /// The uuids of the messages of the turn that was stopped.
                preempted_message_uuids: [str] = "preempted_message_uuids",
            }

            /// The offer to hand a turn to another worker, and what the worker
            /// that makes it can do.
            struct TurnHandoff: Report {
                /// The version of the offer.
                v: u64 = "v",
                /// The tools that can be handed over.
                tools: [str] = "tools",
                /// The number of times that the session's worker has been
                /// started.
                worker_epoch: u64 = "worker_epoch",
                /// Whether it marks what it relays.
                relay_marker: bool = "relay_marker",
                /// Whether it takes files that are staged.
                staged_files: bool = "staged_files",
                /// Whether it need not ask the model first.
                no_query_first: bool = "no_query_first",
                /// Whether it takes files of the home directory.
                home_files: bool = "home_files",
                /// Whether it takes the names of files.
                file_names: bool = "file_names",
                /// Whether it takes files that were written.
                carried_writes: bool = "carried_writes",
                /// Whether it reads the lines of the transcript that it is
                /// given.
                hydrates_carried_lines: bool = "hydrates_carried_lines",
                /// Whether both workers use the same message identifier.
                shared_message_id: bool = "shared_message_id",
                /// Whether it requires the identifier of a request to rewind.
                requires_rewind_id: bool = "requires_rewind_request_id",
            }

            /// A new title of the session.
            struct SessionTitle: Report {
                /// The title.
                title: str = "title",
            }

            /// A report about the interface of plugins. The subtype determines
            /// which fields it has.
            struct UiReport: Report {
                /// The name of the plugin.
                plugin: str = "plugin",
                /// The text.
                text: str = "text",
                /// The display time in milliseconds.
                timeout_ms: f64 = "timeout_ms",
                /// The event after which parts must be drawn again.
                event: str = "event",
                /// The parts that must be drawn again; absent for all.
                instances: [json] = "instances",
                /// Whether prompts are screened.
                prompts_screened: bool = "prompts_screened",
                /// The panes.
                panes: [json] = "panes",
                /// The pane that is shown.
                shown_id: str = "shown_id",
                /// The pane that has the focus.
                focused_id: str = "focused_id",
                /// The pane that asks for the focus.
                focus_requested_id: str = "focus_requested_id",
                /// The rows.
                rows: [json] = "rows",
                /// The identifier of the client.
                client_id: str = "client_id",
                /// The component.
                component: str = "component",
                /// The identifier of the component's instance.
                instance_id: str = "instance_id",
                /// The number of rows above the visible part.
                offset: u64 = "offset",
                /// Whether the end stays visible.
                follow_end: bool = "follow_end",
                /// The key of the element that has the focus.
                key: str = "key",
            }
        }
    };
}
pub(crate) use reports;
reports!(views);
