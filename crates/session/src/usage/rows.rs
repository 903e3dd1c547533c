/*!
The messages of the model as rows: see [`packed`] for the bytes of a row.

The class of a message has the fields that many messages share, such as the
model. `join.rs` finds the messages that may be copies of each other.
*/

use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use bytes::BytesMut;
use linetape::{Error, message::events::StreamEvent};

use crate::{
    Facts,
    ids::NameId,
    state::codec::{Cursor, Saved},
    table::Table,
    usage::{
        class::{Class, Expiry},
        copies::{Copies, Found},
        ends::Ends,
        key::{Key, KeySort},
        packed::{self, CLASSES, DAY, ROW, Row, Usage},
        rank::Rank,
        spent::{Ages, Ranks, Spent},
        sums::{ClassSums, ClassTotals, Sums},
    },
};

/// The messages, in order of appearance.
///
/// A message that does not fit into a row is wide: its row has an index in
/// `wide` in place of the tokens. That is rare: it has more than a million
/// tokens, a web search, a cost, a long text with few tokens, or counts that
/// are from lines of different times.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// By the groups of their keys.
    pub(super) table: Table<ROW, 6>,
    classes: Vec<Class>,
    ids: HashMap<Class, u32>,
    /// The index of the last class that was looked up: most often, the next
    /// one is the same.
    last_class: usize,
    wide: Vec<Spent>,
    pub(super) copies: Copies,
    ends: Ends,
    /// The hash of all ids of each message that was pushed. A state has none.
    exact: Vec<u64>,
    /// The same for the messages with crowded keys, by index. Sorted.
    crowded: Vec<(u32, u64)>,
    /// The sums, if they were asked for since the rows last changed.
    sums: OnceLock<Sums>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns the index of the message with a key, and with the hash of all
    /// ids, as far as both are known. If there is none, returns the key to
    /// [push](Rows::push) it with.
    pub(crate) fn find(&self, key: Key, exact: u64) -> Result<usize, Key> {
        let (mut in_group, mut is_taken) = (0, false);
        for index in self.table.all(key.group) {
            let found = self.key(index);
            if found == key {
                let known = self.exact(index);
                if known == exact || known == 0 || exact == 0 {
                    return Ok(index);
                }
                is_taken = true;
            }
            in_group += usize::from(found.sort() == KeySort::ById);
        }
        let is_full = in_group >= Key::MOST || is_taken;
        if key.sort() == KeySort::ById && is_full {
            return self.find(key.crowded(), exact);
        }
        Err(key)
    }

    /// Returns the hash of all ids of a message. 0 if it is not known.
    pub(crate) fn exact(&self, index: usize) -> u64 {
        if let Some(at) = index.checked_sub(self.table.loaded_len()) {
            return self.exact.get(at).copied().unwrap_or(0);
        }
        let at = u32::try_from(index).unwrap_or(u32::MAX);
        let at = self.crowded.binary_search_by_key(&at, |crowded| crowded.0);
        let crowded = at.ok().and_then(|at| self.crowded.get(at));
        crowded.map_or(0, |(_, exact)| *exact)
    }

    /// Returns the key of a message.
    pub(crate) fn key(&self, index: usize) -> Key {
        self.table.row(index).map_or(Key::NONE, packed::key)
    }

    pub(crate) fn get(&self, index: usize) -> Option<Spent> {
        self.table.row(index).map(|row| self.unpack(row))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Spent> {
        self.table.rows().map(|row| self.unpack(row))
    }

    /// Returns the session of a message that reports usage.
    pub(super) fn session(&self, index: usize) -> Option<Option<NameId>> {
        match self.table.row(index).map(packed::usage)? {
            Usage::None => None,
            Usage::Wide(index) => {
                let wide = self.wide.get(index).filter(|one| one.has_usage);
                wide.map(|spent| spent.session)
            }
            Usage::Narrow { class, .. } => {
                self.classes.get(class).map(|class| class.session)
            }
        }
    }

    /// Returns whether a message is not a copy, whatever else the log has.
    pub(super) fn is_original(&self, index: usize) -> bool {
        let spent = self.get(index).filter(|spent| spent.has_usage);
        spent.is_some_and(|spent| {
            spent.rank.level() == Rank::TOP_LEVEL && !spent.figures.are_zero()
        })
    }

    /// Forgets the sums, because something has changed.
    pub(super) fn change(&mut self) {
        self.sums.take();
    }

    /// Returns the messages that are copies: see [`Sums`].
    pub(crate) fn copies(&self) -> &[(usize, usize)] {
        &self.sums.get_or_init(|| self.sum()).copies
    }

    /// Returns the messages with what other lines say of them: see [`Sums`].
    pub(crate) fn named(&self) -> &BTreeMap<usize, Spent> {
        &self.sums.get_or_init(|| self.sum()).named
    }

    /// Returns the sums of each class and of each wide message, with a
    /// message of the class. Not in order.
    ///
    /// The first call after a change reads all rows: this is most of the time
    /// of a report on totals that were loaded, and a report asks several times.
    pub(crate) fn classes(
        &self,
    ) -> impl Iterator<Item = (Spent, ClassTotals)> {
        let Sums { classes, wide, .. } = self.sums.get_or_init(|| self.sum());
        let all = classes.iter().zip(&self.classes);
        let used = all.filter(|(sums, _)| sums.messages > 0);
        let used = used.map(|(sums, class)| class.totals(sums));
        used.chain(wide.iter().copied())
    }

    /// Reads all rows, without unpacking them.
    fn sum(&self) -> Sums {
        let mut classes = vec![ClassSums::default(); self.classes.len()];
        let mut wide = vec![];
        let mut ended = self.ended();
        let get = |index: usize| {
            ended.get(&index).copied().or_else(|| self.get(index))
        };
        let Found { copies, named } = self.copies.found(get);
        for (copy, _) in &copies {
            ended.remove(copy);
        }
        let named = self.name(&named, &copies, ended);
        let special = copies.iter().map(|(copy, _)| *copy);
        let mut special: Vec<usize> =
            special.chain(named.keys().copied()).collect();
        special.sort_unstable();
        let mut special = special.into_iter();
        let mut next = special.next();
        // Messages of one class often follow each other.
        let (mut last, mut sums) = (usize::MAX, ClassSums::default());
        for (index, row) in self.table.rows().enumerate() {
            let spent = match packed::usage(row) {
                _ if next == Some(index) => {
                    next = special.next();
                    named.get(&index).copied()
                }
                Usage::None => None,
                Usage::Wide(at) => self.wide.get(at).copied(),
                Usage::Narrow { class, counts, .. } => {
                    if class != last {
                        sums.add_to(classes.get_mut(last));
                        last = class;
                        sums = ClassSums::starting_at(index);
                    }
                    sums.add(&counts);
                    continue;
                }
            };
            let spent = spent.filter(|spent| spent.has_usage);
            let totals = spent.map(|one| (one, ClassTotals::of(index, &one)));
            wide.extend(totals);
        }
        sums.add_to(classes.get_mut(last));
        Sums { classes, wide, copies, named }
    }

    /// Returns the streamed messages with the counts at their end.
    fn ended(&self) -> BTreeMap<usize, Spent> {
        let mut ended = BTreeMap::new();
        for (key, last) in self.ends.iter() {
            let by_id = (key.sort() == KeySort::ById).then(|| self.group(key));
            let by_counts = match by_id {
                None => self.find(key, 0).ok(),
                Some(_) => None,
            };
            for index in by_id.into_iter().flatten().chain(by_counts) {
                let known = ended.get(&index).copied();
                let known = known.or_else(|| self.get(index));
                if let Some(mut spent) = known.filter(|one| one.has_usage) {
                    spent.end(last);
                    ended.insert(index, spent);
                }
            }
        }
        ended
    }

    /// Adds an event of a stream.
    pub(crate) fn add_event(
        &mut self,
        facts: &Facts<'_>,
        event: StreamEvent<'_>,
    ) {
        self.change();
        self.ends.add(facts, event);
    }

    /// Adds the events of a later part of the log.
    pub(crate) fn append_ends(&mut self, later: Ends) {
        self.change();
        self.ends.append(later);
    }

    /// Takes what [`append_ends`](Rows::append_ends) adds to others.
    pub(crate) fn take_ends(&mut self) -> Ends {
        std::mem::take(&mut self.ends)
    }

    /// Returns messages with what others say of them. `all` are those of which
    /// other lines have said something before.
    fn name(
        &self,
        named: &[(usize, usize)],
        copies: &[(usize, usize)],
        mut all: BTreeMap<usize, Spent>,
    ) -> BTreeMap<usize, Spent> {
        for (index, by) in named {
            let (Some(one), Some(mut by_one)) =
                (self.get(*index), self.get(*by))
            else {
                continue;
            };
            // A cost counts once, even if the copy names several messages.
            if copies.binary_search(&(*by, *index)).is_err() {
                by_one.cost = None;
            }
            let spent = all.entry(*index).or_insert(one);
            *spent = spent.named_by(&by_one);
        }
        all
    }

    /// Appends a message, and returns its index. The key is from
    /// [`find`](Rows::find).
    pub(crate) fn push(
        &mut self,
        key: Key,
        exact: u64,
        spent: &Spent,
    ) -> usize {
        self.change();
        let row = self.pack(key, spent, None);
        let index = self.table.push(&row);
        self.exact.push(exact);
        if key.sort() == KeySort::Crowded
            && let Ok(at) = u32::try_from(index)
        {
            self.crowded.push((at, exact));
        }
        index
    }

    /// Replaces a message.
    pub(crate) fn set(&mut self, index: usize, spent: &Spent) {
        self.change();
        let Some(old) = self.table.row(index) else { return };
        let wide = match packed::usage(old) {
            Usage::Wide(index) => Some(index),
            _ => None,
        };
        let row = self.pack(packed::key(old), spent, wide);
        if let Some(place) = self.table.row_mut(index) {
            *place = row;
        }
    }

    /// Returns the row of a message. `wide` is the index of its old value, if
    /// that was wide.
    fn pack(&mut self, key: Key, spent: &Spent, wide: Option<usize>) -> Row {
        let narrow = match (spent.has_usage, wide) {
            (false, _) => Some(Usage::None),
            (true, None) => self.narrow(spent),
            (true, Some(_)) => None,
        };
        if let Some(row) = narrow.and_then(|usage| packed::pack(key, usage)) {
            return row;
        }
        let index = wide.unwrap_or(self.wide.len());
        match self.wide.get_mut(index) {
            Some(old) => *old = *spent,
            None => self.wide.push(*spent),
        }
        packed::pack(key, Usage::Wide(index)).unwrap_or([0; ROW])
    }

    /// Returns what a row has of a message. `None` if the message is wide.
    fn narrow(&mut self, spent: &Spent) -> Option<Usage> {
        let (counts, present) = spent.figures.parts();
        let [input, output, written, read, five, hour, searches, fetches] =
            counts;
        let expiry = match (five, hour) {
            (0, 0) => Expiry::Unknown,
            (five, 0) if five == written => Expiry::FiveMinutes,
            (0, hour) if hour == written => Expiry::Hour,
            _ => return None,
        };
        let fits = (searches, fetches) == (0, 0)
            && spent.cost.is_none()
            && spent.is_of_one_time()
            && spent.is_of_one_rank();
        if !fits {
            return None;
        }
        let (date, time) = match spent.time {
            None => (None, 0),
            Some(time) => {
                let date = u32::try_from(time.div_euclid(DAY)).ok()?;
                (Some(date), u32::try_from(time.rem_euclid(DAY)).ok()?)
            }
        };
        let class = self.class(Class {
            session: spent.session,
            model: spent.model,
            day: spent.day,
            rank: spent.rank,
            date,
            present,
            expiry,
            is_fast: spent.figures.is_fast,
            is_open: spent.is_open,
            is_streamed: spent.is_streamed,
        })?;
        let counts = [input, output, written, read, spent.text as u64];
        Some(Usage::Narrow { class, time, counts })
    }

    /// Returns the index of a class, and adds the class if it is new. `None`
    /// once the indexes are exhausted.
    fn class(&mut self, class: Class) -> Option<usize> {
        if self.classes.get(self.last_class) == Some(&class) {
            return Some(self.last_class);
        }
        self.last_class = match self.ids.get(&class) {
            Some(id) => *id as usize,
            None => {
                let index = self.classes.len();
                let id = u32::try_from(index).ok();
                let id = id.filter(|_| index < CLASSES)?;
                self.classes.push(class);
                self.ids.insert(class, id);
                index
            }
        };
        Some(self.last_class)
    }

    fn unpack(&self, row: &Row) -> Spent {
        let (class, time, counts) = match packed::usage(row) {
            Usage::None => return Spent::default(),
            Usage::Wide(index) => {
                return self.wide.get(index).copied().unwrap_or_default();
            }
            Usage::Narrow { class, time, counts } => (class, time, counts),
        };
        let Some(class) = self.classes.get(class) else {
            return Spent::default();
        };
        let [input, output, written, read, text] = counts;
        let start = |date: u32| i64::from(date) * DAY;
        let time = class.date.map(|date| start(date) + i64::from(time));
        Spent {
            has_usage: true,
            rank: class.rank,
            ranks: Ranks::of(class.rank),
            figures: class.figures([input, output, written, read]),
            text: text as usize,
            session: class.session,
            model: class.model,
            day: class.day,
            time,
            cost: None,
            ages: Ages::of(time),
            is_open: class.is_open,
            is_streamed: class.is_streamed,
        }
    }

    /// Returns the numbers of bytes that [`save_table`](Rows::save_table) and
    /// [`save_copies`](Rows::save_copies) append.
    pub(crate) fn table_lens(&self) -> [usize; 2] {
        [self.table.saved_len(), self.copies.table_len()]
    }

    /// Appends the rows to a state.
    pub(crate) fn save_table(&self, to: &mut Vec<u8>) {
        self.table.save(to);
    }

    /// Appends the table of copies to a state.
    pub(crate) fn save_copies(&self, to: &mut Vec<u8>) {
        self.copies.save_table(to);
    }

    /// Appends everything but the tables to a state.
    pub(crate) fn save_rest(&self, to: &mut Vec<u8>) {
        self.classes.save(to);
        self.wide.save(to);
        self.crowded.save(to);
        self.copies.save_rest(to);
        self.ends.save(to);
    }

    /// Takes the table of messages and that of copies, and reads everything
    /// else.
    pub(crate) fn load(
        table: BytesMut,
        copies: BytesMut,
        rest: &mut Cursor<'_>,
    ) -> Result<Rows, Error> {
        let table = Table::load(table)?;
        let classes = Vec::<Class>::load(rest)?;
        let wide = Vec::load(rest)?;
        let crowded = Vec::load(rest)?;
        let copies = Copies::load(copies, rest)?;
        let ends = Ends::load(rest)?;
        let ids = (0..).zip(&classes).map(|(id, class)| (*class, id));
        let (ids, sums) = (ids.collect(), OnceLock::new());
        let exact = vec![];
        let last_class = 0;
        Ok(Rows {
            table,
            classes,
            ids,
            last_class,
            wide,
            copies,
            ends,
            exact,
            crowded,
            sums,
        })
    }
}
