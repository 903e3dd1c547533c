//! The folder of `linetape report`: names of pages, links between them, and
//! pages of earlier runs.

use std::{collections::BTreeMap, fs, path::Path};

use crate::support::{file, folder, linetape, text};

fn prompt(session: &str, second: u32, words: &str) -> String {
    let line = serde_json::json!({
        "type": "user",
        "sessionId": session,
        "uuid": format!("{session} {second}"),
        "timestamp": format!("2026-03-02T09:00:{second:02}Z"),
        "message": { "content": words },
    });
    format!("{line}\n")
}

/// Returns the pages of a folder, by name, without the index.
fn pages(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let read = |path| fs::read_to_string(path).unwrap();
    let names = entries.map(|e| e.file_name().into_string().unwrap());
    let names = names.filter(|name| name != "index.html");
    names.map(|name| (name.clone(), read(folder.join(&name)))).collect()
}

/// Returns the name of the page with a title.
fn page_of(pages: &BTreeMap<String, String>, title: &str) -> String {
    let title = format!("<h1 dir=\"auto\">{title}</h1>");
    let mut found = pages.iter().filter(|(_, page)| page.contains(&title));
    found.next().expect(&title).0.clone()
}

/// The page of one session was replaced by that of another: the id of a
/// session can be any text, also the name of the page of another one.
#[test]
fn each_session_has_a_page_of_its_own() {
    let logs = folder("own", &[("a.jsonl", "")]);
    let log = logs.join("a.jsonl");
    let nameless = r#"{"type":"user","message":{"content":"No id"}}"#;
    fs::write(&log, format!("{nameless}\n")).unwrap();
    let id = format!("file {}", log.display());
    fs::write(logs.join("b.jsonl"), prompt(&id, 1, "Odd id")).unwrap();
    let out = folder("own out", &[]);
    let output = linetape(
        &["report", logs.to_str().unwrap(), "-o", out.to_str().unwrap()],
        b"",
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let pages = pages(&out);
    assert_eq!(pages.len(), 2);
    page_of(&pages, "No id");
    page_of(&pages, "Odd id");
}

/// It had two pages: standard input could be read only once, so it was not
/// known whose lines it has.
#[test]
fn a_session_of_a_file_and_of_standard_input_has_one_page() {
    let log = file("also.jsonl", prompt("s", 1, "In the file").as_bytes());
    let out = folder("also out", &[]);
    let piped = prompt("s", 2, "In the pipe") + &prompt("t", 3, "Alone");
    let (log, to) = (log.to_str().unwrap(), out.to_str().unwrap());
    for (inputs, written) in [
        ([log, "-"], "2 sessions, 2 written, 0 unchanged"),
        ([log, "-"], "2 sessions, 0 written, 2 unchanged"),
        // The order of the arguments is not that of time.
        (["-", log], "2 sessions, 0 written, 2 unchanged"),
    ] {
        let [first, second] = inputs;
        let arguments = ["report", first, second, "-o", to];
        let output = linetape(&arguments, piped.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let said = text(&output.stderr);
        assert!(said.contains(written), "{said}");
        let pages = pages(&out);
        assert_eq!(pages.len(), 2);
        let page = &pages[&page_of(&pages, "In the file")];
        let [one, two] = ["In the file", "In the pipe"]
            .map(|words| page.rfind(words).expect(words));
        assert!(one < two);
        page_of(&pages, "Alone");
    }
}

/// A pipe that cannot be read was an error of its own, and must stay one.
#[test]
fn compressed_standard_input_that_is_cut_off_is_reported() {
    let log = file("cut.jsonl", prompt("s", 1, "In the file").as_bytes());
    let out = folder("cut out", &[]);
    let (log, to) = (log.to_str().unwrap(), out.to_str().unwrap());
    let output = linetape(&["report", log, "-", "-o", to], b"\x1f\x8b\x08");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("standard input"), "{output:?}");
    page_of(&pages(&out), "In the file");
}

/// A pipe that is named like a file was read when files were grouped, and
/// its page was empty.
#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_once() {
    let folder = folder("named", &[]);
    let pipe = folder.join("pipe.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let other = file("named.jsonl", prompt("t", 1, "A file").as_bytes());
    let program = env!("CARGO_BIN_EXE_linetape");
    let out = folder.join("out");
    let log = file("piped.jsonl", prompt("s", 1, "A pipe").as_bytes());
    let [pipe, other, to, log] =
        [&pipe, &other, &out, &log].map(|path| path.display());
    // A pipe that is opened twice would wait for a second writer.
    let script = format!(
        "timeout 20 cat '{log}' > '{pipe}' & \
         exec timeout 20 {program} report '{pipe}' '{other}' -o '{to}'"
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    page_of(&pages(&out), "A pipe");
}

/// Pages of earlier runs stayed in the folder, with the secrets that the run
/// was to leave out, and nothing said so.
#[test]
fn pages_that_are_not_redacted_are_named() {
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let old = file("old.jsonl", prompt("old", 1, &secret).as_bytes());
    let new = file("new.jsonl", prompt("new", 1, &secret).as_bytes());
    let out = folder("kept out", &[("session-notes.html", "mine")]);
    let run = |log: &Path, more: &[&str]| {
        let to = ["-o", out.to_str().unwrap()];
        let log = log.to_str().unwrap();
        linetape(&[&["report", log], &to[..], more].concat(), b"")
    };
    assert_eq!(run(&old, &[]).status.code(), Some(0));
    let stale: Vec<String> = pages(&out).into_keys().collect();
    let [stale, _] = stale.as_slice() else { panic!("{stale:?}") };
    // Without --redact, nobody is promised anything.
    assert_eq!(run(&new, &[]).status.code(), Some(0));

    let output = run(&new, &["--redact"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains(stale) && said.contains("not redacted"), "{said}");
    // It is named, but kept: its log may be gone.
    assert_eq!(pages(&out).len(), 3);
    let fresh = page_of(&pages(&out), "***");
    assert!(!said.contains(&fresh), "{said}");

    // What a run that was killed left is named as well.
    let part = format!("{stale}.part-1");
    fs::rename(out.join(stale), out.join(&part)).unwrap();
    let output = run(&new, &["--redact"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains(&part));
    fs::remove_file(out.join(part)).unwrap();
    assert_eq!(run(&new, &["--redact"]).status.code(), Some(0));
    // The same log again, redacted now, replaces its page.
    assert_eq!(run(&old, &[]).status.code(), Some(0));
    assert_eq!(run(&old, &["--redact"]).status.code(), Some(0));
}

/// Files were read in the order of their paths.
#[test]
fn files_of_a_session_are_in_the_order_of_time() {
    let logs = folder(
        "order",
        &[
            ("a.jsonl", &prompt("s", 30, "Third")),
            ("b.jsonl", &prompt("s", 10, "First")),
            ("c.jsonl", &prompt("s", 20, "Second")),
        ],
    );
    let logs = logs.to_str().unwrap();
    for more in [&[][..], &["--redact"]] {
        let arguments = [&["report", logs, "-o", "-"], more].concat();
        let output = linetape(&arguments, b"");
        let page = text(&output.stdout);
        let (_, transcript) = page.split_once("id=\"transcript\"").unwrap();
        let at = |words: &str| transcript.find(words).unwrap();
        assert!(at("First") < at("Second") && at("Second") < at("Third"));
    }
    let out = folder("order out", &[]);
    let output = linetape(&["report", logs, "-o", out.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(0));
    page_of(&pages(&out), "First");
    let shown = linetape(&["show", logs], b"").stdout;
    let at = |words: &str| text(&shown).find(words).unwrap();
    assert!(at("First") < at("Second") && at("Second") < at("Third"));
}

/// The page named a session, but did not lead to it.
#[test]
fn pages_link_to_the_sessions_before_and_after() {
    let go_on = r#"{"type":"continued-in","sessionId":"one","timestamp":"2026-03-02T09:00:30Z","continuedInSessionId":"two"}"#;
    let gone = go_on.replace("one", "two").replace("\"two\"}", "\"gone\"}");
    let fork = prompt("three", 40, "Fork").replace(
        "\"type\"",
        "\"forkedFrom\":{\"sessionId\":\"one\"},\"type\"",
    );
    let logs = folder(
        "links",
        &[
            ("a.jsonl", &(prompt("one", 1, "One") + go_on + "\n")),
            ("b.jsonl", &(prompt("two", 2, "Two") + &gone + "\n")),
            ("c.jsonl", &fork),
        ],
    );
    let (out, from) = (folder("links out", &[]), logs.to_str().unwrap());
    let to = out.to_str().unwrap();
    let output = linetape(&["report", from, "-o", to], b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let all = pages(&out);
    let [one, two, three] = ["One", "Two", "Fork"].map(|t| page_of(&all, t));
    // Above the transcript, and where the log says so.
    let link = format!("<a href=\"{two}\">two</a>");
    assert_eq!(all[&one].matches(&link).count(), 2, "{}", all[&one]);
    assert!(all[&three].contains(&format!("<a href=\"{one}\">one</a>")));
    // There is no page of it.
    assert!(all[&two].contains("gone") && !all[&two].contains(">gone</a>"));

    // A session that is left out has no page in the index, but one that is
    // found again is linked again.
    fs::remove_file(logs.join("b.jsonl")).unwrap();
    let output = linetape(&["report", from, "-o", to], b"");
    assert!(text(&output.stderr).contains("1 written, 1 unchanged"));
    assert!(!pages(&out)[&one].contains(&link));
}

/// One temporary file for each log was open.
#[cfg(target_os = "linux")]
#[test]
fn many_logs_can_be_redacted_and_unpacked() {
    let logs = folder("many-spooled", &[]);
    for n in 0..80 {
        let log = prompt("s", 1, &format!("text {n}."));
        let log = log.replace("s 1", &format!("u{n}"));
        fs::write(logs.join(format!("{n}.jsonl")), log).unwrap();
    }
    let program = env!("CARGO_BIN_EXE_linetape");
    let run = |command: &str| {
        let logs = logs.display();
        let script = format!("ulimit -n 40; {program} {command} {logs} -o -");
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        for n in 0..80 {
            assert!(text(&output.stdout).contains(&format!("text {n}.")));
        }
    };
    run("report --redact");
    let packed = std::process::Command::new("sh")
        .args(["-c", &format!("gzip {}/*.jsonl", logs.display())])
        .status();
    assert!(packed.unwrap().success());
    run("report");
    let script = format!("ulimit -n 40; {program} show {}", logs.display());
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for n in 0..80 {
        assert!(text(&output.stdout).contains(&format!("text {n}.")));
    }
}

/// A path that does not exist emptied the index of a folder with many pages.
#[test]
fn an_input_that_does_not_exist_leaves_the_index_as_it_is() {
    let log = file("kept.jsonl", prompt("s", 1, "Kept").as_bytes());
    let out = folder("typo out", &[]);
    let (log, to) = (log.to_str().unwrap(), out.to_str().unwrap());
    let output = linetape(&["report", log, "-o", to], b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let index = || fs::read_to_string(out.join("index.html")).unwrap();
    let before = index();
    let output = linetape(&["report", "no/such/log", "-o", to], b"");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!text(&output.stderr).contains("sessions"), "{output:?}");
    assert_eq!(index(), before);
}

/// A run that was killed left a part of a page, and a later run with the same
/// process id, as in a container, could not write.
#[cfg(unix)]
#[test]
fn a_part_of_an_earlier_run_is_not_in_the_way() {
    let log = file("part.jsonl", prompt("s", 1, "Again").as_bytes());
    let out = folder("part out", &[]);
    let program = env!("CARGO_BIN_EXE_linetape");
    let (log, to) = (log.display(), out.display());
    let script = format!(
        "touch '{to}'/index.html.part-$$ '{to}'/index.html.part-$$-0; \
         exec '{program}' report '{log}' -o '{to}'"
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(out.join("index.html").exists());
}

/// It said `cannot write: Is a directory`, and left the part of the page.
#[test]
fn a_page_that_cannot_be_written_is_named() {
    let log = file("named.jsonl", prompt("s", 1, "Named").as_bytes());
    let out = folder("named out", &[]);
    let arguments =
        ["report", log.to_str().unwrap(), "-o", out.to_str().unwrap()];
    assert_eq!(linetape(&arguments, b"").status.code(), Some(0));
    let page = page_of(&pages(&out), "Named");
    fs::remove_file(out.join(&page)).unwrap();
    fs::create_dir_all(out.join(&page).join("inside")).unwrap();
    let output = linetape(&arguments, b"");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains(&page), "{output:?}");
    let entries = fs::read_dir(&out).unwrap().map(Result::unwrap);
    let names = entries.map(|e| e.file_name().into_string().unwrap());
    let parts = names.filter(|name| name.contains(".part-"));
    assert_eq!(parts.count(), 0);
}

/// The exit code of the browser was ignored, and so was `--open` with the
/// standard output.
#[cfg(unix)]
#[test]
fn a_page_that_is_not_opened_is_reported() {
    let log = file("opened.jsonl", prompt("s", 1, "Opened").as_bytes());
    let out = folder("opened out", &[]);
    let run = |to: &Path, browser: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_linetape"))
            .args([Path::new("report"), &log, Path::new("--open")])
            .args([Path::new("-o"), to])
            .env("BROWSER", browser)
            .output()
            .unwrap()
    };
    assert_eq!(run(&out, "true").status.code(), Some(0));
    let output = run(&out, "false");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("false") && said.contains("index.html"), "{said}");
    let output = run(Path::new("-"), "true");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("--open"), "{output:?}");
}

/// The index counted the tokens that a fork repeats twice, in the figures and
/// in the chart, and its cost.
#[test]
fn the_index_counts_the_messages_of_a_fork_once() {
    let answer = |session: &str, id: u32, is_copy: bool| {
        let mut line = serde_json::json!({
            "type": "assistant", "sessionId": session,
            "uuid": format!("u{id}"), "requestId": format!("r{id}"),
            "timestamp": format!("2026-03-02T09:01:{id:02}Z"),
            "message": {
                "id": format!("msg_{id}"), "model": "opus",
                "content": [{"type": "text", "text": "Yes."}],
                "usage": {"input_tokens": 0, "output_tokens": 100},
            },
        });
        if is_copy {
            line["forkedFrom"] = serde_json::json!({
                "sessionId": "one", "messageUuid": format!("u{id}"),
            });
        }
        format!("{line}\n")
    };
    let cost = |session: &str, usd: f64| {
        let line = serde_json::json!({
            "type": "cost-state", "sessionId": session, "startTime": 1,
            "totalCostUSD": usd,
        });
        format!("{line}\n")
    };
    let first = [
        prompt("one", 1, "One"),
        answer("one", 1, false),
        answer("one", 2, false),
        cost("one", 0.5),
    ];
    let second = [
        prompt("two", 1, "One"),
        answer("two", 1, true),
        answer("two", 2, true),
        answer("two", 3, false),
        cost("two", 0.75),
    ];
    let other = [prompt("old", 3, "Old"), answer("old", 4, false)];
    let logs = folder(
        "forked",
        &[
            ("a.jsonl", &first.concat()),
            ("b.jsonl", &second.concat()),
            ("c.jsonl", &other.concat().replace("2026-03", "2026-01")),
        ],
    );
    let (out, from) = (folder("forked out", &[]), logs.to_str().unwrap());
    let to = out.to_str().unwrap();
    let index = |more: &[&str]| {
        let arguments = [&["report", from, "-o", to], more].concat();
        let output = linetape(&arguments, b"");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        fs::read_to_string(out.join("index.html")).unwrap()
    };
    let figures = |page: &str| {
        ["Requests", "Output tokens", "Tokens", "Stated cost"].map(|name| {
            let (_, rest) =
                page.split_once(&format!("<dt>{name}</dt><dd>")).unwrap();
            rest.split_once('<').unwrap().0.to_string()
        })
    };
    let page = index(&[]);
    assert_eq!(figures(&page), ["4", "400", "400", "$0.75"]);
    let usage = linetape(&["usage", "--json", from], b"");
    let usage: serde_json::Value =
        serde_json::from_slice(&usage.stdout).unwrap();
    assert_eq!(usage["usage"]["output_tokens"], 400, "{usage}");
    assert_eq!(usage["messages"], 4, "{usage}");
    let (_, chart) = page.split_once("<h2>Charts</h2>").unwrap();
    let (chart, _) = chart.split_once("<h2 id=\"list\">").unwrap();
    assert!(chart.contains("300") && !chart.contains("500"), "{chart}");
    // Only what is in the index is counted.
    let page = index(&["--since", "2026-03-01"]);
    assert_eq!(figures(&page), ["3", "300", "300", "$0.75"]);
    // What the fork repeats is the original's, and was counted if the original
    // had a file of its own and was too old for the index.
    let page = index(&["--since", "2026-03-02T09:01:03Z"]);
    assert_eq!(figures(&page), ["1", "100", "100", "$0.25"]);
}
