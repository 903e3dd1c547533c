//! New files and folders with a name that nobody uses.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Creates something under the first of some names that is free. `create` must
/// fail with [`AlreadyExists`](io::ErrorKind::AlreadyExists) if it is not, so
/// that nothing is opened that is of another process or of the user.
pub fn create<T>(
    path: impl Fn(u32) -> PathBuf,
    create: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    for number in 0..1000 {
        let path = path(number);
        match create(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            created => return Ok((path, created?)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
