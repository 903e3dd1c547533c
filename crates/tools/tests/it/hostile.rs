//! Values of other types, unknown keys and names, and large values.

use linetape::{Decoder, Value, message::FromValue};
use linetape_tools::{
    HookAnswer, HookInput, ToolInput, ToolResult, answers::HookSpecificOutput,
    owned,
};
use serde_json::{Value as Json, json};

const HOOKS: &str = include_str!("../data/hook_inputs.jsonl");
const ANSWERS: &str = include_str!("../data/hook_answers.jsonl");
const CALLS: &str = include_str!("../data/tools.jsonl");

fn with_value(json: &Json, check: impl FnOnce(Value<'_>)) {
    let line = json!({ "value": json }).to_string();
    let mut decoder = Decoder::new();
    let record = decoder.decode(line.as_bytes()).unwrap();
    check(record.value().get("value").unwrap());
}

/// The owned type of a value is written as it was read, as the types of the
/// given tools, as a hook input and as a hook answer.
fn survives_as(names: &[&str], json: &Json) {
    with_value(json, |value| {
        for name in names {
            let input = ToolInput::new(name, value);
            let kept = owned::ToolInput::try_from(input).unwrap();
            assert_eq!(json!(kept), *json, "{name}");
            assert_eq!(kept, owned::ToolInput::new(name, json.clone()));
            let result = ToolResult::new(name, value);
            let kept = owned::ToolResult::try_from(result).unwrap();
            assert_eq!(json!(kept), *json, "{name}");
            assert_eq!(kept, owned::ToolResult::new(name, json.clone()));
        }
        if let Some(hook) = HookInput::from_value(value) {
            let kept = owned::HookInput::try_from(hook).unwrap();
            assert_eq!(json!(kept), *json);
            let answer = HookAnswer::new(value);
            let kept = owned::HookAnswer::try_from(answer).unwrap();
            assert_eq!(json!(kept), *json);
        }
    });
}

fn survives(json: &Json) {
    survives_as(
        &[
            "Bash",
            "Read",
            "Edit",
            "MultiEdit",
            "Write",
            "Grep",
            "Glob",
            "Agent",
            "Task",
            "WebFetch",
            "WebSearch",
            "TodoWrite",
            "AskUserQuestion",
            "ExitPlanMode",
            "LSP",
        ],
        json,
    );
}

/// The values of the fixtures, without the lines around them, each with the
/// name of its tool.
fn values() -> Vec<(Option<String>, Json)> {
    let (mut values, mut name) = (vec![], None);
    let read = |line| serde_json::from_str::<Json>(line).unwrap();
    for line in HOOKS.lines().map(read) {
        values.push((None, line));
    }
    for line in ANSWERS.lines().map(read) {
        let answer = line.pointer("/response/response").unwrap();
        values.push((None, answer.clone()));
    }
    for line in CALLS.lines().map(read) {
        if let Some(call) = line.pointer("/message/content/0/name") {
            name = call.as_str().map(str::to_string);
        }
        let input = line.pointer("/message/content/0/input");
        let value = input.or(line.pointer("/toolUseResult")).unwrap();
        values.push((name.clone(), value.clone()));
    }
    values
}

/// Calls `change` for every value below `json`, one at a time, and passes on
/// the result.
fn each_changed(
    json: &Json,
    change: &dyn Fn(&Json) -> Json,
    check: &mut dyn FnMut(Json),
) {
    match json {
        Json::Object(members) => {
            for (key, value) in members {
                let with = |value| {
                    let mut members = members.clone();
                    members.insert(key.clone(), value);
                    Json::Object(members)
                };
                check(with(change(value)));
                each_changed(value, change, &mut |value| check(with(value)));
            }
        }
        Json::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                let with = |value| {
                    let mut items = items.clone();
                    items[index] = value;
                    Json::Array(items)
                };
                check(with(change(value)));
                each_changed(value, change, &mut |value| check(with(value)));
            }
        }
        _ => {}
    }
}

#[test]
fn no_value_of_another_type_is_lost() {
    let replacements = [
        json!(null),
        json!(-1.5),
        json!(18_446_744_073_709_551_615_u64),
        json!("?"),
        json!([]),
        json!([{"a": 1}, "b", null]),
        json!({"a": {"b": []}}),
        json!(false),
    ];
    let mut count = 0;
    for (name, value) in values() {
        let names: Vec<&str> = name.as_deref().into_iter().collect();
        for replacement in &replacements {
            let change = |_: &Json| replacement.clone();
            each_changed(&value, &change, &mut |json| {
                survives_as(&names, &json);
                count += 1;
            });
        }
    }
    assert!(count > 5_000, "{count} changed values");
}

#[test]
fn unknown_keys_stay_in_extra() {
    for (name, value) in values() {
        let names: Vec<&str> = name.as_deref().into_iter().collect();
        let change = |value: &Json| {
            let mut value = value.clone();
            if let Json::Object(members) = &mut value {
                members.insert("novel".to_string(), json!({"deep": [null]}));
            }
            value
        };
        let mut whole = value.clone();
        whole["novel"] = json!([1, null]);
        survives(&whole);
        each_changed(&value, &change, &mut |json| survives_as(&names, &json));
    }
    let json =
        json!({"command": "ls", "novel": {"deep": [null]}, "timeout": null});
    let owned::ToolInput::Bash(bash) =
        owned::ToolInput::new("Bash", json.clone())
    else {
        panic!("not Bash");
    };
    assert_eq!(bash.extra.get("novel"), Some(&json["novel"]));
    assert_eq!(bash.extra.get("timeout"), Some(&Json::Null));
    assert_eq!(bash.timeout, None);
}

#[test]
fn a_value_that_is_not_an_object_is_other() {
    for json in [
        json!("Error: no such file"),
        json!([{"type": "text", "text": "done"}]),
        json!(null),
        json!(7),
        json!(true),
    ] {
        survives(&json);
        with_value(&json, |value| {
            let input = ToolInput::new("Bash", value);
            assert!(matches!(input, ToolInput::Other(_)), "{json}");
            let result = ToolResult::new("Bash", value);
            assert!(matches!(result, ToolResult::Other(_)), "{json}");
            assert!(HookInput::from_value(value).is_none(), "{json}");
            let answer = HookAnswer::new(value);
            assert_eq!(answer.continues(), None);
            assert!(owned::HookAnswer::try_from(answer).is_err(), "{json}");
        });
    }
}

#[test]
fn names_are_compared_exactly() {
    with_value(&json!({"command": "ls"}), |value| {
        for name in ["bash", "Bash ", "", "mcp__shell__Bash", "BashOutput"] {
            let input = ToolInput::new(name, value);
            assert!(matches!(input, ToolInput::Other(_)), "{name}");
        }
        for name in ["Agent", "Task"] {
            let input = ToolInput::new(name, value);
            assert!(matches!(input, ToolInput::Agent(_)), "{name}");
        }
    });
    with_value(&json!({"hook_event_name": "stop"}), |value| {
        let hook = HookInput::new(value);
        assert!(matches!(hook, HookInput::Other(_)));
        assert_eq!(hook.event_name(), Some("stop"));
    });
    with_value(&json!({"hookEventName": []}), |value| {
        let output = HookSpecificOutput::new(value);
        assert!(matches!(output, HookSpecificOutput::Other(_)));
    });
}

#[test]
fn an_unknown_text_is_other() {
    let json = json!({"hook_event_name": "SessionEnd", "reason": "storm"});
    with_value(&json, |value| {
        let HookInput::SessionEnd(end) = HookInput::new(value) else {
            panic!("not that event");
        };
        let reason = end.reason().unwrap();
        assert_eq!(reason, linetape_tools::hooks::ExitReason::Other("storm"));
    });
    // `other` is a reason that the agent program states.
    let json = json!({"hook_event_name": "SessionEnd", "reason": "other"});
    with_value(&json, |value| {
        let HookInput::SessionEnd(end) = HookInput::new(value) else {
            panic!("not that event");
        };
        let reason = end.reason().unwrap();
        assert_eq!(reason, linetape_tools::hooks::ExitReason::Unspecified);
    });
    survives(&json);
}

#[test]
fn both_keys_of_a_field_survive() {
    for json in [
        json!({"pattern": "a", "context": 1, "-C": 2}),
        json!({"pattern": "a", "context": null, "-C": 2}),
        json!({"pattern": "a", "context": "x", "-C": 2}),
        json!({"pattern": "a", "context": 1, "-C": null}),
    ] {
        survives(&json);
        with_value(&json, |value| {
            let ToolInput::Grep(grep) = ToolInput::new("Grep", value) else {
                panic!("not Grep");
            };
            let first = json["context"].as_u64();
            assert_eq!(grep.context(), first.or(json["-C"].as_u64()));
        });
    }
}

#[test]
fn large_values_are_read() {
    let text = "tide \"\\\u{1F30A} ".repeat(500_000);
    let hunks: Vec<Json> = (0..20_000)
        .map(|n| json!({"oldStart": n, "lines": ["+a", "-b"], "more": n}))
        .collect();
    let json = json!({
        "filePath": "a", "originalFile": text, "structuredPatch": hunks,
    });
    with_value(&json, |value| {
        let ToolResult::Edit(edit) = ToolResult::new("Edit", value) else {
            panic!("not Edit");
        };
        assert_eq!(edit.original_file().map(str::len), Some(text.len()));
        let hunks = edit.structured_patch().unwrap();
        assert_eq!(hunks.iter().count(), 20_000);
        let last = hunks.iter().last().unwrap();
        assert_eq!(last.old_start(), Some(19_999));
        let kept = owned::ToolResult::try_from(ToolResult::Edit(edit));
        assert_eq!(json!(kept.unwrap()), json);
    });
}

#[test]
fn deep_values_are_read_up_to_the_limit() {
    let nest = |depth: usize| {
        let open = r#"{"a":["#.repeat(depth);
        let close = "]}".repeat(depth);
        format!(
            r#"{{"hook_event_name":"PreToolUse","tool_input":{open}{close}}}"#
        )
    };
    let mut decoder = Decoder::new();
    let line = nest(63);
    let record = decoder.decode(line.as_bytes()).unwrap();
    let hook = HookInput::of(record.message()).unwrap();
    let kept = owned::HookInput::try_from(hook).unwrap();
    let json: Json = serde_json::from_str(&line).unwrap();
    assert_eq!(json!(kept), json);
    assert!(Decoder::new().decode(nest(64).as_bytes()).is_err());
}

/// A peeked line is checked when it is owned.
#[test]
fn an_invalid_value_of_a_peeked_line_is_an_error() {
    let line = br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":tru}}"#;
    let mut lines = linetape::lines(line);
    let line = lines.next_line().unwrap().unwrap();
    assert!(line.checked().is_err());
    let Some(HookInput::PreToolUse(hook)) =
        HookInput::of(line.peek().unwrap())
    else {
        panic!("not found");
    };
    assert!(owned::hooks::PreToolUse::try_from(hook).is_err());
    let Some(input) = hook.input() else { panic!("an object") };
    assert!(owned::ToolInput::try_from(input).is_err());
}

/// Views and owned types agree, decoded or peeked.
#[test]
fn escaped_and_duplicate_keys_are_read_alike() {
    for line in [
        r#"{"hook_event_name":"Pre\u0054oolUse","tool_name":"\u0042ash","tool_input":{"command":"l\u0073"}}"#,
        r#"{"hook\u005fevent_name":"PreToolUse","tool_name":"Bash","tool_input":{"comm\u0061nd":"ls"}}"#,
        r#"{"hook_event_name":"Stop","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":1,"command":"ls"}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":0,"tool_name":"Bash","tool_input":{"command":"ls"}}"#,
    ] {
        let check = |message: linetape::Message<'_>| {
            let Some(HookInput::PreToolUse(hook)) = HookInput::of(message)
            else {
                panic!("not that event: {line}");
            };
            let Some(ToolInput::Bash(bash)) = hook.input() else {
                panic!("not Bash: {line}");
            };
            assert_eq!(bash.command(), Some("ls"), "{line}");
            let kept = owned::HookInput::try_from(HookInput::PreToolUse(hook));
            let kept = kept.unwrap();
            let read: owned::HookInput = serde_json::from_str(line).unwrap();
            assert_eq!(kept, read, "{line}");
            assert_eq!(kept.event_name(), Some("PreToolUse"));
            let json: Json = serde_json::from_str(line).unwrap();
            assert_eq!(json!(kept), json);
        };
        let mut decoder = Decoder::new();
        check(decoder.decode(line.as_bytes()).unwrap().message());
        let mut lines = linetape::lines(line.as_bytes());
        check(lines.next_line().unwrap().unwrap().peek().unwrap());
    }
}
