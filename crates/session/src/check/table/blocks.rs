/*!
The rules for content blocks.
*/

use crate::check::table::{ASSISTANT, Field, Shape, USER, may, must};

/// The role of a content block in the pairing of calls with results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// A call of a tool that the agent runs.
    Call,
    /// A call of a tool that the API runs.
    RemoteCall,
    Result,
    /// Neither.
    Other,
}

/// The rule for a type of content block. Blocks of other types are allowed in
/// any message.
#[derive(Debug)]
pub(crate) struct BlockRow {
    pub(crate) kind: &'static str,
    pub(crate) pairing: Pairing,
    /// The message types in which the block is allowed.
    pub(crate) within: &'static [&'static str],
    pub(crate) fields: &'static [Field],
}

const ANY: &[&str] = &["user", "assistant"];

const CALL_FIELDS: &[Field] = &[
    must("id", Shape::Name).of_call(),
    must("name", Shape::Name).of_call(),
    must("input", Shape::Object).of_call(),
];

const RESULT_FIELDS: &[Field] =
    &[must("tool_use_id", Shape::Name), may("is_error", Shape::Flag)];

/// The rules for content blocks. Gateways may drop the text of a block, so a
/// missing text is only a note.
pub(crate) static BLOCKS: &[BlockRow] = &[
    BlockRow {
        kind: "text",
        pairing: Pairing::Other,
        within: ANY,
        fields: &[must("text", Shape::Text).noted()],
    },
    BlockRow {
        kind: "thinking",
        pairing: Pairing::Other,
        within: ASSISTANT,
        fields: &[must("thinking", Shape::Text).noted()],
    },
    BlockRow {
        kind: "tool_use",
        pairing: Pairing::Call,
        within: ASSISTANT,
        fields: CALL_FIELDS,
    },
    BlockRow {
        kind: "tool_result",
        pairing: Pairing::Result,
        within: USER,
        fields: RESULT_FIELDS,
    },
    BlockRow {
        kind: "server_tool_use",
        pairing: Pairing::RemoteCall,
        within: ASSISTANT,
        fields: CALL_FIELDS,
    },
    BlockRow {
        kind: "mcp_tool_use",
        pairing: Pairing::RemoteCall,
        within: ASSISTANT,
        fields: CALL_FIELDS,
    },
];

/// The rule for results of tools that the API runs, such as
/// `web_search_tool_result`. Here, `kind` is a suffix of the type.
pub(crate) static REMOTE_RESULT: BlockRow = BlockRow {
    kind: "_tool_result",
    pairing: Pairing::Result,
    within: ANY,
    fields: &[must("tool_use_id", Shape::Name)],
};
