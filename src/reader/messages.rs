use std::{io::Read, iter::FusedIterator};

use crate::{error::Error, owned, reader::Reader, record::Record};

/// An iterator over owned messages, from [`Reader::into_messages`].
///
/// # Example
///
/// This shows how to count messages, and then lines.
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
    /// Returns the reader of the messages.
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

/// A reader that has returned `None` returns `None` again.
impl<R: Read> FusedIterator for Messages<R> {}
