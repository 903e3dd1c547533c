//! `--help`.

use crate::support::{linetape, text};

const COMMANDS: [&str; 13] = [
    "stats",
    "select",
    "show",
    "usage",
    "check",
    "schema",
    "normalize",
    "convert",
    "split",
    "watch",
    "redact",
    "report",
    "sql",
];

/// `help --help` failed: `--help` was taken for the name of a command.
#[test]
fn help_has_help() {
    for flag in ["-h", "--help"] {
        let given = linetape(&["help", flag], b"");
        assert!(given.status.success(), "{flag}");
        let whole = linetape(&["help"], b"");
        assert_eq!(text(&given.stdout), text(&whole.stdout));
        let given = linetape(&["help", "select", flag], b"");
        let select = linetape(&["help", "select"], b"");
        assert_eq!(text(&given.stdout), text(&select.stdout));
        assert!(text(&given.stdout).contains("--invert"));
    }
    assert_eq!(linetape(&["help", "--hel"], b"").status.code(), Some(2));
}

#[test]
fn every_help_has_examples_that_name_the_command() {
    for command in COMMANDS {
        for flag in ["-h", "--help"] {
            let help = linetape(&[command, flag], b"");
            let help = text(&help.stdout);
            let (_, examples) = help.split_once("\nExamples:\n").unwrap();
            let named = format!("linetape {command}");
            let lines: Vec<&str> = examples.lines().collect();
            // A line with more indentation continues the one before.
            let examples = lines.iter().filter(|line| {
                line.starts_with("  ") && !line.starts_with("   ")
            });
            for example in examples.clone() {
                assert!(example.contains(&named), "{example}");
            }
            assert!(examples.count() > 0, "{command}");
        }
    }
}
