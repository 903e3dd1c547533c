use std::{io::Read, iter::FusedIterator};

use crate::{error::Error, owned, reader::Reader, record::Record};

/// An iterator over owned messages, from [`Reader::into_messages`].
///
/// # Example
///
/// This shows that the reader is still there, to ask for its counts.
///
/// ```
/// let log = &b"{\"type\":\"user\"}\n"[..];
/// let mut messages = linetape::Reader::new(log).into_messages();
/// assert_eq!(messages.by_ref().count(), 1);
/// assert_eq!(messages.reader().stats().lines, 1);
/// ```
#[derive(Debug)]
pub struct Messages<R>(pub(crate) Reader<R>);

impl<R> Messages<R> {
    /// The reader that the messages come from.
    pub fn reader(&self) -> &Reader<R> {
        &self.0
    }
}

impl<R: Read> Iterator for Messages<R> {
    type Item = Result<owned::Message, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next_record()?.map(Record::into_owned))
    }
}

/// A reader that has ended stays so.
impl<R: Read> FusedIterator for Messages<R> {}
