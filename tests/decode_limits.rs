//! How much decoding takes on, what it refuses, and where it says that the
//! fault is. Depth is tried on a small stack, memory is counted by the
//! allocator.
#![cfg(feature = "owned")]

#[path = "support/counting.rs"]
mod counting;
#[path = "support/stack.rs"]
mod stack;

use counting::{LIVE, peak_of};
use linetape::{
    Batch, Chunks, Decoder, Error, ErrorKind, Limits, Message, Position,
    Reader, Writer, owned,
    session::{
        Deltas, Tree, Turns, UsageTotals,
        check::Checker,
        translate::{FromUi, ToUi, Wrapper},
    },
};
use serde_json::{Value as Json, json};
use stack::on_a_small_stack;

fn show(line: &[u8]) -> String {
    let head = line.get(..200).unwrap_or(line);
    head.escape_ascii().to_string()
}

/// A line is refused by every way to decode it, for the same reason. Where,
/// is said by all but the one that overwrites the line.
fn refused(limits: Limits, line: &[u8], kind: ErrorKind, at: usize) -> Error {
    let shown = show(line);
    let mut decoder = Decoder::with_limits(limits);
    let error = decoder.decode(line).map(drop).expect_err(&shown);
    let found = (error.kind(), error.position().byte());
    assert_eq!(found, (kind, at as u64), "{shown}: {error}");

    let batch = Batch::new();
    let pushed = batch.push(&mut decoder, line).map(drop).expect_err(&shown);
    assert_eq!(pushed.to_string(), error.to_string(), "{shown}");

    let mut padded = [line, &[b'}'; 64]].concat();
    let in_place = decoder.decode_padded(&mut padded, line.len());
    let in_place = in_place.map(drop).expect_err(&shown);
    // What is said of trailing data has a test of its own.
    if kind != ErrorKind::TrailingData {
        assert_eq!(in_place.kind(), kind, "in place: {shown}: {in_place}");
    }
    assert_eq!(&padded[line.len()..], &[b'}'; 64], "{shown}");

    // In a stream the place counts from its beginning, and both neighbours
    // are read.
    let first = b"{\"n\":1}\n";
    let stream = [&first[..], line, b"\n{\"n\":2}\n"].concat();
    let mut reader =
        Reader::builder().limits(limits).keep_raw(true).build(&stream[..]);
    let n = |reader: &mut Reader<&[u8]>| {
        let record = reader.next_record().unwrap().unwrap();
        record.value().get("n").and_then(|n| n.as_u64())
    };
    assert_eq!(n(&mut reader), Some(1));
    let error = reader.next_record().unwrap().map(drop).expect_err(&shown);
    assert_eq!(error.kind(), kind, "{shown}");
    assert_eq!(error.position().line(), 2, "{shown}");
    let byte = (first.len() + at) as u64;
    assert_eq!(error.position().byte(), byte, "{shown}");
    assert_eq!(error.raw(), Some(line), "{shown}");
    assert!(error.is_recoverable(), "{shown}");
    assert_eq!(n(&mut reader), Some(2));
    assert!(reader.next_record().is_none());
    let errors = reader.stats().errors;
    assert_eq!((errors.get(kind), errors.total()), (1, 1), "{shown}");
    error
}

// ---- depth -----------------------------------------------------------------

/// Ways to nest `depth` levels, the outermost object among them: what opens
/// each level, what closes it, and what is in the middle.
fn nested(depth: usize) -> Vec<(&'static str, String)> {
    let of = |levels: &[(&str, &str)], middle: &str| {
        let mut text = String::new();
        for (open, _) in levels {
            text.push_str(open);
        }
        text.push_str(middle);
        for (_, close) in levels.iter().rev() {
            text.push_str(close);
        }
        text
    };
    let array = ("[", "]");
    let object = (r#"{"k":"#, "}");
    let mut arrays = vec![object];
    arrays.resize(depth, array);
    let objects = vec![object; depth];
    let mixed: Vec<_> = (0..depth)
        .map(|level| if level % 2 == 0 { object } else { array })
        .collect();
    let mut later = vec![object];
    later.resize(depth, ("[0,\"[\",", ",1]"));
    vec![
        ("arrays", of(&arrays, "0")),
        ("objects", of(&objects, "0")),
        ("mixed", of(&mixed, "null")),
        ("behind other items", of(&later, "true")),
    ]
}

/// Where the bracket stands that opens level `level`, counted from 1.
fn bracket(line: &str, level: usize) -> usize {
    let outside = line.replace(r#""[""#, r#""_""#);
    let mut brackets = outside.match_indices(['{', '[']);
    brackets.nth(level - 1).unwrap().0
}

/// Everything that walks through a value: to show it, to write it, to own it,
/// to compare, to clone and to drop it.
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
    writer.write(&message).unwrap();
    writer.write_value(&copy).unwrap();
    drop((message, again, copy));
    let written = writer.into_inner().unwrap();
    let record =
        decoder.decode(written.split(|&b| b == b'\n').next().unwrap());
    drop(record.unwrap());
    let batch = Batch::new();
    let pushed = batch.push(&mut decoder, line.as_bytes()).unwrap();
    assert!(format!("{pushed:?}") == line);
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
                // Up to and with the innermost bracket.
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

/// Levels that are closed again do not add up, and brackets in strings are
/// no levels.
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

/// Blocks nested in the results of tools are the deepest that owned types go:
/// each level is several calls, and not only one.
#[test]
fn nested_messages_fit_a_small_stack() {
    on_a_small_stack(|| {
        let max_depth = Limits::MAX_DEPTH_CAP;
        let limits = Limits { max_depth, ..Limits::default() };
        // The record, its message, and two levels for each block; the content
        // of the last is a string.
        let blocks = (max_depth - 2) / 2;
        let plain = r#"{"type":"tool_result","content":["#;
        // A repeated key takes the slow way to an owned block, by a map.
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
            writer.write(&message).unwrap();
            let written = writer.into_inner().unwrap();
            let again = decoder.decode(&written).unwrap().into_owned();
            assert!(again == message);
        }
    });
}

/// Messages of all sorts with room for a value, and how deep that stands.
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

/// From the bytes to what messages mean together, at the limit and at the cap.
#[test]
fn the_whole_pipeline_fits_a_small_stack() {
    on_a_small_stack(|| {
        for max_depth in [128, Limits::MAX_DEPTH_CAP] {
            for (host, above) in HOSTS {
                for (_, value) in nested(max_depth - above) {
                    let host = host.replace("\n        ", "");
                    let line = host.replace('@', &value);
                    through_everything(max_depth, &line);
                    // One level more is too deep for all of it.
                    let deeper = nested(max_depth - above + 1).remove(0).1;
                    refused_by_all(max_depth, &host.replace('@', &deeper));
                }
            }
        }
    });
}

fn through_everything(max_depth: usize, line: &str) {
    let limits = Limits { max_depth, ..Limits::default() };
    // Alone, spliced, and behind a torn one.
    let stream = format!("{line}\n{line}{line}\n{{\"torn\":\"{line}\n");
    let mut builder = Reader::builder();
    builder.limits(limits).route(true).salvage(true);
    let mut reader = builder.build(stream.as_bytes());
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
        writer.write(&message).unwrap();
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
        (Chunks::with_limits(limits), Decoder::with_limits(limits));
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

/// All that takes messages one after another.
#[derive(Default)]
struct Together {
    tree: Tree,
    turns: Turns,
    totals: UsageTotals,
    checker: Checker,
    deltas: Deltas,
    wrapper: Wrapper,
    to_ui: ToUi,
    from_ui: FromUi,
}

impl Together {
    fn add(&mut self, message: Message<'_>, position: Position) {
        self.tree.add(message, position);
        self.turns.add(message, position);
        self.totals.add(message);
        self.checker.add(message, position);
        drop(self.deltas.add(message));
        drop(format!("{:?}", self.wrapper.translate(message)));
        drop(self.to_ui.translate(message));
        drop(self.from_ui.translate(message));
    }

    fn finish(mut self) {
        assert!(self.tree.depth_first().count() <= self.tree.len());
        assert!(self.turns.turns().count() <= 100);
        drop(self.deltas.take_unfinished());
        drop(self.checker.finish());
    }
}

// ---- nodes -----------------------------------------------------------------

/// One line per case: the line, how many values and keys it has, and where
/// the last of them begins.
#[test]
fn the_last_node_is_read_and_the_next_is_refused() {
    for (line, nodes, last) in [
        (r#"{"a":1}"#, 3, 5),
        (r#"{"a":"b"}"#, 3, 5),
        (r#"{"a":"b,[{:\",,"}"#, 3, 5),
        (r#"{"a,,,[[[":[]}"#, 3, 11),
        (r#"{"a":{},"b":[]}"#, 5, 12),
        (r#"{"a":[1,2,3]}"#, 6, 10),
        (r#"{"a":[1 , -2.5e3 ,true]}"#, 6, 18),
        (r#"{"a":[null,null,"x"]}"#, 6, 16),
        (r#"{"a":[[],[],[[]]]}"#, 7, 13),
        (r#"{"a":{"b":{"c":""}}}"#, 7, 15),
        ("{}", 1, 0),
    ] {
        for more in 0..4 {
            let max_nodes = nodes + more;
            let limits = Limits { max_nodes, ..Limits::default() };
            let mut decoder = Decoder::with_limits(limits);
            let record = decoder.decode(line.as_bytes()).unwrap();
            drop(record);
            let batch = Batch::new();
            batch.push(&mut decoder, line.as_bytes()).unwrap();
            let mut padded = [line.as_bytes(), &[b','; 64]].concat();
            decoder.decode_padded(&mut padded, line.len()).unwrap();
        }
        let limits = Limits { max_nodes: nodes - 1, ..Limits::default() };
        // The neighbours in the stream have three nodes.
        if nodes > 3 {
            let kind = ErrorKind::TooManyNodes;
            let error = refused(limits, line.as_bytes(), kind, last);
            assert_eq!(error.limit(), Some(nodes as u64 - 1));
        } else {
            let mut decoder = Decoder::with_limits(limits);
            let error = decoder.decode(line.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TooManyNodes);
            assert_eq!(error.position().byte(), last as u64, "{line}");
        }
    }
}

/// What is in a string is text, however much it looks like more.
#[test]
fn brackets_and_commas_in_strings_are_no_nodes() {
    let limits = Limits { max_nodes: 3, ..Limits::default() };
    for text in ["[", ",", "{", ":", r#"\""#, r#"\\"#, r#"\",["#] {
        let line = format!(r#"{{"k":"{}"}}"#, text.repeat(100_000));
        let mut decoder = Decoder::with_limits(limits);
        let record = decoder.decode(line.as_bytes()).unwrap();
        assert!(record.value().get("k").unwrap().as_str().is_some());
    }
}

const HOSTILE: usize = 16 << 20;

/// A line of `HOSTILE` bytes.
fn hostile(piece: &str) -> Vec<u8> {
    let mut line = br#"{"k":"#.to_vec();
    line.extend(piece.bytes().cycle().take(HOSTILE - line.len()));
    line
}

/// The tape takes 28 bytes for each bracket and comma, before the grammar is
/// looked at. So such a line must be refused before.
#[test]
fn a_line_of_brackets_or_commas_takes_no_memory() {
    for piece in ["[", ",", "{", ":", "]", "}", "[,,,", "1]]]"] {
        let line = hostile(piece);
        let mut decoder = Decoder::new();
        let peak = peak_of(|| {
            assert!(decoder.decode(&line).is_err(), "{piece}");
        });
        assert!(peak < 1 << 20, "{peak} bytes for {piece}");
        let peak = peak_of(|| {
            drop(decoder.decode(br#"{"fine":1}"#).unwrap());
        });
        assert!(peak < 1 << 20, "{peak} bytes for the line behind {piece}");
    }
}

/// Whatever the line is, it costs no more than 34 bytes for each of its own,
/// and most of that is given back.
#[test]
fn no_line_takes_more_than_34_times_its_size() {
    for piece in ["[", ",", "\"\"", "\"\",", "{\"\":", "0,", "\\", "\"", "x"] {
        let line = hostile(piece);
        let before = LIVE.get();
        let mut decoder = Decoder::new();
        let peak = peak_of(|| {
            let _ = decoder.decode(&line).map(drop);
        });
        let bound = 34 * HOSTILE as i64;
        assert!(peak <= bound, "{peak} bytes for {piece}");
        for _ in 0..100 {
            drop(decoder.decode(br#"{"fine":1}"#).unwrap());
        }
        let kept = LIVE.get() - before;
        assert!(kept < 1 << 20, "{kept} bytes kept after {piece}");
    }
}

/// A map with one key is what costs most.
#[test]
fn an_owned_message_takes_no_more_than_400_bytes_for_each_node() {
    // A piece of a list, and how many values and keys are in it.
    for (piece, nodes) in [
        ("0", 1),
        ("[]", 1),
        ("[0]", 2),
        ("[[[0]]]", 4),
        ("{}", 1),
        (r#"{"":0}"#, 3),
        (r#"{"a":{"b":{"c":{}}}}"#, 7),
        (r#"{"type":"text"}"#, 3),
        (r#"{"type":"tool_use"}"#, 3),
        (r#"{"type":"image"}"#, 3),
        (r#"{"type":"tool_result","content":[]}"#, 5),
    ] {
        let count = (1 << 20) / piece.len();
        let list = vec![piece; count].join(",");
        for line in [
            format!(r#"{{"type":"user","message":{{"content":[{list}]}}}}"#),
            format!(r#"{{"type":"result","errors":[{list}],"a":[{list}]}}"#),
            format!(r#"{{"type":"novel","a":[{list}]}}"#),
        ] {
            let lists = line.matches(&list).count();
            let mut decoder = Decoder::new();
            let record = decoder.decode(line.as_bytes()).unwrap();
            let mut message = None;
            let peak = peak_of(|| message = Some(record.into_owned()));
            assert!(message.is_some());
            let bound = 400 * (lists * count * nodes + 10) as i64;
            let text = line.len() as i64;
            assert!(peak <= bound + text, "{piece}: {peak} of {bound}");
        }
    }
}

/// Each key of a map was looked up again among all others: this line took five
/// minutes to own.
#[test]
fn a_map_with_many_keys_is_owned_in_one_pass() {
    let models: Vec<String> =
        (0..200_000).map(|n| format!(r#""m{n}":{{}}"#)).collect();
    for key in ["modelUsage", "novel", "usage"] {
        let line =
            format!(r#"{{"type":"result","{key}":{{{}}}}}"#, models.join(","));
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let message = record.into_owned();
        let again: owned::Message = serde_json::from_str(&line).unwrap();
        assert_eq!(message, again, "{key}");
    }
}

// ---- not an object ---------------------------------------------------------

#[test]
fn what_is_not_an_object_is_refused_by_its_first_byte() {
    for (line, at) in [
        ("null", 0),
        ("[]", 0),
        ("\"x\"", 0),
        ("  [1]", 2),
        ("\t\r 1", 3),
        ("true", 0),
        ("-1.5", 0),
        ("[WARN] something {\"a\":1}", 0),
        ("data: {\"a\":1}", 0),
        ("  ...", 2),
        ("}", 0),
        ("[", 0),
        ("\0{}", 0),
        ("\u{b}{}", 0),
        ("\u{a0}{}", 0),
        ("\u{feff}{}", 0),
        ("\"\\ud800", 0),
    ] {
        let kind = ErrorKind::NotAnObject;
        refused(Limits::default(), line.as_bytes(), kind, at);
    }
    for line in [&b"\xFF"[..], b"\xC3", b" \xED\xA0\x80"] {
        let at = line.iter().position(|&byte| byte != b' ').unwrap();
        refused(Limits::default(), line, ErrorKind::NotAnObject, at);
    }
    // A reader skips these; a decoder that is given one says what it is not.
    for line in [&b""[..], b"  ", b"\t\r"] {
        let error = Decoder::new().decode(line).map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotAnObject);
        assert_eq!(error.position().byte(), line.len() as u64);
    }
}

#[test]
fn noise_is_skipped_and_counted_if_that_is_wanted() {
    let stream = b"{\"n\":1}\n[WARN] hm\n\n  \t{\"n\":2}\nnull\n  [1]\n{bad\n\
        \0\0\n\"x\"\n{\"n\":3}\nlast words";
    let mut reader = Reader::builder().skip_noise(true).build(&stream[..]);
    let mut found = vec![];
    while let Some(record) = reader.next_record() {
        found.push(match record {
            Ok(record) => record.value().get("n").unwrap().as_u64(),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Syntax);
                assert_eq!(error.position().line(), 7);
                None
            }
        });
    }
    assert_eq!(found, [Some(1), Some(2), None, Some(3)]);
    let stats = reader.stats();
    assert_eq!((stats.noise, stats.blank, stats.lines), (6, 1, 11));
    assert_eq!(stats.errors.total(), 1);

    let mut reader = Reader::new(&stream[..]);
    while reader.next_record().is_some() {}
    let stats = reader.stats();
    assert_eq!((stats.noise, stats.blank, stats.lines), (0, 1, 11));
    assert_eq!(stats.errors.get(ErrorKind::NotAnObject), 6);
    assert_eq!(stats.errors.total(), 7);
}

// ---- trailing data ---------------------------------------------------------

#[test]
fn what_follows_the_object_is_refused() {
    for (line, at) in [
        ("{}{}", 2),
        ("{} x", 3),
        ("{}}", 2),
        ("{}]", 2),
        ("{},", 2),
        ("{} ,{}", 3),
        ("{}1", 2),
        ("{}null", 2),
        ("{}\"x\"", 2),
        ("{}\0", 2),
        ("{}\u{b}", 2),
        ("{} \t\r #", 6),
        (r#"{"a":"\n"}{"b":2}"#, 10),
        (r#"{"a":[{}]} {"type":"user"}"#, 11),
        (r#" {"a":{"b":1}}[]"#, 14),
        (r#"{"a":1}{"b":"#, 7),
    ] {
        let kind = ErrorKind::TrailingData;
        refused(Limits::default(), line.as_bytes(), kind, at);
    }
    for line in ["{} ", "{}\t\r ", " {} "] {
        assert!(Decoder::new().decode(line.as_bytes()).is_ok());
    }
}

/// Where the line has been overwritten, all that is known is that it is bad.
#[test]
fn what_follows_the_object_is_refused_in_place_too() {
    for line in ["{}{}", "{} x", r#"{"a":"\n"}{"b":2}"#] {
        let mut padded = [line.as_bytes(), &[b' '; 64]].concat();
        let mut decoder = Decoder::new();
        let record = decoder.decode_padded(&mut padded, line.len());
        let error = record.map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax, "{line}: {error}");
    }
}

/// Two records on the last line, the second cut off, are no truncated record:
/// to go on reading would not help.
#[test]
fn spliced_records_at_the_end_are_trailing_data() {
    let mut reader = Reader::new(&br#"{"a":1}{"b":"#[..]);
    let error = reader.next_record().unwrap().map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TrailingData);
    assert_eq!(error.position().byte(), 7);
}

// ---- repeated keys ---------------------------------------------------------

/// A key that routes must not occur twice, wherever, however it is written,
/// and whatever its values are.
#[test]
fn a_deciding_key_that_occurs_twice_is_refused() {
    let twins = [
        ("type", "type"),
        ("type", r"\u0074ype"),
        (r"\u0074ype", "type"),
        (r"typ\u0065", r"t\u0079pe"),
        ("subtype", "subtype"),
        ("subtype", r"sub\u0074ype"),
    ];
    let values = [
        (r#""user""#, r#""assistant""#),
        (r#""user""#, r#""user""#),
        ("null", r#""user""#),
        ("1", "[]"),
        (r#"{"type":1,"type":2}"#, r#""\n""#),
    ];
    for (first, second) in twins {
        for (one, two) in values {
            for between in [0, 1, 31, 32, 33, 10_000] {
                let filler: String =
                    (0..between).map(|n| format!(r#""f{n}":"\t","#)).collect();
                for before in ["", r#""uuid":"u","#] {
                    let head =
                        format!(r#"{{{before}"{first}":{one},{filler}"#);
                    let line = format!(r#"{head}"{second}":{two},"z":0}}"#);
                    let kind = ErrorKind::DuplicateKey;
                    let at = head.len();
                    refused(Limits::default(), line.as_bytes(), kind, at);
                }
            }
        }
    }
}

/// A third is not looked for, and one of each is no pair.
#[test]
fn the_first_pair_of_deciding_keys_is_the_fault() {
    let line = r#"{"type":"a","subtype":"b","subtype":"c","type":"d"}"#;
    let kind = ErrorKind::DuplicateKey;
    refused(Limits::default(), line.as_bytes(), kind, 26);
    for line in [
        r#"{"type":"a","subtype":"b"}"#,
        r#"{"type":"a","Type":"b","types":1,"typ":2,"":3}"#,
        r#"{"type":"a","x":{"type":"b","type":"c"},"y":[{"type":1}]}"#,
    ] {
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        assert!(record.kind().is("a"));
    }
}

/// A line with a fault of its own is no line with a repeated key.
#[test]
fn a_fault_in_the_grammar_comes_before_a_repeated_key() {
    let line = br#"{"type":"a","type":"b",}"#;
    refused(Limits::default(), line, ErrorKind::Syntax, 23);
}

#[test]
fn for_any_other_key_the_last_wins_everywhere() {
    let line = br#"{"type":"user","uuid":"first","uuid":7,
        "uuid":"last","novel":1,"no\u0076el":[2],
        "message":{"role":"x","content":"old"},
        "message":{"role":"user","type":"a","type":"b","content":"older",
            "content":[{"type":"text","type":"thinking","thinking":"hm",
                "type":"text","text":"a","text":"b"}]}}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let value = record.value();
    let text = |path| value.pointer(path).and_then(|text| text.as_str());
    assert_eq!(text("/uuid"), Some("last"));
    assert_eq!(text("/message/type"), Some("b"));
    assert_eq!(text("/message/content/0/text"), Some("b"));
    assert_eq!(record.message().uuid(), Some("last"));
    let said: Vec<&str> = record.message().text().collect();
    assert_eq!(said, ["b"]);
    let Message::User(user) = record.message() else { panic!("a user") };
    assert_eq!(user.message().and_then(|m| m.role()), Some("user"));

    let expected = json!({
        "type": "user", "uuid": "last", "novel": [2],
        "message": {
            "role": "user", "type": "b",
            "content": [
                {"type": "text", "thinking": "hm", "text": "b"}
            ],
        },
    });
    assert_eq!(serde_json::to_value(value).unwrap(), expected);
    let theirs: owned::Message = serde_json::from_slice(line).unwrap();
    let mut writer = Writer::new(vec![]);
    writer.write_value(&value).unwrap();
    let ours = record.into_owned();
    assert_eq!(ours, theirs);
    let owned::Message::User(user) = &ours else { panic!("a user") };
    assert_eq!(user.uuid.as_deref(), Some("last"));
    assert_eq!(user.extra["novel"], json!([2]));
    writer.write(&ours).unwrap();
    let written = writer.into_inner().unwrap();
    let lines: Vec<&[u8]> =
        written.trim_ascii_end().split(|&b| b == b'\n').collect();
    assert_eq!(lines.len(), 2);
    for line in lines {
        let back: Json = serde_json::from_slice(line).unwrap();
        assert_eq!(back, expected);
    }
}

/// The last wins also when it is of a type that the field does not have: then
/// the field is absent, and an earlier one does not step in.
#[test]
fn a_last_value_of_another_type_is_still_the_last() {
    let line = br#"{"type":"result","uuid":"u","uuid":null,"num_turns":3,
        "num_turns":"x","usage":{"input_tokens":1},"usage":[]}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let Message::Result(result) = record.message() else { panic!("result") };
    assert_eq!(result.uuid(), None);
    assert_eq!(result.num_turns(), None);
    assert!(result.usage().is_none());
    let expected = json!({
        "type": "result", "uuid": null, "num_turns": "x", "usage": [],
    });
    let ours = record.into_owned();
    let theirs: owned::Message = serde_json::from_slice(line).unwrap();
    assert_eq!(ours, theirs);
    assert_eq!(serde_json::to_value(&ours).unwrap(), expected);
}

// ---- fields of another type ------------------------------------------------

/// For each field: values that it does not have. They are absent to the
/// accessor, visible in the value, kept in `extra`, and written again.
#[test]
fn a_field_of_another_type_is_absent_and_kept() {
    let values = [
        json!(null),
        json!(true),
        json!(1),
        json!(-1),
        json!(1.5),
        json!("text"),
        json!([]),
        json!([1]),
        json!({}),
        json!({"k": "v"}),
    ];
    type Fits = fn(&Json) -> bool;
    let fields: [(&str, Fits); 9] = [
        ("uuid", Json::is_string),
        ("result", Json::is_string),
        ("isSidechain", Json::is_boolean),
        ("total_cost_usd", Json::is_number),
        ("num_turns", Json::is_i64),
        ("result_index", Json::is_u64),
        ("usage", Json::is_object),
        ("errors", |v| v.as_array().is_some_and(|list| list.is_empty())),
        ("stop_reason", Json::is_string),
    ];
    for (key, fits) in fields {
        for value in &values {
            let json = json!({"type": "result", key: value, "cwd": "/"});
            let line = json.to_string();
            let mut decoder = Decoder::new();
            let record = decoder.decode(line.as_bytes()).unwrap();
            let Message::Result(view) = record.message() else {
                panic!("{line}");
            };
            let there = match key {
                "uuid" => view.uuid().is_some(),
                "result" => view.result().is_some(),
                "isSidechain" => view.is_sidechain().is_some(),
                "total_cost_usd" => view.total_cost_usd().is_some(),
                "num_turns" => view.num_turns().is_some(),
                "result_index" => view.result_index().is_some(),
                "usage" => view.usage().is_some(),
                // A list is a list; its items are passed over one by one.
                "errors" => {
                    let items = view.errors().map(|list| list.iter().count());
                    assert_eq!(items, value.as_array().map(|_| 0), "{line}");
                    items.is_some() && fits(value)
                }
                _ => view.stop_reason().is_some(),
            };
            assert_eq!(there, fits(value), "{line}");
            assert_eq!(view.cwd(), Some("/"), "{line}");
            let seen = record.value().get(key).unwrap();
            assert_eq!(&serde_json::to_value(seen).unwrap(), value);

            let ours = record.into_owned();
            let theirs: owned::Message = serde_json::from_str(&line).unwrap();
            assert_eq!(ours, theirs, "{line}");
            let owned::Message::Result(owned) = &ours else {
                panic!("{line}");
            };
            let kept = owned.extra.get(key);
            assert_eq!(kept, Some(value).filter(|v| !fits(v)), "{line}");
            assert_eq!(serde_json::to_value(&ours).unwrap(), json);
        }
    }
}

/// `type` itself may be anything; then the message is of no known type, and
/// is kept whole.
#[test]
fn a_type_that_is_no_string_is_unknown() {
    for value in ["null", "1", "{}", "[\"user\"]", "true", "\"novel\"", "\"\""]
    {
        let line = format!(r#"{{"type":{value},"subtype":{value},"a":1}}"#);
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        assert!(matches!(record.message(), Message::Unknown(_)), "{line}");
        let name: Json = serde_json::from_str(value).unwrap();
        assert_eq!(record.kind().name(), name.as_str(), "{line}");
        assert_eq!(record.kind().subtype(), name.as_str(), "{line}");
        let json: Json = serde_json::from_str(&line).unwrap();
        let ours = serde_json::to_value(record.into_owned()).unwrap();
        assert_eq!(ours, json);
    }
}

// ---- numbers ---------------------------------------------------------------

#[test]
fn numbers_keep_their_value_and_their_class() {
    let line = br#"{"type":"novel","a":18446744073709551615,
        "b":-9223372036854775808,"c":18446744073709551616,
        "d":-9223372036854775809,"e":1e308,"f":9223372036854775808,
        "g":1.0,"h":1,"i":123456789012345678901234567890,"j":0}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let get = |key| record.value().get(key).unwrap();
    assert_eq!(get("a").as_u64(), Some(u64::MAX));
    assert_eq!(get("a").as_i64(), None);
    assert_eq!(get("a").as_f64(), Some(u64::MAX as f64));
    assert_eq!(get("b").as_i64(), Some(i64::MIN));
    assert_eq!(get("b").as_u64(), None);
    assert_eq!(get("b").as_f64(), Some(i64::MIN as f64));
    let floats = [
        ("c", 18446744073709551616.0),
        ("d", -9223372036854775809.0),
        ("e", 1e308),
        ("g", 1.0),
        ("i", 123456789012345678901234567890.0),
    ];
    for (key, expected) in floats {
        let value = get(key);
        assert_eq!(value.as_f64(), Some(expected), "{key}");
        assert_eq!((value.as_u64(), value.as_i64()), (None, None), "{key}");
    }
    assert_eq!(get("f").as_u64(), Some(1 << 63));
    assert_eq!(get("f").as_i64(), None);
    assert_eq!((get("h").as_u64(), get("h").as_i64()), (Some(1), Some(1)));
    assert_eq!((get("j").as_u64(), get("j").as_i64()), (Some(0), Some(0)));

    let json: Json = serde_json::from_slice(line).unwrap();
    assert_eq!(serde_json::to_value(record.value()).unwrap(), json);
    let ours = record.into_owned();
    assert_eq!(serde_json::to_value(ours).unwrap(), json);
}

#[test]
fn a_number_out_of_range_is_refused() {
    for number in ["1e309", "-1e309", "1.8e308", "1e99999"] {
        let line = format!(r#"{{"a":"\n","n":{number}}}"#);
        let kind = ErrorKind::Syntax;
        refused(Limits::default(), line.as_bytes(), kind, 14);
    }
    let line = format!(r#"{{"n":1{}}}"#, "0".repeat(400));
    refused(Limits::default(), line.as_bytes(), ErrorKind::Syntax, 5);
}

// ---- the bytes themselves --------------------------------------------------

/// The parser overwrites what it reads, but not what the caller sees.
#[test]
fn a_record_has_its_line_verbatim() {
    let lines: [&[u8]; 3] = [
        br#" { "a" : "\u0041\n\ud83c\udf4e" , "\u0062":1.50 }  "#,
        b"{}",
        "{\"é\":\"\\\"\u{2028}\"}\t".as_bytes(),
    ];
    let stream = [lines[0], b"\r\n", lines[1], b"\n\n", lines[2]].concat();
    let mut decoder = Decoder::new();
    let mut reader = Reader::builder().buffer_capacity(16).build(&stream[..]);
    let mut offset = 0;
    for (line, skipped) in lines.into_iter().zip([2, 2, 0]) {
        let record = decoder.decode(line).unwrap();
        assert_eq!(record.raw(), Some(line));
        assert_eq!(record.position().byte(), 0);
        drop(record);
        let record = reader.next_record().unwrap().unwrap();
        assert_eq!(record.raw(), Some(line));
        assert_eq!(record.position().byte(), offset);
        offset += (line.len() + skipped) as u64;
        let mut padded = [line, &[0; 64]].concat();
        let record = decoder.decode_padded(&mut padded, line.len()).unwrap();
        assert_eq!(record.raw(), None);
    }
}

/// The bytes of a bad line are as they came, even where the parser had
/// unescaped strings before it met the fault.
#[test]
fn a_bad_line_has_its_bytes_verbatim_if_they_are_kept() {
    let bad = br#"{"a":"\u0041\n\t","b":"\ud83c\udf4e","c":[1,2,}"#;
    let stream = [&b"{\"n\":1}\n"[..], bad, b"\r\n{\"n\":\"\\n\"}\n"].concat();
    for keep in [true, false] {
        let mut reader = Reader::builder().keep_raw(keep).build(&stream[..]);
        reader.next_record().unwrap().unwrap();
        let error = reader.next_record().unwrap().map(drop).unwrap_err();
        assert_eq!(error.raw(), keep.then_some(&bad[..]));
        let at = error.position().byte() as usize;
        assert_eq!(stream[at..].first(), Some(&b'}'));
        let record = reader.next_record().unwrap().unwrap();
        assert_eq!(record.raw(), Some(&br#"{"n":"\n"}"#[..]));
        let text = record.value().get("n").and_then(|n| n.as_str());
        assert_eq!(text, Some("\n"));
    }
}

/// Too little room behind the line is an error, and touches nothing.
#[test]
fn decoding_in_place_wants_room() {
    let line = br#"{"a":"\n"}"#;
    let mut decoder = Decoder::new();
    for room in [0, 1, 63] {
        let mut padded = [&line[..], &vec![b' '; room]].concat();
        let before = padded.clone();
        let error = decoder.decode_padded(&mut padded, line.len());
        let error = error.unwrap_err().to_string();
        assert!(error.ends_with("fewer than 64 bytes follow the line"));
        assert_eq!(padded, before);
    }
    let mut padded = [&line[..], &[b' '; 64]].concat();
    assert!(decoder.decode_padded(&mut padded, usize::MAX).is_err());
    assert!(decoder.decode_padded(&mut padded, line.len()).is_ok());
}
