use std::time::Duration;

use linetape::ReaderBuilder;

/// After how many bytes without the end of a line the caller gets control.
pub(crate) const LONG: u64 = 8 << 20;

/// How logs are followed.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) builder: ReaderBuilder,
    /// After which time a last line without a newline is returned.
    pub(crate) idle: Option<Duration>,
    /// The time between two searches of the folders.
    pub(crate) rescan: Duration,
    /// How long a file that has left its path is read on without new data.
    pub(crate) rotate_wait: Duration,
    /// How many files are open at a time.
    pub(crate) open_files: usize,
    /// How many bytes of incomplete lines are in memory.
    pub(crate) held_bytes: u64,
}

impl Settings {
    pub(crate) fn new(builder: ReaderBuilder) -> Settings {
        Settings {
            builder,
            idle: None,
            rescan: Duration::from_secs(1),
            rotate_wait: Duration::from_secs(5),
            open_files: 128,
            held_bytes: 64 << 20,
        }
    }
}
