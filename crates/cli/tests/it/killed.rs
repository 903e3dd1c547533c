//! The output of `linetape select --state` after a run that was killed.

use std::fs;

use crate::{
    state::{append, gzip, killed},
    support::{file, folder, linetape, text},
};

/// A run that was killed left half a line in the output for good, and its lines
/// twice.
#[test]
fn the_output_of_a_run_that_was_killed_is_repaired() {
    let line =
        |n: usize| format!("{{\"n\":{n},\"t\":\"{}\"}}\n", "x".repeat(90));
    let lines: String = (0..3000).map(line).collect();
    for (is_followed, is_lost) in
        [(false, false), (false, true), (true, false)]
    {
        let path = file("big.jsonl", lines.as_bytes());
        let state = path.with_file_name("killed.state");
        let out = path.with_file_name("killed.out");
        _ = fs::remove_file(&state);
        // The user's own line has no newline.
        fs::write(&out, "{\"own\":1}").unwrap();
        let [log, at, to] =
            [&path, &state, &out].map(|path| path.to_str().unwrap());
        let once = ["select", "--state", at, "-o", to, log];
        match is_followed {
            true => killed(&["select", "-f", "--state", at, "-o", to, log]),
            false => killed(&once),
        }
        let torn = fs::read_to_string(&out).unwrap();
        assert_eq!(torn.len(), 64 << 10);
        assert!(!torn.ends_with('\n'));
        let whole = torn.rfind('\n').unwrap() + 1;
        if is_lost {
            // Its lines cannot be read again.
            fs::write(&path, "").unwrap();
        }
        let output = linetape(&once, b"");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let expected = match (is_followed, is_lost) {
            (_, true) => torn[..whole].to_string(),
            (true, _) => format!("{}{lines}", &torn[..whole]),
            (false, _) => format!("{{\"own\":1}}\n{lines}"),
        };
        let written = fs::read_to_string(&out).unwrap();
        assert!(written == expected, "{is_followed} {is_lost}");
        // A run that has ended: what others append stays.
        append(&out, b"{\"other\":1}\n{\"half\":");
        fs::write(&path, lines.clone() + &line(3000)).unwrap();
        linetape(&once, b"");
        let written = fs::read_to_string(&out).unwrap();
        assert!(written.contains("{\"other\":1}\n{\"half\":\n"));
        assert!(written.ends_with(&line(3000)));
    }
}

/// The lines of a log that was renamed or compressed after the run was killed,
/// or that was compressed before, were in the output twice.
#[test]
fn the_output_of_a_killed_run_is_repaired_if_its_log_was_moved() {
    let line =
        |n: usize| format!("{{\"n\":{n},\"t\":\"{}\"}}\n", "x".repeat(90));
    let lines: String = (0..3000).map(line).collect();
    for (before, after) in [
        ("a.jsonl", "a.1.jsonl"),
        ("a.jsonl", "a.1.jsonl.gz"),
        ("a.jsonl.gz", "a.jsonl.gz"),
        ("a.jsonl.gz", "a.1.jsonl.gz"),
    ] {
        let packed = |name: &str| match name.ends_with("gz") {
            true => lines.as_bytes().chunks(60_000).flat_map(gzip).collect(),
            false => lines.clone().into_bytes(),
        };
        let logs = folder("logs", &[]);
        fs::write(logs.join(before), packed(before)).unwrap();
        let state = logs.with_file_name("moved.state");
        let out = logs.with_file_name("moved.out");
        _ = fs::remove_file(&state);
        _ = fs::remove_file(&out);
        let [log, at, to] =
            [&logs, &state, &out].map(|path| path.to_str().unwrap());
        let arguments = ["select", "--state", at, "-o", to, log];
        killed(&arguments);
        let torn = fs::read(&out).unwrap().len();
        fs::remove_file(logs.join(before)).unwrap();
        fs::write(logs.join(after), packed(after)).unwrap();
        let output = linetape(&arguments, b"");
        let message = format!("{torn} bytes removed");
        assert!(text(&output.stderr).contains(&message), "{output:?}");
        let written = fs::read_to_string(&out).unwrap();
        assert!(written == lines, "{before} {after}");
    }
}

/// Lines were removed from the output although this run did not read them
/// again: another file hid the archive that they were in.
#[test]
fn lines_of_a_log_that_is_not_read_again_stay() {
    let line =
        |n: usize| format!("{{\"n\":{n},\"t\":\"{}\"}}\n", "x".repeat(90));
    let lines: String = (0..3000).map(line).collect();
    let logs = folder("logs", &[]);
    let packed: Vec<u8> =
        lines.as_bytes().chunks(60_000).flat_map(gzip).collect();
    fs::write(logs.join("a.jsonl.gz"), packed).unwrap();
    let state = logs.with_file_name("hidden.state");
    let out = logs.with_file_name("hidden.out");
    _ = fs::remove_file(&state);
    _ = fs::remove_file(&out);
    let [log, at, to] =
        [&logs, &state, &out].map(|path| path.to_str().unwrap());
    let arguments = ["select", "--state", at, "-o", to, log];
    killed(&arguments);
    let torn = fs::read_to_string(&out).unwrap();
    let whole = torn.rfind('\n').unwrap() + 1;
    fs::write(logs.join("a.jsonl"), "{\"other\":1}\n").unwrap();
    let output = linetape(&arguments, b"");
    let message = text(&output.stderr);
    assert!(message.contains("a.jsonl.gz: not there, or not"), "{message}");
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(written, torn[..whole].to_string() + "{\"other\":1}\n");
}

/// An output that was copied to another file after a kill was continued without
/// a word.
#[test]
fn an_output_that_is_another_file_is_reported() {
    let line =
        |n: usize| format!("{{\"n\":{n},\"t\":\"{}\"}}\n", "x".repeat(90));
    let path =
        file("big.jsonl", (0..3000).map(line).collect::<String>().as_bytes());
    let state = path.with_file_name("copied.state");
    let [out, copy] =
        ["copied.out", "copied.new"].map(|n| path.with_file_name(n));
    _ = fs::remove_file(&state);
    _ = fs::remove_file(&out);
    let [log, at, to] =
        [&path, &state, &out].map(|path| path.to_str().unwrap());
    let arguments = ["select", "--state", at, "-o", to, log];
    killed(&arguments);
    fs::copy(&out, &copy).unwrap();
    fs::rename(&copy, &out).unwrap();
    let output = linetape(&arguments, b"");
    let message = text(&output.stderr);
    let why = "copied.out: not the file that an interrupted run has written";
    assert!(message.contains(why), "{message}");
}

/// What was written after a kill was removed although it could not be read
/// again: if another archive was broken, if the archive was truncated, or if
/// another archive began like it.
#[test]
fn lines_of_an_archive_that_is_lost_stay() {
    let line = |n: usize, text: &str| {
        format!("{{\"{text}\":{n},\"t\":\"{}\"}}\n", "x".repeat(90))
    };
    let header: String = (0..60).map(|n| line(n, "header")).collect();
    let lines = |text: &str| -> Vec<u8> {
        let lines = (0..3000).map(|n| line(n, text)).collect::<String>();
        let lines = header.clone() + &lines;
        lines.as_bytes().chunks(60_000).flat_map(gzip).collect()
    };
    let broken = lines("broken");
    for (case, has_broken) in
        [("moved", true), ("truncated", false), ("other", false)]
    {
        for command in ["select", "split"] {
            let logs = folder("logs", &[("z.jsonl", "{}\n")]);
            if has_broken {
                fs::write(logs.join("b.jsonl.gz"), &broken[..30]).unwrap();
            }
            let log = logs.join("a.jsonl.gz");
            fs::write(&log, lines("a")).unwrap();
            let state = logs.with_file_name("lost.state");
            let out = match command {
                "split" => folder("lost", &[]),
                _ => logs.with_file_name("lost.out"),
            };
            _ = fs::remove_file(&state);
            _ = fs::remove_file(&out);
            let [from, at, to] =
                [&logs, &state, &out].map(|path| path.to_str().unwrap());
            let mut arguments = vec![command, "--state", at, "-o", to, from];
            if command == "split" {
                arguments.extend(["--by", "type"]);
            }
            killed(&arguments);
            let file = match command {
                "split" => out.join("_none.jsonl"),
                _ => out.clone(),
            };
            let torn = fs::read_to_string(&file).unwrap();
            let whole = &torn[..torn.rfind('\n').unwrap() + 1];
            match case {
                "moved" => fs::remove_file(&log).unwrap(),
                "truncated" => {
                    fs::write(&log, &lines("a")[..40]).unwrap();
                }
                _ => {
                    fs::write(logs.join("c.jsonl.gz"), lines("c")).unwrap();
                    fs::remove_file(&log).unwrap();
                }
            }
            let output = linetape(&arguments, b"");
            let message = text(&output.stderr);
            let why = "a.jsonl.gz: not there, or not as";
            assert!(message.contains(why), "{case} {command} {message}");
            let now = fs::read_to_string(&file).unwrap();
            assert!(now.starts_with(whole), "{case} {command}");
        }
    }
}
