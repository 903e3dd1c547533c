//! Text of a log, escaped for terminals and for Markdown.

use linetape::Escaped;
use linetape_session::conversation::is_hidden;

/// A fence of the log: its character, and how often.
#[derive(Clone, Copy)]
pub struct Fence(char, usize);

/// Returns a text with control characters, and those that cannot be seen, made
/// visible. Line breaks are escaped too.
pub fn visible(text: &str) -> String {
    let text = Escaped::new(text).to_string();
    if !text.contains(is_hidden) {
        return text;
    }
    let mut all = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) {
            true => all.extend(c.escape_unicode()),
            false => all.push(c),
        }
    }
    all
}

/// Returns a text of several lines made visible. A tab is four spaces.
pub fn visible_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\t', "    ");
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n")
}

/// Returns the fence that a line begins a code block with.
pub fn fence_of(line: &str) -> Option<Fence> {
    let text = line.trim_start();
    let first = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = text.chars().take_while(|c| *c == first).count();
    (count >= 3).then_some(Fence(first, count))
}

/// Returns whether a line ends a code block.
pub fn is_end(line: &str, fence: Fence) -> bool {
    let Fence(sign, count) = fence;
    let text = line.trim();
    text.chars().all(|c| c == sign) && text.len() >= count
}

/// Returns a code block with a fence that is longer than any in it.
pub fn fenced(text: &str) -> String {
    let text = visible_lines(text.trim_end());
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    format!("{fence}\n{text}\n{fence}")
}

/// Returns a text as code inside of a paragraph.
pub fn code(text: &str) -> String {
    let text = visible_lines(text).replace('\n', " ");
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(text) + 1);
    // One space on each side is not shown.
    let space = if text.contains('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

/// Escapes a line of a paragraph. Its indentation is kept.
pub fn prose(line: &str) -> String {
    let line = visible_lines(line).replace('\n', " ");
    let text = line.trim_start();
    let indent = line.chars().count() - text.chars().count();
    let mut out = "&nbsp;".repeat(indent);
    let text = text.trim_end();
    // What begins a heading, a list, a quote, a table or a line.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    out += number;
    // A word that is written as code begins with a backtick, and that must not
    // be escaped.
    let is_code = rest.split(' ').next().is_some_and(is_link);
    if !is_code && rest.starts_with(['#', '+', '-', '=', '>', ':', '.', ')']) {
        out.push('\\');
    }
    out + &words(rest)
}

/// Escapes a text inside of a line.
pub fn inline(text: &str) -> String {
    let text = visible_lines(text).replace('\n', " ");
    words(&text)
}

fn words(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive(' ') {
        let (bare, space) = match word.strip_suffix(' ') {
            Some(bare) => (bare, " "),
            None => (word, ""),
        };
        match is_link(bare) {
            true => out += &code(bare),
            false => out.extend(bare.chars().flat_map(escaped)),
        }
        out += space;
    }
    out
}

/// Returns whether a word may become a link, a mention or an emoji, although
/// its characters are escaped.
fn is_link(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_number = |(at, _): (usize, &str)| {
        let next = word.as_bytes().get(at + 1);
        next.is_some_and(u8::is_ascii_digit)
    };
    word.contains('@')
        || lower.contains("://")
        || lower.contains("www.")
        || word.match_indices('#').any(is_number)
        || word.matches(':').count() > 1
}

fn escaped(c: char) -> impl Iterator<Item = char> {
    let is_sign = matches!(
        c,
        '\\' | '`'
            | '*'
            | '_'
            | '{'
            | '}'
            | '['
            | ']'
            | '<'
            | '&'
            | '~'
            | '|'
            | '$'
            | '!'
            | '^'
    );
    is_sign.then_some('\\').into_iter().chain([c])
}

#[cfg(test)]
mod tests {
    use super::{code, fenced, prose};

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        assert_eq!(fenced("a"), "```\na\n```");
        assert_eq!(fenced("```` x\n```"), "`````\n```` x\n```\n`````");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code(" "), "");
    }

    #[test]
    fn the_start_of_a_line_is_not_interpreted() {
        for (line, expected) in [
            ("# Hi", r"\# Hi"),
            ("- item", r"\- item"),
            ("12. item", r"12\. item"),
            ("3) item", r"3\) item"),
            ("===", r"\==="),
            ("    code", "&nbsp;&nbsp;&nbsp;&nbsp;code"),
            ("<b>&amp;", r"\<b>\&amp;"),
            ("see https://x.example now", "see `https://x.example` now"),
            ("ask @ada", "ask `@ada`"),
            ("#7 <b>", r"`#7` \<b>"),
            ("1.@x", "1`.@x`"),
            ("\u{202e}x\x1b[2J", r"\\u\{202e\}x\\u\{1b\}\[2J"),
        ] {
            assert_eq!(prose(line), expected);
        }
    }
}
