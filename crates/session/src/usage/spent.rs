/*!
The token usage of one message, merged from its lines.
*/

use std::cmp::Ordering;

use crate::{
    Tokens, ids::NameId, state::codec::saved, tokens::Figures,
    usage::rank::Rank,
};

/// The largest count of output tokens that may be a placeholder. The content
/// of messages with more tokens is not measured, which saves time.
pub(crate) const MAX_PLACEHOLDER: u64 = 64;

/// The largest plausible number of bytes of text for each output token. A real
/// token has about four.
const MAX_PER_TOKEN: u64 = 100;

/// The length of what is written on a line is measured up to here: it is more
/// than enough for a placeholder.
pub(crate) const MAX_TEXT: usize =
    (MAX_PLACEHOLDER * MAX_PER_TOKEN) as usize + 1;

/// The usage of one message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// Whether any line reports token usage.
    pub(crate) has_usage: bool,
    /// The rank of the lines that the rest is from.
    pub(crate) rank: Rank,
    pub(crate) figures: Figures,
    /// The length of what the model wrote on its lines that have few output
    /// tokens.
    pub(crate) text: usize,
    pub(crate) session: Option<NameId>,
    pub(crate) model: Option<NameId>,
    pub(crate) day: Option<NameId>,
    /// In milliseconds since the Unix epoch.
    pub(crate) time: Option<i64>,
    /// The highest cost in dollars that a line states.
    pub(crate) cost: Option<f64>,
    pub(crate) ages: Ages,
}

/// The times of the lines that the fields of a message are from: the eight
/// counts, the model and the day.
///
/// A copy of a message may end before its last line, and be read after it. So
/// the last line is the one with the latest time, and only among lines of one
/// time the last one in the log. A line without a time comes after the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ages {
    counts: [i64; 8],
    model: i64,
    day: i64,
}

/// Those of lines without a time.
impl Default for Ages {
    fn default() -> Ages {
        Ages::of(None)
    }
}

impl Ages {
    /// Returns the ages of the fields of one line.
    pub(crate) fn of(time: Option<i64>) -> Ages {
        let age = time.unwrap_or(i64::MAX);
        Ages { counts: [age; 8], model: age, day: age }
    }
}

saved! {
    Spent {
        has_usage, rank, figures, text, session, model, day, time, cost, ages,
    }
    Ages { counts, model, day }
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

    /// Returns whether all fields are from lines of one time.
    pub(crate) fn is_of_one_time(&self) -> bool {
        let one = Ages::of(self.time);
        // The common case.
        if self.ages == one {
            return true;
        }
        let counts = self.ages.counts.iter().zip(one.counts).enumerate();
        let mut counts = counts
            .map(|(at, (age, one))| *age == one || !self.figures.has(at));
        counts.all(|is_same| is_same)
            && (self.model.is_none() || self.ages.model == one.model)
            && (self.day.is_none() || self.ages.day == one.day)
    }

    /// Updates a message with a line of it that is later in the log. Counts
    /// that the line lacks are kept, and so are those of a line that was
    /// written later. A line without tokens does not erase those of another
    /// line. A line of a lower rank changes nothing, and one of a
    /// higher rank replaces everything. The first session keeps the message.
    ///
    /// Of a sub-agent's message, the largest counts are used, whatever the
    /// rank of their line: either of its own line and the nested one may have
    /// the counts of the start of the message.
    pub(crate) fn update(&mut self, later: &Spent) {
        match (self.has_usage, later.has_usage) {
            (_, false) => return,
            (false, true) => return *self = *later,
            (true, true) => {}
        }
        let is_side = |spent: &Spent| spent.rank.is_sidechain();
        let largest = (is_side(self) && is_side(later))
            .then(|| self.figures.largest(later.figures));
        let cost = max(self.cost, later.cost);
        match later.rank.cmp(&self.rank) {
            Ordering::Less => {}
            Ordering::Greater => *self = *later,
            Ordering::Equal => self.add(later),
        }
        self.cost = cost;
        if let Some(largest) = largest {
            self.figures = largest;
            // The largest counts are those of no one time.
            self.ages.counts = Ages::of(self.time).counts;
        }
    }

    /// Adds a later line of the same rank.
    fn add(&mut self, later: &Spent) {
        let (ages, new) = (&mut self.ages, &later.ages);
        let is_fast = self.figures.is_fast || later.figures.is_fast;
        match (self.figures.are_zero(), later.figures.are_zero()) {
            (false, true) => {}
            (true, false) => {
                (self.figures, ages.counts) = (later.figures, new.counts);
            }
            _ => self.figures.update_aged(
                later.figures,
                &mut ages.counts,
                &new.counts,
            ),
        }
        self.figures.is_fast = is_fast;
        self.text = self.text.saturating_add(later.text);
        self.session = self.session.or(later.session);
        if later.model.is_some()
            && (self.model.is_none() || new.model >= ages.model)
        {
            (self.model, ages.model) = (later.model, new.model);
        }
        if later.day.is_some() && (self.day.is_none() || new.day >= ages.day) {
            (self.day, ages.day) = (later.day, new.day);
        }
        self.time = self.time.max(later.time);
    }
}

fn max(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}
