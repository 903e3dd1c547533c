//! The slow and obvious way to tell what a line is: serde_json, and the rules
//! once more in other words.

use serde_json::{Map, Value};

/// The names of an agent server's events.
const EVENTS: [&str; 12] = [
    "TextChunk",
    "ToolExecuting",
    "ToolCompleted",
    "Complete",
    "PermissionRequired",
    "BatchPermissionRequired",
    "UserInteractionRequired",
    "TokenUpdate",
    "Error",
    "System",
    "Display",
    "CommandComplete",
];

/// A line that is a record.
pub struct Record<'a> {
    pub line: &'a [u8],
    /// Its type, and its type and subtype.
    pub names: Vec<String>,
    pub session: Option<String>,
}

/// The lines of a log that are records, and how many are not.
pub fn records(log: &[u8]) -> (Vec<Record<'_>>, usize) {
    let (mut records, mut bad) = (vec![], 0);
    for line in log.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(|byte| b" \t\r".contains(byte)) {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(object) => records.push(record(line, &object)),
            Err(_) => bad += 1,
        }
    }
    (records, bad)
}

fn record<'a>(line: &'a [u8], object: &Map<String, Value>) -> Record<'a> {
    let text = |key| object.get(key).and_then(Value::as_str);
    let has = |keys: &[&str]| keys.iter().all(|&key| object.contains_key(key));
    let number = |object: &Map<String, Value>| {
        object.get("session_id")?.as_i64().map(|id| id.to_string())
    };
    let of_a_server = |name: &str, body| {
        let (names, session) = (vec![name.to_string()], number(body));
        Record { line, names, session }
    };

    let name = text("type");
    if name.is_none() && !has(&["event_type", "data"]) {
        let mut members = object.iter();
        if let (Some((key, Value::Object(body))), None) =
            (members.next(), members.next())
            && EVENTS.contains(&key.as_str())
        {
            return of_a_server(key, body);
        }
        if has(&["session_id", "content", "turn_id"]) {
            return of_a_server("input", object);
        }
    }
    let mut names: Vec<String> =
        name.map(str::to_string).into_iter().collect();
    if let (Some(name), Some(subtype)) = (name, text("subtype")) {
        names.push(format!("{name}/{subtype}"));
    }
    let mut keys = ["session_id", "sessionId"];
    if has(&["parentUuid"]) || has(&["isSidechain"]) {
        keys.reverse();
    }
    let session = keys.into_iter().find_map(text).map(str::to_string);
    Record { line, names, session }
}
