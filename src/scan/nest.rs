/// How deep anything can be nested.
pub(crate) const MAX_DEPTH: usize = 256;

/// The objects and arrays that are open: one bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nest {
    /// Whether it is an object. The lowest bit of the first word is the
    /// innermost.
    objects: [u64; MAX_DEPTH / 64],
    depth: usize,
}

/// The brackets of a block, outside of strings.
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

    /// Whether the innermost one is an array.
    #[inline(always)]
    pub(crate) fn in_array(&self) -> bool {
        let [first, ..] = self.objects;
        self.depth > 0 && first & 1 == 0
    }

    /// Opens what the bracket opens. `None` if that is too deep.
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

    /// Closes what the bracket closes. `None` if that is not the innermost.
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

    /// Follows all brackets of the block that begins at `start`. `None` if
    /// one of them is too deep, or closes the wrong thing.
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
        // Nothing can be too deep. Without a branch for each bracket there
        // is nothing to guess.
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
