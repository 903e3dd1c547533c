//! Colours, manual pages and completions.

mod support;

use std::process::{Command, Output};

use support::{linetape, text};

const COMMANDS: [&str; 8] = [
    "stats",
    "select",
    "show",
    "usage",
    "check",
    "schema",
    "normalize",
    "generate",
];

/// Runs the command on a bad log, with these variables set.
fn with_variables(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let log =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots/bad.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_linetape"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.args(arguments).arg(log).envs(variables.iter().copied());
    command.output().unwrap()
}

/// Arguments, variables, and whether there are colours.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], bool);

#[test]
fn colours_are_for_terminals_unless_someone_asks() {
    let forced = [("CLICOLOR_FORCE", "1")];
    let unwanted = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
    for command in ["stats", "usage", "check", "show", "schema"] {
        let cases: [Case<'_>; 6] = [
            (&[command], &[], false),
            (&[command, "--color", "always"], &[], true),
            (&[command, "--color=always"], &[("NO_COLOR", "1")], true),
            (&[command, "--color", "never"], &forced, false),
            (&[command], &forced, true),
            (&[command], &unwanted, false),
        ];
        let plain = with_variables(&[command], &[]).stdout;
        for (arguments, variables, is_painted) in cases {
            let shown = with_variables(arguments, variables).stdout;
            let shown = text(&shown);
            let about = format!("{arguments:?} with {variables:?}");
            assert_eq!(shown.contains('\x1b'), is_painted, "{about}");
            // Colours change nothing else, and end where their line does.
            assert_eq!(without_colours(shown), text(&plain), "{about}");
        }
    }
    // A program reads these.
    let json = with_variables(&["--json", "--color", "always"], &[]).stdout;
    assert!(!text(&json).contains('\x1b'));
}

/// The text without its styles, each of which must end on its line.
fn without_colours(painted: &str) -> String {
    let mut plain = String::new();
    for line in painted.split_inclusive('\n') {
        let mut parts = line.split("\x1b[");
        plain += parts.next().unwrap();
        let mut is_open = false;
        for part in parts {
            let (code, rest) = part.split_once('m').unwrap();
            assert!(code.bytes().all(|b| b.is_ascii_digit() || b == b';'));
            is_open = code != "0";
            plain += rest;
        }
        assert!(!is_open, "a style goes on behind {line:?}");
    }
    plain
}

#[test]
fn nothing_but_the_report_is_printed_if_there_is_no_terminal() {
    let shown = linetape(&["stats"], b"");
    assert!(shown.stderr.is_empty(), "no bar: {}", text(&shown.stderr));
}

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

#[test]
fn every_help_has_examples_that_name_the_command() {
    for command in COMMANDS {
        for flag in ["-h", "--help"] {
            let help = linetape(&[command, flag], b"");
            let help = text(&help.stdout);
            let (_, examples) = help.split_once("\nExamples:\n").unwrap();
            let named = format!("linetape {command}");
            let lines: Vec<&str> = examples.lines().collect();
            // What is indented further goes on with the line before.
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
