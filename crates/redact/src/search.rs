/*!
Searches a text, and the texts that are inside of it.
*/

use std::ops::Range;

use crate::{
    grams::Hits,
    replacement::Replacement,
    rules::{Found, Rules, is_blob},
    unescape::{to_escaped, unescape},
};

/// How deep JSON inside of strings is searched. One is the string itself.
const DEPTH: usize = 4;

/// Something to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) range: Range<usize>,
    pub(crate) rule: usize,
    /// What it reads as, for its pseudonym.
    pub(crate) secret: String,
}

/// Searches texts, and reuses its memory.
#[derive(Debug, Default)]
pub(crate) struct Search {
    levels: [String; DEPTH],
    found: Vec<Found>,
    ranges: Vec<Range<usize>>,
    ends: Vec<usize>,
    windows: Hits,
    /// A key and a value, as they are written.
    member: String,
    in_member: Vec<Hit>,
}

impl Search {
    /// Finds what is to be replaced in a text: apart, and in ascending order.
    ///
    /// The text may be the text of a JSON string as it is written, which is
    /// searched as it reads.
    pub(crate) fn run(
        &mut self,
        rules: &Rules,
        how: &Replacement,
        text: &str,
        is_string: bool,
        hits: &mut Vec<Hit>,
    ) {
        hits.clear();
        let mut has_escape = memchr::memchr(b'\\', text.as_bytes()).is_some();
        if !is_string || !has_escape {
            self.level(rules, how, text, hits, 0);
        }
        let mut depth = 0;
        while has_escape && depth < DEPTH {
            let (above, below) = self.levels.split_at_mut(depth);
            let source = above.last().map_or(text, |level| level);
            let Some(level) = below.first_mut() else { break };
            unescape(source, level);
            let level = std::mem::take(level);
            self.level(rules, how, &level, hits, depth + 1);
            // Back to the text, level by level.
            let new = hits.len() - self.ranges.len();
            for depth in (0..=depth).rev() {
                let above = depth.checked_sub(1);
                let source = above.and_then(|n| self.levels.get(n));
                let source = source.map_or(text, |level| level);
                to_escaped(source, &mut self.ranges);
            }
            for (hit, range) in hits.iter_mut().skip(new).zip(&self.ranges) {
                hit.range = range.clone();
            }
            has_escape = memchr::memchr(b'\\', level.as_bytes()).is_some();
            if let Some(place) = self.levels.get_mut(depth) {
                *place = level;
            }
            depth += 1;
        }
        merge(hits);
    }

    /// Finds what is to be replaced in the value of a member, if the key is a
    /// part of what a rule matches, and adds it to the hits of the value.
    pub(crate) fn run_member(
        &mut self,
        rules: &Rules,
        how: &Replacement,
        key: &str,
        value: &str,
        hits: &mut Vec<Hit>,
    ) {
        self.run_named(rules, how, key, value, hits);
        let mut member = std::mem::take(&mut self.member);
        member.clear();
        member.push_str(key);
        member.push_str("\": \"");
        if rules.has_literal(&member, &mut self.windows) {
            let start = member.len();
            member.push_str(value);
            let mut found = std::mem::take(&mut self.in_member);
            self.run(rules, how, &member, true, &mut found);
            for mut hit in found.drain(..) {
                if hit.range.start >= start {
                    hit.range = hit.range.start - start..hit.range.end - start;
                    hits.push(hit);
                }
            }
            merge(hits);
            self.in_member = found;
        }
        self.member = member;
    }

    /// Finds the value of a member whose key names a secret. In a text, a quote
    /// would end the value.
    fn run_named(
        &mut self,
        rules: &Rules,
        how: &Replacement,
        key: &str,
        value: &str,
        hits: &mut Vec<Hit>,
    ) {
        let [own, read, ..] = &mut self.levels;
        unescape(key, own);
        unescape(value, read);
        let Some(Found { range, rule }) = rules.member(own, read) else {
            return;
        };
        if how.covers(read, &range) {
            return;
        }
        let secret = read.get(range.clone()).unwrap_or_default().to_string();
        let mut written = [range];
        to_escaped(value, &mut written);
        let [range] = written;
        hits.push(Hit { range, rule, secret });
        merge(hits);
    }

    /// Finds what is in a text of one level. Sets `self.ranges` to the ranges
    /// of the new hits.
    fn level(
        &mut self,
        rules: &Rules,
        how: &Replacement,
        text: &str,
        hits: &mut Vec<Hit>,
        depth: usize,
    ) {
        self.found.clear();
        self.ranges.clear();
        rules.find(text, &mut self.ends, &mut self.windows, &mut self.found);
        let secret =
            |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
        self.found.retain(|found| !how.covers(text, &found.range));
        merge(&mut self.found);
        // A part of base64 cannot be replaced: the rest would be torn.
        if let Some(found) = self.found.first_mut()
            && depth <= 1
            && is_blob(text)
        {
            found.range = 0..text.len();
            self.found.truncate(1);
        }
        for Found { range, rule } in self.found.drain(..) {
            let secret = secret(&range).to_string();
            self.ranges.push(range.clone());
            hits.push(Hit { range, rule, secret });
        }
    }
}

/// Sorts items by their ranges, and unites those that overlap or touch.
pub(crate) fn merge<T: Ranged>(items: &mut Vec<T>) {
    if items.len() < 2 {
        return;
    }
    items.sort_by_key(|item| {
        let range = item.range();
        // Of two that begin together, the longer first; of two that are
        // equal, that of the rule of the lower level.
        (range.start, usize::MAX - range.end, item.rule())
    });
    items.dedup_by(|next, last| {
        let next = next.range().clone();
        let last = last.range_mut();
        let overlaps = next.start <= last.end;
        if overlaps {
            last.end = last.end.max(next.end);
        }
        overlaps
    });
}

/// What has a range.
pub(crate) trait Ranged {
    fn range(&self) -> &Range<usize>;
    fn rule(&self) -> usize;
    fn range_mut(&mut self) -> &mut Range<usize>;
}

impl Ranged for Found {
    fn range(&self) -> &Range<usize> {
        &self.range
    }

    fn rule(&self) -> usize {
        self.rule
    }

    fn range_mut(&mut self) -> &mut Range<usize> {
        &mut self.range
    }
}

impl Ranged for Hit {
    fn range(&self) -> &Range<usize> {
        &self.range
    }

    fn rule(&self) -> usize {
        self.rule
    }

    fn range_mut(&mut self) -> &mut Range<usize> {
        &mut self.range
    }
}
