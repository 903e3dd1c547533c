use linetape::message::{AnswerBlock, Block, CallBlock};

/// The call that a block of the model is.
pub(crate) fn call_in(block: Block<'_>) -> Option<CallBlock<'_>> {
    match block {
        Block::ToolUse(call) => Some(*call),
        Block::ServerToolUse(call) => Some(*call),
        Block::McpToolUse(call) => Some(*call),
        _ => None,
    }
}

/// The result of a tool that a block is.
pub(crate) fn answer_in(block: Block<'_>) -> Option<AnswerBlock<'_>> {
    match block {
        Block::ToolResult(answer) => Some(*answer),
        Block::WebSearchToolResult(answer) => Some(*answer),
        Block::CodeExecutionToolResult(answer) => Some(*answer),
        Block::McpToolResult(answer) => Some(*answer),
        _ => None,
    }
}
