//! Transcripts in which `message` is a string, lines are linked by
//! `parentUuid`, and flags describe the state of a line.
#![cfg(feature = "owned")]

use linetape::{
    Message,
    message::{
        Block, Content, Envelope, SessionId, stream::AssistantSubtype,
        system::System, transcript::CompactOperation,
    },
    owned,
};
use serde_json::json;

use super::fixture::{self, Common, check_common, of_kind, on_line, reads};

const LOG: &str = include_str!("../../data/transcript.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

/// Sidechain, deleted, aborted, meta, error.
type Flags = [Option<bool>; 5];

fn flags(line: Envelope<'_>) -> Flags {
    [
        line.is_sidechain(),
        line.is_deleted(),
        line.is_aborted(),
        line.is_meta(),
        line.is_error(),
    ]
}

const NO_FLAGS: Flags = [None; 5];
const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

reads! {
    human_user, [1],
    Message::User(user) => {
        user.uuid() => Some("m-01");
        user.parent_uuid() => Some("m-00");
        user.timestamp() => Some("2025-03-04T08:00:00Z");
        user.session_id() => Some("walk");
        user.message().unwrap().content().and_then(Content::as_str) =>
            Some("Draw me a map");
        user.user_type() => None;
        flags(***user) => NO_FLAGS;
    }

    claude_as_user, [2],
    Message::User(user) => {
        user.uuid() => Some("m-02");
        user.parent_uuid() => Some("m-01");
        user.timestamp() => Some("2025-03-04T08:00:05Z");
        user.session_id() => Some("walk");
        user.message().unwrap().content().and_then(Content::as_str) =>
            Some("Look at these roads");
        user.user_type() => Some("external");
        flags(***user) => [YES, None, None, None, None];
    }

    response, [3],
    Message::Assistant(assistant) => {
        assistant.uuid() => Some("m-03");
        assistant.parent_uuid() => Some("m-02");
        assistant.timestamp() => Some("2025-03-04T08:00:10Z");
        assistant.session_id() => Some("walk");
        assistant.subtype() => Some(AssistantSubtype::Response);
        assistant.message().unwrap().content().and_then(Content::as_str) =>
            Some("A map it shall be.");
        assistant.request_session_id() => Some("ride");
        assistant.tool_name() => None;
        assistant.tool_arguments().is_none() => true;
        flags(***assistant) => NO_FLAGS;
    }

    tool_use, [4],
    Message::Assistant(assistant) => {
        assistant.uuid() => Some("m-04");
        assistant.parent_uuid() => Some("m-03");
        assistant.timestamp() => Some("2025-03-04T08:00:15Z");
        assistant.session_id() => Some("walk");
        assistant.subtype() => Some(AssistantSubtype::ToolUse);
        assistant.message().is_none() => true;
        assistant.tool_name() => Some("Write");
        serde_json::to_value(assistant.tool_arguments()).unwrap() => json!({
            "file_path": "/maps/roads.svg",
            "content": "<svg>\n</svg>",
        });
        flags(***assistant) => NO_FLAGS;
    }

    thinking_of_a_sub_agent, [5],
    Message::Assistant(assistant) => {
        assistant.uuid() => Some("m-05");
        assistant.parent_uuid() => Some("m-04");
        assistant.timestamp() => Some("2025-03-04T08:00:20Z");
        assistant.session_id() => Some("walk");
        assistant.subtype() => Some(AssistantSubtype::Thinking);
        assistant.message().unwrap().content().and_then(Content::as_str) =>
            Some("North is up.");
        flags(***assistant) => [YES, None, None, None, None];
    }

    command, [13],
    Message::Assistant(assistant) => {
        assistant.uuid() => Some("m-13");
        assistant.parent_uuid() => Some("m-12");
        assistant.timestamp() => Some("2025-03-04T08:01:00Z");
        assistant.session_id() => Some("walk");
        assistant.subtype() => Some(AssistantSubtype::Command);
        assistant.message().unwrap().content().and_then(Content::as_str) =>
            Some("/compact");
        flags(***assistant) => [NO, None, None, None, None];
    }

    error_of_the_assistant, [14],
    Message::Assistant(assistant) => {
        assistant.uuid() => Some("m-14");
        assistant.parent_uuid() => Some("m-13");
        assistant.timestamp() => Some("2025-03-04T08:01:05Z");
        assistant.session_id() => Some("walk");
        assistant.subtype() => Some(AssistantSubtype::Error);
        assistant.message().unwrap().content().and_then(Content::as_str) =>
            Some("The pen broke");
        flags(***assistant) => NO_FLAGS;
    }

    tool_result, [6],
    Message::System(System::ToolResult(result)) => {
        result.uuid() => Some("m-06");
        result.parent_uuid() => Some("m-05");
        result.timestamp() => Some("2025-03-04T08:00:25Z");
        result.session_id() => Some("walk");
        result.subtype() => Some("tool_result");
        result.message() => Some("Wrote /maps/roads.svg");
        flags(**result) => NO_FLAGS;
    }

    error_of_the_system, [7],
    Message::System(System::Error(error)) => {
        error.uuid() => Some("m-07");
        error.parent_uuid() => Some("m-06");
        error.timestamp() => Some("2025-03-04T08:00:30Z");
        error.session_id() => Some("walk");
        error.subtype() => Some("error");
        error.message() => Some("/maps is read-only");
        flags(**error) => [None, None, None, None, YES];
    }

    meta, [8],
    Message::System(System::Meta(meta)) => {
        meta.uuid() => Some("m-08");
        meta.parent_uuid() => Some("m-07");
        meta.timestamp() => Some("2025-03-04T08:00:35Z");
        meta.session_id() => Some("walk");
        meta.subtype() => Some("meta");
        meta.message() => Some("theme: dark");
        flags(**meta) => [None, None, None, YES, None];
    }

    system_without_subtype, [15],
    Message::System(System::Other(system)) => {
        system.uuid() => Some("m-15");
        system.parent_uuid() => Some("m-14");
        system.timestamp() => Some("2025-03-04T08:01:10Z");
        system.session_id() => Some("walk");
        system.subtype() => None;
        system.message() => Some("Back online");
        flags(*system) => NO_FLAGS;
    }

    compacting, [9],
    Message::CompactSystem(compact) => {
        compact.uuid() => Some("m-09");
        compact.parent_uuid() => Some("m-08");
        compact.timestamp() => Some("2025-03-04T08:00:40Z");
        compact.session_id() => Some("walk");
        compact.message() => Some(CompactOperation::Compacting);
        compact.metadata().is_none() => true;
    }

    compacted, [10],
    Message::CompactSystem(compact) => {
        compact.uuid() => Some("m-10");
        compact.parent_uuid() => Some("m-09");
        compact.timestamp() => Some("2025-03-04T08:00:45Z");
        compact.session_id() => Some("walk");
        compact.message() => Some(CompactOperation::Compacted);
        compact.metadata().unwrap().preserved_messages() => Some(15);
        compact.metadata().unwrap().total_messages() => Some(150);
        compact.metadata().unwrap().compression_ratio() => Some(0.1);
    }

    restoring, [11],
    Message::CompactSystem(compact) => {
        compact.uuid() => Some("m-11");
        compact.parent_uuid() => Some("m-10");
        compact.timestamp() => Some("2025-03-04T08:00:50Z");
        compact.session_id() => Some("walk");
        compact.message() => Some(CompactOperation::Restoring);
        compact.metadata().is_none() => true;
    }

    restored, [12],
    Message::CompactSystem(compact) => {
        compact.uuid() => Some("m-12");
        compact.parent_uuid() => Some("m-11");
        compact.timestamp() => Some("2025-03-04T08:00:55Z");
        compact.session_id() => Some("walk");
        compact.message() => Some(CompactOperation::Restored);
        compact.metadata().is_none() => true;
    }

    deleted_and_aborted, [16],
    Message::User(user) => {
        user.uuid() => Some("m-16");
        user.parent_uuid() => None;
        user.message().unwrap().content().and_then(Content::as_str) =>
            Some("Never mind");
        flags(***user) => [None, YES, YES, None, None];
    }

    all_flags_down, [17],
    Message::User(user) => {
        user.uuid() => Some("m-17");
        user.parent_uuid() => Some("m-03");
        user.message().unwrap().content().and_then(Content::as_str) =>
            Some("Draw it in ink");
        flags(***user) => [NO; 5];
    }

    user_without_message, [18],
    Message::User(user) => {
        user.uuid() => Some("m-18");
        user.parent_uuid() => None;
        user.message().is_none() => true;
        flags(***user) => [None, None, None, None, YES];
    }
}

/// A row: kind, number, parent, and the text, if any.
fn line(
    kind: &'static str,
    number: usize,
    parent: Option<usize>,
    text: Option<&'static str>,
) -> Common<'static> {
    const UUIDS: [&str; 19] = [
        "m-00", "m-01", "m-02", "m-03", "m-04", "m-05", "m-06", "m-07",
        "m-08", "m-09", "m-10", "m-11", "m-12", "m-13", "m-14", "m-15",
        "m-16", "m-17", "m-18",
    ];
    // The timestamps are five seconds apart.
    const TIMES: [&str; 18] = [
        "2025-03-04T08:00:00Z",
        "2025-03-04T08:00:05Z",
        "2025-03-04T08:00:10Z",
        "2025-03-04T08:00:15Z",
        "2025-03-04T08:00:20Z",
        "2025-03-04T08:00:25Z",
        "2025-03-04T08:00:30Z",
        "2025-03-04T08:00:35Z",
        "2025-03-04T08:00:40Z",
        "2025-03-04T08:00:45Z",
        "2025-03-04T08:00:50Z",
        "2025-03-04T08:00:55Z",
        "2025-03-04T08:01:00Z",
        "2025-03-04T08:01:05Z",
        "2025-03-04T08:01:10Z",
        "2025-03-04T08:01:15Z",
        "2025-03-04T08:01:20Z",
        "2025-03-04T08:01:25Z",
    ];
    let is_user = kind == "user";
    Common {
        session_id: Some(SessionId::Str("walk")),
        uuid: Some(UUIDS[number]),
        parent_uuid: parent.map(|parent| UUIDS[parent]),
        timestamp: Some(TIMES[number - 1]),
        user_uuid: is_user.then_some(UUIDS[number]),
        // A string is one text block.
        blocks: usize::from(text.is_some()),
        text: text.into_iter().collect(),
        ..of_kind(kind)
    }
}

#[test]
fn common_accessors() {
    let sidechain = |line| Common { is_sidechain: true, ..line };
    let error = |line| Common { is_error: true, ..line };
    check_common(
        LOG,
        &[
            line("user", 1, Some(0), Some("Draw me a map")),
            sidechain(line("user", 2, Some(1), Some("Look at these roads"))),
            line("assistant/response", 3, Some(2), Some("A map it shall be.")),
            line("assistant/tool_use", 4, Some(3), None),
            sidechain(line(
                "assistant/thinking",
                5,
                Some(4),
                Some("North is up."),
            )),
            line(
                "system/tool_result",
                6,
                Some(5),
                Some("Wrote /maps/roads.svg"),
            ),
            error(line(
                "system/error",
                7,
                Some(6),
                Some("/maps is read-only"),
            )),
            line("system/meta", 8, Some(7), Some("theme: dark")),
            line(
                "compact_system",
                9,
                Some(8),
                Some("conversation_compacting"),
            ),
            line(
                "compact_system",
                10,
                Some(9),
                Some("conversation_compacted"),
            ),
            line(
                "compact_system",
                11,
                Some(10),
                Some("conversation_restoring"),
            ),
            line(
                "compact_system",
                12,
                Some(11),
                Some("conversation_restored"),
            ),
            line("assistant/command", 13, Some(12), Some("/compact")),
            error(line(
                "assistant/error",
                14,
                Some(13),
                Some("The pen broke"),
            )),
            line("system", 15, Some(14), Some("Back online")),
            line("user", 16, None, Some("Never mind")),
            line("user", 17, Some(3), Some("Draw it in ink")),
            error(line("user", 18, None, None)),
        ],
    );
}

/// A string as `message` is read like an object with only that content.
#[test]
fn a_message_that_is_a_string_is_one_block_of_text() {
    for (number, text) in [(1, "Draw me a map"), (3, "A map it shall be.")] {
        on_line(LOG, number, |message| {
            let blocks: Vec<_> = message.content_blocks().collect();
            let [Block::Text(block)] = blocks[..] else {
                panic!("{blocks:?}");
            };
            assert_eq!(block.text(), Some(text));
        });
    }
}

/// An edited message has the same parent as the message that it replaces.
#[test]
fn branches_are_children_of_one_parent() {
    let mut children = vec![];
    for number in 1..=LOG.lines().count() {
        on_line(LOG, number, |message| {
            if message.parent_uuid() == Some("m-03") {
                children.push(message.uuid().unwrap().to_string());
            }
        });
    }
    assert_eq!(children, ["m-04", "m-17"]);
}

#[test]
fn owned_lines_have_the_same_fields() {
    on_line(LOG, 2, |message| {
        let owned = message.into_owned().unwrap();
        let owned::Message::User(user) = &owned else { panic!("{owned:?}") };
        let text = user.message.as_ref().and_then(|text| text.as_str());
        assert_eq!(text, Some("Look at these roads"));
        assert_eq!(user.user_type.as_deref(), Some("external"));
        assert_eq!(user.is_sidechain, Some(true));
        assert!(user.extra.is_empty(), "{:?}", user.extra);
    });
    on_line(LOG, 10, |message| {
        let owned = message.into_owned().unwrap();
        let owned::Message::CompactSystem(compact) = &owned else {
            panic!("{owned:?}");
        };
        let done = owned::transcript::CompactOperation::Compacted;
        assert_eq!(compact.message, Some(done));
        let metadata = compact.metadata.as_ref().unwrap();
        assert_eq!(metadata.total_messages, Some(150));
        assert!(compact.extra.is_empty() && metadata.extra.is_empty());
    });
}
