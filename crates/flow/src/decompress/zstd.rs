use std::{
    io::{self, Cursor, Read},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use zrip_decode::streaming::FrameDecoder;

use crate::decompress::{
    codec::{Codec, Next, Stepped},
    format::Format,
};

/// The maximum size of a block, compressed or not.
const MAX_BLOCK: usize = 128 << 10;

/// Kinds of blocks: one byte that is repeated, and compressed.
const RLE: usize = 1;
const COMPRESSED: usize = 2;

/// The header of the last block of a frame, without text.
const EMPTY_LAST_BLOCK: [u8; 3] = [1, 0, 0];

/// Decompresses the frames of a zstd stream, and skips skippable frames.
///
/// The decoder owns the reader from which it reads, and is of no more use when
/// that reader ends too early. A stream may pause anywhere, so this type finds
/// the ends of blocks, and only lets the decoder read when a whole block is
/// there. A block without text is left out: after it, the decoder would read
/// the next one.
pub(crate) struct Zstd {
    decoder: FrameDecoder<Feed>,
    feed: Feed,
    place: Place,
    has_checksum: bool,
    /// Bytes for the decoder: what it has not read, up to the current place.
    pending: Vec<u8>,
    /// Where the bytes of the current place begin.
    start: usize,
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
    Block(Block),
    Checksum,
}

/// What became of a place.
#[derive(PartialEq)]
enum Progress {
    /// It is passed.
    Further,
    /// Its bytes are not all there.
    NeedsMore,
    /// It was the last one of the frame.
    End,
}

/// A block, as its header describes it.
#[derive(Clone, Copy, Debug)]
struct Block {
    is_last: bool,
    kind: usize,
    size: usize,
}

impl Zstd {
    pub(crate) fn new() -> Zstd {
        let feed = Feed::default();
        Zstd {
            decoder: FrameDecoder::with_limit(feed.clone(), usize::MAX),
            feed,
            place: Place::FrameHeader,
            has_checksum: false,
            pending: vec![],
            start: 0,
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

    /// Decompresses the pending bytes.
    fn decode(&mut self) -> io::Result<()> {
        self.returned = 0;
        self.length = 0;
        self.feed.fill(&mut self.pending);
        self.length = self.decoder.read(&mut self.text)?;
        Ok(())
    }

    /// Takes bytes of the current place until there are `length` of them.
    /// Returns them if they are all there.
    fn collect(&mut self, from: &mut &[u8], length: usize) -> Option<&[u8]> {
        let missing = (self.start + length).saturating_sub(self.pending.len());
        let (taken, rest) = from.split_at(missing.min(from.len()));
        self.pending.extend_from_slice(taken);
        *from = rest;
        self.pending.get(self.start..).filter(|found| found.len() == length)
    }

    fn go_to(&mut self, place: Place) {
        self.place = place;
        self.start = self.pending.len();
    }

    /// Takes bytes of one place.
    fn advance(&mut self, from: &mut &[u8]) -> io::Result<Progress> {
        match self.place {
            Place::FrameHeader => {
                let length = frame_header_length(&self.pending);
                let Some(header) = self.collect(from, length) else {
                    return Ok(Progress::NeedsMore);
                };
                // The first bytes tell how many there are.
                if length == frame_header_length(header) {
                    self.pass_frame_header();
                }
            }
            Place::Skipped(left) => {
                let (skipped, rest) = from.split_at(left.min(from.len()));
                *from = rest;
                self.place = Place::Skipped(left - skipped.len());
                return Ok(match skipped.len() == left {
                    true => Progress::End,
                    false => Progress::NeedsMore,
                });
            }
            Place::BlockHeader => {
                let Some(header) = self.collect(from, 3) else {
                    return Ok(Progress::NeedsMore);
                };
                let block = block(header)?;
                self.go_to(Place::Block(block));
            }
            Place::Block(block) => {
                let length = if block.kind == RLE { 1 } else { block.size };
                let Some(bytes) = self.collect(from, length) else {
                    return Ok(Progress::NeedsMore);
                };
                if has_text(block, bytes) {
                    self.decode()?;
                    if self.length == 0 {
                        return Err(io::Error::other("invalid block"));
                    }
                } else {
                    self.pending.truncate(self.start.saturating_sub(3));
                    if block.is_last {
                        self.pending.extend_from_slice(&EMPTY_LAST_BLOCK);
                    }
                }
                self.go_to(match block.is_last {
                    true => Place::Checksum,
                    false => Place::BlockHeader,
                });
            }
            Place::Checksum => {
                let length = if self.has_checksum { 4 } else { 0 };
                if self.collect(from, length).is_none() {
                    return Ok(Progress::NeedsMore);
                }
                // The decoder checks the checksum, and finds no text.
                self.decode()?;
                return Ok(Progress::End);
            }
        }
        Ok(Progress::Further)
    }

    fn pass_frame_header(&mut self) {
        match *self.pending {
            [.., a, b, c, d] if is_skippable(&self.pending) => {
                let length = u32::from_le_bytes([a, b, c, d]);
                self.pending.clear();
                self.go_to(Place::Skipped(length as usize));
            }
            _ => {
                let descriptor = self.pending.get(4).copied();
                self.has_checksum = descriptor.is_some_and(|d| d & 4 != 0);
                self.go_to(Place::BlockHeader);
            }
        }
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
        self.pending.clear();
        self.go_to(Place::FrameHeader);
    }

    fn step(&mut self, from: &[u8], to: &mut [u8]) -> Stepped {
        let mut rest = from;
        let mut written = self.give(to);
        let mut progress = Ok(Progress::Further);
        while written == 0 && matches!(progress, Ok(Progress::Further)) {
            progress = self.advance(&mut rest);
            written = self.give(to);
        }
        let is_end = progress
            .map(|progress| progress == Progress::End)
            .map_err(|error| error.to_string());
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
    let (is_last, kind, size) = (bits & 1 != 0, bits >> 1 & 3, bits >> 3);
    if kind > COMPRESSED {
        return Err(io::Error::other("reserved block type"));
    }
    if size > MAX_BLOCK {
        return Err(io::Error::other("block too large"));
    }
    Ok(Block { is_last, kind, size })
}

/// Returns whether a block has text. A compressed block has none if it has no
/// literals and no sequences: `bytes` are the header of the literals with the
/// size 0, the byte to repeat if they are of that kind, and the number 0.
fn has_text(block: Block, bytes: &[u8]) -> bool {
    if block.kind != COMPRESSED {
        return block.size > 0;
    }
    let [kind, rest @ .., 0] = bytes else { return true };
    let (length, size) = match kind >> 2 & 3 {
        0 | 2 => (0, kind >> 3),
        1 => (1, kind >> 4),
        _ => (2, kind >> 4),
    };
    let is_repeated = usize::from(kind & 1);
    let zeros = rest.iter().take(length).all(|byte| *byte == 0);
    kind & 2 != 0 || size > 0 || !zeros || rest.len() != length + is_repeated
}

/// What the decoder may read.
#[derive(Clone, Default)]
struct Feed(Arc<Mutex<Cursor<Vec<u8>>>>);

impl Feed {
    /// Replaces the bytes by others, and leaves an empty buffer for more.
    fn fill(&self, bytes: &mut Vec<u8>) {
        let mut feed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        feed.set_position(0);
        mem::swap(feed.get_mut(), bytes);
        bytes.clear();
    }
}

impl Read for Feed {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).read(room)
    }
}
