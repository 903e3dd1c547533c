//! Objects of a store as sources of bytes.

use std::{
    io::{self, Read},
    ops::Range,
    sync::Arc,
};

use bytes::Bytes;
use datafusion::{
    arrow::{
        array::RecordBatch, temporal_conversions::timestamp_s_to_datetime,
    },
    common::Result,
};
use futures::{StreamExt, stream::BoxStream};
use object_store::{GetOptions, ObjectMeta, ObjectStore};
use tokio::{runtime::Handle, sync::mpsc::Sender};

use crate::meter::Meter;

/// Counts what is read, and fails when the query has ended.
#[derive(Clone)]
pub(crate) struct Watched {
    meter: Meter,
    batches: Sender<Result<RecordBatch>>,
}

impl Watched {
    pub(crate) fn new(
        meter: Meter,
        batches: Sender<Result<RecordBatch>>,
    ) -> Watched {
        Watched { meter, batches }
    }

    fn check(&self) -> io::Result<()> {
        match self.batches.is_closed() {
            true => Err(io::Error::other("the query has ended")),
            false => Ok(()),
        }
    }
}

/// Returns the conditions for reading an object: one that is replaced between
/// planning and reading must not be read in parts of both.
pub(crate) fn unchanged(meta: &ObjectMeta) -> GetOptions {
    let date = meta.last_modified;
    // The times of HTTP are full seconds.
    let is_later = date.timestamp_subsec_nanos() > 0;
    let second = date.timestamp().saturating_add(is_later.into());
    let date = timestamp_s_to_datetime(second).map(|date| date.and_utc());
    GetOptions {
        if_match: meta.e_tag.clone(),
        // Some stores have no tags.
        if_unmodified_since: date.filter(|_| meta.e_tag.is_none()),
        ..GetOptions::default()
    }
}

/// The first request for bytes after the end of a range, in bytes. Each later
/// one is four times as large, so that a line of any length takes few.
const FIRST_PIECE: u64 = 64 << 10;

/// Reads an object from an offset on: one request for a range, and further
/// ones only if the last line of the range goes on after it.
pub(crate) struct ObjectRead {
    store: Arc<dyn ObjectStore>,
    meta: ObjectMeta,
    options: GetOptions,
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    /// What has been received and not been read.
    bytes: Bytes,
    /// The offset of the next byte to receive, and the end of the request.
    at: u64,
    end: u64,
    piece: u64,
    handle: Handle,
    watched: Watched,
}

impl ObjectRead {
    pub(crate) fn new(
        store: Arc<dyn ObjectStore>,
        meta: ObjectMeta,
        requested: Range<u64>,
        options: GetOptions,
        stream: BoxStream<'static, object_store::Result<Bytes>>,
        handle: Handle,
        watched: Watched,
    ) -> ObjectRead {
        ObjectRead {
            store,
            meta,
            options,
            stream,
            bytes: Bytes::new(),
            at: requested.start,
            end: requested.end,
            piece: FIRST_PIECE,
            handle,
            watched,
        }
    }

    /// Makes the next request one for all bytes that follow.
    pub(crate) fn read_whole(&mut self, size: u64) {
        self.piece = size.max(FIRST_PIECE);
    }

    /// Returns the first bytes of the object.
    pub(crate) fn first(&self, count: u64) -> io::Result<Bytes> {
        let options = self.options_for(0..count.min(self.meta.size));
        let first = self.handle.block_on(async {
            let location = &self.meta.location;
            self.store.get_opts(location, options).await?.bytes().await
        })?;
        Ok(first)
    }

    fn options_for(&self, range: Range<u64>) -> GetOptions {
        GetOptions { range: Some(range.into()), ..self.options.clone() }
    }

    /// Waits for more bytes. Returns whether there are any.
    fn receive(&mut self) -> io::Result<bool> {
        loop {
            self.watched.check()?;
            match self.handle.block_on(self.stream.next()) {
                Some(bytes) => {
                    self.bytes = bytes?;
                    let count = self.bytes.len();
                    self.at += count as u64;
                    self.watched.meter.add_read(count);
                    if count > 0 {
                        return Ok(true);
                    }
                }
                // A store may return less than it was asked for.
                None if self.at < self.end => {
                    let why = "the object has become shorter since the query \
                               began";
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        why,
                    ));
                }
                None if self.at >= self.meta.size => return Ok(false),
                None => self.request_more()?,
            }
        }
    }

    fn request_more(&mut self) -> io::Result<()> {
        self.end = self.at.saturating_add(self.piece).min(self.meta.size);
        self.piece = self.piece.saturating_mul(4);
        let options = self.options_for(self.at..self.end);
        let get = self.store.get_opts(&self.meta.location, options);
        self.stream = self.handle.block_on(get)?.into_stream();
        Ok(())
    }
}

impl Read for ObjectRead {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if room.is_empty() || (self.bytes.is_empty() && !self.receive()?) {
            return Ok(0);
        }
        let count = room.len().min(self.bytes.len());
        let part = self.bytes.split_to(count);
        for (to, from) in room.iter_mut().zip(&part) {
            *to = *from;
        }
        Ok(count)
    }
}
