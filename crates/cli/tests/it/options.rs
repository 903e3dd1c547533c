//! The options of the reader, which all commands share.

use serde_json::Value;

use crate::support::{
    document,
    lines::{said, words},
    linetape, text,
};

/// Returns how many records a command has read, and its exit code. Each record
/// has the text `record`.
fn seen(command: &str, options: &[&str], log: &[u8]) -> (usize, i32) {
    let arguments = match command {
        "stats" | "usage" | "check" => vec![command, "--json"],
        _ => vec![command],
    };
    let arguments = [&arguments, options, &["-"]].concat();
    let output = linetape(&arguments, log);
    let count = |value: &Value| usize::try_from(value.as_u64().unwrap());
    let records = match command {
        "stats" => count(&document(&output)["records"]).unwrap(),
        "usage" => count(&document(&output)["messages"]).unwrap(),
        // `check` lists all lines that are not records.
        "check" => document(&output).as_array().unwrap().len(),
        _ => text(&output.stdout).matches("record").count(),
    };
    (records, output.status.code().unwrap())
}

#[test]
fn every_command_has_the_options_of_the_reader() {
    let one = said("m1", words("record")).to_string();
    let two = said("m2", words("record")).to_string();
    let long = said("m3", words(&format!("record{}", "x".repeat(500))));
    let spliced = format!("{one}{two}\n");
    let noisy = format!("Compiling ...\n{one}\n");
    let uneven = format!("{long}\n{one}\n");
    let torn = format!("{}{two}\n", &one[..one.len() - 9]);
    let limit = one.len().to_string();
    let cases = [
        // The records and the exit code, without the option and with it.
        (&spliced, vec!["--salvage"], (0, 1), (2, 0)),
        (&torn, vec!["--salvage"], (0, 1), (1, 1)),
        (&noisy, vec!["--skip-noise"], (1, 1), (1, 0)),
        (&uneven, vec!["--max-line", &limit], (2, 0), (1, 1)),
    ];
    let commands = ["stats", "select", "normalize", "usage", "check", "show"];
    for (log, options, without, with) in cases {
        for (options, expected) in [(vec![], without), (options, with)] {
            for command in commands {
                let (records, bad) = expected;
                let expected = match command {
                    // Bad lines do not change its exit code.
                    "stats" => (records, 0),
                    "check" => (usize::try_from(bad).unwrap(), bad),
                    _ => expected,
                };
                let shown = seen(command, &options, log.as_bytes());
                assert_eq!(shown, expected, "{command} {options:?} {log}");
            }
        }
    }
    let output = linetape(&["show", "--max-line", "many"], b"");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_line_with_a_nested_error_is_no_record() {
    let mut line = said("m1", words("record")).to_string();
    line.insert_str(1, "\"a\":[1,,2],");
    line.push('\n');
    for (command, expected) in [("usage", 0), ("show", 0), ("check", 1)] {
        let shown = seen(command, &[], line.as_bytes());
        assert_eq!(shown, (expected, 1), "{command}");
    }
    // But `--peek` does not check lines.
    let peeked =
        linetape(&["usage", "--peek", "--json", "-"], line.as_bytes());
    assert_eq!(document(&peeked)["messages"], 1);
    assert!(peeked.status.success() && peeked.stderr.is_empty());
}

/// It waited for ever, and a signal made it use a CPU: the sample does not grow.
#[test]
fn the_sample_is_not_followed() {
    for command in ["show", "select"] {
        let output = linetape(&[command, "-f", "--sample"], b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("cannot be used with"));
    }
}
