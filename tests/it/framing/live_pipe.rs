//! A line is returned as soon as its newline has been read.
#![cfg(unix)]

use std::{
    io::Write,
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use linetape::Reader;

/// A reader that waited for a full buffer would hang, and so would this test.
#[test]
fn a_conversation_over_pipes() {
    let (done, finished) = mpsc::channel();
    let talk = thread::spawn(move || {
        converse();
        done.send(())
    });
    let patience = Duration::from_secs(60);
    if finished.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
        panic!("a line was held back");
    }
    talk.join().unwrap().unwrap();
}

/// The child writes a line, and waits for an answer before it writes the next
/// one.
fn converse() {
    let script = r#"
        printf '{"ask":1}\n{"half":'
        read answer
        printf '"%s"}\r\n' "$answer"
        read answer
        printf '{"bye":"%s"}' "$answer"
    "#;
    let mut child = Command::new("sh")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = child.stdin.take().unwrap();
    let mut reader = Reader::new(child.stdout.take().unwrap());

    let mut expect = |reader: &mut Reader<_>, line: &str, answer: &str| {
        let found = reader.next_line().unwrap().unwrap();
        assert_eq!(found.as_bytes(), line.as_bytes());
        answers.write_all(answer.as_bytes()).unwrap();
    };
    expect(&mut reader, r#"{"ask":1}"#, "yes\n");
    expect(&mut reader, r#"{"half":"yes"}"#, "no\n");

    let last = reader.next_line().unwrap().unwrap();
    assert_eq!(last.as_bytes(), br#"{"bye":"no"}"#);
    assert!(!last.is_terminated());
    assert!(reader.next_line().is_none());
    assert!(child.wait().unwrap().success());
}
