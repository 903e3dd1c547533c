//! Reference implementation of mentions of sub-agents: it compares pairs of
//! words.

use std::collections::BTreeSet;

use super::words::has;

/// Returns whether a list of words ends with a verb for starting an agent.
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

/// Returns the names that a text mentions. It compares pairs of words, and
/// words with an `@`.
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
