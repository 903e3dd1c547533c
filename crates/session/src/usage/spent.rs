/*!
The token usage of one message, merged from its lines.
*/

use std::cmp::Ordering;

use crate::{
    Tokens, ids::NameId, state::codec::saved, tokens::Figures,
    usage::rank::Rank,
};

/// The largest count of output tokens that may be a placeholder. The text of
/// messages with more tokens is not measured, which saves time.
pub(crate) const MAX_PLACEHOLDER: u64 = 64;

/// The largest plausible number of bytes of text for each output token. A real
/// token has about four.
const MAX_PER_TOKEN: u64 = 100;

/// The usage of one message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// Whether any line reports token usage.
    pub(crate) has_usage: bool,
    /// The rank of the lines that the rest is from.
    pub(crate) rank: Rank,
    pub(crate) figures: Figures,
    /// The length of the longest text on one of its lines. 0 if the line has
    /// many output tokens.
    pub(crate) text: usize,
    pub(crate) session: Option<NameId>,
    pub(crate) model: Option<NameId>,
    pub(crate) day: Option<NameId>,
    /// In milliseconds since 1970.
    pub(crate) time: Option<i64>,
}

saved! {
    Spent {
        has_usage, rank, figures, text, session, model, day, time,
    }
}

impl Spent {
    pub(crate) fn tokens(&self) -> Tokens {
        self.figures.tokens()
    }

    /// Returns whether the count of output tokens cannot be true: some agents
    /// write the count at the start of a message, and never the final one.
    pub(crate) fn has_placeholder(&self) -> bool {
        // Messages of the agent itself, such as errors, use no tokens.
        let tokens = self.tokens().output_tokens;
        tokens > 0 && self.text as u64 > tokens.saturating_mul(MAX_PER_TOKEN)
    }

    /// Updates a message with a later line of it. Counts that the line lacks
    /// are kept. A line of a lower rank changes nothing, and one of a higher
    /// rank replaces everything. The first session keeps the message.
    pub(crate) fn update(&mut self, later: &Spent) {
        match (self.has_usage, later.has_usage) {
            (_, false) => return,
            (false, true) => return *self = *later,
            (true, true) => {}
        }
        match later.rank.cmp(&self.rank) {
            Ordering::Less => return,
            Ordering::Greater => return *self = *later,
            Ordering::Equal => {}
        }
        self.figures.update(later.figures);
        self.text = self.text.max(later.text);
        self.session = self.session.or(later.session);
        self.model = later.model.or(self.model);
        self.day = later.day.or(self.day);
        self.time = later.time.or(self.time);
    }
}
