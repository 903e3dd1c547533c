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
        }
    };
}
pub(crate) use reports;
reports!(views);
