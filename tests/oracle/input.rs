//! The input of a fuzz target: a text, and parameters.

/// A text, and bytes that are parameters.
///
/// The last byte `FF` separates the two. A JSON text never contains it, so a
/// seed can be a plain text, or a text followed by `FF` and parameters.
/// Missing parameters are 0.
#[derive(Clone, Debug)]
pub struct Input<'d> {
    pub text: &'d [u8],
    choices: &'d [u8],
}

impl<'d> Input<'d> {
    pub fn of(data: &'d [u8]) -> Input<'d> {
        match data.iter().rposition(|byte| *byte == 0xFF) {
            Some(at) => Input { text: &data[..at], choices: &data[at + 1..] },
            None => Input { text: data, choices: &[] },
        }
    }

    /// All bytes are parameters.
    pub fn of_choices(choices: &'d [u8]) -> Input<'d> {
        Input { text: &[], choices }
    }

    pub fn byte(&mut self) -> u8 {
        match self.choices {
            [first, rest @ ..] => {
                self.choices = rest;
                *first
            }
            [] => 0,
        }
    }

    /// Returns a number below a bound, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let mut number = usize::from(self.byte());
        if bound > 256 {
            number = number << 8 | usize::from(self.byte());
        }
        number % bound
    }

    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Returns the sizes of the pieces that a text arrives in, and of a
    /// buffer.
    pub fn plan(&mut self) -> (Vec<usize>, usize) {
        const SIZES: [usize; 12] =
            [usize::MAX, 1, 2, 3, 5, 7, 13, 16, 17, 31, 64, 65];
        let capacity = 1 + self.below(256);
        let count = 1 + self.below(6);
        ((0..count).map(|_| self.one_of(&SIZES)).collect(), capacity)
    }
}
