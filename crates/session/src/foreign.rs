/*!
Logs of other programs.
*/

use std::fmt;

use linetape::{Value, message::Message};

/// A program whose logs are not in a dialect that linetape knows.
///
/// # Example
///
/// This shows how to recognise a line of Codex.
///
/// ```
/// use linetape::lines;
/// use linetape_session::Foreign;
///
/// let log = br#"{"timestamp":"2026-01-31T10:00:00Z","type":"session_meta","payload":{"id":"s1"}}"#;
/// let mut lines = lines(log);
/// let line = lines.next_line().unwrap()?;
/// assert_eq!(Foreign::of(line.checked()?), Some(Foreign::Codex));
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Foreign {
    /// OpenAI Codex: its session files, its history of prompts, or the output
    /// of `codex exec --json`.
    Codex,
    /// GitHub Copilot CLI.
    Copilot,
    /// Gemini CLI.
    Gemini,
    /// OpenTelemetry: traces, logs or metrics as JSON.
    OpenTelemetry,
    /// Pi: its session files.
    Pi,
}

impl Foreign {
    /// Returns the program that wrote a line, if it is one of these.
    ///
    /// # Costs
    ///
    /// For a message of a known type, this returns without reading the line.
    pub fn of(message: Message<'_>) -> Option<Foreign> {
        let Message::Unknown(line) = message else { return None };
        let value = line.value();
        match line.name() {
            Some(name) => Foreign::of_typed(name, value),
            None => Foreign::of_untyped(value),
        }
    }

    fn of_typed(name: &str, value: Value<'_>) -> Option<Foreign> {
        const ROLLOUT: [&str; 5] = [
            "session_meta",
            "response_item",
            "event_msg",
            "turn_context",
            "compacted",
        ];
        const COPILOT: [&str; 9] = [
            "session",
            "assistant",
            "user",
            "tool",
            "hook",
            "subagent",
            "system",
            "permission",
            "skill",
        ];
        let has_object =
            |key| value.get(key).is_some_and(|v| v.as_object().is_some());
        let has_text =
            |key| value.get(key).is_some_and(|v| v.as_str().is_some());
        let has_trace = || has_text("traceId") || is_timed(value);
        let (subject, event) = name.split_once('.').unwrap_or((name, ""));
        match subject {
            _ if ROLLOUT.contains(&name) && has_object("payload") => {
                Some(Foreign::Codex)
            }
            "thread" | "turn" | "item" if !event.is_empty() => {
                Some(Foreign::Codex)
            }
            _ if !event.is_empty()
                && COPILOT.contains(&subject)
                && has_object("data") =>
            {
                Some(Foreign::Copilot)
            }
            "gemini" => Some(Foreign::Gemini),
            // `gemini --output-format stream-json`.
            "init" if has_text("session_id") && has_text("model") => {
                Some(Foreign::Gemini)
            }
            "message" if has_text("role") => Foreign::of_message(value),
            "message" if has_object("message") && has_text("id") => {
                Some(Foreign::Pi)
            }
            "session" if has_text("cwd") && has_text("id") => {
                Some(Foreign::Pi)
            }
            "model_change" if has_text("modelId") => Some(Foreign::Pi),
            "span" | "log" | "metric" if has_trace() => {
                Some(Foreign::OpenTelemetry)
            }
            _ => None,
        }
    }

    /// Returns the program that wrote a message with a role. That of Gemini has
    /// a text, and the early rollouts of Codex have the messages of OpenAI's
    /// API. A response of Anthropic's API is none of these.
    fn of_message(value: Value<'_>) -> Option<Foreign> {
        const PARTS: [&str; 4] =
            ["input_text", "output_text", "input_image", "refusal"];
        let [content, model] = value.get_many(["content", "model"]);
        let content = content?;
        if content.as_str().is_some() {
            return Some(Foreign::Gemini);
        }
        let is_part = |part: Value<'_>| {
            let name = part.get("type").and_then(|name| name.as_str());
            name.is_some_and(|name| PARTS.contains(&name))
        };
        let is_codex =
            model.is_none() && content.as_array()?.iter().all(is_part);
        is_codex.then_some(Foreign::Codex)
    }

    fn of_untyped(value: Value<'_>) -> Option<Foreign> {
        let [spans, logs, metrics, session, project] = value.get_many([
            "resourceSpans",
            "resourceLogs",
            "resourceMetrics",
            "sessionId",
            "projectHash",
        ]);
        if spans.or(logs).or(metrics).is_some() {
            return Some(Foreign::OpenTelemetry);
        }
        if is_timed(value) || is_record(value) {
            return Some(Foreign::OpenTelemetry);
        }
        // The first line of an early rollout of Codex, and its states.
        let [id, timestamp, instructions, record] =
            value.get_many(["id", "timestamp", "instructions", "record_type"]);
        let is_first =
            id.is_some() && timestamp.is_some() && instructions.is_some();
        let is_state =
            record.and_then(|record| record.as_str()) == Some("state");
        if is_first || is_state || is_prompt(value) {
            return Some(Foreign::Codex);
        }
        (session.is_some() && project.is_some()).then_some(Foreign::Gemini)
    }
}

/// Returns whether a value has a time as OpenTelemetry's SDK for JavaScript
/// writes it.
fn is_timed(value: Value<'_>) -> bool {
    let times = value.get_many(["hrTime", "startTime"]);
    times.into_iter().flatten().any(is_pair)
}

/// Returns whether a value is a time in seconds and nanoseconds.
fn is_pair(time: Value<'_>) -> bool {
    time.as_array().is_some_and(|time| time.iter().count() == 2)
}

/// Returns whether a value is a record of OpenTelemetry without an envelope: a
/// span as in OTLP, one of the SDK for Python, or a log record of the SDK for
/// JavaScript.
fn is_record(value: Value<'_>) -> bool {
    let [trace, span, context, scope, time] = value.get_many([
        "traceId",
        "spanId",
        "context",
        "instrumentationScope",
        "timestamp",
    ]);
    let is_text =
        |value: Option<Value<'_>>| value.is_some_and(|v| v.as_str().is_some());
    is_text(trace) && is_text(span)
        || is_text(context.and_then(|context| context.get("trace_id")))
        || scope.is_some() && time.is_some_and(is_pair)
}

/// Returns whether a value is a prompt in `~/.codex/history.jsonl`.
fn is_prompt(value: Value<'_>) -> bool {
    let [session, time, text] = value.get_many(["session_id", "ts", "text"]);
    session.is_some_and(|session| session.as_str().is_some())
        && time.is_some_and(|time| time.as_u64().is_some())
        && text.is_some_and(|text| text.as_str().is_some())
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Foreign::Codex => "Codex",
            Foreign::Copilot => "Copilot",
            Foreign::Gemini => "Gemini",
            Foreign::OpenTelemetry => "OpenTelemetry",
            Foreign::Pi => "Pi",
        })
    }
}

#[cfg(test)]
mod tests {
    use linetape::Decoder;

    use super::*;

    #[test]
    fn lines_of_other_programs_are_recognised() {
        let cases = [
            (r#"{"type":"event_msg","payload":{}}"#, Some(Foreign::Codex)),
            (r#"{"type":"event_msg"}"#, None),
            (r#"{"type":"thread.started"}"#, Some(Foreign::Codex)),
            (r#"{"type":"thread"}"#, None),
            (r#"{"type":"session.start","data":{}}"#, Some(Foreign::Copilot)),
            (r#"{"type":"session.start"}"#, None),
            (r#"{"type":"gemini","content":"Hi"}"#, Some(Foreign::Gemini)),
            (r#"{"sessionId":"s","projectHash":"p"}"#, Some(Foreign::Gemini)),
            (r#"{"resourceSpans":[]}"#, Some(Foreign::OpenTelemetry)),
            (r#"{"resourceLogs":[]}"#, Some(Foreign::OpenTelemetry)),
            (r#"{"type":"user","payload":{}}"#, None),
            // They were not recognised.
            (
                r#"{"type":"init","session_id":"s","model":"gemini-3"}"#,
                Some(Foreign::Gemini),
            ),
            (
                r#"{"type":"message","role":"user","content":"Hi"}"#,
                Some(Foreign::Gemini),
            ),
            (
                r#"{"type":"message","role":"user","content":[]}"#,
                Some(Foreign::Codex),
            ),
            (r#"{"type":"message","content":"Hi"}"#, None),
            (
                r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}"#,
                Some(Foreign::Codex),
            ),
            // A response of Anthropic's API was taken for a line of Codex.
            (
                r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Hi"}],"usage":{}}"#,
                None,
            ),
            (
                r#"{"type":"message","role":"assistant","model":"claude","content":[]}"#,
                None,
            ),
            (
                r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"Hi"}]}"#,
                None,
            ),
            (
                r#"{"session_id":"s","ts":1790000000,"text":"Hi"}"#,
                Some(Foreign::Codex),
            ),
            (r#"{"session_id":"s","text":"Hi"}"#, None),
            (
                r#"{"id":"x","timestamp":"2025-05-01","instructions":null}"#,
                Some(Foreign::Codex),
            ),
            (r#"{"record_type":"state"}"#, Some(Foreign::Codex)),
            (r#"{"record_type":"other","id":"x"}"#, None),
            (
                r#"{"type":"span","traceId":"t","name":"n"}"#,
                Some(Foreign::OpenTelemetry),
            ),
            (r#"{"type":"span"}"#, None),
            (r#"{"hrTime":[1,2],"body":"b"}"#, Some(Foreign::OpenTelemetry)),
            (r#"{"hrTime":1}"#, None),
            // A span as OTLP has it, and one of the SDK for Python.
            (
                r#"{"traceId":"a","spanId":"b","startTimeUnixNano":"1"}"#,
                Some(Foreign::OpenTelemetry),
            ),
            (r#"{"traceId":"a"}"#, None),
            (
                r#"{"name":"n","context":{"trace_id":"0x1","span_id":"0x2"}}"#,
                Some(Foreign::OpenTelemetry),
            ),
            (r#"{"name":"n","context":{"id":"x"}}"#, None),
            // A log record of the SDK for JavaScript.
            (
                r#"{"body":"b","timestamp":[1,2],"instrumentationScope":{"name":"s"}}"#,
                Some(Foreign::OpenTelemetry),
            ),
            (r#"{"body":"b","timestamp":[1,2]}"#, None),
            (
                r#"{"type":"session","version":3,"id":"s","cwd":"/"}"#,
                Some(Foreign::Pi),
            ),
            (r#"{"type":"session","id":"s"}"#, None),
            (
                r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user"}}"#,
                Some(Foreign::Pi),
            ),
            (
                r#"{"type":"model_change","id":"a","modelId":"m"}"#,
                Some(Foreign::Pi),
            ),
            (r#"{"type":"novel"}"#, None),
            ("{}", None),
        ];
        let mut decoder = Decoder::new();
        for (line, expected) in cases {
            let record = decoder.decode(line.as_bytes()).unwrap();
            assert_eq!(Foreign::of(record.message()), expected, "{line}");
        }
    }
}
