/*!
Findings, and the list that collects them.
*/

use std::{collections::HashMap, fmt};

use linetape::{Escaped, Position};

use crate::check::{Level, Rule};

/// The maximum number of findings that are kept for each rule and level.
///
/// A line of a few bytes can have several findings. Without the limit, the
/// findings of a hostile log could take many times its size in memory.
pub(crate) const MAX_KEPT: u64 = 1000;

/// A violation of a rule by a line of a log.
///
/// # Example
///
/// See [`Checker`](crate::check::Checker).
///
/// With the feature `serde`, it is serialised as an object with the keys
/// `line`, `byte`, `rule`, `level`, `message` and `and_more`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// The position of the line.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub position: Position,
    /// The rule.
    pub rule: Rule,
    /// The severity.
    pub level: Level,
    /// A description for people. Text from the log is truncated, and escaped
    /// as by [`Escaped`](linetape::Escaped).
    pub message: String,
    /// The number of further findings of this rule and level that were
    /// dropped. It is set in the last finding that was kept, and 0 in the
    /// others.
    pub and_more: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { rule, position, message, and_more, .. } = self;
        let note = match self.level {
            Level::Note => "note: ",
            Level::Error => "",
        };
        write!(f, "{position}: {note}{rule}: {message}")?;
        match and_more {
            0 => Ok(()),
            more => write!(f, " (and {more} more)"),
        }
    }
}

/// Displays text from a log: truncated, escaped and in backticks.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl Quoted<'_> {
    const MAX_CHARS: usize = 40;
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end =
            self.0.char_indices().nth(Self::MAX_CHARS).map(|(end, _)| end);
        let head = end.and_then(|end| self.0.get(..end));
        let shown = Escaped::new(head.unwrap_or(self.0));
        let dots = if head.is_some() { "..." } else { "" };
        write!(f, "`{shown}{dots}`")
    }
}

/// Collects findings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    all: Vec<Finding>,
    /// For each rule and level, the number of findings, and the index in
    /// `all` of the last one that was kept.
    counts: HashMap<(Rule, Level), (u64, usize)>,
}

impl Findings {
    pub(crate) fn add(
        &mut self,
        rule: Rule,
        level: Level,
        position: Position,
        message: impl fmt::Display,
    ) {
        let (count, last) = self.counts.entry((rule, level)).or_default();
        *count = count.saturating_add(1);
        if *count > MAX_KEPT {
            if let Some(last) = self.all.get_mut(*last) {
                last.and_more = last.and_more.saturating_add(1);
            }
            return;
        }
        *last = self.all.len();
        let message = message.to_string();
        self.all.push(Finding { rule, level, position, message, and_more: 0 });
    }

    /// Returns the findings, sorted by line and then by rule.
    pub(crate) fn sorted(self) -> Vec<Finding> {
        let mut all = self.all;
        all.sort_by_key(|finding| {
            let Finding { rule, position, .. } = finding;
            (position.line(), position.byte(), *rule)
        });
        all
    }
}
