/*!
When memory that a long line needed is given back.

This is the one policy for everything that keeps memory from line to line:

| what is kept | given back at once | after [`CALM_LINES`] that did not need it |
|---|---|---|
| text: the buffer of a reader | over 4 MiB | over its first capacity |
| text: the record of a writer | over 4 MiB | |
| what is made of a line: index, tape, strings | over 8 MiB | over 512 KiB |
| the arena of a batch, when it is cleared | over 8 MiB | |

"At once" is when the next line needs much less.
*/

/// Memory for the text of lines is given back at once if it is more.
pub(crate) const GIANT_TEXT: usize = 4 << 20;

/// Memory for what is made of lines is given back at once if it is more.
pub(crate) const GIANT: usize = 2 * GIANT_TEXT;

/// Memory over this size is given back after [`CALM_LINES`].
const LARGE: usize = 512 << 10;

/// How many lines in a row must not have needed the memory. Until then the
/// next long line finds it in place.
pub(crate) const CALM_LINES: u64 = 4096;

/// Decides when memory is given back, by the lines since it was needed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Idle {
    /// How many lines in a row needed much less than there is.
    calm: u64,
}

impl Idle {
    /// Returns whether the `taken` bytes of what was made of earlier lines are
    /// too many to keep for the next line, which has `line` bytes.
    pub(crate) fn is_over(&mut self, taken: usize, line: usize) -> bool {
        let is_needed = taken <= LARGE || line >= taken / 64;
        self.has_passed(taken > GIANT, is_needed, 1)
    }

    /// Returns whether the `taken` bytes for the text of lines are too many to
    /// keep, after so many `lines` more.
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
