/*!
The tape that simd-json makes of a line. No other file names that crate.

A tape is the line's values in the order of the text. A container is followed
by everything in it, and says how many nodes that is, so that it can be stepped
over:

```text
{"type":"user","n":[1,2]}

  0        1       2       3    4        5  6
┌────────┬───────┬───────┬────┬────────┬──┬──┐
│ object │"type" │"user" │"n" │ array  │ 1│ 2│
│ 6 more │       │       │    │ 2 more │  │  │
└────────┴───────┴───────┴────┴────────┴──┴──┘
```
*/

use std::mem;

use simd_json::{
    Buffers, ErrorType, Node, StaticNode, Tape, fill_tape_padded,
    prelude::ValueAsScalar,
};

use crate::{idle::Idle, json::Number, limits::Limits, scan::part};

/// How many bytes must follow a line that is parsed where it stands.
pub(crate) const PADDING: usize = simd_json::INPUT_PADDING;

/// What a tape of `n` nodes and its index take, at most, in bytes.
const BYTES_PER_NODE: usize = 28;

/// Turns lines into tapes, and keeps the memory for the next.
pub(crate) struct Parser {
    max_depth: usize,
    /// Made for the first line.
    buffers: Option<Buffers>,
    /// The allocation of the last tape, empty.
    spare: Tape<'static>,
    /// Where lines are copied to, to be parsed there.
    scratch: Vec<u8>,
    /// The longest line since memory was last given back. The buffers have
    /// grown with it.
    longest: usize,
    idle: Idle,
}

impl Parser {
    pub(crate) fn new(limits: Limits) -> Parser {
        Parser {
            max_depth: limits.depth_cap(),
            buffers: None,
            spare: Tape(Vec::new()),
            scratch: Vec::new(),
            longest: 0,
            idle: Idle::default(),
        }
    }

    /// Parses a copy of `line`, and says at which address the copy is.
    pub(crate) fn parse(
        &mut self,
        line: &[u8],
    ) -> Result<(Guard<'_>, usize), InPlaceFault> {
        self.release_if_idle(line.len());
        let Parser { scratch, buffers, spare, max_depth, .. } = self;
        scratch.clear();
        scratch.reserve(line.len() + PADDING);
        scratch.extend_from_slice(line);
        scratch.resize(line.len() + PADDING, b' ');
        let base = scratch.as_ptr().addr();
        let tape = fill(scratch, line.len(), buffers, *max_depth, spare)?;
        Ok((Guard { tape, home: spare }, base))
    }

    /// Parses the first `len` bytes of `padded` where they stand.
    pub(crate) fn parse_padded<'a>(
        &'a mut self,
        padded: &'a mut [u8],
        len: usize,
    ) -> Result<Guard<'a>, InPlaceFault> {
        self.release_if_idle(len);
        let Parser { buffers, spare, max_depth, .. } = self;
        let tape = fill(padded, len, buffers, *max_depth, spare)?;
        Ok(Guard { tape, home: spare })
    }

    /// Gives the memory back if it is much more than lines have lately
    /// needed.
    fn release_if_idle(&mut self, line: usize) {
        let nodes = self.spare.0.capacity() * BYTES_PER_NODE;
        let taken = self.scratch.capacity() + self.longest + nodes;
        self.longest = self.longest.max(line);
        if self.idle.is_over(taken, line) {
            self.buffers = None;
            self.spare = Tape(Vec::new());
            self.scratch = Vec::new();
            self.longest = line;
        }
    }
}

impl std::fmt::Debug for Parser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parser")
            .field("max_depth", &self.max_depth)
            .finish_non_exhaustive()
    }
}

/// Fills the spare tape, which is left empty, or puts it back.
fn fill<'a>(
    padded: &'a mut [u8],
    len: usize,
    buffers: &mut Option<Buffers>,
    max_depth: usize,
    spare: &mut Tape<'static>,
) -> Result<Tape<'a>, InPlaceFault> {
    let buffers =
        buffers.get_or_insert_with(|| Buffers::with_max_depth(0, max_depth));
    let mut tape = mem::replace(spare, Tape(Vec::new())).reset();
    match fill_tape_padded(padded, len, buffers, &mut tape) {
        Ok(()) => Ok(tape),
        Err(error) => {
            *spare = tape.reset();
            Err(InPlaceFault::new(&error))
        }
    }
}

/// Why a line could not be parsed: what little can be said once its text has
/// been overwritten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InPlaceFault {
    /// Where in the line, as far as that is known.
    pub(crate) at: usize,
    pub(crate) kind: InPlaceKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum InPlaceKind {
    Utf8,
    Depth,
    Syntax,
}

impl InPlaceFault {
    fn new(error: &simd_json::Error) -> InPlaceFault {
        let kind = match error.error() {
            ErrorType::InvalidUtf8 => InPlaceKind::Utf8,
            ErrorType::DepthLimitExceeded => InPlaceKind::Depth,
            _ => InPlaceKind::Syntax,
        };
        InPlaceFault { at: error.index(), kind }
    }
}

/// A tape, and the place that its allocation goes back to.
#[derive(Debug)]
pub(crate) struct Guard<'a> {
    tape: Tape<'a>,
    home: &'a mut Tape<'static>,
}

impl Guard<'_> {
    pub(crate) fn nodes(&self) -> Nodes<'_> {
        Nodes(&self.tape.0)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        let tape = mem::replace(&mut self.tape, Tape(Vec::new()));
        *self.home = tape.reset();
    }
}

/// A value on a tape: its node, and all nodes of what is in it. What follows
/// on the tape may follow here too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nodes<'a>(&'a [Node<'a>]);

#[cfg(feature = "owned")]
impl Nodes<'_> {
    /// The address of the value's node, which is told apart from all others
    /// on the tape by that.
    pub(crate) fn address(self) -> usize {
        self.0.as_ptr().addr()
    }

    /// How many nodes of this value come before the one at an address.
    pub(crate) fn index_of(self, address: usize) -> Option<usize> {
        let bytes = address.checked_sub(self.address())?;
        let index = bytes / size_of::<Node<'_>>();
        (index < self.0.len()).then_some(index)
    }
}

impl<'a> Nodes<'a> {
    pub(crate) fn as_str(self) -> Option<&'a str> {
        match self.0.first() {
            Some(Node::String(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_null(self) -> bool {
        matches!(self.0.first(), Some(Node::Static(StaticNode::Null)))
    }

    pub(crate) fn as_bool(self) -> Option<bool> {
        self.scalar()?.as_bool()
    }

    /// The number, asked for in a way that holds whatever number features of
    /// simd-json some other crate has switched on.
    pub(crate) fn as_number(self) -> Option<Number> {
        let scalar = self.scalar()?;
        if let Some(n) = scalar.as_u64() {
            return Some(Number::Unsigned(n));
        }
        if let Some(n) = scalar.as_i64() {
            return Some(Number::Negative(n));
        }
        scalar.cast_f64().map(Number::Float)
    }

    fn scalar(self) -> Option<&'a StaticNode> {
        match self.0.first() {
            Some(Node::Static(scalar)) => Some(scalar),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn is_object(self) -> bool {
        matches!(self.0.first(), Some(Node::Object { .. }))
    }

    #[inline]
    pub(crate) fn is_array(self) -> bool {
        matches!(self.0.first(), Some(Node::Array { .. }))
    }

    /// How many members or items the container has.
    pub(crate) fn len(self) -> usize {
        match self.0.first() {
            Some(Node::Object { len, .. } | Node::Array { len, .. }) => *len,
            _ => 0,
        }
    }

    /// How many nodes there are, with what follows.
    #[inline]
    pub(crate) fn count(self) -> usize {
        self.0.len()
    }

    /// The nodes in the container: items, or key, value, key ...
    #[inline]
    pub(crate) fn inside(self) -> Nodes<'a> {
        match self.0.split_first() {
            Some((
                Node::Object { count, .. } | Node::Array { count, .. },
                rest,
            )) => Nodes(part(rest, ..*count)),
            _ => Nodes(&[]),
        }
    }

    /// Takes the first value off, with everything in it.
    #[inline]
    pub(crate) fn next_value(&mut self) -> Option<Nodes<'a>> {
        let size = match self.0.first()? {
            Node::Object { count, .. } | Node::Array { count, .. } => {
                1 + *count
            }
            Node::String(_) | Node::Static(_) => 1,
        };
        let (value, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(Nodes(value))
    }

    /// Takes the first member of an object off.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Option<(&'a str, Nodes<'a>)> {
        let key = self.next_value()?.as_str()?;
        Some((key, self.next_value()?))
    }
}
