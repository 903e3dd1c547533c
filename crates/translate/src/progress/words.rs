/*!
The words that tell progress from other counts.

The lists were made by reading logs. They are not complete: a word that is
missing makes a mistake of the heuristic, and is added here.
*/

/// The most bytes of a word.
const MAX_WORD: usize = 40;

/// Counting words.
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

/// Ambiguous counting words: they are verbs or references as often.
pub(crate) const WEAK_COUNTERS: [&str; 7] =
    ["pass", "round", "page", "chapter", "commit", "case", "example"];

/// Words for done.
pub(crate) const DONE: [&str; 4] =
    ["done", "completed", "finished", "processed"];

/// Words before a verb that say that it happens now; some are endings, as in
/// `I'm`.
pub(crate) const NOW: [&str; 9] =
    ["am", "are", "is", "m", "re", "s", "now", "currently", "still"];

/// Words for attempts. A retry is no progress.
pub(crate) const RETRIES: [&str; 7] =
    ["attempt", "attempts", "try", "tries", "retry", "retries", "times"];

/// Words in `ing` that do not say what is being done.
const NO_VERBS: [&str; 18] = [
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

/// Verbs before a count that choose, show or measure.
pub(crate) const NO_WORK: [&str; 44] = [
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
pub(crate) const NO_NOUNS: [&str; 53] = [
    "a", "about", "after", "all", "an", "and", "are", "around", "as", "at",
    "because", "before", "but", "by", "each", "for", "from", "had", "has",
    "have", "if", "in", "is", "just", "like", "my", "not", "of", "on", "only",
    "or", "out", "over", "since", "so", "than", "that", "the", "their",
    "then", "these", "this", "those", "to", "until", "up", "was", "were",
    "when", "which", "while", "with", "within",
];

/// Words before a count that deny it, or make it a condition.
pub(crate) const DENIALS: [&str; 10] = [
    "not", "until", "once", "if", "when", "than", "unless", "yet", "never",
    "be",
];

/// Returns whether the word at the end of a text is a whole word.
pub(crate) fn begins(text: &str, word: &str) -> bool {
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
        && !is_among(word, &NO_VERBS)
}

/// Returns whether a word after a count says that it is done.
pub(crate) fn is_done(word: &str) -> bool {
    // Before a count, `complete` is an instruction.
    is_among(word, &DONE) || word.eq_ignore_ascii_case("complete")
}

pub(crate) fn is_noun(word: &str) -> bool {
    !is_among(word, &NO_NOUNS) && !word.ends_with("ly")
}

pub(crate) fn is_plural(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("ss")
}

pub(crate) fn is_among(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| other.eq_ignore_ascii_case(word))
}

/// Returns the word of letters that a text begins with, and the rest.
pub(crate) fn first_word(text: &str) -> Option<(&str, &str)> {
    let letters = text.bytes().take(MAX_WORD + 1);
    let length = letters.take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = text.split_at_checked(length)?;
    let goes_on = |c: char| c.is_alphanumeric() || "-_'".contains(c);
    let is_word = length > 0 && length <= MAX_WORD;
    (is_word && !rest.starts_with(goes_on)).then_some((word, rest))
}

pub(crate) fn capitalised(word: &str) -> String {
    let mut word = word.to_string();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}

/// Puts the last word of a text in the plural.
pub(crate) fn make_plural(text: &mut String) {
    let ends = |end: &str| text.ends_with(end);
    let hisses = ["s", "x", "z", "ch", "sh"].into_iter().any(ends);
    let vowels = ["ay", "ey", "oy", "uy"];
    if ends("y") && !vowels.into_iter().any(ends) {
        text.pop();
        text.push_str("ies");
    } else {
        text.push_str(if hisses { "es" } else { "s" });
    }
}
