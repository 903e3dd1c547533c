/*!
The objects on a path, followed from bracket to bracket, and their keys.
*/

use crate::{
    json::{
        Span,
        equal::is_equal,
        projection::{Node, Step},
        skip::after_value,
        sweep::Rule,
    },
    scan::{BLOCK, Brackets, Simd, StringMasks},
};

/// The most tokens of a path for which a sweep has room.
pub(crate) const MAX_PATH: usize = 16;

/// The most bytes of a key that a sweep can look for.
pub(crate) const MAX_KEY: usize = BLOCK - 2;

/// The object in which the paths of a projection begin.
#[derive(Clone, Copy)]
pub(crate) struct Start<'p> {
    pub(crate) node: &'p Node,
    /// The offset of the object.
    pub(crate) object: usize,
    /// The offset at which the sweep begins: that of the object, or of a key
    /// that is probably one of its own.
    pub(crate) at: usize,
    /// The offset after the object, if it is known. If the object ends
    /// elsewhere, the sweep has not begun at one of its keys, and its values
    /// are not used.
    pub(crate) end: Option<usize>,
}

/// Finds the values at the paths of a projection.
pub(crate) struct Sweep<'a, 'p, 'f> {
    pub(crate) text: &'a [u8],
    pub(crate) start: Start<'p>,
    /// The values that are found. There are none at first.
    pub(crate) found: &'f mut [Option<Span>],
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

impl Marks {
    /// Returns the closing quotes of the strings that are as long as `key`.
    #[inline(always)]
    fn ends_of(self, key: &[u8]) -> u64 {
        let Marks { strings, last, .. } = self;
        let opening = strings.quotes & strings.inside;
        let closing = strings.quotes & !strings.inside;
        let between = (key.len() + 1) as u32;
        closing & (opening << between | last.opening >> (64 - between))
    }
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
    /// The offset after the object in which the sweep began, once it has been
    /// closed.
    pub(crate) closed: Option<usize>,
    /// The offset of the next object on a path, if its key has been found.
    entered: Option<(usize, &'p Node)>,
    /// The first `type` and `subtype` of the outermost object.
    seen: [Option<&'p Step>; 2],
    answered: usize,
    /// Whether there may be a value in `found`.
    has_found: bool,
}

impl<'s, 'a, 'p, 'f> Walk<'s, 'a, 'p, 'f> {
    /// `None` if there is no object at the start.
    #[inline(always)]
    pub(crate) fn new(
        sweep: &'s mut Sweep<'a, 'p, 'f>,
    ) -> Option<Walk<'s, 'a, 'p, 'f>> {
        debug_assert!(sweep.found.iter().all(Option::is_none));
        let Start { node, object, at, .. } = sweep.start;
        if sweep.text.get(object) != Some(&b'{') {
            return None;
        }
        let is_open = usize::from(at > object);
        Some(Walk {
            sweep,
            outer_nodes: [node; MAX_PATH],
            outer_starts: [object; MAX_PATH],
            open: Open { node, start: object },
            depth: is_open,
            on_path: is_open,
            closed: None,
            entered: (is_open == 0).then_some((object, node)),
            seen: [None; 2],
            answered: 0,
            has_found: false,
        })
    }

    pub(crate) fn is_answered(&self) -> bool {
        self.sweep.answers == Some(self.answered)
    }

    /// Processes the block at `start`, bracket by bracket.
    #[inline(always)]
    pub(crate) fn step<S: Simd>(
        &mut self,
        simd: S,
        start: usize,
        marks: Marks,
    ) -> Option<()> {
        let Brackets { opening, closing } = marks.brackets;
        let mut left = opening | closing;
        // The bytes from the last bracket on.
        let mut after = !0;
        loop {
            let bit = left & left.wrapping_neg();
            let was_on_path = self.depth == self.on_path;
            if was_on_path {
                // Up to the next bracket, or to the end of the block.
                let region = after & bit.wrapping_sub(1);
                self.find_keys(simd, start, region, marks)?;
            }
            if bit == 0 {
                return Some(());
            }
            left ^= bit;
            after = !(bit | (bit - 1));
            let at = start + bit.trailing_zeros() as usize;
            if opening & bit != 0 {
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
                }
                continue;
            }
            self.depth = self.depth.checked_sub(1)?;
            if was_on_path {
                let Open { node, start } = self.open;
                node.set(start, at + 1, self.sweep.found);
                self.has_found = true;
                self.on_path -= 1;
                let Some(outer) = self.on_path.checked_sub(1) else {
                    self.closed = Some(at + 1);
                    return Some(());
                };
                self.open = Open {
                    node: *self.outer_nodes.get(outer)?,
                    start: *self.outer_starts.get(outer)?,
                };
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
        for step in &self.open.node.steps {
            let key = step.key_bytes();
            let mut ends = marks.ends_of(key) & region;
            while ends != 0 {
                let end = start + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                let text = self.sweep.text;
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
        let text = self.sweep.text;
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
            node.set(at, end, self.sweep.found);
            self.has_found = true;
        }
        Some(())
    }
}
