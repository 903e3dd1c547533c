/*!
The messages of the model, merged from their lines, with their token usage.
*/

use std::collections::HashMap;

use linetape::{
    Error,
    message::{Block, Content, IterationKind, Usage, UsageIteration},
};

use crate::{
    Facts, Said, Tokens,
    ids::{NameId, Names, Renaming},
    state::{
        codec::{Cursor, Saved, saved},
        hash::Sip,
    },
    tokens::Figures,
    usage::{
        rank::Rank,
        rows::{ClassTotals, Rows},
        spent::{Ages, MAX_PLACEHOLDER, Spent},
    },
};

/// The messages of the model.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// All messages, including those that have reported no usage yet.
    all: Rows,
    /// The turns of agent servers, by session. A turn counts as one message.
    turns: HashMap<Option<NameId>, ServerTurns>,
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

saved! {
    ServerTurns { open, first, has_ended }
}

impl Messages {
    /// Adds a line of a message, and returns the index of the message. The
    /// answers of an advisor that it contains are separate messages.
    pub(crate) fn add(
        &mut self,
        facts: &Facts<'_>,
        said: &Said<'_>,
        session: Option<NameId>,
        names: &mut Names,
    ) -> usize {
        let ids = hash_of(facts, said);
        let spent = match said.usage.map(|usage| Figures::of(usage.value())) {
            None => Spent::default(),
            Some(figures) => Spent {
                has_usage: true,
                rank: Rank::of(facts),
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
                ages: Ages::of(facts.time()),
            },
        };
        let index = self.add_line(ids.map_or(0, nonzero), &spent);
        for (number, answer) in said.usage.into_iter().flat_map(advice) {
            let answer = Spent {
                figures: Figures::of(answer.value()),
                text: 0,
                model: answer.model().map(|model| names.intern(model)),
                ..spent
            };
            let hash = ids.map_or(0, |mut ids| {
                ids.number(number);
                nonzero(ids)
            });
            self.add_line(hash, &answer);
        }
        index
    }

    /// Adds a line of the message with a hash. Returns the index of the
    /// message.
    fn add_line(&mut self, hash: u64, spent: &Spent) -> usize {
        match self.all.find(hash) {
            Some(index) => {
                self.update(index, spent);
                index
            }
            None => self.all.push(hash, spent),
        }
    }

    /// Updates a message with a later line of it.
    fn update(&mut self, index: usize, later: &Spent) {
        if let Some(mut known) = self.all.get(index)
            && later.has_usage
        {
            known.update(later);
            self.all.set(index, &known);
        }
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
        self.all.push(0, &Spent::default())
    }

    /// Sets the usage of the open turn so far.
    pub(crate) fn update_turn(
        &mut self,
        session: Option<NameId>,
        tokens: Tokens,
    ) {
        let index = self.turn(session);
        if let Some(turn) = self.all.get(index) {
            let figures = Figures::from(tokens);
            let turn = Spent { has_usage: true, figures, session, ..turn };
            self.all.set(index, &turn);
        }
    }

    pub(crate) fn end_turn(&mut self, session: Option<NameId>) {
        let turns = self.turns.entry(session).or_default();
        turns.open = None;
        turns.has_ended = true;
    }

    /// Returns the messages that report usage.
    pub(crate) fn spent(&self) -> impl Iterator<Item = Spent> {
        self.all.iter().filter(|spent| spent.has_usage)
    }

    /// Returns sums of messages, each with a message that has the same
    /// session, model, day and thread as all of them. Not in order.
    pub(crate) fn classes(
        &self,
    ) -> impl Iterator<Item = (Spent, ClassTotals)> {
        self.all.classes()
    }

    /// Returns a message by index, if it reports usage.
    pub(crate) fn get(&self, index: usize) -> Option<Spent> {
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
        // the one with the same ids, or the turn that is still open.
        let hashes = (0..later.all.len()).map(|index| later.all.hash(index));
        let hashes: Vec<u64> = hashes.collect();
        let mut same: Vec<Option<usize>> =
            hashes.iter().map(|hash| self.all.find(*hash)).collect();
        for (session, turns) in &later.turns {
            let open = self.turns.get(&renaming.get(*session));
            let open = open.and_then(|turns| turns.open);
            if let Some(same) = turns.first.and_then(|at| same.get_mut(at)) {
                *same = open;
            }
        }

        let mut indexes = Vec::with_capacity(later.all.len());
        for ((spent, same), hash) in later.all.iter().zip(same).zip(hashes) {
            let spent = Spent {
                session: renaming.get(spent.session),
                model: renaming.get(spent.model),
                day: renaming.get(spent.day),
                ..spent
            };
            if let Some(index) = same {
                self.update(index, &spent);
            }
            indexes.push(match same {
                Some(index) => index,
                None => self.all.push(hash, &spent),
            });
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

    /// Returns the number of bytes that [`save_table`](Messages::save_table)
    /// appends.
    pub(crate) fn table_len(&self) -> usize {
        self.all.table_len()
    }

    /// Appends the table of messages to a state.
    pub(crate) fn save_table(&self, to: &mut Vec<u8>) {
        self.all.save_table(to);
    }

    /// Appends everything but the table to a state.
    pub(crate) fn save_rest(&self, to: &mut Vec<u8>) {
        self.all.save_rest(to);
        self.turns.save(to);
    }

    /// Takes the table from `start` to the end of `bytes`, without copying it,
    /// and reads everything else.
    pub(crate) fn load(
        bytes: Vec<u8>,
        start: usize,
        rest: &mut Cursor<'_>,
    ) -> Result<Messages, Error> {
        let all = Rows::load(bytes, start, rest)?;
        Ok(Messages { all, turns: HashMap::load(rest)? })
    }
}

/// Returns the answers of an advisor in the usage of a message, with their
/// numbers. The counts of the message do not include them, and they are of
/// another model.
fn advice<'a>(
    usage: Usage<'a>,
) -> impl Iterator<Item = (u64, UsageIteration<'a>)> {
    let answers = usage.iterations().into_iter().flatten();
    (0..).zip(answers.filter(|answer| {
        matches!(answer.kind(), Some(IterationKind::AdvisorMessage))
    }))
}

/// Returns the hash of a message's id and request id, or else of its uuid.
/// `None` if it has neither.
fn hash_of(facts: &Facts<'_>, said: &Said<'_>) -> Option<Sip> {
    let mut hash = Sip::new();
    if let Some(id) = said.id {
        // A missing request id is the same as an empty one.
        hash.text(Some(id));
        hash.text(Some(facts.request_id().unwrap_or_default()));
    } else if let Some(uuid) = facts.uuid() {
        // No id is as long as the number that precedes the uuid.
        hash.text(None);
        hash.text(Some(uuid));
    } else {
        return None;
    }
    Some(hash)
}

/// Returns a hash. 0 is for messages without ids.
fn nonzero(hash: Sip) -> u64 {
    hash.finish().max(1)
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
