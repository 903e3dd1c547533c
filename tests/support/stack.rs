//! A thread that has no room for deep recursion.

use std::{env, thread};

/// Runs `work` on a stack of a quarter of a mebibyte. `LINETAPE_STACK` makes it
/// so many KiB, for sanitizers, whose frames are several times as large.
pub fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let size = env::var("LINETAPE_STACK").unwrap_or_else(|_| "256".into());
    let size: usize = size.parse().unwrap();
    let thread = thread::Builder::new().stack_size(size << 10);
    thread.spawn(work).unwrap().join().unwrap();
}
