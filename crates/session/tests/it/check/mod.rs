//! Validation of logs: valid logs of each dialect (flows), violations of each
//! rule, reference implementations, shuffled, truncated and spliced logs, and
//! real logs.

mod rules;
mod shapes;

use std::collections::BTreeSet;

use linetape::{Decoder, lines};
use linetape_session::check::{Checker, Dialect, Finding, Level, Rule};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use crate::{
    check_reference::{
        Note, Reference, check_ordered, check_stream, comparable, note,
        ordered_log, stream_note,
    },
    texts::cases,
};

/// Returns the findings of a checker. Asserts that decoded and peeked messages
/// give the same findings. Lines that are not JSON are skipped.
fn check_with(checker: Checker, log: &[u8]) -> Vec<Finding> {
    let (mut decoded, mut peeked) = (checker.clone(), checker);
    let mut reader = lines(log);
    while let Some(record) = reader.next_record() {
        if let Ok(record) = record {
            decoded.add(record.message(), record.position());
        }
    }
    let mut reader = lines(log);
    while let Some(line) = reader.next_line() {
        let line = line.unwrap();
        if line.check().is_ok() {
            peeked.add(line.peek().unwrap(), line.position());
        }
    }
    let findings = decoded.finish();
    assert_eq!(findings, peeked.finish());
    let places = findings.iter().map(|finding| finding.position);
    assert!(places.is_sorted_by_key(|at| (at.line(), at.byte())));
    findings
}

fn check(log: &str) -> Vec<Finding> {
    check_with(Checker::new(), log.as_bytes())
}

/// Returns findings in short form: `error 3 missing_parent`.
fn short(findings: &[Finding]) -> Vec<String> {
    let short = |found: &Finding| {
        format!("{} {} {}", found.level, found.position.line(), found.rule)
    };
    findings.iter().map(short).collect()
}

// ---- dialects, texts, limits -----------------------------------------------

#[test]
fn dialect_of_a_message_by_its_shape() {
    for (line, expected) in [
        (r#"{"type":"user","message":"Hi"}"#, "specification"),
        (r#"{"type":"user","message":"Hi","session_id":"s"}"#, "stream"),
        (
            r#"{"type":"user","message":"Hi","isSidechain":true}"#,
            "specification",
        ),
        (r#"{"type":"user","message":{},"isSidechain":true}"#, "transcript"),
        (r#"{"type":"user","message":{}}"#, "stream"),
        (
            r#"{"type":"user","message":{},"parentUuid":null,"session_id":"s"}"#,
            "transcript",
        ),
        (r#"{"type":"user","sessionId":"s"}"#, "specification"),
        (r#"{"type":"user","sessionId":"s","version":"2"}"#, "transcript"),
        (r#"{"type":"user","sessionId":"s","cwd":"/"}"#, "transcript"),
        (
            r#"{"type":"assistant","sessionId":"s","toolName":"T","subtype":"tool_use"}"#,
            "specification",
        ),
        (
            r#"{"type":"system","sessionId":"s","subtype":"turn_duration"}"#,
            "transcript",
        ),
        (
            r#"{"type":"system","subtype":"informational","message":"Hi"}"#,
            "stream",
        ),
        (r#"{"type":"compact_system"}"#, "specification"),
        (r#"{"type":"summary","summary":"S"}"#, "transcript"),
        (r#"{"type":"brand-new","sessionId":"s"}"#, "transcript"),
        (r#"{"type":"brand-new"}"#, "stream"),
        (r#"{"event_type":"e","data":{}}"#, "stream"),
        (r#"{"TextChunk":{}}"#, "server"),
        (r#"{"BrandNew":{}}"#, "server"),
        (r#"{"BrandNew":1}"#, "stream"),
        (r#"{"session_id":1,"content":"","turn_id":{}}"#, "server"),
        ("{}", "stream"),
    ] {
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let dialect = Dialect::of(record.message());
        assert_eq!(dialect.to_string(), expected, "{line}");
    }
}

/// Agents add types often. An unknown type is reported as a note, and only in
/// dialects with a fixed list of types.
#[test]
fn unknown_types_are_notes() {
    let log = "{\"type\":\"brand-new\",\"timestamp\":7,\"uuid\":8}\n\
               {\"BrandNew\":{\"session_id\":1}}\n\
               {\"type\":\"assistant\",\"message\":{\"content\":[\
               {\"type\":\"brand_new\"}]}}\n";
    let expected =
        ["note 1 structure", "note 1 timestamp", "note 2 structure"];
    assert_eq!(short(&check(log)), expected);
    let forced = Checker::with_dialect(Dialect::Specification);
    let found = check_with(forced, b"{\"type\":\"progress\"}\n");
    let text = "line 1 (byte 0): note: structure: \
                unknown type `progress` in dialect specification";
    assert_eq!(
        (found[0].to_string(), found[0].level),
        (text.into(), Level::Note)
    );
}

/// Text from a log cannot control the terminal or flood the report.
#[test]
fn quoted_log_text_is_escaped_and_truncated() {
    let uuid = format!("\\u001b[2J\\u202e{}", "x".repeat(1000));
    let line = format!(
        "{{\"type\":\"system\",\"subtype\":\"status\",\"uuid\":\"{uuid}\"}}\n"
    );
    let found = check(&(line.clone() + &line.replace("status", "init")));
    let text = found.iter().find(|f| f.rule == Rule::DuplicateUuid).unwrap();
    let head = format!("\\u{{1b}}[2J\\u{{202e}}{}", "x".repeat(35));
    let start = format!("duplicate_uuid: `{head}...` is also the uuid of");
    let shown = text.to_string();
    assert!(shown.contains(&start), "{shown}");
    assert!(found.iter().all(|finding| finding.to_string().len() < 200));
}

/// The first thousand findings of each rule and level are kept.
#[test]
fn findings_are_limited_per_rule_and_level() {
    let block = r#"{"type":"tool_use"}"#;
    let line = format!(
        "{{\"type\":\"assistant\",\"message\":{{\"content\":[{}]}}}}\n",
        vec![block; 500].join(",")
    );
    let found = check(&line.repeat(3));
    assert_eq!(found.len(), 1000);
    assert!(found.iter().all(|found| found.rule == Rule::ToolCall));
    let more: Vec<u64> = found.iter().map(|found| found.and_more).collect();
    assert_eq!((more[999], more.iter().sum::<u64>()), (3500, 3500));
    assert!(found[999].to_string().ends_with("is missing (and 3500 more)"));
    assert_eq!(found[999].position.line(), 1);
}

/// Nothing is recursive or quadratic.
#[test]
fn long_chains_cycles_and_fans_take_linear_time() {
    let count = 10_000;
    let line = |uuid: usize, parent: usize| {
        format!(
            "{{\"type\":\"assistant\",\"uuid\":\"{uuid}\",\"parentUuid\":\
             \"{parent}\",\"sessionId\":\"s\",\"isSidechain\":false,\
             \"timestamp\":\"2026-01-01T00:00:00Z\",\"message\":{{\"id\":\"m\",\
             \"content\":[]}}}}\n"
        )
    };
    let log = |parent: fn(usize, usize) -> usize| {
        let lines = (0..count).map(|at| line(at, parent(at, count)));
        short(&check(&lines.collect::<String>()))
    };
    let last = format!("error {count} parent_cycle");
    assert_eq!(log(|at, _| at.wrapping_sub(1)), ["note 1 missing_parent"]);
    assert_eq!(log(|at, count| (at + 1) % count), [last]);
    assert_eq!(log(|_, _| 0), ["error 1 parent_cycle"]);
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn transcript_findings_agree_with_the_reference(notes in vec(note(), 0..24)) {
        let log: String = notes.iter().map(Note::saved).collect();
        let findings = check(&log);
        prop_assert_eq!(comparable(&findings), Reference::check(&notes), "{}", log);
    }

    #[test]
    fn stream_findings_agree_with_the_reference(notes in vec(stream_note(), 0..24)) {
        let log: String = notes.iter().map(Note::streamed).collect();
        let findings = check(&log);
        prop_assert_eq!(comparable(&findings), check_stream(&notes), "{}", log);
    }

    #[test]
    fn pairing_of_calls_without_ids_agrees_with_the_reference(
        steps in vec((select(vec!["call", "done", "failed"]), 0usize..12), 1..12)
    ) {
        // The first step has no parent, so the log has its beginning.
        let step = |(at, (kind, up)): (usize, &(&'static str, usize))| {
            (*kind, Some(*up).filter(|up| at > 0 && *up < steps.len()))
        };
        let steps: Vec<_> = steps.iter().enumerate().map(step).collect();
        let mut found = comparable(&check(&ordered_log(&steps)));
        found.retain(|(_, rule, _)| *rule >= Rule::RepeatedCall);
        prop_assert_eq!(found, check_ordered(&steps), "{:?}", steps);
    }
}
