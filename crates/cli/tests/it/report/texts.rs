//! The texts in the pages of `linetape report`, and the same in `show`.

use serde_json::{Value, json};

use crate::support::{
    file, folder,
    lines::{answer, call, log, said, words},
    linetape, text,
};

pub fn prompt(content: &str) -> Value {
    json!({"type": "user", "session_id": "s", "message": {"content": content}})
}

/// Returns the page of a log.
pub fn page(name: &str, lines: &[Value], more: &[&str]) -> String {
    let path = file(name, &log(lines));
    let arguments = ["report", path.to_str().unwrap(), "-o", "-"];
    let output = linetape(&[&arguments, more].concat(), b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    text(&output.stdout).to_string()
}

pub fn shown(name: &str, lines: &[Value], more: &[&str]) -> String {
    let path = file(name, &log(lines));
    let arguments = ["show", path.to_str().unwrap(), "--width", "0"];
    let output = linetape(&[&arguments, more].concat(), b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    text(&output.stdout).to_string()
}

/// Texts of Windows had `\u{d}` at the end of each line.
#[test]
fn line_ends_of_windows_are_line_ends() {
    let lines = [
        prompt("One\r\ntwo\r\n\r\n```\r\ncode\r\nmore\r\n```\r\n"),
        said("m1", call("t1", "Bash", json!({"command": "a\r\nb"}))),
        answer("t1", json!("three\r\nfour\rfive")),
    ];
    let page = page("windows.jsonl", &lines, &[]);
    assert!(page.contains("One\ntwo") && page.contains("code\nmore"));
    assert!(page.contains("command: a\nb"), "{page}");
    // A carriage return alone would hide what is before it.
    assert!(page.contains("three\nfour\\u{d}five"));
    assert_eq!(page.matches("u{d}").count(), 1);
    let shown = shown("windows.jsonl", &lines, &["--full"]);
    assert!(shown.contains("four\\rfive"), "{shown}");
    assert_eq!(shown.matches("\\r").count(), 1, "{shown}");
}

/// Characters that cannot be seen, and are not needed to write a language.
/// They can carry a text that only a model reads.
const HIDDEN: [char; 23] = [
    '\u{ad}',
    '\u{34f}',
    '\u{115f}',
    '\u{1160}',
    '\u{17b4}',
    '\u{180e}',
    '\u{200b}',
    '\u{202e}',
    '\u{2060}',
    '\u{2064}',
    '\u{2065}',
    '\u{206a}',
    '\u{206f}',
    '\u{3164}',
    '\u{fe00}',
    '\u{feff}',
    '\u{ffa0}',
    '\u{fff0}',
    '\u{1d173}',
    '\u{e0001}',
    '\u{e0041}',
    '\u{e0100}',
    '\u{e01ef}',
];

#[test]
fn characters_that_cannot_be_seen_are_shown() {
    for c in HIDDEN {
        let lines = [
            prompt(&format!("a{c}b")),
            said(
                "m1",
                call("t1", "Bash", json!({"command": format!("c{c}d")})),
            ),
        ];
        let page = page("hidden.jsonl", &lines, &[]);
        let plain = shown("hidden.jsonl", &lines, &[]);
        let markdown = linetape(
            &[
                "show",
                "--markdown",
                file("hidden.jsonl", &log(&lines)).to_str().unwrap(),
            ],
            b"",
        );
        let markdown = text(&markdown.stdout);
        let code = format!("u{{{:x}}}", u32::from(c));
        for out in [&*page, &plain] {
            assert!(!out.contains(c), "{code}");
            assert!(out.contains(&format!("a\\{code}b")), "{code}: {out}");
            assert!(out.contains(&format!("c\\{code}d")), "{code}: {out}");
        }
        assert!(!markdown.contains(c), "{code}");
    }
    // These are needed: a family, Persian, a red heart.
    let kept = "👩\u{200d}👧 می\u{200c}خواهم ❤\u{fe0f}";
    let lines = [prompt(kept)];
    assert!(page("kept.jsonl", &lines, &[]).contains(kept));
    assert!(shown("kept.jsonl", &lines, &[]).contains(kept));
}

/// Markdown had `****` where a tool without a name was called.
#[test]
fn a_tool_without_a_name_is_called_so() {
    let lines =
        [said("m1", call("t1", "", json!({}))), answer("t1", json!("fine"))];
    let markdown = shown("empty.jsonl", &lines, &[]);
    assert!(markdown.contains("> unnamed tool"), "{markdown}");
    assert!(markdown.contains("< a tool done"), "{markdown}");
    let path = file("empty.jsonl", &log(&lines));
    let markdown =
        linetape(&["show", "--markdown", path.to_str().unwrap()], b"");
    let markdown = text(&markdown.stdout);
    assert!(!markdown.contains("****"), "{markdown}");
    assert!(markdown.contains("unnamed tool"), "{markdown}");
    let page = page("empty.jsonl", &lines, &[]);
    assert!(page.contains("<b>unnamed tool</b>"));
}

/// Only results were cut: one long answer made a page of any size.
#[test]
fn texts_are_cut_with_a_note_that_says_where_they_are() {
    let long = "word ".repeat(60_000) + "the end";
    let thought = json!({"type": "thinking", "thinking": long});
    let lines = [
        prompt("Hi"),
        said("m1", words(&long)),
        said("m2", thought),
        prompt(&long),
    ];
    let cut = page("texts.jsonl", &lines, &[]);
    assert!(!cut.contains("the end"));
    for line in [2, 3, 4] {
        let note = format!(
            "200 KB of 301 KB, 101 KB are left out. All of it is on line \
             {line} of the log, and linetape report --full writes it.",
        );
        assert_eq!(cut.matches(&note).count(), 1, "{line}");
    }
    let full = page("texts.jsonl", &lines, &["--full"]);
    assert_eq!(full.matches("the end").count(), 3);
    // Lines that are invalid or empty count as well, also in a copy.
    let broken = b"{\n\n".iter().copied().chain(log(&lines));
    let path = file("broken.jsonl", &broken.collect::<Vec<u8>>());
    for more in [&[][..], &["--redact"]] {
        let arguments = ["report", path.to_str().unwrap(), "-o", "-"];
        let output = linetape(&[&arguments, more].concat(), b"");
        assert!(text(&output.stdout).contains("on line 4 of the log"));
    }
}

/// An error of a result was written to its end, and so were notes.
#[test]
fn errors_and_notes_are_cut() {
    let long = "word ".repeat(60_000) + "the end";
    let lines = [
        prompt("Hi"),
        prompt(&format!("[Request interrupted by user] {long}")),
        said("m1", json!({"type": format!("odd {long}")})),
        json!({"type": "result", "subtype": "error_during_execution",
               "session_id": "s", "is_error": true, "errors": [long]}),
    ];
    let cut = page("errors.jsonl", &lines, &[]);
    assert_eq!(cut.matches("the end").count(), 0);
    assert!(cut.len() < 900_000, "{}", cut.len());
    let full = page("errors.jsonl", &lines, &["--full"]);
    assert_eq!(full.matches("the end").count(), 3);
}

/// With several files, a line number alone does not say where a text is.
#[test]
fn the_note_of_a_cut_text_names_the_file_by_its_number() {
    let long = "word ".repeat(60_000);
    let first = log(&[prompt("Hi")]);
    let second = log(&[said("m1", words(&long))]);
    let logs = folder(
        "two files",
        &[("a.jsonl", text(&first)), ("b.jsonl", text(&second))],
    );
    let arguments = ["report", logs.to_str().unwrap(), "-o", "-"];
    let page = linetape(&arguments, b"").stdout;
    assert!(text(&page).contains("on line 1 of file 2 of the log"));
}

/// It said `(cut)`.
#[test]
fn a_diff_that_is_cut_says_how_much_is_left_out() {
    let line = |n: usize| format!("+{n:0>99}");
    let hunk = |n: usize| {
        let lines: Vec<String> = (n..n + 1500).map(line).collect();
        json!({"oldStart": n, "newStart": n, "lines": lines})
    };
    let mut result = answer("t1", json!("done"));
    result["toolUseResult"] =
        json!({"structuredPatch": [hunk(1), hunk(2000)]});
    let edit = json!({"file_path": "a", "old_string": "", "new_string": "b"});
    let lines = [said("m1", call("t1", "Edit", edit)), result];
    let cut = page("diff.jsonl", &lines, &[]);
    assert!(
        cut.contains("2,000 of 3,000 lines of the diff, 1,000 are left out"),
    );
    assert!(cut.contains("is on line 2 of the log"));
    assert_eq!(
        page("diff.jsonl", &lines, &["--full"]).matches("left out").count(),
        0
    );
}

/// Pages had the tags with which the agent program writes these.
#[test]
fn commands_and_notifications_are_words_not_tags() {
    let told = "<task-notification>\n<task-id>b1</task-id>\n\
        <tool-use-id>t1</tool-use-id>\n<output-file>/tmp/b1</output-file>\n\
        <status>completed</status>\n<summary>Tests done</summary>\n\
        <result>All\ngreen</result>\n</task-notification>\nRead it.";
    let lines = [
        prompt(
            "<command-name>/review</command-name>\n\
             <command-message>review</command-message>\n\
             <command-args>the last commit</command-args>",
        ),
        prompt("<bash-input>ls -l</bash-input>"),
        prompt(
            "<bash-stdout>a.rs\nb.rs</bash-stdout><bash-stderr></bash-stderr>",
        ),
        prompt("<local-command-stdout>Set to opus</local-command-stdout>"),
        prompt(told),
    ];
    let page = page("told.jsonl", &lines, &[]);
    let (_, transcript) = page.split_once("id=\"transcript\"").unwrap();
    for plain in [
        &shown("told.jsonl", &lines, &[]),
        &shown("told.jsonl", &lines, &["--full"]),
        transcript,
    ] {
        for words in [
            "/review the last commit",
            "! ls -l",
            "a.rs\n",
            "Set to opus",
            "Tests done [completed]",
            "Read it.",
        ] {
            assert!(plain.contains(words), "{words}: {plain}");
        }
        for tag in ["command-name", "bash-", "local-command", "summary>"] {
            assert!(!plain.contains(&format!("<{tag}")), "{tag}: {plain}");
            assert!(!plain.contains(&format!("&lt;{tag}")), "{tag}: {plain}");
        }
    }
    // Nothing is left out in full.
    for all in [&shown("told.jsonl", &lines, &["--full"]), transcript] {
        for words in ["task-id: b1", "output-file: /tmp/b1", "All", "green"] {
            assert!(all.contains(words), "{words}: {all}");
        }
    }
    // The list of turns says the same.
    assert!(page.contains(">/review the last commit</a>"));
    assert_eq!(page.matches("&lt;command-name").count(), 0);
    // What is no such text is as it was.
    let odd = [prompt("<command-name>/a</command-name> and <b>more</b>")];
    assert!(shown("odd.jsonl", &odd, &[]).contains("more"));
}

/// A message had an id, but no link that a person could copy.
#[test]
fn each_message_has_a_link_to_itself() {
    let lines = [
        prompt("Hi"),
        said("m1", words("Hello")),
        said("m2", json!({"type": "thinking", "thinking": "Hm"})),
        said("m3", call("t1", "Bash", json!({"command": "ls"}))),
        prompt("<local-command-stdout>out</local-command-stdout>"),
        // An error had an id, but no link; those of a result had none.
        json!({"type": "system", "subtype": "api_error", "level": "error",
               "session_id": "s", "error": {"message": "Overloaded"}}),
        json!({"type": "result", "subtype": "error_during_execution",
               "session_id": "s", "is_error": true, "errors": ["Broken"]}),
    ];
    let page = page("anchors.jsonl", &lines, &[]);
    let (_, transcript) = page.split_once("id=\"transcript\"").unwrap();
    let mut count = 0;
    for part in transcript.split(" id=\"").skip(1) {
        let (id, _) = part.split_once('"').unwrap();
        assert!(transcript.contains(&format!("href=\"#{id}\"")), "{id}");
        count += 1;
    }
    // Two turns of one message, one of four.
    assert!(count >= 6, "{count}: {transcript}");
    let (before, _) = transcript.split_once(">Broken<").unwrap();
    let (_, step) = before.rsplit_once("<div id=\"s").unwrap();
    assert!(!step.contains("</div>"), "{step}");
}

/// The script sorts a column without `data-v` by its text: 9 after 10.
#[test]
fn columns_of_numbers_are_sorted_as_numbers() {
    let edit = json!({"file_path": "a", "old_string": "", "new_string": "b"});
    let lines =
        [said("m1", call("t1", "Edit", edit)), answer("t1", json!("done"))];
    let page = page("sorted.jsonl", &lines, &[]);
    let mut cells = 0;
    for table in page.split("<table class=\"sort\"").skip(1) {
        let (table, _) = table.split_once("</table>").unwrap();
        let (_, body) = table.split_once("<tbody>").unwrap();
        for cell in body.split("<td class=\"n").skip(1) {
            let (tag, _) = cell.split_once('>').unwrap();
            assert!(tag.contains("data-v=\""), "{cell}");
            cells += 1;
        }
    }
    assert!(cells >= 8, "{cells}");
}
