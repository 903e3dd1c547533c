//! The depth limit, tested on a small stack.
#![cfg(feature = "messages")]

use linetape::{
    Decoder, Error, ErrorKind, Level, Limits, Message, Position, Reader,
    Writer,
};
use linetape_session::{Deltas, Tree, Turns, UsageTotals, check::Checker};
use serde_json::Value as Json;

use crate::support::{
    refused::refused,
    stack::{nested, on_a_small_stack},
};

/// Returns the offset of the bracket that opens level `level`, counted from 1.
fn bracket(line: &str, level: usize) -> usize {
    let outside = line.replace(r#""[""#, r#""_""#);
    let mut brackets = outside.match_indices(['{', '[']);
    brackets.nth(level - 1).unwrap().0
}

/// Calls everything that traverses a value: to show, write, own, compare,
/// clone and drop it.
fn walk_through(limits: Limits, line: &str) {
    let mut decoder = Decoder::with_limits(limits);
    let record = decoder.decode(line.as_bytes()).unwrap();
    let shown = format!("{:?}", record.value());
    assert_eq!(shown, line);
    let debug = format!("{record:?} {:?}", record.message());
    assert!(debug.ends_with(line));
    let written = serde_json::to_string(&record.value()).unwrap();
    assert_eq!(written, line);
    let copy: Json = record.deserialize().unwrap();
    let message = record.into_owned();
    let again = message.clone();
    assert!(message == again);
    let mut writer = Writer::new(vec![]);
    writer.write_value(&message).unwrap();
    writer.write_value(&copy).unwrap();
    drop((message, again, copy));
    let written = writer.into_inner().unwrap();
    let record =
        decoder.decode(written.split(|&b| b == b'\n').next().unwrap());
    drop(record.unwrap());
    let kept = decoder.line(line.as_bytes()).to_owned_line().unwrap();
    assert!(format!("{:?}", kept.message()) == line);
}

#[test]
fn the_deepest_level_is_read_and_the_next_is_refused() {
    on_a_small_stack(|| {
        let absurd = Limits { max_depth: usize::MAX, ..Limits::default() };
        for (limits, max) in [
            (Limits::default(), 128),
            (Limits { max_depth: 1, ..Limits::default() }, 1),
            (Limits { max_depth: 2, ..Limits::default() }, 2),
            (
                Limits {
                    max_depth: Limits::MAX_DEPTH_CAP,
                    ..Limits::default()
                },
                Limits::MAX_DEPTH_CAP,
            ),
            (absurd, Limits::MAX_DEPTH_CAP),
        ] {
            for depth in [1, 2, 127, 128, 129, 255, 256, 257, 1000, 100_000] {
                for (name, line) in nested(depth) {
                    if depth <= max {
                        walk_through(limits, &line);
                        continue;
                    }
                    let at = bracket(&line, max + 1);
                    let kind = ErrorKind::Depth;
                    let error = refused(limits, line.as_bytes(), kind, at);
                    let broke = (error.limit(), error.found());
                    let max = max as u64;
                    assert_eq!(broke, (Some(max), Some(max + 1)), "{name}");
                }
            }
        }
    });
}

#[test]
fn levels_that_are_never_closed_are_refused() {
    on_a_small_stack(|| {
        for depth in [127, 128, 129, 1000, 100_000] {
            for (_, line) in nested(depth) {
                // Up to and including the innermost bracket.
                let end = bracket(&line, depth) + 1;
                let line = &line[..end];
                let (kind, at) = match depth {
                    ..=128 => (ErrorKind::Syntax, end),
                    _ => (ErrorKind::Depth, bracket(line, 129)),
                };
                refused(Limits::default(), line.as_bytes(), kind, at);
            }
        }
    });
}

/// Levels that are closed again do not add up, and brackets in strings do not
/// count.
#[test]
fn depth_is_not_counted_along_the_line() {
    let line = format!(
        r#"{{"wide":[{}[]],"text":"{}"}}"#,
        "[[]],{},".repeat(1000),
        "[{".repeat(1000)
    );
    let limits = Limits { max_depth: 4, ..Limits::default() };
    walk_through(limits, &line);
}

/// Blocks in tool results are the deepest nesting of owned types: each level
/// takes several calls.
#[test]
fn nested_messages_fit_a_small_stack() {
    on_a_small_stack(|| {
        let max_depth = Limits::MAX_DEPTH_CAP;
        let limits = Limits { max_depth, ..Limits::default() };
        // The record, its message, and two levels for each block; the content
        // of the last one is a string.
        let blocks = (max_depth - 2) / 2;
        let plain = r#"{"type":"tool_result","content":["#;
        // A duplicate key takes the slow path to an owned block, through a
        // map.
        let twice = r#"{"type":"tool_result","text":1,"text":2,"content":["#;
        let novel = r#"{"type":"novel","content":["#;
        for open in [plain, twice, novel] {
            let line = format!(
                r#"{{"type":"user","message":{{"content":[{}"end"{}]}}}}"#,
                open.repeat(blocks - 1),
                "]}".repeat(blocks - 1)
            );
            let mut decoder = Decoder::with_limits(limits);
            let record = decoder.decode(line.as_bytes()).unwrap();
            let shown = format!("{:?}", record.message());
            assert_eq!(shown, line);
            let message = record.into_owned();
            let copy = message.clone();
            assert!(copy == message);
            assert!(format!("{message:?}").contains("end"));
            let mut writer = Writer::new(vec![]);
            writer.write_value(&message).unwrap();
            let written = writer.into_inner().unwrap();
            let again = decoder.decode(&written).unwrap().into_owned();
            assert!(again == message);
        }
    });
}

/// Messages of all kinds with a placeholder for a value, and the depth of that
/// value.
const HOSTS: [(&str, usize); 9] = [
    (r#"{"type":"novel","a":@}"#, 1),
    (r#"{"type":"user","uuid":"u","toolUseResult":@}"#, 1),
    (r#"{"type":"result","subtype":"success","structured_output":@}"#, 1),
    (r#"{"type":"control_request","request":{"subtype":"s","input":@}}"#, 2),
    (r#"{"ToolExecuting":{"tool_use_id":"t","input":@,"session_id":1}}"#, 2),
    (r#"{"type":"progress","data":{"message":{"message":@}}}"#, 3),
    (
        r#"{"type":"stream_event","event":{"type":"content_block_start",
        "index":0,"content_block":{"type":"tool_use","id":"t","input":@}}}"#,
        3,
    ),
    (
        r#"{"type":"assistant","uuid":"a","message":{"id":"m","content":[
        {"type":"tool_use","id":"t","name":"n","input":@}]}}"#,
        4,
    ),
    (
        r#"{"type":"user","uuid":"b","parentUuid":"a","message":{"content":[
        {"type":"tool_result","tool_use_id":"t","content":@}]}}"#,
        4,
    ),
];

/// From bytes to the analyses of sessions, at the limit and at the hard cap.
#[test]
fn the_whole_pipeline_fits_a_small_stack() {
    on_a_small_stack(|| {
        for max_depth in [128, Limits::MAX_DEPTH_CAP] {
            for (host, above) in HOSTS {
                for (_, value) in nested(max_depth - above) {
                    let host = host.replace("\n        ", "");
                    let line = host.replace('@', &value);
                    through_everything(max_depth, &line);
                    // One more level is too deep for all of them.
                    let deeper = nested(max_depth - above + 1).remove(0).1;
                    refused_by_all(max_depth, &host.replace('@', &deeper));
                }
            }
        }
    });
}

fn through_everything(max_depth: usize, line: &str) {
    let limits = Limits { max_depth, ..Limits::default() };
    // Alone, spliced, and after a torn record.
    let stream = format!("{line}\n{line}{line}\n{{\"torn\":\"{line}\n");
    let builder = Reader::builder().limits(limits);
    let mut reader = builder
        .clone()
        .level(Level::Kind)
        .salvage(true)
        .build(stream.as_bytes());
    let (mut records, mut writer) = (0, Writer::new(vec![]));
    let mut together = Together::default();
    while let Some(found) = reader.next_line() {
        let Ok(found) = found else { continue };
        let message = found.peek().unwrap();
        assert_eq!(format!("{message:?}"), line);
        message.visit(|_| {});
        assert!(message.value().check().is_ok() && found.check().is_ok());
        let from_text = message.into_owned().unwrap();
        let position = found.position();
        together.add(message, position);
        let record = found.decode().unwrap();
        together.add(record.message(), position);
        record.message().visit(|_| {});
        let message = record.into_owned();
        assert!(message == from_text && message.clone() == message);
        writer.write_value(&message).unwrap();
        records += 1;
    }
    assert!(records >= 3, "{records} of {line}");
    together.finish();
    let written = writer.into_inner().unwrap();
    let mut again = Reader::builder().limits(limits).build(&written[..]);
    for _ in 0..records {
        drop(again.next_record().unwrap().unwrap().into_owned());
    }

    let (mut chunks, mut decoder) =
        (builder.chunks(), Decoder::with_limits(limits));
    chunks.push(stream.into_bytes());
    let first = chunks.next_line().unwrap().unwrap();
    assert!(first.line(&mut decoder).decode().is_ok());
}

fn refused_by_all(max_depth: usize, line: &str) {
    let limits = Limits { max_depth, ..Limits::default() };
    let mut decoder = Decoder::with_limits(limits);
    let text = line.as_bytes();
    let depth = Err(ErrorKind::Depth);
    let kind = |error: Error| error.kind();
    assert_eq!(decoder.line(text).peek().map(drop).map_err(kind), depth);
    assert_eq!(decoder.line(text).check().map_err(kind), depth);
    assert_eq!(decoder.decode(text).map(drop).map_err(kind), depth);
}

/// Everything that takes one message after another.
#[derive(Default)]
struct Together {
    tree: Tree,
    turns: Turns,
    totals: UsageTotals,
    checker: Checker,
    deltas: Deltas,
}

impl Together {
    fn add(&mut self, message: Message<'_>, position: Position) {
        self.tree.add(message, position);
        self.turns.add(message, position);
        self.totals.add(message);
        self.checker.add(message, position);
        drop(self.deltas.add(message).unwrap());
    }

    fn finish(mut self) {
        assert!(self.tree.depth_first().count() <= self.tree.len());
        assert!(self.turns.turns().count() <= 100);
        drop(self.deltas.take_unfinished());
        drop(self.checker.finish());
    }
}
