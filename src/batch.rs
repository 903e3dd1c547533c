use std::fmt;

use bumpalo::Bump;

use crate::{
    error::{Error, Position},
    idle::GIANT,
    json::{PADDING, Value, duplicate, explain, precheck},
    message::{Kind, Message},
    record::{Decoder, in_place_error},
};

/// Many decoded lines that are alive at once, in one arena.
///
/// A [`Record`](crate::Record) has to be let go before the next line is read.
/// A batch keeps what is pushed to it until it is cleared, all at once. Its
/// messages live in memory that is taken in large blocks, so that a thousand
/// lines cost a handful of allocations.
///
/// # Example
///
/// This shows how to compare two lines.
///
/// ```
/// use linetape::{Batch, Decoder};
///
/// let mut decoder = Decoder::new();
/// let mut batch = Batch::new();
/// let first = batch.push(&mut decoder, br#"{"type":"user","uuid":"a"}"#)?;
/// let second =
///     batch.push(&mut decoder, br#"{"type":"user","parentUuid":"a"}"#)?;
/// assert_eq!(first.uuid(), second.parent_uuid());
/// batch.clear();
/// # Ok::<(), linetape::Error>(())
/// ```
///
/// What is in the batch does not outlive it, nor its clearing:
///
/// ```compile_fail,E0505
/// let mut decoder = linetape::Decoder::new();
/// let batch = linetape::Batch::new();
/// let message = batch.push(&mut decoder, b"{}").unwrap();
/// drop(batch);
/// println!("{}", message.kind());
/// ```
///
/// ```compile_fail,E0502
/// let mut decoder = linetape::Decoder::new();
/// let mut batch = linetape::Batch::new();
/// let message = batch.push(&mut decoder, b"{}").unwrap();
/// batch.clear();
/// println!("{}", message.kind());
/// ```
#[derive(Default)]
pub struct Batch {
    arena: Bump,
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Decodes a line, and keeps it.
    ///
    /// # Errors
    ///
    /// As for [`Decoder::decode`]. The memory for a line that fails is let go
    /// with the rest.
    pub fn push(
        &self,
        decoder: &mut Decoder,
        line: &[u8],
    ) -> Result<Message<'_>, Error> {
        let start = Position::START;
        let (limits, parser) = decoder.parts();
        precheck(line, start, limits)?;
        let text =
            self.arena.alloc_slice_fill_copy(line.len() + PADDING, b' ');
        if let Some(place) = text.get_mut(..line.len()) {
            place.copy_from_slice(line);
        }
        let base = text.as_ptr().addr();
        let nodes = match parser.parse_into(text, line.len(), &self.arena) {
            Ok(nodes) => nodes,
            Err(fault) => {
                let error = explain(line, start, true, limits);
                let unplaced = || in_place_error(fault, start, limits);
                return Err(error.unwrap_or_else(unplaced));
            }
        };
        let value = Value::from_tape(nodes);
        match value.as_object().map(Kind::of) {
            Some(Err(key)) => {
                // An unescaped string begins where its escaped form began,
                // one byte behind the quote.
                let at = key.as_ptr().addr().wrapping_sub(base);
                Err(duplicate(key, at.saturating_sub(1), start))
            }
            _ => Ok(Message::new(value)),
        }
    }

    /// How many bytes the batch has taken.
    pub fn allocated_bytes(&self) -> usize {
        self.arena.allocated_bytes()
    }

    /// Lets go of everything. The largest block of memory stays for what
    /// comes next, unless it is a giant.
    pub fn clear(&mut self) {
        self.arena.reset();
        if self.allocated_bytes() > GIANT {
            self.arena = Bump::new();
        }
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch({} bytes)", self.allocated_bytes())
    }
}
