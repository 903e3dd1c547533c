//! The messages as most programs would define them: a derived enum with owned
//! strings. Several engines deserialise it.
//!
//! It is lossy: members without a field, and lines of unknown types, are read
//! and dropped.

// The fields are written, but never read.
#![allow(dead_code)]

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    System(System),
    Assistant(Turn),
    User(Turn),
    Result(Box<Finished>),
    StreamEvent(StreamEvent),
    ControlRequest {
        request_id: Option<String>,
        request: Option<Value>,
    },
    ControlResponse {
        response: Option<Value>,
    },
    ControlCancelRequest {
        request_id: Option<String>,
    },
    RateLimitEvent {
        rate_limit_info: Option<Value>,
    },
    #[serde(rename = "mcp_message")]
    Mcp {
        message: Option<Value>,
    },
    #[serde(other)]
    Other,
}

impl Message {
    pub fn is_assistant(&self) -> bool {
        matches!(self, Message::Assistant(_))
    }
}

#[derive(Deserialize, Serialize)]
pub struct System {
    subtype: Option<String>,
    session_id: Option<String>,
    uuid: Option<String>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

/// An assistant or user line, of a stream or a transcript.
#[derive(Deserialize, Serialize)]
pub struct Turn {
    message: Option<ApiMessage>,
    parent_tool_use_id: Option<String>,
    #[serde(alias = "sessionId")]
    session_id: Option<String>,
    uuid: Option<String>,
    #[serde(rename = "parentUuid")]
    parent_uuid: Option<String>,
    timestamp: Option<String>,
    #[serde(alias = "requestId")]
    request_id: Option<String>,
    cwd: Option<String>,
    version: Option<String>,
    #[serde(rename = "gitBranch")]
    git_branch: Option<String>,
    #[serde(alias = "toolUseResult")]
    tool_use_result: Option<Value>,
}

#[derive(Deserialize, Serialize)]
pub struct ApiMessage {
    id: Option<String>,
    role: Option<String>,
    model: Option<String>,
    content: Option<Content>,
    stop_reason: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

#[derive(Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
        signature: Option<String>,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        content: Option<Value>,
        is_error: Option<bool>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize, Serialize)]
pub struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    service_tier: Option<String>,
}

#[derive(Deserialize, Serialize)]
pub struct Finished {
    subtype: Option<String>,
    is_error: Option<bool>,
    duration_ms: Option<u64>,
    duration_api_ms: Option<u64>,
    num_turns: Option<u64>,
    result: Option<String>,
    session_id: Option<String>,
    uuid: Option<String>,
    total_cost_usd: Option<f64>,
    usage: Option<Usage>,
    permission_denials: Option<Vec<Value>>,
}

#[derive(Deserialize, Serialize)]
pub struct StreamEvent {
    event: Value,
    session_id: Option<String>,
    parent_tool_use_id: Option<String>,
    uuid: Option<String>,
}
