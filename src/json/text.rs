/*!
Values read from the text of a line, where it stands.

A [`Place`] is where a value begins, and how many quotes and containers of the
[index](crate::json::index) come before it. From there a string or a container
is passed over without looking at what is in it; commas, colons and the
beginnings of values are checked as they are met. What breaks the grammar ends
an iteration, and `fault` can say what it was.
*/

use std::{cell::Cell, fmt};

use bumpalo::Bump;

use crate::{
    error::{Error, Position},
    json::{
        Checked, Container, Index, Member, Number, Spot, Stated, check,
        explain,
    },
    limits::Limits,
    scan::{
        Scanner, is_key, is_well_written, part, scalar_end, skip_whitespace,
        unescape,
    },
};

/// A line, its index, and the arena that is for what has to be unescaped.
pub(crate) struct Text<'a> {
    pub(crate) line: &'a str,
    pub(crate) origin: Origin,
    state: Cell<State>,
    quotes: &'a [u32],
    /// For each string a bit: whether it cannot be borrowed as it is.
    marks: &'a [u64],
    containers: &'a [Container],
    /// The members of the outermost object, so that to look one up is not to
    /// walk through the line again.
    members: &'a [Member],
    scanner: Scanner,
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

/// Where a value begins.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    text: &'a Text<'a>,
    spot: Spot,
}

/// There is nothing here, nor behind.
const NOWHERE: usize = usize::MAX;

/// What is needed to read a line by its index.
#[derive(Clone, Copy)]
struct Indexed<'t> {
    bytes: &'t [u8],
    quotes: &'t [u32],
    containers: &'t [Container],
}

impl<'a> Text<'a> {
    /// Puts a line into the arena, with a copy of its index, when the
    /// members of the outermost object have been checked and noted.
    pub(crate) fn new(
        line: &'a str,
        index: &mut Index,
        scanner: Scanner,
        arena: &'a Bump,
        origin: Origin,
    ) -> Result<&'a Text<'a>, TopFault> {
        note_members(line.as_bytes(), index)?;
        Ok(arena.alloc(Text {
            line,
            origin,
            state: Cell::new(State::Unchecked),
            quotes: arena.alloc_slice_copy(index.quotes()),
            marks: arena.alloc_slice_copy(index.marks()),
            containers: arena.alloc_slice_copy(index.containers()),
            members: arena.alloc_slice_copy(&index.members),
            scanner,
            arena,
        }))
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

    /// The whole line as a value.
    pub(crate) fn top(&'a self) -> Place<'a> {
        Place { text: self, spot: top(self.line.as_bytes()) }
    }

    #[inline(always)]
    fn indexed(&self) -> Indexed<'a> {
        Indexed {
            bytes: self.line.as_bytes(),
            quotes: self.quotes,
            containers: self.containers,
        }
    }
}

/// Where the outermost value of a line begins.
fn top(line: &[u8]) -> Spot {
    Spot { at: skip_whitespace(line, 0), quote: 0, container: 0 }
}

/// Checks the members of the outermost object, and that nothing follows it.
/// Notes where they are.
fn note_members(bytes: &[u8], index: &mut Index) -> Result<(), TopFault> {
    let mut members = std::mem::take(&mut index.members);
    let (quotes, containers) = (index.quotes(), index.containers());
    let marks = index.marks();
    let indexed = Indexed { bytes, quotes, containers };
    let top = top(bytes);
    let mut seen = Stated::default();
    let mut well_written = true;
    let mut rest = indexed.inside(top);
    while let Some(member) = indexed.next_member(&mut rest) {
        let string = member.value.quote / 2;
        let is_good = |(start, end): (usize, usize), string: usize| {
            let text = part(bytes, start..end);
            !is_marked(marks, string) || is_well_written(text)
        };
        well_written &= is_good(member.key, string.saturating_sub(1));
        let (start, end) = member.key;
        let key = part(bytes, start..end);
        if seen.see(key, start - 1) {
            // What decides must be known, not just be there.
            let value = indexed.string(member.value);
            well_written &= value.is_none_or(|text| is_good(text, string));
        }
        members.push(member);
    }
    index.members = members;
    // The members end where the object does, or before, at a fault.
    let containers = index.containers();
    let close =
        containers.first().map_or(NOWHERE, |outer| outer.close as usize);
    let behind = skip_whitespace(bytes, close.saturating_add(1));
    let object = bytes.get(top.at) == Some(&b'{');
    match seen.second {
        _ if !object || rest.at != close || behind != bytes.len() => {
            Err(TopFault::Grammar)
        }
        _ if !well_written => Err(TopFault::Grammar),
        Some((key, at)) => Err(TopFault::Duplicate(key.as_str(), at)),
        None => Ok(()),
    }
}

/// Whether the bit of a string is set.
#[inline(always)]
fn is_marked(marks: &[u64], string: usize) -> bool {
    let word = marks.get(string / 64).copied().unwrap_or(!0);
    word >> (string % 64) & 1 == 1
}

impl<'t> Indexed<'t> {
    #[inline(always)]
    fn byte(self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The first place from `at` on that is not blank.
    #[inline(always)]
    fn token(self, at: usize) -> usize {
        match self.byte(at) {
            Some(b'!'..) => at,
            _ => self.token_behind_blanks(at),
        }
    }

    #[inline(never)]
    fn token_behind_blanks(self, at: usize) -> usize {
        skip_whitespace(self.bytes, at)
    }

    /// Where the string that begins at `spot` begins and ends, without its
    /// quotes.
    #[inline(always)]
    fn string(self, spot: Spot) -> Option<(usize, usize)> {
        let quote = spot.quote;
        match self.quotes.get(quote..quote + 2)? {
            [start, end] if *start as usize == spot.at => {
                Some((spot.at + 1, *end as usize))
            }
            _ => None,
        }
    }

    /// What follows the bracket at `spot`: a key, an item, or the other
    /// bracket.
    #[inline(always)]
    fn inside(self, spot: Spot) -> Spot {
        let at = self.token(spot.at.saturating_add(1));
        Spot { at, container: spot.container + 1, ..spot }
    }

    /// What follows the value at `spot`.
    #[inline(always)]
    fn behind(self, spot: Spot) -> Option<Spot> {
        match self.byte(spot.at)? {
            b'"' => {
                let (_, end) = self.string(spot)?;
                Some(Spot { at: end + 1, quote: spot.quote + 2, ..spot })
            }
            b'{' | b'[' => {
                let container = self.containers.get(spot.container)?;
                debug_assert_eq!(container.open as usize, spot.at);
                Some(Spot {
                    at: container.close as usize + 1,
                    quote: container.quotes as usize,
                    container: container.containers as usize,
                })
            }
            _ => {
                let end = scalar_end(self.bytes, spot.at)?;
                Some(Spot { at: end, ..spot })
            }
        }
    }

    /// Where to go on behind the value at `spot`: at the value behind a
    /// comma, or at the bracket that is given.
    #[inline(always)]
    fn next(self, spot: Spot, close: u8) -> Option<Spot> {
        let mut next = self.behind(spot)?;
        let mut byte = self.byte(next.at)?;
        if byte <= b' ' {
            next.at = self.token_behind_blanks(next.at);
            byte = self.byte(next.at)?;
        }
        if byte != b',' {
            return (byte == close).then_some(next);
        }
        next.at += 1;
        byte = self.byte(next.at)?;
        if byte <= b' ' {
            next.at = self.token_behind_blanks(next.at);
            byte = self.byte(next.at)?;
        }
        (byte != close).then_some(next)
    }

    /// Takes the next item of an array off.
    #[inline(always)]
    fn next_item(self, rest: &mut Spot) -> Option<Spot> {
        if self.byte(rest.at)? == b']' {
            return None;
        }
        let item = *rest;
        match self.next(item, b']') {
            Some(next) => *rest = next,
            None => {
                rest.at = NOWHERE;
                return None;
            }
        }
        Some(item)
    }

    /// Takes the next member of an object off.
    ///
    /// Without blanks, everything is where it is expected: the first two
    /// `if`s hold, and so do those in `next`.
    #[inline(always)]
    fn next_member(self, rest: &mut Spot) -> Option<Member> {
        let key = self.string(*rest)?;
        let mut value = Spot { at: key.1 + 2, quote: rest.quote + 2, ..*rest };
        rest.at = NOWHERE;
        if self.byte(key.1 + 1)? != b':' {
            let colon = self.token(key.1 + 1);
            if self.byte(colon)? != b':' {
                return None;
            }
            value.at = colon + 1;
        }
        if self.byte(value.at)? <= b' ' {
            value.at = self.token(value.at);
        }
        *rest = self.next(value, b'}')?;
        Some(Member { key, value })
    }
}

impl<'a> Place<'a> {
    /// The line, and where in it this is.
    pub(crate) fn context(self) -> (&'a Text<'a>, usize) {
        (self.text, self.spot.at)
    }

    /// The text of the value that begins here. What is not JSON goes on to
    /// the next comma or closing bracket.
    pub(crate) fn written_value(self) -> &'a str {
        let Text { line, .. } = *self.text;
        let start = self.spot.at;
        let end = match self.text.indexed().behind(self.spot) {
            Some(behind) => behind.at,
            None => {
                let rest = line.as_bytes().get(start..).unwrap_or_default();
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}');
                start + rest.iter().position(ends).unwrap_or(rest.len())
            }
        };
        line.get(start..end).unwrap_or_default()
    }

    #[inline]
    fn with(self, spot: Spot) -> Place<'a> {
        Place { spot, ..self }
    }

    #[inline]
    fn byte(self) -> Option<u8> {
        self.text.line.as_bytes().get(self.spot.at).copied()
    }

    #[inline]
    pub(crate) fn as_str(self) -> Option<&'a str> {
        let (start, end) = self.text.indexed().string(self.spot)?;
        let Text { line, scanner, arena, marks, .. } = *self.text;
        if is_marked(marks, self.spot.quote / 2) {
            return unescape(scanner, line.get(start..)?, end - start, arena);
        }
        line.get(start..end)
    }

    /// The number or word that stands here, if it is a good one.
    fn scalar(self) -> Option<&'a str> {
        let start = self.spot.at;
        let end = scalar_end(self.text.line.as_bytes(), start)?;
        self.text.line.get(start..end)
    }

    #[inline(never)]
    pub(crate) fn is_null(self) -> bool {
        self.byte() == Some(b'n') && self.scalar().is_some()
    }

    #[inline(never)]
    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.scalar()? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    #[inline(never)]
    pub(crate) fn as_number(self) -> Option<Number> {
        match self.byte()? {
            b'-' | b'0'..=b'9' => Number::parse(self.scalar()?),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn is_str(self) -> bool {
        self.byte() == Some(b'"')
    }

    #[inline]
    pub(crate) fn is_object(self) -> bool {
        self.byte() == Some(b'{')
    }

    #[inline]
    pub(crate) fn is_array(self) -> bool {
        self.byte() == Some(b'[')
    }

    /// What is in the container here.
    #[inline]
    pub(crate) fn inside(self) -> Place<'a> {
        self.with(self.text.indexed().inside(self.spot))
    }

    /// Takes the next item of an array off.
    #[inline]
    pub(crate) fn next_value(&mut self) -> Option<Place<'a>> {
        let Some(item) = self.text.indexed().next_item(&mut self.spot) else {
            if self.spot.at == NOWHERE {
                self.text.note_fault();
            }
            return None;
        };
        Some(self.with(item))
    }

    /// The members of the object here: their keys as they are written, and
    /// their values. Those of the outermost object have been noted.
    #[inline]
    pub(crate) fn written(self) -> Written<'a> {
        match self.spot.container {
            0 => Written::Noted(self.text, self.text.members.iter()),
            _ => Written::Found(self.inside()),
        }
    }

    /// Takes the next member of an object off.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Option<(&'a str, Place<'a>)> {
        let key = *self;
        let member = self.text.indexed().next_member(&mut self.spot);
        let Some(member) = member else {
            if self.byte() != Some(b'}') {
                self.text.note_fault();
            }
            return None;
        };
        let Some(key) = key.as_str() else {
            // A bad key ends the members for good.
            self.spot.at = NOWHERE;
            self.text.note_fault();
            return None;
        };
        Some((key, self.with(member.value)))
    }

    /// An upper bound for the number of values and keys from here to the end
    /// of the line. Each takes a byte, and one parts it from the next.
    #[inline]
    pub(crate) fn most_nodes(self) -> usize {
        self.text.line.len().saturating_sub(self.spot.at).div_ceil(2)
    }

    /// The last member of the object here whose key means `wanted`.
    ///
    /// Not inlined, like what reads numbers: a conversion to an owned message
    /// calls itself for every level, with some dozens of these, and would
    /// take too much stack.
    #[inline(never)]
    pub(crate) fn find(self, wanted: &str) -> Option<Place<'a>> {
        let [found] = self.find_all([wanted]);
        found
    }

    /// The same for several keys, in one pass.
    #[inline(always)]
    pub(crate) fn find_all<const N: usize>(
        self,
        wanted: [&str; N],
    ) -> [Option<Place<'a>>; N] {
        let mut found = [None; N];
        let mut members = self.written();
        for (key, value) in members.by_ref() {
            for (found, wanted) in found.iter_mut().zip(wanted) {
                if is_key(key, wanted) {
                    *found = Some(value);
                }
            }
        }
        // Behind a fault there might have been a later one.
        if members.is_broken() { [None; N] } else { found }
    }
}

impl<'a> Text<'a> {
    /// A member's key, as it is written.
    #[inline(always)]
    fn key(&self, member: &Member) -> &'a [u8] {
        let (start, end) = member.key;
        let bytes = self.line.as_bytes();
        part(bytes, start..end)
    }
}

/// See [`Place::written`].
pub(crate) enum Written<'a> {
    Noted(&'a Text<'a>, std::slice::Iter<'a, Member>),
    Found(Place<'a>),
}

impl Written<'_> {
    /// Whether the members, which have all been taken, end at a fault.
    #[inline]
    pub(crate) fn is_broken(&self) -> bool {
        match self {
            Written::Noted(..) => false,
            Written::Found(rest) => rest.byte() != Some(b'}'),
        }
    }
}

impl<'a> Iterator for Written<'a> {
    type Item = (&'a [u8], Place<'a>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (text, member) = match self {
            Written::Noted(text, members) => (*text, *members.next()?),
            Written::Found(rest) => {
                let text = rest.text;
                (text, text.indexed().next_member(&mut rest.spot)?)
            }
        };
        let value = Place { text, spot: member.value };
        Some((text.key(&member), value))
    }
}

impl fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({})", self.spot.at)
    }
}
