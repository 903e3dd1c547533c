//! How far a run has come, for a person at a terminal.
//!
//! There is one terminal, so there is one bar. It is on standard error, and
//! only if that is a terminal. A run that is over at once shows none.

use std::{
    io::{self, IsTerminal},
    sync::OnceLock,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a run must take before it is worth a bar.
const PATIENCE: Duration = Duration::from_millis(150);

const OF_A_WHOLE: &str = "{wide_bar} {percent:>3}% of {total_bytes}, \
    {binary_bytes_per_sec}, {eta} left";
const WITHOUT_END: &str = "{spinner} {bytes}, {binary_bytes_per_sec}";

static BAR: OnceLock<Bar> = OnceLock::new();

struct Bar {
    bar: ProgressBar,
    begun: Instant,
}

/// Begins to measure: there are so many bytes to read, if that is known.
pub fn begin(bytes: impl FnOnce() -> Option<u64>) {
    if !io::stderr().is_terminal() {
        return;
    }
    let bytes = bytes();
    let hidden = ProgressDrawTarget::hidden();
    let bar = ProgressBar::with_draw_target(bytes, hidden);
    let template = bytes.map_or(WITHOUT_END, |_| OF_A_WHOLE);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    _ = BAR.set(Bar { bar, begun: Instant::now() });
}

/// So many bytes more have been read.
pub fn advance(bytes: usize) {
    if let Some(Bar { bar, begun }) = BAR.get() {
        bar.inc(bytes as u64);
        if bar.is_hidden() && begun.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// Does something that may write to the terminal, with the bar out of the way.
pub fn pause<T>(write: impl FnOnce() -> T) -> T {
    match BAR.get() {
        Some(Bar { bar, .. }) => bar.suspend(write),
        None => write(),
    }
}

/// Takes the bar away.
pub fn end() {
    if let Some(Bar { bar, .. }) = BAR.get() {
        bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_can_be_read() {
        for template in [OF_A_WHOLE, WITHOUT_END] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }
}
