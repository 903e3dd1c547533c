/*!
How far a text says that the work is.

Counts are common in prose, and few of them are about progress: so a count is
taken only where something beside it says so. The grammar is in the tables of
[`translate`](crate::session::translate). A line is read once, from left to
right; around each count, a few words are looked at.
*/

/// A part of the work that is done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    pub(crate) step: String,
    pub(crate) completed: u64,
    pub(crate) total: u64,
}

impl Progress {
    /// From 0 to 100.
    pub(crate) fn percentage(&self) -> f64 {
        // Both are small enough to be exact.
        self.completed as f64 * 100.0 / self.total as f64
    }
}

/// Longer numbers count no steps.
const MAX_DIGITS: usize = 9;
/// Longer words, in bytes, are none.
const MAX_WORD: usize = 40;
/// How many words may stand between a verb and its count.
const MAX_NOUNS: usize = 3;
/// How many characters of a line are taken for the name of a step.
const MAX_STEP: usize = 80;

/// Words that count steps by themselves.
const COUNTERS: [&str; 10] = [
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
];

const DONE: [&str; 5] =
    ["done", "complete", "completed", "finished", "processed"];

/// Words that end like verbs, and do not say what is being done.
const NO_VERBS: [&str; 17] = [
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
];

/// Words that are not what is being counted.
const NO_NOUNS: [&str; 42] = [
    "a", "about", "all", "an", "and", "are", "around", "as", "at", "by",
    "each", "for", "from", "had", "has", "have", "if", "in", "is", "just",
    "like", "my", "not", "of", "on", "only", "or", "out", "over", "so",
    "than", "that", "the", "their", "these", "this", "those", "to", "up",
    "was", "were", "with",
];

/// Words before a count that say that it is not so, or not yet.
const DENIALS: [&str; 7] =
    ["not", "until", "once", "if", "when", "than", "unless"];

/// What a text says about progress, from first to last.
pub(crate) fn find(text: &str, mut found: impl FnMut(Progress)) {
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let mut at = 0;
        while let Some(start) = find_digit(line, at) {
            at = start + leading_digits(line.get(start..).unwrap_or_default());
            let Some(count) = Count::read(line, start) else { continue };
            if let Some(step) = count.step(start == indent + 1) {
                at = line.len() - count.after.len();
                let (completed, total) = (count.completed, count.total);
                found(Progress { step, completed, total });
            }
        }
    }
}

fn find_digit(line: &str, from: usize) -> Option<usize> {
    let rest = line.get(from..)?;
    rest.find(|c: char| c.is_ascii_digit()).map(|at| from + at)
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Takes a number off the front of a text.
fn number(text: &str) -> Option<(u64, &str)> {
    let (digits, rest) = text.split_at_checked(leading_digits(text))?;
    let is_plain = digits == "0" || !digits.starts_with('0');
    if digits.len() > MAX_DIGITS || !is_plain {
        return None;
    }
    Some((digits.parse().ok()?, rest))
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// `5 of 20`, `5 out of 20`
    Words,
    /// `5/20`
    Slash,
    /// `25%`
    Percent,
}

/// Two numbers, or one and `%`, and what stands around them on their line.
struct Count<'t> {
    completed: u64,
    total: u64,
    form: Form,
    before: &'t str,
    after: &'t str,
}

impl<'t> Count<'t> {
    fn read(line: &'t str, start: usize) -> Option<Count<'t>> {
        let (before, rest) = line.split_at_checked(start)?;
        let (completed, rest) = number(rest)?;
        let between = [
            (" of ", Form::Words),
            (" out of ", Form::Words),
            ("/", Form::Slash),
            (" / ", Form::Slash),
        ];
        let found = between
            .iter()
            .find_map(|(text, form)| Some((rest.strip_prefix(text)?, *form)));
        let (total, after, form) = match found {
            Some((rest, form)) => {
                let (total, after) = number(rest)?;
                (total, after, form)
            }
            None => (100, rest.strip_prefix('%')?, Form::Percent),
        };
        let is_good = total > 0 && completed <= total && is_end(after);
        let count = Count { completed, total, form, before, after };
        is_good.then_some(count)
    }

    /// What the count is about, if it is progress.
    fn step(&self, is_second: bool) -> Option<String> {
        self.by_line(is_second)
            .or_else(|| self.by_verb())
            .or_else(|| self.by_counter())
            .or_else(|| self.by_end())
    }

    /// `[3/7] Linking` at the start of a line.
    fn by_line(&self, is_second: bool) -> Option<String> {
        let is_bracket = is_second && self.before.ends_with('[');
        if !is_bracket || self.form != Form::Slash {
            return None;
        }
        let after = self.after.strip_prefix(']')?;
        if !after.is_empty() && !after.starts_with(' ') {
            return None;
        }
        let step: String = after.trim().chars().take(MAX_STEP).collect();
        let step = step.trim_end_matches(['.', ':', '\u{2026}', ' ']);
        Some(if step.is_empty() { "Progress" } else { step }.to_string())
    }

    /// `Running test 5 of 20`, `Running tests: 5/20`, `Downloading (45%)`,
    /// `Progress: 45%`
    fn by_verb(&self) -> Option<String> {
        if let Some(head) = self.head() {
            let ends = is_clause_end(self.after) || done(self.after).is_some();
            let word = last_word(head).filter(|_| ends)?;
            if word.eq_ignore_ascii_case("progress") && begins(head, word) {
                return Some("Progress".to_string());
            }
            return Some(Phrase::read(head)?.step(false));
        }
        if self.form == Form::Percent {
            return None;
        }
        let phrase = Phrase::read(self.before.strip_suffix(' ')?)?;
        let noun = phrase.nouns.rsplit(' ').next()?;
        let is_plural = noun.ends_with('s') && !noun.ends_with("ss");
        (!noun.is_empty() && !is_plural).then(|| phrase.step(true))
    }

    /// What stands before the count and a mark that leads to it.
    fn head(&self) -> Option<&'t str> {
        let marks = [": ", "... ", "\u{2026} "]
            .iter()
            .find_map(|mark| self.before.strip_suffix(mark));
        let closed = |open, close: char| {
            self.before
                .strip_suffix(open)
                .filter(|_| self.after.starts_with(close))
        };
        marks.or_else(|| closed(" (", ')')).or_else(|| closed(" [", ']'))
    }

    /// `Step 3 of 5`
    fn by_counter(&self) -> Option<String> {
        let head = self.before.strip_suffix(' ')?;
        let word = last_word(head)?;
        let is_counter = is_among(word, &COUNTERS) && begins(head, word);
        if self.form == Form::Percent || !is_counter {
            return None;
        }
        Some(format!("{} {}", capitalised(word), self.completed))
    }

    /// `3 of 14 files done`, `45% complete`
    fn by_end(&self) -> Option<String> {
        let is_free = |c| " \t([*".contains(c);
        let noun = done(self.after)?;
        let head = self.before.strip_suffix(' ').unwrap_or_default();
        let is_denied = head.ends_with("n't")
            || last_word(head).is_some_and(|word| is_among(word, &DENIALS));
        let is_free = self.before.chars().next_back().is_none_or(is_free);
        if is_denied || !is_free {
            return None;
        }
        match noun {
            Some(_) if self.form == Form::Percent => None,
            Some("not" | "never") => None,
            Some(noun) if !is_among(noun, &NO_NOUNS) => {
                Some(capitalised(noun))
            }
            _ => Some("Progress".to_string()),
        }
    }
}

/// A verb, and what it is done to.
struct Phrase<'t> {
    verb: &'t str,
    nouns: &'t str,
}

impl<'t> Phrase<'t> {
    /// The phrase at the end of a text.
    fn read(text: &'t str) -> Option<Phrase<'t>> {
        let mut head = text;
        for _ in 0..=MAX_NOUNS {
            let word = last_word(head)?;
            if is_verb(word) && begins(head, word) {
                let nouns = text.get(head.len()..)?.trim_start();
                return Some(Phrase { verb: word, nouns });
            }
            let is_noun = !is_among(word, &NO_NOUNS) && !word.ends_with("ly");
            head = head.strip_suffix(word)?.strip_suffix(' ')?;
            is_noun.then_some(())?;
        }
        None
    }

    fn step(&self, is_one: bool) -> String {
        let mut step = capitalised(self.verb);
        if !self.nouns.is_empty() {
            step.push(' ');
            step.push_str(self.nouns);
        }
        if is_one {
            make_plural(&mut step);
        }
        step
    }
}

/// Whether the word at the end of a text stands by itself.
fn begins(text: &str, word: &str) -> bool {
    let before = text.strip_suffix(word).unwrap_or_default();
    before.chars().next_back().is_none_or(|c| " \t([*\"".contains(c))
}

/// The word that a text ends with.
fn last_word(text: &str) -> Option<&str> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"-_".contains(b);
    let tail = text.bytes().rev().take(MAX_WORD + 1);
    let length = tail.take_while(is_part).count();
    let word = text.get(text.len().checked_sub(length)?..)?;
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_word && length <= MAX_WORD).then_some(word)
}

fn is_verb(word: &str) -> bool {
    word.len() >= 5
        && word.ends_with("ing")
        && !word.ends_with("thing")
        && word.bytes().all(|b| b.is_ascii_alphabetic())
        && !is_among(word, &NO_VERBS)
}

fn is_among(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| other.eq_ignore_ascii_case(word))
}

/// Whether a number can end before this text.
fn is_end(after: &str) -> bool {
    let mut chars = after.chars();
    match chars.next() {
        None | Some(' ' | '\t' | ')' | ']' | '*' | '\u{2026}') => true,
        Some('.' | ',' | ';' | ':' | '!' | '?') => {
            !chars.next().is_some_and(char::is_alphanumeric)
        }
        Some(_) => false,
    }
}

/// Whether nothing more is said about the number before this text.
fn is_clause_end(after: &str) -> bool {
    let is_mark = |c| ".,;!?)]*\u{2026}".contains(c);
    after.is_empty() || after.starts_with(is_mark) || after.starts_with(" (")
}

/// Whether a text goes on with ` done` or ` things done`; and with what.
fn done(after: &str) -> Option<Option<&str>> {
    let (word, rest) = first_word(after.strip_prefix(' ')?)?;
    if is_among(word, &DONE) {
        return Some(None);
    }
    let (last, _) = first_word(rest.strip_prefix(' ')?)?;
    is_among(last, &DONE).then_some(Some(word))
}

/// The word of letters that a text begins with, and what follows.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let letters = text.bytes().take(MAX_WORD + 1);
    let length = letters.take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = text.split_at_checked(length)?;
    let goes_on = |c: char| c.is_alphanumeric() || "-_'".contains(c);
    let is_word = length > 0 && length <= MAX_WORD;
    (is_word && !rest.starts_with(goes_on)).then_some((word, rest))
}

fn capitalised(word: &str) -> String {
    let mut word = word.to_string();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}

/// Puts the last word of a text, which is one of several, in the plural.
fn make_plural(text: &mut String) {
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
