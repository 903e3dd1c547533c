//! Every word that `show --full` prints of a message is in the pages of
//! `linetape report`: of the shipped logs, and of real ones if there are any.

use std::{collections::HashSet, fs, path::Path};

use crate::support::{folder, linetape, logs, text};

/// Returns the text of a page with its links, in two ways: with a space for
/// each tag, and with nothing.
fn texts(page: &str) -> [String; 2] {
    let (_, body) = page.split_once("<body>").unwrap();
    let (body, _) = body.split_once("<script>").unwrap();
    let [mut apart, mut joined] = [String::new(), String::new()];
    for part in body.split('<') {
        let (tag, text) = part.split_once('>').unwrap_or(("", part));
        let link = tag.split_once("href=\"").map_or("", |(_, to)| to);
        apart += &format!(" {link} {text}");
        joined += text;
    }
    [apart, joined].map(|text| {
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&amp;", "&")
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty())
}

/// Returns the lines of texts, calls and results. Headings, notes and outcomes
/// are worded in another way.
fn lines(shown: &str) -> impl Iterator<Item = &str> {
    shown.lines().filter_map(|line| {
        let line = line.strip_prefix("  | ").unwrap_or(line);
        let line = line.strip_prefix("  | ").unwrap_or(line);
        let line = line.strip_prefix("  ")?;
        (!line.starts_with(['<', '>', '('])).then_some(line)
    })
}

fn assert_complete(log: &Path, site: &Path) -> usize {
    let (path, to) = (log.to_str().unwrap(), site.to_str().unwrap());
    linetape(&["report", "--full", path, "-o", to], b"");
    let shown =
        linetape(&["show", "--full", "--width", "0", path], b"").stdout;
    let mut pages = [String::new(), String::new()];
    for entry in fs::read_dir(site).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name != "index.html") {
            let page = texts(&fs::read_to_string(&path).unwrap());
            pages[0] += &page[0];
            pages[1] += &page[1];
            fs::remove_file(path).unwrap();
        }
    }
    let known: HashSet<&str> =
        pages.iter().flat_map(|page| words(page)).collect();
    let mut count = 0;
    // A page escapes this one in another way.
    let shown = text(&shown).replace("\\r", " ");
    for line in lines(&shown) {
        for word in words(line) {
            count += 1;
            // Numbers of lists are made by the browser.
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            let is_there = is_number
                || known.contains(word)
                || pages.iter().any(|page| page.contains(word));
            assert!(is_there, "{path}: {word:?} of {line:?}");
        }
    }
    count
}

/// Only the sample was compared.
#[test]
fn pages_have_what_show_prints() {
    let site = folder("site", &[]);
    let counts = logs().into_iter().map(|log| assert_complete(&log, &site));
    assert!(counts.sum::<usize>() > 200);
}
