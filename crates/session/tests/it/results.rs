//! The texts of tool results.

use linetape::Decoder;
use linetape_session::conversation::ResultText;
use serde_json::{Value, json};

/// Returns the text of a result, and whether it failed.
fn result(block: Value) -> (String, bool) {
    let line = json!({"type": "user", "message": {"content": [block]}});
    let mut decoder = Decoder::new();
    let line = line.to_string();
    let record = decoder.decode(line.as_bytes()).unwrap();
    let block = record.message().content_blocks().next().unwrap();
    let result = ResultText::of_block(block);
    (result.text.into_owned(), result.is_error)
}

fn of_tool(content: Value) -> String {
    result(json!({"type": "tool_result", "content": content})).0
}

fn of_server(kind: &str, content: Value) -> (String, bool) {
    result(json!({"type": kind, "content": content}))
}

/// Blocks beside a text were left out, and documents had no text.
#[test]
fn a_result_has_all_its_blocks() {
    let text = json!({"type": "text", "text": "Before"});
    let image = json!({"type": "image", "source": {}});
    let document = json!({"type": "document", "title": "Plan", "source": {
        "type": "text", "data": "Count."}});
    let found = json!({"type": "search_result", "title": "Tape",
        "source": "t.example", "content": [{"type": "text", "text": "Long"}]});
    let tool = json!({"type": "tool_reference", "tool_name": "Grep"});
    let cases = [
        (json!("one"), "one"),
        (json!([text]), "Before"),
        (json!([text, image, text]), "Before\n(image)\nBefore"),
        (json!([document]), "(document: Plan)\nCount."),
        (json!([found]), "(search_result: Tape t.example)\nLong"),
        (json!([tool]), "(tool_reference: Grep)"),
        (json!([]), ""),
        (json!({"a": 1}), "{\"a\":1}"),
        (Value::Null, ""),
        (json!(5), "5"),
        (json!(true), "true"),
    ];
    for (content, expected) in cases {
        assert_eq!(of_tool(content.clone()), expected, "{content}");
    }
}

/// A page that the API fetched, the file that it read and the tools that it
/// found were empty results.
#[test]
fn a_result_of_the_api_has_its_text() {
    let cases = [
        (
            "web_fetch_tool_result",
            json!({"type": "web_fetch_result", "url": "https://a.example",
                "content": {"type": "document", "title": "A", "source": {
                    "type": "text", "data": "Apples."}}}),
            ("https://a.example\ndocument: A\nApples.", false),
        ),
        (
            "web_fetch_tool_result",
            json!({"type": "web_fetch_tool_result_error",
                "error_code": "url_not_allowed"}),
            ("url_not_allowed", true),
        ),
        (
            "text_editor_code_execution_tool_result",
            json!({"type": "text_editor_code_execution_view_result",
                "content": "let a;\n", "num_lines": 1}),
            ("let a;", false),
        ),
        (
            "text_editor_code_execution_tool_result",
            json!({"type": "text_editor_code_execution_str_replace_result",
                "lines": ["-let a;", "", "+let b;"]}),
            ("-let a;\n\n+let b;", false),
        ),
        (
            "tool_search_tool_result",
            json!({"type": "tool_search_tool_search_result",
                "tool_references": [
                    {"type": "tool_reference", "tool_name": "Grep"},
                    {"type": "tool_reference", "tool_name": "Glob"}]}),
            ("Grep\nGlob", false),
        ),
        (
            "bash_code_execution_tool_result",
            json!({"type": "bash_code_execution_result", "stdout": "fine\n",
                "stderr": "", "return_code": 1, "content": []}),
            ("fine", true),
        ),
        (
            "bash_code_execution_tool_result",
            json!({"stdout": "fine", "error_code": null}),
            ("fine", false),
        ),
        (
            "web_fetch_tool_result",
            json!({"type": "web_fetch_result", "content": [
                {"type": "document", "title": "A", "source": {
                    "type": "text", "data": "Apples."}},
                {"type": "text", "text": "Pears."},
                {"type": "other", "encrypted_content": "xyz"}]}),
            ("document: A\nApples.\nPears.\n(other)", false),
        ),
        (
            "advisor_tool_result",
            json!({"type": "advisor_result", "text": "Wait."}),
            ("Wait.", false),
        ),
        (
            "web_search_tool_result",
            json!([{"type": "web_search_result", "title": "T", "url": "u"}]),
            ("T u", false),
        ),
    ];
    for (kind, content, (text, is_error)) in cases {
        let expected = (text.to_string(), is_error);
        assert_eq!(of_server(kind, content), expected, "{kind}");
    }
}
