/*!
The messages of the model, merged from their lines, with their token usage.
*/

use std::collections::HashMap;

use linetape::message::{Block, Content};

use crate::{
    Facts, Said, Tokens,
    ids::{NameId, Names, Renaming},
    tokens::Figures,
};

/// The messages of the model.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// Indexes in `all`, by message id and request id.
    ///
    /// Keys are not interned, since they occur only in this map.
    known: HashMap<Box<[u8]>, usize>,
    /// All messages, including those that have reported no usage yet.
    all: Vec<Spent>,
    /// The turns of agent servers, by session. A turn counts as one message.
    turns: HashMap<Option<NameId>, ServerTurns>,
    /// A reused buffer for building keys.
    key: Vec<u8>,
}

/// The largest count of output tokens that may be a placeholder. The text of
/// messages with more tokens is not measured, which saves time.
const MAX_PLACEHOLDER: u64 = 64;

/// The largest plausible number of bytes of text for each output token. A real
/// token has about four.
const MAX_PER_TOKEN: u64 = 100;

/// The usage of one message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// Whether any line reports token usage.
    has_usage: bool,
    /// Whether the message belongs to a sub-agent.
    pub(crate) is_sidechain: bool,
    figures: Figures,
    /// The length of the longest text on one of its lines. 0 if the line has
    /// many output tokens.
    text: usize,
    pub(crate) session: Option<NameId>,
    pub(crate) model: Option<NameId>,
    pub(crate) day: Option<NameId>,
    /// In milliseconds since 1970.
    pub(crate) time: Option<i64>,
}

/// The turns of one session of an agent server, as indexes of messages.
#[derive(Clone, Copy, Debug, Default)]
struct ServerTurns {
    /// The turn in progress.
    open: Option<usize>,
    /// The first turn, if it began before any turn ended. In the later part of
    /// a log it may be the continuation of a turn of the earlier part.
    first: Option<usize>,
    /// Whether any turn has ended.
    has_ended: bool,
}

impl Spent {
    pub(crate) fn tokens(&self) -> Tokens {
        self.figures.tokens()
    }

    /// Returns whether the count of output tokens cannot be true: some agents
    /// write the count at the start of a message, and never the final one.
    pub(crate) fn has_placeholder(&self) -> bool {
        let tokens = self.tokens().output_tokens.max(1);
        self.text as u64 > tokens.saturating_mul(MAX_PER_TOKEN)
    }

    /// Updates a message with a later line of it. Counts that the line lacks
    /// are kept. A line of a sub-agent never changes a message of the main
    /// conversation.
    fn update(&mut self, later: &Spent) {
        match (self.has_usage, later.has_usage) {
            (_, false) => return,
            (false, true) => return *self = *later,
            (true, true) => {}
        }
        match (self.is_sidechain, later.is_sidechain) {
            (false, true) => return,
            (true, false) => return *self = *later,
            _ => {}
        }
        self.figures.update(later.figures);
        self.text = self.text.max(later.text);
        self.session = later.session.or(self.session);
        self.model = later.model.or(self.model);
        self.day = later.day.or(self.day);
        self.time = later.time.or(self.time);
    }
}

impl Messages {
    /// Adds a line of a message, and returns the index of the message.
    pub(crate) fn add(
        &mut self,
        facts: &Facts<'_>,
        said: &Said<'_>,
        session: Option<NameId>,
        names: &mut Names,
    ) -> usize {
        self.key.clear();
        if let Some(id) = said.id {
            self.key.extend(id.bytes());
            self.key.extend(facts.request_id().unwrap_or_default().bytes());
            // With the length of the first part, different pairs have
            // different keys.
            self.key.extend(id.len().to_le_bytes());
        } else if let Some(uuid) = facts.uuid() {
            self.key.extend(uuid.bytes());
            // Distinguishes these keys from the others, which end in the most
            // significant byte of a length. That byte is never 0xFF.
            self.key.push(0xFF);
        }
        let spent = match said.usage.map(Figures::of) {
            None => Spent::default(),
            Some(figures) => Spent {
                has_usage: true,
                is_sidechain: facts.is_sidechain(),
                figures,
                text: match figures.tokens().output_tokens {
                    0..=MAX_PLACEHOLDER => text_length(said.content),
                    _ => 0,
                },
                session,
                model: said.model.map(|model| names.intern(model)),
                day: facts
                    .timestamp()
                    .and_then(day)
                    .map(|day| names.intern(day)),
                time: facts.time(),
            },
        };
        match self.known.get(self.key.as_slice()) {
            Some(&index) => {
                if let Some(known) = self.all.get_mut(index) {
                    known.update(&spent);
                }
                index
            }
            None => {
                let index = self.push(spent);
                if !self.key.is_empty() {
                    self.known.insert(self.key.as_slice().into(), index);
                }
                index
            }
        }
    }

    fn push(&mut self, spent: Spent) -> usize {
        self.all.push(spent);
        self.all.len() - 1
    }

    /// Returns the index of the open turn of an agent server's session. Begins
    /// a turn if none is open.
    pub(crate) fn turn(&mut self, session: Option<NameId>) -> usize {
        let turns = self.turns.entry(session).or_default();
        if let Some(open) = turns.open {
            return open;
        }
        let index = self.all.len();
        turns.open = Some(index);
        if !turns.has_ended {
            turns.first = Some(index);
        }
        self.push(Spent::default())
    }

    /// Sets the usage of the open turn so far.
    pub(crate) fn update_turn(
        &mut self,
        session: Option<NameId>,
        tokens: Tokens,
    ) {
        let index = self.turn(session);
        if let Some(turn) = self.all.get_mut(index) {
            let figures = Figures::from(tokens);
            *turn = Spent { has_usage: true, figures, session, ..*turn };
        }
    }

    pub(crate) fn end_turn(&mut self, session: Option<NameId>) {
        let turns = self.turns.entry(session).or_default();
        turns.open = None;
        turns.has_ended = true;
    }

    /// Returns the messages that report usage.
    pub(crate) fn spent(&self) -> impl Iterator<Item = &Spent> {
        self.all.iter().filter(|spent| spent.has_usage)
    }

    /// Returns a message by index, if it reports usage.
    pub(crate) fn get(&self, index: usize) -> Option<&Spent> {
        self.all.get(index).filter(|spent| spent.has_usage)
    }

    /// Adds the messages of a later part of the log. Returns the new index of
    /// each.
    pub(crate) fn append(
        &mut self,
        later: Messages,
        renaming: &Renaming,
    ) -> Vec<usize> {
        // For each later message, the earlier message that it is a part of:
        // the one with the same key, or the turn that is still open.
        let mut same = vec![None; later.all.len()];
        let mut keys = vec![None; later.all.len()];
        for (key, index) in later.known {
            if let Some(same) = same.get_mut(index) {
                *same = self.known.get(&key).copied();
            }
            if let Some(slot) = keys.get_mut(index) {
                *slot = Some(key);
            }
        }
        for (session, turns) in &later.turns {
            let open = self.turns.get(&renaming.get(*session));
            let open = open.and_then(|turns| turns.open);
            if let Some(same) = turns.first.and_then(|at| same.get_mut(at)) {
                *same = open;
            }
        }

        let mut indexes = Vec::with_capacity(later.all.len());
        for ((spent, same), key) in later.all.iter().zip(same).zip(keys) {
            let spent = Spent {
                session: renaming.get(spent.session),
                model: renaming.get(spent.model),
                day: renaming.get(spent.day),
                ..*spent
            };
            let index = match same {
                Some(index) => index,
                None => self.push(spent),
            };
            if same.is_some()
                && let Some(known) = self.all.get_mut(index)
            {
                known.update(&spent);
            } else if let Some(key) = key {
                self.known.insert(key, index);
            }
            indexes.push(index);
        }

        let renumber = |index: Option<usize>| indexes.get(index?).copied();
        for (session, later) in later.turns {
            let turns = self.turns.entry(renaming.get(session)).or_default();
            if !turns.has_ended && turns.first.is_none() {
                turns.first = renumber(later.first);
            }
            if later.has_ended || later.open.is_some() {
                turns.open = renumber(later.open);
            }
            turns.has_ended |= later.has_ended;
        }
        indexes
    }
}

/// Returns the length of the texts in a message's content, in bytes.
fn text_length(content: Option<Content<'_>>) -> usize {
    let blocks = content.into_iter().flat_map(Content::blocks);
    let texts = blocks.filter_map(|block| match block {
        Block::Text(text) => text.text(),
        _ => None,
    });
    texts.map(str::len).sum()
}

/// Returns the date that a timestamp begins with.
fn day(timestamp: &str) -> Option<&str> {
    let day = timestamp.get(..10)?;
    let is_good = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_good.then_some(day)
}
