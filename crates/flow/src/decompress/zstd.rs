use std::{
    collections::VecDeque,
    io::{self, Read},
    sync::{Arc, Mutex, PoisonError},
};

use zrip_decode::streaming::FrameDecoder;

use crate::decompress::{
    codec::{Codec, Next, Stepped},
    format::Format,
};

/// The maximum size of a block, compressed or not.
const MAX_BLOCK: usize = 128 << 10;

/// Decompresses the frames of a zstd stream, and skips skippable frames.
///
/// The decoder owns the reader from which it reads, and is of no more use when
/// that reader ends too early. A stream may pause anywhere, so this type finds
/// the ends of blocks, and only lets the decoder read when a whole block is
/// there.
pub(crate) struct Zstd {
    decoder: FrameDecoder<Feed>,
    feed: Feed,
    place: Place,
    /// The bytes of the header that is being read.
    header: Vec<u8>,
    has_checksum: bool,
    /// The block that is being read.
    block: Block,
    /// The text of the last block, of which the first bytes were returned.
    text: Vec<u8>,
    returned: usize,
    length: usize,
}

/// What the next bytes of a frame are.
#[derive(Clone, Copy, Debug)]
enum Place {
    FrameHeader,
    /// So many bytes of a skippable frame.
    Skipped(usize),
    BlockHeader,
    /// So many bytes up to the end of a block.
    Block(usize),
    /// So many bytes up to the end of the frame.
    Checksum(usize),
}

/// A block, as its header describes it.
#[derive(Default)]
struct Block {
    is_last: bool,
    /// Whether there is no text.
    is_empty: bool,
    length: usize,
}

impl Zstd {
    pub(crate) fn new() -> Zstd {
        let feed = Feed::default();
        Zstd {
            decoder: FrameDecoder::with_limit(feed.clone(), usize::MAX),
            feed,
            place: Place::FrameHeader,
            header: vec![],
            has_checksum: false,
            block: Block::default(),
            text: vec![0; MAX_BLOCK],
            returned: 0,
            length: 0,
        }
    }

    /// Copies text that has not been returned.
    fn give(&mut self, to: &mut [u8]) -> usize {
        let text = self.text.get(self.returned..self.length);
        let given = text.and_then(|mut text| text.read(to).ok()).unwrap_or(0);
        self.returned += given;
        given
    }

    /// Decompresses what the decoder was fed.
    fn decode(&mut self) -> io::Result<()> {
        self.returned = 0;
        self.length = 0;
        self.length = self.decoder.read(&mut self.text)?;
        Ok(())
    }

    /// Takes bytes of a header until there are `length` of them. Returns
    /// whether they are all there.
    fn collect(&mut self, from: &mut &[u8], length: usize) -> bool {
        let missing = length.saturating_sub(self.header.len());
        let (taken, rest) = from.split_at(missing.min(from.len()));
        self.header.extend_from_slice(taken);
        *from = rest;
        self.header.len() == length
    }

    /// Takes bytes of one place. Returns whether the frame has ended.
    fn advance(&mut self, from: &mut &[u8]) -> io::Result<bool> {
        match self.place {
            Place::FrameHeader => {
                let length = frame_header_length(&self.header);
                if self.collect(from, length)
                    && length == frame_header_length(&self.header)
                {
                    self.pass_frame_header();
                }
            }
            Place::Skipped(left) => {
                let (skipped, rest) = from.split_at(left.min(from.len()));
                *from = rest;
                self.place = Place::Skipped(left - skipped.len());
                return Ok(skipped.len() == left);
            }
            Place::BlockHeader => {
                if self.collect(from, 3) {
                    self.pass_block_header()?;
                }
            }
            Place::Block(left) => {
                let (bytes, rest) = from.split_at(left.min(from.len()));
                self.feed.push(bytes);
                *from = rest;
                let checksum = if self.has_checksum { 4 } else { 0 };
                self.place = match self.block {
                    _ if bytes.len() < left => {
                        Place::Block(left - bytes.len())
                    }
                    Block { is_last: true, .. } => Place::Checksum(checksum),
                    Block { is_last: false, .. } => Place::BlockHeader,
                };
                // After a block without text, the decoder reads on.
                if bytes.len() == left && !self.block.is_empty {
                    self.decode()?;
                }
            }
            Place::Checksum(left) => {
                let (bytes, rest) = from.split_at(left.min(from.len()));
                self.feed.push(bytes);
                *from = rest;
                self.place = Place::Checksum(left - bytes.len());
                if bytes.len() == left {
                    // The decoder checks the checksum, and finds no text.
                    self.decode()?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn pass_frame_header(&mut self) {
        self.place = match *self.header {
            [.., a, b, c, d] if is_skippable(&self.header) => {
                let length = u32::from_le_bytes([a, b, c, d]);
                Place::Skipped(length as usize)
            }
            _ => {
                let descriptor = self.header.get(4).copied();
                self.has_checksum = descriptor.is_some_and(|d| d & 4 != 0);
                self.feed.push(&self.header);
                Place::BlockHeader
            }
        };
        self.header.clear();
    }

    fn pass_block_header(&mut self) -> io::Result<()> {
        self.feed.push(&self.header);
        self.block = block(&self.header)?;
        self.header.clear();
        self.place = Place::Block(self.block.length);
        Ok(())
    }
}

impl Codec for Zstd {
    fn next(&self, bytes: &[u8], has_ended: bool) -> Next {
        match Format::decided_by(bytes) {
            _ if bytes.is_empty() && has_ended => Next::End,
            Some(Format::Zstd) => Next::Frame,
            None if !has_ended => Next::NeedMore,
            _ => Next::Rubbish,
        }
    }

    fn begin(&mut self) {
        self.decoder.reset(self.feed.clone());
        self.place = Place::FrameHeader;
        self.header.clear();
    }

    fn step(&mut self, from: &[u8], to: &mut [u8]) -> Stepped {
        let mut rest = from;
        let mut written = self.give(to);
        let mut is_end = Ok(false);
        while written == 0 && matches!(is_end, Ok(false)) {
            let before = rest.len();
            let is_at_end = matches!(self.place, Place::Checksum(0));
            is_end = self.advance(&mut rest).map_err(|e| e.to_string());
            written = self.give(to);
            if rest.len() == before && !is_at_end {
                break;
            }
        }
        Stepped { read: from.len() - rest.len(), written, is_end }
    }
}

/// Returns the length of the header of a frame that begins with these bytes,
/// as far as they tell.
fn frame_header_length(start: &[u8]) -> usize {
    let Some(descriptor) = start.get(4) else { return 5 };
    if is_skippable(start) {
        return 8;
    }
    let is_single = descriptor & 0x20 != 0;
    let window = usize::from(!is_single);
    let dictionary = match descriptor & 3 {
        3 => 4,
        flag => usize::from(flag),
    };
    let size = match descriptor >> 6 {
        0 => usize::from(is_single),
        flag => 1 << flag,
    };
    5 + window + dictionary + size
}

fn is_skippable(start: &[u8]) -> bool {
    start.get(..4).is_some_and(|magic| magic.ends_with(&[0x2A, 0x4D, 0x18]))
}

/// Reads the header of a block, of three bytes.
fn block(header: &[u8]) -> io::Result<Block> {
    let bytes = header.iter().rev();
    let bits = bytes.fold(0, |bits, byte| bits << 8 | usize::from(*byte));
    let size = bits >> 3;
    let length = match bits >> 1 & 3 {
        // One byte, repeated.
        1 => 1,
        3 => return Err(io::Error::other("reserved block type")),
        _ => size,
    };
    if size > MAX_BLOCK {
        return Err(io::Error::other("block too large"));
    }
    Ok(Block { is_last: bits & 1 != 0, is_empty: size == 0, length })
}

/// What the decoder may read: whoever has a clone adds to it.
#[derive(Clone, Default)]
struct Feed(Arc<Mutex<VecDeque<u8>>>);

impl Feed {
    fn push(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(bytes);
    }
}

impl Read for Feed {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).read(room)
    }
}
