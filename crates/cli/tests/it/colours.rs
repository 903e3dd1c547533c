//! When colours and the progress bar are shown.

use std::process::{Command, Output};

use crate::support::{linetape, text, without_colours};

/// Runs the command on the bad log, with these environment variables.
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
fn colours_are_for_terminals_unless_they_are_forced() {
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
            // The text is the same, and no style continues on the next line.
            assert_eq!(without_colours(shown), text(&plain), "{about}");
        }
    }
    // JSON is for programs.
    let json = with_variables(&["--json", "--color", "always"], &[]).stdout;
    assert!(!text(&json).contains('\x1b'));
}

#[test]
fn nothing_but_the_report_is_printed_if_there_is_no_terminal() {
    let shown = linetape(&["stats", "--sample"], b"");
    assert!(shown.stderr.is_empty(), "no bar: {}", text(&shown.stderr));
}
