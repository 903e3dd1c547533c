use crate::check::table::{ASSISTANT, Field, Shape, USER, may, must};

/// What a block is, to those who pair calls with results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A call of a tool that the agent runs.
    Call,
    /// A call of a tool that the API runs.
    RemoteCall,
    Result,
    /// Neither.
    Other,
}

/// A kind of block. Those that are not listed may stand anywhere.
#[derive(Debug)]
pub(crate) struct BlockRow {
    pub(crate) kind: &'static str,
    pub(crate) part: Part,
    /// The types of messages that it stands in.
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

/// What blocks are asked for. The text of a block may be lost on the way
/// through a gateway, so its absence is a note.
pub(crate) static BLOCKS: &[BlockRow] = &[
    BlockRow {
        kind: "text",
        part: Part::Other,
        within: ANY,
        fields: &[must("text", Shape::Text).noted()],
    },
    BlockRow {
        kind: "thinking",
        part: Part::Other,
        within: ASSISTANT,
        fields: &[must("thinking", Shape::Text).noted()],
    },
    BlockRow {
        kind: "tool_use",
        part: Part::Call,
        within: ASSISTANT,
        fields: CALL_FIELDS,
    },
    BlockRow {
        kind: "tool_result",
        part: Part::Result,
        within: USER,
        fields: RESULT_FIELDS,
    },
    BlockRow {
        kind: "server_tool_use",
        part: Part::RemoteCall,
        within: ASSISTANT,
        fields: CALL_FIELDS,
    },
    BlockRow {
        kind: "mcp_tool_use",
        part: Part::RemoteCall,
        within: ASSISTANT,
        fields: CALL_FIELDS,
    },
];

/// Results of tools that the API runs: `web_search_tool_result` and others,
/// all of which end like this.
pub(crate) static REMOTE_RESULT: BlockRow = BlockRow {
    kind: "_tool_result",
    part: Part::Result,
    within: ANY,
    fields: &[must("tool_use_id", Shape::Name)],
};
