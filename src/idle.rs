/*!
The policy for releasing memory that a long line needed.

Readers and writers reuse their memory for the next line. They release it when
it is too large:

| memory | released at once | released after [`CALM_LINES`] |
|---|---|---|
| text: the buffer of a reader | over 4 MiB | over its initial capacity |
| text: the record of a writer | over 4 MiB | |
| results: the index, tape and strings of a line | over 8 MiB | over 512 KiB |

"At once" is when the next line needs much less memory. [`CALM_LINES`] is the
number of lines in a row that did not need the memory.
*/

/// The size in bytes over which memory for text is released at once.
pub(crate) const GIANT_TEXT: usize = 4 << 20;

/// The size in bytes over which memory for results is released at once.
pub(crate) const GIANT: usize = 2 * GIANT_TEXT;

/// The size in bytes over which memory for results is released after
/// [`CALM_LINES`].
pub(crate) const LARGE: usize = 512 << 10;

/// The number of lines in a row that did not need the memory, after which it
/// is released. Until then, the next long line does not have to allocate.
pub(crate) const CALM_LINES: u64 = 4096;

/// Counts lines that did not need the memory, and decides when to release it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Idle {
    /// The number of lines in a row that needed much less memory.
    calm: u64,
}

impl Idle {
    /// Returns whether to release the `taken` bytes of memory for results.
    /// `line` is the length of the next line in bytes.
    pub(crate) fn is_over(&mut self, taken: usize, line: usize) -> bool {
        let is_needed = taken <= LARGE || line >= taken / 64;
        self.has_passed(taken > GIANT, is_needed, 1)
    }

    /// Returns whether to release the `taken` bytes of memory for text.
    /// `is_needed` is whether the current line needs them, and `lines` the
    /// number of lines since the last call.
    pub(crate) fn is_text_over(
        &mut self,
        taken: usize,
        is_needed: bool,
        lines: u64,
    ) -> bool {
        self.has_passed(taken > GIANT_TEXT, is_needed, lines)
    }

    fn has_passed(
        &mut self,
        is_giant: bool,
        is_needed: bool,
        lines: u64,
    ) -> bool {
        if is_needed {
            self.calm = 0;
            return false;
        }
        self.calm = self.calm.saturating_add(lines);
        let over = is_giant || self.calm >= CALM_LINES;
        if over {
            self.calm = 0;
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_giant_goes_at_once_and_what_is_large_after_calm_lines() {
        let mut idle = Idle::default();
        assert!(!idle.is_over(GIANT + 1, GIANT), "the line needs it");
        assert!(idle.is_over(GIANT + 1, 100));
        assert!(!idle.is_over(LARGE, 1), "it is not much");
        for round in 1..=2 * CALM_LINES {
            let over = idle.is_over(LARGE + 1, 1);
            assert_eq!(over, round % CALM_LINES == 0, "{round}");
        }
        for _ in 1..CALM_LINES {
            assert!(!idle.is_over(LARGE + 1, 1));
        }
        assert!(!idle.is_over(LARGE + 1, LARGE), "it is needed again");
        assert!(!idle.is_over(LARGE + 1, 1));

        let mut idle = Idle::default();
        assert!(idle.is_text_over(GIANT_TEXT + 1, false, 0));
        assert!(!idle.is_text_over(GIANT_TEXT + 1, true, 0));
        assert!(!idle.is_text_over(1000, false, CALM_LINES - 1));
        assert!(idle.is_text_over(1000, false, 1));
    }
}
