//! An allocator that counts per thread, so that tests do not affect each
//! other.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

struct Counting;

thread_local! {
    pub static CALLS: Cell<u64> = const { Cell::new(0) };
    pub static LIVE: Cell<i64> = const { Cell::new(0) };
    pub static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn grew(by: usize) {
    CALLS.set(CALLS.get() + 1);
    LIVE.set(LIVE.get() + by as i64);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

fn shrank(by: usize) {
    LIVE.set(LIVE.get() - by as i64);
}

/// Resets the peak, and returns the number of live bytes.
pub fn start() -> i64 {
    PEAK.set(LIVE.get());
    LIVE.get()
}

/// Returns the peak of live memory during `work`, above the memory before it.
pub fn peak_of(work: impl FnOnce()) -> i64 {
    let before = LIVE.get();
    PEAK.set(before);
    work();
    PEAK.get() - before
}

// A `realloc` is counted as if it copied: old and new live together.
#[allow(unsafe_code)] // a global allocator cannot be written without
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        shrank(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(
        &self,
        block: *mut u8,
        layout: Layout,
        size: usize,
    ) -> *mut u8 {
        grew(size);
        shrank(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
