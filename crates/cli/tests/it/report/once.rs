//! Texts that are in a page once: diffs, and those of documents and of hooks.

use serde_json::{Value, json};

use super::texts::{page as page_of, prompt, shown};
use crate::support::lines::{answer, call, said};

/// Returns the page of an edit whose result states a diff.
fn page_of_edit(name: &str, patch: Value) -> String {
    let input = json!({
        "file_path": "/a.rs",
        "old_string": "let pear = 1;\nlet plum = 2;",
        "new_string": "let pear = 1;\nlet apple = 3;\n",
    });
    let mut done = answer("t1", json!("done"));
    done["toolUseResult"] = json!({"structuredPatch": patch});
    let lines = [prompt("Edit."), said("m1", call("t1", "Edit", input)), done];
    page_of(name, &lines, &[])
}

/// The diff of one call was also shown at the other call of its message.
#[test]
fn a_diff_is_shown_at_its_call_only() {
    let patch = json!([{"oldStart": 1, "newStart": 1, "lines": [
        " let pear = 1;", "-let plum = 2;", "+let apple = 3;"]}]);
    let page = page_of_edit("edit.jsonl", patch.clone());
    assert_eq!(page.matches("<pre class=\"diff\">").count(), 1, "{page}");
    assert!(page.contains("+let apple = 3;"), "{page}");
    let arguments = "old_string: let pear = 1;\nlet plum = 2;</pre>";
    assert!(page.contains(arguments), "{page}");
    let both = |one: Value, other: Value| {
        let mut both = one;
        let more = other["message"]["content"][0].clone();
        both["message"]["content"].as_array_mut().unwrap().push(more);
        both
    };
    let input = json!({"file_path": "/a.rs"});
    let mut done = both(answer("t1", json!("a")), answer("t2", json!("b")));
    done["toolUseResult"] = json!({"structuredPatch": patch});
    let calls = both(
        said("m1", call("t1", "Edit", input.clone())),
        said("m1", call("t2", "Edit", input)),
    );
    let page = page_of("two.jsonl", &[prompt("Edit."), calls, done], &[]);
    assert!(page.contains("id=\"c1\"") && !page.contains("class=\"diff\""));
}

/// A page had the word `document` for it.
#[test]
fn a_document_in_a_prompt_is_shown() {
    let document = json!({"type": "document", "title": "Plan", "source": {
        "type": "text", "data": "Count <b>apples</b>.\nThen pears."}});
    let lines = [json!({"type": "user", "session_id": "s", "message": {
        "content": [document, {"type": "text", "text": "Do it."}]}})];
    let page = page_of("document.jsonl", &lines, &[]);
    let summary = "<summary>Content: document: Plan</summary>";
    assert_eq!(page.matches(summary).count(), 1, "{page}");
    let body = "<pre>Count &lt;b&gt;apples&lt;/b&gt;.\nThen pears.</pre>";
    assert_eq!(page.matches(body).count(), 1, "{page}");
    assert!(page.contains("<dt>Prompts</dt><dd>1<"), "{page}");
    let short = shown("document.jsonl", &lines, &[]);
    assert!(short.contains("(document: Plan: 2 lines)"), "{short}");
    assert!(!short.contains("apples"), "{short}");
    let full = shown("document.jsonl", &lines, &["--full"]);
    assert!(full.contains("(document: Plan)"), "{full}");
    assert!(full.contains("Count <b>apples</b>.\n  Then pears."), "{full}");
}

/// The end of a long title was lost, also with `--full`.
#[test]
fn a_long_title_is_whole() {
    let title = format!("{} end of the title", "long ".repeat(30));
    let document = json!({"type": "document", "title": title, "source": {
        "type": "text", "data": "Count."}});
    let lines = [json!({"type": "user", "session_id": "s", "message": {
        "content": [document]}})];
    let page = page_of("title.jsonl", &lines, &[]);
    assert!(page.contains(&format!("<pre>document: {title}\nCount.</pre>")));
}

/// Neither a page nor `show` had it.
#[test]
fn what_a_hook_attached_is_shown_as_the_hooks() {
    let lines = [
        prompt("Go on."),
        json!({"type": "attachment", "session_id": "s", "attachment": {
            "type": "hook_additional_context", "hookEvent": "PreToolUse",
            "hookName": "PreToolUse:Bash", "content": ["Mind the pears."]}}),
    ];
    let page = page_of("hook.jsonl", &lines, &[]);
    let words = "<span class=\"who\">Hook</span> PreToolUse:Bash: Mind the \
                 pears.</div>";
    assert_eq!(page.matches(words).count(), 1, "{page}");
    let short = shown("hook.jsonl", &lines, &[]);
    assert!(short.contains("PreToolUse:Bash: Mind the pears."), "{short}");
    let mut lines = lines;
    let content = &mut lines[1]["attachment"]["content"];
    let pears = ["Mind the pears."; 11].join("\n");
    *content = json!([pears, "plums."]);
    let short = shown("hooks.jsonl", &lines, &[]);
    assert!(!short.contains("plums"), "{short}");
    assert!(short.contains("(2 more lines)"), "{short}");
    assert_eq!(short.matches("Mind the pears.").count(), 10, "{short}");
    let full = shown("hooks.jsonl", &lines, &["--full"]);
    assert!(full.contains("plums."), "{full}");
}
