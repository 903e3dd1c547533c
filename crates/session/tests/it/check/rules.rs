//! Valid logs of each dialect (flows), and violations of each rule.

use std::slice;

use super::*;

// ---- flows -----------------------------------------------------------------

macro_rules! flows {
    ($($name:literal: $($found:literal),* ;)*) => {
        /// The flows: name, log and expected findings.
        pub(super) const FLOWS: &[(&str, &str, &[&str])] = &[$((
            $name,
            include_str!(concat!("../../data/flows/", $name, ".jsonl")),
            &[$($found),*],
        )),*];
    };
}

flows! {
    "specification/linear": ;
    "specification/tool_use": ;
    "specification/parallel_tools": ;
    "specification/sidechain": ;
    "specification/error_recovery": ;
    "specification/compaction": ;
    "specification/branching": "note 4 unanswered_call";
    "transcript/linear": ;
    "transcript/tool_use": ;
    "transcript/parallel_tools": ;
    "transcript/sidechain": ;
    "transcript/error_recovery": "note 5 unanswered_call";
    "transcript/compaction":
        "note 2 missing_parent", "note 3 missing_parent";
    "transcript/branching": "note 4 unanswered_call";
    "transcript/resumed":
        "note 4 duplicate_uuid", "note 5 duplicate_uuid",
        "note 6 duplicate_uuid", "note 7 missing_parent";
    "transcript/forked": "note 2 missing_parent", "note 2 unasked_result";
    "transcript/sidechain_file":
        "note 1 missing_parent", "note 1 unasked_result",
        "note 2 unanswered_call";
    "stream/linear": "note 6 duplicate_uuid";
    "stream/tool_use": ;
    "stream/parallel_tools": ;
    "stream/sidechain": ;
    "stream/error_recovery": "note 5 unanswered_call";
    "stream/compaction": ;
    "server/linear": ;
    "server/tool_use": ;
    "server/parallel_tools": ;
    "server/error_recovery": "note 6 unanswered_call";
}

pub(super) fn flow(name: &str) -> &'static str {
    FLOWS.iter().find(|(known, ..)| *known == name).expect(name).1
}

#[test]
fn each_flow_has_the_expected_notes_and_no_error() {
    for (name, log, expected) in FLOWS {
        assert_eq!(short(&check(log)), *expected, "{name}");
        assert!(expected.iter().all(|found| found.starts_with("note")));
        // The detected dialect is right: forcing it changes nothing.
        let dialect = dialect_named(name.split('/').next().unwrap());
        let forced = Checker::with_dialect(dialect);
        let forced = check_with(forced, log.as_bytes());
        assert_eq!(short(&forced), *expected, "{name}");
    }
}

/// A missing message may be in the other part of the session.
#[test]
fn an_incomplete_log_has_no_error() {
    for (name, log, _) in FLOWS {
        let all: Vec<&str> = log.split_inclusive('\n').collect();
        for cut in 0..=all.len() {
            for part in [&all[..cut], &all[cut..]] {
                let found = short(&check(&part.concat()));
                let errors = found.iter().filter(|f| f.starts_with("error"));
                assert_eq!(errors.count(), 0, "{name} {cut}: {found:?}");
            }
        }
    }
}

pub(super) fn dialect_named(name: &str) -> Dialect {
    use Dialect::{Server, Specification, Stream, Transcript};
    let all = [Specification, Transcript, Stream, Server];
    all.into_iter().find(|dialect| dialect.as_str() == name).unwrap()
}

// ---- violations of each rule -----------------------------------------------

/// A flow, a line number, the text to replace in that line, its replacement,
/// and the new finding.
type Break = (&'static str, u64, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const BREAKS: &[Break] = &[
    // Missing fields.
    ("specification/linear", 5, r#""uuid":"s-1","#, "", "error required_field"),
    ("specification/linear", 4, r#""timestamp":"2025-05-01T09:01:05.250Z","#, "", "error required_field"),
    ("specification/linear", 4, r#""sessionId":"garden","#, "", "error required_field"),
    ("specification/linear", 3, r#","message":"And in the sun?""#, "", "error required_field"),
    ("specification/linear", 4, r#""type":"assistant","#, "", "error required_field"),
    ("specification/linear", 4, r#""message":"Sage does.","#, "", "error required_field"),
    ("specification/tool_use", 4, r#","message":"beds/1\nbeds/2""#, "", "error required_field"),
    ("specification/error_recovery", 4, r#","isError":true"#, "", "note required_field"),
    ("specification/compaction", 3, r#","metadata":{"preservedMessages":4,"totalMessages":40,"compressionRatio":0.1}"#, "", "error required_field"),
    ("specification/compaction", 2, r#","message":"conversation_compacting""#, "", "error required_field"),
    ("transcript/linear", 9, r#""timestamp":"2026-02-01T08:00:07.000Z""#, r#""n":1"#, "error required_field"),
    ("transcript/linear", 8, r#""sessionId":"g-1","#, "", "error required_field"),
    ("transcript/linear", 9, r#""uuid":"a-3","#, "", "error required_field"),
    ("transcript/linear", 9, r#""isSidechain":false,"#, "", "note required_field"),
    ("transcript/linear", 8, r#","content":[{"type":"text","text":"And in the sun?"}]"#, "", "error required_field"),
    ("transcript/linear", 1, r#""summary":"Shade and sun","#, "", "error required_field"),
    ("transcript/linear", 2, r#""messageId":"u-1","snapshot""#, r#""snapshot""#, "error required_field"),
    ("transcript/tool_use", 3, r#""data":{"type":"hook_progress","hookEvent":"PostToolUse"},"#, "", "error required_field"),
    ("stream/linear", 4, r#""message""#, r#""massage""#, "error required_field"),
    ("stream/linear", 1, r#""session_id":"g-1","#, "", "error required_field"),
    ("stream/linear", 3, r#""event":{"type""#, r#""event":{"tip""#, "error required_field"),
    ("stream/linear", 5, r#""subtype":"success","#, "", "note required_field"),
    ("server/linear", 2, r#""text":"Ferns","#, "", "error required_field"),
    ("server/linear", 5, r#""sequence":1"#, r#""consequence":1"#, "error required_field"),
    ("server/linear", 4, r#","session_id":1"#, "", "error required_field"),
    // Fields of the wrong type, and types that are not allowed.
    ("specification/linear", 3, r#""And in the sun?""#, "7", "error structure"),
    ("specification/linear", 4, r#""subtype":"response""#, r#""subtype":"song""#, "note structure"),
    ("specification/linear", 4, r#""subtype":"response""#, r#""subtype":"response","toolName":"Read""#, "error structure"),
    ("specification/compaction", 2, "conversation_compacting", "conversation_composting", "error structure"),
    ("specification/sidechain", 6, r#""isSidechain":true"#, r#""isSidechain":"yes""#, "error structure"),
    ("transcript/linear", 9, r#""role":"assistant""#, r#""role":"user""#, "error structure"),
    ("transcript/linear", 9, r#"[{"type":"text","text":"Sage does."}]"#, "7", "error structure"),
    ("transcript/linear", 9, r#"{"type":"text","text":"Sage does."}"#, r#""Sage does.""#, "error structure"),
    ("transcript/linear", 9, r#","text":"Sage does.""#, "", "note required_field"),
    ("transcript/linear", 4, r#""parentUuid":"u-1""#, r#""parentUuid":1"#, "error structure"),
    ("transcript/linear", 8, r#""type":"text""#, r#""type":"thinking","thinking":"Hm""#, "error structure"),
    ("stream/linear", 4, r#""type":"assistant""#, r#""type":"user""#, "error structure"),
    ("stream/linear", 5, r#""num_turns":1"#, r#""num_turns":"one""#, "error structure"),
    ("server/linear", 5, "EndTurn", "Unturned", "error structure"),
    ("server/linear", 6, "Display", "Displaced", "note structure"),
    // Timestamps.
    ("specification/linear", 2, "2025-05-01T09:00:04Z", "2025-02-29T09:00:04Z", "error timestamp"),
    ("transcript/linear", 7, "2026-02-01T08:00:04.000Z", "yesterday", "error timestamp"),
    ("transcript/linear", 3, r#""2026-02-01T08:00:00.000Z""#, "1769932800", "error timestamp"),
    ("stream/linear", 4, "2026-02-01T08:00:00.000Z", "2026-02-01 08:00:00", "error timestamp"),
    // Uuids.
    ("specification/linear", 5, r#""uuid":"s-1""#, r#""uuid":"u-2""#, "error duplicate_uuid"),
    ("transcript/linear", 9, r#""uuid":"a-3""#, r#""uuid":"a-2""#, "error duplicate_uuid"),
    ("transcript/resumed", 4, "2026-02-01T20:00:00.000Z", "2026-02-01T20:00:00.001Z", "error duplicate_uuid"),
    ("stream/linear", 5, r#""uuid":"z-1""#, r#""uuid":"i-1""#, "error duplicate_uuid"),
    // Parents.
    ("specification/linear", 5, r#""parentUuid":"a-2""#, r#""parentUuid":"a-9""#, "error missing_parent"),
    ("specification/linear", 1, r#""parentUuid":null"#, r#""parentUuid":"u-0""#, "note missing_parent"),
    ("transcript/linear", 8, r#""parentUuid":"s-1""#, r#""parentUuid":"s-9""#, "error missing_parent"),
    ("transcript/linear", 6, r#""parentUuid":"a-2""#, r#""parentUuid":"a-9""#, "note missing_parent"),
    ("transcript/linear", 3, r#""parentUuid":null"#, r#""parentUuid":"u-0""#, "note missing_parent"),
    ("transcript/compaction", 6, r#""logicalParentUuid":"a-1""#, r#""logicalParentUuid":"a-9""#, "note missing_parent"),
    ("specification/linear", 1, r#""parentUuid":null"#, r#""parentUuid":"u-1""#, "error parent_cycle"),
    ("transcript/branching", 1, r#""parentUuid":null"#, r#""parentUuid":"u-1""#, "error parent_cycle"),
    // Sidechains.
    ("specification/linear", 4, r#""subtype":"response""#, r#""isSidechain":true"#, "error sidechain"),
    ("specification/sidechain", 3, r#","isSidechain":true"#, "", "error 4 sidechain"),
    ("specification/sidechain", 7, r#""type":"assistant""#, r#""type":"user""#, "error sidechain"),
    ("transcript/sidechain", 6, r#""isSidechain":true"#, r#""isSidechain":false"#, "error sidechain"),
    ("transcript/sidechain", 9, r#""isSidechain":false"#, r#""isSidechain":true"#, "error sidechain"),
    ("transcript/tool_use", 3, r#""isSidechain":false"#, r#""isSidechain":true"#, "note sidechain"),
    ("stream/sidechain", 6, r#""parent_tool_use_id":"t-1""#, r#""parent_tool_use_id":"t-9""#, "error sidechain"),
    // Calls.
    ("specification/tool_use", 3, r#""toolName":"Glob","#, "", "error tool_call"),
    ("specification/tool_use", 3, r#"{"pattern":"beds/*"}"#, r#""beds/*""#, "error tool_call"),
    ("transcript/tool_use", 2, r#""name":"Glob""#, r#""name":"""#, "error tool_call"),
    ("transcript/tool_use", 2, r#","input":{"pattern":"beds/*"}"#, "", "error tool_call"),
    ("transcript/tool_use", 5, r#","name":"web_search""#, "", "error tool_call"),
    ("stream/tool_use", 2, r#""input":{"pattern":"beds/*"}"#, r#""input":[]"#, "error tool_call"),
    ("server/tool_use", 4, r#""tool_name":"list","#, "", "error tool_call"),
    ("transcript/error_recovery", 5, r#""id":"t-2""#, r#""id":"t-1""#, "error repeated_call"),
    ("server/error_recovery", 6, r#""tool_use_id":"t-2""#, r#""tool_use_id":"t-1""#, "error repeated_call"),
    // Calls and results.
    ("transcript/parallel_tools", 5, r#"{"tool_use_id":"t-1""#, r#"{"type":"tool_result","tool_use_id":"t-1"},{"tool_use_id":"t-1""#, "note repeated_result"),
    ("server/parallel_tools", 8, r#"{"Complete":{"#, r#"{"ToolCompleted":{"tool_use_id":"t-1","result":"Mint","#, "error repeated_result"),
    ("transcript/tool_use", 4, r#""type":"tool_result""#, r#""type":"image""#, "error 2 unanswered_call"),
    ("transcript/tool_use", 5, r#"{"type":"web_search_tool_result","tool_use_id":"srv-1","content":[]},"#, "", "note unanswered_call"),
    ("transcript/parallel_tools", 4, r#""type":"tool_result""#, r#""type":"image""#, "error 3 unanswered_call"),
    ("specification/tool_use", 4, r#""subtype":"tool_result","#, "", "error 3 unanswered_call"),
    ("specification/parallel_tools", 6, r#""subtype":"tool_result","#, "", "error 3 unanswered_call"),
    ("stream/tool_use", 5, r#""type":"tool_result""#, r#""type":"image""#, "error 2 unanswered_call"),
    ("stream/sidechain", 5, r#""type":"tool_result""#, r#""type":"image""#, "error 4 unanswered_call"),
    ("server/tool_use", 5, r#"{"ToolCompleted":{"tool_use_id":"t-1","result":"1 2""#, r#"{"Display":{"content":"1 2""#, "error 4 unanswered_call"),
    ("transcript/tool_use", 2, r#""type":"tool_use""#, r#""type":"tool_abuse""#, "error 4 unasked_result"),
    ("stream/tool_use", 2, r#""type":"tool_use""#, r#""type":"tool_abuse""#, "error 5 unasked_result"),
    ("specification/linear", 5, r#""isMeta":true,"subtype":"meta""#, r#""subtype":"tool_result""#, "error unasked_result"),
    ("server/linear", 6, r#"{"Display":{"content":"Bye""#, r#"{"ToolCompleted":{"tool_use_id":"t-1","result":"""#, "error unasked_result"),
    ("stream/compaction", 3, r#""status","status":"compacting""#, r#""session_writes_lost","error_code":"ENOSPC","lost":["transcript"],"transcript_session_ids":["g-1"]"#, "error lost_writes"),
    ("stream/compaction", 3, r#""status","status":"compacting""#, r#""session_writes_lost","error_code":"EDQUOT","lost":["global_config"]"#, ""),
    ("stream/compaction", 3, r#""status","status":"compacting""#, r#""mirror_error","error":"timed out","key":{"projectKey":"p","sessionId":"g-1"}"#, "error lost_writes"),
];

/// Messages in progress lines have no envelope, so that only their blocks,
/// calls and results can be checked.
#[test]
fn messages_nested_in_progress_lines_are_checked() {
    let line = |number: u8, kind: &str, block: &str| {
        format!(
            r#"{{"parentUuid":null,"isSidechain":false,"sessionId":"g-1","type":"progress","uuid":"p-{number}","timestamp":"2026-02-01T08:00:0{number}.000Z","toolUseID":"x","parentToolUseID":"t-0","data":{{"type":"agent_progress","agentId":"a","prompt":"Go","message":{{"type":"{kind}","uuid":"n-{number}","message":{{"id":"m-{number}","role":"{kind}","content":[{block}]}}}}}}}}"#
        ) + "\n"
    };
    let call = r#"{"type":"tool_use","id":"t-1","name":"Read","input":{}}"#;
    let answer = r#"{"type":"tool_result","tool_use_id":"t-1"}"#;
    let (call_line, answer_line) =
        (line(1, "assistant", call), line(2, "user", answer));
    let both = call_line.clone() + &answer_line;
    assert_eq!(short(&check(&both)), [""; 0]);
    assert_eq!(short(&check(&call_line)), ["note 1 unanswered_call"]);
    assert_eq!(short(&check(&answer_line)), ["note 1 unasked_result"]);
    let unnamed = call.replace(r#""id":"t-1","#, "");
    let found = check(&line(1, "assistant", &unnamed));
    assert_eq!(short(&found), ["error 1 tool_call"]);

    // They were not checked.
    let content = |new: &str| {
        let line = both.replace(&format!("[{call}]"), new);
        short(&check(&line.replace("t-1", "t-2"))).join(", ")
    };
    assert!(content("5").contains("error 1 structure"), "{}", content("5"));
    let timed = |time: &str| {
        let uuid = r#""uuid":"n-1","#;
        let time = format!(r#"{uuid}"timestamp":"{time}","#);
        short(&check(&both.replace(uuid, &time)))
    };
    assert_eq!(timed("zzz"), ["error 1 timestamp"]);
    assert_eq!(timed("2026-02-01T08:00:00Z"), [""; 0]);
    let messageless =
        both.replace(r#""message":{"id":"m-1""#, r#""m":{"id":"m-1""#);
    let found = short(&check(&messageless)).join(", ");
    assert!(found.contains("error 1 required_field"), "{found}");
}

/// The copy of the parent's message, with which a forked sub-agent begins, was
/// said to have a call without a result.
#[test]
fn calls_that_a_forked_sub_agent_copied_are_not_its_own() {
    let said = |uuid: &str, parent: &str, id: &str, block: &str| {
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":true,"agentId":"a","sessionId":"g-1","type":"assistant","uuid":"{uuid}","timestamp":"2026-02-01T08:00:00.000Z","message":{{"id":"{id}","type":"message","role":"assistant","model":"m","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":1,"output_tokens":1}}}}}}"#
        ) + "\n"
    };
    let call = r#"{"type":"tool_use","id":"t-1","name":"Agent","input":{}}"#;
    let text = r#"{"type":"text","text":"Hi"}"#;
    let fork = r#"{"type":"fork-context-ref","agentId":"a","parentSessionId":"g-1","parentLastUuid":"u","contextLength":3}"#;
    let user = |content: &str| {
        format!(
            r#"{{"parentUuid":"f-1","isSidechain":true,"agentId":"a","sessionId":"g-1","type":"user","uuid":"f-2","timestamp":"2026-02-01T08:00:01.000Z","message":{{"role":"user","content":{content}}}}}"#
        ) + "\n"
    };
    let copy = said("f-1", "null", "m-1", call);
    let own = said("f-3", r#""f-2""#, "m-2", text);
    let log = format!("{copy}{}{own}", user(r#""Go""#));
    assert_eq!(short(&check(&log)), ["error 1 unanswered_call"]);
    assert_eq!(short(&check(&format!("{fork}\n{log}"))), [""; 0]);
    let answer = r#"[{"type":"tool_result","tool_use_id":"t-1"}]"#;
    let log = format!("{fork}\n{copy}{}{own}", user(answer));
    assert_eq!(short(&check(&log)), [""; 0]);
    // Its own calls are paired.
    let own = said("f-3", r#""f-2""#, "m-2", &call.replace("t-1", "t-2"));
    let log = format!("{fork}\n{copy}{}{own}", user(answer));
    assert_eq!(short(&check(&log)), ["note 4 unanswered_call"]);
    // All of them up to the next line of the user were taken for the copy.
    let own = said("f-3", r#""f-1""#, "m-2", &call.replace("t-1", "t-2"));
    let log = format!("{fork}\n{copy}{own}");
    assert_eq!(short(&check(&log)), ["note 3 unanswered_call"]);
}

#[test]
fn a_hole_in_a_transcript_is_described() {
    let log = r#"{"type":"system","subtype":"session_writes_lost","session_id":"s","error_code":"ENOSPC","lost":["transcript"],"transcript_session_ids":["s","t"]}
{"type":"system","subtype":"mirror_error","session_id":"s","error":"timed out","key":{"sessionId":"s"}}
"#;
    let found = check(log);
    let texts: Vec<&str> = found.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(
        texts,
        [
            "lines of the transcript of `s`, `t` were not saved: `ENOSPC`",
            "lines of the mirrored transcript of `s` are lost: `timed out`",
        ]
    );
    let unlisted = log.replace(r#""lost":["transcript"],"#, "");
    assert_eq!(check(&unlisted).len(), 2);
    let config = log.replace(r#"["transcript"]"#, r#"["config"]"#);
    assert_eq!(check(&config).len(), 1);
}

/// A message and its mirrored line were said to be different messages with one
/// uuid.
#[test]
fn a_mirrored_line_is_the_message_of_the_stream() {
    let line = flow("stream/compaction").lines().next().unwrap();
    let said = r#"{"type":"assistant","uuid":"u-1","session_id":"s","parent_tool_use_id":null,"message":{"id":"m-1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi"}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#;
    let saved = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","uuid":"u-1","timestamp":"2026-02-01T08:00:00.000Z","type":"assistant","message":{"id":"m-1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi"}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#;
    let mirror = format!(
        r#"{{"type":"transcript_mirror","session_id":"s","filePath":"f","entries":[{saved}]}}"#
    );
    let own = short(&check(&format!("{line}\n{said}\n")));
    let both = short(&check(&format!("{line}\n{said}\n{mirror}\n")));
    assert_eq!(both, own);
}

#[test]
fn each_broken_rule_is_one_finding_on_the_right_line() {
    let mut broken = BTreeSet::new();
    for (name, number, old, new, expected) in BREAKS {
        let what = format!("{name} {number}: {old} becomes {new}");
        let log = flow(name);
        let mut all: Vec<String> = log.lines().map(String::from).collect();
        let line = &mut all[*number as usize - 1];
        assert_eq!(line.matches(old).count(), 1, "{what}");
        *line = line.replace(old, new);
        let before = short(&check(log));
        let mut found = check(&(all.join("\n") + "\n"));
        found.retain(|found| {
            !before.contains(&short(slice::from_ref(found))[0])
        });
        if expected.is_empty() {
            assert_eq!(short(&found), [""; 0], "{what}");
            continue;
        }
        // If `expected` has no line number, it is the changed line.
        let mut words: Vec<&str> = expected.split(' ').collect();
        let number = number.to_string();
        if words.len() == 2 {
            words.insert(1, &number);
        }
        assert_eq!(short(&found), [words.join(" ")], "{what}");
        let lines_before = words[1].parse::<usize>().unwrap() - 1;
        let before = all.iter().take(lines_before);
        let start: usize = before.map(|line| line.len() + 1).sum();
        assert_eq!(found[0].position.byte(), start as u64, "{what}");
        broken.insert(found[0].rule);
    }
    // Violations of `order` move a line instead of changing one.
    let moved = |name, from: usize, to: usize| {
        let mut all: Vec<&str> = flow(name).lines().collect();
        let line = all.remove(from - 1);
        all.insert(to - 1, line);
        short(&check(&(all.join("\n") + "\n")))
    };
    assert_eq!(moved("transcript/linear", 9, 8), ["note 8 order"]);
    assert_eq!(moved("stream/tool_use", 5, 2), ["note 2 order"]);
    assert_eq!(moved("server/tool_use", 5, 4), ["error 4 order"]);
    // The result comes before its call, which is also its parent.
    let both = ["note 3 order", "note 3 order"];
    assert_eq!(moved("specification/tool_use", 4, 3), both);
    broken.insert(Rule::Order);
    assert!(broken.into_iter().eq(Rule::ALL), "each rule is broken");
}

/// In the specification dialect, a repeated message is an error, and a message
/// that lost its sidechain flag causes two findings.
#[test]
fn specification_duplicates_and_lost_sidechain_flags_are_errors() {
    let log = flow("specification/compaction");
    let again = [5, 6, 7, 8].map(|at| format!("error {at} duplicate_uuid"));
    assert_eq!(short(&check(&log.repeat(2))), again);
    let log = flow("specification/sidechain");
    let log = log.replace(r#"{"file_path":"pond"},"isSidechain":true"#, "{}");
    let found = ["error 4 sidechain", "error 6 sidechain"];
    assert_eq!(short(&check(&log)), found);
}

/// Removes each required field from each line, or sets it to `null`.
#[test]
fn every_missing_required_field_is_a_finding() {
    let required = |dialect: &str, kind: &str| match (dialect, kind) {
        ("specification", "compact_system") => {
            "type uuid timestamp sessionId message"
        }
        ("specification", _) => "type uuid timestamp sessionId",
        ("transcript", "summary") => "summary leafUuid",
        ("transcript", "file-history-snapshot") => "messageId snapshot",
        ("transcript", "queue-operation") => "operation sessionId",
        ("transcript", "user" | "assistant") => {
            "uuid timestamp sessionId isSidechain message"
        }
        ("transcript", _) => "uuid timestamp sessionId isSidechain",
        ("stream", "user" | "assistant") => "message",
        _ => "",
    };
    let mut missed = 0;
    for (name, log, _) in FLOWS {
        let dialect = name.split('/').next().unwrap();
        let checker = Checker::with_dialect(dialect_named(dialect));
        for (at, line) in log.lines().enumerate() {
            let line: Value = serde_json::from_str(line).unwrap();
            let kind = line["type"].as_str().unwrap_or_default();
            for key in required(dialect, kind).split_terminator(' ') {
                for gone in [None, Some(Value::Null)] {
                    let mut line = line.clone();
                    let object = line.as_object_mut().unwrap();
                    object.remove(key).expect(key);
                    object.extend(gone.map(|null| (key.to_string(), null)));
                    let mut lines: Vec<_> =
                        log.lines().map(String::from).collect();
                    lines[at] = line.to_string();
                    let log = lines.join("\n");
                    let found = check_with(checker.clone(), log.as_bytes());
                    let found = found.iter().filter(|found| {
                        found.rule == Rule::RequiredField
                            && found.position.line() == at as u64 + 1
                            && found.message == format!("`{key}` is missing")
                    });
                    assert_eq!(found.count(), 1, "{name} {at} {key}");
                    missed += 1;
                }
            }
        }
    }
    assert!(missed > 500, "{missed}");
}
