//! `linetape schema`: the report, as text and as JSON.

use serde_json::{Value, json};

#[cfg(unix)]
use crate::support::unread;
use crate::support::{document, file, linetape, text};

const LOG: &str = r#"{"type":"user","uuid":"u1","message":{"role":"user","content":"Hello"}}
{"type":"user","uuid":"u2","isMeta":true,"message":{"role":"user","content":[{"type":"tool_result","content":"ok"},{"type":"text","text":null}]}}
{"type":"result","subtype":"success","total_cost_usd":0.5,"num_turns":"3","modelUsage":{"opus":{"inputTokens":7},"haiku":{"inputTokens":9}}}
{"type":"user","uuid":"u3","toolUseResult":{"a.b":[1,2.5],"a":{"b":"A text that is longer than the column for it is wide"}}}
"#;

#[test]
fn the_text_has_every_path() {
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

! unexpected JSON type
"#;
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn the_json_has_the_same_with_stable_names() {
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
    assert_eq!(text(&output.stdout), "No records.\n");
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
fn a_closed_pipe_is_no_error() {
    assert_eq!(unread("schema --sample"), "0\n");
    assert_eq!(unread("schema --sample --json"), "0\n");
}
