//! `linetape show --markdown`: nothing in a log is interpreted, and nothing is
//! lost. A Markdown parser reads the output.

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Value, json};

use crate::support::{
    file,
    lines::{self, answer, log, printed, said, words},
    linetape, logs, text,
};

/// A message with a tool call.
fn tool(id: &str, name: &str, input: Value) -> Value {
    said(id, lines::call(id, name, input))
}

/// What a parser finds.
#[derive(Default)]
struct Found {
    text: String,
    links: usize,
    html: usize,
    headings: Vec<String>,
    others: Vec<String>,
}

/// Reads Markdown with everything that a parser can be told to interpret.
fn found(markdown: &str) -> Found {
    let options = Options::all()
        - Options::ENABLE_SMART_PUNCTUATION
        - Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        - Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut found = Found::default();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
                found.text.push_str(&part);
            }
            Event::SoftBreak | Event::HardBreak => found.text.push('\n'),
            Event::Html(_) | Event::InlineHtml(_) => found.html += 1,
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                found.links += 1;
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(pulldown_cmark::TagEnd::Heading(_)) => {
                found.headings.extend(heading.take());
                found.text.push('\n');
            }
            Event::Start(
                Tag::Paragraph
                | Tag::BlockQuote(_)
                | Tag::CodeBlock(_)
                | Tag::Strong
                | Tag::Emphasis,
            ) => {}
            Event::Start(other) => found.others.push(format!("{other:?}")),
            Event::End(_) => found.text.push('\n'),
            other => found.others.push(format!("{other:?}")),
        }
    }
    found
}

/// Texts that mean something in Markdown or HTML, or on a terminal.
const HOSTILE: [&str; 24] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- gone -->",
    "# A heading",
    "A heading\n===",
    "A heading\n---",
    "[a link](javascript:alert(1))",
    "![an image](https://evil.example/x.png)",
    "<https://evil.example>",
    "https://evil.example and www.evil.example",
    "[ref]\n\n[ref]: https://evil.example",
    "- a list\n  - of two\n1. and more",
    "> a quote",
    "    indented code",
    "```html\n<b>code</b>\n```",
    "````\n```\n````\n# not a heading",
    "~~~\nnever closed",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "*em* **strong** ~~gone~~ `code` ``two`` $math$ $$more$$",
    "&lt;b&gt; &amp; &#60;",
    "back\\slash\\",
    "\u{1b}[2J\u{202e}esrever\u{7}",
    "[^1]\n\n[^1]: a note\n\nTerm\n: definition",
    "- [ ] a task @ada :tada: #12 ::: x",
];

#[test]
fn nothing_of_a_log_is_interpreted() {
    for hostile in HOSTILE {
        assert_not_interpreted(hostile);
    }
}

/// The first sign of a line was escaped, and its first word was then written as
/// code: the escape took the backtick at the start of the code, and from there
/// code and text had changed places.
#[test]
fn a_line_that_starts_with_a_sign_and_a_link_is_not_interpreted() {
    for start in ["#7", ">@x", "-http://a.example", ":a:", ".@x", "1)@x"] {
        let link = "https://a.example/<script>alert(1)</script>";
        let picture = "![a](http://a.example/x.png)";
        assert_not_interpreted(&format!("{start} is fixed: see {link}"));
        assert_not_interpreted(&format!("{start} {picture}"));
    }
}

/// Random texts, made of what means something in Markdown.
#[test]
fn no_random_text_is_interpreted() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..150 {
        let mut text = String::new();
        for _ in 0..1 + random.below(4) {
            text += STARTS[random.below(STARTS.len())];
            for _ in 0..random.below(6) {
                text += PARTS[random.below(PARTS.len())];
            }
            text.push('\n');
        }
        assert_not_interpreted(&text);
    }
}

/// With what lines start.
const STARTS: [&str; 30] = [
    "", "", "#", "##", "# ", "#1", "> ", ">", "-", "- ", "+ ", "=", "===",
    "---", "***", "1. ", "1", "2)", ".", ":", ": ", "    ", "\t", "```",
    "~~~", "|", "[a]: ", "<b>", "\\", "\u{3000}",
];

/// Of what lines are made.
const PARTS: [&str; 46] = [
    "<b>",
    "</b>",
    "`",
    "``",
    "```",
    "http://a.example/",
    "@u",
    "#1",
    "a",
    "![a](http://a.example/x.png)",
    "[a](http://b.example)",
    "[a]",
    " ",
    " ",
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "1. ",
    "# ",
    "===",
    "---",
    "|",
    "|-|",
    "\\",
    "&lt;",
    "<http://c.example>",
    "<!--",
    "-->",
    "*",
    "_",
    "**",
    "~~",
    "$",
    "www.a.example",
    ":",
    "::",
    "\u{a0}",
    "\r",
    "\u{b}",
    "<script>",
    "[^1]",
];

/// Numbers for choices, by xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }
}

/// Shows a log with a text at every place, and reads what is shown.
fn assert_not_interpreted(hostile: &str) {
    let log = log(&[
        json!({"type": "user", "sessionId": hostile, "message": {"content": hostile}}),
        said("m1", json!({"type": "thinking", "thinking": hostile})),
        said("m1", words(hostile)),
        tool("t1", hostile, json!({"command": hostile})),
        answer("t1", json!(hostile)),
        tool("t2", "Edit", json!({"file_path": hostile})),
        answer("t2", json!(hostile)),
        tool("t3", "", json!({"description": hostile})),
        json!({"type": "result", "subtype": hostile, "errors": [hostile]}),
    ]);
    for arguments in [
        &["show", "--markdown", "-"][..],
        &["show", "--markdown", "--full", "-"],
    ] {
        let output = linetape(arguments, &log);
        let markdown = text(&output.stdout);
        let found = found(markdown);
        let (links, html) = (found.links, found.html);
        assert_eq!((links, html), (0, 0), "{hostile:?}\n{markdown}");
        assert_eq!(found.others, [""; 0], "{hostile:?}\n{markdown}");
        let known = |heading: &String| {
            ["Session", "User", "Assistant"]
                .iter()
                .any(|name| heading.starts_with(name))
        };
        let headings = &found.headings;
        assert!(headings.iter().all(known), "{headings:?}\n{markdown}");
        let is_hidden = |c: char| {
            c.is_control() && c != '\n'
                || ('\u{202a}'..='\u{202e}').contains(&c)
        };
        assert!(!markdown.contains(is_hidden), "{markdown:?}");
    }
}

/// Returns a text as a reader sees it: words, and visible control characters.
fn seen(text: &str) -> String {
    let escaped: Vec<String> = text
        .replace("\r\n", "\n")
        .split('\n')
        .map(|line| linetape_escaped(&line.replace('\t', "    ")))
        .collect();
    escaped.join(" ").split_whitespace().collect()
}

fn linetape_escaped(line: &str) -> String {
    line.chars()
        .map(|c| match c {
            c if c.is_control() => c.escape_default().to_string(),
            '\u{2028}'
            | '\u{2029}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => c.escape_default().to_string(),
            c => c.to_string(),
        })
        .collect()
}

#[test]
fn every_text_is_seen_once() {
    for hostile in HOSTILE {
        let marked = format!("begin {hostile} end");
        let log =
            log(&[json!({"type": "user", "message": {"content": marked}})]);
        let shown = printed(&["show", "--markdown"], &log);
        let all: String = found(&shown).text.split_whitespace().collect();
        let text = seen(&marked);
        assert_eq!(all.matches(&text).count(), 1, "{text}\n{shown}");
    }
}

#[test]
fn real_logs_have_no_links_and_no_html() {
    let mut count = 0;
    for path in logs() {
        let path = path.to_str().unwrap();
        let output = linetape(&["show", "--markdown", "--full", path], b"");
        let markdown = text(&output.stdout);
        let found = found(markdown);
        assert_eq!((found.links, found.html), (0, 0), "{path}");
        assert_eq!(found.others, [""; 0], "{path}");
        count += found.headings.len();
    }
    assert!(count > 10);
}

#[test]
fn a_file_and_a_pipe_give_the_same_markdown() {
    let log = log(&[
        tool("t1", "Read", json!({"file_path": "a"})),
        tool("t2", "Read", json!({"file_path": "b"})),
        answer("t2", json!("two\nlines")),
        answer("t1", json!("one")),
    ]);
    let path = file("markdown.jsonl", &log);
    let shown = printed(&["show", "--markdown"], &log);
    let expected = "\
# Session `s`

### Assistant

**Read** `a`

→ Read done \\[1 line\\]

**Read** `b`

→ Read done \\[2 lines\\]
";
    assert_eq!(shown, expected);
    let output =
        linetape(&["show", "--markdown", path.to_str().unwrap()], b"");
    assert_eq!(text(&output.stdout), expected);
}
