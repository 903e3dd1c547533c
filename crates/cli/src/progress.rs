//! The progress bar.
//!
//! The process has one bar, on standard error, if that is a terminal. A short
//! run shows none.

use std::{
    io::{self, IsTerminal},
    sync::OnceLock,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a run takes before the bar is shown.
const DELAY: Duration = Duration::from_millis(150);

const WITH_TOTAL: &str = "{wide_bar} {percent:>3}% of {total_bytes}, \
    {binary_bytes_per_sec}, {eta} left";
const WITHOUT_TOTAL: &str = "{spinner} {bytes}, {binary_bytes_per_sec}";

static BAR: OnceLock<Bar> = OnceLock::new();

struct Bar {
    bar: ProgressBar,
    begun: Instant,
}

/// Starts the bar. `bytes` returns the number of bytes to read, if it is
/// known.
pub fn begin(bytes: impl FnOnce() -> Option<u64>) {
    if !io::stderr().is_terminal() {
        return;
    }
    let bytes = bytes();
    let hidden = ProgressDrawTarget::hidden();
    let bar = ProgressBar::with_draw_target(bytes, hidden);
    let template = bytes.map_or(WITHOUT_TOTAL, |_| WITH_TOTAL);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    _ = BAR.set(Bar { bar, begun: Instant::now() });
}

/// Advances the bar by a number of bytes.
pub fn advance(bytes: usize) {
    if let Some(Bar { bar, begun }) = BAR.get() {
        bar.inc(bytes as u64);
        if bar.is_hidden() && begun.elapsed() > DELAY {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// Calls a function that writes to the terminal, with the bar hidden.
pub fn pause<T>(write: impl FnOnce() -> T) -> T {
    match BAR.get() {
        Some(Bar { bar, .. }) => bar.suspend(write),
        None => write(),
    }
}

/// Removes the bar.
pub fn end() {
    if let Some(Bar { bar, .. }) = BAR.get() {
        bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_valid() {
        for template in [WITH_TOTAL, WITHOUT_TOTAL] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }
}
