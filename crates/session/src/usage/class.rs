/*!
What many messages share, such as the model: [`Rows`](super::rows::Rows) has the
index of a class in place of these fields.
*/

use crate::{
    ids::NameId,
    state::codec::{saved, saved_enum},
    tokens::Figures,
    usage::{
        rank::Rank,
        spent::Spent,
        sums::{ClassSums, ClassTotals},
    },
};

/// What many messages have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Class {
    pub(crate) session: Option<NameId>,
    pub(crate) model: Option<NameId>,
    pub(crate) day: Option<NameId>,
    pub(crate) rank: Rank,
    /// The day of the time, in days since the Unix epoch. `None` without a
    /// time. It is not the date of a timestamp that has another time zone.
    pub(crate) date: Option<u32>,
    /// Which token counts are present.
    pub(crate) present: u8,
    pub(crate) expiry: Expiry,
    pub(crate) is_fast: bool,
    /// Whether the counts of the output are those of the start of the message.
    pub(crate) is_open: bool,
    /// Whether the first line is of a stream.
    pub(crate) is_streamed: bool,
}

/// When the tokens that were written to the cache expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expiry {
    Unknown,
    FiveMinutes,
    Hour,
}

saved! {
    Class {
        session, model, day, rank, date, present, expiry, is_fast, is_open,
        is_streamed,
    }
}
saved_enum! {
    Expiry { Unknown = 0, FiveMinutes = 1, Hour = 2 }
}

impl Class {
    /// Returns a message of the class, without tokens, and the sums.
    pub(crate) fn totals(&self, sums: &ClassSums) -> (Spent, ClassTotals) {
        let figures = self.figures(sums.tokens);
        let totals = ClassTotals {
            first: sums.first,
            messages: sums.messages,
            placeholders: match self.is_open {
                true => sums.messages,
                false => sums.placeholders,
            },
            tokens: figures.tokens(),
        };
        let spent = Spent {
            has_usage: true,
            rank: self.rank,
            session: self.session,
            model: self.model,
            day: self.day,
            ..Spent::default()
        };
        (spent, totals)
    }

    /// Returns all counts for those that a row has.
    pub(crate) fn figures(&self, tokens: [u64; 4]) -> Figures {
        let [input, output, written, read] = tokens;
        let of = |expiry| if self.expiry == expiry { written } else { 0 };
        let [five, hour] = [Expiry::FiveMinutes, Expiry::Hour].map(of);
        let counts = [input, output, written, read, five, hour, 0, 0];
        let mut figures = Figures::from_parts(counts, self.present);
        figures.is_fast = self.is_fast;
        figures
    }
}
