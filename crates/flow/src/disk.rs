use std::{io, path::Path};

/// Waits until the names of new files in a folder are on the disk.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    std::fs::File::open(folder)?.sync_all()
}

/// Folders cannot be opened.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns whether the process, or the system, has too many open files.
pub(crate) fn is_out_of_files(error: &io::Error) -> bool {
    // ENFILE and EMFILE on all Unix systems, and ERROR_TOO_MANY_OPEN_FILES.
    let codes: &[i32] = if cfg!(windows) { &[4] } else { &[23, 24] };
    error.raw_os_error().is_some_and(|code| codes.contains(&code))
}
