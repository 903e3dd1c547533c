/*!
Which strings of a line have to be looked at: those with a literal of a rule, and
those whose key has one.
*/

use std::ops::Range;

use crate::{
    rules::{Spot, What},
    strings::Written,
};

/// What is to be done with a string.
pub(crate) enum Due {
    Nothing,
    /// Replace what was seen in it.
    Found,
    /// It is the key of a field whose value is the string that begins here:
    /// replace that.
    Field(usize),
    Search,
}

/// The literals of a line, on a walk over its strings.
pub(crate) struct Spots<'s> {
    rest: &'s [Spot],
    /// Whether all strings are searched.
    pub(crate) are_all: bool,
    /// The last key with a literal: what a rule matches can go on in the value.
    pub(crate) context: Option<Range<usize>>,
}

impl<'s> Spots<'s> {
    pub(crate) fn new(spots: &'s [Spot], are_all: bool) -> Spots<'s> {
        let is_key = |spot: &Spot| spot.what == What::PrivateKey;
        let are_all = are_all || spots.iter().any(is_key);
        Spots { rest: spots, are_all, context: None }
    }

    /// Returns whether no other string has to be searched.
    pub(crate) fn are_over(&self) -> bool {
        !self.are_all && self.rest.is_empty() && self.context.is_none()
    }

    /// Returns the literals in a range. Those before it are in no string.
    pub(crate) fn take(&mut self, range: Range<usize>) -> &'s [Spot] {
        while let [first, rest @ ..] = self.rest
            && first.at < range.start
        {
            self.rest = rest;
        }
        let is_in = |spot: &&Spot| spot.at < range.end;
        let count = self.rest.iter().take_while(is_in).count();
        let (own, rest) = self.rest.split_at(count);
        self.rest = rest;
        own
    }

    /// Returns whether a string is the value of the last key with a literal, or
    /// an item of it.
    pub(crate) fn is_context(&mut self, written: &Written) -> bool {
        let is_of =
            |key: &Option<Range<usize>>| key.is_some() && *key == self.context;
        let is_context = is_of(&written.key) || is_of(&written.list);
        if !is_context {
            self.context = None;
        }
        is_context
    }
}
