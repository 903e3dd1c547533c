//! A temporary file.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, Write},
    path::PathBuf,
    process,
    sync::atomic::{AtomicU32, Ordering},
};

/// A file that only this user can read, and that is removed at the end.
pub struct Spool {
    file: File,
    path: PathBuf,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Spool {
    pub fn new() -> io::Result<Spool> {
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("linetape-spool-{}-{count}", process::id());
            let path = env::temp_dir().join(name);
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Ok(file) => return Ok(Spool { file, path }),
                Err(e)
                    if e.kind() == io::ErrorKind::AlreadyExists
                        && count < 10_000 => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // Nothing else can be done about it.
        _ = fs::remove_file(&self.path);
    }
}

impl Read for Spool {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.file.read(buf)
    }
}

impl Write for Spool {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.file.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
