/*!
The paths of a projection, found in one pass over the text.

The pass moves through the tree of paths and the text at the same time. What
is not on a path is passed over by quotes and brackets, and nothing is indexed.
In the objects and arrays on a path, commas, colons and scalars are checked. A
fault there hides the values of that container, as it does when they are read
from an index.
*/

use crate::{
    json::{
        Span,
        projection::{Node, Step},
        skip::{after_container, after_value, key, token},
    },
    scan::{Job, Simd, part},
};

/// The most tokens of a path for which a walk has room.
pub(crate) const MAX_PATH: usize = 16;

/// Which of several equal keys counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The last one.
    Last,
    /// The first `type` and `subtype` of the outermost object, and the last
    /// one of all others. The walk ends when all paths are answered.
    FirstType,
}

/// Finds the values at the paths below `root`.
pub(crate) struct Find<'a, 'p, 'f> {
    pub(crate) text: &'a [u8],
    pub(crate) root: &'p Node,
    pub(crate) found: &'f mut [Option<Span>],
    pub(crate) rule: Rule,
    /// The number of keys after which the pass can stop, if only `type` and
    /// `subtype` are requested.
    pub(crate) answers: Option<usize>,
}

/// A container on a path, which is open.
#[derive(Clone, Copy)]
struct Open<'p> {
    node: &'p Node,
    /// The offset of its bracket.
    start: usize,
    /// The bracket that closes it.
    close: u8,
    /// The number of its items so far, if it is an array.
    items: usize,
}

impl Job for Find<'_, '_, '_> {
    /// `None` on a fault in the outermost object.
    type Output = Option<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<()> {
        let text = self.text;
        let start = token(text, 0);
        if *text.get(start)? != b'{' {
            return None;
        }
        let outermost = Open { node: self.root, start, close: b'}', items: 0 };
        let mut outer = [outermost; MAX_PATH];
        let mut depth = 0;
        let mut open = outermost;
        let mut at = token(text, start + 1);
        let mut is_first = true;
        let mut answered = 0;
        // The first `type` and `subtype` of the outermost object.
        let mut seen: [Option<&Step>; 2] = [None; 2];
        // The walk is at the start of a member or item, or at the bracket
        // that closes an empty container.
        loop {
            let mut step = None;
            let mut end = None;
            if is_first && text.get(at) == Some(&open.close) {
                end = Some(at);
            } else if open.close == b'}' {
                if let Some((key_end, value)) = key(simd, text, at) {
                    step = open.node.by_key(part(text, at + 1..key_end));
                    at = value;
                } else {
                    at = text.len();
                }
            } else {
                step = open.node.by_index(open.items);
                open.items += 1;
                if open.items > open.node.items {
                    // No further item is on a path.
                    end = after_container(simd, text, at, 1)?.checked_sub(1);
                }
            }
            is_first = false;
            if let Some(to) = step
                && self.rule == Rule::FirstType
                && depth == 0
                && to.is_stated
            {
                let is = |seen: &&Step| std::ptr::eq(*seen, to);
                if seen.iter().flatten().any(is) {
                    step = None;
                } else if let Some(place) = seen.get_mut(answered) {
                    *place = Some(to);
                    answered += 1;
                }
            }
            let mut good = true;
            if end.is_none() {
                let node = step.map(|step| &step.to);
                if let Some(node) = node {
                    node.forget(self.found);
                    if let Some(close) = node.close(text, at) {
                        *outer.get_mut(depth)? = open;
                        depth += 1;
                        open = Open { node, start: at, close, items: 0 };
                        at = token(text, at + 1);
                        is_first = true;
                        continue;
                    }
                }
                match after_value(simd, text, at) {
                    Some(after) => {
                        if let Some(node) = node {
                            node.set(at, after, self.found);
                            if self.answers == Some(answered) {
                                return Some(());
                            }
                        }
                        at = after;
                    }
                    None => good = false,
                }
            } else if let Some(end) = end {
                at = end;
            }
            // After a value, or at the bracket that closes the container.
            loop {
                if good {
                    at = token(text, at);
                    match text.get(at) {
                        Some(b',') => {
                            at = token(text, at + 1);
                            good = text.get(at) != Some(&open.close);
                            if good {
                                break;
                            }
                        }
                        Some(byte) if *byte == open.close => at += 1,
                        _ => good = false,
                    }
                }
                if !good {
                    if depth == 0 {
                        return None;
                    }
                    open.node.forget_faulty(open.items, self.found);
                    at = after_container(simd, text, open.start + 1, 1)?;
                    good = true;
                }
                if depth == 0 {
                    return Some(());
                }
                open.node.set(open.start, at, self.found);
                depth -= 1;
                open = *outer.get(depth)?;
            }
        }
    }
}

impl Node {
    /// Stores the value from `start` to `end` for the paths that end here.
    #[inline(always)]
    pub(crate) fn set(
        &self,
        start: usize,
        end: usize,
        found: &mut [Option<Span>],
    ) {
        for &path in &self.ends {
            if let Some(found) = found.get_mut(path) {
                *found = Span::new(start, end);
            }
        }
    }

    #[inline(always)]
    fn by_key(&self, written: &[u8]) -> Option<&Step> {
        self.steps.iter().find(|step| step.is_key(written))
    }

    #[inline(always)]
    fn by_index(&self, index: usize) -> Option<&Step> {
        self.steps.iter().find(|step| step.index == Some(index))
    }

    /// Returns the bracket that closes the value at `at`, if paths lead into
    /// it.
    #[inline(always)]
    fn close(&self, text: &[u8], at: usize) -> Option<u8> {
        match text.get(at)? {
            _ if self.steps.is_empty() => None,
            b'{' => Some(b'}'),
            b'[' => Some(b']'),
            _ => None,
        }
    }

    /// Removes the values that have been found in a container with a fault
    /// after `items` items: those of an object, since a later member with the
    /// same key may be missing, but only the last item of an array.
    #[cold]
    fn forget_faulty(&self, items: usize, found: &mut [Option<Span>]) {
        for step in &self.steps {
            if items == 0 || step.index == Some(items - 1) {
                step.to.forget(found);
            }
        }
    }
}
