/*!
Short lines without nested values, such as `{"type":"keep_alive"}`.

On a line of 20 to 60 bytes, the loops over blocks spend most of their time on
the state that they carry from block to block. A line that fits into one block,
has no nested values and contains only printable ASCII without escapes needs no
such state: its masks are computed once, and one step of the [`Grammar`] checks
all of it. Every other line, valid or not, is left to the caller's general path.
*/

use crate::{
    json::{StatedKey, pass::Extent},
    scan::{BLOCK, Grammar, Simd, Tokens, check_scalars, part},
};

/// A valid line without nested values, in one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flat<'t> {
    text: &'t [u8],
    /// The opening quotes of keys.
    keys: u64,
    /// The closing quotes of all strings.
    closing: u64,
}

impl<'t> Flat<'t> {
    /// Checks a line, if it is flat and ends in the first block.
    #[inline(always)]
    pub(crate) fn new<S: Simd>(simd: S, line: Extent<'t>) -> Option<Flat<'t>> {
        let whole = line.text;
        let (block, length) = match whole.first_chunk::<BLOCK>() {
            Some(bytes) if line.is_first() => {
                let block = simd.load(bytes);
                let newlines = simd.equal(block, b'\n');
                (block, newlines.trailing_zeros() as usize)
            }
            // The end of a stream: there may be no newline.
            None if !line.is_first() => (simd.load_part(whole), whole.len()),
            _ => return None,
        };
        let text = whole.get(..length)?;
        if length == BLOCK || !matches!(text, [b'{', .., b'}']) {
            return None;
        }
        let line = (1 << length) - 1;
        let last = 1 << (length - 1);

        let quotes = simd.equal(block, b'"');
        let inside = simd.prefix_xor(quotes);
        let outside = line & !(inside | quotes);
        let (opening, closing) = simd.brackets(block);
        let brackets = (opening | closing) & outside;
        let special =
            simd.equal(block, b'\\') | simd.controls(block) | simd.high(block);
        if special & line | (brackets ^ (last | 1)) != 0 {
            return None;
        }
        let colons = simd.equal(block, b':') & outside;
        let commas = simd.equal(block, b',') & outside;
        let whitespace = simd.equal(block, b' ') & outside;
        let known = colons | commas | whitespace | brackets;
        let order = Grammar::default().step::<false>(Tokens {
            quotes: quotes & inside & line,
            strings: (inside | quotes) & line,
            whitespace,
            colons,
            key_commas: commas,
            objects: 1,
            ends: last,
            scalars: outside & !known,
            ..Tokens::default()
        });
        if order.wrong != 0 {
            return None;
        }
        check_scalars(whole, 0, order.scalars)?;
        let closing = quotes & !inside & line;
        Some(Flat { text, keys: order.keys, closing })
    }

    /// Returns the length of the line.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.text.len()
    }

    /// Returns the closing quotes of the keys that are as long as `key`.
    #[inline(always)]
    fn ends_of(self, key: StatedKey) -> u64 {
        self.keys << (key.quoted().len() - 1) & self.closing
    }

    /// Returns whether neither `type` nor `subtype` can occur twice.
    #[inline(always)]
    pub(crate) fn is_clear(self) -> bool {
        [StatedKey::Type, StatedKey::Subtype].into_iter().all(|key| {
            // Usually, at most one key is as long.
            let ends = self.ends_of(key);
            ends & ends.wrapping_sub(1) == 0 || self.find(key).is_ok()
        })
    }

    /// Returns the range of the string value of `key`, or `None` if there is
    /// no such key.
    ///
    /// # Errors
    ///
    /// Returns an error if the key occurs twice, if its value is not a string,
    /// or if there is whitespace between them.
    #[inline(always)]
    pub(crate) fn find(
        self,
        key: StatedKey,
    ) -> Result<Option<(usize, usize)>, Unclear> {
        let quoted = key.quoted();
        let mut found = None;
        let mut ends = self.ends_of(key);
        while ends != 0 {
            let after = ends.trailing_zeros() as usize + 1;
            ends &= ends - 1;
            let until = part(self.text, ..after);
            if !until.ends_with(quoted) {
                continue;
            }
            let start = after + 2;
            let between = self.text.get(after..start);
            if found.is_some() || between != Some(b":\"") {
                return Err(Unclear);
            }
            let rest = self.closing >> start;
            found = Some((start, start + rest.trailing_zeros() as usize));
        }
        Ok(found)
    }
}

/// The value of a key has to be read by the general path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unclear;
