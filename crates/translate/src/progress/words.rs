/*!
Word lists that distinguish progress from other counts.

The lists were made by reading logs, and are not complete. To fix a false
positive or a false negative of the heuristic, add the missing word.
*/

/// The maximum length of a word in bytes.
const MAX_WORD: usize = 40;

/// Counting words: they make the count after them progress.
pub(crate) const COUNTERS: [&str; 13] = [
    "step",
    "phase",
    "stage",
    "test",
    "task",
    "file",
    "item",
    "batch",
    "iteration",
    "chunk",
    "part",
    "module",
    "epoch",
];

/// Ambiguous counting words, which are often verbs or references.
pub(crate) const WEAK_COUNTERS: [&str; 7] =
    ["pass", "round", "page", "chapter", "commit", "case", "example"];

/// Completion words.
pub(crate) const DONE: [&str; 4] =
    ["done", "completed", "finished", "processed"];

/// Words before a verb in the present progressive. Some are contractions, as
/// in `I'm`.
pub(crate) const NOW: [&str; 9] =
    ["am", "are", "is", "m", "re", "s", "now", "currently", "still"];

/// Words for attempts. A retry is not progress.
pub(crate) const RETRIES: [&str; 7] =
    ["attempt", "attempts", "try", "tries", "retry", "retries", "times"];

/// Words that end in `ing` and are not verbs for work.
const NOT_VERBS: [&str; 18] = [
    "during",
    "string",
    "spring",
    "morning",
    "evening",
    "being",
    "having",
    "missing",
    "failing",
    "passing",
    "remaining",
    "including",
    "according",
    "following",
    "rating",
    "scoring",
    "ranking",
    "retrying",
];

/// Verbs that choose, show or measure a count, and do not work through it.
pub(crate) const NOT_WORK: [&str; 44] = [
    "affecting",
    "averaging",
    "beating",
    "choosing",
    "containing",
    "costing",
    "covering",
    "cutting",
    "decreasing",
    "displaying",
    "dropping",
    "exceeding",
    "excluding",
    "falling",
    "gaining",
    "getting",
    "growing",
    "hitting",
    "holding",
    "ignoring",
    "improving",
    "increasing",
    "keeping",
    "leaving",
    "losing",
    "matching",
    "meaning",
    "needing",
    "omitting",
    "reaching",
    "reducing",
    "requiring",
    "rising",
    "saving",
    "sharing",
    "showing",
    "skipping",
    "supporting",
    "taking",
    "totaling",
    "trying",
    "using",
    "wasting",
    "winning",
];

/// Verbs in the third person that look like plurals.
pub(crate) const OUTCOMES: [&str; 30] = [
    "adds", "affects", "breaks", "catches", "covers", "fails", "finds",
    "fixes", "gives", "hits", "leaves", "makes", "means", "misses", "needs",
    "passes", "produces", "removes", "requires", "returns", "reveals",
    "saves", "shows", "solves", "suggests", "takes", "touches", "uses",
    "works", "yields",
];

/// Words that are not nouns.
pub(crate) const NOT_NOUNS: [&str; 53] = [
    "a", "about", "after", "all", "an", "and", "are", "around", "as", "at",
    "because", "before", "but", "by", "each", "for", "from", "had", "has",
    "have", "if", "in", "is", "just", "like", "my", "not", "of", "on", "only",
    "or", "out", "over", "since", "so", "than", "that", "the", "their",
    "then", "these", "this", "those", "to", "until", "up", "was", "were",
    "when", "which", "while", "with", "within",
];

/// Words before a count that make it a negation or a condition.
pub(crate) const NEGATIONS: [&str; 10] = [
    "not", "until", "once", "if", "when", "than", "unless", "yet", "never",
    "be",
];

/// Returns whether `word`, at the end of `text`, begins at a word boundary.
pub(crate) fn is_at_boundary(text: &str, word: &str) -> bool {
    let before = text.strip_suffix(word).unwrap_or_default();
    before.chars().next_back().is_none_or(|c| " \t([*\"".contains(c))
}

/// Returns the word that a text ends with.
pub(crate) fn last_word(text: &str) -> Option<&str> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"-_".contains(b);
    let tail = text.bytes().rev().take(MAX_WORD + 1);
    let length = tail.take_while(is_part).count();
    let word = text.get(text.len().checked_sub(length)?..)?;
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_word && length <= MAX_WORD).then_some(word)
}

pub(crate) fn is_verb(word: &str) -> bool {
    word.len() >= 5
        && word.ends_with("ing")
        && !word.ends_with("thing")
        && word.bytes().all(|b| b.is_ascii_alphabetic())
        && !is_among(word, &NOT_VERBS)
}

/// Returns whether a word after a count is a completion word.
pub(crate) fn is_done(word: &str) -> bool {
    // Before a count, `complete` is an instruction.
    is_among(word, &DONE) || word.eq_ignore_ascii_case("complete")
}

pub(crate) fn is_noun(word: &str) -> bool {
    !is_among(word, &NOT_NOUNS) && !word.ends_with("ly")
}

pub(crate) fn is_plural(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("ss")
}

pub(crate) fn is_among(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| other.eq_ignore_ascii_case(word))
}

/// Returns the word of ASCII letters at the start of a text, and the rest.
pub(crate) fn first_word(text: &str) -> Option<(&str, &str)> {
    let letters = text.bytes().take(MAX_WORD + 1);
    let length = letters.take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = text.split_at_checked(length)?;
    let continues = |c: char| c.is_alphanumeric() || "-_'".contains(c);
    let is_word = length > 0 && length <= MAX_WORD;
    (is_word && !rest.starts_with(continues)).then_some((word, rest))
}

pub(crate) fn capitalised(word: &str) -> String {
    let mut word = word.to_string();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}

/// Changes the last word of a text to its plural.
pub(crate) fn make_plural(text: &mut String) {
    let ends = |end: &str| text.ends_with(end);
    let is_sibilant = ["s", "x", "z", "ch", "sh"].into_iter().any(ends);
    let vowels = ["ay", "ey", "oy", "uy"];
    if ends("y") && !vowels.into_iter().any(ends) {
        text.pop();
        text.push_str("ies");
    } else {
        text.push_str(if is_sibilant { "es" } else { "s" });
    }
}
