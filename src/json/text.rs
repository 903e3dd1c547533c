/*!
The text of a line with its index, and what is known about the whole of it.
*/

use std::cell::Cell;

use bumpalo::Bump;

use crate::{
    error::{Error, Position},
    json::{
        Checked, Container, Cursor, Index, Member, Stated, check, explain,
        walk::{END, Walk, top},
    },
    limits::Limits,
    scan::{Scanner, is_well_written, part, skip_whitespace},
};

/// A line, its index, and the arena that is for what has to be unescaped.
pub(crate) struct Text<'a> {
    pub(crate) line: &'a str,
    pub(crate) origin: Origin,
    state: Cell<State>,
    quotes: &'a [u32],
    /// A bit for each string: whether it contains an escape or a control
    /// character.
    escaped: &'a [u64],
    containers: &'a [Container],
    /// The members of the outermost object, so that a lookup does not walk
    /// through the line again.
    members: &'a [Member],
    pub(crate) scanner: Scanner,
    arena: &'a Bump,
}

/// What is known about the whole of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has not been checked.
    Unchecked,
    /// It has passed the full check.
    Good,
    /// It has failed the full check.
    Bad,
}

/// Where a line comes from, and the rules that it is read by.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) position: Position,
    /// Whether a newline ends the line.
    pub(crate) terminated: bool,
    pub(crate) limits: Limits,
}

/// What is wrong with the members of the outermost object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TopFault {
    /// Something. What, is for others to find out.
    Grammar,
    /// This key is at this place for the second time.
    Duplicate(&'static str, usize),
}

impl<'a> Text<'a> {
    /// Indexes a line and checks the members of its outermost object.
    ///
    /// `scratch` is where the index is made; a copy of the right size goes to
    /// the arena, where the text is as well.
    ///
    /// # Errors
    ///
    /// The first fault of the index or of the outermost object. What is
    /// inside of its members is not checked.
    pub(crate) fn new(
        line: &'a str,
        scratch: &Cell<Index>,
        scanner: Scanner,
        arena: &'a Bump,
        origin: Origin,
    ) -> Result<&'a Text<'a>, TopFault> {
        let bytes = line.as_bytes();
        let mut index = scratch.take();
        let depth = origin.limits.depth_cap();
        let noted = match index.fill(scanner, bytes, depth) {
            Ok(()) => note_members(bytes, &mut index),
            Err(_) => Err(TopFault::Grammar),
        };
        let text = noted.map(|()| {
            &*arena.alloc(Text {
                line,
                origin,
                state: Cell::new(State::Unchecked),
                quotes: arena.alloc_slice_copy(index.quotes()),
                escaped: arena.alloc_slice_copy(index.escaped()),
                containers: arena.alloc_slice_copy(index.containers()),
                members: arena.alloc_slice_copy(&index.members),
                scanner,
                arena,
            })
        });
        scratch.set(index);
        text
    }

    /// The memory for what belongs to the line.
    pub(crate) fn arena(&self) -> &'a Bump {
        self.arena
    }

    /// Notes that the whole line has passed the full check.
    pub(crate) fn set_checked(&self) {
        self.state.set(State::Good);
    }

    /// Whether the whole line is good. It is checked if that has not been
    /// done.
    pub(crate) fn is_good(&self) -> bool {
        if self.state.get() == State::Unchecked {
            let depth = self.origin.limits.depth_cap();
            let bytes = self.line.as_bytes();
            // A line that repeats `type` has been refused before it got here.
            let state = match check(bytes, depth, self.scanner) {
                Checked::Bad => State::Bad,
                Checked::Good | Checked::Doubtful => State::Good,
            };
            self.state.set(state);
        }
        self.state.get() == State::Good
    }

    /// Notes that something in the line is not JSON.
    #[cold]
    pub(crate) fn note_fault(&self) {
        debug_assert_ne!(self.state.get(), State::Good, "{}", self.line);
        self.state.set(State::Bad);
    }

    /// Whether the line has passed the full check.
    #[cfg(feature = "owned")]
    pub(crate) fn is_known_good(&self) -> bool {
        self.state.get() == State::Good
    }

    /// Ends a walk that has read every value of the line. A walk that met no
    /// fault is as good as the full check.
    ///
    /// # Errors
    ///
    /// The error that decoding the line would return, if a fault was met, by
    /// this walk or before it.
    #[cfg(feature = "owned")]
    pub(crate) fn end_walk(&self) -> Result<(), Error> {
        if self.state.get() == State::Bad {
            return Err(self.fault());
        }
        debug_assert!(self.is_good(), "a walk has passed over {}", self.line);
        self.set_checked();
        Ok(())
    }

    /// Checks the whole line, unless that has been done.
    ///
    /// # Errors
    ///
    /// The error that decoding the line would return.
    pub(crate) fn ensure_checked(&self) -> Result<(), Error> {
        if self.is_good() { Ok(()) } else { Err(self.fault()) }
    }

    /// What is wrong with a line that has failed the full check.
    #[cold]
    fn fault(&self) -> Error {
        let Origin { position, terminated, limits } = self.origin;
        let bytes = self.line.as_bytes();
        let error = explain(bytes, position, terminated, limits);
        debug_assert!(error.is_some(), "nothing is wrong: {}", self.line);
        error.unwrap_or_else(|| Error::syntax(position, "invalid value"))
    }

    /// Returns the start of the outermost value.
    pub(crate) fn top(&self) -> Cursor {
        top(self.line.as_bytes())
    }

    /// Returns the text with its index, to walk through it.
    #[inline(always)]
    pub(crate) fn walk(&self) -> Walk<'a> {
        Walk {
            bytes: self.line.as_bytes(),
            quotes: self.quotes,
            containers: self.containers,
        }
    }

    /// Returns the members of the outermost object.
    #[inline(always)]
    pub(crate) fn top_members(&self) -> &'a [Member] {
        self.members
    }

    /// Returns a member's key, without its quotes and as it is written.
    #[inline(always)]
    pub(crate) fn key(&self, member: &Member) -> &'a [u8] {
        let (start, end) = member.key;
        let bytes = self.line.as_bytes();
        part(bytes, start..end)
    }

    /// Returns whether the string with the given index contains an escape or
    /// a control character, so that it cannot be borrowed from the line.
    #[inline(always)]
    pub(crate) fn needs_unescape(&self, string: usize) -> bool {
        is_escaped(self.escaped, string)
    }
}

/// Checks the members of the outermost object, and that nothing follows it.
/// Notes where they are.
fn note_members(bytes: &[u8], index: &mut Index) -> Result<(), TopFault> {
    let mut members = std::mem::take(&mut index.members);
    let (quotes, containers) = (index.quotes(), index.containers());
    let escaped = index.escaped();
    let walk = Walk { bytes, quotes, containers };
    let top = top(bytes);
    let mut seen = Stated::default();
    let mut well_written = true;
    let mut rest = walk.inside(top);
    while let Some(member) = walk.next_member(&mut rest) {
        let string = member.value.quote / 2;
        let is_good = |(start, end): (usize, usize), string: usize| {
            let text = part(bytes, start..end);
            !is_escaped(escaped, string) || is_well_written(text)
        };
        well_written &= is_good(member.key, string.saturating_sub(1));
        let (start, end) = member.key;
        let key = part(bytes, start..end);
        if seen.see(key, start - 1) {
            // What decides must be known, not just be there.
            let value = walk.string(member.value);
            well_written &= value.is_none_or(|text| is_good(text, string));
        }
        members.push(member);
    }
    index.members = members;
    // The members end where the object does, or before, at a fault.
    let containers = index.containers();
    let close = containers.first().map_or(END, |outer| outer.close as usize);
    let after = skip_whitespace(bytes, close.saturating_add(1));
    let object = bytes.get(top.at) == Some(&b'{');
    match seen.second {
        _ if !object || rest.at != close || after != bytes.len() => {
            Err(TopFault::Grammar)
        }
        _ if !well_written => Err(TopFault::Grammar),
        Some((key, at)) => Err(TopFault::Duplicate(key.as_str(), at)),
        None => Ok(()),
    }
}

/// Returns whether the bit of a string is set.
#[inline(always)]
fn is_escaped(escaped: &[u64], string: usize) -> bool {
    let bits = escaped.get(string / 64).copied().unwrap_or(!0);
    bits >> (string % 64) & 1 == 1
}
