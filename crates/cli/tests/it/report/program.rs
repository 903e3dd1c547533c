//! What the agent program itself says, in pages and in `show`.

use serde_json::{Value, json};

use super::texts::{page, prompt, shown};
use crate::support::lines::{init, said, words};

fn system(subtype: &str, key: &str, value: Value) -> Value {
    json!({"type": "system", "subtype": subtype, "session_id": "s",
           "uuid": format!("{subtype} {value}"), key: value})
}

/// Checks that a text is in the page, and in what `show` prints.
fn assert_told(lines: &[Value], told: &str) {
    let page = page("told.jsonl", lines, &[]);
    let (_, transcript) = page.split_once("id=\"transcript\"").unwrap();
    assert_eq!(transcript.matches(told).count(), 1, "{told}: {transcript}");
    let shown = shown("told.jsonl", lines, &["--full"]);
    assert_eq!(shown.matches(told).count(), 1, "{told}: {shown}");
}

/// Errors were an empty box, and nothing in `show`.
#[test]
fn errors_of_the_api_say_what_is_wrong() {
    for error in [
        json!("Overloaded"),
        json!({"message": "Overloaded"}),
        json!({"error": {"message": "Overloaded"}}),
        json!({"status": 529, "error": {"error": {"message": "Overloaded"}}}),
    ] {
        let mut line = system("api_error", "error", error);
        line["level"] = json!("error");
        assert_told(&[prompt("Hi"), line], "Overloaded");
    }
}

/// They were left out without a word.
#[test]
fn messages_of_the_program_are_told() {
    for (subtype, key) in [
        ("informational", "content"),
        ("local_command", "content"),
        ("local_command_output", "content"),
        ("notification", "text"),
    ] {
        let line = system(subtype, key, json!("Set to opus"));
        assert_told(&[prompt("Hi"), line], "Set to opus");
    }
    let command = "<command-name>/model</command-name>\n\
                   <command-args>opus</command-args>";
    let command = system("local_command", "content", json!(command));
    assert_told(&[prompt("Hi"), command], "/model opus");
}

/// A result said only `success`, also if its text was nowhere else.
#[test]
fn the_text_of_a_result_is_told_once() {
    let result = |text: &str, is_error: bool| {
        json!({"type": "result", "subtype": "success", "session_id": "s",
               "is_error": is_error, "result": text})
    };
    assert_told(&[init(), result("Only here", false)], "Only here");
    let partly = said("m1", words("Partly"));
    let lines = [prompt("Hi"), partly, result("API Error: 529", true)];
    assert_told(&lines, "API Error: 529");
    let whole = said("m1", words("The answer"));
    assert_told(
        &[prompt("Hi"), whole, result("The answer", false)],
        "The answer",
    );
}
