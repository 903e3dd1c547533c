//! Hook inputs in messages, tools in tool uses and hook inputs, and unions.

use linetape::{Decoder, Message, Reader};
use linetape_tools::{HookInput, ToolInput, ToolResult, owned};
use serde_json::{Value as Json, json};

const HOOKS: &str = include_str!("../data/hook_inputs.jsonl");
const CALLS: &str = include_str!("../data/tools.jsonl");

/// Returns the name of a variant.
fn variant(debug: &str) -> &str {
    debug.split('(').next().unwrap()
}

#[test]
fn every_line_of_a_hook_log_is_a_hook_input() {
    let mut decoder = Decoder::new();
    let mut lines = linetape::lines(HOOKS.as_bytes());
    for text in HOOKS.lines() {
        let json: Json = serde_json::from_str(text).unwrap();
        let event = json["hook_event_name"].as_str().unwrap();
        let known = match event {
            "TideTurned" => "Other",
            event => event,
        };
        let check = |message: Message<'_>| {
            let hook = HookInput::of(message).unwrap();
            assert_eq!(hook.event_name(), Some(event));
            assert_eq!(hook.base().session_id(), Some("s1"));
            assert_eq!(hook.base().cwd(), Some("/bay"));
            let kept = owned::HookInput::try_from(hook).unwrap();
            assert_eq!(variant(&format!("{kept:?}")), known);
            assert_eq!(kept.event_name(), Some(event));
            assert_eq!(json!(kept), json);
            let read: owned::HookInput = serde_json::from_str(text).unwrap();
            assert_eq!(read, kept);
        };
        check(decoder.decode(text.as_bytes()).unwrap().message());
        let line = lines.next_line().unwrap().unwrap();
        check(line.peek().unwrap());
        check(line.checked().unwrap());
    }
}

/// Views and owned types choose the same variant.
#[test]
fn the_variant_of_a_view_is_the_event() {
    let mut reader = Reader::new(HOOKS.as_bytes());
    let mut count = 0;
    while let Some(record) = reader.next_record() {
        let record = record.unwrap();
        let hook = HookInput::of(record.message()).unwrap();
        count += 1;
        macro_rules! is_variant {
            ($($name:ident)*) => {
                match hook {
                    $(HookInput::$name(_) => stringify!($name),)*
                    _ => "TideTurned",
                }
            };
        }
        let name = is_variant! {
            PreToolUse PostToolUse PostToolUseFailure PostToolBatch
            Notification UserPromptSubmit UserPromptExpansion SessionStart
            SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact
            PostCompact PreModelSwitch PostModelSwitch PermissionRequest
            PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted
            Elicitation ElicitationResult ConfigChange WorktreeCreate
            WorktreeRemove InstructionsLoaded CwdChanged FileChanged
            DirectoryAdded MessageDisplay
        };
        assert_eq!(hook.event_name(), Some(name));
    }
    assert_eq!(count, 34);
}

#[test]
fn a_control_request_holds_the_same_input() {
    for text in HOOKS.lines() {
        let line = format!(
            r#"{{"type":"control_request","request_id":"r1","request":{{"subtype":"hook_callback","callback_id":"hook_0","input":{text},"tool_use_id":"t1"}}}}"#
        );
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let hook = HookInput::of(record.message()).unwrap();
        let json: Json = serde_json::from_str(text).unwrap();
        assert_eq!(json!(hook), json);
    }
}

#[test]
fn other_messages_are_no_hook_inputs() {
    for line in [
        r#"{"type":"user","message":{"content":"PreToolUse"}}"#,
        r#"{"session_id":"s1","cwd":"/bay"}"#,
        r#"{"hook_event_name":7}"#,
        r#"{"hook_event_name":null,"tool_name":"Bash"}"#,
        r#"{"type":"control_request","request":{"subtype":"interrupt","input":{"hook_event_name":"Stop"}}}"#,
        r#"{"type":"control_request","request":{"subtype":"hook_callback"}}"#,
        r#"{"type":"control_request","request":{"subtype":"hook_callback","input":"Stop"}}"#,
    ] {
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        assert!(HookInput::of(record.message()).is_none(), "{line}");
    }
}

/// A program that saves hook inputs may add members, such as a type.
#[test]
fn a_hook_input_with_a_type_is_found() {
    let line = br#"{"type":"user","hook_event_name":"Stop","stop_hook_active":true,"saved_at":5}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let Some(HookInput::Stop(stop)) = HookInput::of(record.message()) else {
        panic!("not found");
    };
    assert_eq!(stop.stop_hook_active(), Some(true));
    let kept = owned::hooks::Stop::try_from(stop).unwrap();
    assert_eq!(kept.extra.get("saved_at"), Some(&json!(5)));
    assert_eq!(kept.extra.get("type"), Some(&json!("user")));
}

/// Returns the variant that reads a tool, by the name of the tool.
fn variant_of(name: &str) -> &str {
    match name {
        "Task" => "Agent",
        "TaskCreate" | "TaskGet" | "TaskUpdate" => "TaskList",
        "CronCreate" | "CronDelete" | "CronList" => "Cron",
        "EnterWorktree" | "ExitWorktree" => "Worktree",
        "ProposeGoal" => "SetGoal",
        name => name,
    }
}

#[test]
fn tool_uses_and_results_are_read_by_the_name_of_the_tool() {
    let mut reader = Reader::new(CALLS.as_bytes());
    let (mut name, mut inputs, mut results) = (String::new(), 0, 0);
    while let Some(record) = reader.next_record() {
        let record = record.unwrap();
        let message = record.message();
        if let Message::User(user) = message {
            let result = ToolResult::of(&user, &name).unwrap();
            let shown = format!("{result:?}");
            assert_eq!(variant(&shown), variant_of(&name));
            results += 1;
        }
        for call in message.tool_calls() {
            name = call.name().unwrap().to_string();
            let input = ToolInput::of(call).unwrap();
            let shown = format!("{input:?}");
            assert_eq!(variant(&shown), variant_of(&name));
            inputs += 1;
        }
    }
    assert_eq!((inputs, results), (35, 35));
}

#[test]
fn hook_inputs_know_their_tool() {
    let mut reader = Reader::new(HOOKS.as_bytes());
    let mut found = vec![];
    while let Some(record) = reader.next_record() {
        let record = record.unwrap();
        let hook = HookInput::of(record.message()).unwrap();
        let input = match hook {
            HookInput::PreToolUse(hook) => hook.input(),
            HookInput::PostToolUse(hook) => {
                let Some(ToolResult::Bash(bash)) = hook.result() else {
                    panic!("not a result of Bash");
                };
                assert_eq!(bash.stdout(), Some("low"));
                hook.input()
            }
            HookInput::PostToolUseFailure(hook) => hook.input(),
            HookInput::PermissionRequest(hook) => hook.input(),
            HookInput::PermissionDenied(hook) => hook.input(),
            HookInput::PostToolBatch(hook) => {
                let calls: Vec<_> =
                    hook.tool_calls().unwrap().iter().collect();
                let Some(ToolResult::Read(read)) = calls[0].result() else {
                    panic!("not a result of Read");
                };
                let file = read.file().unwrap();
                assert_eq!(file.file_path(), Some("/bay/tide.rs"));
                assert!(calls[1].result().is_none());
                let Some(ToolInput::Glob(glob)) = calls[1].input() else {
                    panic!("not an input of Glob");
                };
                assert_eq!(glob.pattern(), Some("*.rs"));
                continue;
            }
            _ => continue,
        };
        let Some(ToolInput::Bash(bash)) = input else {
            panic!("not an input of Bash");
        };
        assert_eq!(bash.command(), Some("tide --now"));
        found.push(hook.event_name().unwrap().to_string());
    }
    assert_eq!(
        found,
        [
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PermissionRequest",
            "PermissionDenied",
        ]
    );
}
