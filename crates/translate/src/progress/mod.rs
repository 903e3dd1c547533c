/*!
Finding progress reports in a text.

This is a heuristic for English. Counts are common in prose, and few of them
report progress: a count is progress only if the words around it match a
pattern. The [crate documentation](crate#progress-in-a-text) has the patterns,
and examples of counts that are not progress.

Known false positives: quoted or hypothetical progress (`it prints "Step 3 of
5"`), and verbs that are missing in the lists of [`words`]. Known false
negatives: numbers in words, and other languages.

A line is scanned once, from left to right. For each count, a few words before
and after it are compared.
*/

mod words;

use crate::progress::words::{
    COUNTERS, DONE, NEGATIONS, NOT_NOUNS, NOT_WORK, NOW, OUTCOMES, RETRIES,
    WEAK_COUNTERS, capitalised, first_word, is_among, is_at_boundary, is_done,
    is_noun, is_plural, is_verb, last_word, make_plural,
};

/// The progress of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    pub(crate) step: String,
    pub(crate) completed: u64,
    pub(crate) total: u64,
}

impl Progress {
    /// Returns the percentage, from 0 to 100.
    pub(crate) fn percentage(&self) -> f64 {
        // Both are small enough to be exact as `f64`.
        self.completed as f64 * 100.0 / self.total as f64
    }
}

/// The maximum number of digits of a number. Longer numbers do not count
/// steps.
const MAX_DIGITS: usize = 9;
/// The maximum number of words between a verb and its count, or after the
/// count.
const MAX_NOUNS: usize = 3;
/// The maximum number of characters in the name of a step.
const MAX_STEP: usize = 80;

/// Finds all progress reports in a text, in order.
pub(crate) fn find(text: &str, mut found: impl FnMut(Progress)) {
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let mut at = 0;
        while let Some(start) = find_digit(line, at) {
            at = start + leading_digits(line.get(start..).unwrap_or_default());
            let Some(count) = Count::read(line, start) else { continue };
            let lead = line.get(indent..start).unwrap_or_default();
            if let Some(step) = count.step(lead) {
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

/// Parses a number at the start of a text. Returns it and the rest.
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

/// A count (`N of M`, `N/M` or `N%`), and the text around it on its line.
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
        if let Some(bold) = Count::bold(before, completed, rest) {
            return Some(bold);
        }
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
        Count { completed, total, form, before, after }.checked()
    }

    /// `**5** of **20**`
    fn bold(
        before: &'t str,
        completed: u64,
        rest: &'t str,
    ) -> Option<Count<'t>> {
        let before = before.strip_suffix("**")?;
        let (total, rest) = number(rest.strip_prefix("** of **")?)?;
        let (form, after) = (Form::Words, rest.strip_prefix("**")?);
        Count { completed, total, form, before, after }.checked()
    }

    fn checked(self) -> Option<Count<'t>> {
        let is_part = self.total > 0 && self.completed <= self.total;
        (is_part && is_end(self.after)).then_some(self)
    }

    /// Returns the name of the step, if the count is progress. `lead` is the
    /// text before the count, without leading whitespace.
    fn step(&self, lead: &str) -> Option<String> {
        self.by_line(lead)
            .or_else(|| self.by_verb())
            .or_else(|| self.by_counted())
            .or_else(|| self.by_counter())
            .or_else(|| self.by_nouns())
            .or_else(|| self.by_start())
            .or_else(|| self.by_end())
    }

    /// `[3/7] Linking`, `[ 3/10] Linking` or `(3/7) linking` at the start of
    /// a line.
    fn by_line(&self, lead: &str) -> Option<String> {
        let (open, spaces) = lead.split_at_checked(1)?;
        let is_padding =
            spaces.len() < MAX_DIGITS && spaces.bytes().all(|b| b == b' ');
        if !is_padding || self.form != Form::Slash {
            return None;
        }
        let after = match open {
            "[" => self.after.strip_prefix(']')?,
            "(" => self.after.strip_prefix(')').filter(|after| {
                let word = first_word(after.trim_start_matches(' '));
                word.is_some_and(|(word, _)| {
                    word.starts_with(|c: char| c.is_ascii_uppercase())
                        || is_verb(word)
                })
            })?,
            _ => return None,
        };
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
            if word.eq_ignore_ascii_case("progress")
                && is_at_boundary(head, word)
            {
                return Some("Progress".to_string());
            }
            return Some(Phrase::read(head)?.step(false));
        }
        if self.form == Form::Percent {
            return None;
        }
        let phrase = Phrase::read(self.numbered()?)?;
        let noun = phrase.nouns.rsplit(' ').next()?;
        if noun.is_empty() {
            return None;
        }
        if !is_plural(noun) {
            return Some(phrase.step(true));
        }
        // `Running tests 5 of 20`
        let head = self.before.strip_suffix(' ')?;
        let head = head.strip_suffix(phrase.nouns)?.strip_suffix(' ')?;
        let is_step = self.form == Form::Words
            && !is_among(phrase.verb, &NOT_WORK)
            && !is_among(noun, &OUTCOMES)
            && opens(head, phrase.verb)
            && is_over(self.after);
        is_step.then(|| phrase.step(false))
    }

    /// `Running 5 of 20 tests`, `Running 5 of 20`, `Downloading 45%`
    fn by_counted(&self) -> Option<String> {
        let head = self.before.strip_suffix(' ')?;
        let verb = last_word(head).filter(|word| is_verb(word))?;
        if is_among(verb, &NOT_WORK) || !opens(head, verb) {
            return None;
        }
        let (nouns, rest) = match self.form {
            Form::Percent => ("", self.after),
            _ => counted(self.after)?,
        };
        let may_be_date = nouns.is_empty() && self.form == Form::Slash;
        let is_step = is_over(rest) && !may_be_date;
        is_step.then(|| Phrase { verb, nouns }.step(false))
    }

    /// Returns the text before the count and before its colon, dots or opening
    /// bracket.
    fn head(&self) -> Option<&'t str> {
        let marks = ["**: ", ": ", ":** ", "... ", "\u{2026} "]
            .iter()
            .find_map(|mark| self.before.strip_suffix(mark));
        let closed = |open, close: char| {
            self.before
                .strip_suffix(open)
                .filter(|_| self.after.starts_with(close))
        };
        marks.or_else(|| closed(" (", ')')).or_else(|| closed(" [", ']'))
    }

    /// Returns the text before the count and before its `#`, if it has one.
    fn numbered(&self) -> Option<&'t str> {
        let before = self.before.strip_suffix('#').unwrap_or(self.before);
        before.strip_suffix(' ')
    }

    /// `Step 3 of 5`, `Test #5 of 20`
    fn by_counter(&self) -> Option<String> {
        let head = self.numbered()?;
        let word = last_word(head)?;
        let is_counter =
            is_among(word, &COUNTERS) && is_at_boundary(head, word);
        let ends = is_over(self.after) || done(self.after).is_some();
        let is_weak =
            is_among(word, &WEAK_COUNTERS) && opens(head, word) && ends;
        if self.form == Form::Percent || !(is_counter || is_weak) {
            return None;
        }
        Some(format!("{} {}", capitalised(word), self.completed))
    }

    /// Returns the text before the count and before its colon.
    fn titled(&self) -> Option<&'t str> {
        let marks = ["**: ", ": ", ":** "];
        marks.iter().find_map(|mark| self.before.strip_suffix(mark))
    }

    /// `Tests completed: 5/20`
    fn by_nouns(&self) -> Option<String> {
        let head = self.titled().filter(|_| is_clause_end(self.after))?;
        let done = last_word(head).filter(|word| is_among(word, &DONE))?;
        let nouns = head.strip_suffix(done)?.strip_suffix(' ')?;
        is_plural(last_word(nouns)?).then_some(())?;
        let mut head = nouns;
        for _ in 0..MAX_NOUNS {
            let word = last_word(head)?;
            if !is_noun(word) || is_among(word, &RETRIES) {
                return None;
            }
            let before = head.strip_suffix(word)?;
            if opens(head, word) {
                return Some(capitalised(nouns.get(before.len()..)?));
            }
            head = before.strip_suffix(' ')?;
        }
        None
    }

    /// `Completed 3 of 10 tasks`, `Completed: 45%`
    fn by_start(&self) -> Option<String> {
        let head = self.titled();
        // `Done: 18 of 20 tests passed` is a result and not progress.
        let is_marked = head.is_some();
        let head = head.or_else(|| self.before.strip_suffix(' '))?;
        let word =
            last_word(head).filter(|word| is_at_boundary(head, word))?;
        // In `I ran 5 of 20 tests`, the other 15 may never be run.
        let is_run = word.eq_ignore_ascii_case("ran") && opens(head, word);
        let is_known = is_run || is_among(word, &DONE);
        if !is_known || is_negated(head.strip_suffix(word)?) {
            return None;
        }
        let (nouns, rest) = counted(self.after)?;
        if is_run && (nouns.is_empty() || !is_over(rest)) {
            return None;
        }
        let is_step = match self.form {
            Form::Percent => nouns.is_empty() && is_over(rest),
            Form::Slash => !nouns.is_empty(),
            Form::Words => true,
        } && (!is_marked || is_over(rest));
        let name = if nouns.is_empty() { "progress" } else { nouns };
        is_step.then(|| capitalised(name))
    }

    /// `3 of 14 files done`, `45% complete`
    fn by_end(&self) -> Option<String> {
        let is_free = |c| " \t([*".contains(c);
        let noun = done(self.after)?;
        let is_free = self.before.chars().next_back().is_none_or(is_free);
        if is_negated(self.before) || !is_free {
            return None;
        }
        match noun {
            Some(_) if self.form == Form::Percent => None,
            Some("not" | "never") => None,
            Some(noun) if is_among(noun, &RETRIES) => None,
            Some(noun) if !is_among(noun, &NOT_NOUNS) => {
                Some(capitalised(noun))
            }
            _ => Some("Progress".to_string()),
        }
    }
}

/// A verb and its objects.
struct Phrase<'t> {
    verb: &'t str,
    nouns: &'t str,
}

impl<'t> Phrase<'t> {
    /// Returns the verb and its objects at the end of a text.
    fn read(text: &'t str) -> Option<Phrase<'t>> {
        let mut head = text;
        for _ in 0..=MAX_NOUNS {
            let word = last_word(head)?;
            if is_verb(word) && is_at_boundary(head, word) {
                let nouns = text.get(head.len()..)?.trim_start();
                return Some(Phrase { verb: word, nouns });
            }
            let is_noun = is_noun(word) && !is_among(word, &RETRIES);
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

/// Returns whether a number can end before this text.
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

/// Returns whether the clause of a number ends before this text.
fn is_clause_end(after: &str) -> bool {
    let is_mark = |c| ".,;!?)]*\u{2026}".contains(c);
    after.is_empty() || after.starts_with(is_mark) || after.starts_with(" (")
}

/// Returns whether the clause ends, or a colon or a dash begins a new one.
fn is_over(after: &str) -> bool {
    let marks = [":", " - ", " \u{2013} ", " \u{2014} "];
    is_clause_end(after) || marks.iter().any(|mark| after.starts_with(mark))
}

/// Returns whether the word at the end of a text begins a clause, or follows a
/// word such as `now`.
fn opens(text: &str, word: &str) -> bool {
    let before = text.strip_suffix(word).unwrap_or_default();
    let before = before.trim_end_matches([' ', '\t', '*']);
    let opened = before.chars().next_back().is_none_or(|c| match c {
        '.' | ':' | ';' | '!' | '?' | '(' | '[' | '"' | '#' | '>' | '-' => {
            true
        }
        c => !c.is_ascii() && !c.is_alphanumeric(),
    });
    let is_now = || last_word(before).is_some_and(|w| is_among(w, &NOW));
    is_at_boundary(text, word) && (opened || is_now())
}

/// Returns whether the text before a count ends with a negation or a
/// condition.
fn is_negated(before: &str) -> bool {
    let head = before.strip_suffix(' ').unwrap_or_default();
    head.ends_with("n't")
        || last_word(head).is_some_and(|word| is_among(word, &NEGATIONS))
}

/// Returns the counted nouns, and the text after them. The nouns may be empty.
/// Returns `None` if attempts are counted.
fn counted(after: &str) -> Option<(&str, &str)> {
    let mut rest = after;
    for _ in 0..MAX_NOUNS {
        let Some((word, next)) = rest.strip_prefix(' ').and_then(first_word)
        else {
            break;
        };
        if is_among(word, &RETRIES) {
            return None;
        }
        if !is_noun(word) {
            break;
        }
        if is_plural(word) {
            // Computed from lengths: comparing the rest of the line would
            // take quadratic time for a long line.
            let length = after.len().checked_sub(next.len())?;
            let nouns = after.get(..length)?.trim_start();
            return Some((nouns, next));
        }
        rest = next;
    }
    Some(("", after))
}

/// Returns `Some(None)` if a text continues with a completion word, and
/// `Some(Some(noun))` if it continues with a noun and a completion word.
fn done(after: &str) -> Option<Option<&str>> {
    let (word, rest) = first_word(after.strip_prefix(' ')?)?;
    if is_done(word) {
        return Some(None);
    }
    let (last, _) = first_word(rest.strip_prefix(' ')?)?;
    is_done(last).then_some(Some(word))
}
