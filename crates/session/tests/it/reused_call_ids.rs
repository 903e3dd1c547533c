//! Calls whose id was used before.

use serde_json::{Value, json};

use crate::conversation::{answer, at, call, prompt, read, shown, with};

fn bash(id: &str, command: &str) -> Value {
    call(id, "Bash", json!({"command": command}))
}

/// The second call was dropped, and its result was at the first one.
#[test]
fn a_call_whose_id_was_used_before_is_shown() {
    let log = vec![
        at(0, prompt("Go.")),
        at(1, bash("t1", "one")),
        at(2, answer("t1", "first")),
        at(3, bash("t1", "two")),
        at(5, answer("t1", "second")),
    ];
    let expected = [
        "Prompt Go.",
        "Call Bash one",
        "= first 1000",
        "Call Bash two",
        "= second 2000",
    ];
    assert_eq!(shown(std::slice::from_ref(&log)), expected);
    let (conversation, _) = read(&[log]);
    assert_eq!(conversation.warnings().count(), 0);
}

/// Both are open at the same time: the results are in the order of the calls.
#[test]
fn calls_with_one_id_that_run_at_once_have_a_result_each() {
    let log = vec![
        at(0, prompt("Go.")),
        at(1, bash("t1", "one")),
        at(1, bash("t1", "two")),
        at(1, bash("t1", "three")),
        at(2, answer("t1", "first")),
        at(3, answer("t1", "second")),
    ];
    let expected = [
        "Prompt Go.",
        "Call Bash one",
        "= first 1000",
        "Call Bash two",
        "= second 2000",
        "Call Bash three",
    ];
    assert_eq!(shown(&[log]), expected);
}

/// Some agents write a message again when it has grown, without a uuid.
#[test]
fn a_message_that_is_written_again_has_its_call_once() {
    let of = |message: &str, line: Value| {
        let mut line = at(1, line);
        line["message"]["id"] = json!(message);
        line
    };
    let log = vec![
        at(0, prompt("Go.")),
        of("m1", bash("t1", "one")),
        of("m1", bash("t1", "one")),
        // The same call of another message is another call.
        of("m2", bash("t1", "one")),
        // So is another input.
        of("m1", bash("t1", "two")),
        with(at(2, answer("t1", "first")), json!({"uuid": "u1"})),
    ];
    let expected = [
        "Prompt Go.",
        "Call Bash one",
        "= first 1000",
        "Call Bash one",
        "Call Bash two",
    ];
    assert_eq!(shown(&[log]), expected);
}

/// Only the first and the last call with an id were compared, so the second of
/// three was shown twice. After its result, the first one was, too.
#[test]
fn all_calls_with_one_id_are_known_when_their_message_is_written_again() {
    let of = |line: Value| with(at(1, line), json!({}));
    let calls = || {
        ["one", "two", "three"].map(|command| {
            let mut line = of(bash("t1", command));
            line["message"]["id"] = json!("m1");
            line
        })
    };
    let mut log = vec![at(0, prompt("Go."))];
    log.extend(calls());
    log.extend(calls());
    log.push(at(2, answer("t1", "first")));
    log.extend(calls());
    let expected = [
        "Prompt Go.",
        "Call Bash one",
        "= first 1000",
        "Call Bash two",
        "Call Bash three",
    ];
    assert_eq!(shown(&[log]), expected);
}
