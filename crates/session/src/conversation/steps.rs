/*!
The steps of a conversation, 36 bytes each.

A step that does not fit is kept whole beside the others. That is rare: its
line is beyond 1 TiB of a file, or its number needs more than four bytes, or
it is of one of more than 65,535 files, or it has more than 254 blocks before
it.
*/

use std::collections::HashMap;

use crate::{
    blocks::Blocks,
    conversation::{Place, StepKind, rules::WHOLE_LINE},
    ids::Index,
};

/// See [`Step`](super::Step).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepEntry {
    pub(crate) place: Place,
    pub(crate) kind: StepKind,
    pub(crate) is_abandoned: bool,
    /// The index of the content block in its message.
    pub(crate) block: u32,
    pub(crate) time: Option<i64>,
    pub(crate) turn: Index,
    /// The call of a `Call`, a `ToolResult` or a `Notification`; the thread of
    /// an `Agent`.
    pub(crate) link: Option<Index>,
    /// The vertex of the message in the lineage.
    pub(crate) vertex: Option<Index>,
}

/// All steps, in log order.
#[derive(Clone, Default)]
pub(crate) struct Steps {
    packed: Blocks<Packed>,
    /// By index, the place, block and time of steps that do not fit.
    wide: HashMap<usize, (Place, u32, Option<i64>)>,
}

/// A step with short numbers. Place, block and time have no meaning if `block`
/// is [`WIDE`].
#[derive(Clone, Copy)]
struct Packed {
    turn: Index,
    link: Option<Index>,
    vertex: Option<Index>,
    line: u32,
    len: u32,
    byte: u32,
    time: u32,
    /// The upper half of the time, which has 48 bits; all of them are set if
    /// there is none.
    time_above: u16,
    source: u16,
    byte_above: u8,
    nth: u8,
    /// [`LINE`] if it is the whole line.
    block: u8,
    /// The kind, and [`ABANDONED`].
    kind: u8,
}

/// The block of a step that does not fit, and the one of a whole line.
const WIDE: u8 = u8::MAX;
const LINE: u8 = u8::MAX - 1;

/// The source of lines that the conversation itself has put together.
const ASSEMBLED: u16 = u16::MAX;

/// The bit that is set in the kind of an abandoned step.
const ABANDONED: u8 = 1 << 7;

const NO_TIME: u64 = (1 << 48) - 1;

impl Steps {
    pub(crate) fn len(&self) -> usize {
        self.packed.len()
    }

    /// Returns the index of the next step.
    pub(crate) fn next(&self) -> Index {
        self.packed.next()
    }

    pub(crate) fn push(&mut self, step: StepEntry) {
        let packed = Packed::of(&step).unwrap_or_else(|| {
            let wide = (step.place, step.block, step.time);
            self.wide.insert(self.packed.len(), wide);
            Packed::wide(&step)
        });
        self.packed.push(packed);
    }

    pub(crate) fn get(&self, index: Index) -> Option<StepEntry> {
        let packed = self.packed.get(index.get())?;
        let mut step = packed.unpack();
        if packed.block == WIDE
            && let Some(wide) = self.wide.get(&index.get())
        {
            (step.place, step.block, step.time) = *wide;
        }
        Some(step)
    }

    pub(crate) fn set_link(&mut self, index: Index, link: Index) {
        if let Some(step) = self.packed.get_mut(index.get()) {
            step.link = Some(link);
        }
    }

    pub(crate) fn set_turn(&mut self, index: Index, turn: Index) {
        if let Some(step) = self.packed.get_mut(index.get()) {
            step.turn = turn;
        }
    }

    /// Sets whether each step is abandoned, by the vertex of its message.
    pub(crate) fn set_abandoned(&mut self, is: impl Fn(Index) -> bool) {
        for step in self.packed.iter_mut() {
            step.kind &= !ABANDONED;
            if step.vertex.is_some_and(&is) {
                step.kind |= ABANDONED;
            }
        }
    }

    /// Returns the kind and the vertex of each step that has one.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = (StepKind, Index)> {
        let steps = self.packed.iter();
        steps.filter_map(|step| Some((step.kind(), step.vertex?)))
    }

    /// Returns the turn and the vertex of a step.
    pub(crate) fn turn(&self, index: usize) -> Option<(Index, Option<Index>)> {
        let step = self.packed.get(index)?;
        Some((step.turn, step.vertex))
    }
}

impl Packed {
    /// Returns `None` if a step does not fit.
    fn of(step: &StepEntry) -> Option<Packed> {
        let Place { source, byte, line, len, nth } = step.place;
        let source = match source {
            Place::ASSEMBLED => ASSEMBLED,
            _ => u16::try_from(source).ok().filter(|s| *s != ASSEMBLED)?,
        };
        let block = match step.block {
            WHOLE_LINE => LINE,
            _ => u8::try_from(step.block).ok().filter(|b| *b < LINE)?,
        };
        let time = match step.time {
            Some(time) => u64::try_from(time).ok().filter(|t| *t < NO_TIME)?,
            None => NO_TIME,
        };
        Some(Packed {
            line: u32::try_from(line).ok()?,
            len,
            byte: byte as u32,
            byte_above: u8::try_from(byte >> 32).ok()?,
            time: time as u32,
            time_above: (time >> 32) as u16,
            source,
            nth: u8::try_from(nth).ok()?,
            block,
            ..Packed::wide(step)
        })
    }

    /// Returns what fits of every step.
    fn wide(step: &StepEntry) -> Packed {
        let abandoned = if step.is_abandoned { ABANDONED } else { 0 };
        Packed {
            turn: step.turn,
            link: step.link,
            vertex: step.vertex,
            kind: step.kind as u8 | abandoned,
            block: WIDE,
            line: 0,
            len: 0,
            byte: 0,
            time: 0,
            time_above: 0,
            source: 0,
            byte_above: 0,
            nth: 0,
        }
    }

    fn kind(&self) -> StepKind {
        let kind = usize::from(self.kind & !ABANDONED);
        StepKind::ALL.get(kind).copied().unwrap_or(StepKind::Block)
    }

    fn unpack(&self) -> StepEntry {
        let time = u64::from(self.time_above) << 32 | u64::from(self.time);
        StepEntry {
            place: Place {
                source: match self.source {
                    ASSEMBLED => Place::ASSEMBLED,
                    source => u32::from(source),
                },
                byte: u64::from(self.byte_above) << 32 | u64::from(self.byte),
                line: u64::from(self.line),
                len: self.len,
                nth: u32::from(self.nth),
            },
            kind: self.kind(),
            is_abandoned: self.kind & ABANDONED != 0,
            block: match self.block {
                LINE => WHOLE_LINE,
                block => u32::from(block),
            },
            time: (time != NO_TIME).then_some(time as i64),
            turn: self.turn,
            link: self.link,
            vertex: self.vertex,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step() -> StepEntry {
        StepEntry {
            place: Place { source: 3, byte: 1 << 39, line: 7, len: 9, nth: 2 },
            kind: StepKind::Truncated,
            is_abandoned: true,
            block: 5,
            time: Some(1_790_000_000_123),
            turn: Index::new(8).unwrap(),
            link: Index::new(1),
            vertex: None,
        }
    }

    #[test]
    fn a_step_takes_36_bytes() {
        assert_eq!(size_of::<Packed>(), 36);
    }

    /// Each number at the end of what fits, and after it.
    #[test]
    fn a_step_is_the_same_whether_it_fits_or_not() {
        let place = step().place;
        let places = [
            place,
            Place { source: 65_534, ..place },
            Place { source: 65_535, ..place },
            Place { source: Place::ASSEMBLED, ..place },
            Place { byte: (1 << 40) - 1, ..place },
            Place { byte: 1 << 40, ..place },
            Place { byte: u64::MAX, ..place },
            Place { line: u64::from(u32::MAX), ..place },
            Place { line: u64::from(u32::MAX) + 1, ..place },
            Place { nth: 255, ..place },
            Place { nth: 256, ..place },
        ];
        let times = [
            None,
            Some(0),
            Some(-1),
            Some(NO_TIME as i64 - 1),
            Some(NO_TIME as i64),
            Some(i64::MIN),
            Some(i64::MAX),
        ];
        let blocks = [0, 253, 254, 255, 256, WHOLE_LINE];
        let mut all = vec![];
        all.extend(places.map(|place| StepEntry { place, ..step() }));
        all.extend(times.map(|time| StepEntry { time, ..step() }));
        all.extend(blocks.map(|block| StepEntry { block, ..step() }));
        all.extend(StepKind::ALL.map(|kind| StepEntry { kind, ..step() }));
        let mut steps = Steps::default();
        all.iter().for_each(|step| steps.push(*step));
        let is_wide = |step: &&StepEntry| Packed::of(step).is_none();
        assert_eq!(all.iter().filter(is_wide).count(), 12);
        for (at, step) in all.iter().enumerate() {
            let index = Index::new(at).unwrap();
            assert_eq!(steps.get(index), Some(*step), "{at}");
        }
    }
}
