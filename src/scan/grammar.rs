/*!
The order of tokens, checked 64 bytes at a time.

Whether a comma, a colon or a value may stand somewhere depends on what stands
before it, blanks aside. So each rule is "what follows these is one of those",
and that is arithmetic on masks. To go from a token to what follows it is to
shift by one bit, and then to add the mask of blanks: the sum carries through a
run of blanks, and comes out behind it. To go from the quote that begins a
string to what follows the string is the same sum, with the mask of strings:

```text
text      { " a " :   1 , " b " : " c " }
keys      . 1 . . . . . . 1 . . . . . . .     opening quotes behind `{` or `,`
strings   . 1 1 1 . . . . 1 1 1 . 1 1 1 .
sum       . . . . 1 . . . . . . 1 1 1 1 .     behind each key there is a colon
```

What must be checked one by one is what numbers and words there are, and which
bracket closes which. Both are rare.
*/

use crate::scan::strings::sum;

/// The tokens of a block, as masks. All of them are outside of strings but
/// the two that are about strings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tokens {
    /// Quotes that begin a string.
    pub(crate) quotes: u64,
    /// Strings, with both quotes.
    pub(crate) strings: u64,
    pub(crate) blanks: u64,
    pub(crate) colons: u64,
    /// Commas with a key behind them, and commas with a value behind them.
    pub(crate) key_commas: u64,
    pub(crate) value_commas: u64,
    /// Brackets that open objects and arrays whose inside is checked.
    pub(crate) objects: u64,
    pub(crate) arrays: u64,
    /// Brackets that open a value inside of an object or array.
    pub(crate) opening: u64,
    /// Brackets that close a value inside of an object or array.
    pub(crate) closing: u64,
    /// Brackets that close what is checked inside.
    pub(crate) ends: u64,
    /// Bytes of numbers and words, and whatever else there is.
    pub(crate) scalars: u64,
}

/// What [`Grammar::step`] has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    /// Where a rule is broken.
    pub(crate) wrong: u64,
    /// Quotes that begin a key.
    pub(crate) keys: u64,
    /// Keys, with both quotes.
    pub(crate) key_bytes: u64,
    /// Where numbers and words begin.
    pub(crate) scalars: u64,
}

/// What one block has to tell the next: each a bit that carries over.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Grammar {
    key_commas: u64,
    objects: u64,
    values: u64,
    arrays: u64,
    keys: u64,
    strings: u64,
    behind_key: u64,
    behind_value: u64,
    closing: u64,
    scalar: u64,
}

impl Grammar {
    /// Whether the next byte is inside of a key, or right behind it.
    #[inline(always)]
    pub(crate) fn is_in_key(&self) -> bool {
        self.keys != 0
    }

    /// Looks at the next block. `ARRAYS` says whether there are any whose
    /// inside is checked.
    #[inline(always)]
    pub(crate) fn step<const ARRAYS: bool>(&mut self, t: Tokens) -> Order {
        // Most logs have no blanks at all, and then no sums are needed to
        // pass over them.
        match t.blanks {
            0 => self.check::<ARRAYS, false>(t),
            _ => self.check::<ARRAYS, true>(t),
        }
    }

    #[inline(always)]
    fn check<const ARRAYS: bool, const BLANKS: bool>(
        &mut self,
        t: Tokens,
    ) -> Order {
        let ends = t.ends;
        let blanks = if BLANKS { t.blanks } else { 0 };
        let follow = |tokens: u64, carry: &mut u64| -> u64 {
            let behind = pass::<BLANKS>(tokens << 1, blanks, carry);
            *carry |= tokens >> 63;
            behind
        };
        // Where a key must be, may be, a value must be, and may be.
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

        // What begins must begin in such a place.
        let scalar_goes_on = t.scalars << 1 | self.scalar;
        self.scalar = t.scalars >> 63;
        let scalars = t.scalars & !scalar_goes_on;
        let keys = t.quotes & (key | first_key);
        let values = t.quotes & (value | first_value);
        wrong |= t.quotes & !(keys | values)
            | (t.opening | scalars) & !(value | first_value);

        // Behind a key there is a colon, and before a colon a key.
        let after_keys = sum(t.strings, keys, &mut self.keys);
        let behind = pass::<BLANKS>(
            after_keys & !t.strings,
            blanks,
            &mut self.behind_key,
        );
        wrong |= behind ^ t.colons;

        // Behind a value there is a comma or an end, and before a comma or
        // an end a value. An end may also be right behind the beginning.
        let after_values = sum(t.strings, values, &mut self.strings);
        let after_closing = t.closing << 1 | self.closing;
        self.closing = t.closing >> 63;
        let after = after_values & !t.strings
            | after_closing
            | scalar_goes_on & !t.scalars;
        let behind = pass::<BLANKS>(after, blanks, &mut self.behind_value);
        let commas = t.key_commas | t.value_commas;
        wrong |= behind & !(commas | ends)
            | commas & !behind
            | ends & !(behind | first_key | first_value);

        let key_bytes = t.strings & !after_keys;
        Order { wrong, keys, key_bytes, scalars }
    }
}

/// The first places from the given ones on that are not blank. One that is
/// not in this block carries over.
#[inline(always)]
fn pass<const BLANKS: bool>(places: u64, blanks: u64, carry: &mut u64) -> u64 {
    match BLANKS {
        true => sum(blanks, places, carry) & !blanks,
        false => places | std::mem::take(carry),
    }
}
