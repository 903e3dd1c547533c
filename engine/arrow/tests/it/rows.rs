//! Rows are the records of a reader, and columns are the fields of a view.

use std::collections::BTreeSet;

use arrow_array::{
    Array, RecordBatch,
    cast::AsArray,
    types::{Float64Type, Int64Type, TimestampMillisecondType},
};
use linetape::{Message, Reader};
use linetape_arrow::{Options, Table};
use linetape_session::{Facts, Tokens, UsageTotals};

use crate::logs::{self, MIXED};

pub fn text<'b>(
    batch: &'b RecordBatch,
    column: &str,
    row: usize,
) -> Option<&'b str> {
    let column = batch.column_by_name(column).unwrap().as_string::<i32>();
    column.is_valid(row).then(|| column.value(row))
}

pub fn int(batch: &RecordBatch, column: &str, row: usize) -> Option<i64> {
    let column = batch.column_by_name(column).unwrap();
    let column = column.as_primitive::<Int64Type>();
    column.is_valid(row).then(|| column.value(row))
}

fn float(batch: &RecordBatch, column: &str, row: usize) -> Option<f64> {
    let column = batch.column_by_name(column).unwrap();
    let column = column.as_primitive::<Float64Type>();
    column.is_valid(row).then(|| column.value(row))
}

fn time(batch: &RecordBatch, row: usize) -> Option<i64> {
    let column = batch.column_by_name("timestamp").unwrap();
    let column = column.as_primitive::<TimestampMillisecondType>();
    column.is_valid(row).then(|| column.value(row))
}

fn flag(batch: &RecordBatch, column: &str, row: usize) -> Option<bool> {
    let column = batch.column_by_name(column).unwrap().as_boolean();
    column.is_valid(row).then(|| column.value(row))
}

/// The law of `lines`, with the records that decoding returns as the oracle.
#[test]
fn each_row_of_lines_equals_the_record_of_the_reader() {
    let mut rows = 0;
    for (name, log) in logs::all() {
        let batch = logs::read(&log, Table::Lines, &Options::default());
        let mut reader = Reader::new(&log[..]);
        let mut row = 0;
        while let Some(line) = reader.next_line() {
            let line = line.unwrap();
            let (offset, raw) = (line.offset(), line.as_bytes());
            let raw = String::from_utf8_lossy(raw).into_owned();
            let number = line.number();
            assert_eq!(text(&batch, "file", row), Some("log"));
            assert_eq!(int(&batch, "offset", row), Some(offset as i64));
            assert_eq!(int(&batch, "length", row), Some(raw.len() as i64));
            assert_eq!(int(&batch, "line", row), Some(number as i64));
            assert_eq!(int(&batch, "nested", row), None);
            assert_eq!(text(&batch, "raw", row), Some(&*raw), "{name}");
            match line.decode() {
                Err(error) => {
                    let kind = Some(error.kind().as_str());
                    assert_eq!(text(&batch, "error", row), kind);
                    let why = error.reason().to_string();
                    assert_eq!(
                        text(&batch, "error_message", row),
                        Some(&*why)
                    );
                    assert_eq!(text(&batch, "type", row), None);
                    row += 1;
                }
                Ok(record) => {
                    let facts = Facts::of(record.message());
                    compare(&batch, row, &facts, &name);
                    row += 1;
                    row = nested(&batch, row, &facts, offset, &name);
                }
            }
        }
        assert_eq!(row, batch.num_rows(), "{name}");
        rows += row;
    }
    assert!(rows > 500, "{rows}");
}

fn nested(
    batch: &RecordBatch,
    mut row: usize,
    facts: &Facts<'_>,
    offset: u64,
    name: &str,
) -> usize {
    for inner in facts.nested() {
        assert_eq!(int(batch, "offset", row), Some(offset as i64));
        assert!(int(batch, "nested", row).is_some(), "{name}");
        compare(batch, row, &inner, name);
        row = nested(batch, row + 1, &inner, offset, name);
    }
    row
}

fn compare(batch: &RecordBatch, row: usize, facts: &Facts<'_>, log: &str) {
    let message: Message<'_> = facts.message();
    let kind = facts.kind();
    let why = format!("{log}, row {row}");
    let kind_text = kind.name().map(|_| kind.to_string());
    let session = facts.session().map(|session| session.to_string());
    let envelope = message.envelope();
    let pieces: Vec<&str> = message.text().collect();
    let joined = (!pieces.is_empty()).then(|| pieces.join("\n"));
    let said = facts.said();
    let texts = [
        ("error", None),
        ("type", kind.name()),
        ("subtype", kind.subtype()),
        ("kind", kind_text.as_deref()),
        ("session_id", session.as_deref()),
        ("uuid", message.uuid()),
        ("parent_uuid", message.parent_uuid()),
        ("logical_parent_uuid", message.logical_parent_uuid()),
        ("timestamp_text", facts.timestamp()),
        ("cwd", envelope.cwd()),
        ("git_branch", envelope.git_branch()),
        ("version", envelope.version()),
        ("request_id", envelope.request_id()),
        ("message_id", said.and_then(|said| said.id)),
        ("model", said.and_then(|said| said.model)),
        ("text", joined.as_deref()),
        ("error_message", None),
        ("role", role(message)),
        ("parent_tool_use_id", facts.parent_tool_use_id()),
        ("stop_reason", stop_reason(message)),
    ];
    // The columns that have been compared. The callers compare the place.
    let mut seen: BTreeSet<&str> = BTreeSet::from(PLACE);
    for (column, expected) in texts {
        assert_eq!(text(batch, column, row), expected, "{why}: {column}");
        seen.insert(column);
    }
    assert_eq!(time(batch, row), facts.time(), "{why}");
    let flags = [
        ("is_sidechain", Some(facts.is_sidechain())),
        ("is_meta", envelope.is_meta()),
        ("is_error", Some(message.is_error())),
        ("has_usage", Some(message.usage().is_some())),
    ];
    for (column, expected) in flags {
        assert_eq!(flag(batch, column, row), expected, "{why}: {column}");
        seen.insert(column);
    }
    let usage = message.usage();
    let cache = usage.and_then(|usage| usage.cache_creation());
    let tools = usage.and_then(|usage| usage.server_tool_use());
    let blocks = message.content_blocks().count() as u64;
    let counts = [
        ("input_tokens", usage.and_then(|u| u.input_tokens())),
        ("output_tokens", usage.and_then(|u| u.output_tokens())),
        (
            "cache_read_input_tokens",
            usage.and_then(|u| u.cache_read_input_tokens()),
        ),
        (
            "cache_creation_input_tokens",
            usage.and_then(|u| u.cache_creation_input_tokens()),
        ),
        (
            "ephemeral_1h_input_tokens",
            cache.and_then(|c| c.ephemeral_1h_input_tokens()),
        ),
        (
            "ephemeral_5m_input_tokens",
            cache.and_then(|c| c.ephemeral_5m_input_tokens()),
        ),
        (
            "web_search_requests",
            tools.and_then(|tools| tools.web_search_requests()),
        ),
        (
            "web_fetch_requests",
            tools.and_then(|tools| tools.web_fetch_requests()),
        ),
        ("block_count", Some(blocks)),
    ];
    for (column, expected) in counts {
        let expected = expected.map(|count| count as i64);
        assert_eq!(int(batch, column, row), expected, "{why}: {column}");
        seen.insert(column);
    }
    let result = facts.run_result();
    let cost = match message {
        Message::CostState(state) => state.total_cost_usd(),
        _ => result.and_then(|result| result.total_cost_usd()),
    };
    assert_eq!(float(batch, "total_cost_usd", row), cost, "{why}");
    let turns = result.and_then(|result| result.num_turns());
    assert_eq!(int(batch, "num_turns", row), turns, "{why}");
    let duration = match message {
        Message::CostState(state) => state.total_duration(),
        _ => envelope.duration_ms(),
    };
    assert_eq!(float(batch, "duration_ms", row), duration, "{why}");
    seen.extend(["timestamp", "total_cost_usd", "num_turns", "duration_ms"]);
    // A new column needs its line above.
    let schema = batch.schema();
    let all = schema.fields().iter().map(|field| field.name().as_str());
    assert_eq!(all.collect::<BTreeSet<&str>>(), seen);
}

const PLACE: [&str; 6] = ["file", "offset", "length", "line", "nested", "raw"];

fn role(message: Message<'_>) -> Option<&'static str> {
    match message {
        Message::User(_) => Some("user"),
        Message::Assistant(_) => Some("assistant"),
        _ => None,
    }
}

fn stop_reason(message: Message<'_>) -> Option<&str> {
    let value = message.value();
    let inner = value.get("message").and_then(|m| m.get("stop_reason"));
    inner.or_else(|| value.get("stop_reason"))?.as_str()
}

#[test]
fn the_rows_of_a_mixed_log_are_as_expected() {
    let batch =
        logs::read(MIXED.as_bytes(), Table::Lines, &Options::default());
    let rows = 0..batch.num_rows();
    let shown: Vec<String> = rows
        .map(|row| {
            let line = int(&batch, "line", row).unwrap();
            let what = text(&batch, "error", row);
            let what = what.or(text(&batch, "kind", row)).unwrap();
            let nested = int(&batch, "nested", row);
            let nested = nested.map_or(String::new(), |n| format!(" in {n}"));
            format!("{line} {what}{nested}")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "1 system/init",
            "3 not_an_object",
            "4 assistant",
            "5 user",
            "6 progress",
            "6 assistant in 0",
            "7 syntax",
            "8 assistant",
            "9 result",
            "10 truncated",
        ]
    );
    assert_eq!(text(&batch, "text", 2), Some("a\nb"));
    assert_eq!(text(&batch, "session_id", 5), Some("s1"));
    assert_eq!(text(&batch, "parent_tool_use_id", 5), Some("t1"));
    assert_eq!(text(&batch, "stop_reason", 2), None);
    assert!(text(&batch, "raw", 5).unwrap().starts_with("{\"type\":\"assi"));
}

#[test]
fn the_blocks_of_a_mixed_log_are_as_expected() {
    let batch =
        logs::read(MIXED.as_bytes(), Table::Blocks, &Options::default());
    let shown: Vec<_> = (0..batch.num_rows())
        .map(|row| {
            (
                int(&batch, "block", row).unwrap(),
                text(&batch, "block_type", row).unwrap(),
                text(&batch, "tool_use_id", row),
                text(&batch, "tool_name", row),
                text(&batch, "input", row),
                text(&batch, "text", row),
                flag(&batch, "is_error", row),
            )
        })
        .collect();
    let input = Some(r#"{"command":"ls","n":1}"#);
    assert_eq!(
        shown,
        [
            (0, "text", None, None, None, Some("a\nb"), None),
            (1, "tool_use", Some("t1"), Some("Bash"), input, None, None),
            (0, "tool_result", Some("t1"), None, None, Some("no"), Some(true)),
            (0, "text", None, None, None, Some("hi"), None),
        ]
    );
    assert_eq!(int(&batch, "bytes", 0), Some(29));
    assert_eq!(text(&batch, "model", 3), Some("haiku"));
}

/// Every block of every message is a row, with the envelope of its line.
#[test]
fn blocks_are_those_of_the_messages() {
    for (name, log) in logs::all() {
        let batch = logs::read(&log, Table::Blocks, &Options::default());
        let mut reader = Reader::new(&log[..]);
        let mut expected = vec![];
        while let Some(record) = reader.next_record() {
            let Ok(record) = record else { continue };
            add_blocks(&Facts::of(record.message()), false, &mut expected);
        }
        let owned = |column: &str, row: usize| {
            text(&batch, column, row).map(str::to_string)
        };
        let found: Vec<BlockRow> = (0..batch.num_rows())
            .map(|row| BlockRow {
                texts: BLOCK_TEXTS.map(|column| owned(column, row)),
                time: time(&batch, row),
                is_sidechain: flag(&batch, "is_sidechain", row).unwrap(),
                block: int(&batch, "block", row).unwrap(),
                is_nested: int(&batch, "nested", row).is_some(),
            })
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}

/// What a row has of its block and of the envelope.
#[derive(Debug, PartialEq)]
struct BlockRow {
    texts: [Option<String>; 6],
    time: Option<i64>,
    is_sidechain: bool,
    block: i64,
    is_nested: bool,
}

const BLOCK_TEXTS: [&str; 6] =
    ["block_type", "session_id", "uuid", "message_id", "model", "role"];

fn add_blocks(facts: &Facts<'_>, is_nested: bool, to: &mut Vec<BlockRow>) {
    let session = facts.session_name().map(|name| name.into_owned());
    let message = facts.message();
    let owned = |text: Option<&str>| text.map(str::to_string);
    for (number, block) in (0..).zip(message.content_blocks()) {
        let value = block.value();
        let kind = match value.is_string() {
            true => Some("text"),
            false => value.get("type").map(|v| v.as_str().unwrap()),
        };
        let said = facts.said();
        to.push(BlockRow {
            texts: [
                owned(kind),
                session.clone(),
                owned(message.uuid()),
                owned(said.and_then(|said| said.id)),
                owned(said.and_then(|said| said.model)),
                owned(role(message)),
            ],
            time: facts.time(),
            is_sidechain: facts.is_sidechain(),
            block: number,
            is_nested,
        });
    }
    facts.nested().for_each(|inner| add_blocks(&inner, true, to));
}

/// If no message is on two lines, the sum over all rows is the total. A line
/// without usage has a place and a key, and nothing else.
#[test]
fn usage_lines_have_the_tokens_of_the_totals() {
    let mut untold = 0;
    for (name, log) in logs::all() {
        let batch = logs::read(&log, Table::UsageLines, &Options::default());
        let mut totals = UsageTotals::new();
        let mut reader = Reader::new(&log[..]);
        let mut tokens = Tokens::default();
        while let Some(record) = reader.next_record() {
            let Ok(record) = record else { continue };
            // Events of agent servers are not in the table.
            if matches!(record.message(), Message::Ui(_)) {
                continue;
            }
            totals.add(record.message());
            let mut alone = UsageTotals::new();
            alone.add(record.message());
            // Without what a result reports, which is no message.
            tokens += alone.messages().map(|one| one.tokens).sum();
        }
        let sum = |column: &str| -> u64 {
            let rows = 0..batch.num_rows();
            rows.filter_map(|row| int(&batch, column, row)).sum::<i64>() as u64
        };
        let (told, others): (Vec<usize>, Vec<usize>) = (0..batch.num_rows())
            .partition(|row| int(&batch, "rank", *row).is_some());
        let keys: BTreeSet<_> =
            told.iter().map(|row| text(&batch, "key", *row)).collect();
        let columns = batch.schema();
        for row in others {
            untold += 1;
            for (field, column) in columns.fields().iter().zip(batch.columns())
            {
                let place = ["file", "offset", "nested", "part", "key"];
                let is_place = place.contains(&field.name().as_str());
                assert!(is_place || column.is_null(row), "{field:?}");
            }
            assert!(text(&batch, "key", row).is_some());
        }
        assert_eq!(keys.len() as u64, totals.total().messages, "{name}");
        assert_eq!(sum("output_tokens"), tokens.output_tokens, "{name}");
        assert_eq!(sum("input_tokens"), tokens.input_tokens, "{name}");
        let created = tokens.cache_creation_input_tokens;
        assert_eq!(sum("cache_creation_input_tokens"), created, "{name}");
    }
    assert!(untold > 0);
}
