/*!
Transcripts: what every line carries, and the lines that only a saved session
has.
*/

use crate::message::{schema::views, *};

macro_rules! transcript {
    ($each:ident) => {
        $each! {
            /// What lines of all kinds may carry: who wrote them, when, where
            /// and about what.
            struct Envelope {
                /// The line's own identifier.
                uuid: str = "uuid",
                /// The session that the line belongs to.
                session_id: str = "session_id" | "sessionId",
                /// The line that this one follows.
                parent_uuid: str = "parentUuid",
                /// The line that this one follows in meaning, where a
                /// compaction cut the chain.
                logical_parent_uuid: str =
                    "logical_parent_uuid" | "logicalParentUuid",
                /// The last line of the conversation that this one tells
                /// about.
                leaf_uuid: str = "leafUuid",
                /// When the line was written, as RFC 3339.
                timestamp: str = "timestamp",
                /// Whether the line is part of a sub-agent's conversation.
                is_sidechain: bool = "isSidechain",
                /// The tool call whose sub-agent says this.
                parent_tool_use_id: str = "parent_tool_use_id",
                /// Who the user is: `external` for anybody outside.
                user_type: str = "userType",
                /// How the agent was started.
                entrypoint: str = "entrypoint",
                /// The directory that the agent works in.
                cwd: str = "cwd",
                /// The version of the program that wrote the line.
                version: str = "version",
                /// The git branch that was checked out.
                git_branch: str = "gitBranch",
                /// A readable name of the session.
                slug: str = "slug",
                /// The sub-agent that the line comes from.
                agent_id: str = "agent_id" | "agentId",
                /// What kind of session this is.
                session_kind: str = "sessionKind",
                /// The team that the agent works in.
                team_name: str = "teamName",
                /// What the agent is called in its team.
                agent_name: str = "agentName",
                /// The prompt that led to this line.
                prompt_id: str = "promptId",
                /// The request that the line belongs to.
                request_id: str = "request_id" | "requestId",
                /// The user message that is being answered.
                user_message_uuid: str = "user_message_uuid",
                /// All user messages that are being answered.
                user_message_uuids: [str] = "user_message_uuids",
                /// The tool call that the line is about.
                tool_use_id: str = "tool_use_id" | "toolUseID",
                /// The tool that the line is about.
                tool_name: str = "tool_name" | "toolName",
                /// The background task that the line is about.
                task_id: str = "task_id",
                /// What the sub-agent was asked to do, in short.
                task_description: str = "task_description",
                /// What kind of sub-agent the line comes from.
                subagent_type: str = "subagent_type",
                /// How long it took, in milliseconds.
                duration_ms: f64 = "duration_ms" | "durationMs",
                /// How the agent asks for leave to use tools.
                permission_mode: PermissionMode =
                    "permissionMode" | "permission_mode",
                /// How hard the model is asked to think.
                effort: str = "effort",
                /// Whether fast mode is on.
                fast_mode_state: str = "fast_mode_state",
                /// Why fast mode cannot be had.
                fast_mode_disabled_reason: str = "fast_mode_disabled_reason",
                /// Whether the line is for the program and not for the user.
                is_meta: bool = "is_meta" | "isMeta",
                /// Whether the line tells of an error.
                is_error: bool = "is_error" | "isError",
                /// Whether the line was marked as deleted.
                is_deleted: bool = "isDeleted",
                /// Whether the work was cancelled.
                is_aborted: bool = "aborted" | "isAborted",
                /// Whether the line repeats something from before this run.
                historical: bool = "historical",
                /// Where the session was branched off.
                forked_from: ForkedFrom = "forkedFrom",
            }
        }
        $each! {
            /// The place in another session that a session was branched off
            /// from.
            struct ForkedFrom {
                /// The last line that both sessions share.
                message_uuid: str = "messageUuid",
                /// The session it came from.
                session_id: str = "sessionId",
            }
        }
        $each! {
            /// A title for a conversation that ended earlier.
            struct Summary: Envelope {
                /// The title.
                summary: str = "summary",
            }
        }
        $each! {
            /// The state of the edited files, kept so that they can be put
            /// back.
            struct FileHistorySnapshot: Envelope {
                /// The message before which the state was taken.
                message_id: str = "messageId",
                /// The files and where their copies are.
                snapshot: json = "snapshot",
                /// Whether it replaces an earlier state of the same message.
                is_snapshot_update: bool = "isSnapshotUpdate",
            }
        }
        $each! {
            /// News from a tool, hook or sub-agent that is still at work.
            struct Progress: Envelope {
                /// The news.
                data: ProgressData = "data",
                /// The tool call that the work is done for.
                parent_call: str = "parentToolUseID",
            }
        }
        $each! {
            /// The news of a progress line; all but the kind differs by kind.
            struct ProgressData {
                /// What is at work, such as `bash_progress`.
                kind: str = "type",
            }
        }
        $each! {
            /// A prompt that was queued, or taken from the queue.
            struct QueueOperation: Envelope {
                /// What was done to the queue.
                operation: str = "operation",
                /// The prompt.
                content: str = "content",
                /// Why it was done.
                reason: str = "reason",
                /// Identifies the delivery of the prompt.
                delivery_id: str = "deliveryId",
            }
        }
        $each! {
            /// Something that was added to the conversation besides what was
            /// said.
            struct Attachment: Envelope {
                /// What was added.
                attachment: AttachmentBody = "attachment",
            }
        }
        $each! {
            /// What an attachment holds; all but the kind differs by kind.
            struct AttachmentBody {
                /// What it is, such as `file` or `date`.
                kind: str = "type",
            }
        }
        $each! {
            /// A pull request that the session made.
            struct PrLink: Envelope {
                /// The pull request's number.
                pr_number: u64 = "prNumber",
                /// Where it can be seen.
                pr_url: str = "prUrl",
                /// The repository, as `owner/name`.
                pr_repository: str = "prRepository",
            }
        }
        $each! {
            /// The session's title, thought of by the model.
            struct AiTitle: Envelope {
                /// The title.
                ai_title: str = "aiTitle",
            }
        }
        $each! {
            /// The session's title, given by the user.
            struct CustomTitle: Envelope {
                /// The title.
                custom_title: str = "customTitle",
            }
        }
        $each! {
            /// What the user asked last.
            struct LastPrompt: Envelope {
                /// The prompt.
                last_prompt: str = "lastPrompt",
            }
        }
        $each! {
            /// A step in shortening a conversation or bringing it back.
            struct CompactSystem: Envelope {
                /// Which step it is.
                message: CompactOperation = "message",
                /// What the step did.
                metadata: CompactOperationMetadata = "metadata",
            }
        }
        $each! {
            /// A step in shortening a conversation or bringing it back.
            enum CompactOperation {
                /// Shortening begins.
                Compacting = "conversation_compacting",
                /// Shortening is done.
                Compacted = "conversation_compacted",
                /// Bringing back begins.
                Restoring = "conversation_restoring",
                /// Bringing back is done.
                Restored = "conversation_restored",
            }
        }
        $each! {
            /// How much of a conversation was kept.
            struct CompactOperationMetadata {
                /// Messages that were kept.
                preserved_messages: u64 = "preservedMessages",
                /// Messages that there were.
                total_messages: u64 = "totalMessages",
                /// The part that was kept, from 0 to 1.
                compression_ratio: f64 = "compressionRatio",
            }
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use transcript;
transcript!(views);
