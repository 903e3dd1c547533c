use flate2::{Decompress, FlushDecompress, Status};

use crate::decompress::codec::{Codec, Next, Stepped};

/// The base-2 logarithm of the largest window of deflate.
const WINDOW: u8 = 15;

/// Decompresses the members of a gzip stream.
pub(crate) struct Gzip(Decompress);

impl Gzip {
    pub(crate) fn new() -> Gzip {
        Gzip(Decompress::new_gzip(WINDOW))
    }
}

impl Codec for Gzip {
    /// As gzip(1) does: zeros up to the end are ignored, which tapes and
    /// some block devices append. Anything else that is not a member is an
    /// error.
    fn next(&self, bytes: &[u8], has_ended: bool) -> Next {
        match bytes {
            [] if has_ended => Next::End,
            [0x1F, 0x8B, ..] => Next::Frame,
            [0x1F] | [] if !has_ended => Next::NeedMore,
            [0, ..] => Next::Padding,
            _ => Next::Rubbish,
        }
    }

    fn begin(&mut self) {
        // `reset` would expect a stream without the header of gzip.
        self.0 = Decompress::new_gzip(WINDOW);
    }

    fn step(&mut self, from: &[u8], to: &mut [u8]) -> Stepped {
        let (read, written) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(from, to, FlushDecompress::None);
        Stepped {
            read: (self.0.total_in() - read) as usize,
            written: (self.0.total_out() - written) as usize,
            is_end: match status {
                Ok(status) => Ok(status == Status::StreamEnd),
                Err(error) => Err(error.to_string()),
            },
        }
    }
}
