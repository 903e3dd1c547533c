/*!
Predicts what the caller will do with the next line.

A line that is searched for its end, and then indexed or checked, is read from
memory twice. If the last lines were all used in the same way, the reader expects
that of the next line too, and does both in one pass. A wrong prediction costs
time and the memory of an index, but does not change a result.

Some lines cannot be prepared: those with a fault, those whose end is not in the
buffer yet, and, if they are to be checked, those with an escaped key. Others are
prepared, and then used in another way, or not at all. Either way, the attempt is
lost time. So after several such lines, attempts become rare, until they succeed.
*/

use std::cell::Cell;

/// How many lines in a row must have been used in the same way.
const STEADY: u8 = 4;

/// The most lines without an attempt, after attempts that failed.
const LONGEST_PAUSE: u8 = 126;
// The next pause, before it is limited, must be a `u8` too.
const _: () = assert!(2 * LONGEST_PAUSE as u32 + 2 <= u8::MAX as u32);

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
    /// Whether the current line has been prepared, for the use in `last`.
    is_prepared: bool,
    /// How many lines to let pass before the next attempt.
    left: u8,
    /// What `left` becomes after the next attempt, if that fails.
    pause: u8,
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
        if std::mem::take(&mut self.is_prepared) {
            if used == self.last {
                self.pause /= 2;
            } else {
                self.note_failure();
            }
        }
        if used != self.last {
            (self.last, self.times) = (used, 0);
        }
        if self.times < STEADY {
            self.times += 1;
        }
        if self.times < STEADY || used == Use::Other {
            return Use::Other;
        }
        match self.left.checked_sub(1) {
            None => used,
            Some(left) => {
                self.left = left;
                Use::Other
            }
        }
    }

    /// Records whether the next line could be prepared for its expected use.
    #[inline]
    pub(crate) fn attempted(&mut self, is_prepared: bool) {
        self.is_prepared = is_prepared;
        if !is_prepared {
            self.note_failure();
        }
    }

    /// Records an attempt that was lost time.
    ///
    /// A single failure has no effect: most buffers end in the middle of a
    /// line. After each further failure, the pause is about twice as long, and
    /// after each success half as long.
    fn note_failure(&mut self) {
        self.left = self.pause;
        self.pause = (2 * self.pause + 2).min(LONGEST_PAUSE);
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

    /// Lines of one kind were tried again and again, which cost up to half of
    /// the speed.
    #[test]
    fn attempts_become_rare_after_failures_and_frequent_after_a_success() {
        let mut habit = Habit::default();
        let mut attempts = |succeed: bool, lines: usize| {
            let mut attempts = vec![];
            for line in 0..lines {
                habit.note(Use::Peek);
                if habit.expect() == Use::Peek {
                    attempts.push(line);
                    habit.attempted(succeed);
                }
            }
            attempts
        };
        assert_eq!(attempts(true, 6), [3, 4, 5]);
        assert_eq!(attempts(false, 32), [0, 1, 4, 11, 26]);
        let rare = attempts(false, 10_000).len();
        assert!(rare < 10_000 / 100, "{rare} attempts");
        assert_eq!(attempts(true, 1000).last(), Some(&999));
        // One failure has no effect.
        assert_eq!(attempts(false, 1), [0]);
        assert_eq!(attempts(true, 3), [0, 1, 2]);
    }

    /// Every fifth line was prepared, and none of these was asked for.
    #[test]
    fn attempts_become_rare_if_prepared_lines_are_not_used() {
        let mut habit = Habit::default();
        let mut attempts = 0;
        for line in 0..10_000 {
            habit.note(if line % 5 == 4 { Use::Other } else { Use::Peek });
            if habit.expect() == Use::Peek {
                assert_eq!(line % 5, 3);
                attempts += 1;
                habit.attempted(true);
            }
        }
        assert!((5..100).contains(&attempts), "{attempts} attempts");
    }
}
