//! What `linetape report` writes, and where.

use std::{collections::BTreeMap, fs, path::Path};

use crate::support::{file, folder, linetape, text};

const LOG: &str = r#"{"type":"user","sessionId":"../../x","cwd":"/srv/orchard","timestamp":"2026-03-02T09:00:00Z","uuid":"u1","message":{"content":"Count <them>."}}
{"type":"assistant","sessionId":"../../x","cwd":"/srv/orchard","timestamp":"2026-03-02T09:00:02Z","uuid":"u2","parentUuid":"u1","message":{"id":"m1","model":"opus","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/srv/orchard/a.rs"}},{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/srv/orchard/b.rs"}}],"usage":{"input_tokens":5,"output_tokens":7}}}
{"type":"user","sessionId":"../../x","timestamp":"2026-03-02T09:00:03Z","uuid":"u3","parentUuid":"u2","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"text of b"}]}}
{"type":"user","sessionId":"../../x","timestamp":"2026-03-02T09:00:04Z","uuid":"u4","parentUuid":"u3","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"text of a"}]}}
"#;

const OTHER: &str = r#"{"type":"user","sessionId":"b","timestamp":"2026-01-01T09:00:00Z","message":{"content":"Older"}}
"#;

/// Returns the files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let read = |path| fs::read_to_string(path).unwrap();
    entries
        .map(|e| (e.file_name().into_string().unwrap(), read(e.path())))
        .collect()
}

/// Reports on a folder. Returns the pages and what was printed.
fn report(
    logs: &Path,
    to: &Path,
    more: &[&str],
) -> (BTreeMap<String, String>, String) {
    let (logs, out) = (logs.to_str().unwrap(), to.to_str().unwrap());
    let arguments = [&["report", logs, "-o", out], more].concat();
    let output = linetape(&arguments, b"");
    let printed = text(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(0), "{printed}");
    (files(to), printed)
}

#[test]
fn a_folder_has_an_index_and_a_page_for_each_session() {
    let logs = folder("logs", &[("a.jsonl", LOG), ("b.jsonl", OTHER)]);
    let out = folder("out", &[]).join("deep");
    let (pages, printed) = report(&logs, &out, &[]);
    assert!(printed.contains("2 sessions, 2 written, 0 unchanged"));
    let names: Vec<&String> = pages.keys().collect();
    assert_eq!(names.len(), 3, "{names:?}");
    let index = &pages["index.html"];
    for name in names.iter().filter(|name| **name != "index.html") {
        // Nothing of a log is in a name.
        let hash = name.strip_prefix("session-").unwrap();
        let hash = hash.strip_suffix(".html").unwrap();
        assert!(
            hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit())
        );
        assert!(index.contains(&format!("href=\"{name}\"")), "{name}");
    }
    // The latest is the first.
    let at = |words: &str| index.find(words).unwrap();
    assert!(at("Count &lt;them&gt;.") < at("Older"));
    for words in ["orchard", "opus", "2026-03-02 09:00", "Tokens per day"] {
        assert!(index.contains(words), "{words}");
    }
}

#[test]
fn results_are_in_their_calls_also_if_they_arrive_in_another_order() {
    let log = file("log.jsonl", LOG.as_bytes());
    let output = linetape(&["report", log.to_str().unwrap(), "-o", "-"], b"");
    let page = text(&output.stdout);
    let calls: Vec<&str> =
        page.split("<details class=\"c\"").skip(1).collect();
    assert_eq!(calls.len(), 2);
    for (call, name, result, time) in [
        (calls[0], ">a.rs<", "text of a", "2.0 s"),
        (calls[1], ">b.rs<", "text of b", "1.0 s"),
    ] {
        for words in [name, result, time] {
            assert!(call.contains(words), "{words} in {call}");
        }
        assert_eq!(page.matches(result).count(), 1);
    }
}

#[test]
fn unchanged_sessions_are_not_written_again() {
    let logs = folder("logs", &[("a.jsonl", LOG), ("b.jsonl", OTHER)]);
    let out = folder("out", &[]);
    let (first, _) = report(&logs, &out, &[]);
    // A page that is not written keeps what is in it.
    for name in first.keys().filter(|name| *name != "index.html") {
        let marked = format!("{}<!-- kept -->", first[name]);
        fs::write(out.join(name), marked).unwrap();
    }
    let (again, printed) = report(&logs, &out, &[]);
    assert!(printed.contains("0 written, 2 unchanged"), "{printed}");
    let kept = again.values().filter(|p| p.ends_with("<!-- kept -->"));
    assert_eq!(kept.count(), 2);
    assert_eq!(again["index.html"], first["index.html"]);
    // The size is the same, but not the hash.
    fs::write(logs.join("b.jsonl"), OTHER.replace("Older", "Other")).unwrap();
    let (changed, printed) = report(&logs, &out, &[]);
    assert!(printed.contains("1 written, 1 unchanged"), "{printed}");
    assert!(changed.values().any(|page| page.contains("Other</h1>")));
    // So does another style or script, although the version is the same.
    for name in changed.keys().filter(|name| *name != "index.html") {
        let old = changed[name].replace(&linetape_report::layout(), "old");
        fs::write(out.join(name), old).unwrap();
    }
    let (_, printed) = report(&logs, &out, &[]);
    assert!(printed.contains("2 written, 0 unchanged"), "{printed}");
    // Other options make other pages.
    let (_, printed) = report(&logs, &out, &["--full"]);
    assert!(printed.contains("2 written"), "{printed}");
}

#[test]
fn since_leaves_older_sessions_out() {
    let logs = folder("logs", &[("a.jsonl", LOG), ("b.jsonl", OTHER)]);
    let out = folder("out", &[]);
    let (pages, _) = report(&logs, &out, &["--since", "2026-02-01"]);
    assert_eq!(pages.len(), 2);
    assert!(!pages["index.html"].contains("Older"));
}

#[test]
fn several_sessions_are_not_one_page() {
    let logs = folder("logs", &[("a.jsonl", LOG), ("b.jsonl", OTHER)]);
    let out = folder("out", &[]).join("page.html");
    let (logs, page) = (logs.to_str().unwrap(), out.to_str().unwrap());
    let output = linetape(&["report", logs, "-o", page], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("2 sessions cannot be one page"));
    assert!(!out.exists());
}

#[test]
fn sub_agents_of_files_and_of_progress_lines_are_in_their_calls() {
    let main = r#"{"type":"user","sessionId":"s","uuid":"u1","timestamp":"2026-03-02T09:00:00Z","message":{"content":"Go"}}
{"type":"assistant","sessionId":"s","uuid":"u2","parentUuid":"u1","timestamp":"2026-03-02T09:00:01Z","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"description":"look","prompt":"Look around","subagent_type":"Explore"}}]}}
{"type":"user","sessionId":"s","uuid":"u3","parentUuid":"u2","timestamp":"2026-03-02T09:00:09Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Found it"}]},"toolUseResult":{"agentId":"ab12","status":"completed"}}
"#;
    let agent = r#"{"type":"user","sessionId":"s","agentId":"ab12","isSidechain":true,"uuid":"v1","timestamp":"2026-03-02T09:00:02Z","message":{"content":"Look around"}}
{"type":"assistant","sessionId":"s","agentId":"ab12","isSidechain":true,"uuid":"v2","parentUuid":"v1","timestamp":"2026-03-02T09:00:03Z","message":{"id":"m2","content":[{"type":"text","text":"Steps of the agent"}]}}
"#;
    let logs = folder(
        "logs",
        &[("s.jsonl", main), ("s/subagents/agent-ab12.jsonl", agent)],
    );
    let out = folder("out", &[]);
    let (pages, printed) = report(&logs, &out, &[]);
    assert!(printed.contains("1 session, 1 written"), "{printed}");
    let page = pages.values().find(|page| page.contains("Found it")).unwrap();
    let (_, call) = page.split_once("<details class=\"c\"").unwrap();
    let steps = call.find("Steps of the agent").unwrap();
    // The fold of the call ends after the steps and the result.
    assert!(steps < call.find("</details>\n").unwrap());
    assert_eq!(page.matches("Steps of the agent").count(), 1);
}

#[test]
fn long_texts_are_cut_unless_all_is_wanted() {
    let long = "word ".repeat(60_000);
    let log = LOG.replace("text of b", &format!("{long}the end"));
    let log = file("log.jsonl", log.as_bytes());
    let log = log.to_str().unwrap();
    let page = |more: &[&str]| {
        let arguments = [&["report", log, "-o", "-"], more].concat();
        text(&linetape(&arguments, b"").stdout).to_string()
    };
    let cut = page(&[]);
    assert!(!cut.contains("the end") && cut.contains("200 KB of 301 KB, 101"));
    assert!(page(&["--full"]).contains("the end"));
}

#[test]
fn secrets_are_removed_on_request() {
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let log = LOG.replace("text of b", &secret).replace("Count", &secret);
    let log = file("log.jsonl", log.as_bytes());
    let log = log.to_str().unwrap();
    let plain = linetape(&["report", log, "-o", "-"], b"").stdout;
    assert!(text(&plain).contains(&secret));
    let clean = linetape(&["report", log, "--redact", "-o", "-"], b"");
    assert_eq!(clean.status.code(), Some(0));
    let clean = text(&clean.stdout);
    assert!(!clean.contains(&secret) && clean.contains("*** &lt;them&gt;."));
    assert!(clean.contains("text of a"));
}

/// There was only one level.
#[test]
fn secrets_are_removed_at_the_level_that_is_asked_for() {
    let log = LOG.replace("text of b", "DB_PASSWORD=hunter22x by ada@b.org");
    let log = file("log.jsonl", log.as_bytes());
    let log = log.to_str().unwrap();
    let page = |options: &[&str]| {
        let arguments = [&["report", log, "-o", "-"], options].concat();
        let output = linetape(&arguments, b"");
        assert_eq!(output.status.code(), Some(0), "{options:?}");
        let page = text(&output.stdout).to_string();
        [page.contains("hunter22x"), page.contains("ada@b.org")]
    };
    assert_eq!(page(&[]), [true, true]);
    assert_eq!(page(&["--redact"]), [false, true]);
    for (level, expected) in [
        ("none", [true, true]),
        ("secrets", [false, true]),
        ("personal", [false, false]),
        ("all", [false, false]),
    ] {
        assert_eq!(page(&["--redact", "--level", level]), expected, "{level}");
    }
    for bad in [&["--level", "all"][..], &["--redact", "--level", "high"]] {
        let arguments = [&["report", log, "-o", "-"], bad].concat();
        assert_eq!(linetape(&arguments, b"").status.code(), Some(2));
    }
}

/// A page of another level is made again.
#[test]
fn pages_of_another_level_are_written_again() {
    let log = LOG.replace("text of b", "by ada@b.org");
    let log = file("log.jsonl", log.as_bytes());
    let to = folder("to", &[]);
    let pages = |level: &str| {
        let (log, to) = (log.to_str().unwrap(), to.to_str().unwrap());
        let arguments =
            ["report", log, "-o", to, "--redact", "--level", level];
        assert_eq!(linetape(&arguments, b"").status.code(), Some(0));
        let pages = fs::read_dir(to).unwrap().map(|entry| {
            fs::read_to_string(entry.unwrap().path()).unwrap_or_default()
        });
        pages.collect::<String>().contains("ada@b.org")
    };
    assert!(pages("secrets"));
    assert!(!pages("personal"));
    assert!(pages("secrets"));
}

#[test]
fn pipes_and_compressed_logs_make_the_same_page() {
    let log = file("log.jsonl", LOG.as_bytes());
    let page = |path: &str| {
        linetape(&["report", path, "-o", "-"], LOG.as_bytes()).stdout
    };
    let expected = page(log.to_str().unwrap());
    assert!(text(&expected).contains("text of a"));
    assert_eq!(text(&page("-")), text(&expected));
}

#[test]
fn lost_lines_are_counted_in_a_warning() {
    let log = file("log.jsonl", format!("{LOG}{{\"type\":\n").as_bytes());
    let output = linetape(&["report", log.to_str().unwrap(), "-o", "-"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("1 line could not be read"));
}

/// A line that is too long was not counted, and a page stayed as it was when
/// more lines could be read.
#[test]
fn lines_that_are_too_long_are_lost_lines() {
    let long = OTHER.replace("Older", &"long ".repeat(300));
    let log = OTHER.to_owned() + &long;
    let logs = folder("long", &[("a.jsonl", &log)]);
    let out = folder("long out", &[]);
    let (from, to) = (logs.to_str().unwrap(), out.to_str().unwrap());
    let arguments = ["report", from, "-o", to, "--max-line", "1000"];
    let output = linetape(&arguments, b"");
    assert_eq!(output.status.code(), Some(1));
    let all = files(&out).into_values().collect::<String>();
    assert!(all.contains("could not be read"));
    let (pages, said) = report(&logs, &out, &[]);
    let all = pages.values().cloned().collect::<String>();
    assert!(!all.contains("could not be read"), "{said}");
}

/// An index of somebody else was replaced, and a link was followed.
#[cfg(unix)]
#[test]
fn files_of_others_are_not_replaced() {
    let log = file("a.jsonl", OTHER.as_bytes());
    let log = log.to_str().unwrap();
    let out = folder("homepage", &[("index.html", "my homepage")]);
    let output = linetape(&["report", log, "-o", out.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("not of linetape report"));
    let kept = fs::read_to_string(out.join("index.html")).unwrap();
    assert_eq!(kept, "my homepage");

    let out = folder("trap", &[]);
    let victim = file("victim", b"precious");
    let trap = out.join("index.html.part");
    std::os::unix::fs::symlink(&victim, trap).unwrap();
    let output = linetape(&["report", log, "-o", out.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
    // It is its own the second time.
    let output = linetape(&["report", log, "-o", out.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// All files were open at the same time, and there may be more of them than a
/// process may open.
#[cfg(target_os = "linux")]
#[test]
fn there_may_be_more_files_than_can_be_open() {
    let logs = folder("many", &[]);
    for n in 0..80 {
        let log = OTHER.replace("Older", &format!("text {n}."));
        let log = log.replace("\"b\"", &format!("\"s{}\"", n % 2));
        fs::write(logs.join(format!("{n}.jsonl")), log).unwrap();
    }
    let program = env!("CARGO_BIN_EXE_linetape");
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
