//! Real logs, if there are any: the inputs and results of tools survive a
//! round trip, and the schema knows their keys.

use std::collections::{BTreeMap, BTreeSet};

use linetape::{Block, Message, Reader};
use linetape_tools::{ToolInput, ToolResult, owned};
use serde_json::json;

use crate::logs::corpus_files;

/// Returns the members of an owned input or result that no field reads, other
/// than `null`.
macro_rules! unread {
    ($value:expr, $type:ident) => {
        unread!(
            $value, $type, Bash Read Edit MultiEdit Write Grep Glob Agent
            WebFetch WebSearch TodoWrite AskUserQuestion ExitPlanMode
        )
    };
    ($value:expr, $type:ident, $($variant:ident)*) => {
        match $value {
            $(owned::$type::$variant(part) => {
                let members = part.extra.iter();
                members
                    .filter(|(_, value)| !value.is_null())
                    .map(|(key, _)| concat!(stringify!($variant), " ")
                        .to_string() + key)
                    .collect::<Vec<_>>()
            })*
            _ => vec![],
        }
    };
}

#[test]
fn the_tools_of_real_logs_are_read() {
    let (mut inputs, mut results, mut texts) = (0, 0, 0);
    let mut unknown = BTreeSet::new();
    for log in corpus_files() {
        let mut names = BTreeMap::new();
        let mut reader = Reader::new(&log[..]);
        while let Some(record) = reader.next_record() {
            let Ok(record) = record else { continue };
            let message = record.message();
            for call in message.tool_calls() {
                let (Some(id), Some(input)) = (call.id(), ToolInput::of(call))
                else {
                    continue;
                };
                let name = call.name().unwrap().to_string();
                names.insert(id.to_string(), name);
                let kept = owned::ToolInput::try_from(input).unwrap();
                assert_eq!(json!(kept), json!(call.input().unwrap()));
                unknown.extend(unread!(&kept, ToolInput));
                inputs += 1;
            }
            for block in message.content_blocks() {
                let (Block::ToolResult(answer), Message::User(user)) =
                    (block, message)
                else {
                    continue;
                };
                let name = answer.tool_use_id().and_then(|id| names.get(id));
                let Some(name) = name else { continue };
                let Some(result) = ToolResult::of(&user, name) else {
                    continue;
                };
                texts += u64::from(result.value().as_str().is_some());
                let kept = owned::ToolResult::try_from(result).unwrap();
                assert_eq!(json!(kept), json!(result.value()));
                unknown.extend(unread!(&kept, ToolResult));
                results += 1;
            }
        }
    }
    println!("{inputs} inputs, {results} results, {texts} of them strings");
    assert_eq!(unknown, BTreeSet::new(), "keys that the schema does not know");
}
