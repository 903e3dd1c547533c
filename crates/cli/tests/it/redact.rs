//! `linetape redact`: what is written where, and what is told.

use std::{fs, path::Path};

use crate::support::{document, file, folder, linetape, logs, text};

/// A secret, which is made here so that no scanner reports this file.
fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

fn log() -> String {
    let token = token();
    format!(
        "{{\"type\":\"user\", \"n\":1.50}}\n\
         {{\"type\":\"user\",\"cwd\":\"/home/ada/x\",\"text\":\"\\t{token}\"}}\n"
    )
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_pipe_is_redacted_and_other_lines_are_the_same() {
    let output = linetape(&["redact", "-"], log().as_bytes());
    assert_eq!(text(&output.stdout), log().replace(&token(), "***"));
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
    let again = linetape(&["redact", "-"], &output.stdout);
    assert_eq!(again.stdout, output.stdout);
    let personal =
        linetape(&["redact", "--level", "personal", "-"], log().as_bytes());
    let expected =
        log().replace(&token(), "***").replace("/home/ada/x", "***");
    assert_eq!(text(&personal.stdout), expected);
}

/// At the default level, passwords stayed.
#[test]
fn passwords_are_removed_without_options() {
    let log = concat!(
        r#"{"type":"user","message":{"role":"user","content":"DB_PASSWORD=hunter22x ./run"}}"#,
        "\n",
        r#"{"content":[{"type":"tool_use","input":{"password":"hunter22x","n":1.50}}]}"#,
        "\n",
        r#"{"content":[{"type":"tool_result","content":"{\"client_secret\": \"hunter22x\"}"}]}"#,
        "\n",
        r#"{"text":"mysql --password hunter22x, and password=$DB_PASSWORD","usage":{"input_tokens":12345678}}"#,
        "\n",
    );
    let output = linetape(&["redact", "-"], log.as_bytes());
    assert_eq!(text(&output.stdout), log.replace("hunter22x", "***"));
    assert_eq!(output.status.code(), Some(0));
    for options in [["--level", "none"], ["--disable", "assigned-secret"]] {
        let output =
            linetape(&["redact", options[0], options[1], "-"], log.as_bytes());
        assert_eq!(text(&output.stdout), log);
    }
}

#[test]
fn a_folder_is_written_with_all_that_belongs_to_it() {
    let token = token();
    let meta = format!("{{\n \"cwd\": \"/srv\",\n \"key\": \"{token}\"\n}}\n");
    let from = folder(
        "from",
        &[
            ("-home-ada-x/s.jsonl", &log()),
            ("-home-ada-x/s.meta.json", &meta),
            ("-home-ada-x/s/tool-results/a.txt", &format!("key {token}\n")),
            ("-home-ada-x/notes.txt", "not a log"),
        ],
    );
    let to = folder("to", &[]);
    let arguments = ["redact", "--level", "personal", "--json", "-o"];
    let run = || {
        linetape(&[&arguments[..], &[path(&to), path(&from)]].concat(), b"")
    };
    let output = run();
    assert_eq!(text(&output.stderr), "");
    let report = document(&output);
    assert_eq!(report["files"], 3);
    assert_eq!(report["changed_files"], 3);
    assert_eq!(report["by_rule"]["github"], 3);
    assert_eq!(report["by_rule"]["field"], 2);
    assert!(report.get("findings").is_none());
    let read = |name: &str| {
        fs::read_to_string(to.join("-home-***-x").join(name)).unwrap()
    };
    let clean = log().replace(&token, "***").replace("/home/ada/x", "***");
    assert_eq!(read("s.jsonl"), clean);
    let clean = meta.replace(&token, "***").replace("/srv", "***");
    assert_eq!(read("s.meta.json"), clean);
    assert_eq!(read("s/tool-results/a.txt"), "key ***\n");
    assert!(!to.join("-home-***-x/notes.txt").exists());
    // Nothing is overwritten.
    let output = run();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr).lines().count(), 3);
}

#[test]
fn in_place_replaces_only_what_has_changed() {
    let fine = "{\"a\":1.0}";
    let logs = folder("logs", &[("a.jsonl", &log()), ("b.jsonl", fine)]);
    let times = |name: &str| {
        fs::metadata(logs.join(name)).unwrap().modified().unwrap()
    };
    let before = times("b.jsonl");
    let output = linetape(&["redact", "--in-place", path(&logs)], b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let read = |name: &str| fs::read_to_string(logs.join(name)).unwrap();
    assert_eq!(read("a.jsonl"), log().replace(&token(), "***"));
    assert_eq!(read("b.jsonl"), fine);
    assert_eq!(times("b.jsonl"), before);
    assert_eq!(fs::read_dir(&logs).unwrap().count(), 2);
}

#[test]
fn a_dry_run_tells_the_place_and_not_the_secret() {
    let one = file("one.jsonl", log().as_bytes());
    let name = path(&one);
    let byte = log().find("ghp_").unwrap();
    let expected = format!("{name}:2:{byte} github\n");
    for (flag, code) in [("--dry-run", 0), ("--check", 1)] {
        let output = linetape(&["redact", flag, name], b"");
        assert_eq!(text(&output.stdout), expected);
        assert_eq!(output.status.code(), Some(code), "{flag}");
        let output = linetape(&["redact", flag, "--json", name], b"");
        let report = document(&output);
        assert_eq!(report["findings"][0]["rule"], "github");
        assert_eq!(report["findings"][0]["byte"], byte as u64);
        assert!(!text(&output.stdout).contains("ghp_"));
    }
    assert_eq!(fs::read_to_string(&one).unwrap(), log());
    let fine = linetape(&["redact", "--check", "-"], b"{\"a\":1}\n");
    assert_eq!(fine.status.code(), Some(0));
    assert!(fine.stdout.is_empty());
}

#[test]
fn damaged_lines_are_not_passed_on() {
    let token = token();
    let log =
        format!("{{\"a\":1}}\n{{\"b\":\"{token}{{\"c\":2}}\n{{\"d\":3}}\n");
    let run = |flags: &[&str]| {
        let output =
            linetape(&[&["redact"], flags, &["-"]].concat(), log.as_bytes());
        assert!(!text(&output.stderr).contains(&token));
        let is_told = !output.stderr.is_empty();
        let code = output.status.code();
        (text(&output.stdout).to_string(), is_told, code)
    };
    let rest = "{\"a\":1}\n{\"d\":3}\n".to_string();
    assert_eq!(run(&[]), (rest.clone(), true, Some(1)));
    assert_eq!(run(&["--drop-bad"]), (rest, false, Some(0)));
    let kept = "{\"a\":1}\n{\"c\":2}\n{\"d\":3}\n".to_string();
    assert_eq!(run(&["--keep-bad"]), (kept, false, Some(0)));
}

#[test]
fn own_rules_come_from_a_file_and_the_command_line() {
    let rules = file(
        "rules.toml",
        b"level = \"none\"\npointers = [\"/*/id\"]\n[patterns]\nticket = 'T-\\d+'\n",
    );
    let log = b"{\"a\":{\"id\":\"x\"},\"b\":\"T-1 T-2 ada me\"}\n";
    let run = |flags: &[&str]| {
        let output = linetape(&[&["redact"], flags, &["-"]].concat(), log);
        (text(&output.stdout).to_string(), output.status.code())
    };
    let flags = ["--rules", path(&rules), "--user", "ada", "--allow", "T-2"];
    let clean = "{\"a\":{\"id\":\"***\"},\"b\":\"*** T-2 *** me\"}\n";
    assert_eq!(run(&flags), (clean.to_string(), Some(0)));
    let flags = ["--pattern", "me=m.", "--with", "[x]"];
    let clean = "{\"a\":{\"id\":\"x\"},\"b\":\"T-1 T-2 ada [x]\"}\n";
    assert_eq!(run(&flags), (clean.to_string(), Some(0)));
    let flags = ["--pointer", "/a", "--remove"];
    let clean = "{\"b\":\"T-1 T-2 ada me\"}\n";
    assert_eq!(run(&flags), (clean.to_string(), Some(0)));
    for bad in [
        &["--pattern", "me=("][..],
        &["--pattern", "me"],
        &["--rules", "no/such/file"],
        &["--enable", "nothing"],
        &["--level", "high"],
        &["--with", "\""],
        &["--json"],
    ] {
        assert_eq!(run(bad), (String::new(), Some(2)), "{bad:?}");
    }
}

#[test]
fn pseudonyms_need_a_key_from_a_file_or_the_environment() {
    let output = linetape(&["redact", "--pseudonyms", "-"], b"{}\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("LINETAPE_REDACT_KEY"));
    let key = file("key", b"a key of more than 16 bytes\n");
    let arguments = ["redact", "--pseudonyms", "--key-file", path(&key), "-"];
    let log = log() + &log();
    let output = linetape(&arguments, log.as_bytes());
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(lines[1], lines[3]);
    assert!(lines[1].contains("\"\\tredacted-"), "{}", lines[1]);
}

/// A redacted log is as valid as before, and its tokens are the same.
#[test]
fn check_and_usage_see_no_difference() {
    for log in logs() {
        let name = path(&log);
        if !name.contains("tests/data") && !name.contains("sample") {
            continue;
        }
        let arguments = ["redact", "--level", "all", "--drop-bad", name];
        let clean = linetape(&arguments, b"");
        assert_eq!(clean.status.code(), Some(0), "{name}");
        let rules = |input: &str, bytes: &[u8]| {
            let found = linetape(&["check", "--json", input], bytes);
            let found = document(&found);
            let rules = found.as_array().unwrap().iter();
            rules.map(|f| f["rule"].to_string()).collect::<Vec<_>>()
        };
        let before = rules(name, b"");
        let after = rules("-", &clean.stdout);
        assert!(after.len() <= before.len(), "{name}: {after:?}");
        let usage = |input: &str, bytes: &[u8]| {
            let usage = linetape(&["usage", "--json", input], bytes);
            document(&usage)["usage"].clone()
        };
        assert!(usage(name, b"").is_object(), "{name}");
        assert_eq!(usage(name, b""), usage("-", &clean.stdout), "{name}");
    }
}
