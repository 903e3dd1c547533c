//! SIGINT and SIGTERM, for commands that run until they are ended.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

use crate::{outcome::Outcome, output::Output};

/// How long a command waits before it looks for new data again.
const POLL: Duration = Duration::from_millis(100);

/// How long it sleeps before it looks for a signal again.
const NAP: Duration = Duration::from_millis(10);

/// The signals that end the command.
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Catches the signals from now on. The first one lets the command end by
    /// itself, and the second one ends it at once.
    pub fn catch() -> io::Result<Signals> {
        let caught = Arc::new(AtomicUsize::new(0));
        let is_second = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            let code = 128 + signal;
            let second = is_second.clone();
            flag::register_conditional_shutdown(signal, code, second)?;
            flag::register(signal, is_second.clone())?;
            let number = signal.unsigned_abs() as usize;
            flag::register_usize(signal, caught.clone(), number)?;
        }
        Ok(Signals(caught))
    }

    /// Returns the exit code, if a signal has arrived.
    pub fn received(&self) -> Option<Outcome> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            2 => Some(Outcome::Interrupted),
            _ => Some(Outcome::Terminated),
        }
    }

    /// Waits for a while, or until a signal arrives.
    ///
    /// # Errors
    ///
    /// When nobody reads the output any more. A command that waits has nothing
    /// to write, so it would not notice.
    pub fn wait(&self, output: &Output) -> io::Result<()> {
        let begun = Instant::now();
        // A signal that has ended the reader has arrived here, too, and counts.
        if !output.has_reader() && self.received().is_none() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        while begun.elapsed() < POLL && self.received().is_none() {
            thread::sleep(NAP);
        }
        Ok(())
    }
}
