/*!
Saved states: the bytes that `save` returns and `load` takes.

Every state begins with the same header. Numbers are little-endian.

| bytes | content |
|---|---|
| 0..8 | `linetape` |
| 8..12 | the analysis: [`Sort`] |
| 12..16 | the version of the format: [`VERSION`] |
| 16..24 | the [checksum](hash::checksum) of all bytes after it |
| 24..32 | the number of bytes after the header |

The content follows. That of `UsageTotals` is described in `usage/saved.rs`;
the others are encoded field by field, by [`codec`].

The checksum detects damage, but not forgery: a forged state can make an
analysis return any result, as a forged log can. No state causes a panic.
*/

pub(crate) mod codec;
pub(crate) mod hash;

use linetape::Error;

use codec::{Cursor, Saved};

/// The version of all formats. A change of any field of an analysis requires
/// the next number.
const VERSION: u32 = 9;

const MAGIC: &[u8; 8] = b"linetape";

/// The length of the header.
pub(crate) const HEADER: usize = 32;

/// The beginning of the bytes that the checksum covers.
const CHECKED: usize = 24;

/// The analysis that a state belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Usage = 1,
    Tree = 2,
    Turns = 3,
    Deltas = 4,
    Checker = 5,
}

/// Returns a state of one value.
pub(crate) fn save(sort: Sort, value: &impl Saved) -> Vec<u8> {
    let mut state = begin();
    value.save(&mut state);
    finish(sort, state)
}

/// Returns the value of a state that [`save`] returned.
pub(crate) fn load<T: Saved>(sort: Sort, state: &[u8]) -> Result<T, Error> {
    check(sort, state)?;
    let mut content = Cursor::new(state.get(HEADER..).unwrap_or_default());
    let value = T::load(&mut content)?;
    content.end()?;
    Ok(value)
}

/// Returns the bytes that [`finish`] turns into a header. The content is to be
/// appended to them.
pub(crate) fn begin() -> Vec<u8> {
    vec![0; HEADER]
}

/// Writes the header of a state.
pub(crate) fn finish(sort: Sort, mut state: Vec<u8>) -> Vec<u8> {
    let length = state.len().saturating_sub(HEADER) as u64;
    let mut set = |at: usize, bytes: &[u8]| {
        if let Some(to) = state.get_mut(at..at + bytes.len()) {
            to.copy_from_slice(bytes);
        }
    };
    set(0, MAGIC);
    set(8, &(sort as u32).to_le_bytes());
    set(12, &VERSION.to_le_bytes());
    set(CHECKED, &length.to_le_bytes());
    let sum = hash::checksum(state.get(CHECKED..).unwrap_or_default());
    if let Some(to) = state.get_mut(16..CHECKED) {
        to.copy_from_slice(&sum.to_le_bytes());
    }
    state
}

/// Checks the header and the checksum of a state.
pub(crate) fn check(sort: Sort, state: &[u8]) -> Result<(), Error> {
    let sum = check_header(sort, state)?;
    if sum != hash::checksum(state.get(CHECKED..).unwrap_or_default()) {
        return Err(Error::invalid_state("the checksum is wrong"));
    }
    Ok(())
}

/// Checks the header of a state, and returns the checksum in it.
pub(crate) fn check_header(sort: Sort, state: &[u8]) -> Result<u64, Error> {
    let mut header = Cursor::new(state);
    if header.take(8).ok() != Some(MAGIC) {
        return Err(Error::invalid_state("these bytes are no state"));
    }
    if u32::load(&mut header)? != sort as u32 {
        return Err(Error::invalid_state("it belongs to another analysis"));
    }
    if u32::load(&mut header)? != VERSION {
        return Err(Error::invalid_state("it has another version"));
    }
    let sum = u64::load(&mut header)?;
    let length = u64::load(&mut header)?;
    if length != header.left() as u64 {
        return Err(Error::invalid_state("it is truncated or too long"));
    }
    Ok(sum)
}
