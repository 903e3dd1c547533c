//! What a file begins with, and what it ended with when it was listed.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

use datafusion::common::Result;

use crate::local::changed;

/// How many bytes of each end are read.
const LENGTH: u64 = 256;

/// Returns the tag of a file with some size: a hash of its first bytes, and of the
/// last ones before that size. It stays the same if the file grows. Each line of an
/// agent has its own id and time, so that a file which was truncated and written
/// again has another tag.
///
/// The tag travels with the name of the file, as that of an object. An executor,
/// which may have the file on another disk, knows only this tag, the size and the time of
/// modification.
pub(crate) fn tag(file: &mut File, size: u64) -> io::Result<String> {
    let mut ends = vec![];
    let middle = size.saturating_sub(LENGTH);
    for (start, length) in [(0, LENGTH.min(middle)), (middle, size - middle)] {
        if length > 0 {
            file.seek(SeekFrom::Start(start))?;
            file.by_ref().take(length).read_to_end(&mut ends)?;
        }
    }
    // The hash need not resist attacks: nobody gains anything by a collision.
    Ok(format!("{:016x}", hash(&ends)))
}

/// Returns a hash that is the same in all processes: FNV-1a.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns an error if a file has become shorter than it was, or has not the
/// tag that it had. Moves the position in the file.
pub(crate) fn check(
    file: &mut File,
    size: u64,
    expected: Option<&str>,
) -> Result<()> {
    if file.metadata()?.len() < size {
        return Err(changed("has become shorter"));
    }
    match expected {
        Some(expected) if tag(file, size)? != expected => {
            Err(changed("has been overwritten"))
        }
        _ => Ok(()),
    }
}
