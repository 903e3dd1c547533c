/*!
The length of what the model wrote.
*/

use linetape::{
    Value,
    message::{Block, Content},
};

use crate::usage::spent::MAX_TEXT;

/// Strings that are deeper in the input of a call are not measured.
const MAX_DEPTH: u8 = 4;

/// Returns the length of what the model wrote, in bytes: texts, thoughts and
/// the strings in the inputs of its calls. At most [`MAX_TEXT`].
pub(crate) fn text_length(content: Option<Content<'_>>) -> usize {
    let mut length = 0;
    for block in content.into_iter().flat_map(Content::blocks) {
        length += match block {
            Block::Text(text) => text.text().map_or(0, str::len),
            Block::Thinking(text) => text.thinking().map_or(0, str::len),
            Block::ToolUse(call) => call.input().map_or(0, strings),
            Block::ServerToolUse(call) => call.input().map_or(0, strings),
            Block::McpToolUse(call) => call.input().map_or(0, strings),
            _ => 0,
        };
        if length > MAX_TEXT {
            return MAX_TEXT;
        }
    }
    length
}

/// Returns the length of the strings in a value, as far as that matters.
fn strings(value: Value<'_>) -> usize {
    strings_within(value, 0)
}

fn strings_within(value: Value<'_>, depth: u8) -> usize {
    let mut length = value.as_str().map_or(0, str::len);
    let inner = value.as_array().into_iter().flatten();
    let fields = value.as_object().into_iter().flatten();
    let inner = inner.chain(fields.map(|(_, value)| value));
    for value in inner.filter(|_| depth < MAX_DEPTH) {
        length += strings_within(value, depth + 1);
        if length > MAX_TEXT {
            break;
        }
    }
    length
}
