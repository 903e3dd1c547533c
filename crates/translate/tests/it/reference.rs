//! The twins of the translations: they work on words and on whole logs, look
//! back through all that was, and owe nothing to the library.

use std::collections::BTreeSet;

use serde_json::{Value, json};

const DONE: &str = " done complete completed finished processed ";
const OUTCOMES: &str = "adds affects breaks catches covers fails finds fixes gives hits \
    leaves makes means misses needs passes produces removes requires returns \
    reveals saves shows solves suggests takes touches uses works yields";
const RETRIES: &str = " attempt attempts try tries retry retries times ";

fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|other| other == word.to_lowercase())
}

/// The twin takes a line apart into words, and looks at whole ones.
pub fn naive_progress(text: &str) -> Vec<(String, u64, u64)> {
    let mut found = vec![];
    for line in text.split('\n') {
        let line = &without_bold(line);
        let words: Vec<&str> = line.split(' ').collect();
        // Where the last count ended, as what is left of the line.
        let mut end = line.len() + 1;
        for (at, word) in words.iter().enumerate() {
            let start = words[..at].iter().map(|word| word.len() + 1);
            let start: usize = start.sum();
            for (offset, _) in word.match_indices(|c: char| c.is_ascii_digit())
            {
                let before = &word[..offset];
                let rest = &line[start + offset..];
                let within = before.ends_with(|c: char| c.is_ascii_digit());
                if within || rest.len() >= end {
                    continue;
                }
                let Some((n, m, sign, tail)) = naive_count(rest) else {
                    continue;
                };
                let left = &words[..at];
                if let Some(step) = naive_step(left, before, n, sign, tail) {
                    found.push((step, n, m));
                    end = tail.len() + 1;
                }
            }
        }
    }
    found
}

/// A line in which `**5** of **20**` is `5 of 20`.
fn without_bold(line: &str) -> String {
    let mut parts: Vec<String> =
        line.split("** of **").map(str::to_string).collect();
    let mut whole = parts.remove(0);
    for part in parts {
        let digit = |c: char| c.is_ascii_digit();
        let left = whole.trim_end_matches(digit);
        let right = part.trim_start_matches(digit);
        let (n, m) = (&whole[left.len()..], part.strip_suffix(right).unwrap());
        let is_bold = left.ends_with("**") && right.starts_with("**");
        whole = match is_bold && !n.is_empty() && !m.is_empty() {
            true => {
                format!("{}{n} of {m}{}", &left[..left.len() - 2], &right[2..])
            }
            false => format!("{whole}** of **{part}"),
        };
    }
    whole
}

fn naive_count(text: &str) -> Option<(u64, u64, char, &str)> {
    let number = |text: &str| -> Option<(u64, usize)> {
        let end = text.find(|c: char| !c.is_ascii_digit());
        let digits = &text[..end.unwrap_or(text.len())];
        let number: u64 = digits.parse().ok()?;
        let is_plain = number.to_string() == digits && number < 1_000_000_000;
        is_plain.then_some((number, digits.len()))
    };
    let (n, length) = number(text)?;
    let rest = &text[length..];
    let (m, sign, tail) = if let Some(tail) = rest.strip_prefix('%') {
        (100, '%', tail)
    } else {
        let signs =
            [(" out of ", 'w'), (" of ", 'w'), (" / ", '/'), ("/", '/')];
        let (mark, sign) = signs.iter().find(|(m, _)| rest.starts_with(m))?;
        let rest = &rest[mark.len()..];
        let (m, length) = number(rest)?;
        (m, *sign, &rest[length..])
    };
    let next: Vec<char> = tail.chars().take(2).collect();
    let ends = match next[..] {
        [] => true,
        [c] => ".,;:!? )]*\u{2026}".contains(c),
        [a, b] => {
            " )]*\u{2026}".contains(a)
                || ".,;:!?".contains(a) && !b.is_alphanumeric()
        }
        _ => unreachable!(),
    };
    (ends && m >= 1 && n <= m).then_some((n, m, sign, tail))
}

fn naive_step(
    left: &[&str],
    before: &str,
    n: u64,
    sign: char,
    tail: &str,
) -> Option<String> {
    let after: Vec<&str> = tail.split(' ').collect();
    // `[3/7] Linking`
    if left.iter().all(|word| word.is_empty())
        && (before, sign) == ("[", '/')
        && after[0] == "]"
    {
        let step: String = tail[1..].trim().chars().take(80).collect();
        let step = step.trim_end_matches(|c| ".: \u{2026}".contains(c));
        return Some(if step.is_empty() { "Progress" } else { step }.into());
    }
    // `[ 3/10] Linking`, `(3/7) linking`
    let lead = [left, &[before]].concat().join(" ");
    let lead = lead.trim_start();
    let next = tail.get(1..).unwrap_or_default().trim_start_matches(' ');
    let end = next.find(|c: char| !c.is_ascii_alphabetic());
    let (word, rest) = next.split_at(end.unwrap_or(next.len()));
    let is_word =
        !rest.starts_with(|c: char| c.is_alphanumeric() || "-_'".contains(c));
    let is_start = is_word
        && (is_verb(word) || word.starts_with(|c: char| c.is_uppercase()));
    let is_apart = next.is_empty() || tail[1..].starts_with(' ');
    let is_square = lead.trim_end() == "[" && after[0] == "]";
    let is_round = lead.trim_end() == "(" && after[0] == ")" && is_start;
    if sign == '/' && is_apart && lead.len() < 10 && (is_square || is_round) {
        let step: String = next.trim().chars().take(80).collect();
        let step = step.trim_end_matches(|c| ".: \u{2026}".contains(c));
        return Some(if step.is_empty() { "Progress" } else { step }.into());
    }
    // What is done, if anything, and of what.
    let is_done = |word: &str| {
        let end = word.find(|c: char| !c.is_ascii_alphabetic());
        let (word, rest) = word.split_at(end.unwrap_or(word.len()));
        let goes_on = |c: char| c.is_alphanumeric() || "-_'".contains(c);
        let word = format!(" {} ", word.to_lowercase());
        word.len() > 2 && DONE.contains(&word) && !rest.starts_with(goes_on)
    };
    let done = match after[..] {
        ["", word, ..] if is_done(word) => Some(None),
        ["", noun, word, ..]
            if is_done(word)
                && !noun.is_empty()
                && noun.chars().all(|c| c.is_ascii_alphabetic()) =>
        {
            Some(Some(noun))
        }
        _ => None,
    };
    // A verb and its nouns.
    let last = left.last().copied().unwrap_or_default();
    let bracketed = !left.is_empty()
        && (before == "(" && tail.starts_with(')')
            || before == "[" && tail.starts_with(']'));
    let marked = ["**:", ":", ":**", "...", "\u{2026}"]
        .iter()
        .find_map(|mark| last.strip_suffix(mark))
        .filter(|_| before.is_empty());
    let is_over = tail.is_empty()
        || tail.starts_with(|c| ".,;!?)]*\u{2026}".contains(c))
        || tail.starts_with(" (");
    let is_new = is_over
        || after[0].starts_with(':')
        || after.len() > 2
            && after[0].is_empty()
            && ["-", "\u{2013}", "\u{2014}"].contains(&after[1]);
    let is_numbered = before.is_empty() || before == "#";
    if bracketed || marked.is_some() {
        let mut words = left.to_vec();
        if let Some(word) = marked {
            *words.last_mut().unwrap() = word;
        }
        if is_over || done.is_some() {
            let last = words.last().unwrap().to_lowercase();
            if last.rsplit(['(', '[', '*', '"']).next() == Some("progress") {
                return Some("Progress".into());
            }
            if let Some((verb, nouns)) = naive_phrase(&words) {
                return Some(
                    [&[capital(verb)][..], &nouns].concat().join(" "),
                );
            }
        }
    } else if is_numbered
        && sign != '%'
        && let Some((verb, mut nouns)) = naive_phrase(left)
        && let Some(noun) = nouns.last_mut()
        && (!noun.ends_with('s') || noun.ends_with("ss"))
    {
        let letters: Vec<char> = noun.chars().rev().collect();
        *noun = match letters[..] {
            ['y', vowel, ..] if "aeou".contains(vowel) => format!("{noun}s"),
            ['y', ..] => format!("{}ies", &noun[..noun.len() - 1]),
            ['s' | 'x' | 'z', ..] => format!("{noun}es"),
            ['h', 'c' | 's', ..] => format!("{noun}es"),
            _ => format!("{noun}s"),
        };
        return Some([&[capital(verb)][..], &nouns].concat().join(" "));
    }
    // Several, behind a verb.
    if before.is_empty()
        && marked.is_none()
        && sign == 'w'
        && is_new
        && let Some((verb, nouns)) = naive_phrase(left)
        && !nouns.is_empty()
        && is_work(verb)
        && !has(OUTCOMES, last)
        && naive_opens(&left[..left.len() - nouns.len()])
    {
        return Some(format!("{} {}", capital(verb), nouns.join(" ")));
    }
    let word = last.rsplit(['(', '[', '*', '"']).next().unwrap();
    let counted = naive_counted(tail);
    // A verb, and what is counted.
    if before.is_empty() && is_verb(word) && is_work(word) && naive_opens(left)
    {
        let nothing = (String::new(), is_new);
        let counted = match sign {
            '%' => Some(nothing),
            _ => counted.clone().map(|c| c.unwrap_or(nothing)),
        };
        match counted {
            Some((nouns, true)) if !nouns.is_empty() => {
                return Some(format!("{} {nouns}", capital(word)));
            }
            Some((nouns, true)) if nouns.is_empty() && sign != '/' => {
                return Some(capital(word));
            }
            _ => {}
        }
    }
    // A word that counts.
    let counters = "step phase stage test task file item batch iteration \
        chunk part module epoch";
    let others = "pass round page chapter commit case example";
    let is_other =
        has(others, word) && naive_opens(left) && (is_new || done.is_some());
    let is_counter = has(counters, word) || is_other;
    if is_counter && is_numbered && sign != '%' {
        return Some(format!("{} {n}", capital(word)));
    }
    // What was done, before it.
    let mark = [":**", "**:", ":"].iter().find(|m| last.ends_with(**m));
    let unmarked = last.strip_suffix(mark.unwrap_or(&"")).unwrap();
    let word = unmarked.rsplit(['(', '[', '*', '"']).next().unwrap();
    let earlier = left.len().checked_sub(2).map_or("", |at| left[at]);
    let alone = unmarked == word;
    if before.is_empty()
        && mark.is_some()
        && is_over
        && alone
        && has(DONE, word)
        && !has("complete", word)
        && let Some(nouns) = naive_nouns(&left[..left.len() - 1])
    {
        return Some(capital(&nouns));
    }
    let unmarked_left = [&left[..left.len().max(1) - 1], &[unmarked]].concat();
    if before.is_empty()
        && has("ran", word)
        && naive_opens(&unmarked_left)
        && sign != '%'
        && let Some(Some((nouns, true))) = &counted
    {
        return Some(capital(nouns));
    }
    if before.is_empty()
        && has(DONE, word)
        && !has("complete", word)
        && !(alone && naive_denied(earlier))
    {
        match (counted, sign) {
            (Some(Some((nouns, is_over))), 'w' | '/')
                if mark.is_none() || is_over =>
            {
                return Some(capital(&nouns));
            }
            (Some(None), 'w') if mark.is_none() || is_new => {
                return Some("Progress".into());
            }
            (Some(None), '%') if is_new => return Some("Progress".into()),
            _ => {}
        }
    }
    // What is done.
    let denied = before.is_empty() && naive_denied(last);
    let is_free = before.is_empty() || before.ends_with(['(', '[', '*']);
    if denied || !is_free {
        return None;
    }
    match done? {
        Some(_) if sign == '%' => None,
        Some("not" | "never") => None,
        Some(noun) if has(RETRIES, noun) => None,
        Some(noun) if is_noun(noun) => Some(capital(noun)),
        _ => Some("Progress".into()),
    }
}

/// The word that others end with, without what stands before it.
fn bare(word: &str) -> &str {
    let ends = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_';
    word.rsplit(ends).next().unwrap()
}

fn naive_denied(word: &str) -> bool {
    let denials = "not until once if when than unless yet never be";
    word.ends_with("n't") || has(denials, bare(word))
}

/// Whether the last of some words begins a clause, or is so now.
fn naive_opens(words: &[&str]) -> bool {
    let words = words.join(" ");
    let letters = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let before = words.trim_end_matches(letters);
    if !before.is_empty() && !before.ends_with([' ', '(', '[', '*', '"']) {
        return false;
    }
    let before = before.trim_end_matches([' ', '*']);
    let opened = match before.chars().last() {
        None => true,
        Some(c) if c.is_ascii() => ".:;!?([\"#>-".contains(c),
        Some(c) => !c.is_alphanumeric(),
    };
    opened || has("am are is m re s now currently still", bare(before))
}

/// What is counted, and whether no more is said then. None at all if it is
/// how often something was tried.
fn naive_counted(tail: &str) -> Option<Option<(String, bool)>> {
    let Some(tail) = tail.strip_prefix(' ') else { return Some(None) };
    let mut nouns: Vec<&str> = vec![];
    for part in tail.split(' ').take(3) {
        let end = part.find(|c: char| !c.is_ascii_alphabetic());
        let (word, mark) = part.split_at(end.unwrap_or(part.len()));
        let goes_on = |c: char| c.is_alphanumeric() || "-_'".contains(c);
        if word.is_empty() || mark.starts_with(goes_on) {
            break;
        }
        if has(RETRIES, word) {
            return None;
        }
        if !is_noun(word) || word.ends_with("ly") {
            break;
        }
        nouns.push(word);
        if word.ends_with('s') && !word.ends_with("ss") {
            let nouns = nouns.join(" ");
            let rest = &tail[nouns.len()..];
            let marks = ".,;:!?)]*\u{2026}";
            let is_over = rest.is_empty()
                || rest.starts_with(|c| marks.contains(c))
                || [" (", " - ", " \u{2013} ", " \u{2014} "]
                    .iter()
                    .any(|mark| rest.starts_with(mark));
            return Some(Some((nouns, is_over)));
        }
        if !mark.is_empty() {
            break;
        }
    }
    Some(None)
}

/// The nouns at the end of some words, if they open a clause.
fn naive_nouns(words: &[&str]) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    for count in 1..=words.len().min(3) {
        let nouns = &words[words.len() - count..];
        let first = nouns[0].rsplit(|c| !is_part(c)).next().unwrap();
        let is_good = first.starts_with(|c: char| c.is_ascii_alphabetic())
            && first.len() <= 40
            && is_noun(first)
            && !first.ends_with("ly")
            && !has(RETRIES, first);
        let last = nouns[count - 1];
        if !is_good || !last.ends_with('s') || last.ends_with("ss") {
            return None;
        }
        if naive_opens(&words[..words.len() - count + 1]) {
            return Some([&[first], &nouns[1..]].concat().join(" "));
        }
        if first != nouns[0] {
            return None;
        }
    }
    None
}

/// The last verb of some words, and the nouns that follow it.
fn naive_phrase<'a>(words: &[&'a str]) -> Option<(&'a str, Vec<String>)> {
    let bare =
        |word: &'a str| word.rsplit(['(', '[', '*', '"']).next().unwrap();
    let at = words.iter().rposition(|word| is_verb(bare(word)))?;
    let nouns: Vec<String> =
        words[at + 1..].iter().map(|noun| noun.to_string()).collect();
    let is_good = |noun: &String| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        noun.starts_with(|c: char| c.is_ascii_alphabetic())
            && noun.chars().all(is_part)
            && noun.len() <= 40
            && is_noun(noun)
            && !has(RETRIES, noun)
            && !noun.ends_with("ly")
    };
    let is_phrase = nouns.len() <= 3 && nouns.iter().all(is_good);
    is_phrase.then(|| (bare(words[at]), nouns))
}

fn is_verb(word: &str) -> bool {
    let others = " during string spring morning evening being having missing \
        failing passing remaining including according following rating \
        scoring ranking retrying ";
    (5..=40).contains(&word.len())
        && word.chars().all(|c| c.is_ascii_alphabetic())
        && word.ends_with("ing")
        && !word.ends_with("thing")
        && !others.contains(&format!(" {} ", word.to_lowercase()))
}

/// Whether a verb goes through what is counted.
fn is_work(verb: &str) -> bool {
    let others = "affecting averaging beating choosing containing costing covering \
        cutting decreasing displaying dropping exceeding excluding falling \
        gaining getting growing hitting holding ignoring improving \
        increasing keeping leaving losing matching meaning needing \
        omitting reaching reducing requiring rising saving sharing showing \
        skipping supporting taking totaling trying using wasting winning";
    !has(others, verb)
}

fn is_noun(word: &str) -> bool {
    let others = "a about after all an and are around as at because before but by \
        each for from had has have if in is just like my not of on only or \
        out over since so than that the their then these this those to \
        until up was were when which while with within";
    !has(others, word)
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// Whether some words set something to work.
fn naive_sent(words: &[&str]) -> bool {
    let words = match words {
        [words @ .., "the"] => words,
        words => words,
    };
    let is_part = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let last = |word: &str| {
        word.rsplit(|c| !is_part(c)).next().unwrap().to_ascii_lowercase()
    };
    match words {
        [.., verb, to] if to.eq_ignore_ascii_case("to") => {
            last(verb) == "delegating" && verb.ends_with(['g', 'G'])
        }
        [.., verb] => has(
            "using launching starting invoking spawning running",
            &last(verb),
        ),
        [] => false,
    }
}

/// The twin looks at pairs of words, and at words with an `@`.
pub fn naive_mentions(text: &str, known: &BTreeSet<String>) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_:".contains(c);
    let is_name = |name: &str| {
        name.chars().all(is_part)
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    let is_told = |name: &str| {
        ["general-purpose", "Explore", "Plan"].contains(&name)
            || known.contains(name)
    };
    let words: Vec<&str> = text.split(' ').collect();
    let mut names: Vec<String> = vec![];
    for (at, word) in words.iter().enumerate() {
        let mut paired = false;
        // The pair with the word before.
        let lower = word.to_lowercase();
        let sub = ["sub-", "sub", ""].iter().find(|s| lower.starts_with(*s));
        let is_sub = !sub.unwrap().is_empty();
        let agent = &lower[sub.unwrap().len()..];
        let rest = word[word.len() - agent.len()..].strip_prefix(['a', 'A']);
        let rest = rest.and_then(|rest| rest.strip_prefix("gent"));
        let is_agent = rest.is_some_and(|rest| {
            !rest.starts_with(|c: char| {
                c.is_alphanumeric() || "_-/".contains(c)
            })
        });
        if is_agent && at > 0 {
            let whole = words[at - 1];
            let cut = |c: char| c.is_whitespace() || c == '(';
            let shown = whole.rsplit(cut).next().unwrap();
            let quoted = |q| shown.strip_prefix(q)?.strip_suffix(q);
            let code: Option<&str> = quoted('`');
            let name = code.or(quoted('"')).unwrap_or(shown);
            let the = at > 1 && shown == whole && {
                let before = words[at - 2];
                let the = ["the", "The"];
                let before = the.iter().find_map(|t| before.strip_suffix(t));
                before.is_some_and(|b| !b.ends_with(char::is_alphanumeric))
            };
            let sent = shown == whole && naive_sent(&words[..at - 1]);
            let fits = is_told(name)
                || name.contains('-')
                    && (code.is_some() || is_sub && the || sent);
            if is_name(name) && fits {
                names.push(name.to_string());
                paired = true;
            }
        }
        for (at, mark) in word.match_indices("@agent-") {
            let free = |c: char| c.is_whitespace() || "(`\"*".contains(c);
            let name = &word[at + mark.len()..];
            let name = name.split(|c| !is_part(c)).next().unwrap();
            let name = name.trim_end_matches(['-', '_', ':']);
            let rest = &word[at + mark.len() + name.len()..];
            let next = rest.chars().nth(1);
            let goes_on = rest.starts_with(['/', '@'])
                || rest.starts_with('.')
                    && next.is_some_and(char::is_alphanumeric)
                || rest.starts_with(char::is_alphanumeric);
            let before = word[..at].chars().next_back();
            if before.is_none_or(free) && is_name(name) && !goes_on {
                names.push(name.to_string());
            }
        }
        // The pair with the word after.
        let marks = [":**", "**:", ":", ""];
        let mark = marks.iter().find(|mark| word.ends_with(**mark)).unwrap();
        let head = word.strip_suffix(mark).unwrap();
        let lower = head.to_ascii_lowercase();
        let sub = ["sub-agent", "subagent"]
            .iter()
            .find_map(|sub| lower.strip_suffix(sub));
        let free = |c: char| c.is_whitespace() || "(`\"*".contains(c);
        if let (Some(sub), Some(next)) = (sub, words.get(at + 1))
            && head.ends_with("gent")
            && sub.chars().next_back().is_none_or(free)
            && !(paired && sub.is_empty())
        {
            let quote = next.chars().next().filter(|c| "`\"".contains(*c));
            let next = next.trim_start_matches(|c| Some(c) == quote);
            let name = next.split(|c| !is_part(c)).next().unwrap();
            let name = name.trim_end_matches(['-', '_', ':']);
            let rest: Vec<char> = next[name.len()..].chars().collect();
            let whole = match (quote, &rest[..]) {
                (Some(quote), rest) => rest.first() == Some(&quote),
                (None, ['/' | '@', ..]) => false,
                (None, ['.', c, ..]) => !c.is_alphanumeric(),
                (None, rest) => {
                    !rest.first().is_some_and(|c| c.is_alphanumeric())
                }
            };
            let start = name.split('-').next().unwrap();
            let likely = name.contains('-')
                && (!mark.is_empty()
                    || quote.is_some()
                    || !["re", "pre", "auto", "self", "non", "agent"]
                        .contains(&start));
            if is_name(name) && whole && (is_told(name) || likely) {
                names.push(name.to_string());
            }
        }
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Something that a line says about the call with an id.
#[derive(PartialEq)]
enum News {
    Asked,
    Started(Value),
    Ended,
    Answered,
}

/// The last of some news about a call, if it has an id.
fn last<'n>(
    news: &'n [(Value, News)],
    id: &Value,
    is_meant: fn(&News) -> bool,
) -> Option<&'n News> {
    let meant = |(of, news): &&(Value, News)| of == id && is_meant(news);
    let last = news.iter().rev().find(meant).filter(|_| id.is_string());
    last.map(|(_, news)| news)
}

fn is_asked(news: &[(Value, News)], id: &Value) -> bool {
    let is_meant = |news: &News| matches!(news, News::Asked | News::Answered);
    last(news, id, is_meant) == Some(&News::Asked)
}

fn runs(news: &[(Value, News)], id: &Value) -> Option<Value> {
    let is_meant =
        |news: &News| matches!(news, News::Started(_) | News::Ended);
    match last(news, id, is_meant) {
        Some(News::Started(agent)) => Some(agent.clone()),
        _ => None,
    }
}

/// The twin keeps everything, and looks back through it.
pub fn naive_frames(lines: &[Value]) -> Vec<Value> {
    let (mut frames, mut session) = (vec![], Value::Null);
    let mut news: Vec<(Value, News)> = vec![];
    let mut known = BTreeSet::new();
    let string = |value: &Value| match value {
        Value::String(_) => value.clone(),
        _ => Value::Null,
    };
    for line in lines {
        if let Some(own) = session_of(line) {
            session = json!(own);
        }
        let mut tell = |kind: &str, mut frame: Value| {
            let members = frame.as_object_mut().unwrap();
            members.insert("type".into(), json!(kind));
            if kind != "progress_update" {
                members.insert("conversationId".into(), session.clone());
            }
            members.retain(|_, value| !value.is_null());
            frames.push(frame);
        };
        let ended = |id: &Value, failed: bool, agent: Value| {
            let status = if failed { "failed" } else { "finished" };
            json!({"agent": agent, "status": status, "toolUseId": id})
        };
        let subtype = line["subtype"].as_str();
        match (line["type"].as_str(), subtype) {
            (Some("system"), Some("init")) => {
                let names = line["agents"].as_array().into_iter().flatten();
                known.extend(names.filter_map(|n| Some(n.as_str()?.into())));
            }
            (Some("system"), Some("task_notification")) => {
                let id = &line["tool_use_id"];
                let failed = match line["status"].as_str() {
                    Some("completed") => false,
                    Some("failed" | "killed" | "stopped") => true,
                    _ => continue,
                };
                if let Some(agent) = runs(&news, id) {
                    tell("sub_agent_progress", ended(id, failed, agent));
                    news.push((id.clone(), News::Ended));
                }
            }
            (Some("control_request"), _) => {
                let request = &line["request"];
                let (id, input) = (&request["tool_use_id"], &request["input"]);
                let asks = request["subtype"] == "can_use_tool";
                if asks && !is_asked(&news, id) {
                    let said = string(&request["description"]);
                    let of_input = string(&input["description"]);
                    let said = if said.is_null() { of_input } else { said };
                    tell(
                        "permission_request",
                        json!({
                            "toolUseId": string(id), "input": input,
                            "toolName": string(&request["tool_name"]),
                            "description": said,
                        }),
                    );
                    news.push((id.clone(), News::Asked));
                }
            }
            _ => {}
        }
        let parent = &line["parentUuid"];
        let failed = tells_of_error(line);
        if line["type"] == "system"
            && !matches!(subtype, Some("init" | "task_notification"))
            && (failed || subtype == Some("tool_result"))
        {
            news.push((parent.clone(), News::Answered));
            if let Some(agent) = runs(&news, parent) {
                tell("sub_agent_progress", ended(parent, failed, agent));
                news.push((parent.clone(), News::Ended));
            }
        }
        if line["type"] == "assistant" {
            let tasks = all_blocks(line).into_iter().filter(|block| {
                block["type"] == "tool_use"
                    && (block["name"] == "Task" || block["name"] == "Agent")
            });
            known.extend(tasks.filter_map(|block| {
                Some(block["input"]["subagent_type"].as_str()?.to_owned())
            }));
        }
        for block in all_blocks(line) {
            let (id, input) = (&block["id"], &block["input"]);
            let description = string(&input["description"]);
            match (line["type"].as_str(), block["type"].as_str()) {
                (Some("assistant"), Some("text")) if !is_side(line) => {
                    let Some(text) = block["text"].as_str() else { continue };
                    tell("claude_response", json!({"content": text}));
                    for (step, n, m) in naive_progress(text) {
                        tell(
                            "progress_update",
                            json!({
                                "currentStep": step, "completedSteps": n,
                                "totalSteps": m,
                                "percentage": (n * 100) as f64 / m as f64,
                            }),
                        );
                    }
                    for name in naive_mentions(text, &known) {
                        let frame =
                            json!({"agent": name, "status": "mentioned"});
                        tell("sub_agent_progress", frame);
                    }
                }
                (Some("assistant"), Some("tool_use"))
                    if block["name"] == "Task" || block["name"] == "Agent" =>
                {
                    let agent = string(&input["subagent_type"]);
                    if runs(&news, id).is_none() {
                        tell(
                            "sub_agent_progress",
                            json!({
                                "agent": agent, "status": "started",
                                "description": description,
                                "toolUseId": string(id),
                            }),
                        );
                        news.push((id.clone(), News::Started(agent)));
                    }
                }
                (Some("assistant"), Some("tool_use"))
                    if !is_asked(&news, id) =>
                {
                    tell(
                        "permission_request",
                        json!({
                            "toolUseId": string(id),
                            "toolName": string(&block["name"]),
                            "input": input, "description": description,
                        }),
                    );
                    news.push((id.clone(), News::Asked));
                }
                (Some("user"), Some("tool_result")) => {
                    let id = &block["tool_use_id"];
                    let failed = block["is_error"] == true;
                    let launch = ["toolUseResult", "tool_use_result"]
                        .iter()
                        .any(|key| line[key]["status"] == "async_launched");
                    news.push((id.clone(), News::Answered));
                    let agent = runs(&news, id);
                    if let (Some(agent), true) = (agent, failed || !launch) {
                        tell("sub_agent_progress", ended(id, failed, agent));
                        news.push((id.clone(), News::Ended));
                    }
                }
                _ => {}
            }
        }
    }
    frames
}

/// The blocks of a line, and the call or the answer that the line is itself,
/// in the form of one.
fn all_blocks(line: &Value) -> Vec<Value> {
    let mut blocks = blocks(line);
    let calls = blocks.iter().any(|block| block["type"] == "tool_use");
    if line["type"] == "assistant"
        && line["subtype"] == "tool_use"
        && line["toolName"].is_string()
        && !calls
    {
        let mut call = json!({"type": "tool_use", "id": line["uuid"],
            "name": line["toolName"]});
        if let Some(input) = line.get("toolArguments") {
            call["input"] = input.clone();
        }
        blocks.push(call);
    }
    blocks
}

/// Whether a line of the system tells of an error.
fn tells_of_error(line: &Value) -> bool {
    let subtype = line["subtype"].as_str();
    line["isError"] == true
        || line["isApiErrorMessage"] == true
        || matches!(subtype, Some("error" | "api_error"))
}

fn session_of(line: &Value) -> Option<&str> {
    let saved = line.get("parentUuid").or(line.get("isSidechain")).is_some();
    let mut keys = ["session_id", "sessionId"];
    if saved {
        keys.reverse();
    }
    keys.iter().find_map(|key| line[key].as_str())
}

fn is_side(line: &Value) -> bool {
    line["isSidechain"] == true || line["parent_tool_use_id"].is_string()
}

/// The blocks of a line; a string is one of text.
pub fn blocks(line: &Value) -> Vec<Value> {
    let content = match &line["message"] {
        Value::String(text) => json!(text),
        message => message["content"].clone(),
    };
    match content {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks,
        _ => vec![],
    }
}

/// What one session of an agent server has seen.
#[derive(Default)]
struct Seen {
    turns: u64,
    /// The message that came in last in pieces of text.
    streamed: Option<Value>,
    reason: Option<Value>,
    tokens: (u64, u64),
}

/// Whether the parent of a line is a call that had no answer before it.
fn is_open(lines: &[Value], line: &Value) -> bool {
    let id = &line["parentUuid"];
    let before = lines.iter().take_while(|other| !std::ptr::eq(*other, line));
    let before: Vec<&Value> = before.collect();
    let last = before.iter().rev().find_map(|other| {
        let call = all_blocks(other).len() > blocks(other).len();
        let ends = other["type"] == "system"
            && (other["subtype"] == "tool_result" || tells_of_error(other));
        (call && other["uuid"] == *id)
            .then_some(true)
            .or((ends && other["parentUuid"] == *id).then_some(false))
    });
    last == Some(true)
}

/// The events of a log, by the names of its sessions. Streams are whole.
pub fn naive_events(lines: &[Value]) -> Vec<Value> {
    let mut events = vec![];
    let mut names: Vec<&str> = vec![""];
    let mut all = vec![Seen::default()];
    let mut at = 0;
    for line in lines {
        let own = session_of(line);
        if let Some(own) = own {
            at = names
                .iter()
                .skip(1)
                .position(|n| *n == own)
                .map_or(names.len(), |p| p + 1);
            if at == names.len() {
                names.push(own);
                all.push(Seen::default());
            }
        }
        let seen = &mut all[at];
        let turn = json!({"role": "Assistant", "sequence": seen.turns + 1});
        let of_all = match own {
            Some(_) => json!({"session_id": at}),
            None => json!({}),
        };
        let mut tell = |name: &str, more: Value| {
            let mut event = match name {
                "Error" | "System" => of_all.clone(),
                _ => json!({"session_id": at}),
            };
            event
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            events.push(json!({name: event}));
        };
        let chunk = |text: &Value| json!({"text": text, "turn_id": turn});
        let mut usage = Value::Null;
        let event = &line["event"];
        match line["type"].as_str() {
            Some("stream_event") if !is_side(line) => {
                match event["type"].as_str() {
                    Some("message_start") => {
                        seen.streamed = None;
                        usage = event["message"]["usage"].clone();
                    }
                    Some("content_block_delta") => {
                        let start = lines
                            .iter()
                            .take_while(|other| !std::ptr::eq(*other, line));
                        let start = start.filter(|other| {
                            session_of(other) == Some(names[at])
                        });
                        let id = start
                            .map(|other| &other["event"]["message"]["id"]);
                        seen.streamed =
                            id.filter(|id| id.is_string()).last().cloned();
                        tell("TextChunk", chunk(&event["delta"]["text"]));
                    }
                    _ => {
                        seen.reason =
                            Some(event["delta"]["stop_reason"].clone());
                        usage = event["usage"].clone();
                    }
                }
            }
            Some("assistant") => {
                let message = &line["message"];
                let again = seen.streamed.as_ref() == Some(&message["id"]);
                for block in all_blocks(line) {
                    if block["type"] == "text" && !again && !is_side(line) {
                        tell("TextChunk", chunk(&block["text"]));
                    }
                    if block["type"] == "tool_use" {
                        tell(
                            "ToolExecuting",
                            json!({"tool_use_id": block["id"],
                            "tool_name": block["name"], "input": block["input"]}),
                        );
                    }
                }
                if !is_side(line) {
                    let reason = &message["stop_reason"];
                    seen.reason = seen
                        .reason
                        .take()
                        .filter(|_| reason.is_null())
                        .or(Some(reason.clone()).filter(|r| !r.is_null()));
                    usage = message["usage"].clone();
                }
            }
            Some("user") => {
                for block in blocks(line) {
                    if block["type"] == "tool_result" {
                        let texts: Vec<String> = match &block["content"] {
                            Value::String(text) => vec![text.clone()],
                            content => content
                                .as_array()
                                .into_iter()
                                .flatten()
                                .filter(|part| part["type"] == "text")
                                .map(|part| {
                                    part["text"].as_str().unwrap().to_string()
                                })
                                .collect(),
                        };
                        tell(
                            "ToolCompleted",
                            json!({"tool_use_id": block["tool_use_id"],
                            "result": texts.join("\n")}),
                        );
                    }
                }
            }
            Some("result") if line["is_error"] == true => {
                tell("Error", json!({"message": line["subtype"]}));
            }
            Some("result") => {
                let own = Some(&line["stop_reason"]).filter(|r| !r.is_null());
                let reason = own.cloned().or(seen.reason.take());
                let reason = match reason.as_ref().and_then(|r| r.as_str()) {
                    Some("max_tokens" | "model_context_window_exceeded") => {
                        "MaxTokens"
                    }
                    Some("stop_sequence") => "StopSequence",
                    Some("tool_use") => "ToolUse",
                    _ => "EndTurn",
                };
                tell(
                    "Complete",
                    json!({"turn_id": turn, "stop_reason": reason}),
                );
            }
            Some("system")
                if line["parentUuid"].is_string()
                    && (line["subtype"] == "tool_result"
                        || tells_of_error(line) && is_open(lines, line)) =>
            {
                let said = line["message"].as_str().unwrap_or_default();
                tell(
                    "ToolCompleted",
                    json!({"tool_use_id": line["parentUuid"],
                        "result": said}),
                );
            }
            Some("system") if tells_of_error(line) => {
                let said = line.get("message").unwrap_or(&line["subtype"]);
                tell("Error", json!({"message": said}))
            }
            Some("system") => {
                tell("System", json!({"message": line["subtype"]}))
            }
            Some("error") => {
                tell("Error", json!({"message": line["error"]["message"]}))
            }
            _ => {}
        }
        if line["type"] == "result" {
            (seen.turns, seen.streamed, seen.reason) =
                (seen.turns + 1, None, None);
        }
        let count = |key: &str| usage[key].as_u64();
        let input = [
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        ];
        let tokens = (
            input
                .iter()
                .filter_map(|key| count(key))
                .reduce(|a, b| a + b)
                .unwrap_or(seen.tokens.0),
            count("output_tokens").unwrap_or(seen.tokens.1),
        );
        if usage.is_object() && tokens != seen.tokens {
            seen.tokens = tokens;
            tell(
                "TokenUpdate",
                json!({"input_tokens": tokens.0, "output_tokens": tokens.1}),
            );
        }
    }
    events
}
