/*!
The objects on a path, followed from bracket to bracket, and their keys.
*/

use crate::{
    json::{
        Source, Value,
        equal::is_equal,
        find::{MAX_PATH, Rule},
        projection::{Node, Step},
        skip::after_value,
    },
    scan::{BLOCK, Brackets, Simd, StringMasks},
};

/// The most bytes of a key that a sweep can look for.
pub(crate) const MAX_KEY: usize = BLOCK - 2;

/// The object in which the paths of a projection begin.
#[derive(Clone, Copy)]
pub(crate) struct Start<'p> {
    pub(crate) node: &'p Node,
    /// The offset of the object.
    pub(crate) offset: usize,
    /// Whether its members have been checked before.
    pub(crate) is_checked: bool,
}

/// Finds the values at the paths of a projection.
pub(crate) struct Sweep<'a, 'p, 'f> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) start: Start<'p>,
    /// The values that are found. There are none at first.
    pub(crate) found: &'f mut [Option<Value<'a>>],
    /// With [`Rule::Last`], all objects on a path are checked. Otherwise, none
    /// is.
    pub(crate) rule: Rule,
    /// The number of keys after which the pass can stop, if only `type` and
    /// `subtype` are requested.
    pub(crate) answers: Option<usize>,
}

/// What a block needs to know of the block before it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Last {
    /// Opening quotes.
    pub(crate) opening: u64,
    /// Whether its last byte ends a string that may be a key: 0 or 1.
    pub(crate) keys: u64,
}

/// The masks of a block.
#[derive(Clone, Copy)]
pub(crate) struct Marks {
    pub(crate) strings: StringMasks,
    pub(crate) brackets: Brackets,
    pub(crate) last: Last,
}

/// The bytes of a block that belong to objects on a path.
#[derive(Clone, Copy, Default)]
pub(crate) struct Levels {
    /// All of them, without the brackets of nested values.
    pub(crate) on_path: u64,
    /// The nested objects on a path, with all brackets.
    pub(crate) within: u64,
    /// Their opening brackets.
    pub(crate) objects: u64,
    /// Their closing brackets.
    pub(crate) ends: u64,
    /// The brackets that open values in them.
    pub(crate) opening: u64,
    /// The brackets that close values in them.
    pub(crate) closing: u64,
}

/// An object on a path, which is open.
#[derive(Clone, Copy)]
struct Open<'p> {
    node: &'p Node,
    /// The offset of its bracket.
    start: usize,
}

pub(crate) struct Walk<'s, 'a, 'p, 'f> {
    sweep: &'s mut Sweep<'a, 'p, 'f>,
    /// The objects around `open`: their nodes, and the offsets of their
    /// brackets. An array of each is filled with a few vector stores.
    outer_nodes: [&'p Node; MAX_PATH],
    outer_starts: [usize; MAX_PATH],
    /// The innermost object on a path.
    open: Open<'p>,
    /// The number of open brackets.
    pub(crate) depth: usize,
    /// The number of open objects that are on a path.
    pub(crate) on_path: usize,
    /// How many of them have to be open for the innermost to be checked.
    checks_from: usize,
    /// The offset of the next object on a path, if its key has been found.
    entered: Option<(usize, &'p Node)>,
    /// The first `type` and `subtype` of the outermost object.
    seen: [Option<&'p Step>; 2],
    answered: usize,
    /// Whether there may be a value in `found`.
    has_found: bool,
}

impl<'s, 'a, 'p, 'f> Walk<'s, 'a, 'p, 'f> {
    /// Begins before the bracket of the outermost object.
    #[inline(always)]
    pub(crate) fn new(
        sweep: &'s mut Sweep<'a, 'p, 'f>,
    ) -> Walk<'s, 'a, 'p, 'f> {
        debug_assert!(sweep.found.iter().all(Option::is_none));
        let Start { node, offset, is_checked } = sweep.start;
        let checks_from = match sweep.rule {
            Rule::Last => 1 + usize::from(is_checked),
            Rule::FirstType => usize::MAX,
        };
        let outermost = Open { node, start: offset };
        Walk {
            sweep,
            outer_nodes: [node; MAX_PATH],
            outer_starts: [offset; MAX_PATH],
            open: outermost,
            depth: 0,
            on_path: 0,
            checks_from,
            entered: Some((offset, node)),
            seen: [None; 2],
            answered: 0,
            has_found: false,
        }
    }

    pub(crate) fn is_answered(&self) -> bool {
        self.sweep.answers == Some(self.answered)
    }

    /// Processes the block at `start`, which has no brackets.
    #[inline(always)]
    pub(crate) fn step_without_brackets<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        marks: Marks,
    ) -> Option<Levels> {
        self.find_keys(simd, start, !0, marks)?;
        let is_checked = self.on_path >= self.checks_from;
        let within = if is_checked { !0 } else { 0 };
        Some(Levels { on_path: !0, within, ..Levels::default() })
    }

    /// Processes the block at `start`, bracket by bracket.
    #[inline(always)]
    pub(crate) fn step<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        marks: Marks,
    ) -> Option<Levels> {
        let Brackets { opening, closing } = marks.brackets;
        let mut levels = Levels::default();
        let mut left = opening | closing;
        // The bytes from the last bracket on.
        let mut after = !0;
        loop {
            let bit = left & left.wrapping_neg();
            let is_checked = self.on_path >= self.checks_from;
            if self.depth == self.on_path {
                // Up to the next bracket, or to the end of the block.
                let region = after & bit.wrapping_sub(1);
                levels.on_path |= region;
                if is_checked {
                    levels.within |= region | bit;
                }
                self.find_keys(simd, start, region, marks)?;
            }
            if bit == 0 {
                return Some(levels);
            }
            left ^= bit;
            after = !(bit | (bit - 1));
            let at = start + bit.trailing_zeros() as usize;
            let was_on_path = self.depth == self.on_path;
            if opening & bit != 0 {
                if was_on_path && is_checked {
                    levels.opening |= bit;
                }
                self.depth += 1;
                if let Some((offset, node)) = self.entered
                    && offset == at
                {
                    self.entered = None;
                    if let Some(outer) = self.on_path.checked_sub(1) {
                        *self.outer_nodes.get_mut(outer)? = self.open.node;
                        *self.outer_starts.get_mut(outer)? = self.open.start;
                    }
                    self.open = Open { node, start: at };
                    self.on_path += 1;
                    if self.on_path >= self.checks_from {
                        levels.objects |= bit;
                        levels.within |= bit;
                    }
                }
                continue;
            }
            self.depth = self.depth.checked_sub(1)?;
            if was_on_path {
                if is_checked {
                    levels.ends |= bit;
                    if self.on_path > self.checks_from {
                        levels.closing |= bit;
                    }
                }
                let Open { node, start } = self.open;
                let Sweep { source, found, .. } = &mut *self.sweep;
                node.set(source, start, at + 1, found);
                self.has_found = true;
                self.on_path -= 1;
                match self.on_path.checked_sub(1) {
                    None => return Some(levels),
                    Some(outer) => {
                        self.open = Open {
                            node: *self.outer_nodes.get(outer)?,
                            start: *self.outer_starts.get(outer)?,
                        };
                    }
                }
            } else if self.depth == self.on_path && is_checked {
                levels.closing |= bit;
                levels.within |= bit;
            }
        }
    }

    /// Looks for the keys of the innermost object on a path.
    #[inline(always)]
    fn find_keys<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        region: u64,
        marks: Marks,
    ) -> Option<()> {
        let Marks { strings, last, .. } = marks;
        let opening = strings.quotes & strings.inside;
        let closing = strings.quotes & !strings.inside & region;
        for step in &self.open.node.steps {
            let key = step.key_bytes();
            let between = (key.len() + 1) as u32;
            let mut ends = closing
                & (opening << between | last.opening >> (64 - between));
            while ends != 0 {
                let end = start + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                let text = self.sweep.source.bytes;
                let name = text.get(end - key.len()..end);
                if name.is_some_and(|name| is_equal(name, key))
                    && text.get(end + 1) == Some(&b':')
                {
                    self.find_value(simd, step, end + 2)?;
                }
            }
        }
        Some(())
    }

    /// Stores the value at `at`, or enters it.
    #[inline(always)]
    fn find_value<S: Simd>(
        &mut self,
        simd: S,
        step: &'p Step,
        at: usize,
    ) -> Option<()> {
        let node = &step.to;
        if self.sweep.rule == Rule::FirstType
            && self.on_path == 1
            && step.is_stated
        {
            let is = |seen: &&Step| std::ptr::eq(*seen, step);
            if self.seen.iter().flatten().any(is) {
                return Some(());
            }
            if let Some(place) = self.seen.get_mut(self.answered) {
                *place = Some(step);
                self.answered += 1;
            }
        }
        // Forgets the values of an earlier member with the same key.
        if self.has_found && !node.steps.is_empty() {
            node.forget(self.sweep.found);
        }
        let text = self.sweep.source.bytes;
        match *text.get(at)? {
            0..=b' ' => return None,
            b'{' if !node.steps.is_empty() => {
                self.entered = Some((at, node));
                return Some(());
            }
            b'[' if node.items > 0 => return None,
            _ => {}
        }
        if !node.ends.is_empty() {
            let end = after_value(simd, text, at)?;
            node.set(self.sweep.source, at, end, self.sweep.found);
            self.has_found = true;
        }
        Some(())
    }
}
