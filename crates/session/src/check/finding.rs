use std::{collections::HashMap, fmt};

use linetape::{Escaped, Position};

use crate::check::{Level, Rule};

/// How many findings of one rule and level are kept.
///
/// A line of a few bytes can break a rule, and so can each of its blocks: a
/// log that is bad all over must not take many times its size.
pub(crate) const MOST: u64 = 1000;

/// One thing that is wrong with a log, or odd, and where.
///
/// # Example
///
/// See [`Checker`](crate::check::Checker).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What was broken.
    pub rule: Rule,
    /// How bad it is.
    pub level: Level,
    /// The line that it is about, where it begins.
    pub position: Position,
    /// What is wrong, in words. What it quotes from the log is escaped, as by
    /// [`Escaped`](linetape::Escaped), and cut short.
    pub message: String,
    /// How many more findings of this rule and level there are, which are
    /// left out. Of those that are kept, only one says so; for the others,
    /// it is 0.
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

/// Text from a log, for a message.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl Quoted<'_> {
    const MOST: usize = 40;
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.0.char_indices().nth(Self::MOST).map(|(end, _)| end);
        let head = end.and_then(|end| self.0.get(..end));
        let shown = Escaped(head.unwrap_or(self.0).as_bytes());
        let dots = if head.is_some() { "..." } else { "" };
        write!(f, "`{shown}{dots}`")
    }
}

/// Findings, as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    all: Vec<Finding>,
    /// How many there were of each rule and level, and where the last that
    /// was kept is in `all`.
    counts: HashMap<(Rule, Level), (u64, usize)>,
}

impl Findings {
    pub(crate) fn add(
        &mut self,
        rule: Rule,
        level: Level,
        position: Position,
        message: fmt::Arguments<'_>,
    ) {
        let (count, last) = self.counts.entry((rule, level)).or_default();
        *count += 1;
        if *count > MOST {
            if let Some(last) = self.all.get_mut(*last) {
                last.and_more += 1;
            }
            return;
        }
        *last = self.all.len();
        let message = message.to_string();
        self.all.push(Finding { rule, level, position, message, and_more: 0 });
    }

    /// In the order of the log. Those of one line are in the order of their
    /// rules.
    pub(crate) fn sorted(self) -> Vec<Finding> {
        let mut all = self.all;
        all.sort_by_key(|finding| {
            let Finding { rule, position, .. } = finding;
            (position.line(), position.byte(), *rule)
        });
        all
    }
}
