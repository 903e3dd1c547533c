//! A thread with a small stack, and deeply nested values.

use std::{env, thread};

/// Runs `work` on a stack of 256 KiB, or of `LINETAPE_STACK` KiB: with a
/// sanitizer, stack frames are several times as large. So are those of
/// linetape-tests and linetape-translate, whose tests are not optimised and
/// contain a part of the library (generic functions): their stack is 1 MiB.
pub fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let size = match env!("CARGO_PKG_NAME") {
        "linetape-tests" | "linetape-translate" => 1024,
        _ => 256,
    };
    let named = env::var("LINETAPE_STACK").ok();
    let size: usize = named.map_or(size, |size| size.parse().unwrap());
    let thread = thread::Builder::new().stack_size(size << 10);
    thread.spawn(work).unwrap().join().unwrap();
}

/// Returns lines that nest `depth` levels, including the outermost object, in
/// different ways.
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
