/*!
The last member with a key, searched backwards.

A block is loaded twice, at the distance between the two quotes of the key, so
that one AND finds where both may be:

```text
text             , " u s a g e " : { " a
quotes           . 1 . . . . . 1 . . 1 .
6 bytes later    . 1 . . 1 . . . . . . .     `"usage"`?
```
*/

use crate::{
    json::equal::is_equal,
    scan::{BLOCK, Job, Simd},
};

/// How many blocks are searched. The members that are read most stand at the
/// end of a message.
const BLOCKS: usize = 16;

/// Finds the last `key` in the text of an object, at any depth of it, and
/// returns the offset of its opening quote.
///
/// In JSON, only punctuation, numbers and literals are between two strings. So
/// if the key is none of these, the quote begins a string, and a scan can start
/// there without knowing the text before it. For a key such as `,`, the quote
/// may end a string. Then the scan takes texts for punctuation, and does not
/// find the end of the object where it is: see
/// [`Start::end`](crate::json::sweep::Start::end).
pub(crate) struct LastKey<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) key: &'t [u8],
}

impl Job for LastKey<'_> {
    /// `None` if the key is not near the end, or if the last place where it is
    /// written may be a value, or follows a backslash.
    type Output = Option<usize>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<usize> {
        let LastKey { text, key } = self;
        let between = key.len() + 1;
        let mut start = text.len().checked_sub(between)?;
        for _ in 0..BLOCKS {
            start = start.checked_sub(BLOCK)?;
            let opening = text.get(start..)?.first_chunk()?;
            let closing = text.get(start + between..)?.first_chunk()?;
            let quotes = |bytes| simd.equal(simd.load(bytes), b'"');
            let mut both = quotes(opening) & quotes(closing);
            while both != 0 {
                let bit = both.ilog2();
                both ^= 1 << bit;
                let at = start + bit as usize;
                let name = text.get(at + 1..at + between)?;
                if is_equal(name, key) {
                    let before = text.get(at.checked_sub(1)?)?;
                    let after = text.get(at + between + 1)?;
                    let is_key = *before != b'\\' && *after == b':';
                    return is_key.then_some(at);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;
    use crate::scan::{Kernel, Scanner};

    /// The reference implementation: one byte at a time.
    fn naive(text: &[u8], key: &[u8]) -> Option<usize> {
        let quoted = [b"\"", key, b"\""].concat();
        let places = text.len().checked_sub(key.len() + 1)?;
        let blocks = (places / BLOCK).min(BLOCKS);
        let near = places - blocks * BLOCK..places;
        let at = near.rev().find(|&at| text[at..].starts_with(&quoted))?;
        let is_key = at > 0 && text[at - 1] != b'\\';
        (is_key && text.get(at + quoted.len()) == Some(&b':')).then_some(at)
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None, ..ProptestConfig::with_cases(1000)
        })]

        #[test]
        fn every_kernel_finds_the_last_key(
            parts in vec(select(vec![
                "\"usage\":", "\"usage\"", "\\\"usage\":", "\"", ":", "usage",
                "\"id\":\"", "\",\":", "{", "},", "a text of some length, ", "\\",
            ]), 0..60),
            padding in 0_usize..2000,
            at in 0_usize..60,
        ) {
            let mut parts = parts;
            let padding = "x".repeat(padding);
            parts.insert(at.min(parts.len()), &padding);
            let text = parts.concat();
            for key in ["usage", "id", "", ","] {
                let (text, key) = (text.as_bytes(), key.as_bytes());
                let expected = naive(text, key);
                for kernel in Kernel::ALL {
                    let Some(scanner) = Scanner::new(kernel) else { continue };
                    let found = scanner.run(LastKey { text, key });
                    prop_assert_eq!(found, expected, "{} {:?}", kernel, key);
                }
            }
        }
    }
}
