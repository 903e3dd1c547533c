//! Whether there is something to read on standard input.

use std::{
    io::{self, BufRead},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use crate::outcome::print_message;

/// How long a pipe may be silent before a message says that it is waited for.
const SILENT: Duration = Duration::from_millis(300);

/// How long to wait before a pipe that does not block is tried again.
const AGAIN: Duration = Duration::from_millis(5);

/// What standard input is.
enum Kind {
    File,
    /// A pipe or a socket. Many programs start others with one, and never
    /// write to it.
    Pipe,
    /// `/dev/null`, a terminal, or closed.
    Other,
}

/// Returns whether standard input is to be read: it is a file, or a pipe that
/// has at least one byte. Waits for the first byte of a pipe, or its end.
pub fn is_given() -> bool {
    match kind() {
        Kind::File => true,
        Kind::Pipe => has_byte(),
        Kind::Other => false,
    }
}

#[cfg(unix)]
fn kind() -> Kind {
    use std::{
        fs::File,
        os::{fd::AsFd, unix::fs::FileTypeExt},
    };

    let input = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let facts = input.and_then(|file| file.metadata());
    match facts.map(|facts| facts.file_type()) {
        Ok(kind) if kind.is_file() => Kind::File,
        Ok(kind) if kind.is_fifo() || kind.is_socket() => Kind::Pipe,
        _ => Kind::Other,
    }
}

/// A file cannot be told from a pipe here, and is read as one.
#[cfg(not(unix))]
fn kind() -> Kind {
    match io::IsTerminal::is_terminal(&io::stdin()) {
        true => Kind::Other,
        false => Kind::Pipe,
    }
}

/// Returns whether standard input has a byte, which is not taken from it.
fn has_byte() -> bool {
    let (found, wait) = mpsc::channel::<()>();
    let notice = thread::spawn(move || {
        if wait.recv_timeout(SILENT) == Err(RecvTimeoutError::Timeout) {
            print_message(
                "waiting for standard input; name files to read those, or \
                 use --sample",
            );
        }
    });
    let has_byte = loop {
        match io::stdin().lock().fill_buf() {
            Ok(bytes) => break !bytes.is_empty(),
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                    thread::sleep(AGAIN);
                }
                // Whoever reads it reports the error.
                _ => break true,
            },
        }
    };
    drop(found);
    // It has ended, or prints its message.
    _ = notice.join();
    has_byte
}
