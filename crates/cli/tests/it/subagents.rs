//! A session is its file and the files of its sub-agents.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{
    follow::{Running, append},
    support::{document, folder, linetape, text},
};

/// A session with a sub-agent, whose transcript is in a file of its own.
fn session(name: &str) -> PathBuf {
    let line = |id: &str, uuid: &str, output: u64, rest: &str| {
        format!(
            "{{\"type\":\"assistant\",\"sessionId\":\"s\",\"uuid\":\"{uuid}\",\
             \"parentUuid\":null,\"timestamp\":\"2026-03-02T09:14:0{output}Z\",\
             {rest}\"message\":{{\"id\":\"{id}\",\"role\":\"assistant\",\
             \"model\":\"m\",\"stop_reason\":\"end_turn\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"says {id}\"}}],\
             \"usage\":{{\"input_tokens\":10,\"output_tokens\":{output}}}}}}}\n"
        )
    };
    let agent = "\"isSidechain\":true,\"agentId\":\"a1\",";
    folder(
        name,
        &[
            ("s.jsonl", &line("m1", "u1", 1, "")),
            ("s/subagents/agent-a1.jsonl", &line("m2", "u2", 2, agent)),
            // Of a workflow.
            ("s/subagents/w/agent-a3.jsonl", &line("m3", "u3", 4, agent)),
            (
                "s/subagents/agent-a1.meta.json",
                "{\"agentType\":\"helper\",\"description\":\"d\"}",
            ),
        ],
    )
}

fn str(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn tokens(report: &Value) -> u64 {
    report["usage"]["output_tokens"].as_u64().unwrap()
}

/// `usage FILE` and `stats FILE` left out the sub-agents, and the same of the
/// folder did not.
#[test]
fn totals_of_a_session_have_its_sub_agents() {
    let folder = session("totals");
    let file = folder.join("s.jsonl");
    for command in
        [&["usage", "--json"][..], &["stats", "--json"], &["--json"]]
    {
        let run = |rest: &[&str]| {
            let output = linetape(&[command, rest].concat(), b"");
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            document(&output)
        };
        assert_eq!(tokens(&run(&[str(&file)])), 7);
        assert_eq!(run(&[str(&file)]), run(&[str(&folder)]));
        // Each file is read once.
        let agent = folder.join("s/subagents/agent-a1.jsonl");
        assert_eq!(tokens(&run(&[str(&agent), str(&file)])), 7);
        assert_eq!(tokens(&run(&["--no-subagents", str(&file)])), 1);
        assert_eq!(tokens(&run(&["--no-subagents", str(&folder)])), 1);
        assert_eq!(tokens(&run(&["--no-subagents", str(&agent)])), 2);
    }
}

/// The status line showed the tokens of the one file.
#[test]
fn a_state_has_the_sub_agents_of_a_session() {
    let folder = session("state");
    let file = folder.join("s.jsonl");
    for command in ["usage", "stats"] {
        let state = folder.join(format!("{command}.state"));
        let run = |rest: &[&str]| {
            let arguments = [command, "--json", "--state", str(&state)];
            linetape(&[&arguments, rest].concat(), b"")
        };
        assert_eq!(tokens(&document(&run(&[str(&file)]))), 7);
        let late = folder.join(format!("s/subagents/agent-{command}.jsonl"));
        let line = std::fs::read_to_string(&file).unwrap();
        let line = line.replace("m1", "m9").replace("u1", "u9");
        append(&late, &line);
        assert_eq!(tokens(&document(&run(&[str(&file)]))), 8);
        // Other files would be read.
        let output = run(&["--no-subagents", str(&file)]);
        assert_eq!(output.status.code(), Some(2));
        std::fs::remove_file(late).unwrap();
    }
}

/// `check FILE` did not look at the sub-agents.
#[test]
fn sub_agents_are_checked() {
    let folder = session("check");
    let file = folder.join("s.jsonl");
    append(&folder.join("s/subagents/agent-a1.jsonl"), "{\"type\":");
    let output = linetape(&["check", str(&file)], b"");
    assert!(text(&output.stdout).contains("agent-a1.jsonl:2:"));
    assert_eq!(output.status.code(), Some(1));
    let output = linetape(&["check", "--no-subagents", str(&file)], b"");
    assert_eq!(text(&output.stdout), "");
    assert_eq!(output.status.code(), Some(0));
}

/// `redact FILE` left the files of the sub-agents behind.
#[test]
fn sub_agents_are_redacted() {
    let folder = session("redact");
    let file = folder.join("s.jsonl");
    let secret = format!("AKIA{}", "Z2".repeat(8));
    let agent = folder.join("s/subagents/agent-a1.jsonl");
    append(&agent, &format!("{{\"text\":\"{secret}\"}}\n"));
    let output = linetape(&["redact", "--check", str(&file)], b"");
    assert_eq!(output.status.code(), Some(1));
    let alone = ["redact", "--check", "--no-subagents", str(&file)];
    assert_eq!(linetape(&alone, b"").status.code(), Some(0));
    let printed = linetape(&["redact", str(&file)], b"");
    assert!(text(&printed.stdout).contains("{\"text\":\"***\"}"));
    let to = folder.join("to");
    let output = linetape(&["redact", str(&file), "-o", str(&to)], b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let whole = folder.join("whole");
    for name in ["s.jsonl", "s/subagents/agent-a1.jsonl"] {
        assert!(to.join(name).is_file(), "{name}");
    }
    // As for a folder, of which the outputs are no part.
    let only = folder.join("only");
    std::fs::create_dir(&only).unwrap();
    std::fs::rename(&file, only.join("s.jsonl")).unwrap();
    std::fs::rename(folder.join("s"), only.join("s")).unwrap();
    linetape(&["redact", str(&only), "-o", str(&whole)], b"");
    assert_eq!(files(&to, &to), files(&whole, &whole));
    linetape(&["redact", "--in-place", str(&only.join("s.jsonl"))], b"");
    let agent = only.join("s/subagents/agent-a1.jsonl");
    assert!(!std::fs::read_to_string(agent).unwrap().contains(&secret));
}

/// Returns the files of a folder, by path, and their text.
fn files(folder: &Path, root: &Path) -> Vec<(PathBuf, String)> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path, root)),
            false => {
                let name = path.strip_prefix(root).unwrap().to_path_buf();
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((name, text));
            }
        }
    }
    found.sort();
    found
}

/// `show -f FILE` never showed a sub-agent.
#[cfg(unix)]
#[test]
fn sub_agents_are_shown_while_they_work() {
    let folder = session("follow");
    let file = folder.join("s.jsonl");
    let running = Running::new(&["show", "-f", str(&file)]);
    let mut shown = String::new();
    let mut wait_for = |text: &str| {
        while !shown.contains(text) {
            shown += &running.line();
        }
    };
    wait_for("says m1");
    wait_for("says m2");
    // In a file that begins later.
    let line =
        std::fs::read_to_string(folder.join("s/subagents/agent-a1.jsonl"));
    let line = line.unwrap().replace("m2", "m5").replace("a1", "a5");
    append(&folder.join("s/subagents/agent-a5.jsonl"), &line);
    wait_for("says m5");
    running.end("-INT");
    // Its folder can begin later, too.
    let alone = folder.join("late.jsonl");
    std::fs::copy(&file, &alone).unwrap();
    let running = Running::new(&["show", "-f", str(&alone)]);
    while !running.line().contains("says m1") {}
    std::fs::create_dir_all(folder.join("late/subagents")).unwrap();
    append(&folder.join("late/subagents/agent-a5.jsonl"), &line);
    while !running.line().contains("says m5") {}
    running.end("-INT");
    let alone = ["show", "--no-subagents", str(&file)];
    let output = linetape(&alone, b"");
    assert!(!text(&output.stdout).contains("says m2"));
}

/// `show -f --no-subagents` of a folder showed them.
#[cfg(unix)]
#[test]
fn sub_agents_of_a_folder_are_left_out_while_it_is_followed() {
    let folder = session("alone");
    let running =
        Running::new(&["show", "-f", "--no-subagents", str(&folder)]);
    while !running.line().contains("says m1") {}
    append(
        &folder.join("t.jsonl"),
        "{\"type\":\"user\",\"sessionId\":\"t\",\
        \"message\":{\"role\":\"user\",\"content\":\"the end\"}}\n",
    );
    let mut shown = String::new();
    while !shown.contains("the end") {
        shown += &running.line();
    }
    assert!(!shown.contains("says"), "{shown}");
    running.end("-INT");
}

/// Those behind a link were dropped.
#[cfg(unix)]
#[test]
fn a_link_to_a_session_has_its_sub_agents() {
    let folder = session("linked");
    let link = folder.with_file_name("current.jsonl");
    _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(folder.join("s.jsonl"), &link).unwrap();
    let output = linetape(&["usage", "--json", str(&link)], b"");
    assert_eq!(tokens(&document(&output)), 7);
    let to = folder.join("to");
    linetape(&["redact", str(&link), "-o", str(&to)], b"");
    let copy = to.join("current.jsonl");
    let output = linetape(&["usage", "--json", str(&copy)], b"");
    assert_eq!(tokens(&document(&output)), 7);
}

/// The sub-agents of the second session were written to the folder of the
/// first one, and results of tools were left behind.
#[test]
fn sessions_of_one_name_keep_their_sub_agents() {
    let (one, two) = (session("one"), session("two"));
    let secret = format!("AKIA{}", "Z2".repeat(8));
    std::fs::create_dir(two.join("s/tool-results")).unwrap();
    append(&two.join("s/tool-results/a.txt"), &secret);
    let to = one.join("to");
    let files = [one.join("s.jsonl"), two.join("s.jsonl")];
    let [first, second] = files.each_ref().map(|path| str(path));
    linetape(&["redact", first, second, "-o", str(&to)], b"");
    for name in ["s.jsonl", "s-2.jsonl"] {
        let copy = to.join(name);
        let output = linetape(&["usage", "--json", str(&copy)], b"");
        assert_eq!(tokens(&document(&output)), 7, "{name}");
    }
    let text = to.join("s-2/tool-results/a.txt");
    assert_eq!(std::fs::read_to_string(text).unwrap(), "***");
}

/// These are about lines, and read what was named.
#[test]
fn other_commands_read_the_one_file() {
    let folder = session("named");
    let file = folder.join("s.jsonl");
    let line = std::fs::read_to_string(&file).unwrap();
    let output = linetape(&["select", str(&file)], b"");
    assert_eq!(text(&output.stdout), line);
    let output = linetape(&["normalize", str(&file)], b"");
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let output = linetape(&["schema", "--json", str(&file)], b"");
    assert_eq!(document(&output)["kinds"][0]["records"], 1);
    let output = linetape(&["convert", "--to", "ui", str(&file)], b"");
    assert!(!text(&output.stdout).contains("says m2"));
}
