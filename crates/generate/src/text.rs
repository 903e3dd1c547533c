//! Texts: words, sentences, source code, the output of commands, and ids.
//!
//! All text is written in the escaped form that it has in a JSON string.

use std::sync::LazyLock;

use crate::random::Random;

/// The words and lines that texts are made of. `$word` is a random word.
struct Vocabulary {
    words: Vec<&'static str>,
    phrases: Vec<&'static str>,
    code: Vec<String>,
    output: Vec<String>,
    /// Words as raw UTF-8. Each list is one script.
    scripts: Vec<Vec<&'static str>>,
    /// Words that are completely or partly escaped.
    escapes: Vec<&'static str>,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let scripts = include_str!("text/scripts.txt").lines();
    Vocabulary {
        words: include_str!("text/words.txt").split_whitespace().collect(),
        phrases: include_str!("text/phrases.txt").lines().collect(),
        code: include_str!("text/code.txt").lines().map(escaped).collect(),
        output: include_str!("text/output.txt").lines().map(escaped).collect(),
        scripts: scripts.map(|line| line.split(' ').collect()).collect(),
        escapes: include_str!("text/escapes.txt").lines().collect(),
    }
});

fn escaped(line: &str) -> String {
    let line = line.replace('\\', r"\\").replace('"', r#"\""#);
    line.replace('\t', r"\t")
}

/// The average length of a line of code with its newline.
const CODE_LINE: usize = 38;

/// Appends a text of a kind, of about `length` bytes. Returns `false` if there
/// is no such kind.
pub(crate) fn write(
    out: &mut String,
    random: &mut Random,
    kind: &str,
    length: usize,
) -> bool {
    let piece = match kind {
        "word" => return push_word(out, random, "$word"),
        "path" => {
            let ends = [".go", "_test.go", ".go", ".md", ".ts"];
            push_word(out, random, "/home/dev/orchard/internal/$word/");
            push_word(out, random, "$word");
            *out += random.pick(&ends);
            return true;
        }
        "base64" => {
            letters(out, random, BASE64, length);
            return true;
        }
        "code" | "numbered" | "diff" => {
            code(out, random, kind, (length / CODE_LINE).max(1));
            return true;
        }
        "gap" => |out: &mut String, random: &mut Random| {
            out.push(random.pick(&[' ', '\t', '\r']));
        },
        "words" => words,
        "prose" => prose,
        "output" => output,
        "search" => search,
        "report" => report,
        "script" => script,
        _ => return false,
    };
    let end = out.len() + length;
    while out.len() < end {
        piece(out, random);
    }
    true
}

/// Appends a line with its word.
fn push_word(out: &mut String, random: &mut Random, line: &str) -> bool {
    let (before, after) = match line.split_once("$word") {
        Some((before, after)) => {
            (before, [random.pick(&VOCABULARY.words), after])
        }
        None => (line, ["", ""]),
    };
    *out += before;
    out.extend(after);
    true
}

fn words(out: &mut String, random: &mut Random) {
    push_word(
        out,
        random,
        if out.ends_with(' ') { "$word" } else { " $word" },
    );
}

/// Appends a phrase, with few escapes.
fn prose(out: &mut String, random: &mut Random) {
    *out += random.pick(&VOCABULARY.phrases);
    let more = match random.below(24) {
        0 => r" \n\n",
        1 => r" \n- `$word`: ",
        2..5 => " $word ",
        5 => r#" \"$word\" "#,
        _ => " ",
    };
    push_word(out, random, more);
}

/// Appends a line of the output of a command.
fn output(out: &mut String, random: &mut Random) {
    let line = random.choose(&VOCABULARY.output);
    push_word(out, random, line);
    *out += r"\n";
}

/// Appends a line of the output of a search.
fn search(out: &mut String, random: &mut Random) {
    write(out, random, "path", 0);
    *out += &format!(":{}:", random.below(900));
    code(out, random, "code", 1);
}

/// Appends a part of the report of a sub-agent.
fn report(out: &mut String, random: &mut Random) {
    write(out, random, "prose", 500);
    *out += r"\n\n```\n";
    code(out, random, "code", 12);
    *out += r"```\n\n";
}

/// Appends words in many scripts. The script changes after a few words, as in
/// real text.
fn script(out: &mut String, random: &mut Random) {
    let script = random.choose(&VOCABULARY.scripts);
    for _ in 0..random.between(1, 6) {
        *out += random.pick(script);
        out.push(' ');
    }
    *out += match random.below(4) {
        0 => random.pick(&VOCABULARY.escapes),
        1 => r"\n",
        2 => "plain words, ",
        _ => "",
    };
}

/// Appends lines of code: alone, with numbers like the result of a tool that
/// reads a file, or as a diff.
fn code(out: &mut String, random: &mut Random, kind: &str, lines: usize) {
    // A tab needs an escape, spaces do not.
    let indents = [r"\t", r"\t", "  ", "  ", "  "];
    let indent = random.pick(&indents);
    let indent = if kind == "diff" { r"\t" } else { indent };
    // The number of open blocks.
    let mut depth: usize = 0;
    for at in 1..=lines {
        match kind {
            "numbered" => *out += &format!("{at:6}→"),
            "diff" => {
                if at % 40 == 1 {
                    *out += &format!(r"@@ -{at},40 +{},40 @@\n", at + 2);
                }
                *out += random.pick(&[" ", " ", " ", "-", "+"]);
            }
            _ => {}
        }
        let line = random.choose(&VOCABULARY.code);
        depth -= usize::from(depth > 0 && line.starts_with('}'));
        *out += &indent.repeat(depth);
        push_word(out, random, line);
        *out += r"\n";
        depth += usize::from(depth < 5 && line.ends_with('{'));
    }
}

const BASE64: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn letters(
    out: &mut String,
    random: &mut Random,
    alphabet: &[u8; 64],
    count: usize,
) {
    let mut word = 0;
    for at in 0..count {
        word = if at % 10 == 0 { random.next() } else { word >> 6 };
        out.push(char::from(alphabet[(word & 63) as usize]));
    }
}

/// Appends the id of a seed: 22 letters and digits.
pub(crate) fn id(out: &mut String, seed: u64) {
    const LETTERS: &[u8; 64] =
        b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789ABCDEF";
    letters(out, &mut Random::new(seed ^ 0x1d), LETTERS, 22);
}

/// Appends the uuid of a seed.
pub(crate) fn uuid(out: &mut String, seed: u64) {
    let mut random = Random::new(seed ^ 0x75);
    let (high, low) = (random.next(), random.next() >> 16);
    let (a, b, c, d) =
        (high >> 32, high >> 16 & 0xffff, high >> 4 & 0xfff, high & 0xf);
    *out += &format!("{a:08x}-{b:04x}-4{c:03x}-a{d:03x}-{low:012x}");
}

/// Appends a time, in milliseconds since 1970, like
/// `2026-02-14T13:38:21.641Z`.
pub(crate) fn time(out: &mut String, now: u64) {
    let (days, rest) = (now / 86_400_000, now % 86_400_000);
    let (year, month, day) = date(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1_000 % 60, rest % 1_000);
    *out += &format!("{year}-{month:02}-{day:02}");
    *out += &format!("T{hour:02}:{minute:02}:{second:02}.{milli:03}Z");
}

/// Returns the year, month and day of a number of days since 1970.
///
/// The algorithm is Howard Hinnant's `civil_from_days`: years begin in March,
/// so that the leap day is the last day of a year, and are counted in eras of
/// 400 years, which all have the same length.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: &str, length: usize) -> String {
        let mut out = String::new();
        assert!(write(&mut out, &mut Random::new(3), kind, length));
        out
    }

    #[test]
    fn code_line_is_the_average_length() {
        let length = text("code", 20_000 * CODE_LINE).len();
        assert!((length / 20_000).abs_diff(CODE_LINE) <= 1, "{length}");
    }

    #[test]
    fn numbered_code_is_the_same_code() {
        let read = |kind| {
            let json = format!("\"{}\"", text(kind, 9_999));
            serde_json::from_str::<String>(&json).unwrap()
        };
        let (plain, numbered) = (read("code"), read("numbered"));
        assert_eq!(plain.lines().count(), numbered.lines().count());
        for (at, pair) in numbered.lines().zip(plain.lines()).enumerate() {
            assert_eq!(pair.0, format!("{:6}→{}", at + 1, pair.1));
        }
    }

    /// Counts the days of 500 years one by one.
    #[test]
    fn date_agrees_with_counting_days() {
        let mut days = 0;
        for year in 1970..2470 {
            let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
            let february = if leap { 29 } else { 28 };
            let lengths =
                [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(lengths) {
                for day in 1..=length {
                    assert_eq!(date(days), (year, month, day));
                    days += 1;
                }
            }
        }
    }

    #[test]
    fn timestamps_are_iso_8601_with_milliseconds() {
        let mut out = String::new();
        time(&mut out, 1_771_076_301_041);
        assert_eq!(out, "2026-02-14T13:38:21.041Z");
    }
}
