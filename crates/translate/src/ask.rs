/*!
Requests of an agent server to its user: permissions and questions.
*/

use linetape::{
    Value,
    message::control::CanUseTool,
    owned::server::{
        AskUserQuestionsRequest, PermissionLevel, PermissionRequest, Question,
        TargetType,
    },
};

/// Returns the permission that a tool needs.
pub(crate) fn permission(ask: CanUseTool<'_>) -> PermissionRequest {
    let tool = ask.tool_name().unwrap_or_default();
    let get = |key| ask.input()?.get(key)?.as_str();
    let path = || {
        let keys = ["file_path", "notebook_path", "path"];
        keys.into_iter().find_map(get)
    };
    let only_reads =
        matches!(tool, "Read" | "Grep" | "Glob" | "LS" | "NotebookRead");
    let (target_type, target, level) = if let Some(command) = get("command") {
        (TargetType::Command, command, PermissionLevel::Execute)
    } else if let Some(url) = get("url") {
        (TargetType::Domain, domain(url), PermissionLevel::Read)
    } else if let Some(path) = path().or_else(|| ask.blocked_path()) {
        let level = if only_reads {
            PermissionLevel::Read
        } else {
            PermissionLevel::Write
        };
        (TargetType::Path, path, level)
    } else {
        (TargetType::Command, tool, PermissionLevel::Execute)
    };
    let said = ask.description().or_else(|| ask.title());
    let said = said.or_else(|| get("description"));
    let said = said.or_else(|| ask.display_name()).unwrap_or(tool);
    PermissionRequest {
        target_type: Some(target_type),
        target: Some(target.to_string()),
        level: Some(level),
        description: Some(said.to_string()),
        reason: ask.decision_reason().map(str::to_string),
        recursive: Some(matches!(tool, "Grep" | "Glob")),
        ..PermissionRequest::default()
    }
}

/// Returns the host of a URL. A text that is not a URL is returned unchanged.
fn domain(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    // An IPv6 address contains colons too.
    let port = host.rfind(':').filter(|at| {
        host.get(at + 1..)
            .is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
            && (!host.starts_with('[')
                || host.get(..*at).is_some_and(|h| h.ends_with(']')))
    });
    port.and_then(|at| host.get(..at)).unwrap_or(host)
}

/// Returns the questions in the input of `AskUserQuestion`.
pub(crate) fn questions(input: Option<Value<'_>>) -> AskUserQuestionsRequest {
    let asked = input.and_then(|input| input.get("questions")?.as_array());
    let asked = asked.into_iter().flatten();
    let questions = asked.enumerate().map(|(at, asked)| question(at, asked));
    AskUserQuestionsRequest {
        questions: Some(questions.collect()),
        ..AskUserQuestionsRequest::default()
    }
}

fn question(at: usize, asked: Value<'_>) -> Question {
    let options = asked.get("options").and_then(|list| list.as_array());
    let label = |option: Value<'_>| {
        let label = option.get("label").unwrap_or(option);
        label.as_str().map(str::to_string)
    };
    let options: Option<Vec<String>> =
        options.map(|list| list.iter().filter_map(label).collect());
    let many = asked.get("multiSelect").and_then(|many| many.as_bool());
    let kind = match (&options, many) {
        (None, _) => "FreeText",
        (Some(_), Some(true)) => "MultipleChoice",
        (Some(_), _) => "SingleChoice",
    };
    let text = asked.get("question").and_then(|text| text.as_str());
    Question {
        id: Some(format!("q{}", at + 1)),
        text: Some(text.unwrap_or_default().to_string()),
        question_type: Some(kind.to_string()),
        options,
        required: Some(true),
        ..Question::default()
    }
}
