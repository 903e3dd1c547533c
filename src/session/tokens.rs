use std::{iter::Sum, ops::AddAssign};

use crate::{json::Value, message::Usage};

/// How many tokens were used, and for what.
///
/// Sums that are too large for a number stay at the largest.
///
/// # Example
///
/// This shows how to add tokens up.
///
/// ```
/// use linetape::session::Tokens;
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
    /// use linetape::{Decoder, session::Tokens};
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
        let mut tokens = Tokens::default();
        tokens.restate(usage);
        tokens
    }

    /// Takes over the figures that are stated, and leaves the others.
    pub(crate) fn restate(&mut self, usage: Usage<'_>) {
        // All at once: this is done for every line of the model.
        let [input, output, created, read, cache, tools] =
            usage.value().get_all([
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
        let restate = |figure: &mut u64, value: Option<Value<'_>>| {
            *figure = value.and_then(|v| v.as_u64()).unwrap_or(*figure);
        };
        restate(&mut self.input_tokens, input);
        restate(&mut self.output_tokens, output);
        restate(&mut self.cache_creation_input_tokens, created);
        restate(&mut self.cache_read_input_tokens, read);
        restate(&mut self.ephemeral_5m_input_tokens, five_minutes);
        restate(&mut self.ephemeral_1h_input_tokens, an_hour);
        restate(&mut self.web_search_requests, searches);
        restate(&mut self.web_fetch_requests, fetches);
    }
}

fn members<'a, const N: usize>(
    object: Option<Value<'a>>,
    keys: [&str; N],
) -> [Option<Value<'a>>; N] {
    object.map_or([None; N], |object| object.get_all(keys))
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        let Tokens {
            input_tokens,
            output_tokens,
            cache_creation_input_tokens,
            cache_read_input_tokens,
            ephemeral_5m_input_tokens,
            ephemeral_1h_input_tokens,
            web_search_requests,
            web_fetch_requests,
        } = other;
        let add = |sum: &mut u64, more| *sum = sum.saturating_add(more);
        add(&mut self.input_tokens, input_tokens);
        add(&mut self.output_tokens, output_tokens);
        add(
            &mut self.cache_creation_input_tokens,
            cache_creation_input_tokens,
        );
        add(&mut self.cache_read_input_tokens, cache_read_input_tokens);
        add(&mut self.ephemeral_5m_input_tokens, ephemeral_5m_input_tokens);
        add(&mut self.ephemeral_1h_input_tokens, ephemeral_1h_input_tokens);
        add(&mut self.web_search_requests, web_search_requests);
        add(&mut self.web_fetch_requests, web_fetch_requests);
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(all: I) -> Tokens {
        let mut sum = Tokens::default();
        all.for_each(|tokens| sum += tokens);
        sum
    }
}
