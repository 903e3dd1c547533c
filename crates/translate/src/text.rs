/*!
What a text of the model reports: progress, and sub-agents. The [crate
documentation](crate#texts) describes both.
*/

use std::collections::HashSet;

/// The phrases that report progress if a count follows, without a plural `s`,
/// and the name of the step.
const STEPS: [(&str, &str); 9] = [
    ("running test", "Running tests"),
    ("running step", "Running steps"),
    ("processing file", "Processing files"),
    ("processing item", "Processing items"),
    ("step", "Steps"),
    ("phase", "Phases"),
    ("test", "Tests"),
    ("task", "Tasks"),
    ("file", "Files"),
];

/// The agents that need not be named by `init` or by a call.
const BUILT_IN: [&str; 3] = ["general-purpose", "Explore", "Plan"];

/// The maximum number of digits of a number. Longer numbers do not count
/// steps.
const MAX_DIGITS: usize = 9;

/// The progress of a step.
pub(crate) struct Progress {
    pub(crate) step: &'static str,
    pub(crate) completed: u32,
    pub(crate) total: u32,
}

/// Calls `found` with each progress report in a text, in order.
pub(crate) fn progress(text: &str, mut found: impl FnMut(Progress)) {
    let is_digit = |c: char| c.is_ascii_digit();
    for (at, _) in text.match_indices(is_digit) {
        if let Some((before, count)) = text.split_at_checked(at)
            && !before.ends_with(is_digit)
            && let Some(progress) = progress_of(before, count)
        {
            found(progress);
        }
    }
}

/// Returns the progress of a count, such as `5 of 20`, and the text before it.
fn progress_of(before: &str, count: &str) -> Option<Progress> {
    let (completed, rest) = number(count)?;
    let rest = rest.strip_prefix(" of ").or_else(|| rest.strip_prefix('/'))?;
    let (total, after) = number(rest)?;
    let phrase = before.strip_suffix(' ')?;
    let phrase = phrase.strip_suffix(':').unwrap_or(phrase);
    let phrase = phrase.strip_suffix('s').unwrap_or(phrase);
    let (_, step) = STEPS.iter().find(|(name, _)| ends_with(phrase, name))?;
    let is_part = total > 0 && completed <= total && !continues(after);
    is_part.then_some(Progress { step, completed, total })
}

/// Parses a number at the start of a text. Returns it and the rest.
fn number(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(length)?;
    let is_plain = digits == "0" || !digits.starts_with('0');
    let is_short = digits.len() <= MAX_DIGITS;
    (is_plain && is_short).then_some((digits.parse().ok()?, rest))
}

/// Returns whether a text ends with a phrase in lower case, of whole words.
fn ends_with(text: &str, phrase: &str) -> bool {
    let start = text.len().checked_sub(phrase.len());
    let parts = start.and_then(|start| text.split_at_checked(start));
    parts.is_some_and(|(before, end)| {
        end.eq_ignore_ascii_case(phrase) && !before.ends_with(is_part_of_name)
    })
}

/// Calls `found` with each agent that a text mentions, once, in the order of
/// their first mention.
pub(crate) fn mentions<'a>(
    text: &'a str,
    known: &HashSet<Box<str>>,
    mut found: impl FnMut(&'a str),
) {
    let mut seen = HashSet::new();
    // Matches both `agent` and `Agent`.
    for (at, word) in text.match_indices("gent") {
        let (Some(before), Some(after)) =
            (text.get(..at), text.get(at + word.len()..))
        else {
            continue;
        };
        let is_known =
            |name: &&str| BUILT_IN.contains(name) || known.contains(*name);
        let name = addressed(before, after)
            .or_else(|| named(before, after).filter(is_known));
        if let Some(name) = name
            && seen.insert(name)
        {
            found(name);
        }
    }
}

/// Returns the name in `@agent-NAME`.
fn addressed<'a>(before: &str, after: &'a str) -> Option<&'a str> {
    let before = before.strip_suffix("@a")?;
    let after = after.strip_prefix('-')?;
    let end = after.find(|c| !is_part_of_name(c)).unwrap_or(after.len());
    let name = after.get(..end)?.trim_end_matches(['-', '_', ':']);
    let rest = after.strip_prefix(name)?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_free(before) && is_name && !continues(rest)).then_some(name)
}

/// Returns the name in `NAME agent`, `NAME sub-agent` and `NAME subagent`. The
/// name may be in quotes.
fn named<'a>(before: &'a str, after: &str) -> Option<&'a str> {
    if after.starts_with(|c| is_part_of_name(c) || c == '/') {
        return None;
    }
    let before = before.strip_suffix(['a', 'A'])?;
    let sub = ["sub-", "sub", "Sub-", "Sub"];
    let sub = sub.iter().find_map(|sub| before.strip_suffix(sub));
    let before = sub.unwrap_or(before).strip_suffix(' ')?;
    let before = before.strip_suffix(['`', '"']).unwrap_or(before);
    let name = before.rsplit(|c| !is_part_of_name(c)).next()?;
    is_free(before.strip_suffix(name)?).then_some(name)
}

/// Returns whether the text after a number or a name makes it a part of a
/// date, a path, an address or a longer word.
fn continues(rest: &str) -> bool {
    let mut rest = rest.chars();
    match rest.next() {
        Some('/' | '@' | '-') => true,
        Some('.') => rest.next().is_some_and(char::is_alphanumeric),
        next => next.is_some_and(char::is_alphanumeric),
    }
}

/// Returns whether a name can begin after a text.
fn is_free(before: &str) -> bool {
    let last = before.chars().next_back();
    last.is_none_or(|c| c.is_whitespace() || "(`\"*".contains(c))
}

/// Returns whether a character can be part of a name. Names of plugins contain
/// a colon.
fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || "-_:".contains(c)
}
