use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::Path,
};

use linetape::Error;

use crate::checkpoints::{
    format::{self, start_of_state},
    replace::{expect_regular, is_left, resolved},
};

/// How many bytes usually have all lines before a state.
const FIRST: u64 = 64 << 10;

/// Returns an error if another file is at a path, before a lock file is created
/// beside it.
pub(crate) fn expect_checkpoints(path: &Path) -> Result<(), Error> {
    let path = resolved(path);
    expect_regular(&path).map_err(|e| Error::from(e).with_path(&path))?;
    match is_left(&path, format::START.as_bytes()) {
        Ok(false) => Err(crate::error::invalid(format::FOREIGN)),
        // If it cannot be read, that is found when it is.
        Ok(true) | Err(_) => Ok(()),
    }
}

/// Reads a file of checkpoints: its lines, and its state. A state can be large,
/// so it is read to where it stays. Returns `None` if there is no file.
pub(crate) fn read(path: &Path) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    expect_regular(path)?;
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let size = usize::try_from(file.metadata()?.len()).unwrap_or(0);
    let mut lines = vec![];
    file.by_ref().take(FIRST).read_to_end(&mut lines)?;
    let mut state = vec![];
    if let Some(start) = start_of_state(&lines) {
        state.reserve_exact(size.saturating_sub(start));
        state.extend(lines.drain(start..));
        file.read_to_end(&mut state)?;
    } else {
        file.read_to_end(&mut lines)?;
        if let Some(start) = start_of_state(&lines) {
            state = lines.split_off(start);
        }
    }
    Ok(Some((lines, state)))
}
