//! Compares the tables with linetape's schema. A failure reports the file and
//! line to edit.

use linetape::{
    Decoder,
    message::{Message, PathStep, Reading, server::UiEvent},
};
use serde_json::{Map, Value, json};

use crate::check::{
    Dialect,
    dialect::SAVED,
    table::{BLOCKS, Field, Need, RAW_EVENT, Row, Shape, profile},
};

/// The message types of the schema that have no row in any table. Only the
/// rules for unknown types apply to them.
const WITHOUT_RULES: &[&str] = &[
    "mcp_message",
    "tool_progress",
    "tool_use_summary",
    "auth_status",
    "command_lifecycle",
    "conversation_reset",
    "prompt_suggestion",
    "keep_alive",
    "error",
    "active_goal",
    "transcript_mirror",
    "launched",
    "started",
    "api-request",
    "api-request-shape",
    "api-request-blob",
    "tools-used",
    "data-flow-records",
    "data-flow-incomplete",
    "derived-from",
    "session-owner",
    "repl-mode",
    "isolation-latch",
    "dev-mods",
    "resume-head-vouch",
    "history-suppression",
    "ended-by-model",
];

const FOLDER: &str = "crates/session/src/check/table";

/// The tables, by their files.
const FILES: [(Dialect, &str, &str); 4] = [
    (
        Dialect::Specification,
        "specification.rs",
        include_str!("specification.rs"),
    ),
    (Dialect::Transcript, "transcript.rs", include_str!("transcript.rs")),
    (Dialect::Stream, "stream.rs", include_str!("stream.rs")),
    (Dialect::Server, "server.rs", include_str!("server.rs")),
];

/// Returns `file:line` of the first line of a table that contains a text in
/// quotes. Fields that dialects share are in `mod.rs`.
fn place_of(file: &str, source: &str, text: &str) -> String {
    let quoted = format!("\"{text}\"");
    let sources = [(file, source), ("mod.rs", include_str!("mod.rs"))];
    sources
        .iter()
        .find_map(|(file, source)| {
            let mut lines = source.lines();
            let at = lines.position(|line| line.contains(&quoted))?;
            Some(format!("{FOLDER}/{file}:{}", at + 1))
        })
        .unwrap_or(format!("{FOLDER}/{file}"))
}

/// Returns the line of `WITHOUT_RULES`.
fn place_of_exceptions() -> String {
    let mut lines = include_str!("tests.rs").lines();
    let at = lines.position(|line| line.starts_with("const WITHOUT_RULES"));
    format!("{FOLDER}/tests.rs:{}", at.unwrap_or(0) + 1)
}

fn rows() -> impl Iterator<Item = (&'static Row, &'static str, &'static str)> {
    FILES.into_iter().flat_map(|(dialect, file, source)| {
        let rows = profile(dialect).rows.iter();
        rows.map(move |row| (row, file, source))
    })
}

#[test]
fn every_type_of_the_schema_has_a_row_or_is_an_exception() {
    let with_rules: Vec<&str> =
        rows().flat_map(|(row, ..)| row.names.iter().copied()).collect();
    let exceptions = place_of_exceptions();
    for kind in Message::KINDS {
        let has_rules = with_rules.contains(kind);
        let is_exception = WITHOUT_RULES.contains(kind);
        assert!(
            has_rules || is_exception,
            "the type `{kind}` has no rules: add a row for it to `ROWS` in \
             {FOLDER}/transcript.rs or {FOLDER}/stream.rs, or add it to \
             `WITHOUT_RULES` in {exceptions}"
        );
        assert!(
            !(has_rules && is_exception),
            "the type `{kind}` has rules: remove it from `WITHOUT_RULES` in \
             {exceptions}"
        );
    }
    for kind in UiEvent::KINDS {
        assert!(
            with_rules.contains(kind),
            "the event `{kind}` has no rules: add a row for it to `ROWS` in \
             {FOLDER}/server.rs"
        );
    }
    for kind in WITHOUT_RULES {
        assert!(
            Message::KINDS.contains(kind),
            "linetape has no type `{kind}`: remove it in {exceptions}"
        );
    }
}

#[test]
fn every_row_is_for_a_type_of_the_schema() {
    for (row, file, source) in rows() {
        for name in row.names {
            let is_known = Message::KINDS.contains(name)
                || file == "server.rs" && UiEvent::KINDS.contains(name)
                || ["input", RAW_EVENT].contains(name);
            let place = place_of(file, source, name);
            assert!(is_known, "{place}: linetape has no type `{name}`");
        }
    }
}

/// Returns a value of a shape.
fn sample(shape: Shape) -> Value {
    match shape {
        Shape::Any | Shape::Text | Shape::Name | Shape::Content => json!("x"),
        Shape::OneOf(texts) => json!(texts[0]),
        Shape::Time => json!("2026-01-31T10:00:00Z"),
        Shape::Flag => json!(true),
        Shape::Whole => json!(1),
        Shape::Number => json!(0.5),
        Shape::Object => json!({}),
        Shape::Array => json!([]),
    }
}

/// Returns an object with all fields of a row, and with the values under which
/// `field` is allowed.
fn object_for(field: &Field, fields: &[&Field]) -> Map<String, Value> {
    let mut object = Map::new();
    for field in fields.iter().copied().chain([field]) {
        match field.key.split_once('/') {
            None => _ = object.insert(field.key.into(), sample(field.shape)),
            Some((outer, key)) => {
                let outer = object.entry(outer).or_insert(json!({}));
                if !outer.is_object() {
                    *outer = json!({});
                }
                outer[key] = sample(field.shape);
            }
        }
    }
    if let Need::If(key, texts) | Need::OnlyIf(key, texts) = field.need {
        object.insert(key.into(), json!(texts[0]));
    }
    object
}

/// Returns how the schema reads the value at a path.
fn reading(line: &Value, path: &[PathStep<'_>]) -> Option<Reading> {
    let mut decoder = Decoder::new();
    let text = line.to_string();
    let record = decoder.decode(text.as_bytes()).unwrap();
    let mut found = None;
    record.message().visit(|visited| {
        if visited.path == path {
            found = Some(visited.reading);
        }
    });
    found
}

/// Asserts that the schema has a field of a table, with the same type.
fn assert_read(found: Option<Reading>, field: &Field, of: &str, place: &str) {
    let key = field.key;
    let is_any = matches!(field.shape, Shape::Any);
    match found {
        Some(Reading::Read | Reading::Json | Reading::UnknownText) => {}
        Some(Reading::OtherType) if is_any => {}
        Some(Reading::OtherType) => {
            panic!("{place}: `{key}` of `{of}` is of another type in linetape")
        }
        _ => panic!(
            "{place}: linetape has no field `{key}` in `{of}` ({found:?}): \
             correct the key, or add the field to src/message"
        ),
    }
}

#[test]
fn every_field_of_a_row_is_a_field_of_the_schema() {
    for (row, file, source) in rows() {
        let fields: Vec<&Field> =
            row.fields.iter().copied().flatten().collect();
        for (name, field) in row
            .names
            .iter()
            .flat_map(|name| fields.iter().map(move |field| (*name, *field)))
        {
            let mut object = object_for(field, &fields);
            let mut path: Vec<PathStep<'_>> =
                field.key.split('/').map(PathStep::Key).collect();
            if UiEvent::KINDS.contains(&name) && file == "server.rs" {
                path.insert(0, PathStep::Key(name));
                object = Map::from_iter([(name.into(), object.into())]);
            } else if name != "input" && name != RAW_EVENT {
                object.insert("type".into(), json!(name));
            }
            let inner = field.key.rsplit('/').next().unwrap_or_default();
            let key =
                if source.contains(field.key) { field.key } else { inner };
            let place = place_of(file, source, key);
            let found = reading(&object.into(), &path);
            assert_read(found, field, name, &place);
        }
    }
}

#[test]
fn every_field_of_a_block_is_a_field_of_the_schema() {
    let source = include_str!("blocks.rs");
    for row in BLOCKS {
        for field in row.fields {
            let mut block = object_for(field, &[]);
            block.insert("type".into(), json!(row.kind));
            let line = json!({
                "type": row.within[0],
                "message": {"content": [block]},
            });
            let path = [
                PathStep::Key("message"),
                PathStep::Key("content"),
                PathStep::Index(0),
                PathStep::Key(field.key),
            ];
            let place = place_of("blocks.rs", source, field.key);
            assert_read(reading(&line, &path), field, row.kind, &place);
        }
    }
}

/// The list of types that occur only in transcripts is a copy of the table's,
/// because it is read for every message.
#[test]
fn the_types_of_transcripts_alone_are_those_of_the_table() {
    let names = |dialect| {
        let rows = profile(dialect).rows.iter();
        rows.flat_map(|row| row.names).copied().collect::<Vec<&str>>()
    };
    let mut saved = names(Dialect::Transcript);
    let others =
        [names(Dialect::Stream), names(Dialect::Specification)].concat();
    saved.retain(|name| !others.contains(name));
    saved.sort_unstable();
    let mut listed = SAVED.to_vec();
    listed.sort_unstable();
    assert_eq!(
        listed, saved,
        "edit `SAVED` in crates/session/src/check/dialect.rs"
    );
}
