//! sonic-rs at its fastest: it skips values with vector instructions, and
//! assumes that they are valid JSON.
//!
//! linetape and simdjson do not check whole lines for these jobs either, but
//! accept any input. So all lines are checked beforehand, and that time is not
//! counted.
#![allow(unsafe_code)]

use serde::de::IgnoredAny;
use sonic_rs::{PointerTree, Result, get_many_unchecked};

use super::{
    Engine,
    sonic::{Found, route_tree, tell_route, tell_usage, usage_tree},
    split::{lines, texts},
};
use crate::{
    data::Data,
    engine::Prepared,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::prepared("sonic-rs get, unchecked", Job::Route, |data| {
        prepare(data, route_tree(), tell_route)
    }),
    Engine::prepared("sonic-rs get, unchecked", Job::Usage, |data| {
        prepare(data, usage_tree(), tell_usage)
    }),
];

fn prepare(
    data: &Data,
    tree: PointerTree,
    tell: fn(Found<'_>, &mut Tally) -> Result<()>,
) -> Prepared {
    let is_json = |line| serde_json::from_slice::<IgnoredAny>(line).is_ok();
    if !lines(data).all(is_json) {
        // It must not run on this data, and its row says so.
        let lines = data.lines() as u64;
        return Box::new(move |_, tally| tally.fail(lines));
    }
    let (address, length) = (data.bytes().as_ptr(), data.bytes().len());
    Box::new(move |data, tally| {
        assert_eq!(
            (address, length),
            (data.bytes().as_ptr(), data.bytes().len())
        );
        for text in texts(data) {
            let found = text.map(|text| {
                // SAFETY: the text is JSON: the lines of this data have been
                // checked, and it is immutable.
                unsafe { get_many_unchecked(text, &tree) }
            });
            match found.map(|found| tell(found, tally)) {
                Some(Ok(())) => {}
                _ => tally.fail(1),
            }
        }
    })
}
