/// Memory over this size is given back as soon as a line needs much less.
const GIANT: usize = 8 << 20;

/// Memory over this size is given back after `CALM_LINES` that need much less.
const LARGE: usize = 512 << 10;
const CALM_LINES: u32 = 4096;

/// Decides when memory that a long line needed is given back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Idle {
    /// How many lines in a row needed much less than there is.
    calm: u32,
}

impl Idle {
    /// Whether `taken` bytes are too many to keep for lines like the next,
    /// which has `line` bytes.
    pub(crate) fn is_over(&mut self, taken: usize, line: usize) -> bool {
        if taken <= LARGE || line >= taken / 64 {
            self.calm = 0;
            return false;
        }
        self.calm += 1;
        let over = taken > GIANT || self.calm >= CALM_LINES;
        if over {
            self.calm = 0;
        }
        over
    }
}
