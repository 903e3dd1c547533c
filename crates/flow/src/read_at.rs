use std::{fs::File, io};

/// Reads at an offset, without moving the position that other threads share.
#[cfg(unix)]
pub(crate) fn read_at(
    file: &File,
    room: &mut [u8],
    offset: u64,
) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, room, offset)
}

#[cfg(windows)]
pub(crate) fn read_at(
    file: &File,
    room: &mut [u8],
    offset: u64,
) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, room, offset)
}
