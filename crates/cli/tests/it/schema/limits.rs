//! `linetape schema` on hostile logs: keys that control a terminal, too many
//! keys, too many paths, and long ones.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    schema::reference::values,
    support::{document, linetape, text},
};

#[test]
fn keys_cannot_control_the_terminal_or_look_like_paths() {
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
fn more_than_64_unknown_keys_have_one_path() {
    let log = |keys: usize| {
        let member = |n| format!(r#""k{n}":{{"n":{n},"m{n}":[]}}"#);
        let members: Vec<String> = (0..keys).map(member).collect();
        format!(r#"{{"type":"user","uuid":"u",{}}}"#, members.join(","))
    };
    let few = linetape(&["schema", "--json", "-"], log(64).as_bytes());
    let few = values(&document(&few));
    assert_eq!(few.len(), 2 + 64 * 3);
    assert_eq!((few["k63"], few["k63.n"], few["k63.m63"]), (1, 1, 1));
    // With one more key, they are merged. The merged object then has too many
    // keys as well. Known keys are not merged.
    let many = linetape(&["schema", "--json", "-"], log(65).as_bytes());
    let many = values(&document(&many));
    let expected = [("*", 65), ("*.*", 130), ("type", 1), ("uuid", 1)];
    let expected = expected.map(|(path, count)| (path.to_string(), count));
    assert_eq!(many, expected.into());
}

/// A known key is shown, however many others there are.
#[test]
fn known_keys_are_not_merged() {
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

/// A key can be known in one block and unknown in another.
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

/// Merged keys no longer count for the limits.
#[test]
fn merged_paths_do_not_count_for_the_limits() {
    let keys = |count: usize, inside: &str| {
        let member = |n| format!(r#""k{n}":{inside}"#);
        let members: Vec<String> = (0..count).map(member).collect();
        format!("{{{}}}", members.join(","))
    };
    // More than 100,000 keys, but few paths once they are merged.
    let many = keys(40, &keys(40, &keys(65, "1")));
    // Paths of more than 64 MiB, but less once they are merged.
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
        let members: Vec<String> = (0..47).map(member).collect();
        format!("{{{}}}", members.join(","))
    };
    let deep = level(&level(&level("0")));
    let log = format!("{{\"type\":\"tea\",\"a\":{deep}}}\n");
    let log = log + "{\"type\":\"milk\"}\n";
    let report =
        document(&linetape(&["schema", "--json", "-"], log.as_bytes()));
    let kept = values(&report).values().sum::<u64>();
    // The root has a node too.
    assert_eq!(kept, 100_000 - 1);
    assert_eq!(report["records"], 2);
    assert_eq!(report["kinds"].as_array().unwrap().len(), 1);
    // The content of a value that is left out is not counted, and the second
    // record counts as one.
    let left_out = report["left_out"].as_u64().unwrap();
    assert!(left_out > 1 && left_out < 47 * 47 * 47, "{left_out}");
}

/// The length of paths is limited too: a long key is in every path below it.
#[test]
fn long_keys_do_not_make_long_reports() {
    let members: Vec<String> =
        (0..20).map(|n| format!(r#""k{n}":{n}"#)).collect();
    let key = "x".repeat(8 << 20);
    let log = format!(r#"{{"a":{{"{key}":{{{}}}}}}}"#, members.join(","));
    let output = linetape(&["schema", "-"], log.as_bytes());
    let shown = text(&output.stdout);
    assert!(shown.len() < 10_000, "{}", shown.len());
    let limit =
        "14 values are left out: the limit is 100,000 paths, 64 MiB in";
    assert!(shown.contains(limit), "{shown}");
    let name = "x".repeat(40 << 20);
    let log = format!("{{\"type\":\"{name}\"}}\n{{\"type\":\"{name}y\"}}\n");
    let report =
        document(&linetape(&["schema", "--json", "-"], log.as_bytes()));
    assert_eq!(report["kinds"].as_array().unwrap().len(), 1);
    assert_eq!(report["left_out"], 1);
}

#[test]
fn a_deep_record_is_shown_to_its_full_depth() {
    let (open, close) = ("{\"a\":[".repeat(63), "]}".repeat(63));
    let log = format!("{open}1{close}\n");
    let output = linetape(&["schema", "--json", "-"], log.as_bytes());
    let report = document(&output);
    let paths = values(&report);
    assert_eq!(paths.len(), 126);
    assert_eq!(paths[&["a[]"; 63].join(".")], 1);
}
