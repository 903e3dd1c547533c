//! A thread that has no room for deep recursion, and values to try it with.

use std::{env, thread};

/// Runs `work` on a stack of a quarter of a mebibyte. `LINETAPE_STACK` makes it
/// so many KiB, for sanitizers, whose frames are several times as large.
pub fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let size = env::var("LINETAPE_STACK").unwrap_or_else(|_| "256".into());
    let size: usize = size.parse().unwrap();
    let thread = thread::Builder::new().stack_size(size << 10);
    thread.spawn(work).unwrap().join().unwrap();
}

/// Ways to nest `depth` levels, the outermost object among them: what opens
/// each level, what closes it, and what is in the middle.
pub fn nested(depth: usize) -> Vec<(&'static str, String)> {
    let of = |levels: &[(&str, &str)], middle: &str| {
        let mut text = String::new();
        for (open, _) in levels {
            text.push_str(open);
        }
        text.push_str(middle);
        for (_, close) in levels.iter().rev() {
            text.push_str(close);
        }
        text
    };
    let array = ("[", "]");
    let object = (r#"{"k":"#, "}");
    let mut arrays = vec![object];
    arrays.resize(depth, array);
    let objects = vec![object; depth];
    let mixed: Vec<_> = (0..depth)
        .map(|level| if level % 2 == 0 { object } else { array })
        .collect();
    let mut later = vec![object];
    later.resize(depth, ("[0,\"[\",", ",1]"));
    vec![
        ("arrays", of(&arrays, "0")),
        ("objects", of(&objects, "0")),
        ("mixed", of(&mixed, "null")),
        ("after other items", of(&later, "true")),
    ]
}
