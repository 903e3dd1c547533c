//! sonic-rs at its fastest: it passes over what it is not asked for with
//! vector instructions, and trusts that to be JSON.
//!
//! linetape and simdjson do not look into all of a line for these jobs
//! either, but they may be given anything. So all lines are checked
//! beforehand, and no time is counted for that.
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
        // It must not be run on this data, and says so in its row.
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
                // SAFETY: the text is JSON: this is the data whose lines
                // have been checked, and nobody can have written to it.
                unsafe { get_many_unchecked(text, &tree) }
            });
            match found.map(|found| tell(found, tally)) {
                Some(Ok(())) => {}
                _ => tally.fail(1),
            }
        }
    })
}
