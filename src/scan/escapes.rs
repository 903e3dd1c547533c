use crate::scan::{Simd, StringMasks, escape, part};

/// Checks the bytes inside of strings: control characters and escape
/// sequences.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Escapes {
    /// The end of the last `\u` escape that has been checked.
    read: usize,
}

impl Escapes {
    #[inline(always)]
    pub(crate) fn check<S: Simd>(
        &mut self,
        simd: S,
        block: S::Block,
        masks: StringMasks,
        text: &[u8],
        start: usize,
    ) -> Option<()> {
        if simd.controls(block) & masks.inside != 0 {
            return None;
        }
        if masks.backslashes | masks.escaped == 0 {
            return Some(());
        }
        let outside = masks.backslashes & !masks.inside;
        let bad = masks.escaped & !simd.escapable(block);
        if outside | bad != 0 {
            return None;
        }
        let mut units = masks.escaped & simd.equal(block, b'u');
        while units != 0 {
            let at = start + units.trailing_zeros() as usize - 1;
            units &= units - 1;
            // The low surrogate of a pair has been checked with the high one.
            if at >= self.read {
                let (_, used) = escape(part(text, at..))?;
                self.read = at + used;
            }
        }
        Some(())
    }
}
