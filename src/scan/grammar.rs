/*!
The order of tokens, checked 64 bytes at a time.

Whether a comma, a colon or a value is allowed depends on the token before it.
So each rule has the form "one of these tokens is followed by one of those", and
is checked by arithmetic on bitmasks. To find the token after a token, its bit
is shifted by one, and the mask of the whitespace is added: the sum carries
through a run of whitespace to the bit after it. To find the byte after a
string, the mask of the strings is added to the bit of the opening quote:

```text
text      { " a " :   1 , " b " : " c " }
keys      . 1 . . . . . . 1 . . . . . . .     opening quotes after `{` or `,`
strings   . 1 1 1 . . . . 1 1 1 . 1 1 1 .
sum       . . . . 1 . . . . . . 1 1 1 1 .     each key is followed by a colon
```

Numbers, literals and the nesting of brackets are checked one by one, since they
are rare.
*/

use crate::scan::strings::sum;

/// The tokens of a block, as bitmasks. All except `quotes` and `strings` are
/// outside of strings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tokens {
    /// Opening quotes.
    pub(crate) quotes: u64,
    /// Strings, including both quotes.
    pub(crate) strings: u64,
    pub(crate) whitespace: u64,
    pub(crate) colons: u64,
    /// Commas before a key, and commas before a value.
    pub(crate) key_commas: u64,
    pub(crate) value_commas: u64,
    /// Brackets that open the objects and arrays whose contents are checked.
    pub(crate) objects: u64,
    pub(crate) arrays: u64,
    /// Brackets that open a value inside of an object or array.
    pub(crate) opening: u64,
    /// Brackets that close a value inside of an object or array.
    pub(crate) closing: u64,
    /// Brackets that close the objects and arrays whose contents are checked.
    pub(crate) ends: u64,
    /// Bytes of numbers and literals, and all other bytes.
    pub(crate) scalars: u64,
}

/// The result of [`Grammar::step`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    /// Bits where a rule is violated.
    pub(crate) wrong: u64,
    /// Opening quotes of keys.
    pub(crate) keys: u64,
    /// Keys, including both quotes.
    pub(crate) key_bytes: u64,
    /// The first bytes of numbers and literals.
    pub(crate) scalars: u64,
}

/// The state between two blocks: one carry bit for each sum or shift.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Grammar {
    key_commas: u64,
    objects: u64,
    values: u64,
    arrays: u64,
    keys: u64,
    strings: u64,
    after_key: u64,
    after_value: u64,
    closing: u64,
    scalar: u64,
}

impl Grammar {
    /// Returns whether the next byte is inside of a key or directly after it.
    #[inline(always)]
    pub(crate) fn is_in_key(&self) -> bool {
        self.keys != 0
    }

    /// Checks the next block. `ARRAYS` is whether the contents of arrays are
    /// checked.
    #[inline(always)]
    pub(crate) fn step<const ARRAYS: bool>(&mut self, t: Tokens) -> Order {
        // Most logs have no whitespace between tokens, and then no sums are
        // needed to skip it.
        match t.whitespace {
            0 => self.check::<ARRAYS, false>(t),
            _ => self.check::<ARRAYS, true>(t),
        }
    }

    #[inline(always)]
    fn check<const ARRAYS: bool, const WHITESPACE: bool>(
        &mut self,
        t: Tokens,
    ) -> Order {
        let ends = t.ends;
        let whitespace = if WHITESPACE { t.whitespace } else { 0 };
        let follow = |tokens: u64, carry: &mut u64| -> u64 {
            let next = pass::<WHITESPACE>(tokens << 1, whitespace, carry);
            *carry |= tokens >> 63;
            next
        };
        // `key`: a key is required here, after a comma. `first_key`: a key or
        // the end, after `{`. `value`: a value, after a colon or comma.
        // `first_value`: a value or the end, after `[`.
        let key = follow(t.key_commas, &mut self.key_commas);
        let first_key = follow(t.objects, &mut self.objects);
        let value = follow(t.colons | t.value_commas, &mut self.values);
        let first_value = match ARRAYS {
            true => follow(t.arrays, &mut self.arrays),
            false => 0,
        };

        let starts = t.quotes | t.opening | t.scalars;
        let mut wrong = key & !t.quotes
            | first_key & !(t.quotes | ends)
            | value & !starts
            | first_value & !(starts | ends);

        // Conversely, keys and values may start only at these positions.
        let scalar_goes_on = t.scalars << 1 | self.scalar;
        self.scalar = t.scalars >> 63;
        let scalars = t.scalars & !scalar_goes_on;
        let keys = t.quotes & (key | first_key);
        let values = t.quotes & (value | first_value);
        wrong |= t.quotes & !(keys | values)
            | (t.opening | scalars) & !(value | first_value);

        // A key is followed by a colon, and a colon is preceded by a key.
        let after_keys = sum(t.strings, keys, &mut self.keys);
        let next = pass::<WHITESPACE>(
            after_keys & !t.strings,
            whitespace,
            &mut self.after_key,
        );
        wrong |= next ^ t.colons;

        // A value is followed by a comma or an end. A comma is preceded by a
        // value; an end is preceded by a value or by its opening bracket.
        let after_values = sum(t.strings, values, &mut self.strings);
        let after_closing = t.closing << 1 | self.closing;
        self.closing = t.closing >> 63;
        let after = after_values & !t.strings
            | after_closing
            | scalar_goes_on & !t.scalars;
        let next =
            pass::<WHITESPACE>(after, whitespace, &mut self.after_value);
        let commas = t.key_commas | t.value_commas;
        wrong |= next & !(commas | ends)
            | commas & !next
            | ends & !(next | first_key | first_value);

        let key_bytes = t.strings & !after_keys;
        Order { wrong, keys, key_bytes, scalars }
    }
}

/// Moves each bit to the first position from there on that is not whitespace.
/// A bit that leaves the block is carried over.
#[inline(always)]
fn pass<const WHITESPACE: bool>(
    indexes: u64,
    whitespace: u64,
    carry: &mut u64,
) -> u64 {
    match WHITESPACE {
        true => sum(whitespace, indexes, carry) & !whitespace,
        false => indexes | std::mem::take(carry),
    }
}
