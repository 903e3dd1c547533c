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
    /// The highest rank of its lines.
    pub(crate) rank: Rank,
    pub(crate) ranks: Ranks,
    pub(crate) figures: Figures,
    /// The length of what the model wrote on the lines that the figures are
    /// from, if they have few output tokens.
    pub(crate) text: usize,
    pub(crate) session: Option<NameId>,
    pub(crate) model: Option<NameId>,
    pub(crate) day: Option<NameId>,
    /// In milliseconds since the Unix epoch.
    pub(crate) time: Option<i64>,
    /// The highest cost in dollars that a line states.
    pub(crate) cost: Option<f64>,
    pub(crate) ages: Ages,
    /// Whether the counts of the output are those of the start of the message,
    /// by a line of a stream.
    pub(crate) is_open: bool,
    /// Whether the first line with usage is of a stream, so that the message is
    /// among those of the stream by its index.
    pub(crate) is_streamed: bool,
}

/// The ranks of the lines that the fields of a message are from. A line of the
/// highest rank may lack some of them, or have no tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ranks {
    /// That of the counts and of the text.
    figures: Rank,
    session: Rank,
    model: Rank,
    day: Rank,
    time: Rank,
}

impl Ranks {
    /// Returns the ranks of the fields of one line.
    pub(crate) fn of(rank: Rank) -> Ranks {
        Ranks {
            figures: rank,
            session: rank,
            model: rank,
            day: rank,
            time: rank,
        }
    }
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
        has_usage, rank, ranks, figures, text, session, model, day, time, cost,
        ages, is_open, is_streamed,
    }
    Ranks { figures, session, model, day, time }
    Ages { counts, model, day }
}

impl Spent {
    pub(crate) fn tokens(&self) -> Tokens {
        self.figures.tokens()
    }

    /// Returns whether the count of output tokens cannot be true: some agents
    /// write the count at the start of a message, and never the final one.
    pub(crate) fn has_placeholder(&self) -> bool {
        self.is_open
            || is_placeholder(self.tokens().output_tokens, self.text as u64)
    }

    /// Sets the counts at the end of the message.
    pub(crate) fn end(&mut self, last: Figures) {
        if last.are_zero() {
            return;
        }
        self.figures.end(last);
        self.is_open = false;
        // The length of the text is only for counts of the start.
        self.text = 0;
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

    /// Returns whether all fields are from lines of the highest rank.
    pub(crate) fn is_of_one_rank(&self) -> bool {
        let is_same = |has_value: bool, rank| !has_value || rank == self.rank;
        let ranks = &self.ranks;
        ranks.figures == self.rank
            && is_same(self.session.is_some(), ranks.session)
            && is_same(self.model.is_some(), ranks.model)
            && is_same(self.day.is_some(), ranks.day)
            && is_same(self.time.is_some(), ranks.time)
    }

    /// Updates a message with a line of it that is later in the log. Each
    /// field is that of the lines of the highest rank that have it. Among
    /// these, counts that the line lacks are kept, and so are those of a line
    /// that was written later. The first session keeps the message.
    ///
    /// A line without tokens never erases those of another line, whatever its
    /// rank.
    ///
    /// A line of a stream that was written before the message was complete
    /// never replaces the counts of another line, whatever its rank.
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
        self.cost = max(self.cost, later.cost);
        self.update_names(later);
        self.update_figures(later);
        self.rank = self.rank.max(later.rank);
    }

    fn update_names(&mut self, later: &Spent) {
        let (ranks, new_ranks) = (&mut self.ranks, &later.ranks);
        let (ages, new_ages) = (&mut self.ages, &later.ages);
        if later.session.is_some()
            && (self.session.is_none() || new_ranks.session > ranks.session)
        {
            self.session = later.session;
            ranks.session = new_ranks.session;
        }
        if later.model.is_some()
            && (self.model.is_none()
                || (new_ranks.model, new_ages.model)
                    >= (ranks.model, ages.model))
        {
            self.model = later.model;
            (ranks.model, ages.model) = (new_ranks.model, new_ages.model);
        }
        if later.day.is_some()
            && (self.day.is_none()
                || (new_ranks.day, new_ages.day) >= (ranks.day, ages.day))
        {
            self.day = later.day;
            (ranks.day, ages.day) = (new_ranks.day, new_ages.day);
        }
        if later.time.is_some()
            && (self.time.is_none()
                || (new_ranks.time, later.time) > (ranks.time, self.time))
        {
            (self.time, ranks.time) = (later.time, new_ranks.time);
        }
    }

    fn update_figures(&mut self, later: &Spent) {
        let (rank, new) = (self.ranks.figures, later.ranks.figures);
        let (is_zero, is_new_zero) =
            (self.figures.are_zero(), later.figures.are_zero());
        let are_both_side = rank.is_sidechain() && new.is_sidechain();
        let are_alike = are_both_side
            && (is_zero, self.is_open) == (is_new_zero, later.is_open);
        let largest = are_alike.then(|| self.figures.largest(later.figures));
        // Any tokens count before none, and the last ones before the first.
        let order = is_zero.cmp(&is_new_zero);
        let order = order.then(self.is_open.cmp(&later.is_open));
        match order.then(new.cmp(&rank)) {
            Ordering::Less => {}
            Ordering::Greater => {
                self.figures = later.figures;
                self.ages.counts = later.ages.counts;
                self.text = later.text;
                self.ranks.figures = new;
                self.is_open = later.is_open;
            }
            Ordering::Equal => {
                let ages = &mut self.ages.counts;
                let figures = later.figures;
                self.figures.update_aged(figures, ages, &later.ages.counts);
                self.text = self.text.saturating_add(later.text);
            }
        }
        if let Some(largest) = largest {
            self.figures = largest;
        }
        if self.ranks.figures.is_sidechain() {
            // The largest counts are those of no one time.
            self.ages.counts = Ages::of(self.time).counts;
        }
    }

    /// Returns a message that counts in place of one of a higher level, which
    /// has no tokens: with the session, model and time of that one, if it has
    /// them.
    pub(crate) fn named_by(self, higher: &Spent) -> Spent {
        Spent {
            rank: higher.rank,
            session: higher.session.or(self.session),
            model: higher.model.or(self.model),
            day: higher.day.or(self.day),
            time: higher.time.or(self.time),
            cost: max(self.cost, higher.cost),
            ..self
        }
    }
}

/// Returns whether a count of output tokens cannot be true, by the length of
/// the text.
pub(crate) fn is_placeholder(output: u64, text: u64) -> bool {
    // Messages of the agent itself, such as errors, use no tokens.
    output > 0 && text > output.saturating_mul(MAX_PER_TOKEN)
}

fn max(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}
