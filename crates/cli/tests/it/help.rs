//! `--help`, manual pages and completions.

use crate::support::{linetape, text};

const COMMANDS: [&str; 14] = [
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
    "generate",
    "sql",
];

#[test]
fn the_manual_has_a_page_for_each_command_with_all_its_options() {
    let whole = linetape(&["man"], b"");
    assert!(whole.status.success());
    let whole = text(&whole.stdout).replace('\\', "");
    for command in COMMANDS {
        let listed = format!("linetape-{command}(1)");
        assert!(whole.contains(&listed), "{listed}");
        let page = linetape(&["man", command], b"");
        assert!(page.status.success(), "{command}");
        let page = text(&page.stdout).replace('\\', "");
        assert!(page.contains(&format!(".TH linetape-{command} 1")));
        let help = linetape(&[command, "--help"], b"");
        let help = text(&help.stdout);
        let options = help.split_whitespace().filter(|w| w.starts_with("--"));
        for option in options {
            let option = option.trim_end_matches(|c: char| !c.is_alphabetic());
            assert!(page.contains(option), "{option} of {command}");
        }
        assert!(page.contains("Examples:"), "{command}");
    }
    let unknown = linetape(&["man", "\x1b[2J"], b"");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(!text(&unknown.stderr).contains('\x1b'));
}

#[test]
fn completions_know_all_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = linetape(&["completions", shell], b"");
        assert!(script.status.success(), "{shell}");
        let script = text(&script.stdout);
        for command in COMMANDS {
            assert!(script.contains(command), "{command} in {shell}");
        }
        assert!(script.contains("skip-noise"), "{shell}");
    }
}

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
