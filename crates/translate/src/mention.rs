/*!
Finding mentions of sub-agents in a text.

This is a heuristic. The word `agent` is common in such texts, so a name must be
known, or have a hyphen and be introduced as a name: the [crate
documentation](crate#sub-agents-in-a-text) has the table.

Known false positive: an adjective with a hyphen (`the read-only sub-agent`).
Known false negative: a name without a hyphen, until it is known.
*/

use std::collections::HashSet;

/// The names that are always known.
const BUILT_IN: [&str; 3] = ["general-purpose", "Explore", "Plan"];

/// Verbs for starting an agent.
const START_VERBS: [&str; 7] = [
    "using",
    "launching",
    "starting",
    "invoking",
    "spawning",
    "running",
    "delegating to",
];

/// The prefixes of hyphenated words that are not names.
const NOT_NAMES: [&str; 6] =
    ["re-", "pre-", "auto-", "self-", "non-", "agent-"];

/// Finds the names that a text mentions, each once, in the order of their first
/// mention.
pub(crate) fn find<'a>(
    text: &'a str,
    known: &HashSet<Box<str>>,
    mut found: impl FnMut(&'a str),
) {
    let mut seen = HashSet::new();
    // Matches both `agent` and `Agent`.
    for (at, _) in text.match_indices("gent") {
        let name = addressed(text, at)
            .or_else(|| named(text, at, known))
            .or_else(|| introduced(text, at, known));
        if let Some(name) = name
            && seen.insert(name)
        {
            found(name);
        }
    }
}

/// Returns the name in `@agent-NAME`.
fn addressed(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?.strip_suffix("@a")?;
    let after = text.get(at..)?.strip_prefix("gent-")?;
    let is_free = |c: char| c.is_whitespace() || "(`\"*".contains(c);
    if !before.chars().next_back().is_none_or(is_free) {
        return None;
    }
    let end = after.find(|c| !is_part(c)).unwrap_or(after.len());
    let name = after.get(..end)?.trim_end_matches(['-', '_', ':']);
    let rest = after.get(name.len()..)?;
    (is_name(name) && !continues(rest)).then_some(name)
}

/// Returns whether the text after a name makes it part of a path, a host name
/// or a longer word.
fn continues(rest: &str) -> bool {
    let mut rest = rest.chars();
    match rest.next() {
        Some('/' | '@') => true,
        Some('.') => rest.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric(),
        None => false,
    }
}

/// Returns the name in `sub-agent NAME` and `subagent: NAME`.
fn introduced<'a>(
    text: &'a str,
    at: usize,
    known: &HashSet<Box<str>>,
) -> Option<&'a str> {
    let before = strip_sub(text.get(..at)?.strip_suffix(['a', 'A'])?)?;
    let is_free = |c: char| c.is_whitespace() || "(`\"*".contains(c);
    if !before.chars().next_back().is_none_or(is_free) {
        return None;
    }
    let after = text.get(at + "gent".len()..)?;
    let marks = [": ", ":** ", "**: "];
    let marked = marks.iter().find_map(|mark| after.strip_prefix(mark));
    let after = marked.or_else(|| after.strip_prefix(' '))?;
    let quote = after.chars().next().filter(|c| "`\"".contains(*c));
    let after = after.get(quote.map_or(0, |_| 1)..)?;
    let end = after.find(|c| !is_part(c)).unwrap_or(after.len());
    let name = after.get(..end)?.trim_end_matches(['-', '_', ':']);
    let rest = after.get(name.len()..)?;
    let is_whole = match quote {
        Some(quote) => rest.starts_with(quote),
        None => !continues(rest),
    };
    if !is_name(name) || !is_whole {
        return None;
    }
    let is_shown = marked.is_some() || quote.is_some();
    let is_word = NOT_NAMES.iter().any(|start| name.starts_with(start));
    let is_likely = name.contains('-') && (is_shown || !is_word);
    (is_known(name, known) || is_likely).then_some(name)
}

/// Returns the name in `NAME agent`, `NAME sub-agent` and `NAME subagent`.
fn named<'a>(
    text: &'a str,
    at: usize,
    known: &HashSet<Box<str>>,
) -> Option<&'a str> {
    let after = text.get(at + "gent".len()..)?.chars().next();
    if after.is_some_and(|c| c.is_alphanumeric() || "_-/".contains(c)) {
        return None;
    }
    let before = text.get(..at)?.strip_suffix(['a', 'A'])?;
    let (before, is_sub) = match strip_sub(before) {
        Some(before) => (before, true),
        None => (before, false),
    };
    let before = before.strip_suffix(' ')?;
    let quote = before.chars().next_back().filter(|c| "`\"".contains(*c));
    let inner = before.get(..before.len() - quote.map_or(0, |_| 1))?;
    let start = inner.rfind(|c| !is_part(c));
    let start = start.map_or(0, |at| at + char_len(inner, at));
    let name = inner.get(start..)?;
    let mut before = inner.get(..start)?;
    if let Some(quote) = quote {
        before = before.strip_suffix(quote)?;
    }
    let is_free = |c: char| c.is_whitespace() || c == '(';
    if !is_name(name) || !before.chars().next_back().is_none_or(is_free) {
        return None;
    }
    let has_hyphen = name.contains('-');
    let is_code = quote == Some('`') && has_hyphen;
    let is_plain = is_sub && has_hyphen && ends_with_the(before);
    let is_sent = has_hyphen && ends_with_start_verb(before);
    let is_meant = is_code || is_plain || is_sent;
    (is_known(name, known) || is_meant).then_some(name)
}

fn is_known(name: &str, known: &HashSet<Box<str>>) -> bool {
    BUILT_IN.contains(&name) || known.contains(name)
}

/// Returns whether a text ends with a verb for starting an agent.
fn ends_with_start_verb(text: &str) -> bool {
    let Some(text) = text.strip_suffix(' ') else { return false };
    let text = text.strip_suffix(" the").unwrap_or(text);
    let is_part = |c: char| c.is_alphanumeric() || "-_".contains(c);
    START_VERBS.iter().any(|verb| {
        let start = text.len().checked_sub(verb.len());
        let parts = start.and_then(|start| text.split_at_checked(start));
        parts.is_some_and(|(before, word)| {
            word.eq_ignore_ascii_case(verb) && !before.ends_with(is_part)
        })
    })
}

/// Removes the suffix `sub-` or `sub` from a text.
fn strip_sub(text: &str) -> Option<&str> {
    let text = text.strip_suffix('-').unwrap_or(text);
    let start = text.len().checked_sub(3)?;
    let sub = text.get(start..)?;
    sub.eq_ignore_ascii_case("sub").then(|| text.get(..start))?
}

fn ends_with_the(text: &str) -> bool {
    let the = ["the ", "The "];
    let before = the.iter().find_map(|the| text.strip_suffix(the));
    before.is_some_and(|before| !before.ends_with(char::is_alphanumeric))
}

/// Returns the length in bytes of the character at an offset.
fn char_len(text: &str, at: usize) -> usize {
    let c = text.get(at..).and_then(|rest| rest.chars().next());
    c.map_or(0, char::len_utf8)
}

/// Returns whether a character can be part of a name. Names of plugins contain
/// a colon.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_:".contains(c)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= 64
}
