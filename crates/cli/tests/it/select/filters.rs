//! `linetape select`: the filters, alone and combined.

use std::{collections::BTreeSet, fs};

use crate::support::{
    file, linetape, logs,
    real_logs::exhaustive,
    reference::{Record, records},
    selection::{Filter, calls, role},
    text,
};
use serde_json::Value;

/// The values of a log that filters can match.
struct Vocabulary {
    types: Vec<String>,
    sessions: Vec<String>,
    tools: Vec<String>,
    roles: Vec<String>,
    times: Vec<String>,
    texts: Vec<String>,
}

impl Vocabulary {
    fn of(records: &[Record<'_>], random: &mut Random) -> Vocabulary {
        let mut times = vec![];
        let mut texts = vec![];
        for record in records {
            let time = record.object["timestamp"].as_str();
            times.extend(time.iter().flat_map(|t| [*t, &t[..10]]));
            // Raw bytes of the line, which need not be in a string.
            texts.push(random.part(text(record.line)));
        }
        for _ in 0..50.min(records.len() * 10) {
            let record = random.pick(records);
            texts.extend(random.string_in(&record.object));
        }
        // A command line cannot hold a NUL.
        texts.retain(|text| !text.is_empty() && !text.contains('\0'));
        Vocabulary {
            types: distinct(records.iter().flat_map(|r| r.names.clone())),
            sessions: distinct(records.iter().flat_map(|r| r.session.clone())),
            tools: distinct(records.iter().flat_map(calls).map(|c| c.0)),
            roles: distinct(records.iter().flat_map(role)),
            times: distinct(times.into_iter().map(str::to_string)),
            texts,
        }
    }

    /// Returns a random combination of filters.
    fn filter(&self, random: &mut Random) -> Filter {
        let mut some = |values: &[String], odds: usize| {
            let mut picked = vec![];
            while !values.is_empty() && random.below(odds) == 0 {
                picked.push(random.pick(values).clone());
            }
            picked
        };
        Filter {
            types: some(&self.types, 4),
            sessions: some(&self.sessions, 6),
            tools: some(&self.tools, 3),
            roles: some(&self.roles, 4),
            since: some(&self.times, 5).pop(),
            until: some(&self.times, 5).pop(),
            texts: some(&self.texts, 2),
            invert: random.below(4) == 0,
        }
    }
}

/// Everyday tests try half of the filters.
fn many(filters: usize) -> usize {
    if exhaustive() { filters } else { filters / 2 }
}

fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    values.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Pseudo-random numbers, the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn pick<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }

    /// Returns a few characters of a text.
    fn part(&mut self, text: &str) -> String {
        let mut start = self.below(text.len() + 1);
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let length = 1 + self.below(8);
        text[start..].chars().take(length).collect()
    }

    /// Returns a part of a random string or key in a value.
    fn string_in(&mut self, mut value: &Value) -> Option<String> {
        loop {
            match value {
                Value::String(text) => return Some(self.part(text)),
                Value::Array(items) if !items.is_empty() => {
                    value = self.pick(items);
                }
                Value::Object(members) if !members.is_empty() => {
                    let at = self.below(members.len());
                    let (key, member) = members.iter().nth(at).unwrap();
                    if self.below(8) == 0 {
                        return Some(self.part(key));
                    }
                    value = member;
                }
                _ => return None,
            }
        }
    }
}

/// Compares the command with the reference implementation, for random filters.
/// Returns the number of filters that select some lines, but not all.
fn assert_selects(path: &str, log: &[u8], filters: usize) -> usize {
    let (records, _) = records(log);
    let random = &mut Random(log.len() as u64 + 1);
    let words = Vocabulary::of(&records, random);
    let mut telling = 0;
    for _ in 0..filters {
        let filter = words.filter(random);
        let expected = filter.select(&records);
        // Not `assert_eq`, which would print megabytes.
        let same = filter.run(&[path], b"").stdout == expected;
        assert!(same, "{filter:?} of {path}");

        let mut arguments = vec!["select", "--count"];
        arguments.extend(filter.arguments());
        arguments.push(path);
        let count = linetape(&arguments, b"").stdout;
        let lines = expected.iter().filter(|&&b| b == b'\n').count();
        assert_eq!(text(&count), format!("{lines}\n"), "{filter:?}");
        telling += usize::from(lines > 0 && lines < records.len());
    }
    telling
}

#[test]
fn random_filters_on_all_logs_match_the_reference() {
    let logs = logs();
    let telling: usize = logs
        .iter()
        .map(|path| {
            let log = fs::read(path).unwrap();
            assert_selects(path.to_str().unwrap(), &log, 10)
        })
        .sum();
    assert!(telling > logs.len(), "{telling}");
}

/// A log with all kinds of lines. `X` is replaced by `2026-03-0`.
const LOG: &str = r#"
{"type":"assistant","timestamp":"X1T23:59:59.999Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read"},{"type":"tool_use","id":"t2","name":"Bash"}]}}
{"type":"user","timestamp":"X2T00:00:00.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2"}]}}
{"type":"user","timestamp":"X2T09:14:07.000Z","message":{"content":[{"type":"text","text":"t1"},{"type":"tool_result","tool_use_id":"t1","content":"Read"}]}}
{"type":"assistant","timestamp":"X2T09:14:07.001Z","message":{"role":"tool","content":[{"type":"server_tool_use","id":"s1","name":"search"},{"type":"brand_new_tool_result","tool_use_id":"s1"}]}}
{"type":"assistant","timestamp":"X2T23:59:59.999Z","message":{"content":[{"type":"web_search_tool_result","tool_use_id":"s1"}]}}
{"type":"assistant","timestamp":"X3T00:00:00.000Z","message":{"content":[{"type":"mcp_tool_use","id":"m1","name":"ask"}]}}
{"type":"user","message":{"content":[{"type":"mcp_tool_result","tool_use_id":"m1"}]}}
{"type":"assistant","subtype":"tool_use","uuid":"u1","toolName":"Read"}
{"type":"system","subtype":"tool_result","parentUuid":"u1"}
{"type":"system","subtype":"error","parentUuid":"u1"}
{"type":"system","subtype":"informational","parentUuid":"u1"}
{"type":"system","subtype":"tool_result","toolUseID":"t2"}
{"ToolExecuting":{"tool_use_id":"e1","tool_name":"Bash","session_id":1}}
{"ToolCompleted":{"tool_use_id":"e1","result":"","session_id":1}}
{"ToolCompleted":{"tool_use_id":"e2","result":"Bash","session_id":1}}
{"TextChunk":{"text":"Read","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}
{"session_id":1,"content":"hi","turn_id":{"role":"User","sequence":1}}
{"Complete":{"session_id":1,"turn_id":{"role":"Narrator","sequence":1}}}
{"type":"stream_event","event":{"type":"content_block_start","content_block":{"type":"tool_use","id":"t9","name":"Read"}}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t9"}]}}
{"type":"later","timestamp":"X3T00:59:59.000+01:00","message":{"role":"user"}}
{"type":"later","timestamp":"X3T12:00","n":[7102346890,-1.5E+7,true,false,null,{ }]}
{"type":"later","timestamp":1772448847,"a\/b":"c\\nd \"e\" f\ng"}
{"type":"later","timestamp":"soon","x":["caf\u00e9","\ud83d\ude00","\u0041bc","tab\there","AB\u0020CD"]}
"#;

fn log() -> String {
    LOG.trim_start().replace('X', "2026-03-0")
}

#[test]
fn random_filters_on_a_small_log_match_the_reference() {
    // The reference implementation knows one format of times.
    let log: String = log()
        .lines()
        .filter(|line| !line.contains("later") || line.contains("x"))
        .map(|line| line.replace(r#""timestamp":"soon","#, "") + "\n")
        .collect();
    let path = file("select_filters.jsonl", log.as_bytes());
    let telling =
        assert_selects(path.to_str().unwrap(), log.as_bytes(), many(200));
    assert!(telling > 10, "{telling}");
}

/// The reference implementation could be wrong in the same way as the command,
/// so these line numbers are fixed by hand.
#[test]
fn each_filter_selects_these_lines() {
    let cases: &[(&[&str], &[usize])] = &[
        (&["--tool", "Bash"], &[1, 2, 12, 13, 14]),
        (&["--tool", "Read"], &[1, 3, 8, 9, 10]),
        (&["--tool", "search"], &[4, 5]),
        (&["--tool", "ask"], &[6, 7]),
        (&["--tool", "search", "--tool", "ask"], &[4, 5, 6, 7]),
        (&["--tool", "read"], &[]),
        // The call is on a line that does not match.
        (&["--tool", "Read", "--type", "user"], &[3]),
        (&["--tool", "Read", "--since", "2026-03-02"], &[3]),
        (&["--role", "user"], &[2, 3, 7, 17, 20, 21]),
        (&["--role", "assistant"], &[1, 5, 6, 8, 16]),
        (&["--role", "system"], &[9, 10, 11, 12]),
        (&["--role", "tool", "--role", "Narrator"], &[4, 18]),
        (&["--role", "User"], &[]),
        (&["--since", "2026-03-02"], &[2, 3, 4, 5, 6, 21, 22]),
        (&["--until", "2026-03-02"], &[1, 2, 3, 4, 5, 21]),
        (&["--since", "2026-03-02T09:14:07Z"], &[3, 4, 5, 6, 21, 22]),
        (&["--until", "2026-03-02T09:14:07Z"], &[1, 2]),
        (&["--since", "2026-03-02T09:14:07.001"], &[4, 5, 6, 21, 22]),
        (&["--until", "2026-03-02T10:15+01:00"], &[1, 2, 3, 4]),
        (&["--since", "2026-03-02T23:59", "--until", "2026-03-02"], &[5, 21]),
        (&["--since", "2026-03-03T12:00:00Z"], &[22]),
        (&["--since", "2026-03-03", "--until", "2026-03-01"], &[]),
        (&["--since", "0000-01-01", "--until", "2026-03-01"], &[1]),
        (&["--contains", "Bash"], &[1, 13, 15]),
        (&["--contains", "a/b"], &[23]),
        (&["--contains", "t9", "--contains", "e2"], &[15, 19, 20]),
        (&["--contains", "Narrat", "--role", "Narrator"], &[18]),
        (&["--contains", r"c\nd"], &[23]),
        (&["--contains", "c\nd"], &[]),
        (&["--contains", "f\ng"], &[23]),
        (&["--contains", r#""e""#], &[23]),
        (&["--contains", r#"\"e"#], &[]),
        (&["--contains", "caf\u{e9}"], &[24]),
        (&["--contains", "\u{1f600}"], &[24]),
        (&["--contains", "00e9"], &[]),
        (&["--contains", "Abc"], &[24]),
        (&["--contains", "1bc"], &[]),
        (&["--contains", "u0041bc"], &[]),
        (&["--contains", "there"], &[]),
        (&["--contains", "\there"], &[24]),
        (&["--contains", "B C"], &[24]),
        (&["--contains", "\u{7f}"], &[]),
        // These occur in the line, but not in a string.
        (&["--contains", "710"], &[]),
        (&["--contains", ":[7102346890,-1.5E+7,true,false,null,{ }]}"], &[]),
        (&["--contains", "true"], &[]),
        (&["--contains", "{"], &[]),
        (&["--contains", "--tool"], &[]),
        (&["--contains", "_tool_r"], &[4, 5, 7]),
        (
            &["--invert", "--contains", "t", "--until", "2026-03-01"],
            &[
                2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                19, 20, 21, 22, 23, 24,
            ],
        ),
    ];
    let log = log();
    let lines: Vec<&str> = log.lines().collect();
    for (filter, numbers) in cases {
        let arguments = [&["select", "-"], *filter].concat();
        let output = linetape(&arguments, log.as_bytes());
        let shown: Vec<usize> = text(&output.stdout)
            .lines()
            .map(|line| 1 + lines.iter().position(|l| *l == line).unwrap())
            .collect();
        assert_eq!(shown, *numbers, "{filter:?}");
        assert_eq!(text(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_call_of_another_file_is_not_remembered() {
    let log = log();
    let lines: Vec<&str> = log.lines().collect();
    let call = file("select_call.jsonl", lines[0].as_bytes());
    let paths = [call.to_str().unwrap(), "-"];
    let filter = Filter { tools: vec!["Bash".into()], ..Filter::default() };
    let output = filter.run(&paths, lines[1].as_bytes());
    assert_eq!(text(&output.stdout), format!("{}\n", lines[0]));
}

#[test]
fn invalid_arguments_are_refused() {
    let time = "expected a time such as 2026-03-02T09:14:07Z or \
        2026-03-02T09:14, or a day such as 2026-03-02";
    for (arguments, why) in [
        (["--since", "yesterday"], time),
        (["--since", "2026-02-29"], time),
        (["--since", ""], time),
        (["--until", "2026-03-02  09:14"], time),
        (["--until", "2026-03-02T24:00"], time),
        (["--until", "1772448847"], time),
        (["--contains", ""], "expected a non-empty text"),
    ] {
        let arguments = ["select", arguments[0], arguments[1], "-"];
        let output = linetape(&arguments, b"{}\n");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stdout), "");
        assert!(text(&output.stderr).contains(why), "{arguments:?}");
    }
}

/// Escapes before, in and after the text, and text that looks like them.
#[test]
fn escapes_change_nothing_about_what_a_line_contains() {
    let pieces = [
        "a",
        "b",
        "u",
        "n",
        "/",
        r"\/",
        r"\\",
        r"\n",
        r#"\""#,
        r"\u0061",
        r"\u005c",
        "0061",
        "é",
        r"\u00e9",
        r"\ud83d\ude00",
        "12",
        "",
    ];
    let random = &mut Random(7);
    let mut log = String::new();
    for _ in 0..1_000 {
        let text: String = (0..6).map(|_| *random.pick(&pieces)).collect();
        log += &match random.below(3) {
            0 => format!("{{\"{text}\":12}}\n"),
            1 => format!("{{\"x\":[[],{{}},[true,\"{text}\"]]}}\n"),
            _ => format!("{{\"x\":\"{text}\"}}\n"),
        };
    }
    let path = file("select_escapes.jsonl", log.as_bytes());
    let telling =
        assert_selects(path.to_str().unwrap(), log.as_bytes(), many(80));
    assert!(telling > 4, "{telling}");
}
