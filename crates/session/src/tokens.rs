/*!
Token counts.
*/

use std::{
    iter::Sum,
    ops::{Add, AddAssign},
};

use linetape::{Value, message::Usage};

use crate::state::codec::saved;

/// Token counts by purpose. Sums saturate at `u64::MAX`.
///
/// # Example
///
/// This shows how to add tokens up.
///
/// ```
/// use linetape_session::Tokens;
///
/// let one = Tokens { input_tokens: 3, ..Tokens::default() };
/// let two = Tokens { input_tokens: 4, output_tokens: 1, ..one };
/// let sum: Tokens = [one, two].into_iter().sum();
/// assert_eq!((sum.input_tokens, sum.output_tokens), (7, 1));
/// assert_eq!(one + two, sum);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Tokens {
    /// Input tokens, other than those of the prompt cache.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens written to the prompt cache.
    pub cache_creation_input_tokens: u64,
    /// Input tokens read from the prompt cache.
    pub cache_read_input_tokens: u64,
    /// Of the tokens written to the cache, those that expire after five
    /// minutes.
    pub ephemeral_5m_input_tokens: u64,
    /// Of the tokens written to the cache, those that expire after an hour.
    pub ephemeral_1h_input_tokens: u64,
    /// Web searches by the API.
    pub web_search_requests: u64,
    /// Web pages fetched by the API.
    pub web_fetch_requests: u64,
}

impl Tokens {
    /// Returns the counts of a message's usage. Missing counts are 0.
    ///
    /// # Example
    ///
    /// This shows the usage of one message.
    ///
    /// ```
    /// use linetape::Decoder;
    /// use linetape_session::Tokens;
    ///
    /// let line = br#"{"type":"assistant","message":{"id":"m1",
    ///     "usage":{"input_tokens":3,"output_tokens":5}}}"#;
    /// let mut decoder = Decoder::new();
    /// let record = decoder.decode(line)?;
    /// let usage = record.message().usage().expect("it has one");
    /// assert_eq!(Tokens::of(usage).output_tokens, 5);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn of(usage: Usage<'_>) -> Tokens {
        Figures::of(usage.value()).tokens()
    }

    /// Returns one of the counts of a message's usage. Some programs write it
    /// as a floating-point number, such as `5.0`; one that is not whole is no
    /// count.
    ///
    /// # Example
    ///
    /// This shows counts in two forms.
    ///
    /// ```
    /// use linetape::Decoder;
    /// use linetape_session::Tokens;
    ///
    /// let mut decoder = Decoder::new();
    /// let usage = decoder.decode(br#"{"type":"usage","a":5,"b":5.0,"c":0.5}"#)?;
    /// let count = |key| Tokens::count(usage.value().get(key)?);
    /// assert_eq!([count("a"), count("b"), count("c")], [Some(5), Some(5), None]);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn count(value: Value<'_>) -> Option<u64> {
        /// From here on, there are whole numbers that are not exact.
        const MAX_EXACT: f64 = (1_u64 << 53) as f64;
        value.as_u64().or_else(|| {
            let number = value.as_f64()?;
            let is_count = (0.0..=MAX_EXACT).contains(&number);
            (is_count && number.fract() == 0.0).then_some(number as u64)
        })
    }

    /// Returns the sum of all tokens. The parts of what was written to the
    /// cache are not added to it once more.
    pub(crate) fn sum(&self) -> u128 {
        [
            self.input_tokens,
            self.output_tokens,
            self.cache_creation_input_tokens,
            self.cache_read_input_tokens,
        ]
        .into_iter()
        .map(u128::from)
        .sum()
    }
}

/// Token counts, and which of them a line contains.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    tokens: Tokens,
    /// A bit set with one bit for each count, in the order of `counts_mut`.
    present: u8,
    /// Whether the model ran in fast mode.
    pub(crate) is_fast: bool,
}

impl From<Tokens> for Figures {
    fn from(tokens: Tokens) -> Figures {
        Figures { tokens, present: u8::MAX, is_fast: false }
    }
}

impl Figures {
    /// Reads the usage of a message, or of one iteration.
    pub(crate) fn of(usage: Value<'_>) -> Figures {
        Figures::with_iterations(usage).0
    }

    /// Reads the usage of a message. Returns the list of its iterations as
    /// well, if it has one.
    pub(crate) fn with_iterations<'a>(
        usage: Value<'a>,
    ) -> (Figures, Option<Value<'a>>) {
        // One pass for all keys: this runs for every line of the model.
        let [input, output, created, read, cache, tools, speed, iterations] =
            usage.get_many([
                "input_tokens",
                "output_tokens",
                "cache_creation_input_tokens",
                "cache_read_input_tokens",
                "cache_creation",
                "server_tool_use",
                "speed",
                "iterations",
            ]);
        let [five_minutes, an_hour] = members(
            cache,
            ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"],
        );
        let [searches, fetches] =
            members(tools, ["web_search_requests", "web_fetch_requests"]);
        let mut figures = Figures::default();
        let values = [
            input,
            output,
            created,
            read,
            five_minutes,
            an_hour,
            searches,
            fetches,
        ];
        for (at, (slot, value)) in
            figures.tokens.counts_mut().into_iter().zip(values).enumerate()
        {
            if let Some(count) = value.and_then(Tokens::count) {
                *slot = count;
                figures.present |= 1 << at;
            }
        }
        figures.drop_stale_counts();
        figures.add_missing_sum();
        figures.is_fast = speed.is_some_and(|s| s.as_str() == Some("fast"));
        (figures, iterations)
    }

    /// Sets all counts to 0 if the four totals are present and 0. The copy of a
    /// message in a fork can be such a usage, and keep the parts of what the
    /// original wrote to the cache.
    fn drop_stale_counts(&mut self) {
        const TOTALS: u8 = 0b1111;
        if self.present & TOTALS == TOTALS && self.tokens.sum() == 0 {
            self.tokens = Tokens::default();
        }
    }

    /// Sets the tokens written to the cache to the sum of their parts, if a
    /// line has only the parts, or a sum of 0.
    fn add_missing_sum(&mut self) {
        const SUM: u8 = 1 << 2;
        const PARTS: u8 = 1 << 4 | 1 << 5;
        let tokens = &mut self.tokens;
        let is_missing = tokens.cache_creation_input_tokens == 0;
        if is_missing && self.present & PARTS != 0 {
            tokens.cache_creation_input_tokens = tokens
                .ephemeral_5m_input_tokens
                .saturating_add(tokens.ephemeral_1h_input_tokens);
            self.present |= SUM;
        }
    }

    /// Overwrites the counts that `later` contains, and keeps the others.
    pub(crate) fn update(&mut self, later: Figures) {
        self.update_aged(later, &mut [0; 8], &[0; 8]);
    }

    /// Overwrites the counts that `later` contains, and keeps the others and
    /// those that are younger. `ages` are the times of the counts.
    pub(crate) fn update_aged(
        &mut self,
        mut later: Figures,
        ages: &mut [i64; 8],
        later_ages: &[i64; 8],
    ) {
        self.is_fast |= later.is_fast;
        let ages = ages.iter_mut().zip(later_ages);
        // The common case: the lines of a message repeat its counts.
        if (self.tokens, self.present) == (later.tokens, later.present) {
            for (at, (age, new_age)) in ages.enumerate() {
                if self.present >> at & 1 == 1 {
                    *age = *new_age.max(age);
                }
            }
            return;
        }
        let counts = self.tokens.counts_mut().into_iter();
        let counts = counts.zip(later.tokens.counts_mut());
        for (at, ((slot, new), (age, new_age))) in counts.zip(ages).enumerate()
        {
            let bit = 1 << at;
            let is_missing = self.present & bit == 0;
            if later.present & bit != 0 && (is_missing || new_age >= age) {
                *slot = *new;
                *age = *new_age;
            }
        }
        self.present |= later.present;
    }

    /// Sets the counts at the end of a message, which are the last ones that
    /// the API sends. It may leave out those of the input, or send them as 0.
    pub(crate) fn end(&mut self, mut last: Figures) {
        const OUTPUT: u8 = 1 << 1;
        self.is_fast |= last.is_fast;
        if last.are_zero() {
            return;
        }
        let counts = self.tokens.counts_mut().into_iter();
        let counts = counts.zip(last.tokens.counts_mut());
        for (at, (slot, new)) in counts.enumerate() {
            let bit = 1 << at;
            if last.present & bit != 0 && (*new > 0 || bit == OUTPUT) {
                *slot = *new;
                self.present |= bit;
            }
        }
    }

    /// Returns the larger one of each count.
    pub(crate) fn largest(mut self, other: Figures) -> Figures {
        self.tokens = self.tokens.largest(other.tokens);
        self.present |= other.present;
        self.is_fast |= other.is_fast;
        self
    }

    /// Returns whether no count is above 0.
    pub(crate) fn are_zero(&self) -> bool {
        self.tokens == Tokens::default()
    }

    /// Returns whether a count is present, by its number.
    pub(crate) fn has(&self, at: usize) -> bool {
        self.present & (1 << at) != 0
    }

    pub(crate) fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// Returns all counts, in the order of the fields of [`Tokens`], and which
    /// of them are present.
    pub(crate) fn parts(&self) -> ([u64; 8], u8) {
        let mut tokens = self.tokens;
        (tokens.counts_mut().map(|count| *count), self.present)
    }

    /// Creates the figures from what [`parts`](Figures::parts) returned.
    pub(crate) fn from_parts(counts: [u64; 8], present: u8) -> Figures {
        let mut figures = Figures { present, ..Figures::default() };
        let slots = figures.tokens.counts_mut().into_iter();
        slots.zip(counts).for_each(|(slot, count)| *slot = count);
        figures
    }
}

saved! {
    Figures { tokens, present, is_fast }
    Tokens {
        input_tokens,
        output_tokens,
        cache_creation_input_tokens,
        cache_read_input_tokens,
        ephemeral_5m_input_tokens,
        ephemeral_1h_input_tokens,
        web_search_requests,
        web_fetch_requests,
    }
}

impl Tokens {
    /// Returns the larger one of each count.
    pub(crate) fn largest(self, other: Tokens) -> Tokens {
        self.with(other, u64::max)
    }

    /// Returns the counts without the parts of what was written to the cache,
    /// and without what is not a token.
    pub(crate) fn four(self) -> Tokens {
        Tokens {
            ephemeral_5m_input_tokens: 0,
            ephemeral_1h_input_tokens: 0,
            web_search_requests: 0,
            web_fetch_requests: 0,
            ..self
        }
    }

    /// Returns what each count has more than that of `other`.
    pub(crate) fn without(self, other: Tokens) -> Tokens {
        self.with(other, u64::saturating_sub)
    }

    fn with(
        mut self,
        mut other: Tokens,
        join: impl Fn(u64, u64) -> u64,
    ) -> Tokens {
        let counts = self.counts_mut().into_iter();
        for (count, other) in counts.zip(other.counts_mut()) {
            *count = join(*count, *other);
        }
        self
    }

    /// Returns all counts, in the order of the fields.
    fn counts_mut(&mut self) -> [&mut u64; 8] {
        [
            &mut self.input_tokens,
            &mut self.output_tokens,
            &mut self.cache_creation_input_tokens,
            &mut self.cache_read_input_tokens,
            &mut self.ephemeral_5m_input_tokens,
            &mut self.ephemeral_1h_input_tokens,
            &mut self.web_search_requests,
            &mut self.web_fetch_requests,
        ]
    }
}

fn members<'a, const N: usize>(
    object: Option<Value<'a>>,
    keys: [&str; N],
) -> [Option<Value<'a>>; N] {
    object.map_or([None; N], |object| object.get_many(keys))
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, mut other: Tokens) {
        for (sum, more) in
            self.counts_mut().into_iter().zip(other.counts_mut())
        {
            *sum = sum.saturating_add(*more);
        }
    }
}

impl Add for Tokens {
    type Output = Tokens;

    fn add(mut self, other: Tokens) -> Tokens {
        self += other;
        self
    }
}

impl<'a> Sum<&'a Tokens> for Tokens {
    fn sum<I: Iterator<Item = &'a Tokens>>(all: I) -> Tokens {
        all.copied().sum()
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(all: I) -> Tokens {
        all.fold(Tokens::default(), Add::add)
    }
}
