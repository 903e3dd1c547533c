//! Generated logs have the statistics of real logs.

use std::collections::{HashMap, HashSet};

use linetape_generate::{Generator, Shape, generate};
use serde_json::Value;

const SIZE: usize = 32 << 20;

fn lines(log: &[u8]) -> impl Iterator<Item = &[u8]> {
    log.split_inclusive(|&byte| byte == b'\n')
}

/// Returns the length that `share` of a thousand lines do not exceed.
fn percentile(log: &[u8], share: usize) -> usize {
    let mut lengths: Vec<_> = lines(log).map(<[u8]>::len).collect();
    lengths.sort_unstable();
    lengths[lengths.len() * share / 1_000]
}

/// Returns the number of escapes, and the number of bytes in strings including
/// quotes, per thousand bytes.
fn strings(log: &[u8]) -> (usize, usize) {
    let (mut escapes, mut inside, mut open) = (0, 0, false);
    let mut bytes = log.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                escapes += 1;
                inside += 2;
                bytes.next();
            }
            b'"' => {
                open = !open;
                inside += 1;
            }
            _ => inside += usize::from(open),
        }
    }
    (escapes * 1_000 / log.len(), inside * 1_000 / log.len())
}

#[track_caller]
fn near(what: &str, found: usize, wanted: usize, percent: usize) {
    assert!(
        found.abs_diff(wanted) * 100 <= wanted * percent,
        "{what}: {found}, not within {percent} % of {wanted}"
    );
}

#[test]
fn transcript_has_the_statistics_of_real_logs() {
    let log = generate(Shape::Transcript, 1, SIZE);
    near("p50", percentile(&log, 500), 1_051, 10);
    near("p90", percentile(&log, 900), 6_142, 15);
    near("p99", percentile(&log, 990), 51_019, 15);
    // The distribution has a long tail.
    near("p99.9", percentile(&log, 999), 112_000, 30);
    let (escapes, inside) = strings(&log);
    near("escapes", escapes, 44, 15);
    near("bytes in strings", inside, 978, 1);

    let (mut user, mut results, mut late) = (0, 0, 0);
    for line in lines(&log) {
        let value: Value = serde_json::from_slice(line).unwrap();
        if value["type"] == "user" {
            user += line.len();
            results += value
                .get("toolUseResult")
                .map_or(0, |result| result.to_string().len());
        }
        // In these lines, the first `type` is in a nested object.
        if value["type"] == "assistant" {
            let text = std::str::from_utf8(line).unwrap();
            late += usize::from(
                text.find(r#""message":"#) < text.find(r#""type":"#)
                    && text.contains(r#","type":"assistant""#),
            );
        }
    }
    near("user lines", user * 1_000 / log.len(), 620, 12);
    near("toolUseResult", results * 1_000 / log.len(), 440, 12);
    assert!(late > 1_000);
}

#[test]
fn stream_has_the_statistics_of_real_logs() {
    let log = generate(Shape::Stream, 1, SIZE);
    near("p50", percentile(&log, 500), 701, 25);
    near("p90", percentile(&log, 900), 2_926, 15);
    near("escapes", strings(&log).0, 18, 30);
    let mut types = HashMap::<_, usize>::new();
    for line in lines(&log) {
        let value: Value = serde_json::from_slice(line).unwrap();
        *types
            .entry(value["type"].as_str().unwrap().to_owned())
            .or_default() += 1;
        if value["type"] == "stream_event" {
            assert!((170..700).contains(&line.len()), "{}", line.len());
        }
    }
    let most = types.iter().max_by_key(|entry| entry.1).unwrap();
    assert_eq!(most.0, "stream_event");
    for name in [
        "system",
        "assistant",
        "user",
        "result",
        "control_request",
        "control_response",
        "keep_alive",
        "rate_limit_event",
    ] {
        assert!(types.get(name) > Some(&20), "{name}: {types:?}");
    }
}

/// Each call has one later result with its id. Lines form chains of parents,
/// and timestamps do not decrease.
#[test]
fn transcript_links_calls_and_timestamps_are_consistent() {
    let mut generator = Generator::new(Shape::Transcript, 5);
    let (mut open, mut calls) = (HashSet::new(), 0);
    let mut uuids = HashMap::<String, String>::new();
    let (mut last, mut sessions) = (String::new(), HashSet::new());
    let mut messages = HashMap::<String, (Value, usize)>::new();
    for _ in 0..6_000 {
        let line: Value =
            serde_json::from_slice(generator.next_line()).unwrap();
        if let Some(time) = line["timestamp"].as_str() {
            assert!(*time >= *last, "{time} after {last}");
            time.clone_into(&mut last);
        }
        if let Some(uuid) = line["uuid"].as_str() {
            let session = line["sessionId"].as_str().unwrap().to_owned();
            match line["parentUuid"].as_str() {
                Some(parent) => assert_eq!(uuids[parent], session),
                None => drop(sessions.insert(uuid.to_owned())),
            }
            assert_eq!(uuids.insert(uuid.to_owned(), session), None);
        }
        let message = &line["message"];
        if line["type"] == "assistant" {
            let id = message["id"].as_str().unwrap().to_owned();
            let seen = messages
                .entry(id)
                .or_insert_with(|| (message["usage"].clone(), 0));
            assert_eq!(seen.0, message["usage"]);
            seen.1 += 1;
        }
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] == "tool_use" {
                calls += 1;
                assert!(open.insert(block["id"].clone()));
            }
            if block["type"] == "tool_result" {
                assert!(open.remove(&block["tool_use_id"]));
                assert!(!line["toolUseResult"].is_null());
                let source = line["sourceToolAssistantUUID"].as_str();
                assert!(uuids.contains_key(source.unwrap()));
            }
        }
        // Few calls are open at a time.
        assert!(open.len() <= 3, "{open:?}");
    }
    assert!(calls > 1_000, "{calls}");
    assert!(sessions.len() > 5, "{sessions:?}");
    assert!(messages.values().any(|message| message.1 >= 3));
}

/// The deltas of a block join to the block.
#[test]
fn deltas_join_to_blocks() {
    let mut generator = Generator::new(Shape::Stream, 5);
    let (mut text, mut blocks) = (String::new(), 0);
    for _ in 0..6_000 {
        let line: Value =
            serde_json::from_slice(generator.next_line()).unwrap();
        let event = &line["event"];
        if event["type"] == "content_block_start" {
            text.clear();
        }
        for key in ["text", "thinking", "partial_json"] {
            text.push_str(event["delta"][key].as_str().unwrap_or(""));
        }
        if line["type"] == "assistant" && line["parent_tool_use_id"].is_null()
        {
            blocks += 1;
            let block = &line["message"]["content"][0];
            match block["type"].as_str().unwrap() {
                "tool_use" => {
                    let input: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(input, block["input"]);
                }
                kind => assert_eq!(text, block[kind].as_str().unwrap()),
            }
        }
    }
    assert!(blocks > 200, "{blocks}");
}

#[test]
fn tool_heavy_has_long_lines_with_many_escapes() {
    let log = generate(Shape::ToolHeavy, 1, SIZE);
    assert!(percentile(&log, 750) > 60_000);
    assert!(percentile(&log, 990) > 300_000);
    assert!(strings(&log).0 > 70, "{:?}", strings(&log));
}

#[test]
fn tiny_lines_have_20_to_60_bytes() {
    for line in lines(&generate(Shape::Tiny, 1, 1 << 20)) {
        assert!((20..=60).contains(&(line.len() - 1)), "{}", line.len());
    }
}

#[test]
fn unicode_has_characters_of_all_lengths_and_escapes() {
    let log = generate(Shape::Unicode, 1, 1 << 20);
    let text = std::str::from_utf8(&log).unwrap();
    let mut widths = [0; 5];
    for letter in text.chars() {
        widths[letter.len_utf8()] += 1;
    }
    assert!(widths[2..].iter().all(|&count| count > 10_000), "{widths:?}");
    for part in [r"\u00e9", r"\ud83d\ude00", "\u{301}", r"e\u0301"] {
        assert!(text.matches(part).count() > 50, "{part}");
    }
}

/// All kinds of lines occur, with the properties of their kind.
#[test]
fn pathological_has_all_kinds() {
    let log = generate(Shape::Pathological, 1, 4 << 20);
    let mut start = 0;
    let mut kinds = Vec::new();
    for line in lines(&log) {
        let value: Value = serde_json::from_slice(line).unwrap();
        let kind = value["kind"].as_str().unwrap().to_owned();
        let edges = |base: usize| {
            // All boundaries inside the string.
            (base + 128..base + line.len() - 64)
                .filter(|at| at % 64 == 63)
                .all(|at| line[at - base] == b'\\')
        };
        match kind.as_str() {
            "line_edges" => assert!(edges(0)),
            "log_edges" => assert!(edges(start)),
            "deep_arrays" | "deep_objects" | "deep_mixed" => {
                assert_eq!(depth(&value), 120);
            }
            "many_keys" => {
                assert_eq!(value["value"].as_object().unwrap().len(), 100_000);
            }
            "giant" => assert!(line.len() >= 8_000_000),
            _ => assert!(line.len() > 1_000, "{kind}"),
        }
        start += line.len();
        kinds.push(kind);
    }
    assert_eq!(kinds.len(), 14, "{kinds:?}");
    assert_eq!(kinds.iter().collect::<HashSet<_>>().len(), 14, "{kinds:?}");
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(items) => {
            1 + items.values().map(depth).max().unwrap_or(0)
        }
        _ => 0,
    }
}
