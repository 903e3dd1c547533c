//! The content blocks that the API has added in 2026, and what it has added to
//! others: callers, toolsets, citations, iterations.
#![cfg(feature = "owned")]

use linetape::{
    Message, Value,
    message::{
        Block, BrowserStateBlock, IterationKind, StopReason, ToolResultBlock,
        events::{ApiEvent, ContentBlockDelta, Delta, MessageDelta},
    },
};
use serde_json::{Value as Json, json};

use super::fixture::{self, Common, check_common, of_kind, reads};

const LOG: &str = include_str!("../../data/content_blocks.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

#[test]
fn every_member_is_read() {
    fixture::check_all_read(LOG);
}

fn json(value: Option<Value<'_>>) -> Json {
    serde_json::to_value(value).unwrap()
}

/// The only block, which must be of the given kind.
macro_rules! only {
    ($message:expr, $variant:path) => {{
        let mut blocks = $message.content();
        let (Some($variant(block)), None) = (blocks.next(), blocks.next())
        else {
            panic!("not one block of that kind");
        };
        block
    }};
}

/// The call that a result answers, and the result.
macro_rules! answer {
    ($message:expr, $variant:path) => {{
        let block = only!($message, $variant);
        (block.tool_use_id(), json(block.content().map(|c| c.value())))
    }};
}

fn message_delta(event: Option<ApiEvent<'_>>) -> MessageDelta<'_> {
    let Some(ApiEvent::MessageDelta(delta)) = event else {
        panic!("not that event");
    };
    delta
}

fn block_delta(event: Option<ApiEvent<'_>>) -> ContentBlockDelta<'_> {
    let Some(ApiEvent::ContentBlockDelta(delta)) = event else {
        panic!("not that event");
    };
    delta
}

/// The state of the browser in a tool result.
fn browser(result: ToolResultBlock<'_>) -> BrowserStateBlock<'_> {
    match result.content().unwrap().blocks().next() {
        Some(Block::BrowserState(state)) => state,
        other => panic!("{other:?}"),
    }
}

reads! {
    web_fetch_tool_result, [1],
    Message::Assistant(assistant) => {
        answer!(assistant, Block::WebFetchToolResult) => (
            Some("srv-1"),
            json!({
                "type": "web_fetch_result",
                "url": "https://example.org/tides",
            }),
        );
        only!(assistant, Block::WebFetchToolResult).caller().map(|caller| {
            (caller.kind(), caller.tool_id())
        }) => Some((Some("code_execution_20260120"), Some("srv-0")));
    }

    advisor_tool_result, [2],
    Message::Assistant(assistant) => {
        answer!(assistant, Block::AdvisorToolResult) => (
            Some("srv-2"),
            json!({"type": "advisor_result", "text": "Wait for the tide"}),
        );
    }

    bash_code_execution_tool_result, [3],
    Message::Assistant(assistant) => {
        answer!(assistant, Block::BashCodeExecutionToolResult) => (
            Some("srv-3"),
            json!({
                "type": "bash_code_execution_result",
                "stdout": "7",
                "stderr": "",
                "return_code": 0,
            }),
        );
    }

    text_editor_code_execution_tool_result, [4],
    Message::Assistant(assistant) => {
        answer!(assistant, Block::TextEditorCodeExecutionToolResult) => (
            Some("srv-4"),
            json!({
                "type": "text_editor_code_execution_view_result",
                "content": "<svg/>",
            }),
        );
    }

    tool_search_tool_result, [5],
    Message::Assistant(assistant) => {
        answer!(assistant, Block::ToolSearchToolResult) => (
            Some("srv-5"),
            json!({
                "type": "tool_search_tool_search_result",
                "tool_references": [
                    {"type": "tool_reference", "tool_name": "Sound"},
                ],
            }),
        );
    }

    compaction, [6],
    Message::Assistant(assistant) => {
        only!(assistant, Block::Compaction).content() =>
            Some("The bay was mapped");
        only!(assistant, Block::Compaction).encrypted_content() =>
            Some("c2Vh");
        only!(assistant, Block::Compaction).signature() => Some("c2ln");
        json(only!(assistant, Block::Compaction).tool_changes()) =>
            json!([{"added": "Sound"}]);
        json(only!(assistant, Block::Compaction).cache_control()) =>
            json!({"type": "ephemeral"});
    }

    mcp_tool_listing, [7],
    Message::User(user) => {
        only!(user, Block::McpToolListing).mcp_server_name() =>
            Some("charts");
        only!(user, Block::McpToolListing).tools().unwrap().iter().map(
            |tool| json(Some(tool)),
        ).collect::<Vec<_>>() => [json!({"name": "draw"})];
    }

    tool_addition, [8],
    Message::User(user) => {
        json(only!(user, Block::ToolAddition).tool()) =>
            json!({"name": "draw"});
        json(only!(user, Block::ToolAddition).cache_control()) =>
            json!({"type": "ephemeral"});
    }

    tool_removal, [9],
    Message::User(user) => {
        json(only!(user, Block::ToolRemoval).tool()) =>
            json!({"name": "draw"});
        json(only!(user, Block::ToolRemoval).cache_control()) =>
            json!({"type": "ephemeral"});
    }

    call_of_a_toolset, [10],
    Message::Assistant(assistant) => {
        only!(assistant, Block::ToolUse).toolset_name() => Some("charts");
        only!(assistant, Block::ToolUse).caller().map(|caller| {
            (caller.kind(), caller.tool_id())
        }) => Some((Some("direct"), None));
    }

    result_of_a_toolset, [11],
    Message::User(user) => {
        only!(user, Block::ToolResult).toolset_name() => Some("charts");
    }

    caller_of_a_search, [12],
    Message::Assistant(assistant) => {
        only!(assistant, Block::WebSearchToolResult).caller().unwrap().kind()
            => Some("direct");
    }

    image, [13],
    Message::User(user) => {
        json(only!(user, Block::Image).transformations()) =>
            json!([{"type": "resize"}]);
    }

    fallback, [14],
    Message::Assistant(assistant) => {
        json(only!(assistant, Block::Fallback).trigger()) =>
            json!({"type": "refusal"});
    }

    citation, [15],
    Message::Assistant(assistant) => {
        only!(assistant, Block::Text).citations().unwrap().iter().map(
            |citation| (
                citation.file_id(),
                citation.start_char_index(),
                citation.end_char_index(),
                citation.start_page_number(),
                citation.end_page_number(),
                citation.start_block_index(),
                citation.end_block_index(),
                citation.encrypted_index(),
                citation.search_result_index(),
                citation.source(),
            ),
        ).collect::<Vec<_>>() => [(
            Some("file-1"),
            Some(10),
            Some(14),
            Some(1),
            Some(2),
            Some(3),
            Some(4),
            Some("aWR4"),
            Some(5),
            Some("bay.txt"),
        )];
    }

    message, [16],
    Message::Assistant(assistant) => {
        assistant.message().unwrap().stop_reason() =>
            Some(StopReason::Compaction);
        assistant.message().unwrap().stop_details().map(|details| (
            details.kind(),
            details.category(),
            details.explanation(),
            details.recommended_model(),
            details.fallback_credit_token(),
            details.fallback_has_prefill_claim(),
        )) => Some((
            Some("refusal"),
            Some("cyber"),
            Some("Not this"),
            Some("claude-sonnet-5"),
            Some("dG9r"),
            Some(true),
        ));
        assistant.message().unwrap().input_transformations().unwrap()
            .iter().map(|change| json(Some(change))).collect::<Vec<_>>()
            => [json!({"type": "resize"})];
        assistant.message().unwrap().usage().unwrap().iterations().unwrap()
            .iter().map(|iteration| (
                iteration.kind(),
                iteration.model(),
                iteration.input_tokens(),
                iteration.output_tokens(),
                iteration.cache_creation_input_tokens(),
                iteration.cache_read_input_tokens(),
                iteration.cache_creation().unwrap()
                    .ephemeral_5m_input_tokens(),
            )).collect::<Vec<_>>() => [(
                Some(IterationKind::Compaction),
                Some("claude-opus-5"),
                Some(3),
                Some(4),
                Some(5),
                Some(6),
                Some(5),
            )];
    }

    compaction_delta, [17],
    Message::StreamEvent(event) => {
        match block_delta(event.event()).delta() {
            Some(Delta::Compaction(delta)) => {
                Some((delta.content(), delta.encrypted_content()))
            }
            _ => None,
        } => Some((Some("The bay was mapped"), Some("c2Vh")));
    }

    message_delta_event, [18],
    Message::StreamEvent(event) => {
        message_delta(event.event()).input_transformations().unwrap().iter()
            .map(|change| json(Some(change))).collect::<Vec<_>>()
            => [json!({"type": "resize"})];
        message_delta(event.event()).delta().unwrap().stop_reason() =>
            Some(StopReason::Compaction);
    }

    web_search_result, [19],
    Message::Assistant(assistant) => {
        only!(assistant, Block::WebSearchToolResult).content().unwrap()
            .blocks().map(|block| match block {
                Block::WebSearchResult(page) => (
                    page.title(),
                    page.url(),
                    page.page_age(),
                    page.encrypted_content(),
                ),
                other => panic!("{other:?}"),
            }).collect::<Vec<_>>() => [(
                Some("Tides"),
                Some("https://example.org/tides"),
                Some("2 days ago"),
                Some("dGlkZQ=="),
            )];
    }

    browser_state, [20],
    Message::User(user) => {
        browser(only!(user, Block::ToolResult)).tabs().unwrap().iter().map(
            |tab| (tab.tab_id(), tab.title(), tab.url(), tab.active()),
        ).collect::<Vec<_>>() => [(
            Some("tab-1"),
            Some("Tides"),
            Some("https://example.org/tides"),
            Some(true),
        )];
        browser(only!(user, Block::ToolResult)).state_changes().unwrap()
            .iter().map(|change| (
                change.kind(),
                change.tab_id().or(change.download_id()),
                change.url(),
                change.path(),
                change.size_bytes(),
                change.error(),
            )).collect::<Vec<_>>() => [
                (Some("tab_opened"), Some("tab-1"), None, None, None, None),
                (
                    Some("download_completed"),
                    Some("down-1"),
                    Some("https://example.org/bay.png"),
                    Some("bay.png"),
                    Some(7),
                    None,
                ),
                (
                    Some("download_failed"),
                    Some("down-2"),
                    Some("https://example.org/sea.png"),
                    None,
                    None,
                    Some("too deep"),
                ),
            ];
        json(browser(only!(user, Block::ToolResult)).cache_control()) =>
            json!({"type": "ephemeral"});
    }

    tool_reference, [21],
    Message::User(user) => {
        only!(user, Block::ToolReference).tool_name() => Some("Sound");
        json(only!(user, Block::ToolReference).cache_control()) =>
            json!({"type": "ephemeral"});
    }
}

#[test]
fn common_accessors() {
    let one = |kind| Common { blocks: 1, ..of_kind(kind) };
    check_common(
        LOG,
        &[
            one("assistant"),
            one("assistant"),
            one("assistant"),
            one("assistant"),
            one("assistant"),
            one("assistant"),
            one("user"),
            one("user"),
            one("user"),
            one("assistant"),
            one("user"),
            one("assistant"),
            one("user"),
            one("assistant"),
            Common { text: vec!["It is deep"], ..one("assistant") },
            Common { usage: Some((1, 2)), ..of_kind("assistant") },
            of_kind("stream_event"),
            Common { usage: Some((1, 2)), ..of_kind("stream_event") },
            one("assistant"),
            one("user"),
            one("user"),
        ],
    );
}
