//! Colours, manual pages and completions, and that nothing else drives the
//! terminal.

mod support;

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use support::{file, linetape, logs, text};

const COMMANDS: [&str; 9] = [
    "stats",
    "select",
    "show",
    "usage",
    "check",
    "schema",
    "normalize",
    "convert",
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

// ---- hostile logs ----------------------------------------------------------

/// All characters that can drive a terminal, or turn a text around.
fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One of each sort. A table may show only the beginning.
const EVIL: &str =
    "\x1b[2Jx\r\t\x07\u{7f}\u{9b}\u{61c}\u{202e}\u{2066}\u{2028}";

/// Makes every string evil, and adds an evil key to every object. With
/// `all`, even those strings that say what a record is.
fn spoil(value: &mut Value, all: bool) {
    match value {
        Value::String(text) => text.insert_str(0, EVIL),
        Value::Array(items) => {
            items.iter_mut().for_each(|item| spoil(item, all));
        }
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                let decides =
                    ["type", "subtype", "role", "timestamp"].contains(&&**key);
                if all || !decides {
                    spoil(value, all);
                }
            }
            members.insert(EVIL.to_string(), EVIL.into());
        }
        _ => {}
    }
}

/// Every kind of record that the shipped logs have, as evil as can be.
fn hostile_log() -> String {
    let mut log = String::new();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let shipped = fs::canonicalize(root).unwrap();
    let is_shipped =
        |path: &Path| path.canonicalize().unwrap().starts_with(&shipped);
    for path in logs().iter().filter(|path| is_shipped(path)) {
        for line in fs::read_to_string(path).unwrap().lines() {
            let Ok(value) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            for all in [false, true] {
                let mut value = value.clone();
                spoil(&mut value, all);
                log += &format!("{value}\n");
            }
        }
    }
    log
}

/// The same JSON, with every dangerous character escaped.
fn escaped(log: &str) -> String {
    let escape = |c: char| match is_dangerous(c) && c != '\n' {
        true => format!("\\u{:04x}", c as u32),
        false => c.to_string(),
    };
    log.chars().map(escape).collect()
}

/// Lines that are no records.
fn bad_lines() -> String {
    [
        EVIL.to_string(),
        format!("[debug] {EVIL}"),
        format!("{{\"{EVIL}\":1}}"),
        format!("{{\"a\":1}}{EVIL}"),
        format!("{{\"a\":tru{EVIL}}}"),
        escaped(&format!("{{\"type\":\"{EVIL}\",\"type\":\"{EVIL}\"}}")),
        escaped(&format!("{{\"{EVIL}\":[1,,2]}}")),
        escaped(&format!("{{\"text\":\"{EVIL}")),
    ]
    .join("\n")
}

#[test]
fn no_command_lets_a_log_drive_the_terminal() {
    let good = hostile_log();
    let bad = bad_lines();
    let name = if cfg!(unix) { EVIL } else { "evil" };
    let raw =
        file(&format!("raw{name}.jsonl"), format!("{good}{bad}").as_bytes());
    // Lines are copied as they are, so what is raw stays raw, but for a
    // terminal: see the next test.
    let tame = file(
        &format!("tame{name}.jsonl"),
        format!("{}{bad}", escaped(&good)).as_bytes(),
    );
    // The command, and how often it shows the evil at least.
    let commands: [(&[&str], usize); 22] = [
        (&["stats"], 10),
        (&["stats", "--peek"], 10),
        (&["stats", "--json"], 10),
        (&["usage"], 1),
        (&["usage", "--by", "session"], 1),
        (&["usage", "--by", "tool"], 1),
        (&["usage", "--by", "day"], 0),
        (&["usage", "--json"], 1),
        (&["show"], 100),
        (&["show", "--full"], 100),
        (&["show", "--width", "40"], 0),
        (&["check"], 10),
        (&["check", "--notes"], 10),
        (&["check", "--notes", "--json"], 10),
        (&["check", "--salvage", "--skip-noise"], 10),
        (&["schema"], 100),
        (&["schema", "--json"], 100),
        (&["normalize"], 100),
        (&["normalize", "--salvage"], 100),
        (&["convert", "--to", "ui"], 10),
        (&["convert", "--to", "wrapper"], 10),
        (&["select"], 100),
    ];
    for (command, at_least) in commands {
        let log = if command == ["select"] { &tame } else { &raw };
        let log = log.to_str().unwrap();
        // Painted: without colours, it is the same text.
        let options = ["--color", "always", log, "nowhere\x1b[2J\u{9b}"];
        let output = linetape(&[command, &options].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        for bytes in [&output.stdout, &output.stderr] {
            let shown = without_colours(text(bytes));
            let found = shown.find(|c| is_dangerous(c) && c != '\n');
            let around = found
                .map(|at| shown[at..].chars().take(60).collect::<String>());
            assert_eq!(around, None, "{command:?}");
        }
        let shown = text(&output.stdout);
        let json = shown.matches("\\u001b[2Jx").count();
        let times = json + shown.matches("\\u{1b}[2Jx").count();
        assert!(times >= at_least, "{command:?}: {times}");
    }
}

/// `script` runs a command on a terminal. Where there is none, this is skipped.
#[cfg(target_os = "linux")]
#[test]
fn lines_that_are_copied_to_a_terminal_do_not_drive_it() {
    let log = hostile_log();
    let path = file("terminal.jsonl", log.as_bytes());
    let run = |end: &str| {
        let binary = env!("CARGO_BIN_EXE_linetape");
        let command = format!("'{binary}' select '{}'{end}", path.display());
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).stdin(Stdio::null());
        script.output().ok().filter(|output| output.status.success())
    };
    let Some(shown) = run("") else {
        println!("skipped: there is no script");
        return;
    };
    // The terminal itself makes CRLF of LF.
    let shown = text(&shown.stdout).replace("\r\n", "\n");
    let found = shown.find(|c| is_dangerous(c) && c != '\n');
    assert_eq!(found, None, "{}", shown.escape_debug());
    assert!(shown.matches("\\u{7f}\\u{9b}\\u{61c}\\u{202e}").count() >= 100);
    assert_eq!(shown.lines().count(), log.lines().count());
    // For a program, the same lines are what they are. It shows DEL as `^?`.
    let piped = run(" | cat -v").unwrap();
    assert!(text(&piped.stdout).contains("^?"));
}
