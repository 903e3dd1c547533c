//! Stream-json with tools as objects or strings, flat and nested control
//! messages, and events without a type.
#![cfg(feature = "owned")]

use linetape::{
    Message, Reader, Value,
    message::{
        Block, Content, SessionId, TextBlock, ThinkingBlock, ToolResultBlock,
        ToolUseBlock,
        control::{CanUseTool, Initialize, Request, Response},
        results::ResultSubtype,
        stream::RateLimitStatus,
        system::{McpServer, System, ToolInfo},
    },
    owned,
};
use serde_json::{Value as Json, json};

use super::fixture::{self, Common, check_common, of_kind, on_line, reads};

const LOG: &str = include_str!("../../data/stream_json.jsonl");

#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    fixture::check_round_trip(LOG);
}

fn json(value: Option<Value<'_>>) -> Option<Json> {
    value.map(|value| serde_json::to_value(value).unwrap())
}

/// Returns the only item, which must be of the given kind.
macro_rules! only {
    ($items:expr, $variant:path) => {{
        let mut items = $items.into_iter();
        let (Some($variant(item)), None) = (items.next(), items.next()) else {
            panic!("not one item of that kind");
        };
        item
    }};
}

fn only_text(message: Message<'_>) -> TextBlock<'_> {
    only!(message.content_blocks(), Block::Text)
}

fn only_call(message: Message<'_>) -> ToolUseBlock<'_> {
    only!(message.content_blocks(), Block::ToolUse)
}

fn only_answer(message: Message<'_>) -> ToolResultBlock<'_> {
    only!(message.content_blocks(), Block::ToolResult)
}

fn only_thought(message: Message<'_>) -> ThinkingBlock<'_> {
    only!(message.content_blocks(), Block::Thinking)
}

fn thought_and_text(
    message: Message<'_>,
) -> (ThinkingBlock<'_>, TextBlock<'_>) {
    let blocks: Vec<_> = message.content_blocks().collect();
    let [Block::Thinking(thought), Block::Text(text)] = blocks[..] else {
        panic!("{blocks:?}");
    };
    (thought, text)
}

fn text_and_call(message: Message<'_>) -> (TextBlock<'_>, ToolUseBlock<'_>) {
    let blocks: Vec<_> = message.content_blocks().collect();
    let [Block::Text(text), Block::ToolUse(call)] = blocks[..] else {
        panic!("{blocks:?}");
    };
    (text, call)
}

/// All fields of a tool.
type Tool<'a> = (Option<&'a str>, Option<&'a str>, Option<Json>);

fn tool(tool: ToolInfo<'_>) -> Tool<'_> {
    (tool.name(), tool.description(), json(tool.input_schema()))
}

fn server(server: McpServer<'_>) -> (Option<&str>, Option<&str>) {
    (server.name(), server.status())
}

fn takes_a(property: &str) -> Option<Json> {
    let properties = json!({ property: { "type": "string" } });
    Some(json!({ "type": "object", "properties": properties }))
}

reads! {
    init_with_tools_as_objects, [1, 21],
    Message::System(System::Init(init)) => {
        init.subtype() => Some("init");
        init.session_id() => Some("sess-alder");
        init.tools().unwrap().iter().map(tool).collect::<Vec<_>>() =>
            [(Some("bash"), Some("Runs a command"), takes_a("command"))];
        init.mcp_servers().unwrap().iter().map(server).collect::<Vec<_>>() =>
            [(Some("files"), None)];
    }

    init_with_a_minimal_tool_and_fields_of_its_own, [14],
    Message::System(System::Init(init)) => {
        init.session_id() => Some("sess-cedar");
        init.cwd() => Some("/home/ada");
        init.tools().unwrap().iter().map(tool).collect::<Vec<_>>() => [
            (Some("bash"), None, None),
            (Some("read"), Some("Reads a file"), takes_a("path")),
        ];
        init.mcp_servers().unwrap().iter().map(server).collect::<Vec<_>>() =>
            [(Some("files"), None)];
    }

    init_with_tools_as_strings, [15],
    Message::System(System::Init(init)) => {
        init.session_id() => Some("sess-cedar");
        init.tools().unwrap().iter().map(tool).collect::<Vec<_>>() =>
            [(Some("Bash"), None, None), (Some("Read"), None, None)];
        init.mcp_servers().unwrap().iter().map(server).collect::<Vec<_>>() =>
            [(Some("files"), Some("connected"))];
    }

    init_without_schema_and_servers, [18],
    Message::System(System::Init(init)) => {
        init.session_id() => Some("sess-birch");
        init.tools().unwrap().iter().map(tool).collect::<Vec<_>>() =>
            [(Some("bash"), Some("Runs a command"), None)];
        init.mcp_servers().unwrap().iter().count() => 0;
    }

    compact_boundary, [2, 33],
    Message::System(System::CompactBoundary(boundary)) => {
        boundary.subtype() => Some("compact_boundary");
        boundary.compact_metadata().is_none() => true;
        boundary.session_id() => None;
    }

    text_and_tool_call, [3, 22],
    message @ Message::Assistant(assistant) => {
        assistant.message().unwrap().role() => Some("assistant");
        assistant.parent_tool_use_id() => None;
        text_and_call(message).0.text() => Some("Looking now.");
        text_and_call(message).1.id() => Some("call-1");
        text_and_call(message).1.name() => Some("bash");
        json(text_and_call(message).1.input()) =>
            Some(json!({ "command": "ls" }));
    }

    result_of_a_tool, [4, 23],
    message @ Message::User(user) => {
        user.message().unwrap().role() => Some("user");
        only_answer(message).tool_use_id() => Some("call-1");
        only_answer(message).content().and_then(Content::as_str) =>
            Some("total 1\n-rw-r--r-- notes.md");
        only_answer(message).failed() => Some(false);
        only_answer(message).is_error() => false;
    }

    block_of_text, [5],
    message @ Message::Assistant(assistant) => {
        only_text(message).text() => Some("At your service.");
        assistant.duration_ms() => None;
    }

    block_of_a_tool_call, [6],
    message @ Message::Assistant(_) => {
        only_call(message).id() => Some("call-2");
        only_call(message).name() => Some("bash");
        json(only_call(message).input()) =>
            Some(json!({ "command": "hostname" }));
    }

    block_of_a_tool_result_as_string, [7],
    message @ Message::User(_) => {
        only_answer(message).tool_use_id() => Some("call-2");
        only_answer(message).content().and_then(Content::as_str) =>
            Some("alder");
        only_answer(message).text().collect::<Vec<_>>() => ["alder"];
        only_answer(message).failed() => Some(false);
        only_answer(message).is_error() => false;
    }

    block_of_a_tool_result_as_json, [8],
    message @ Message::User(_) => {
        only_answer(message).tool_use_id() => Some("call-2");
        json(only_answer(message).content().map(Content::value)) =>
            Some(json!({ "output": "not allowed" }));
        only_answer(message).content().and_then(Content::as_str) => None;
        only_answer(message).content().unwrap().blocks().count() => 0;
        only_answer(message).text().count() => 0;
        only_answer(message).failed() => Some(true);
        only_answer(message).is_error() => true;
    }

    is_error_of_a_tool_result_defaults_to_false, [9],
    message @ Message::User(_) => {
        only_answer(message).failed() => None;
        only_answer(message).is_error() => false;
        only!(only_answer(message).content().unwrap().blocks(), Block::Text)
            .text() => Some("alder");
    }

    block_of_thinking, [10],
    message @ Message::Assistant(_) => {
        only_thought(message).thinking() => Some("A name is wanted.");
        only_thought(message).signature() => None;
    }

    success_with_everything, [11],
    Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::Success);
        result.result() => Some("All is well");
        result.duration_ms() => Some(1500.0);
        result.num_turns() => Some(3);
        result.session_id() => Some("sess-alder");
        result.total_cost_usd() => Some(0.025);
        result.usage().unwrap().input_tokens() => Some(1200);
        result.usage().unwrap().output_tokens() => Some(350);
        result.error() => None;
    }

    success_of_a_simple_query, [20],
    Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::Success);
        result.result() => Some("Counted the files");
        result.duration_ms() => Some(156.0);
        result.num_turns() => Some(1);
        result.session_id() => None;
        result.total_cost_usd() => None;
        result.usage().unwrap().input_tokens() => Some(45);
        result.usage().unwrap().output_tokens() => Some(28);
    }

    success_after_a_tool, [25],
    Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::Success);
        result.result() => Some("Looked around");
        result.duration_ms() => Some(450.0);
        result.num_turns() => Some(2);
        result.usage().unwrap().input_tokens() => Some(200);
        result.usage().unwrap().output_tokens() => Some(85);
    }

    error_result, [12, 26],
    Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::Error);
        result.error() => Some("the disk is full");
        result.result() => None;
        result.is_error() => None;
    }

    input_required, [13, 32],
    Message::Result(result) => {
        result.subtype() => Some(ResultSubtype::InputRequired);
        result.result() => None;
        result.error() => None;
    }

    event_without_type, [16],
    Message::Event(event) => {
        event.event_type() => Some("message_start");
        json(event.data()) => Some(json!({ "message_id": "msg-1" }));
    }

    a_single_line, [17],
    message @ Message::Assistant(assistant) => {
        assistant.message().unwrap().role() => Some("assistant");
        only_text(message).text() => Some("Good day");
        assistant.duration_ms() => None;
    }

    answer_to_a_simple_query, [19],
    message @ Message::Assistant(assistant) => {
        assistant.message().unwrap().role() => Some("assistant");
        only_text(message).text() => Some("There is one file.");
        assistant.duration_ms() => Some(142.0);
    }

    answer_after_a_tool, [24],
    message @ Message::Assistant(assistant) => {
        assistant.message().unwrap().role() => Some("assistant");
        only_text(message).text() => Some("Only notes here.");
        assistant.duration_ms() => Some(120.0);
    }

    thinking_content, [27],
    message @ Message::Assistant(assistant) => {
        assistant.message().unwrap().role() => Some("assistant");
        thought_and_text(message).0.thinking() => Some("A list is wanted.");
        thought_and_text(message).1.text() => Some("Here it is.");
        assistant.duration_ms() => Some(234.0);
    }

    answer_of_a_nested_agent, [44],
    message @ Message::Assistant(assistant) => {
        assistant.parent_tool_use_id() => Some("call-1");
        only_text(message).text() => Some("From below.");
        assistant.duration_ms() => Some(7.0);
    }

    flattened_initialize, [28],
    Message::ControlRequest(request) => {
        request.request_id() => Some("req-1");
        request.request().is_none() => true;
        initialize(request.body()).can_use_tool() => Some(true);
    }

    nested_initialize, [34],
    Message::ControlRequest(request) => {
        request.request_id() => Some("req-3");
        initialize(request.body()).can_use_tool() => Some(true);
        json(initialize(request.body()).hooks()) => Some(Json::Null);
        initialize(request.body()).sdk_mcp_servers().unwrap().iter()
            .collect::<Vec<_>>() => ["files"];
        initialize(request.body()).append_system_prompt() =>
            Some("Be brief.");
        initialize(request.request().unwrap()).can_use_tool() => Some(true);
    }

    flattened_success, [29],
    Message::ControlResponse(response) => {
        response.request_id() => Some("req-1");
        response.answers() => Some("req-1");
        response.response().is_none() => true;
        success(response.body()) => (Some("req-1"), None, None, None);
    }

    nested_success, [35],
    Message::ControlResponse(response) => {
        response.request_id() => None;
        response.answers() => Some("req-3");
        success(response.body()) =>
            (Some("req-3"), Some(json!({ "commands": [] })), None, None);
    }

    flattened_question_about_a_tool, [30],
    Message::ControlRequest(request) => {
        request.request_id() => Some("req-2");
        can_use_tool(request.body()).tool_name() => Some("Bash");
        json(can_use_tool(request.body()).input()) =>
            Some(json!({ "command": "mkfs" }));
        can_use_tool(request.body()).tool_use_id() => None;
    }

    nested_question_about_a_tool, [36],
    Message::ControlRequest(request) => {
        request.request_id() => Some("req-4");
        can_use_tool(request.body()).tool_name() => Some("Bash");
        can_use_tool(request.body()).display_name() => Some("Shell");
        json(can_use_tool(request.body()).input()) =>
            Some(json!({ "command": "make" }));
        can_use_tool(request.body()).tool_use_id() => Some("call-9");
    }

    flattened_denial, [31],
    Message::ControlResponse(response) => {
        response.answers() => Some("req-2");
        success(response.body()) =>
            (Some("req-2"), None, Some(false), Some("Too dangerous"));
    }

    nested_denial, [37],
    Message::ControlResponse(response) => {
        response.answers() => Some("req-4");
        success(response.body()) => (
            Some("req-4"),
            Some(json!({ "behavior": "deny", "message": "Not now" })),
            None,
            None,
        );
    }

    nested_response_with_the_id_outside, [38],
    Message::ControlResponse(response) => {
        response.request_id() => Some("req-4");
        response.answers() => Some("req-4");
        success(response.body()) =>
            (None, Some(json!({ "behavior": "allow" })), None, None);
    }

    flattened_and_nested_failure, [39, 40],
    Message::ControlResponse(response) => {
        response.answers() => Some("req-5");
        matches!(response.body(), Response::Error(failure)
            if failure.error() == Some("no such mode")
                && failure.request_id() == Some("req-5")) => true;
    }

    unknown_control_request_with_the_type_last, [41],
    Message::ControlRequest(request) => {
        request.request_id() => Some("req-6");
        matches!(request.body(), Request::Other(other)
            if other.subtype() == Some("sing")) => true;
    }

    rate_limit_event, [42],
    Message::RateLimitEvent(event) => {
        event.rate_limit_info().unwrap().status() =>
            Some(RateLimitStatus::Allowed);
        event.session_id() => Some("sess-alder");
        event.uuid() => Some("uuid-42");
    }

    mcp_message, [43],
    Message::McpMessage(mcp) => {
        mcp.server_name() => Some("files");
        json(mcp.message()) => Some(
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
        );
    }
}

fn initialize(request: Request<'_>) -> Initialize<'_> {
    let Request::Initialize(initialize) = request else {
        panic!("{request:?}");
    };
    initialize
}

fn can_use_tool(request: Request<'_>) -> CanUseTool<'_> {
    let Request::CanUseTool(question) = request else {
        panic!("{request:?}");
    };
    question
}

/// All fields of a successful response: the request id, the result, and the
/// fields of the flat form.
type Success<'a> =
    (Option<&'a str>, Option<Json>, Option<bool>, Option<&'a str>);

fn success(response: Response<'_>) -> Success<'_> {
    let Response::Success(success) = response else {
        panic!("{response:?}");
    };
    let answer = json(success.response());
    (success.request_id(), answer, success.allowed(), success.reason())
}

/// The two lines of a pair differ in the durations.
#[test]
fn duration_of_the_two_tool_calls() {
    for (number, duration) in [(3, 250.0), (22, 180.0)] {
        on_line(LOG, number, |message| {
            let Message::Assistant(assistant) = message else {
                panic!("{message:?}");
            };
            assert_eq!(assistant.duration_ms(), Some(duration));
        });
    }
}

#[test]
fn common_accessors() {
    let alder = Some(SessionId::Str("sess-alder"));
    let cedar = Some(SessionId::Str("sess-cedar"));
    let birch = Some(SessionId::Str("sess-birch"));
    let says =
        |text| Common { blocks: 1, text: vec![text], ..of_kind("assistant") };
    let init = |session_id| Common { session_id, ..of_kind("system/init") };
    // The output of a tool is not text of the user.
    let tool_result = || Common { blocks: 1, ..of_kind("user") };
    let calls = || Common { blocks: 2, ..says("Looking now.") };
    let success = |read, written| Common {
        is_final: true,
        usage: Some((read, written)),
        ..of_kind("result/success")
    };
    let error = || Common {
        is_final: true,
        is_error: true,
        ..of_kind("result/error")
    };
    let input_required =
        || Common { is_final: true, ..of_kind("result/input_required") };
    check_common(
        LOG,
        &[
            init(alder),
            of_kind("system/compact_boundary"),
            calls(),
            tool_result(),
            says("At your service."),
            Common { blocks: 1, ..of_kind("assistant") },
            tool_result(),
            tool_result(),
            tool_result(),
            Common { blocks: 1, ..of_kind("assistant") },
            Common { session_id: alder, ..success(1200, 350) },
            error(),
            input_required(),
            init(cedar),
            init(cedar),
            of_kind("none"),
            says("Good day"),
            init(birch),
            says("There is one file."),
            success(45, 28),
            init(alder),
            calls(),
            tool_result(),
            says("Only notes here."),
            success(200, 85),
            error(),
            Common { blocks: 2, ..says("Here it is.") },
            // A flat message has its subtype in the outermost object, where
            // `kind` reads it.
            of_kind("control_request/initialize"),
            of_kind("control_response/success"),
            of_kind("control_request/can_use_tool"),
            of_kind("control_response/success"),
            input_required(),
            of_kind("system/compact_boundary"),
            of_kind("control_request"),
            of_kind("control_response"),
            of_kind("control_request"),
            of_kind("control_response"),
            of_kind("control_response"),
            of_kind("control_response/error"),
            of_kind("control_response"),
            of_kind("control_request/sing"),
            Common {
                session_id: alder,
                uuid: Some("uuid-42"),
                ..of_kind("rate_limit_event")
            },
            of_kind("mcp_message"),
            Common { is_sidechain: true, ..says("From below.") },
        ],
    );
}

/// The dialect's `extra`: additional fields of the sender, at each level.
#[test]
fn fields_that_the_dialect_does_not_name_are_in_extra() {
    on_line(LOG, 14, |message| {
        let owned = message.into_owned().unwrap();
        let owned::Message::System(system) = &owned else {
            panic!("{owned:?}");
        };
        let owned::system::System::Init(init) = &**system else {
            panic!("{system:?}");
        };
        assert_eq!(init.session_id.as_deref(), Some("sess-cedar"));
        let extra = json!({ "motd": { "lines": ["hi"] } });
        assert_eq!(Json::Object(init.extra.clone().into_map()), extra);
        let server = &init.mcp_servers.as_ref().unwrap()[0];
        assert_eq!(server.name.as_deref(), Some("files"));
        let extra = json!({ "version": "1.0.0" });
        assert_eq!(Json::Object(server.extra.clone().into_map()), extra);
    });
    on_line(LOG, 12, |message| {
        let owned = message.into_owned().unwrap();
        let owned::Message::Result(result) = &owned else {
            panic!("{owned:?}");
        };
        assert_eq!(result.error.as_deref(), Some("the disk is full"));
        let extra = json!({ "error_code": "ENOSPC", "exit_code": 28 });
        assert_eq!(Json::Object(result.extra.clone().into_map()), extra);
    });
}

/// Hosts and agents exchange the nested form, so the constructors create it.
#[test]
fn built_control_messages_read_as_the_dialect_says() {
    let mut reader = Reader::new(LOG.as_bytes());
    let built = owned::control::ControlResponse::deny("req-4", "Not now");
    let mut found = 0;
    while let Some(record) = reader.next_record() {
        let record = record.unwrap().into_owned();
        found += usize::from(record == built.clone().into());
    }
    assert_eq!(found, 1, "line 37 and no other");
}
