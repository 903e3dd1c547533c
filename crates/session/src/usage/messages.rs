/*!
The messages of the model, merged from their lines, with their token usage.
*/

use std::collections::{HashMap, HashSet};

use bytes::BytesMut;
use linetape::{
    Error, Value,
    message::{
        FromValue, IterationKind, List, Usage, UsageIteration,
        events::StreamEvent,
    },
};

use crate::{
    Facts, Said, Tokens,
    ids::{NameId, Names, Renaming},
    state::codec::{Cursor, Saved, saved},
    tokens::Figures,
    usage::{
        key::{Key, KeySort},
        keys::Ids,
        rank::Rank,
        repeated::LastUsage,
        rows::Rows,
        spent::{Ages, MAX_PLACEHOLDER, Ranks, Spent},
        sums::ClassTotals,
        text::text_length,
    },
};

/// The messages of the model.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// All messages, including those that have reported no usage yet.
    all: Rows,
    /// The turns of agent servers, by session. A turn counts as one message.
    turns: HashMap<Option<NameId>, ServerTurns>,
    /// Pairs of sessions that have lines of one message.
    related: HashSet<Pair>,
    last_usage: LastUsage,
}

/// Two sessions.
type Pair = (Option<NameId>, Option<NameId>);

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
        let usage = said.usage.map(Usage::value);
        let (figures, iterations) =
            usage.map(|usage| self.last_usage.read(usage)).unzip();
        let name = session.and_then(|session| names.name(session));
        let ids = Ids::of(facts, said, name, figures.as_ref());
        let rank = Rank::of(facts, ids.as_ref());
        let spent = match figures {
            None => Spent::default(),
            Some(figures) => Spent {
                has_usage: true,
                rank,
                ranks: Ranks::of(rank),
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
                cost: facts.cost(),
                ages: Ages::of(facts.time()),
                is_open: facts.is_open()
                    && !figures.are_zero()
                    && !is_of_qwen(facts, said),
                is_streamed: facts.is_streamed(),
            },
        };
        let index = self.add_line(ids.as_ref(), None, session, &spent, names);
        let iterations = iterations.flatten();
        for (number, answer) in iterations.into_iter().flat_map(advice) {
            let answer = Spent {
                // It is another model, and the log states no speed of it.
                figures: Figures::of(answer.value()),
                text: 0,
                cost: None,
                is_open: false,
                model: answer.model().map(|model| names.intern(model)),
                ..spent
            };
            let number = Some(number);
            self.add_line(ids.as_ref(), number, session, &answer, names);
        }
        index
    }

    /// Adds a line of a message, or of the answer of an advisor in it. Returns
    /// the index of the message.
    fn add_line(
        &mut self,
        ids: Option<&Ids>,
        number: Option<u64>,
        session: Option<NameId>,
        spent: &Spent,
        names: &Names,
    ) -> usize {
        // A line without usage has a session, too.
        let name = session.and_then(|session| names.name(session));
        let (key, exact) =
            ids.map_or((Key::NONE, 0), |ids| ids.key(name, number));
        let (index, is_noted) = match self.all.find(key, exact) {
            Ok(index) => (index, self.update(index, spent, names)),
            Err(key) => (self.all.push(key, exact, spent), false),
        };
        let Some(ids) = ids.filter(|_| spent.has_usage) else { return index };
        match key.sort() {
            KeySort::Plain => {
                for hash in ids.within_session(name, number) {
                    self.all.note(hash, index);
                }
            }
            _ if is_noted => {}
            KeySort::ByCounts => self.all.join_by_counts(index),
            KeySort::ById | KeySort::Crowded => {
                self.all.join(index, session, names);
            }
        }
        index
    }

    /// Updates a message with a later line of it. Returns whether the message
    /// has a line in the same session already, and so the same keys.
    fn update(&mut self, index: usize, later: &Spent, names: &Names) -> bool {
        let Some(mut known) = self.all.get(index) else { return false };
        let is_noted = known.has_usage && known.session == later.session;
        if later.has_usage {
            let (had_usage, old) = (known.has_usage, known.session);
            if had_usage && !is_noted {
                self.related.insert((known.session, later.session));
            }
            known.update(later);
            self.all.set(index, &known);
            if had_usage && known.session != old {
                // The row does not say it any more.
                self.all.join(index, old, names);
            }
        }
        is_noted
    }

    /// Adds an event of a stream.
    pub(crate) fn add_event(
        &mut self,
        facts: &Facts<'_>,
        event: StreamEvent<'_>,
    ) {
        self.all.add_event(facts, event);
    }

    /// Notes that a session has a copy of a message of another one.
    pub(crate) fn relate(
        &mut self,
        of: Option<NameId>,
        session: Option<NameId>,
    ) {
        self.related.insert((of, session));
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
        self.all.push(Key::NONE, 0, &Spent::default())
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

    /// Returns the number of messages.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the messages that report usage, without copies, and their
    /// indexes, in ascending order.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = (usize, Spent)> {
        let copies = self.all.copies().iter();
        let mut next = copies.map(|(copy, _)| *copy).peekable();
        let all = self.all.iter().enumerate().filter(move |(index, _)| {
            // Both are in ascending order.
            next.next_if_eq(index).is_none()
        });
        let named = self.all.named();
        all.map(|(index, spent)| {
            (index, named.get(&index).copied().unwrap_or(spent))
        })
        .filter(|(_, spent)| spent.has_usage)
    }

    /// Returns the index of the message that counts for a message: another
    /// one, if it is a copy.
    pub(crate) fn original(&self, index: usize) -> usize {
        let copies = self.all.copies();
        let mut index = index;
        // Each step leads to a message that counts for more.
        while let Ok(at) = copies.binary_search_by_key(&index, |copy| copy.0)
            && let Some((_, of)) = copies.get(at)
        {
            index = *of;
        }
        index
    }

    /// Returns sums of messages, each with a message that has the same
    /// session, model, day and thread as all of them. Not in order.
    pub(crate) fn classes(
        &self,
    ) -> impl Iterator<Item = (Spent, ClassTotals)> {
        self.all.classes()
    }

    /// Returns the pairs of sessions that have lines of one message.
    pub(crate) fn related(&self) -> impl Iterator<Item = Pair> {
        self.related.iter().copied()
    }

    /// Returns a message by index, if it reports usage.
    pub(crate) fn get(&self, index: usize) -> Option<Spent> {
        let named = self.all.named().get(&index).copied();
        let spent = named.or_else(|| self.all.get(index));
        spent.filter(|spent| spent.has_usage)
    }

    /// Adds the messages of a later part of the log. Returns the new index of
    /// each.
    pub(crate) fn append(
        &mut self,
        mut later: Messages,
        renaming: &Renaming,
        names: &Names,
    ) -> Vec<usize> {
        // Later turns that may continue one that is still open.
        let firsts = later.turns.iter().filter_map(|(session, turns)| {
            let open = self.turns.get(&renaming.get(*session));
            Some((turns.first?, open.and_then(|turns| turns.open)))
        });
        let firsts: HashMap<usize, Option<usize>> = firsts.collect();

        let mut indexes = Vec::with_capacity(later.all.len());
        for (at, spent) in later.all.iter().enumerate() {
            let spent = Spent {
                session: renaming.get(spent.session),
                model: renaming.get(spent.model),
                day: renaming.get(spent.day),
                ..spent
            };
            let exact = later.all.exact(at);
            // The earlier message that it is a part of: the one with the same
            // ids, or the turn that is still open.
            let same = match firsts.get(&at) {
                Some(open) => open.ok_or(Key::NONE),
                None => self.all.find(later.all.key(at).uncrowded(), exact),
            };
            let (index, is_noted) = match same {
                Ok(index) => (index, self.update(index, &spent, names)),
                Err(key) => (self.all.push(key, exact, &spent), false),
            };
            if spent.has_usage && !is_noted {
                self.all.join(index, spent.session, names);
                self.all.join_by_counts(index);
            }
            indexes.push(index);
        }
        for (hash, at) in later.all.copies.noted() {
            if let Some(index) = indexes.get(at) {
                self.all.note_again(hash, *index, names);
            }
        }

        self.all.append_ends(later.all.take_ends());
        let related = later.related.into_iter();
        self.related
            .extend(related.map(|(a, b)| (renaming.get(a), renaming.get(b))));

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

    /// Returns the numbers of bytes that
    /// [`save_table`](Messages::save_table) and
    /// [`save_copies`](Messages::save_copies) append.
    pub(crate) fn table_lens(&self) -> [usize; 2] {
        self.all.table_lens()
    }

    /// Appends the table of messages to a state.
    pub(crate) fn save_table(&self, to: &mut Vec<u8>) {
        self.all.save_table(to);
    }

    /// Appends the table of copies to a state.
    pub(crate) fn save_copies(&self, to: &mut Vec<u8>) {
        self.all.save_copies(to);
    }

    /// Appends everything but the tables to a state.
    pub(crate) fn save_rest(&self, to: &mut Vec<u8>) {
        self.all.save_rest(to);
        self.turns.save(to);
        self.related.save(to);
    }

    /// Takes the table of messages and that of copies, and reads everything
    /// else.
    pub(crate) fn load(
        table: BytesMut,
        copies: BytesMut,
        rest: &mut Cursor<'_>,
    ) -> Result<Messages, Error> {
        let all = Rows::load(table, copies, rest)?;
        let turns = HashMap::load(rest)?;
        let related = HashSet::load(rest)?;
        Ok(Messages { all, turns, related, last_usage: LastUsage::default() })
    }
}

/// Returns the answers of an advisor among the iterations of a message, with
/// their numbers. The counts of the message do not include them, and they are of
/// another model.
fn advice<'a>(
    iterations: Value<'a>,
) -> impl Iterator<Item = (u64, UsageIteration<'a>)> {
    let answers: Option<List<'a, UsageIteration<'a>>> =
        List::from_value(iterations);
    (0..).zip(answers.into_iter().flatten().filter(|answer| {
        matches!(answer.kind(), Some(IterationKind::AdvisorMessage))
    }))
}

/// Returns whether Qwen Code wrote a line. Many of its messages have no reason
/// to stop, and their counts are the last ones. Only its messages have the id of
/// their line, and only its usage has a sum.
fn is_of_qwen(facts: &Facts<'_>, said: &Said<'_>) -> bool {
    let sum = said.usage.map(|usage| usage.value().get("total_tokens"));
    sum.flatten().is_some() || said.id.is_some() && said.id == facts.uuid()
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
