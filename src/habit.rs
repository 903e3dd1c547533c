/*!
Predicts what the caller will do with the next line.

Searching a line for its end takes almost as long as indexing or checking it,
because both wait for memory. If the last lines were all used in the same way,
the reader expects that of the next line too, and does both in one pass. A wrong
prediction costs time, but does not change a result.
*/

use std::cell::Cell;

/// How many lines in a row must have been used in the same way.
const STEADY: u8 = 4;

/// What a line is used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Use {
    /// Nothing that can be done before it is asked for.
    #[default]
    Other,
    /// Its fields are read through an index.
    Peek,
    /// It is checked.
    Check,
    /// It is checked, and its fields are read through an index.
    Checked,
}

/// What the last lines were used for.
#[derive(Debug, Default)]
pub(crate) struct Habit {
    /// The first use of the current line.
    current: Cell<Use>,
    last: Use,
    /// How many lines in a row were used like the last one, at most
    /// [`STEADY`].
    times: u8,
}

impl Habit {
    /// Records a use of the current line.
    #[inline]
    pub(crate) fn note(&self, used: Use) {
        if self.current.get() == Use::Other {
            self.current.set(used);
        }
    }

    /// Ends the current line, and returns the expected use of the next one.
    #[inline]
    pub(crate) fn expect(&mut self) -> Use {
        let used = self.current.take();
        if used != self.last {
            (self.last, self.times) = (used, 0);
        }
        if self.times < STEADY {
            self.times += 1;
        }
        match self.times == STEADY {
            true => used,
            false => Use::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is expected after each of the uses.
    fn expected(uses: &[Use]) -> Vec<Use> {
        let mut habit = Habit::default();
        let mut expect = |used: &Use| {
            habit.note(*used);
            habit.expect()
        };
        uses.iter().map(&mut expect).collect()
    }

    #[test]
    fn four_equal_uses_are_a_habit_and_another_use_ends_it() {
        use Use::{Check, Other, Peek};
        let uses =
            [Peek, Peek, Peek, Peek, Peek, Check, Peek, Peek, Peek, Peek];
        let expected_uses = [
            Other, Other, Other, Peek, Peek, Other, Other, Other, Other, Peek,
        ];
        assert_eq!(expected(&uses), expected_uses);
        assert_eq!(expected(&[Check; 4]), [Other, Other, Other, Check]);
        assert_eq!(expected(&[Other; 6]), [Other; 6]);
        assert_eq!(expected(&[Peek, Other].repeat(4)), [Other; 8]);
    }

    #[test]
    fn the_first_use_of_a_line_counts() {
        let mut habit = Habit::default();
        for _ in 0..3 {
            habit.note(Use::Check);
            habit.note(Use::Peek);
            assert_eq!(habit.expect(), Use::Other);
        }
        habit.note(Use::Check);
        assert_eq!(habit.expect(), Use::Check);
    }
}
