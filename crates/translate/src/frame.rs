use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeMap};

use linetape::Value;

/// What a wrapper tells its client.
///
/// It is written as an object with a `type` and camel-case keys. What is
/// `None` is left out.
///
/// # Example
///
/// This shows the form that it has on the wire.
///
/// ```
/// use linetape_translate::Frame;
///
/// let frame = Frame::ProgressUpdate {
///     current_step: "Running tests".to_string(),
///     completed_steps: 5,
///     total_steps: 20,
///     percentage: 25.0,
/// };
/// assert_eq!(
///     serde_json::to_string(&frame)?,
///     r#"{"type":"progress_update","currentStep":"Running tests","completedSteps":5,"totalSteps":20,"percentage":25.0}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Frame<'a> {
    /// The model said something.
    ///
    /// `type` is `claude_response` on the wire.
    ClaudeResponse {
        /// What it said.
        content: &'a str,
        /// The session.
        conversation_id: Option<Cow<'a, str>>,
    },
    /// The model said how far it is.
    ///
    /// `type` is `progress_update` on the wire.
    ProgressUpdate {
        /// What is being done.
        current_step: String,
        /// How much of it is done.
        completed_steps: u64,
        /// How much there is to do.
        total_steps: u64,
        /// The same in percent, from 0 to 100.
        percentage: f64,
    },
    /// A sub-agent starts, ends, or is spoken of.
    ///
    /// `type` is `sub_agent_progress` on the wire.
    SubAgentProgress {
        /// The agent's name, which is its type.
        agent: Option<Cow<'a, str>>,
        /// What became of it.
        status: SubAgentStatus,
        /// What it is to do, in short.
        description: Option<&'a str>,
        /// The call that started it.
        tool_use_id: Option<&'a str>,
        /// The session.
        conversation_id: Option<Cow<'a, str>>,
    },
    /// The model wants to use a tool.
    ///
    /// `type` is `permission_request` on the wire.
    PermissionRequest {
        /// The call.
        tool_use_id: Option<&'a str>,
        /// The tool's name.
        tool_name: Option<&'a str>,
        /// What the tool is to be called with.
        input: Option<Value<'a>>,
        /// What the call does, in words.
        description: Option<&'a str>,
        /// The session.
        conversation_id: Option<Cow<'a, str>>,
    },
}

/// What became of a sub-agent.
///
/// # Example
///
/// See [`Wrapper`](crate::Wrapper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SubAgentStatus {
    /// The model spoke of it.
    Mentioned,
    /// It was called.
    Started,
    /// It came to its end.
    Finished,
    /// It failed, or was stopped.
    Failed,
}

impl SubAgentStatus {
    /// The string on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            SubAgentStatus::Mentioned => "mentioned",
            SubAgentStatus::Started => "started",
            SubAgentStatus::Finished => "finished",
            SubAgentStatus::Failed => "failed",
        }
    }
}

impl Serialize for Frame<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        match self {
            Frame::ClaudeResponse { content, conversation_id } => {
                map.serialize_entry("type", "claude_response")?;
                map.serialize_entry("content", content)?;
                write(&mut map, "conversationId", conversation_id)?;
            }
            Frame::ProgressUpdate {
                current_step,
                completed_steps,
                total_steps,
                percentage,
            } => {
                map.serialize_entry("type", "progress_update")?;
                map.serialize_entry("currentStep", current_step)?;
                map.serialize_entry("completedSteps", completed_steps)?;
                map.serialize_entry("totalSteps", total_steps)?;
                map.serialize_entry("percentage", percentage)?;
            }
            Frame::SubAgentProgress {
                agent,
                status,
                description,
                tool_use_id,
                conversation_id,
            } => {
                map.serialize_entry("type", "sub_agent_progress")?;
                write(&mut map, "agent", agent)?;
                map.serialize_entry("status", status.as_str())?;
                write(&mut map, "description", description)?;
                write(&mut map, "toolUseId", tool_use_id)?;
                write(&mut map, "conversationId", conversation_id)?;
            }
            Frame::PermissionRequest {
                tool_use_id,
                tool_name,
                input,
                description,
                conversation_id,
            } => {
                map.serialize_entry("type", "permission_request")?;
                write(&mut map, "toolUseId", tool_use_id)?;
                write(&mut map, "toolName", tool_name)?;
                write(&mut map, "input", input)?;
                write(&mut map, "description", description)?;
                write(&mut map, "conversationId", conversation_id)?;
            }
        }
        map.end()
    }
}

/// Writes a member, if there is one.
fn write<M: SerializeMap, T: Serialize>(
    map: &mut M,
    key: &str,
    value: &Option<T>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(key, value),
        None => Ok(()),
    }
}
