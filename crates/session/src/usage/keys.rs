/*!
What identifies a message of the model.
*/

use crate::{
    Facts, Said,
    state::hash::Sip,
    tokens::Figures,
    usage::{key::Key, rank::Rank},
};

/// What [`UsageTotals`](crate::UsageTotals) identifies the message of a line
/// by. Use it to count tokens by the same rules, for example in a database.
///
/// 1. Lines with the same [`message`](MessageKeys::message) key are parts of
///    one message, in any session. Only the lines with the highest
///    [`rank`](MessageKeys::rank) count. For the tokens, these are the lines
///    with the highest rank that have any.
/// 2. Messages that share one of their [`session`](MessageKeys::session) keys
///    have the same message id in the same session, but not the same request
///    id. Of these, a message of a sub-agent is a copy if there is one of the
///    main conversation. If all are of sub-agents, only the one with the most
///    tokens counts, and of equal ones the first. A message that is only in a
///    `transcript_mirror` is a copy if one of the main conversation has lines
///    of its own. A message without a request id is a copy if there is one
///    with it. [`level`](MessageKeys::level) says which it is. A message
///    without tokens makes no other one a copy: it is one itself, if there is
///    one with tokens of any other level. That message then has the session,
///    the model and the day of the one with the higher level.
///
/// The keys are hashes of 64 bits that do not change between versions without
/// a note in the changelog.
///
/// # Example
///
/// This shows a sub-agent that repeats a message of the main conversation
/// with a new request id.
///
/// ```
/// use linetape::Decoder;
/// use linetape_session::{Facts, MessageKeys};
///
/// let mut decoder = Decoder::new();
/// let mut keys = |line: &str| {
///     let record = decoder.decode(line.as_bytes())?;
///     Ok::<_, linetape::Error>(MessageKeys::of(&Facts::of(record.message())))
/// };
/// let main = keys(
///     r#"{"type":"assistant","sessionId":"s1","requestId":"r1","message":{"id":"msg_1"}}"#,
/// )?;
/// let copy = keys(
///     r#"{"type":"assistant","sessionId":"s1","requestId":"r2","isSidechain":true,"message":{"id":"msg_1"}}"#,
/// )?;
/// assert_ne!(main.message(), copy.message());
/// assert!(main.session().eq(copy.session()));
/// assert!(main.level() > copy.level());
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MessageKeys {
    message: u64,
    session: [u64; 2],
    rank: Rank,
}

impl MessageKeys {
    /// Returns the keys of an assistant line. Other lines have none.
    pub fn of(facts: &Facts<'_>) -> MessageKeys {
        MessageKeys::new(facts, None)
    }

    /// Returns the keys of an answer of an advisor, by its number among those
    /// that the usage of the line lists.
    pub fn of_advice(facts: &Facts<'_>, number: u64) -> MessageKeys {
        MessageKeys::new(facts, Some(number))
    }

    fn new(facts: &Facts<'_>, number: Option<u64>) -> MessageKeys {
        let said = facts.said();
        let session = facts.request_session_name();
        let ids = said.and_then(|said| {
            let figures = said.usage.map(|usage| Figures::of(usage.value()));
            Ids::of(facts, &said, session.as_deref(), figures.as_ref())
        });
        MessageKeys {
            message: ids.map_or(0, |ids| ids.message(number)),
            session: ids.map_or([0; 2], |ids| {
                ids.within_session(session.as_deref(), number)
            }),
            rank: Rank::of(facts, ids.as_ref()),
        }
    }

    /// Returns the key that all lines of the message have. `None` if the line
    /// has no id: it is a message of its own.
    pub fn message(&self) -> Option<u64> {
        Some(self.message).filter(|key| *key != 0)
    }

    /// Returns the keys that copies of the message in the same session have:
    /// two at most.
    pub fn session(&self) -> impl Iterator<Item = u64> + use<> {
        self.session.into_iter().filter(|key| *key != 0)
    }

    /// Returns how close the line is to where the message was first written.
    pub fn rank(&self) -> u8 {
        self.rank.get()
    }

    /// Returns how much the line counts among those of one message id:
    ///
    /// | level | line |
    /// |---|---|
    /// | 4 | of the main conversation |
    /// | 3 | of the main conversation, only mirrored |
    /// | 2 | of the main conversation, without a request id |
    /// | 1 | of the main conversation, only mirrored, without a request id |
    /// | 0 | of a sub-agent |
    ///
    /// Levels 2 and 1 are for ids that begin with `msg_`: others may not be
    /// unique. The level of a message is the highest of its lines. Which of
    /// the messages that share a [key](MessageKeys::session) are copies is
    /// said at [`MessageKeys`].
    pub fn level(&self) -> u8 {
        self.rank.level()
    }
}

/// The hashed ids of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    /// All that identifies the message.
    exact: Sip,
    /// The message id alone. `None` if the line has none.
    id: Option<Sip>,
    has_request: bool,
    /// Whether no other message has the id.
    is_unique: bool,
    counts: [u64; 3],
}

impl Ids {
    /// Returns the hashes of the message id and the request id, or else of the
    /// uuid. `None` if the line has neither.
    ///
    /// Gateways to other models write no request id, and some of them write
    /// the same message id on every message. All lines of a message repeat the
    /// counts of its input, so these tell such messages apart.
    pub(crate) fn of(
        facts: &Facts<'_>,
        said: &Said<'_>,
        session: Option<&str>,
        figures: Option<&Figures>,
    ) -> Option<Ids> {
        let mut exact = Sip::new();
        let Some(id) = said.id else {
            // No id is as long as the number that precedes the uuid.
            exact.text(None);
            exact.text(Some(facts.uuid()?));
            let (has_request, is_unique) = (false, false);
            let counts = [0; 3];
            return Some(Ids {
                exact,
                id: None,
                has_request,
                is_unique,
                counts,
            });
        };
        exact.text(Some(id));
        let by_id = exact;
        // A missing request id is the same as an empty one.
        let request = facts.request_id().unwrap_or_default();
        exact.text(Some(request));
        let (has_request, is_unique) = (!request.is_empty(), is_unique(id));
        let counts = figures.filter(|_| !is_unique).map_or([0; 3], inputs);
        if !has_request && !is_unique {
            exact.text(session);
            counts.iter().for_each(|count| exact.number(*count));
        }
        Some(Ids { exact, id: Some(by_id), has_request, is_unique, counts })
    }

    /// Returns the key that finds all rows of a message by its id alone. `None`
    /// if other messages may have the id.
    pub(crate) fn of_unique(id: &str) -> Option<Key> {
        let mut by_id = Sip::new();
        by_id.text(Some(id));
        is_unique(id).then(|| Key::by_id(finish(by_id, None), 0))
    }

    /// Returns the key that finds the rows of a streamed message by the event
    /// that begins it, which has no request id.
    pub(crate) fn of_event(
        id: &str,
        session: Option<&str>,
        start: &Figures,
    ) -> Key {
        Ids::of_unique(id).unwrap_or_else(|| {
            let mut exact = Sip::new();
            exact.text(Some(id));
            let (has_request, is_unique) = (false, false);
            let (id, counts) = (Some(exact), inputs(start));
            let ids = Ids { exact, id, has_request, is_unique, counts };
            ids.key(session, None).0
        })
    }

    /// Returns the key of the message, or of the answer of an advisor in it.
    pub(crate) fn message(&self, number: Option<u64>) -> u64 {
        finish(self.exact, number)
    }

    /// Returns whether a message has an id that no other message has, but no
    /// request id. A saved stream has no request ids, and the transcript of
    /// the same session has them.
    pub(crate) fn lacks_request(&self) -> bool {
        self.is_unique && !self.has_request
    }

    /// Returns the key of the row of the message, or of the answer of an
    /// advisor in it, and the hash of all its ids.
    pub(crate) fn key(
        &self,
        session: Option<&str>,
        number: Option<u64>,
    ) -> (Key, u64) {
        let exact = finish(self.exact, number);
        let key = match (self.id, self.is_unique, self.has_request) {
            (Some(id), true, _) => Key::by_id(finish(id, number), exact),
            (Some(_), false, false) => {
                let [_, by_counts] = self.within_session(session, number);
                Key::by_counts(by_counts)
            }
            _ => Key::plain(exact),
        };
        (key, exact)
    }

    /// Returns the keys of copies in a session. 0 is none.
    ///
    /// An id that may not be unique needs the same counts as well, unless both
    /// messages have request ids.
    pub(crate) fn within_session(
        &self,
        session: Option<&str>,
        number: Option<u64>,
    ) -> [u64; 2] {
        let Some(mut id) = self.id else { return [0; 2] };
        id.text(session);
        let by_id = self.is_unique || self.has_request;
        let by_id = if by_id { finish(id, number) } else { 0 };
        let by_counts = if self.is_unique {
            0
        } else {
            self.counts.iter().for_each(|count| id.number(*count));
            finish(id, number)
        };
        [by_id, by_counts]
    }
}

/// Returns whether no other message has an id.
fn is_unique(id: &str) -> bool {
    id.starts_with("msg_")
}

/// Returns the counts of the input.
fn inputs(figures: &Figures) -> [u64; 3] {
    let tokens = figures.tokens();
    [
        tokens.input_tokens,
        tokens.cache_creation_input_tokens,
        tokens.cache_read_input_tokens,
    ]
}

/// Returns a hash. 0 is for messages without ids.
fn finish(mut hash: Sip, number: Option<u64>) -> u64 {
    if let Some(number) = number {
        hash.number(number);
    }
    hash.finish().max(1)
}
