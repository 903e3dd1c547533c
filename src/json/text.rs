/*!
The text of a line with its index, and whether the line has been checked.
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
    lines::{RawLine, Tally},
    scan::{Scanner, is_well_written, part, skip_whitespace},
};

/// A line, its index, and the arena for its unescaped strings.
pub(crate) struct Text<'a> {
    pub(crate) line: &'a str,
    pub(crate) origin: Origin,
    state: Cell<State>,
    quotes: &'a [u32],
    /// A bit for each string: whether it contains an escape or a control
    /// character.
    escaped: &'a [u64],
    containers: &'a [Container],
    /// The members of the outermost object, for faster look-ups.
    members: &'a [Member],
    pub(crate) scanner: Scanner,
    arena: &'a Bump,
    /// Counts the line if it fails the full check.
    tally: Option<&'a Tally>,
}

/// The result of the full check of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The line has not been checked.
    Unchecked,
    /// The line has passed.
    Good,
    /// The line has failed, or a fault has been found in it.
    Bad,
}

/// The position of a line in its stream, and the limits of its reader.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) position: Position,
    /// Whether a newline ends the line.
    pub(crate) terminated: bool,
    pub(crate) limits: Limits,
}

/// A fault of the index or of the outermost object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TopFault {
    /// A grammar error. `fault::explain` returns the diagnostic.
    Grammar,
    /// A duplicate key, and the offset of the second one.
    Duplicate(&'static str, usize),
}

impl<'a> Text<'a> {
    /// Indexes a line and checks the members of its outermost object.
    ///
    /// The index is built in `scratch`. A copy of the exact size is stored in
    /// the arena, together with the returned `Text`.
    ///
    /// # Errors
    ///
    /// Returns the fault of the index or of the outermost object, if there is
    /// one. Nested values are not checked.
    pub(crate) fn new(
        line: &'a str,
        scratch: &Cell<Index>,
        scanner: Scanner,
        arena: &'a Bump,
        origin: Origin,
        tally: Option<&'a Tally>,
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
                tally,
            })
        });
        scratch.set(index);
        text
    }

    /// Returns the arena for values that live as long as the line.
    pub(crate) fn arena(&self) -> &'a Bump {
        self.arena
    }

    /// Records that the line has passed the full check.
    pub(crate) fn set_checked(&self) {
        self.state.set(State::Good);
    }

    /// Returns whether the line passes the full check, which the first call
    /// runs.
    pub(crate) fn is_good(&self) -> bool {
        if self.state.get() == State::Unchecked {
            let depth = self.origin.limits.depth_cap();
            let bytes = self.line.as_bytes();
            // `Text::new` has rejected duplicate `type` keys already.
            let state = match check(bytes, depth, self.scanner) {
                Checked::Bad => State::Bad,
                Checked::Good | Checked::Doubtful => State::Good,
            };
            self.state.set(state);
        }
        self.state.get() == State::Good
    }

    /// Records that a value of the line is not JSON.
    #[cold]
    pub(crate) fn note_fault(&self) {
        debug_assert_ne!(self.state.get(), State::Good, "{}", self.line);
        self.state.set(State::Bad);
    }

    /// Returns whether the line has passed the full check. Does not run it.
    #[cfg(feature = "owned")]
    pub(crate) fn is_known_good(&self) -> bool {
        self.state.get() == State::Good
    }

    /// Ends a walk that has read every value of the line. A walk without a
    /// fault is equivalent to the full check.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return if this walk or
    /// an earlier access has found a fault.
    #[cfg(feature = "owned")]
    pub(crate) fn end_walk(&self) -> Result<(), Error> {
        if self.state.get() == State::Bad {
            return Err(self.fault());
        }
        debug_assert!(self.is_good(), "a walk has passed over {}", self.line);
        self.set_checked();
        Ok(())
    }

    /// Runs the full check, unless that has been done.
    ///
    /// # Errors
    ///
    /// Returns the error that decoding the line would return.
    pub(crate) fn ensure_checked(&self) -> Result<(), Error> {
        if self.is_good() { Ok(()) } else { Err(self.fault()) }
    }

    /// Returns the error for a line that has failed the full check.
    #[cold]
    fn fault(&self) -> Error {
        let Origin { position, terminated, limits } = self.origin;
        let bytes = self.line.as_bytes();
        let error = explain(bytes, position, terminated, limits);
        debug_assert!(error.is_some(), "nothing is wrong: {}", self.line);
        let error =
            error.unwrap_or_else(|| Error::syntax(position, "invalid value"));
        match self.tally {
            Some(tally) => {
                tally.report(error, RawLine { bytes, position, terminated })
            }
            None => error,
        }
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

    /// Returns a member's key without its quotes, still escaped.
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
/// Adds the members to the index.
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
            // The type must be readable: check its escapes too.
            let value = walk.string(member.value);
            well_written &= value.is_none_or(|text| is_good(text, string));
        }
        members.push(member);
    }
    index.members = members;
    // If the walk ended before the closing bracket, there is a fault.
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
