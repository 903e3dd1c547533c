/*!
The messages of the model as rows of 32 bytes.

| bytes | content |
|---|---|
| 0..8 | the hash of the message's ids, or 0 if it has none |
| 8..11 | the index of its [`Class`], plus 1; 0 if no line reports usage |
| 11 | 1 if the message is [wide](Rows), or else 0 |
| 12..18 | the time in milliseconds since the Unix epoch |
| 18..20 | the length of the text |
| 20..32 | tokens, three bytes each: input, output, written to the cache, read from the cache |

The class has the fields that many messages share, such as the model.
*/

use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use bytes::BytesMut;
use linetape::Error;

use crate::{
    state::codec::{Cursor, Saved},
    table::Table,
    usage::{
        class::{Class, Expiry},
        copies::{Copies, Found},
        rank::Rank,
        spent::{Ages, Ranks, Spent},
        sums::{ClassSums, ClassTotals, Sums},
    },
};

const ROW: usize = 32;

/// The messages, in order of appearance.
///
/// A message that does not fit into a row is wide: its row has an index in
/// `wide` in place of the tokens. That is rare: it has more than 16 million
/// tokens, a web search, a cost, a text of more than 65,535 bytes with few
/// tokens, or counts that are from lines of different times.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    table: Table<ROW>,
    classes: Vec<Class>,
    ids: HashMap<Class, u32>,
    wide: Vec<Spent>,
    copies: Copies,
    /// The sums, if they were asked for since the rows last changed.
    sums: OnceLock<Sums>,
}

/// The bits of a number of three bytes.
const COUNT: u64 = 0xFF_FFFF;

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns the index of the message with a hash.
    pub(crate) fn find(&self, hash: u64) -> Option<usize> {
        self.table.find(hash)
    }

    /// Returns the hash of a message. 0 if it has none.
    pub(crate) fn hash(&self, index: usize) -> u64 {
        self.table.hash(index).unwrap_or(0)
    }

    pub(crate) fn get(&self, index: usize) -> Option<Spent> {
        self.table.row(index).map(|row| self.unpack(row))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Spent> {
        self.table.rows().map(|row| self.unpack(row))
    }

    /// Notes that a message has a line with a hash of its id and session.
    pub(crate) fn note(&mut self, hash: u64, index: usize) {
        if hash != 0 {
            self.sums.take();
            let mut copies = std::mem::take(&mut self.copies);
            copies.note(hash, index, |index| self.is_original(index));
            self.copies = copies;
        }
    }

    /// Adds the hashes of a later part, whose messages have got new indexes.
    pub(crate) fn note_all(&mut self, later: &Rows, indexes: &[usize]) {
        self.sums.take();
        let mut copies = std::mem::take(&mut self.copies);
        let is_original = |index| self.is_original(index);
        copies.append(&later.copies, indexes, is_original);
        self.copies = copies;
    }

    /// Returns whether a message is not a copy, whatever else the log has.
    fn is_original(&self, index: usize) -> bool {
        let spent = self.get(index).filter(|spent| spent.has_usage);
        spent.is_some_and(|spent| {
            spent.rank.level() == Rank::TOP_LEVEL && !spent.figures.are_zero()
        })
    }

    /// Returns the messages that are copies: see [`Sums`].
    pub(crate) fn copies(&self) -> &[(usize, usize)] {
        &self.sums.get_or_init(|| self.sum()).copies
    }

    /// Returns the messages that are named by a copy: see [`Sums`].
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
        let Found { copies, named } =
            self.copies.found(|index| self.get(index));
        let named = self.name(&named, &copies);
        let mut next = copies.iter().map(|(copy, _)| *copy).peekable();
        for (index, row) in self.table.rows().enumerate() {
            if next.next_if_eq(&index).is_some() {
                continue;
            }
            if is_wide(row) || named.contains_key(&index) {
                let spent = named.get(&index).copied();
                let spent = spent.unwrap_or_else(|| self.unpack(row));
                let totals = ClassTotals::of(index, &spent);
                wide.extend(spent.has_usage.then_some((spent, totals)));
                continue;
            }
            let (words, _) = row.as_chunks();
            let &[_, class, text, tokens] = words else { continue };
            let [class, text, tokens] =
                [class, text, tokens].map(u64::from_le_bytes);
            let class = (class as usize & COUNT as usize).checked_sub(1);
            let sums = class.and_then(|class| classes.get_mut(class));
            let Some(sums) = sums else { continue };
            if sums.messages == 0 {
                sums.first = index;
            }
            sums.messages += 1;
            let has_text = text >> 16 & 0xFFFF > 0;
            let has_placeholder =
                has_text && self.unpack(row).has_placeholder();
            sums.placeholders += u64::from(has_placeholder);
            let counts = [
                text >> 32 & COUNT,
                text >> 56 | (tokens & 0xFFFF) << 8,
                tokens >> 16 & COUNT,
                tokens >> 40,
            ];
            for (sum, count) in sums.tokens.iter_mut().zip(counts) {
                // 24 bits each, so it would take 2^40 messages to overflow.
                *sum = sum.saturating_add(count);
            }
        }
        Sums { classes, wide, copies, named }
    }

    /// Returns messages with what others say of them.
    fn name(
        &self,
        named: &[(usize, usize)],
        copies: &[(usize, usize)],
    ) -> BTreeMap<usize, Spent> {
        let mut all = BTreeMap::new();
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

    /// Appends a message, and returns its index.
    pub(crate) fn push(&mut self, hash: u64, spent: &Spent) -> usize {
        self.sums.take();
        let row = self.pack(hash, spent, None);
        self.table.push(&row)
    }

    /// Replaces a message.
    pub(crate) fn set(&mut self, index: usize, spent: &Spent) {
        self.sums.take();
        let Some(old) = self.table.row(index).copied() else { return };
        let wide = is_wide(&old).then(|| number(&old, 20, 4) as usize);
        let row = self.pack(self.hash(index), spent, wide);
        if let Some(place) = self.table.row_mut(index) {
            *place = row;
        }
    }

    /// Returns the row of a message. `wide` is the index of its old value, if
    /// that was wide.
    fn pack(
        &mut self,
        hash: u64,
        spent: &Spent,
        wide: Option<usize>,
    ) -> [u8; ROW] {
        let mut row = [0; ROW];
        put(&mut row, 0, 8, hash);
        if !spent.has_usage {
            return row;
        }
        if wide.is_none() && self.pack_narrow(&mut row, spent).is_some() {
            return row;
        }
        let index = wide.unwrap_or(self.wide.len());
        match self.wide.get_mut(index) {
            Some(old) => *old = *spent,
            None => self.wide.push(*spent),
        }
        put(&mut row, 11, 1, 1);
        put(&mut row, 20, 4, index as u64);
        row
    }

    /// Fills a row. Returns `None` if the message is wide.
    fn pack_narrow(
        &mut self,
        row: &mut [u8; ROW],
        spent: &Spent,
    ) -> Option<()> {
        let (counts, present) = spent.figures.parts();
        let [input, output, written, read, five, hour, searches, fetches] =
            counts;
        let expiry = match (five, hour) {
            (0, 0) => Expiry::Unknown,
            (five, 0) if five == written => Expiry::FiveMinutes,
            (0, hour) if hour == written => Expiry::Hour,
            _ => return None,
        };
        let tokens = [input, output, written, read];
        let time = spent.time.unwrap_or(0);
        let fits = (searches, fetches) == (0, 0)
            && spent.cost.is_none()
            && spent.is_of_one_time()
            && spent.is_of_one_rank()
            && tokens.iter().all(|count| *count < 1 << 24)
            && (0..1 << 48).contains(&time)
            && u16::try_from(spent.text).is_ok();
        if !fits {
            return None;
        }
        let class = self.class(Class {
            session: spent.session,
            model: spent.model,
            day: spent.day,
            rank: spent.rank,
            has_time: spent.time.is_some(),
            present,
            expiry,
            is_fast: spent.figures.is_fast,
        })?;
        put(row, 8, 3, u64::from(class) + 1);
        put(row, 12, 6, time as u64);
        put(row, 18, 2, spent.text as u64);
        for (at, count) in tokens.into_iter().enumerate() {
            put(row, 20 + 3 * at, 3, count);
        }
        Some(())
    }

    /// Returns the index of a class, and adds the class if it is new. `None`
    /// once three bytes are exhausted.
    fn class(&mut self, class: Class) -> Option<u32> {
        if let Some(id) = self.ids.get(&class) {
            return Some(*id);
        }
        let id = u32::try_from(self.classes.len()).ok();
        let id = id.filter(|id| *id < (1 << 24) - 1)?;
        self.classes.push(class);
        self.ids.insert(class, id);
        Some(id)
    }

    fn unpack(&self, row: &[u8; ROW]) -> Spent {
        if is_wide(row) {
            let index = number(row, 20, 4) as usize;
            return self.wide.get(index).copied().unwrap_or_default();
        }
        let class = (number(row, 8, 3) as usize).checked_sub(1);
        let class = class.and_then(|class| self.classes.get(class));
        let Some(class) = class else { return Spent::default() };
        let tokens = [20, 23, 26, 29].map(|at| number(row, at, 3));
        let time = class.has_time.then(|| number(row, 12, 6) as i64);
        Spent {
            has_usage: true,
            rank: class.rank,
            ranks: Ranks::of(class.rank),
            figures: class.figures(tokens),
            text: number(row, 18, 2) as usize,
            session: class.session,
            model: class.model,
            day: class.day,
            time,
            cost: None,
            ages: Ages::of(time),
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
        self.copies.save_rest(to);
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
        let copies = Copies::load(copies, rest)?;
        let ids = (0..).zip(&classes).map(|(id, class)| (*class, id));
        let (ids, sums) = (ids.collect(), OnceLock::new());
        Ok(Rows { table, ids, classes, wide, copies, sums })
    }
}

fn is_wide(row: &[u8; ROW]) -> bool {
    number(row, 11, 1) == 1
}

/// Returns the number in `count` bytes.
#[inline]
fn number(row: &[u8; ROW], at: usize, count: usize) -> u64 {
    let mut bytes = [0; 8];
    if let Some(from) = row.get(at..at + count)
        && let Some(to) = bytes.get_mut(..count)
    {
        to.copy_from_slice(from);
    }
    u64::from_le_bytes(bytes)
}

fn put(row: &mut [u8; ROW], at: usize, count: usize, number: u64) {
    let bytes = number.to_le_bytes();
    if let Some(to) = row.get_mut(at..at + count)
        && let Some(from) = bytes.get(..count)
    {
        to.copy_from_slice(from);
    }
}
