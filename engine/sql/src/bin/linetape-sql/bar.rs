//! The progress bar, on standard error.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use linetape_sql::Meter;

/// Shows how much has been read, if standard error is a terminal.
pub struct Bar(ProgressBar);

impl Bar {
    pub fn begin(meter: &Meter) -> Bar {
        if !io::stderr().is_terminal() {
            return Bar::hidden();
        }
        let bar = ProgressBar::new(0);
        let style = "{bar:40} {bytes} of {total_bytes} ({eta})";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        let (shown, meter) = (bar.clone(), meter.clone());
        tokio::spawn(async move {
            while !shown.is_finished() {
                shown.set_length(meter.expected());
                shown.set_position(meter.read().min(meter.expected()));
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
        Bar(bar)
    }

    /// Shows nothing.
    pub fn hidden() -> Bar {
        Bar(ProgressBar::hidden())
    }

    /// Removes the bar. Rows follow.
    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Bar {
    /// Removes the bar, also if there was an error. Its text follows.
    fn drop(&mut self) {
        self.end();
    }
}
