//! Word lists for progress. The lists here and in `progress.rs` are copies of
//! the library's, so these tests can find wrong uses of a list, but no missing
//! words.

pub const DONE: &str = " done complete completed finished processed ";
pub const OUTCOMES: &str = "adds affects breaks catches covers fails finds fixes gives hits \
    leaves makes means misses needs passes produces removes requires returns \
    reveals saves shows solves suggests takes touches uses works yields";
pub const RETRIES: &str = " attempt attempts try tries retry retries times ";

pub fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|other| other == word.to_lowercase())
}

/// Returns the part of a word after its last punctuation character.
pub fn bare(word: &str) -> &str {
    let ends = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_';
    word.rsplit(ends).next().unwrap()
}

pub fn is_verb(word: &str) -> bool {
    let others = " during string spring morning evening being having missing \
        failing passing remaining including according following rating \
        scoring ranking retrying ";
    (5..=40).contains(&word.len())
        && word.chars().all(|c| c.is_ascii_alphabetic())
        && word.ends_with("ing")
        && !word.ends_with("thing")
        && !others.contains(&format!(" {} ", word.to_lowercase()))
}

/// Returns whether a verb is one for work, and not for choosing, showing or
/// measuring.
pub fn is_work(verb: &str) -> bool {
    let others = "affecting averaging beating choosing containing costing covering \
        cutting decreasing displaying dropping exceeding excluding falling \
        gaining getting growing hitting holding ignoring improving \
        increasing keeping leaving losing matching meaning needing \
        omitting reaching reducing requiring rising saving sharing showing \
        skipping supporting taking totaling trying using wasting winning";
    !has(others, verb)
}

pub fn is_noun(word: &str) -> bool {
    let others = "a about after all an and are around as at because before but by \
        each for from had has have if in is just like my not of on only or \
        out over since so than that the their then these this those to \
        until up was were when which while with within";
    !has(others, word)
}

pub fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}
