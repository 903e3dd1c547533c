//! `linetape schema`, run as a person would run it.

mod support;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use linetape::{Decoder, message::PathStep};
use serde_json::{Value, json};
use support::{
    document, file, linetape, logs,
    reference::{Record, records},
    text,
};

const LOG: &str = r#"{"type":"user","uuid":"u1","message":{"role":"user","content":"Hello"}}
{"type":"user","uuid":"u2","isMeta":true,"message":{"role":"user","content":[{"type":"tool_result","content":"ok"},{"type":"text","text":null}]}}
{"type":"result","subtype":"success","total_cost_usd":0.5,"num_turns":"3","modelUsage":{"opus":{"inputTokens":7},"haiku":{"inputTokens":9}}}
{"type":"user","uuid":"u3","toolUseResult":{"a.b":[1,2.5],"a":{"b":"A text that is longer than the column for it is wide"}}}
"#;

#[test]
fn a_person_sees_every_path() {
    let output = linetape(&["schema", "-"], LOG.as_bytes());
    assert!(output.status.success());
    let expected = r#"user, 3 records
  path                       records  values                types  example
  isMeta                           1       1                 bool  true
  message                          2       2               object
  message.content                  2       2    string 1, array 1  "Hello"
  message.content[]                1       2               object
  message.content[].content        1       1               string  "ok"
  message.content[].text           1       1                 null
  message.content[].type           1       2               string  "tool_result"
  message.role                     2       2               string  "user"
  toolUseResult                    1       1               object
  toolUseResult.a                  1       1               object
  toolUseResult.a.b                1       1               string  "A text that ...
  toolUseResult["a.b"]             1       1                array
  toolUseResult["a.b"][]           1       2  integer 1, number 1  1
  type                             3       3               string  "user"
  uuid                             3       3               string  "u1"

result/success, 1 record
  path                      records  values    types  example
  modelUsage                      1       1   object
  modelUsage.*                    1       2   object
  modelUsage.*.inputTokens        1       2  integer  7
! num_turns                       1       1   string  "3"
  subtype                         1       1   string  "success"
  total_cost_usd                  1       1   number  0.5
  type                            1       1   string  "result"

! linetape expects another type here
"#;
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn a_program_gets_the_same_with_stable_names() {
    let output = linetape(&["schema", "--json", "-"], LOG.as_bytes());
    assert!(output.status.success());
    let report = document(&output);
    let kinds = report["kinds"].as_array().unwrap();
    assert_eq!(kinds.len(), 2);
    assert_eq!(
        (&report["records"], &report["left_out"]),
        (&4.into(), &0.into())
    );
    assert_eq!(kinds[0]["type"], "user");
    assert_eq!(kinds[0]["subtype"], Value::Null);
    let path = |path: &str, seen: [u64; 2], types: Value, example: Value| {
        json!({
            "path": path,
            "records": seen[0],
            "values": seen[1],
            "types": types,
            "example": example,
            "known": true,
            "doubts": {},
        })
    };
    let mut num_turns =
        path("num_turns", [1, 1], json!({"string": 1}), json!("3"));
    num_turns["known"] = false.into();
    num_turns["doubts"] = json!({"other_type": 1});
    let (object, string) = (json!({"object": 1}), json!({"string": 1}));
    let expected = json!({
        "type": "result",
        "subtype": "success",
        "records": 1,
        "known": true,
        "paths": [
            path("modelUsage", [1, 1], object, Value::Null),
            path("modelUsage.*", [1, 2], json!({"object": 2}), Value::Null),
            path(
                "modelUsage.*.inputTokens",
                [1, 2],
                json!({"integer": 2}),
                json!(7),
            ),
            num_turns,
            path("subtype", [1, 1], string.clone(), json!("success")),
            path("total_cost_usd", [1, 1], json!({"number": 1}), json!(0.5)),
            path("type", [1, 1], string, json!("result")),
        ],
    });
    assert_eq!(kinds[1], expected);
}

#[test]
fn a_log_without_records_has_no_kinds() {
    let output = linetape(&["schema", "-"], b"\n");
    assert!(output.status.success());
    assert_eq!(text(&output.stdout), "There are no records.\n");
    let output = linetape(&["schema", "--json", "-"], b"\n");
    let expected = json!({"records": 0, "kinds": [], "left_out": 0});
    assert_eq!(document(&output), expected);
}

#[test]
fn bad_lines_are_named_and_the_rest_is_counted() {
    let log = b"{\"type\":\"user\"}\noops\n{\"type\":\"user\",\"a\":[1,,2]}\n";
    let path = file("schema-bad.jsonl", log);
    let path = path.to_str().unwrap();
    let output = linetape(&["schema", "--json", path], b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(document(&output)["records"], 1);
    let complaints = text(&output.stderr);
    assert_eq!(complaints.lines().count(), 2, "{complaints}");
    assert!(complaints.contains("line 2 (byte 16)"), "{complaints}");
    let output = linetape(&["schema", "no/such/file", path], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("user, 1 record\n"));
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    assert_eq!(support::unread("schema"), "0\n");
    assert_eq!(support::unread("schema --json"), "0\n");
}

// ---- what linetape does not know -------------------------------------------

#[test]
fn what_is_not_known_is_marked_and_the_marks_are_explained() {
    let lines = [
        // Of the values of a path, some may be known.
        json!({"type": "user", "message": {"content": [
            {"type": "text", "text": "t", "id": "i"},
            {"type": "tool_use", "id": "i", "input": {"any": 1}},
            "bare",
        ]}}),
        json!({"type": "user", "mood": {"good": [{"very": true}]}}),
        json!({"type": "user", "uuid": {"why": 1}, "permissionMode": "tea"}),
        json!({"type": "user", "session_id": "a", "sessionId": "b"}),
        json!({"type": "tea", "subtype": "green", "cup": {"sugar": 2}}),
    ];
    let log: Vec<String> = lines.iter().map(Value::to_string).collect();
    let log = log.join("\n");
    let report =
        document(&linetape(&["schema", "--json", "-"], log.as_bytes()));
    let mut doubts = vec![];
    for kind in report["kinds"].as_array().unwrap() {
        for row in kind["paths"].as_array().unwrap() {
            let known = row["doubts"] == json!({});
            assert_eq!(row["known"], known, "{row}");
            if !known {
                let path = row["path"].as_str().unwrap().to_string();
                doubts.push((
                    path,
                    row["values"].clone(),
                    row["doubts"].clone(),
                ));
            }
        }
    }
    let key = json!({"unknown_key": 1});
    let expected = [
        ("message.content[]", 3, json!({"other_type": 1})),
        ("message.content[].id", 2, key.clone()),
        ("mood", 1, key.clone()),
        ("mood.good", 1, key.clone()),
        ("mood.good[]", 1, key.clone()),
        ("mood.good[].very", 1, key.clone()),
        ("permissionMode", 1, json!({"unknown_text": 1})),
        ("sessionId", 1, json!({"hidden": 1})),
        ("uuid", 1, json!({"other_type": 1})),
        ("uuid.why", 1, key.clone()),
        ("cup", 1, key.clone()),
        ("cup.sugar", 1, key),
    ]
    .map(|(path, values, doubts)| (path.to_string(), json!(values), doubts));
    assert_eq!(doubts, expected);
    let known: Vec<_> = report["kinds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|k| &k["known"])
        .collect();
    assert_eq!(known, [true, false]);

    let shown = linetape(&["schema", "-"], log.as_bytes());
    let shown = text(&shown.stdout);
    let marks: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with(['?', '!', '~', '=']))
        .map(|line| line.split("  ").next().unwrap())
        .collect();
    let expected = [
        "! message.content[]",
        "? message.content[].id",
        "? mood",
        "? mood.good",
        "? mood.good[]",
        "? mood.good[].very",
        "~ permissionMode",
        "= sessionId",
        "! uuid",
        "? uuid.why",
        "? tea/green, 1 record",
        "? cup",
        "? cup.sugar",
        "? linetape does not know this",
        "! linetape expects another type here",
        "~ linetape does not know this text",
        "= another member is read in place of this one",
    ];
    assert_eq!(marks, expected);
    assert!(shown.ends_with(&format!("\n\n{}\n", expected[13..].join("\n"))));
}

/// A type without members needs no mark but its own.
#[test]
fn an_unknown_kind_is_marked_even_if_nothing_is_in_it() {
    let output = linetape(&["schema", "-"], b"{}\n{\"type\":\"tea\"}\n");
    let shown = text(&output.stdout);
    assert!(
        shown.starts_with("? none, 1 record\n\n? tea, 1 record\n"),
        "{shown}"
    );
    assert!(shown.ends_with("\n\n? linetape does not know this\n"), "{shown}");
}

/// Records without a type may be events, and of a known kind.
#[test]
fn a_kind_is_known_only_if_all_its_records_are() {
    for (log, known) in [
        ("{\"event_type\":\"e\",\"data\":1}\n", true),
        ("{\"event_type\":\"e\",\"data\":1}\n{}\n", false),
        ("{}\n{\"event_type\":\"e\",\"data\":1}\n", false),
    ] {
        let output = linetape(&["schema", "--json", "-"], log.as_bytes());
        assert_eq!(document(&output)["kinds"][0]["known"], known, "{log}");
    }
}

/// The first of two maps with one key is hidden, and so no map.
#[test]
fn a_map_stays_one_if_it_is_there_twice() {
    let log =
        br#"{"type":"result","modelUsage":{"a":1},"modelUsage":{"b":{}}}"#;
    let report = document(&linetape(&["schema", "--json", "-"], log));
    let expected = [("modelUsage", 2), ("modelUsage.*", 2), ("type", 1)];
    let expected = expected.map(|(path, count)| (path.to_string(), count));
    assert_eq!(values(&report), expected.into());
    let map = &report["kinds"][0]["paths"][0];
    assert_eq!(map["doubts"], json!({"hidden": 1}));
}

// ---- hostile logs ----------------------------------------------------------

/// The paths of all kinds, with how many values each has.
fn values(report: &Value) -> BTreeMap<String, u64> {
    let kinds = report["kinds"].as_array().unwrap().iter();
    let rows = kinds.flat_map(|kind| kind["paths"].as_array().unwrap());
    let mut values = BTreeMap::new();
    for row in rows {
        let path = row["path"].as_str().unwrap().to_string();
        let count = row["values"].as_u64().unwrap();
        assert_eq!(values.insert(path, count), None, "{row}");
    }
    values
}

#[test]
fn keys_cannot_drive_the_terminal_nor_pass_for_paths() {
    let keys = [
        "a",
        "a.b",
        "a[]",
        "*",
        "",
        "[\"a\"]",
        "\"",
        "\\",
        "\u{1b}[2J",
        "\u{9b}",
        "\\u{9b}",
        "\u{7f}",
        "\u{202e}",
        "\u{2028}",
        "caf\u{e9}",
        "x\n? y",
        "\\u001b[2J",
    ];
    let mut object: BTreeMap<&str, Value> =
        keys.map(|key| (key, json!(key))).into();
    object.insert("a", json!({"b": 1, "c": [2]}));
    object.insert("type", json!("\u{1b}tea\u{202e}"));
    let line = json!(object).to_string();
    for arguments in [&["schema", "-"][..], &["schema", "--json", "-"]] {
        let output = linetape(arguments, line.as_bytes());
        let shown = text(&output.stdout);
        let dangerous = |c: char| {
            c.is_control() && c != '\n' || "\u{202e}\u{2028}".contains(c)
        };
        assert!(!shown.contains(dangerous), "{shown}");
    }
    let report =
        document(&linetape(&["schema", "--json", "-"], line.as_bytes()));
    let paths: Vec<String> = values(&report).into_keys().collect();
    let mut expected = [
        "a",
        "a.b",
        "a.c",
        "a.c[]",
        "type",
        r#"["a.b"]"#,
        r#"["a[]"]"#,
        r#"["*"]"#,
        r#"[""]"#,
        r#"["[\"a\"]"]"#,
        r#"["\""]"#,
        r#"["\\"]"#,
        r#"["\u001b[2J"]"#,
        r#"["\u{9b}"]"#,
        r#"["\\u{9b}"]"#,
        r#"["\u{7f}"]"#,
        r#"["\u{202e}"]"#,
        r#"["\u{2028}"]"#,
        "[\"caf\u{e9}\"]",
        r#"["x\n? y"]"#,
        r#"["\\u001b[2J"]"#,
    ];
    expected.sort();
    assert_eq!(paths, expected);
}

#[test]
fn a_place_with_many_keys_has_one_path_for_them() {
    let log = |keys: usize| {
        let member = |n| format!(r#""k{n}":{{"n":{n},"m{n}":[]}}"#);
        let members: Vec<String> = (0..keys).map(member).collect();
        format!(r#"{{"type":"user","uuid":"u",{}}}"#, members.join(","))
    };
    let few = linetape(&["schema", "--json", "-"], log(64).as_bytes());
    let few = values(&document(&few));
    assert_eq!(few.len(), 2 + 64 * 3);
    assert_eq!((few["k63"], few["k63.n"], few["k63.m63"]), (1, 1, 1));
    // One more, and they are all one. What is inside of them has then too
    // many keys as well. The keys that linetape knows stay.
    let many = linetape(&["schema", "--json", "-"], log(65).as_bytes());
    let many = values(&document(&many));
    let expected = [("*", 65), ("*.*", 130), ("type", 1), ("uuid", 1)];
    let expected = expected.map(|(path, count)| (path.to_string(), count));
    assert_eq!(many, expected.into());
}

/// A key that linetape knows is shown however many others there are.
#[test]
fn known_keys_are_not_put_together_with_others() {
    let mut log = String::new();
    for n in 0..200 {
        log += &format!("{{\"type\":\"user\",\"k{n}\":{n}}}\n");
    }
    log += "{\"type\":\"user\",\"cwd\":\"/\",\"k1\":1}\n";
    let report = linetape(&["schema", "--json", "-"], log.as_bytes());
    let report = document(&report);
    let expected = [("*", 201), ("cwd", 1), ("type", 201)];
    let expected = expected.map(|(path, count)| (path.to_string(), count));
    assert_eq!(values(&report), expected.into());
    let any = &report["kinds"][0]["paths"][0];
    assert_eq!((&any["records"], &any["example"]), (&201.into(), &0.into()));
}

/// A key may be known in one block, and unknown in another.
#[test]
fn a_key_that_turns_out_to_be_known_is_not_one_of_too_many() {
    let block = |block: &str| {
        let content = format!(r#""message":{{"content":[{block}]}}"#);
        format!("{{\"type\":\"user\",{content}}}\n")
    };
    let members: Vec<String> =
        (0..64).map(|n| format!(r#""k{n}":{n}"#)).collect();
    let log = block(r#"{"type":"text","id":"i"}"#)
        + &block(r#"{"type":"tool_use","id":"i"}"#)
        + &block(&format!(r#"{{"type":"text",{}}}"#, members.join(",")));
    let report = linetape(&["schema", "--json", "-"], log.as_bytes());
    let values = values(&document(&report));
    assert_eq!(values["message.content[].k63"], 1);
    assert_eq!(values["message.content[].id"], 2);
}

/// Objects that are put together may have had too many keys before, or have
/// them only now; and a record counts once, whatever it had before.
#[test]
fn what_is_put_together_is_put_together_inside_too() {
    let members = |name: &str, count: usize, value: &str| {
        let member = |n| format!(r#""{name}{n:02}":{value}"#);
        (0..count).map(member).collect::<Vec<_>>().join(",")
    };
    let many = format!("{{{}}}", members("k", 70, "1"));
    let (few, others) = (r#"{"x":1}"#, members("c", 63, r#"{"y":1}"#));
    let logs = [
        format!(r#"{{"type":"tea","d":{{"a":{few},"b":{many},{others}}}}}"#),
        format!(r#"{{"type":"tea","d":{{"a":{many},"b":{few},{others}}}}}"#),
        format!(
            "{{\"type\":\"tea\",\"d\":{{\"a\":1}}}}\n\
             {{\"type\":\"tea\",\"d\":{many}}}\n"
        ),
    ];
    for log in logs {
        let output = linetape(&["schema", "--json", "-"], log.as_bytes());
        check(&document(&output), &records(log.as_bytes()).0);
    }
}

/// Keys that have been put together make room for others.
#[test]
fn paths_that_are_gone_count_no_more() {
    let keys = |count: usize, inside: &str| {
        let member = |n| format!(r#""k{n}":{inside}"#);
        let members: Vec<String> = (0..count).map(member).collect();
        format!("{{{}}}", members.join(","))
    };
    // More than 100,000 keys in all, and soon few paths.
    let many = keys(40, &keys(40, &keys(65, "1")));
    // Paths of more than 64 MiB in all, and soon of less.
    let long = keys(3, &keys(65, "1"));
    let long = format!(r#"{{"{}":{long}}}"#, "x".repeat(512 << 10));
    for log in [many, long] {
        let output = linetape(&["schema", "-"], log.as_bytes());
        let shown = text(&output.stdout);
        assert!(!shown.contains("left out"), "{}", shown.len());
    }
}

#[test]
fn the_number_of_paths_has_a_limit() {
    let level = |inside: &str| {
        let member = |n| format!(r#""k{n}":{inside}"#);
        let members: Vec<String> = (0..64).map(member).collect();
        format!("{{{}}}", members.join(","))
    };
    let deep = level(&level(&level("0")));
    let log = format!("{{\"type\":\"tea\",\"a\":{deep}}}\n");
    let log = log + "{\"type\":\"milk\"}\n";
    let report =
        document(&linetape(&["schema", "--json", "-"], log.as_bytes()));
    let kept = values(&report).values().sum::<u64>();
    // The record itself has a place too.
    assert_eq!(kept, 100_000 - 1);
    assert_eq!(report["records"], 2);
    assert_eq!(report["kinds"].as_array().unwrap().len(), 1);
    // What is inside of a value that is left out is not counted, and the
    // second record counts as one.
    let left_out = report["left_out"].as_u64().unwrap();
    assert!(left_out > 1 && left_out < 64 * 64 * 64, "{left_out}");

    let shown = linetape(&["schema", "-"], log.as_bytes());
    let shown = text(&shown.stdout);
    assert!(
        shown.contains("values are left out: no more than 100,000 paths are"),
        "nothing is said about what is left out"
    );
}

/// So has their length: a long key would be in every path below it.
#[test]
fn long_keys_do_not_make_long_reports() {
    let members: Vec<String> =
        (0..20).map(|n| format!(r#""k{n}":{n}"#)).collect();
    let key = "x".repeat(8 << 20);
    let log = format!(r#"{{"a":{{"{key}":{{{}}}}}}}"#, members.join(","));
    let output = linetape(&["schema", "-"], log.as_bytes());
    let shown = text(&output.stdout);
    assert!(shown.len() < 10_000, "{}", shown.len());
    assert!(shown.contains("\n14 values are left out"), "{shown}");
    let name = "x".repeat(40 << 20);
    let log = format!("{{\"type\":\"{name}\"}}\n{{\"type\":\"{name}y\"}}\n");
    let report =
        document(&linetape(&["schema", "--json", "-"], log.as_bytes()));
    assert_eq!(report["kinds"].as_array().unwrap().len(), 1);
    assert_eq!(report["left_out"], 1);
}

#[test]
fn a_deep_record_is_shown_to_its_ground() {
    let (open, close) = ("{\"a\":[".repeat(63), "]}".repeat(63));
    let log = format!("{open}1{close}\n");
    let output = linetape(&["schema", "--json", "-"], log.as_bytes());
    let report = document(&output);
    let paths = values(&report);
    assert_eq!(paths.len(), 126);
    assert_eq!(paths[&["a[]"; 63].join(".")], 1);
}

// ---- reference implementation ----------------------------------------------

/// A path, as a naive look at all values says.
#[derive(Debug)]
struct Row {
    path: String,
    records: usize,
    values: usize,
    types: BTreeMap<&'static str, u64>,
    example: Value,
    /// What comes before it that may be any key.
    any: Any,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Any {
    Nothing,
    /// A key of a map.
    Entry,
    /// One of too many keys: records can only be estimated.
    TooMany,
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The path of a member, or of any member.
fn path_of(path: &str, key: Option<&str>) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || "_-$".contains(c);
    let dot = if path.is_empty() { "" } else { "." };
    match key {
        None => format!("{path}{dot}*"),
        Some(key) if !key.is_empty() && key.chars().all(word) => {
            format!("{path}{dot}{key}")
        }
        Some(key) => format!("{path}[{}]", json!(key)),
    }
}

/// The maps of the schema that a record has, as paths. Only the schema knows
/// which objects are maps, so it is asked.
fn maps(record: &Record<'_>) -> BTreeSet<String> {
    let mut maps = BTreeSet::new();
    let mut decoder = Decoder::new();
    let decoded = decoder.decode(record.line).unwrap();
    decoded.message().visit(|visited| {
        let mut path = String::new();
        for step in visited.path {
            path = match step {
                PathStep::Key(key) => path_of(&path, Some(key)),
                PathStep::Index(_) => format!("{path}[]"),
                PathStep::Entry(_) => {
                    maps.insert(path.clone());
                    path_of(&path, None)
                }
            };
        }
    });
    maps
}

/// Adds the paths below one place, from all values at that place, each with
/// the number of its record.
fn add_rows(
    maps: &BTreeSet<String>,
    path: &str,
    any: Any,
    values: &[(usize, &Value)],
    rows: &mut Vec<Row>,
) {
    let mut groups: BTreeMap<(u8, &str), Vec<(usize, &Value)>> =
        BTreeMap::new();
    let objects = values.iter().filter_map(|(_, v)| v.as_object());
    let keys: BTreeSet<&String> = objects.flat_map(|o| o.keys()).collect();
    let is_map = maps.contains(path);
    let is_any = is_map || keys.len() > 64;
    for (record, value) in values {
        for item in value.as_array().into_iter().flatten() {
            groups.entry((0, "")).or_default().push((*record, item));
        }
        for (key, member) in value.as_object().into_iter().flatten() {
            let group = if is_any { (1, "") } else { (2, &key[..]) };
            groups.entry(group).or_default().push((*record, member));
        }
    }
    for ((kind, key), values) in groups {
        let path = match kind {
            0 => format!("{path}[]"),
            1 => path_of(path, None),
            _ => path_of(path, Some(key)),
        };
        let records: BTreeSet<usize> = values.iter().map(|v| v.0).collect();
        let mut types = BTreeMap::new();
        for (_, value) in &values {
            *types.entry(type_of(value)).or_default() += 1;
        }
        let is_plain =
            |v: &&Value| !["null", "object", "array"].contains(&type_of(v));
        let example = values.iter().map(|v| v.1).find(is_plain).cloned();
        let example = match example {
            Some(Value::String(text)) if text.chars().count() > 40 => {
                let start: String = text.chars().take(40).collect();
                json!(start + "...")
            }
            example => json!(example),
        };
        let any = match kind {
            1 if is_map && any != Any::TooMany => Any::Entry,
            1 => Any::TooMany,
            _ => any,
        };
        rows.push(Row {
            any,
            records: records.len(),
            values: values.len(),
            types,
            example,
            path: path.clone(),
        });
        add_rows(maps, &path, any, &values, rows);
    }
}

/// The type and subtype of a record.
fn kind(record: &Record<'_>) -> (Option<String>, Option<String>) {
    let name = record.names.first().cloned();
    let subtype = record.object["subtype"].as_str().map(str::to_string);
    let has_subtype = record.names.len() != 1;
    (name, subtype.filter(|_| has_subtype))
}

/// Compares a report on some records with the reference implementation, and
/// returns how many paths there are.
fn check(report: &Value, records: &[Record<'_>]) -> usize {
    let mut kinds: BTreeMap<_, Vec<(usize, &Value)>> = BTreeMap::new();
    for (number, record) in records.iter().enumerate() {
        let values = kinds.entry(kind(record)).or_default();
        values.push((number, &record.object));
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, values)| std::cmp::Reverse(values.len()));
    assert_eq!(report["records"], records.len());
    assert_eq!(report["left_out"], 0);
    let reported = report["kinds"].as_array().unwrap();
    assert_eq!(reported.len(), kinds.len());
    let mut paths = 0;
    for (reported, ((name, subtype), values)) in reported.iter().zip(kinds) {
        assert_eq!(reported["type"], json!(name));
        assert_eq!(reported["subtype"], json!(subtype));
        assert_eq!(reported["records"], values.len());
        let mut rows = vec![];
        let maps = values.iter().flat_map(|(at, _)| maps(&records[*at]));
        let maps: BTreeSet<String> = maps.collect();
        add_rows(&maps, "", Any::Nothing, &values, &mut rows);
        let reported = reported["paths"].as_array().unwrap();
        let names = reported.iter().map(|row| row["path"].as_str().unwrap());
        let expected = rows.iter().map(|row| row.path.as_str());
        assert_eq!(names.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        paths += rows.len();
        for (reported, row) in reported.iter().zip(rows) {
            assert_eq!(reported["values"], row.values, "{row:?}");
            assert_eq!(reported["types"], json!(row.types), "{row:?}");
            if row.any == Any::TooMany {
                let records = reported["records"].as_u64().unwrap() as usize;
                let most = row.values.min(values.len());
                assert!((row.records..=most).contains(&records), "{row:?}");
            } else {
                assert_eq!(reported["records"], row.records, "{row:?}");
            }
            // The reference does not know the order of a map's entries.
            if row.any == Any::Nothing {
                assert_eq!(reported["example"], row.example, "{row:?}");
            }
        }
    }
    paths
}

#[test]
fn logs_contain_what_a_naive_look_finds() {
    let logs = logs();
    let mut paths = 0;
    for files in logs.chunks(1).chain([&logs[..]]) {
        let read: Vec<Vec<u8>> =
            files.iter().map(|path| fs::read(path).unwrap()).collect();
        let found: Vec<_> =
            read.iter().flat_map(|log| records(log).0).collect();
        let names = files.iter().map(|path| path.to_str().unwrap());
        let arguments: Vec<&str> =
            ["schema", "--json"].into_iter().chain(names).collect();
        let report = document(&linetape(&arguments, b""));
        paths += check(&report, &found);
    }
    assert!(paths > 1000, "{paths}");
}

/// Keys in all numbers: some places have just not too many, some far too
/// many, and some only once others have been put together.
#[test]
fn random_records_contain_what_a_naive_look_finds() {
    let mut state = 7_u64;
    let mut below = move |end: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        (state >> 33) as usize % end
    };
    let mut log = String::new();
    for _ in 0..400 {
        let leaf = |below: &mut dyn FnMut(usize) -> usize| match below(6) {
            0 => json!(null),
            1 => json!([1, "two", {"k": 3}]),
            2 => json!(2.5),
            3 => json!({"m": {"n": true}}),
            _ => json!("text"),
        };
        let name = ["tea", "user"][below(2)];
        let mut record = json!({ "type": name });
        for (place, keys) in [("a", 60), ("b", 64), ("c", 70), ("d", 300)] {
            for _ in 0..below(3) {
                let key = format!("k{}", below(keys));
                let inner = format!("n{}", below(keys / 10 + 5));
                let value = leaf(&mut below);
                record[place][&key][inner] = value;
                record[place][&key]["s"] = leaf(&mut below);
            }
        }
        log += &format!("{record}\n");
    }
    let report = linetape(&["schema", "--json", "-"], log.as_bytes());
    let report = document(&report);
    let paths = check(&report, &records(log.as_bytes()).0);
    assert!(paths > 1000, "{paths}");
    let stars = report["kinds"][0]["paths"].as_array().unwrap().iter();
    let stars = stars.map(|row| row["path"].as_str().unwrap());
    let stars: Vec<&str> = stars.filter(|p| p.ends_with('*')).collect();
    assert_eq!(stars, ["c.*", "d.*"]);
}
