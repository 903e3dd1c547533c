/*!
Which of two lines of one message counts.
*/

use crate::{Facts, state::codec::saved_newtype, usage::keys::Ids};

/// How close a line is to where its message was first written.
///
/// A message may be on lines of several logs: in the main conversation, in the
/// log of a sub-agent, nested in a `progress` line, copied by a fork. The
/// lines with the highest rank count. The others may have counts from the
/// start of the message, and the session of a copy.
///
/// All lines of a message have a request id, or none has.
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
    /// The level of a message that is never a copy.
    pub(crate) const TOP_LEVEL: u8 = 4;

    const MAIN: u8 = 4;
    const OWN_LINE: u8 = 2;
    const ORIGINAL: u8 = 1;
    /// The message has the API's own id, and no request id.
    const NO_REQUEST: u8 = 8;

    pub(crate) fn of(facts: &Facts<'_>, ids: Option<&Ids>) -> Rank {
        let lacks_request = ids.is_some_and(Ids::lacks_request);
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        Rank(
            bit(!facts.is_sidechain(), Rank::MAIN)
                | bit(!facts.is_nested(), Rank::OWN_LINE)
                | bit(!facts.is_forked(), Rank::ORIGINAL)
                | bit(lacks_request, Rank::NO_REQUEST),
        )
    }

    pub(crate) fn is_sidechain(self) -> bool {
        self.0 & Rank::MAIN == 0
    }

    pub(crate) fn get(self) -> u8 {
        self.0 & !Rank::NO_REQUEST
    }

    /// Returns how much a line counts among those of one message id: see
    /// [`MessageKeys::level`](crate::MessageKeys::level).
    pub(crate) fn level(self) -> u8 {
        let is_set = |bit| self.0 & bit != 0;
        match (is_set(Rank::OWN_LINE), is_set(Rank::NO_REQUEST)) {
            _ if self.is_sidechain() => 0,
            (false, true) => 1,
            // A stream writes some messages before they are complete, and
            // then mirrors their lines of the transcript.
            (true, true) => 2,
            (false, false) => 3,
            (true, false) => Rank::TOP_LEVEL,
        }
    }
}
