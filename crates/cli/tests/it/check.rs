//! `linetape check`.

use serde_json::{Value, json};

use crate::support::{
    UNREADABLE, document, file,
    lines::{call, init, log, printed, said, words},
    linetape, text,
};

/// A log with a duplicate UUID, a call without a result, a bad line and a
/// truncated one.
fn bad_log() -> Vec<u8> {
    let mut again = said("m3", words("Bye"));
    again["uuid"] = json!("uuid of m1");
    let lines = [
        init(),
        said("m1", call("t1", "Read", json!({}))),
        said("m2", words("Hi")),
        again,
    ];
    let mut log = log(&lines);
    log.extend_from_slice(b"oops\n{\"type\":\"keep_alive\"}\n{\"a\":");
    log
}

/// The expected rules, messages and line numbers.
const EXPECTED: [(&str, &str, usize); 4] = [
    ("unanswered_call", "the call `t1` has no result", 2),
    (
        "duplicate_uuid",
        "`uuid of m1` is also the uuid of a different message on line 2",
        4,
    ),
    ("not_an_object", "not a JSON object, at `oops`", 5),
    (
        "truncated",
        "unexpected end of input: last line is truncated after 5 bytes",
        7,
    ),
];

fn offset(log: &[u8], line: usize) -> usize {
    let lines = log.split_inclusive(|&byte| byte == b'\n');
    lines.take(line - 1).map(<[u8]>::len).sum()
}

#[test]
fn faults_are_in_the_order_of_the_file() {
    let log = bad_log();
    let path = file("check_bad.jsonl", &log);
    let path = path.to_str().unwrap();
    let output = linetape(&["check", path], b"");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr), "");
    let line = |(rule, message, line): (&str, &str, usize)| {
        let byte = offset(&log, line);
        format!("{path}:{line}:{byte} {rule} {message}\n")
    };
    let expected: String = EXPECTED.map(line).concat();
    assert_eq!(text(&output.stdout), expected);

    let output = linetape(&["check", "--json", path, "-"], b"oops");
    assert_eq!(output.status.code(), Some(1));
    let fault = |file: &str, (rule, message, line), byte| {
        json!({
            "file": file,
            "line": line,
            "byte": byte,
            "rule": rule,
            "level": "error",
            "message": message,
        })
    };
    let mut expected: Vec<Value> =
        EXPECTED.map(|fact| fault(path, fact, offset(&log, fact.2))).into();
    let oops = (EXPECTED[2].0, EXPECTED[2].1, 1);
    expected.push(fault("standard input", oops, 0));
    assert_eq!(document(&output), json!(expected));
}

#[test]
fn notes_are_printed_on_request_and_are_no_errors() {
    // The log is truncated before the result.
    let log = log(&[init(), said("m1", call("t1", "Read", json!({})))]);
    assert_eq!(printed(&["check"], &log), "");
    assert_eq!(printed(&["check", "--json"], &log), "[]\n");
    let byte = offset(&log, 2);
    let note = "the call `t1` has no result \
                (run stopped, log incomplete, or run by the API)";
    let shown = printed(&["check", "--notes"], &log);
    let place = format!("standard input:2:{byte}");
    let line = format!("{place} unanswered_call note: {note}\n");
    assert_eq!(shown, line);
    let shown = printed(&["check", "--notes", "--json"], &log);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown[0]["level"], "note");
    assert_eq!(shown[0]["message"], note);
    assert_eq!(shown.as_array().unwrap().len(), 1);
}

#[test]
fn the_exit_code_depends_on_the_findings() {
    let bad = file("check_exit.jsonl", b"oops\n");
    let bad = bad.to_str().unwrap();
    let cases = [
        (vec!["check", "--sample"], 0),
        (vec!["check", "--sample", "--notes"], 0),
        (vec!["check", bad], 1),
        (vec!["check", "--json", bad, "-"], 1),
        (vec!["check", bad, "no/such/file"], 2),
        (vec!["check", "no/such/file", bad], 2),
        (vec!["check", UNREADABLE], 2),
        (vec!["check", "--json", "no/such/file"], 2),
    ];
    let output = linetape(&["check", "--json", "no/such/file", bad], b"");
    let rules = document(&output);
    let rules = [&rules[0]["rule"], &rules[1]["rule"]];
    assert_eq!(rules, ["io", "not_an_object"]);
    for (arguments, code) in cases {
        let input: &[u8] = match arguments.contains(&"-") {
            true => b"{}\n",
            false => b"",
        };
        let output = linetape(&arguments, input);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let is_told = !output.stderr.is_empty();
        assert_eq!(is_told, code == 2, "{arguments:?}");
    }
}

/// Files are checked separately, and positions count from the start of each.
#[test]
fn files_do_not_mix() {
    let one = log(&[init(), said("m1", words("Hi"))]);
    let paths = ["check_one.jsonl", "check_two.jsonl"];
    let paths = paths.map(|name| file(name, &one));
    let paths = paths.each_ref().map(|path| path.to_str().unwrap());
    let output = linetape(&["check", "--notes", paths[0], paths[1]], b"");
    assert_eq!(text(&output.stdout), "");
    assert!(output.status.success());
}

#[test]
fn the_number_of_findings_of_a_rule_is_limited() {
    let line = json!({
        "type": "user", "uuid": "u", "session_id": "s",
        "timestamp": "soon", "message": { "content": "Hi" },
    });
    let log = log(&vec![line; 1003]);
    let output = linetape(&["check", "-"], &log);
    let shown = text(&output.stdout);
    let of_rule = |l: &&str| l.contains(" timestamp ");
    assert_eq!(shown.lines().filter(of_rule).count(), 1000);
    let last = shown.lines().rfind(of_rule).unwrap();
    assert!(last.ends_with(" (and 3 more)"), "{last}");
}
