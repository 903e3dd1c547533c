use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeMap};

use linetape::Value;

/// A frame: a JSON message for a chat client.
///
/// It is serialised as an object with a `type` and camel-case keys. Fields
/// that are `None` are omitted.
///
/// # Example
///
/// This shows how a frame is serialised.
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
    /// Text of the model.
    ///
    /// `type` is `claude_response` on the wire.
    ClaudeResponse {
        /// The text.
        content: &'a str,
        /// The session.
        conversation_id: Option<Cow<'a, str>>,
    },
    /// Progress that the model reports in a text.
    ///
    /// `type` is `progress_update` on the wire.
    ProgressUpdate {
        /// The name of the step.
        current_step: String,
        /// The number of completed steps.
        completed_steps: u64,
        /// The total number of steps.
        total_steps: u64,
        /// The completed percentage, from 0 to 100.
        percentage: f64,
    },
    /// A sub-agent starts, ends, or is mentioned.
    ///
    /// `type` is `sub_agent_progress` on the wire.
    SubAgentProgress {
        /// The agent's name, which is its type.
        agent: Option<Cow<'a, str>>,
        /// The status of the sub-agent.
        status: SubAgentStatus,
        /// A short description of its task.
        description: Option<&'a str>,
        /// The id of the call that started it.
        tool_use_id: Option<&'a str>,
        /// The session.
        conversation_id: Option<Cow<'a, str>>,
    },
    /// The model wants to use a tool.
    ///
    /// `type` is `permission_request` on the wire.
    PermissionRequest {
        /// The id of the call.
        tool_use_id: Option<&'a str>,
        /// The tool's name.
        tool_name: Option<&'a str>,
        /// The input of the tool.
        input: Option<Value<'a>>,
        /// A description of the call.
        description: Option<&'a str>,
        /// The session.
        conversation_id: Option<Cow<'a, str>>,
    },
}

/// The status of a sub-agent.
///
/// # Example
///
/// See [`Wrapper`](crate::Wrapper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SubAgentStatus {
    /// The model mentioned it.
    Mentioned,
    /// The model called it.
    Started,
    /// It ended without an error.
    Finished,
    /// It failed, or was stopped.
    Failed,
}

impl SubAgentStatus {
    /// Returns the string that it is serialised as.
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

/// Serialises a member, if it has a value.
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
