use std::{iter::Sum, ops::AddAssign};

use linetape::{Value, message::Usage};

/// How many tokens were used, and for what.
///
/// Sums that are too large for a number stay at the largest.
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
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// Tokens read, other than through the cache.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens put into the cache.
    pub cache_creation_input_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// Of those put into the cache: those that stay for five minutes.
    pub ephemeral_5m_input_tokens: u64,
    /// Of those put into the cache: those that stay for an hour.
    pub ephemeral_1h_input_tokens: u64,
    /// Searches of the web by the API.
    pub web_search_requests: u64,
    /// Pages fetched by the API.
    pub web_fetch_requests: u64,
}

impl Tokens {
    /// What a message says that it used. What it does not say is 0.
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
        Figures::of(usage).tokens()
    }
}

/// What is said about tokens: how many they are, and which figures were said
/// at all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    tokens: Tokens,
    /// One bit for each figure.
    said: u8,
}

impl From<Tokens> for Figures {
    fn from(tokens: Tokens) -> Figures {
        Figures { tokens, said: u8::MAX }
    }
}

impl Figures {
    pub(crate) fn of(usage: Usage<'_>) -> Figures {
        // All at once: this is done for every line of the model.
        let [input, output, created, read, cache, tools] =
            usage.value().get_many([
                "input_tokens",
                "output_tokens",
                "cache_creation_input_tokens",
                "cache_read_input_tokens",
                "cache_creation",
                "server_tool_use",
            ]);
        let [five_minutes, an_hour] = members(
            cache,
            ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"],
        );
        let [searches, fetches] =
            members(tools, ["web_search_requests", "web_fetch_requests"]);
        let mut figures = Figures::default();
        let said = [
            input,
            output,
            created,
            read,
            five_minutes,
            an_hour,
            searches,
            fetches,
        ];
        for (at, (place, value)) in
            figures.tokens.places().into_iter().zip(said).enumerate()
        {
            if let Some(count) = value.and_then(|value| value.as_u64()) {
                *place = count;
                figures.said |= 1 << at;
            }
        }
        figures
    }

    /// Takes over the figures that are said later, and leaves the others.
    pub(crate) fn restate(&mut self, mut later: Figures) {
        let places = self.tokens.places().into_iter();
        for (at, (place, new)) in places.zip(later.tokens.places()).enumerate()
        {
            if later.said & (1 << at) != 0 {
                *place = *new;
            }
        }
        self.said |= later.said;
    }

    pub(crate) fn tokens(&self) -> Tokens {
        self.tokens
    }
}

impl Tokens {
    /// All figures, in the order of their names above.
    fn places(&mut self) -> [&mut u64; 8] {
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
        for (sum, more) in self.places().into_iter().zip(other.places()) {
            *sum = sum.saturating_add(*more);
        }
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(all: I) -> Tokens {
        let mut sum = Tokens::default();
        all.for_each(|tokens| sum += tokens);
        sum
    }
}
