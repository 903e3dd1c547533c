/*!
Which of two lines of one message counts.
*/

use crate::{Facts, state::codec::saved_newtype};

/// How close a line is to where its message was first written.
///
/// A message may be on lines of several logs: in the main conversation, in the
/// log of a sub-agent, nested in a `progress` line, copied by a fork. The
/// lines with the highest rank count. The others may have counts from the
/// start of the message, and the session of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Rank(u8);

saved_newtype! { Rank }

/// The highest rank, which is that of the events of agent servers.
impl Default for Rank {
    fn default() -> Rank {
        Rank(Rank::MAIN | Rank::OWN_LINE | Rank::ORIGINAL)
    }
}

impl Rank {
    const MAIN: u8 = 4;
    const OWN_LINE: u8 = 2;
    const ORIGINAL: u8 = 1;

    pub(crate) fn of(facts: &Facts<'_>) -> Rank {
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        Rank(
            bit(!facts.is_sidechain(), Rank::MAIN)
                | bit(!facts.is_nested(), Rank::OWN_LINE)
                | bit(!facts.is_forked(), Rank::ORIGINAL),
        )
    }

    pub(crate) fn is_sidechain(self) -> bool {
        self.0 & Rank::MAIN == 0
    }

    pub(crate) fn get(self) -> u8 {
        self.0
    }

    /// Returns 2 for a line of the main conversation, 1 for one that is only
    /// mirrored, and 0 for one of a sub-agent.
    pub(crate) fn level(self) -> u8 {
        match (self.is_sidechain(), self.0 & Rank::OWN_LINE == 0) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        }
    }
}
