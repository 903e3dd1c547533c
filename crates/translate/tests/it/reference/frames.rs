//! Reference implementation of `Wrapper`: it keeps a list of all earlier
//! events.

use serde_json::{Value, json};

use super::lines::{all_blocks, is_error_line, is_side, session_of};

/// An event in the life of a tool call.
#[derive(PartialEq)]
enum CallEvent {
    Asked,
    Started(Value),
    Ended,
    Answered,
}

/// Returns the last event of a call for which `is_meant` returns `true`, if
/// the call has an id.
fn last<'n>(
    events: &'n [(Value, CallEvent)],
    id: &Value,
    is_meant: fn(&CallEvent) -> bool,
) -> Option<&'n CallEvent> {
    let meant =
        |(of, events): &&(Value, CallEvent)| of == id && is_meant(events);
    let last = events.iter().rev().find(meant).filter(|_| id.is_string());
    last.map(|(_, events)| events)
}

fn is_asked(events: &[(Value, CallEvent)], id: &Value) -> bool {
    let is_meant = |events: &CallEvent| {
        matches!(events, CallEvent::Asked | CallEvent::Answered)
    };
    last(events, id, is_meant) == Some(&CallEvent::Asked)
}

fn runs(events: &[(Value, CallEvent)], id: &Value) -> Option<Value> {
    let is_meant = |events: &CallEvent| {
        matches!(events, CallEvent::Started(_) | CallEvent::Ended)
    };
    match last(events, id, is_meant) {
        Some(CallEvent::Started(agent)) => Some(agent.clone()),
        _ => None,
    }
}

/// Returns the frames of a log, but for what its texts report. It keeps all
/// events and searches them backwards.
pub fn naive_frames(lines: &[Value]) -> Vec<Value> {
    let (mut frames, mut session) = (vec![], Value::Null);
    let mut events: Vec<(Value, CallEvent)> = vec![];
    let string = |value: &Value| match value {
        Value::String(_) => value.clone(),
        _ => Value::Null,
    };
    for line in lines {
        if let Some(own) = session_of(line) {
            session = json!(own);
        }
        let mut tell = |kind: &str, mut frame: Value| {
            let members = frame.as_object_mut().unwrap();
            members.insert("type".into(), json!(kind));
            members.insert("conversationId".into(), session.clone());
            members.retain(|_, value| !value.is_null());
            frames.push(frame);
        };
        let ended = |id: &Value, failed: bool, agent: Value| {
            let status = if failed { "failed" } else { "finished" };
            json!({"agent": agent, "status": status, "toolUseId": id})
        };
        let subtype = line["subtype"].as_str();
        match (line["type"].as_str(), subtype) {
            (Some("system"), Some("task_notification")) => {
                let id = &line["tool_use_id"];
                let failed = match line["status"].as_str() {
                    Some("completed") => false,
                    Some("failed" | "killed" | "stopped") => true,
                    _ => continue,
                };
                if let Some(agent) = runs(&events, id) {
                    tell("sub_agent_progress", ended(id, failed, agent));
                    events.push((id.clone(), CallEvent::Ended));
                }
            }
            (Some("control_request"), _) => {
                let request = &line["request"];
                let (id, input) = (&request["tool_use_id"], &request["input"]);
                let asks = request["subtype"] == "can_use_tool";
                if asks && !is_asked(&events, id) {
                    let said = string(&request["description"]);
                    let of_input = string(&input["description"]);
                    let said = if said.is_null() { of_input } else { said };
                    tell(
                        "permission_request",
                        json!({
                            "toolUseId": string(id), "input": input,
                            "toolName": string(&request["tool_name"]),
                            "description": said,
                        }),
                    );
                    events.push((id.clone(), CallEvent::Asked));
                }
            }
            _ => {}
        }
        let parent = &line["parentUuid"];
        let failed = is_error_line(line);
        if line["type"] == "system"
            && !matches!(subtype, Some("init" | "task_notification"))
            && (failed || subtype == Some("tool_result"))
        {
            events.push((parent.clone(), CallEvent::Answered));
            if let Some(agent) = runs(&events, parent) {
                tell("sub_agent_progress", ended(parent, failed, agent));
                events.push((parent.clone(), CallEvent::Ended));
            }
        }
        for block in all_blocks(line) {
            let (id, input) = (&block["id"], &block["input"]);
            let description = string(&input["description"]);
            match (line["type"].as_str(), block["type"].as_str()) {
                (Some("assistant"), Some("text")) if !is_side(line) => {
                    let Some(text) = block["text"].as_str() else { continue };
                    tell("claude_response", json!({"content": text}));
                }
                (Some("assistant"), Some("tool_use"))
                    if block["name"] == "Task" || block["name"] == "Agent" =>
                {
                    let agent = string(&input["subagent_type"]);
                    if runs(&events, id).is_none() {
                        tell(
                            "sub_agent_progress",
                            json!({
                                "agent": agent, "status": "started",
                                "description": description,
                                "toolUseId": string(id),
                            }),
                        );
                        events.push((id.clone(), CallEvent::Started(agent)));
                    }
                }
                (Some("assistant"), Some("tool_use"))
                    if !is_asked(&events, id) =>
                {
                    tell(
                        "permission_request",
                        json!({
                            "toolUseId": string(id),
                            "toolName": string(&block["name"]),
                            "input": input, "description": description,
                        }),
                    );
                    events.push((id.clone(), CallEvent::Asked));
                }
                (Some("user"), Some("tool_result")) => {
                    let id = &block["tool_use_id"];
                    let failed = block["is_error"] == true;
                    let launch = ["toolUseResult", "tool_use_result"]
                        .iter()
                        .any(|key| line[key]["status"] == "async_launched");
                    events.push((id.clone(), CallEvent::Answered));
                    let agent = runs(&events, id);
                    if let (Some(agent), true) = (agent, failed || !launch) {
                        tell("sub_agent_progress", ended(id, failed, agent));
                        events.push((id.clone(), CallEvent::Ended));
                    }
                }
                _ => {}
            }
        }
    }
    frames
}
