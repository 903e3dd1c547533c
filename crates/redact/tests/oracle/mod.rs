//! Functions that take any bytes, and panic if an edit or a redaction violates
//! an invariant. The targets in `fuzz/fuzz_targets` call them, and so does
//! `it/fuzz_seeds.rs`.

mod edits;
mod redaction;
mod tree;

pub use edits::edit;
pub use redaction::redact;

/// A target: its name and its oracle.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 2] = [("edit", edit), ("redact", redact)];

/// A text, and random choices that depend on the bytes after the last `FF`,
/// which JSON never contains.
fn split(data: &[u8]) -> (&[u8], Choices) {
    let at = data.iter().rposition(|byte| *byte == 0xFF);
    let at = at.unwrap_or(data.len());
    let step = |hash: u64, byte: &u8| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    };
    let hash = data[at..].iter().fold(0xcbf2_9ce4_8422_2325, step);
    (&data[..at], Choices(hash))
}

/// Random choices (SplitMix64).
struct Choices(u64);

impl Choices {
    /// Returns a number below a bound, which must not be 0.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed =
            (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed =
            (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}
