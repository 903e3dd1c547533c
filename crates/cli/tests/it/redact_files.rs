//! `linetape redact`: which files are read and written, under which names, and
//! what messages tell about them.

use std::{collections::BTreeMap, fs, path::Path};

use crate::support::{document, file, folder, linetape, text};

fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The files below a folder, by their path in it.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap();
            let content = fs::read_to_string(&path).unwrap();
            found.insert(name.to_str().unwrap().to_string(), content);
        }
    }
    found
}

/// The names of the files that are written for these.
fn written(flags: &[&str], from: &[(&str, &str)]) -> Vec<String> {
    let (from, to) = (folder("from", from), folder("to", &[]));
    let last = [path(&from), "-o", path(&to)];
    let output = linetape(&[&["redact"], flags, &last].concat(), b"");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    files(&to).into_keys().collect()
}

/// The path was redacted as one text. Without its first folder it was
/// absolute, and the file was written there.
#[test]
fn files_are_written_below_the_folder_only() {
    let outside = folder("outside", &[]);
    let name = format!("ada{}/esc.jsonl", path(&outside));
    let made = written(&["--remove", "--user", "ada"], &[(&name, "{}\n")]);
    let expected = format!("_{}/esc.jsonl", path(&outside));
    assert_eq!(made, [expected]);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    for (with, part) in
        [("..", "_"), (".", "_"), ("a/b", "_"), ("/", "_"), ("x", "x")]
    {
        let flags = ["--user", "ada", "--with", with];
        let files = [("ada/ada/x.jsonl", "{}\n"), ("ada/ada.jsonl", "{}\n")];
        let expected =
            [format!("{part}/{part}.jsonl"), format!("{part}/{part}/x.jsonl")];
        assert_eq!(written(&flags, &files), expected, "{with}");
    }
}

/// Files whose names were the same without the secret were errors, and a name
/// that was only a secret lost `.jsonl`, so that nothing found the log again.
#[test]
fn redacted_names_keep_their_ends_and_are_unique() {
    let tokens: Vec<String> = ["a1B2", "c3D4", "e5F6"]
        .iter()
        .map(|four| format!("ghp_{}", four.repeat(9)))
        .collect();
    let names = [
        format!("{}.jsonl", tokens[0]),
        format!("{}.jsonl", tokens[1]),
        format!("{}.ndjson", tokens[1]),
        format!("{}.meta.json", tokens[2]),
        format!("{}/tool-results/{}.txt", tokens[0], tokens[0]),
        format!("{}/tool-results/b.txt", tokens[0]),
        format!("{}/tool-results/b.txt", tokens[1]),
        "x.jsonl".to_string(),
        "x.jsonl.gz".to_string(),
    ];
    let from: Vec<(&str, &str)> =
        names.iter().map(|name| (&**name, "{}\n")).collect();
    let mut expected = [
        "***.jsonl",
        "***-2.jsonl",
        "***.ndjson",
        "***.meta.json",
        "***/tool-results/***.txt",
        "***/tool-results/b.txt",
        "***-2/tool-results/b.txt",
        "x.jsonl",
        "x-2.jsonl",
    ];
    expected.sort_unstable();
    assert_eq!(written(&[], &from), expected);
    // A match over several folders, and one that needs the folder before it.
    let home = [("home/ada/x.jsonl", "{}\n")];
    let made = written(&["--pattern", "home=home/ada"], &home);
    assert_eq!(made, ["_.jsonl"]);
}

/// `--check` found nothing in these, and its exit code was 0.
#[test]
fn check_looks_at_names_copies_and_all_results_of_tools() {
    let token = token();
    let secret = format!("{{\"a\":\"{token}\"}}\n");
    let named = format!("{token}.jsonl");
    let cases: [&[(&str, &str)]; 4] = [
        &[(&named, "{}\n")],
        &[("a.jsonl", "{}\n"), ("a.jsonl.gz", &secret)],
        &[("a.jsonl", "{}\n"), ("s/tool-results/a.json", &secret)],
        &[("a.jsonl", "{}\n"), ("s/tool-results/b/c", &secret)],
    ];
    for (n, case) in cases.into_iter().enumerate() {
        let logs = folder("logs", case);
        let output = linetape(&["redact", "--check", path(&logs)], b"");
        assert_eq!(output.status.code(), Some(1), "{n}");
        let found = text(&output.stdout);
        assert_eq!(found.lines().count(), 1, "{found}");
        assert!(found.ends_with(" github\n"), "{found}");
        assert!(!found.contains(&token), "{found}");
        let output =
            linetape(&["redact", "--check", "--json", path(&logs)], b"");
        let report = document(&output);
        let line = if n == 0 { 0 } else { 1 };
        assert_eq!(report["findings"][0]["line"], line);
        assert!(!text(&output.stdout).contains(&token));
    }
    let logs = folder("logs", cases[0]);
    let output = linetape(&["redact", "--dry-run", path(&logs)], b"");
    let expected = format!("{}/***.jsonl:0:0 github\n", path(&logs));
    assert_eq!(text(&output.stdout), expected);
}

/// The output had an empty file for a result of a tool that is not UTF-8, and
/// the first part of a log whose compressed file is truncated.
#[test]
fn a_file_that_cannot_be_read_is_not_written_in_part() {
    let from = folder("from", &[("a.jsonl", "{}\n"), ("tool-results/x", "")]);
    let to = folder("to", &[]);
    fs::write(from.join("tool-results/a.txt"), b"\xFF\xFE\0a").unwrap();
    // A gzip file of one stored block, which ends after a whole line of it.
    let mut gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x20\0\xdf\xff".to_vec();
    gzip.extend(b"{\"a\":1}\n{\"b\"");
    fs::write(from.join("cut.jsonl.gz"), gzip).unwrap();
    let arguments = ["redact", path(&from), "-o", path(&to)];
    let output = linetape(&arguments, b"");
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("a.txt: not UTF-8 text"), "{message}");
    assert!(message.contains("cut.jsonl.gz: "), "{message}");
    let names: Vec<String> = files(&to).into_keys().collect();
    assert_eq!(names, ["a.jsonl", "tool-results/x"]);
    // A warning is not an exit code of 0: nothing looked at this file.
    fs::remove_file(from.join("cut.jsonl.gz")).unwrap();
    let output = linetape(&["redact", "--check", path(&from)], b"");
    assert_eq!(output.status.code(), Some(1));
}

/// Messages quoted up to 31 bytes of a damaged line, which can be the secret
/// itself.
#[test]
fn messages_do_not_quote_the_log() {
    let short = "ghp_a1B2";
    let log = format!("{{\"a\":1}}\n{short} x\n{{\"a\":{short}}}\n");
    let log = file("damaged.jsonl", log.as_bytes());
    for flags in [&[][..], &["--check"], &["--dry-run"], &["--in-place"]] {
        let output =
            linetape(&[&["redact"], flags, &[path(&log)]].concat(), b"");
        let message = text(&output.stderr);
        assert!(message.contains("line 2 (byte 8): "), "{message}");
        assert!(message.contains("line 3 (byte "), "{message}");
        assert!(!message.contains("ghp_"), "{message}");
    }
}

/// A file with keys that was given as `--rules` was quoted in the message.
#[test]
fn messages_do_not_quote_rules() {
    for (content, line) in [
        ("x\nghp_a1B2\n", "line 1"),
        ("ghp_a1B2 = 1\n", "line 1"),
        ("users = []\nfields = \"ghp_a1B2\"\n", "line 2"),
        ("users = [7]\nKEY = ghp_a1B2\n", "line 2"),
        ("level = \"ghp_a1B2\"\n", "unknown level"),
    ] {
        let rules = file("keys", content.as_bytes());
        let output = linetape(&["redact", "--rules", path(&rules), "-"], b"");
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        assert!(message.contains(line), "{content}: {message}");
        assert!(!message.contains("a1B2"), "{content}: {message}");
    }
}

/// A byte order mark, blank lines and carriage returns vanished.
#[test]
fn what_is_around_lines_stays() {
    let token = token();
    let log = format!(
        "\u{FEFF}\r\n{{\"a\":1}}\r\n\n \t\r\n{{\"b\":\"{token}\"}}  \n\
         {{\"c\":2}}\r\n\n{{\"d\":3}}\r\n\n \r"
    );
    let clean = log.replace(&token, "***");
    let output = linetape(&["redact", "-"], log.as_bytes());
    // The last line is ended on standard output.
    assert_eq!(text(&output.stdout), clean.clone() + "\n");
    let from = file("crlf.jsonl", log.as_bytes());
    let output = linetape(&["redact", "--in-place", path(&from)], b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&from).unwrap(), clean);
    // Lines that are not passed on go alone. Lines of a stream wait.
    let piece = |text: &str| {
        format!(
            "{{\"type\":\"stream_event\",\"event\":{{\"type\":\
             \"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\
             \"text_delta\",\"text\":\"{text}\"}}}}}}"
        )
    };
    let (one, two) = token.split_at(9);
    let log = format!(
        "\u{FEFF}oops\r\n\r\n{}\r\n\n{}\n{{\"a\":\r\n\t\n{{\"b\":1}}",
        piece(one),
        piece(two)
    );
    let clean = log.replace(one, "***").replace(two, "");
    let clean = clean.replace("oops\r\n", "").replace("{\"a\":\r\n", "");
    let output = linetape(&["redact", "--drop-bad", "-"], log.as_bytes());
    assert_eq!(text(&output.stdout), clean + "\n");
    // Records of one damaged line are lines of their own.
    let log = b"{\"a\":1} {\"b\":2}\r\n\r\n{\"c\":3}\r\n";
    let output = linetape(&["redact", "--keep-bad", "-"], log);
    let kept = text(&output.stdout);
    assert_eq!(
        kept.lines().collect::<Vec<_>>(),
        ["{\"a\":1}", "{\"b\":2}", "", "{\"c\":3}"]
    );
}

/// These did nothing without a path, with the exit code 0.
#[test]
fn the_sample_session_is_redacted() {
    let flags =
        ["redact", "--sample", "--check", "--json", "--level", "personal"];
    let output = linetape(&flags, b"");
    assert_eq!(document(&output)["files"], 1);
    assert_eq!(output.status.code(), Some(1));
    let to = folder("to", &[]);
    let output = linetape(&["redact", "--sample", "-o", path(&to)], b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = linetape(&["redact", "--sample"], b"");
    assert_eq!(files(&to)["session.jsonl"], text(&printed.stdout));
    let output = linetape(&["redact", "--sample", "--in-place"], b"");
    assert_eq!(output.status.code(), Some(2));
}

/// The redactor had the default limits whatever `--max-line` was, so a long
/// line with a secret was dropped, and called a document over several lines.
#[test]
fn max_line_is_the_limit_of_redaction_too() {
    let token = token();
    let long = "x".repeat(66 << 20);
    let log = format!("{{\"a\":\"{token}\",\"b\":\"{long}\"}}\n");
    let log = file("long.jsonl", log.as_bytes());
    let run = |flags: &[&str]| {
        linetape(&[&["redact"], flags, &[path(&log)]].concat(), b"")
    };
    let output = run(&["--max-line", "200M"]);
    assert_eq!(text(&output.stderr), "");
    assert!(output.stdout.starts_with(b"{\"a\":\"***\",\"b\":\"xxx"));
    assert_eq!(output.stdout.len(), long.len() + 19);
    let output = run(&[]);
    let message = text(&output.stderr);
    assert!(message.contains("too long"), "{message}");
    assert!(!message.contains("document"), "{message}");
    fs::remove_file(&log).unwrap();
}

/// A byte order mark was counted as a part of the first line. A line of the
/// maximum length, of which the first read had no newline, then lost the mark;
/// and a line that is too long took the mark with it.
#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    const READ: usize = 256 << 10;
    let line = format!("{{\"a\":\"{}\"}}", "x".repeat(READ - 11));
    let log = format!("\u{FEFF}{line}\n{{\"b\":1}}\n");
    assert_eq!(log.find('\n'), Some(READ));
    let run = |max_line: usize| {
        let max_line = max_line.to_string();
        let flags = ["redact", "--max-line", &max_line, "-"];
        linetape(&flags, log.as_bytes())
    };
    let output = run(line.len());
    assert!(output.stdout == log.as_bytes(), "{}", text(&output.stderr));
    for max_line in [line.len() - 1, 1000] {
        let output = run(max_line);
        assert_eq!(text(&output.stdout), "\u{FEFF}{\"b\":1}\n");
        assert!(text(&output.stderr).contains("too long"));
    }
}

/// A file that was being written had its final name, so a part of it looked
/// like all of it; and everyone could read the copy of a private log.
#[cfg(unix)]
#[test]
fn an_output_has_its_name_when_it_is_complete() {
    use std::os::unix::fs::PermissionsExt;

    let log = format!("{{\"a\":\"{}\"}}\n", token());
    let from = folder("from", &[("x.jsonl", &log)]);
    let private = fs::Permissions::from_mode(0o600);
    fs::set_permissions(from.join("x.jsonl"), private).unwrap();
    // Another file is not touched.
    let to = folder("to", &[(".x.jsonl.redacted", "mine")]);
    let run = || linetape(&["redact", path(&from), "-o", path(&to)], b"");
    let output = run();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let ours = files(&to);
    assert_eq!(ours.len(), 2);
    assert_eq!(ours["x.jsonl"], "{\"a\":\"***\"}\n");
    assert_eq!(ours[".x.jsonl.redacted"], "mine");
    let mode = fs::metadata(to.join("x.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Nothing is overwritten.
    let output = run();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("x.jsonl"));
    assert_eq!(files(&to), ours);
}

/// Nothing said that the logs behind a link to a folder were not looked at.
#[cfg(unix)]
#[test]
fn a_link_to_a_folder_is_reported() {
    let log = format!("{{\"a\":\"{}\"}}\n", token());
    let other = folder("linked", &[("a.jsonl", &log)]);
    let logs = folder("linking", &[("b.jsonl", "{}\n")]);
    std::os::unix::fs::symlink(&other, logs.join("link")).unwrap();
    let output = linetape(&["redact", "--check", path(&logs)], b"");
    assert_eq!(output.status.code(), Some(0));
    let message = text(&output.stderr);
    let expected = "link: a link to a folder, which is not followed";
    assert!(message.contains(expected), "{message}");
}

/// Neither the file of a bad rule was named, nor what is wrong with a pattern
/// that is too large.
#[test]
fn bad_rules_are_named() {
    for (rules, expected) in [
        ("pointers = [\"a\"]\n", "r.toml: `a` is not a JSON Pointer"),
        ("[patterns]\nx = \"a(\"\n", "r.toml: rule `x`: unclosed group"),
        (
            "[patterns]\nx = '\\w{5000}{50}'\n",
            "r.toml: rule `x`: the pattern is too large",
        ),
        ("users = \"a\n", "r.toml: line 1: invalid basic string\n"),
    ] {
        let dir = folder("bad-rules", &[("r.toml", rules), ("a.jsonl", "{}")]);
        let file = dir.join("r.toml");
        let output =
            linetape(&["redact", "--rules", path(&file), path(&dir)], b"");
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        assert!(message.contains(expected), "{message}");
    }
}
