/// The maximum supported nesting depth.
pub(crate) const MAX_DEPTH: usize = 256;

/// A stack of the open objects and arrays, as a bit set.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nest {
    /// Whether each open value is an object. The lowest bit of the first `u64`
    /// is the innermost value.
    objects: [u64; MAX_DEPTH / 64],
    depth: usize,
}

/// The brackets of a block that are outside of strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brackets {
    pub(crate) opening: u64,
    pub(crate) closing: u64,
}

impl Nest {
    #[inline(always)]
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns whether the innermost open value is an array.
    #[inline(always)]
    pub(crate) fn in_array(&self) -> bool {
        let [first, ..] = self.objects;
        self.depth > 0 && first & 1 == 0
    }

    /// Counts an opening bracket, for a caller that knows the stack. Returns
    /// `None` if the depth would exceed `max`.
    #[inline(always)]
    pub(crate) fn descend(&mut self, max: usize) -> Option<()> {
        self.depth += 1;
        (self.depth <= max).then_some(())
    }

    /// Counts a closing bracket. Returns `None` if nothing is open.
    #[inline(always)]
    pub(crate) fn ascend(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        Some(())
    }

    /// Pushes the value that the bracket opens. Returns `None` if the depth
    /// would exceed `max`.
    #[inline(always)]
    pub(crate) fn open(&mut self, bracket: u8, max: usize) -> Option<()> {
        if self.depth >= max {
            return None;
        }
        let [first, second, third, fourth] = &mut self.objects;
        if self.depth >= 64 {
            *fourth = *fourth << 1 | *third >> 63;
            *third = *third << 1 | *second >> 63;
            *second = *second << 1 | *first >> 63;
        }
        *first = *first << 1 | u64::from(bracket >> 5 & 1);
        self.depth += 1;
        Some(())
    }

    /// Pops the innermost value. Returns `None` if the bracket does not match
    /// it.
    #[inline(always)]
    pub(crate) fn close(&mut self, bracket: u8) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        let [first, second, third, fourth] = &mut self.objects;
        let same = *first & 1 == u64::from(bracket >> 5 & 1);
        *first >>= 1;
        if self.depth >= 64 {
            *first |= *second << 63;
            *second = *second >> 1 | *third << 63;
            *third = *third >> 1 | *fourth << 63;
            *fourth >>= 1;
        }
        same.then_some(())
    }

    /// Processes all brackets of the block that starts at `start`. Returns
    /// `None` if the depth exceeds `max`, or if a bracket does not match.
    #[inline(always)]
    pub(crate) fn follow(
        &mut self,
        brackets: Brackets,
        text: &[u8],
        start: usize,
        max: usize,
    ) -> Option<()> {
        let Brackets { opening, closing } = brackets;
        let (opens, closes) = (opening.count_ones(), closing.count_ones());
        let deepest = self.depth + opens as usize;
        let mut left = opening | closing;
        if deepest >= 64 || deepest > max || self.depth < closes as usize {
            while left != 0 {
                let at = left.trailing_zeros();
                left &= left - 1;
                let byte = *text.get(start + at as usize)?;
                match opening >> at & 1 {
                    1 => self.open(byte, max)?,
                    _ => self.close(byte)?,
                }
            }
            return Some(());
        }
        // Fast path: the depth cannot leave its bounds within this block, so
        // each bracket is processed without branches that could be
        // mispredicted.
        let [first, ..] = &mut self.objects;
        let (mut objects, mut wrong) = (*first, 0);
        while left != 0 {
            let at = left.trailing_zeros();
            left &= left - 1;
            let byte = *text.get(start + at as usize)?;
            let object = u64::from(byte >> 5 & 1);
            let open = opening >> at & 1;
            wrong |= (objects ^ object) & (open ^ 1);
            let opened = objects << 1 | object;
            objects = if open == 1 { opened } else { objects >> 1 };
        }
        *first = objects;
        self.depth = deepest - closes as usize;
        (wrong & 1 == 0).then_some(())
    }
}
