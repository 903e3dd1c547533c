/*!
Sums of messages.
*/

use std::collections::BTreeMap;

use crate::{
    Tokens,
    usage::{
        packed::Counts,
        spent::{Spent, is_placeholder},
    },
};

/// The sums of each class, and each wide message that reports usage.
#[derive(Debug)]
pub(crate) struct Sums {
    pub(crate) classes: Vec<ClassSums>,
    pub(crate) wide: Vec<(Spent, ClassTotals)>,
    /// Each message that is a copy, and does not count, with a message that
    /// it is a copy of. Sorted.
    pub(crate) copies: Vec<(usize, usize)>,
    /// Messages that have the session, model or time of a copy without tokens,
    /// or the counts of an event of a stream, by index.
    pub(crate) named: BTreeMap<usize, Spent>,
}

/// The sums of the messages of one class, or of a wide message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassTotals {
    /// The index of the first message.
    pub(crate) first: usize,
    pub(crate) messages: u64,
    /// The number of messages whose output tokens are only a placeholder.
    pub(crate) placeholders: u64,
    pub(crate) tokens: Tokens,
}

impl ClassTotals {
    pub(crate) fn of(index: usize, spent: &Spent) -> ClassTotals {
        ClassTotals {
            first: index,
            messages: 1,
            placeholders: u64::from(spent.has_placeholder()),
            tokens: spent.tokens(),
        }
    }

    pub(crate) fn merge(&mut self, other: &ClassTotals) {
        self.first = self.first.min(other.first);
        self.messages += other.messages;
        self.placeholders += other.placeholders;
        self.tokens += other.tokens;
    }
}

/// The sums of one class, without the fields of the class.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClassSums {
    pub(crate) first: usize,
    pub(crate) messages: u64,
    pub(crate) placeholders: u64,
    pub(crate) tokens: [u64; 4],
}

impl ClassSums {
    /// Returns the sums of no messages, of which the first has an index.
    pub(crate) fn starting_at(first: usize) -> ClassSums {
        ClassSums { first, ..ClassSums::default() }
    }

    /// Adds a message.
    #[inline]
    pub(crate) fn add(&mut self, counts: &Counts) {
        let [input, output, written, read, text] = *counts;
        self.messages += 1;
        self.placeholders += u64::from(is_placeholder(output, text));
        let counts = [input, output, written, read];
        for (sum, count) in self.tokens.iter_mut().zip(counts) {
            // 24 bits each, so it would take 2^40 messages to overflow.
            *sum = sum.wrapping_add(count);
        }
    }

    /// Adds these sums to others, of earlier messages.
    pub(crate) fn add_to(&self, all: Option<&mut ClassSums>) {
        let Some(all) = all.filter(|_| self.messages > 0) else { return };
        if all.messages == 0 {
            all.first = self.first;
        }
        all.messages += self.messages;
        all.placeholders += self.placeholders;
        for (sum, more) in all.tokens.iter_mut().zip(self.tokens) {
            *sum = sum.wrapping_add(more);
        }
    }
}
