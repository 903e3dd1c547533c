//! The columns of `blocks`.

use linetape::message::ToolCall;
use linetape::{Block, Value, message::AnswerBlock};

use crate::{
    columns::{
        Column, FILE, IS_SIDECHAIN, MESSAGE_ID, MODEL, NESTED, OFFSET, ROLE,
        Read, SESSION_ID, TIMESTAMP, UUID, int, join, show,
    },
    row::Row,
    wanted::block_type,
};

pub(crate) const COLUMNS: &[Column] = &[
    FILE,
    OFFSET,
    NESTED,
    Column::new("block", Read::Int(|row| Some(row.block()?.0))),
    SESSION_ID,
    UUID,
    TIMESTAMP,
    IS_SIDECHAIN,
    MESSAGE_ID,
    MODEL,
    ROLE,
    Column::new("block_type", Read::Str(|row| block_type(row.block()?.1))),
    Column::new(
        "tool_use_id",
        Read::Str(|row| match (call(row), answer(row)) {
            (Some(call), _) => call.id(),
            (None, answer) => answer?.tool_use_id(),
        }),
    ),
    Column::new("tool_name", Read::Str(|row| call(row)?.name())),
    Column::new(
        "input",
        Read::Text(|row, to| show(call(row).and_then(|c| c.input()), to)),
    ),
    Column::new(
        "text",
        Read::Text(|row, to| match (row.block(), answer(row)) {
            (_, Some(answer)) => join(answer.text(), to),
            (Some((_, Block::Text(text))), _) => {
                to.append_option(text.text());
            }
            (Some((_, Block::Thinking(thinking))), _) => {
                to.append_option(thinking.thinking());
            }
            _ => to.append_null(),
        }),
    ),
    Column::new("is_error", Read::Bool(|row| Some(answer(row)?.is_error()))),
    Column::new(
        "bytes",
        Read::Int(|row| int(value(row)?.span()?.len() as u64)),
    ),
];

fn value<'l>(row: &Row<'_, 'l>) -> Option<Value<'l>> {
    Some(row.block()?.1.value())
}

fn call<'l>(row: &Row<'_, 'l>) -> Option<ToolCall<'l>> {
    ToolCall::of_block(row.block()?.1)
}

/// Returns the block as the result of a tool, if it is one.
fn answer<'l>(row: &Row<'_, 'l>) -> Option<AnswerBlock<'l>> {
    Some(match row.block()?.1 {
        Block::ToolResult(answer) => AnswerBlock::new(answer.value()),
        Block::WebSearchToolResult(answer) => AnswerBlock::new(answer.value()),
        Block::CodeExecutionToolResult(answer) => {
            AnswerBlock::new(answer.value())
        }
        Block::McpToolResult(answer) => AnswerBlock::new(answer.value()),
        Block::WebFetchToolResult(answer) => AnswerBlock::new(answer.value()),
        Block::AdvisorToolResult(answer)
        | Block::BashCodeExecutionToolResult(answer)
        | Block::TextEditorCodeExecutionToolResult(answer)
        | Block::ToolSearchToolResult(answer) => answer,
        _ => return None,
    })
}
