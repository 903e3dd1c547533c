/*!
The tape that simd-json makes of a line. No other file uses that crate.

A tape is a flat list of the line's values and keys in the order of the text. A
container is followed by its contents, and has their node count, so that it can
be skipped in O(1):

```text
{"type":"user","n":[1,2]}

  0        1       2       3    4        5  6
┌────────┬───────┬───────┬────┬────────┬──┬──┐
│ object │"type" │"user" │"n" │ array  │ 1│ 2│
│ 6 more │       │       │    │ 2 more │  │  │
└────────┴───────┴───────┴────┴────────┴──┴──┘
```
*/

use std::{cell::Cell, mem, sync::OnceLock};

use bumpalo::Bump;
use simd_json::{
    Buffers, Node, StaticNode, Tape, fill_tape_padded, prelude::ValueAsScalar,
};

#[cfg(feature = "serde")]
use crate::{error::Misfit, json::tokens::Tokens};
use crate::{json::Number, limits::Limits, scan::part};

/// How many bytes must follow a line that is parsed in place.
const PADDING: usize = simd_json::INPUT_PADDING;

/// The maximum size in bytes of one node in the tape and in simd-json's index.
const BYTES_PER_NODE: usize = 28;

/// Parses lines into tapes, and reuses its memory for the next line.
pub(crate) struct Parser {
    max_depth: usize,
    /// simd-json's buffers, created for the first line.
    buffers: Cell<Option<Box<Buffers>>>,
    /// The empty allocation of the last tape.
    spare: Cell<Vec<Node<'static>>>,
    /// Where the tape of the current line leaves its allocation. A record can be
    /// dropped in another thread.
    left: OnceLock<Vec<Node<'static>>>,
    /// The length of the longest line since memory was last released. It
    /// approximates the size of `buffers`.
    longest: Cell<usize>,
}

impl Parser {
    pub(crate) fn new(limits: Limits) -> Parser {
        Parser {
            max_depth: limits.depth_cap(),
            buffers: Cell::default(),
            spare: Cell::default(),
            left: OnceLock::new(),
            longest: Cell::new(0),
        }
    }

    /// Parses a copy of `line` in `arena`. Also returns the address of the
    /// copy. The error is the offset that simd-json reports.
    pub(crate) fn parse<'a>(
        &'a self,
        line: &[u8],
        arena: &'a Bump,
    ) -> Result<(Guard<'a>, usize), usize> {
        let size = line.len() + PADDING;
        let mut copy =
            bumpalo::collections::Vec::with_capacity_in(size, arena);
        copy.extend_from_slice_copy(line);
        copy.resize(size, b' ');
        let copy = copy.into_bump_slice_mut();
        let base = copy.as_ptr().addr();
        self.longest.set(self.longest.get().max(line.len()));
        let buffers = self.buffers.take();
        let mut buffers = buffers.unwrap_or_else(|| {
            Box::new(Buffers::with_max_depth(0, self.max_depth))
        });
        let mut tape = Tape(self.spare.take());
        let filled =
            fill_tape_padded(copy, line.len(), &mut buffers, &mut tape);
        self.buffers.set(Some(buffers));
        match filled {
            Ok(()) => Ok((Guard { tape, left: &self.left }, base)),
            Err(error) => {
                self.spare.set(tape.reset().0);
                Err(error.index())
            }
        }
    }

    /// Makes the memory of the current line available to the next one.
    pub(crate) fn recycle(&mut self) {
        if let Some(nodes) = self.left.take() {
            self.spare.set(nodes);
        }
    }

    /// Returns the size of the allocated memory in bytes. The current line
    /// must have been recycled.
    pub(crate) fn capacity(&mut self) -> usize {
        let nodes = self.spare.get_mut().capacity();
        self.longest.get() + nodes * BYTES_PER_NODE
    }

    /// Releases the memory.
    pub(crate) fn release(&mut self) {
        self.buffers = Cell::default();
        self.spare = Cell::default();
        self.longest = Cell::new(0);
    }
}

/// A tape that leaves its allocation to the parser when it is dropped.
#[derive(Debug)]
pub(crate) struct Guard<'a> {
    tape: Tape<'a>,
    left: &'a OnceLock<Vec<Node<'static>>>,
}

impl Guard<'_> {
    pub(crate) fn nodes(&self) -> Nodes<'_> {
        Nodes(&self.tape.0)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        let tape = mem::replace(&mut self.tape, Tape(Vec::new()));
        let left = self.left.set(tape.reset().0);
        debug_assert!(left.is_ok(), "a line is decoded once");
    }
}

/// A value on a tape: a slice that begins with its node and the nodes of its
/// contents. The nodes after them may be included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nodes<'a>(&'a [Node<'a>]);

#[cfg(feature = "serde")]
impl<'de> Tokens<'de> for Nodes<'de> {
    fn mark(&self) -> usize {
        self.address()
    }

    #[cold]
    fn place(&self, mark: usize, misfit: &mut Misfit) {
        misfit.or_at_node(mark);
    }

    fn first(&self) -> u8 {
        match self.0.first() {
            Some(Node::String(_)) => b'"',
            Some(Node::Object { .. }) => b'{',
            Some(Node::Array { .. }) => b'[',
            Some(Node::Static(StaticNode::Null)) => b'n',
            Some(Node::Static(StaticNode::Bool(true))) => b't',
            Some(Node::Static(StaticNode::Bool(false))) => b'f',
            Some(Node::Static(_)) => b'0',
            None => 0,
        }
    }

    fn string(&mut self) -> &'de str {
        let text = self.next_value().and_then(Nodes::as_str);
        debug_assert!(text.is_some(), "no string");
        text.unwrap_or_default()
    }

    fn number(&mut self) -> Option<Number> {
        let number = self.as_number()?;
        self.skip();
        Some(number)
    }

    fn skip(&mut self) {
        self.next_value();
    }

    fn enter(&mut self) -> usize {
        let all = *self;
        self.skip();
        let after = self.0.len();
        self.0 = part(all.0, 1..);
        after
    }

    fn next_item(&mut self, container: usize) -> bool {
        self.0.len() > container
    }

    fn next_key(&mut self, container: usize) -> Option<&'de str> {
        self.next_item(container).then(|| self.string())
    }

    fn is_end(&self, container: usize) -> bool {
        self.0.len() == container
    }

    fn leave(&mut self, container: usize) {
        let read = self.0.len().saturating_sub(container);
        self.0 = part(self.0, read..);
    }
}

#[cfg(feature = "serde")]
impl Nodes<'_> {
    /// Returns the address of the value's node, which identifies it on the
    /// tape.
    pub(crate) fn address(self) -> usize {
        self.0.as_ptr().addr()
    }

    /// Returns the index of the node at an address, counted from this node.
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

    /// Returns the number. The calls work with any number features of
    /// simd-json that another crate may switch on.
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

    /// Returns the number of members or items of the container.
    pub(crate) fn len(self) -> usize {
        match self.0.first() {
            Some(Node::Object { len, .. } | Node::Array { len, .. }) => *len,
            _ => 0,
        }
    }

    /// Returns the number of nodes in the slice.
    #[inline]
    pub(crate) fn count(self) -> usize {
        self.0.len()
    }

    /// Returns the contents of the container: its items, or its keys and
    /// values in turn.
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

    /// Removes the first value, with its contents, and returns it.
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

    /// Removes the first member of an object and returns it.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Option<(&'a str, Nodes<'a>)> {
        let key = self.next_value()?.as_str()?;
        Some((key, self.next_value()?))
    }
}
