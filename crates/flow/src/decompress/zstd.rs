use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use crate::decompress::{
    codec::{Codec, Next, Stepped},
    format::Format,
};

/// How many bytes of a frame show the size of its header.
const HEADER: usize = 5;

/// Decompresses the frames of a zstd stream, and skips skippable frames.
pub(crate) struct Zstd {
    decoder: Decoder<'static>,
    /// The number of bytes up to the end of the current block. The decoder is
    /// not given more: if a block is invalid, it would drop the blocks before
    /// it, too.
    hint: usize,
}

impl Zstd {
    pub(crate) fn new() -> Result<Zstd, String> {
        match Decoder::new() {
            Ok(decoder) => Ok(Zstd { decoder, hint: HEADER }),
            Err(error) => Err(error.to_string()),
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

    fn begin(&mut self) -> Result<(), String> {
        self.hint = HEADER;
        self.decoder.reinit().map_err(|error| error.to_string())
    }

    fn step(&mut self, from: &[u8], to: &mut [u8]) -> Stepped {
        let block = from.get(..self.hint).unwrap_or(from);
        let mut from = InBuffer::around(block);
        let mut to = OutBuffer::around(to);
        let remaining = self.decoder.run(&mut from, &mut to);
        Stepped {
            read: from.pos,
            written: to.pos(),
            is_end: match remaining {
                Ok(remaining) => {
                    self.hint = remaining.max(1);
                    Ok(remaining == 0)
                }
                Err(error) => Err(error.to_string()),
            },
        }
    }
}
