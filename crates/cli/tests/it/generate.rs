//! `linetape generate`.

use std::fs;

#[cfg(unix)]
use crate::support::unread;
use crate::support::{document, file, linetape, text};
use linetape_generate::{Shape, generate};

#[test]
fn logs_are_those_of_the_library() {
    for shape in Shape::ALL {
        for seed in [1, u64::MAX] {
            let number = seed.to_string();
            let output = linetape(
                &[
                    "generate",
                    "--shape",
                    shape.name(),
                    "--seed",
                    &number,
                    "--bytes",
                    "300K",
                ],
                b"",
            );
            assert_eq!(text(&output.stderr), "");
            assert_eq!(output.status.code(), Some(0));
            // Not `assert_eq`, which would print megabytes.
            let same = output.stdout == generate(shape, seed, 300 << 10);
            assert!(same, "{shape} {seed}");
        }
    }
}

#[test]
fn every_line_is_a_record() {
    for shape in Shape::ALL {
        let arguments =
            ["generate", "--shape", shape.name(), "--bytes", "12M"];
        let log = linetape(&arguments, b"").stdout;
        assert!(log.len() >= 12 << 20);
        let report = document(&linetape(&["stats", "--json", "-"], &log));
        let lines = log.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(report["records"], lines, "{shape}");
        assert_eq!(report["errors"]["total"], 0, "{shape}");
        assert_eq!(report["bytes"], log.len(), "{shape}");
    }
}

#[test]
fn sizes_are_bytes_or_multiples_of_1024() {
    for (size, bytes) in
        [("0", 0), ("1", 1), ("1000", 1_000), ("3K", 3 << 10), ("2M", 2 << 20)]
    {
        let arguments = ["generate", "--shape", "tiny", "--bytes", size];
        let same = linetape(&arguments, b"").stdout
            == generate(Shape::Tiny, 1, bytes);
        assert!(same, "{size}");
    }
    for size in ["", "K", "1k", "1T", "1.5M", "-1", "17179869184G", "é"] {
        let size = format!("--bytes={size}");
        let output = linetape(&["generate", &size], b"");
        assert_eq!(output.status.code(), Some(2), "{size}");
        let why = "expected a size such as 1000, 64K, 16M or 1G";
        assert!(text(&output.stderr).contains(why), "{size}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn without_arguments_a_transcript_of_a_mebibyte_is_made() {
    let log = generate(Shape::Transcript, 1, 1 << 20);
    assert!(linetape(&["generate"], b"").stdout == log);
    let out = file("generate.jsonl", b"old");
    for option in ["-o", "--output"] {
        let path = out.to_str().unwrap();
        let output = linetape(&["generate", option, path], b"");
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stdout.is_empty());
        assert!(fs::read(&out).unwrap() == log);
    }
}

#[test]
fn the_help_tells_what_the_shapes_are() {
    let output = linetape(&["generate", "--help"], b"");
    for shape in Shape::ALL {
        let help = text(&output.stdout).lines().any(|line| {
            line.contains(&format!("- {}:", shape.name()))
                && line.contains(shape.description())
        });
        assert!(help, "{shape}");
    }
    let output = linetape(&["generate", "--shape", "round"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("tool_heavy"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    assert_eq!(unread("generate --bytes 1000G"), "0\n");
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let output = linetape(&["generate", "-o", "no/such/\x1b[2J"], b"");
    assert_eq!(output.status.code(), Some(2));
    let complaint = text(&output.stderr);
    assert!(complaint.starts_with(r"linetape: no/such/\u{1b}[2J: "));
}
