//! Texts that are in a page once: those of edits, of documents and of hooks.

use serde_json::{Value, json};

use super::texts::{page, prompt, shown};
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
    page(name, &lines, &[])
}

/// The texts of an edit were in its arguments and in its diff.
#[test]
fn what_an_edit_changed_is_in_its_diff_only() {
    let patch = json!([{"oldStart": 1, "newStart": 1, "lines": [
        " let pear = 1;", "-let plum = 2;", "+let apple = 3;"]}]);
    let page = page_of_edit("edit.jsonl", patch);
    for text in ["let pear = 1;", "let plum = 2;", "let apple = 3;"] {
        assert_eq!(page.matches(text).count(), 1, "{text}: {page}");
    }
    let arguments = "<pre class=\"in\">file_path: /a.rs\nnew_string: see the \
                     diff\nold_string: see the diff</pre>";
    assert!(page.contains(arguments), "{page}");
}

#[test]
fn what_the_diff_of_an_edit_lacks_is_in_its_arguments() {
    let patch = json!([{"oldStart": 1, "newStart": 1, "lines": [
        " let pear = 1;", "-let plum = 2;", "+let orange = 3;"]}]);
    let page = page_of_edit("other.jsonl", patch);
    assert!(page.contains("old_string: see the diff<"), "{page}");
    let arguments = "new_string: let pear = 1;\nlet apple = 3;\n";
    assert!(page.contains(arguments), "{page}");
    let page = page_of_edit("none.jsonl", json!([]));
    assert_eq!(page.matches("let plum = 2;").count(), 1, "{page}");
    assert_eq!(page.matches("let apple = 3;").count(), 1, "{page}");
    // A diff that is cut may lack what is missed here.
    let patch = json!([{"lines": ["-let plum = 2;", " let pear = 1;",
        "+let apple = 3;", "+x".repeat(200_000)]}]);
    let page = page_of_edit("cut.jsonl", patch);
    assert!(page.contains("old_string: let pear"), "{page}");
    assert!(page.contains("new_string: let pear"), "{page}");
}

/// A page had the word `document` for it.
#[test]
fn a_document_in_a_prompt_is_shown() {
    let document = json!({"type": "document", "title": "Plan", "source": {
        "type": "text", "data": "Count <b>apples</b>.\nThen pears."}});
    let lines = [json!({"type": "user", "session_id": "s", "message": {
        "content": [document, {"type": "text", "text": "Do it."}]}})];
    let page = page("document.jsonl", &lines, &[]);
    let summary = "<summary>Content: document: Plan</summary>";
    assert_eq!(page.matches(summary).count(), 1, "{page}");
    let body = "<pre>Count &lt;b&gt;apples&lt;/b&gt;.\nThen pears.</pre>";
    assert_eq!(page.matches(body).count(), 1, "{page}");
    let short = shown("document.jsonl", &lines, &[]);
    assert!(short.contains("(document: Plan: 2 lines)"), "{short}");
    assert!(!short.contains("apples"), "{short}");
    let full = shown("document.jsonl", &lines, &["--full"]);
    assert!(full.contains("(document: Plan)"), "{full}");
    assert!(full.contains("Count <b>apples</b>.\n  Then pears."), "{full}");
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
    let page = page("hook.jsonl", &lines, &[]);
    let words = "<span class=\"who\">Hook</span> PreToolUse:Bash: Mind the \
                 pears.</div>";
    assert_eq!(page.matches(words).count(), 1, "{page}");
    let shown = shown("hook.jsonl", &lines, &[]);
    assert!(shown.contains("PreToolUse:Bash: Mind the pears."), "{shown}");
}
