//! Reference implementation of progress in a text: it splits lines into words.

use super::words::{
    DONE, OUTCOMES, RETRIES, bare, capital, has, is_noun, is_verb, is_work,
};

/// Returns the progress in a text.
pub fn naive_progress(text: &str) -> Vec<(String, u64, u64)> {
    let mut found = vec![];
    for line in text.split('\n') {
        let line = &without_bold(line);
        let words: Vec<&str> = line.split(' ').collect();
        // The length of the rest of the line after the last count.
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

/// Returns a line in which `**5** of **20**` is `5 of 20`.
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
    // A completion word after the count, and the noun before that word.
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
    // A verb, then nouns in the plural.
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
    // A verb and the counted nouns.
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
    // A counting word.
    let counters = "step phase stage test task file item batch iteration \
        chunk part module epoch";
    let others = "pass round page chapter commit case example";
    let is_other =
        has(others, word) && naive_opens(left) && (is_new || done.is_some());
    let is_counter = has(counters, word) || is_other;
    if is_counter && is_numbered && sign != '%' {
        return Some(format!("{} {n}", capital(word)));
    }
    // A completion word before the count.
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
    // A completion word after the count.
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

fn naive_denied(word: &str) -> bool {
    let denials = "not until once if when than unless yet never be";
    word.ends_with("n't") || has(denials, bare(word))
}

/// Returns whether the last word of a list begins a clause, or follows a word
/// such as `now`.
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

/// Returns the counted nouns, and whether the clause ends after them. `None`
/// if attempts are counted.
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

/// Returns the nouns at the end of a list of words, if they open a clause.
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

/// Returns the last verb of a list of words, and the nouns after it.
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
