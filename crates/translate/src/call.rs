/*!
Calls of tools. A call is a block of a message, or a line of its own.
*/

use linetape::{
    Value,
    message::{
        Block, CallBlock,
        stream::{Assistant, AssistantSubtype},
    },
};

/// A call of a tool. The id of a call that is a line is the line's `uuid`, and
/// its answer has the id as the parent.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) input: Option<Value<'a>>,
}

impl<'a> Call<'a> {
    pub(crate) fn of_block(call: CallBlock<'a>) -> Call<'a> {
        let (id, name, input) = (call.id(), call.name(), call.input());
        Call { id, name, input }
    }

    /// Returns the call that a line is. A line with calls as blocks is none.
    pub(crate) fn of_line(said: Assistant<'a>) -> Option<Call<'a>> {
        if said.subtype() != Some(AssistantSubtype::ToolUse) {
            return None;
        }
        let name = Some(said.tool_name()?);
        let is_call = |block| matches!(block, Block::ToolUse(_));
        if said.content().any(is_call) {
            return None;
        }
        let (id, input) = (said.uuid(), said.tool_arguments());
        Some(Call { id, name, input })
    }

    /// Returns all calls of a message, in order.
    pub(crate) fn all(said: Assistant<'a>) -> impl Iterator<Item = Call<'a>> {
        let blocks = said.content().filter_map(|block| match block {
            Block::ToolUse(call) => Some(Call::of_block(*call)),
            _ => None,
        });
        blocks.chain(Call::of_line(said))
    }

    pub(crate) fn is_task(self) -> bool {
        matches!(self.name, Some("Task" | "Agent"))
    }

    /// Returns a string of the input.
    pub(crate) fn text(self, key: &str) -> Option<&'a str> {
        self.input?.get(key)?.as_str()
    }
}
