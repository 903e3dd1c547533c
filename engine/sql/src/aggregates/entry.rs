//! A message among those that may be copies of each other.

use std::cmp::Reverse;

use datafusion::arrow::array::{Array, Int64Array, Int64Builder, StringArray};

/// A message, as far as a function needs it.
#[derive(Debug)]
pub(super) struct Entry {
    /// The number of its file, the offset of its line, and its part of the line.
    pub(super) place: [i64; 3],
    pub(super) level: i64,
    pub(super) has_tokens: bool,
    /// All tokens, if the message is that of a sub-agent.
    pub(super) tokens: i64,
    /// The value of the message, and then the result.
    pub(super) item: Item,
}

/// A value of a column.
#[derive(Debug, Default)]
pub(super) enum Item {
    #[default]
    Null,
    /// Also a time or a truth value.
    Number(i64),
    Text(Box<str>),
}

impl Item {
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Item::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Item::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn text_bytes(&self) -> usize {
        self.text().map_or(0, str::len)
    }

    fn copy(&self) -> Item {
        match self {
            Item::Null => Item::Null,
            Item::Number(number) => Item::Number(*number),
            Item::Text(text) => Item::Text(text.clone()),
        }
    }
}

impl Entry {
    /// The number of integers that a message is saved as.
    pub(super) const WIDTH: usize = 7;

    /// Appends everything but the text.
    pub(super) fn save(&self, to: &mut Int64Builder) {
        to.append_slice(&self.place);
        to.append_slice(&[self.level, self.has_tokens.into(), self.tokens]);
        to.append_option(self.item.number());
    }

    pub(super) fn load(
        numbers: &Int64Array,
        start: usize,
        texts: &StringArray,
        text: usize,
    ) -> Entry {
        let read = |at: usize| {
            let at = start + at;
            numbers.is_valid(at).then(|| numbers.value(at))
        };
        let number = |at: usize| read(at).unwrap_or(0);
        Entry {
            place: std::array::from_fn(number),
            level: number(3),
            has_tokens: number(4) != 0,
            tokens: number(5),
            item: match texts.is_valid(text) {
                true => Item::Text(texts.value(text).into()),
                false => read(6).map_or(Item::Null, Item::Number),
            },
        }
    }

    /// Returns how much the message counts: any tokens before none, then by its
    /// level, among those of sub-agents by tokens, and then the first one.
    fn weight(&self) -> (bool, i64, i64, Reverse<[i64; 3]>) {
        (self.has_tokens, self.level, self.tokens, Reverse(self.place))
    }
}

/// Sets the item of each message to whether it is a copy of the one that counts
/// most. Two messages of one level are not copies of each other, unless they are
/// those of sub-agents, whose level is 0.
pub(super) fn are_copies(entries: &mut [Entry]) {
    let most = entries.iter().max_by_key(|entry| entry.weight());
    let Some((level, place)) = most.map(|most| (most.level, most.place))
    else {
        return;
    };
    for entry in entries {
        let is_copy =
            entry.level != level || entry.level == 0 && entry.place != place;
        entry.item = Item::Number(is_copy.into());
    }
}

/// Sets the item of each message that has tokens to that of the message without
/// tokens which has the highest level of those that have an item, if that level is
/// higher than its own, and its level and place to those of that message. All other
/// items are NULL.
pub(super) fn names(entries: &mut [Entry]) {
    let highest = entries
        .iter()
        .filter(|entry| !entry.has_tokens && !matches!(entry.item, Item::Null))
        .max_by_key(|entry| (entry.level, Reverse(entry.place)))
        .map(|entry| (entry.level, entry.place, entry.item.copy()));
    for entry in entries {
        entry.item = match &highest {
            Some((level, place, item))
                if entry.has_tokens && *level > entry.level =>
            {
                (entry.level, entry.place) = (*level, *place);
                item.copy()
            }
            _ => Item::Null,
        };
    }
}
