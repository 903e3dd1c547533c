/*!
Stream events: partial messages, sent while the model is still generating.
*/

use crate::message::{all::*, schema::views};

macro_rules! events {
    ($to:ident) => {
        $to! {
            /// A partial message that is still being generated.
            struct StreamEvent: TurnPart {
                /// The event of the API.
                event: ApiEvent = "event",
                /// The identifier of the API message being streamed.
                api_message_id: str = "api_message_id",
                /// The streamed blocks that are no longer valid.
                abandoned_blocks: AbandonedBlocks = "abandoned_blocks",
                /// Whether consecutive text deltas were joined.
                text_runs_joined: bool = "text_runs_joined",
            }

            /// Streamed blocks that are no longer valid.
            struct AbandonedBlocks {
                /// The identifier of their API message.
                api_message_id: str = "api_message_id",
                /// The index of the first abandoned block.
                from_block_index: u64 = "from_block_index",
            }

            /// An event of the API's event stream.
            union ApiEvent by "type" else Unknown(UnknownApiEvent) {
                /// The start of a message.
                MessageStart(MessageStart) = "message_start",
                /// The start of a content block.
                ContentBlockStart(ContentBlockStart) = "content_block_start",
                /// A delta of a content block.
                ContentBlockDelta(ContentBlockDelta) = "content_block_delta",
                /// The end of a content block.
                ContentBlockStop(ContentBlockStop) = "content_block_stop",
                /// A delta of the message's top-level fields, such as the stop
                /// reason.
                MessageDelta(MessageDelta) = "message_delta",
                /// The end of a message.
                MessageStop(MessageStop) = "message_stop",
                /// A keep-alive event.
                Ping(Ping) = "ping",
                /// An API error.
                Error(ApiErrorEvent) = "error",
            }

            /// The start of a message.
            struct MessageStart {
                /// The message, with empty content.
                message: ApiMessage = "message",
            }

            /// The fields that events about a content block share.
            struct BlockEvent {
                /// The zero-based index of the block in the message.
                index: u64 = "index",
            }

            /// The start of a content block.
            struct ContentBlockStart: BlockEvent {
                /// The block, with empty content.
                content_block: Block = "content_block",
            }

            /// A delta of a content block.
            struct ContentBlockDelta: BlockEvent {
                /// The delta to append to the block.
                delta: Delta = "delta",
            }

            /// The end of a content block.
            struct ContentBlockStop: BlockEvent {}

            /// A delta of the message's top-level fields, such as the stop
            /// reason.
            struct MessageDelta {
                /// The changed fields.
                delta: MessageDeltaBody = "delta",
                /// The token usage of the message.
                usage: Usage = "usage",
                /// The context edits that the API applied.
                context_management: json = "context_management",
                /// The changes that the API made to the input.
                input_transformations: [json] = "input_transformations",
            }

            /// The changed top-level fields of a message.
            struct MessageDeltaBody: Ending {}

            /// The end of a message.
            struct MessageStop {}

            /// A keep-alive event.
            struct Ping {}

            /// An API error in the middle of the stream.
            struct ApiErrorEvent {
                /// The error.
                error: ApiErrorBody = "error",
            }

            /// An error reported by the API.
            struct ApiErrorBody {
                /// The type of error, such as `overloaded_error`.
                kind: str = "type",
                /// The error message.
                message: str = "message",
            }

            /// An event of an unknown type.
            struct UnknownApiEvent {
                /// The type of the event.
                kind: str = "type",
            }

            /// A delta of a content block.
            union Delta by "type" else Unknown(UnknownDelta) {
                /// Text.
                Text(TextDelta) = "text_delta",
                /// A fragment of a tool's input.
                InputJson(InputJsonDelta) = "input_json_delta",
                /// Thinking.
                Thinking(ThinkingDelta) = "thinking_delta",
                /// The signature of the thinking.
                Signature(SignatureDelta) = "signature_delta",
                /// A citation.
                Citations(CitationsDelta) = "citations_delta",
                /// The summary of a compaction.
                Compaction(CompactionDelta) = "compaction_delta",
            }

            /// A text delta.
            struct TextDelta {
                /// The text.
                text: str = "text",
            }

            /// A fragment of a tool's input.
            struct InputJsonDelta {
                /// A fragment of JSON text, which may end anywhere.
                partial_json: str = "partial_json",
            }

            /// A thinking delta.
            struct ThinkingDelta {
                /// The thinking text.
                thinking: str = "thinking",
                /// The estimated number of thinking tokens so far.
                estimated_tokens: u64 = "estimated_tokens",
            }

            /// The signature of a thinking block.
            struct SignatureDelta {
                /// The signature with which the API verifies that it produced
                /// the thinking.
                signature: str = "signature",
            }

            /// A citation to add to a text block.
            struct CitationsDelta {
                /// The citation.
                citation: Citation = "citation",
            }

            /// The summary of a compaction block.
            struct CompactionDelta {
                /// The summary; absent if the compaction failed.
                content: str = "content",
                /// The encrypted summary.
                encrypted_content: str = "encrypted_content",
            }

            /// A delta of an unknown type.
            struct UnknownDelta {
                /// The type of the delta.
                kind: str = "type",
            }
        }
    };
}
pub(crate) use events;
events!(views);
