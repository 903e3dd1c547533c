/*!
Stream events: a message of the model while it is still being written.
*/

use crate::message::{all::*, schema::views};

macro_rules! events {
    ($each:ident) => {
        $each! {
            /// A piece of an answer that is still coming in.
            struct StreamEvent: TurnPart {
                /// The API's own event.
                event: ApiEvent = "event",
                /// The API's message that is coming in.
                api_message_id: str = "api_message_id",
                /// Blocks that came in and no longer count.
                abandoned_blocks: AbandonedBlocks = "abandoned_blocks",
                /// Whether pieces of text were put together.
                text_runs_joined: bool = "text_runs_joined",
            }
        }
        $each! {
            /// Blocks that came in and no longer count.
            struct AbandonedBlocks {
                /// The message that they are of.
                api_message_id: str = "api_message_id",
                /// The first of them.
                from_block_index: u64 = "from_block_index",
            }
        }
        $each! {
            /// An event of the API's stream.
            union ApiEvent by "type" else Unknown(UnknownApiEvent) {
                /// A message begins.
                MessageStart(MessageStart) = "message_start",
                /// A block begins.
                ContentBlockStart(ContentBlockStart) = "content_block_start",
                /// A block goes on.
                ContentBlockDelta(ContentBlockDelta) = "content_block_delta",
                /// A block ends.
                ContentBlockStop(ContentBlockStop) = "content_block_stop",
                /// The message's ending becomes known.
                MessageDelta(MessageDelta) = "message_delta",
                /// A message ends.
                MessageStop(MessageStop) = "message_stop",
                /// A sign of life.
                Ping(Ping) = "ping",
                /// The API failed.
                Error(ApiErrorEvent) = "error",
            }
        }
        $each! {
            /// A message begins.
            struct MessageStart {
                /// The message, still without content.
                message: ApiMessage = "message",
            }
        }
        $each! {
            /// What events about one block have.
            struct BlockEvent {
                /// Which block of the message it is, from 0.
                index: u64 = "index",
            }
        }
        $each! {
            /// A block begins.
            struct ContentBlockStart: BlockEvent {
                /// The block, still without content.
                content_block: Block = "content_block",
            }
        }
        $each! {
            /// A block goes on.
            struct ContentBlockDelta: BlockEvent {
                /// What comes next in the block.
                delta: Delta = "delta",
            }
        }
        $each! {
            /// A block ends.
            struct ContentBlockStop: BlockEvent {}
        }
        $each! {
            /// The ending of a message becomes known.
            struct MessageDelta {
                /// How the message ends.
                delta: MessageDeltaBody = "delta",
                /// The tokens that the message took.
                usage: Usage = "usage",
                /// What the API dropped from the context.
                context_management: json = "context_management",
            }
        }
        $each! {
            /// How a message ends.
            struct MessageDeltaBody: Ending {}
        }
        $each! {
            /// A message ends.
            struct MessageStop {}
        }
        $each! {
            /// A sign of life.
            struct Ping {}
        }
        $each! {
            /// The API failed while it answered.
            struct ApiErrorEvent {
                /// What went wrong.
                error: ApiErrorBody = "error",
            }
        }
        $each! {
            /// What went wrong at the API.
            struct ApiErrorBody {
                /// The kind of error, such as `overloaded_error`.
                kind: str = "type",
                /// The error in words.
                message: str = "message",
            }
        }
        $each! {
            /// An event of a kind that linetape does not know.
            struct UnknownApiEvent {
                /// The event's kind.
                kind: str = "type",
            }
        }
        $each! {
            /// What comes next in a block.
            union Delta by "type" else Unknown(UnknownDelta) {
                /// Text.
                Text(TextDelta) = "text_delta",
                /// A piece of a tool's input.
                InputJson(InputJsonDelta) = "input_json_delta",
                /// Thoughts.
                Thinking(ThinkingDelta) = "thinking_delta",
                /// The signature of thoughts.
                Signature(SignatureDelta) = "signature_delta",
                /// Where text is taken from.
                Citations(CitationsDelta) = "citations_delta",
            }
        }
        $each! {
            /// Text to add.
            struct TextDelta {
                /// The text.
                text: str = "text",
            }
        }
        $each! {
            /// A piece of a tool's input.
            struct InputJsonDelta {
                /// JSON text that may end anywhere.
                partial_json: str = "partial_json",
            }
        }
        $each! {
            /// Thoughts to add.
            struct ThinkingDelta {
                /// The thoughts.
                thinking: str = "thinking",
                /// About how many tokens the model has thought.
                estimated_tokens: u64 = "estimated_tokens",
            }
        }
        $each! {
            /// The signature of thoughts.
            struct SignatureDelta {
                /// Proves to the API that the thoughts are its own.
                signature: str = "signature",
            }
        }
        $each! {
            /// A citation to add.
            struct CitationsDelta {
                /// Where the text is taken from.
                citation: Citation = "citation",
            }
        }
        $each! {
            /// A delta of a kind that linetape does not know.
            struct UnknownDelta {
                /// The delta's kind.
                kind: str = "type",
            }
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use events;
events!(views);
