/*!
Calls of tools that the agent runs. A call is a content block or a separate
line. Calls of tools that the API runs are not translated.
*/

use linetape::message::{Block, ToolCall};
use linetape_session::Facts;

/// Returns the call in a content block.
pub(crate) fn block_call(block: Block<'_>) -> Option<ToolCall<'_>> {
    ToolCall::of_block(block).filter(|call| !call.is_remote())
}

/// Returns the call if the line itself is one. A line with calls in content
/// blocks is not.
pub(crate) fn line_call<'a>(facts: &Facts<'a>) -> Option<ToolCall<'a>> {
    if facts.kind().subtype() != Some("tool_use") {
        return None;
    }
    let call = facts.line_call().filter(|call| call.name().is_some())?;
    block_calls(facts).next().is_none().then_some(call)
}

/// Returns all calls of a message, in order.
pub(crate) fn calls<'a>(
    facts: &Facts<'a>,
) -> impl Iterator<Item = ToolCall<'a>> + use<'a> {
    block_calls(facts).chain(line_call(facts))
}

fn block_calls<'a>(
    facts: &Facts<'a>,
) -> impl Iterator<Item = ToolCall<'a>> + use<'a> {
    facts.calls().filter(|call| !call.is_remote())
}

/// Returns whether a call starts a sub-agent.
pub(crate) fn is_task(call: &ToolCall<'_>) -> bool {
    matches!(call.name(), Some("Task" | "Agent"))
}

/// Returns a member of the input that is a string.
pub(crate) fn input_text<'a>(
    call: &ToolCall<'a>,
    key: &str,
) -> Option<&'a str> {
    call.input()?.get(key)?.as_str()
}
