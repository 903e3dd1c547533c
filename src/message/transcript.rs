/*!
Transcripts: what every line carries, and the lines that only a saved session
has.
*/

use crate::message::{all::*, schema::views};

macro_rules! transcript {
    ($each:ident) => {
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
