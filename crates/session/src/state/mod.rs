/*!
The header of a saved state: the bytes that [`UsageTotals::save`] returns and
[`UsageTotals::load`] takes. Numbers are little-endian.

| bytes | content |
|---|---|
| 0..8 | `linetape` |
| 8..12 | what is saved: [`USAGE`] |
| 12..16 | the version of the format: [`VERSION`] |
| 16..24 | the [checksum](hash::checksum) of all bytes after it |
| 24..32 | the number of bytes after the header |

The content follows: see `usage/saved.rs`.

The checksum detects damage, but not forgery: a forged state can have any
totals, as a forged log can. No state causes a panic.

[`UsageTotals::save`]: crate::UsageTotals::save
[`UsageTotals::load`]: crate::UsageTotals::load
*/

pub(crate) mod codec;
pub(crate) mod hash;

use linetape::Error;

use codec::{Cursor, Saved, invalid};

/// The version of the format. A change of any field requires the next number.
const VERSION: u32 = 9;

const MAGIC: &[u8; 8] = b"linetape";

/// The length of the header.
pub(crate) const HEADER: usize = 32;

/// The beginning of the bytes that the checksum covers.
const CHECKED: usize = 24;

/// What is saved: token usage. Earlier versions saved other analyses, too.
const USAGE: u32 = 1;

/// Returns the bytes that [`finish`] turns into a header. The content is to be
/// appended to them.
pub(crate) fn begin() -> Vec<u8> {
    vec![0; HEADER]
}

/// Writes the header of a state.
pub(crate) fn finish(mut state: Vec<u8>) -> Vec<u8> {
    let length = state.len().saturating_sub(HEADER) as u64;
    let mut set = |at: usize, bytes: &[u8]| {
        if let Some(to) = state.get_mut(at..at + bytes.len()) {
            to.copy_from_slice(bytes);
        }
    };
    set(0, MAGIC);
    set(8, &USAGE.to_le_bytes());
    set(12, &VERSION.to_le_bytes());
    set(CHECKED, &length.to_le_bytes());
    let sum = hash::checksum(state.get(CHECKED..).unwrap_or_default());
    if let Some(to) = state.get_mut(16..CHECKED) {
        to.copy_from_slice(&sum.to_le_bytes());
    }
    state
}

/// Checks the header and the checksum of a state.
pub(crate) fn check(state: &[u8]) -> Result<(), Error> {
    let sum = check_header(state)?;
    if sum != hash::checksum(state.get(CHECKED..).unwrap_or_default()) {
        return Err(invalid("the checksum is wrong"));
    }
    Ok(())
}

/// Checks the header of a state, and returns the checksum in it.
pub(crate) fn check_header(state: &[u8]) -> Result<u64, Error> {
    let mut header = Cursor::new(state);
    if header.take(8).ok() != Some(MAGIC) {
        return Err(invalid("these bytes are no state"));
    }
    if u32::load(&mut header)? != USAGE {
        return Err(invalid("it belongs to another analysis"));
    }
    if u32::load(&mut header)? != VERSION {
        return Err(invalid("it has another version"));
    }
    let sum = u64::load(&mut header)?;
    let length = u64::load(&mut header)?;
    if length != header.left() as u64 {
        return Err(invalid("it is truncated or too long"));
    }
    Ok(sum)
}
